package experiment

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"fabriclab/base/reader"
	"fabriclab/harness/workload"
)

// Checks asks the model what it refuses at the start of a run; the question
// and the answer are a line each (docs/formats.md, Checks).
type Checks interface {
	Check(question []byte) ([]byte, error)
}

// flowKind is a workload.Kind in a question.
type flowKind struct {
	Src        uint32 `json:"src"`
	Dst        uint32 `json:"dst"`
	Size       uint64 `json:"size"`
	Class      uint8  `json:"class"`
	Persistent bool   `json:"persistent"`
	ClosedLoop bool   `json:"closed_loop"`
	Stops      bool   `json:"stops"`
	Members    int    `json:"members"`
}

// answer is what the model says of a scenario.
type answer struct {
	Error    string    `json:"error"` // it cannot be built
	Problems []refusal `json:"problems"`
	Warnings []refusal `json:"warnings"` // what starts, and is likely a mistake
}

// refusal is something that the model refuses.
type refusal struct {
	Text   string   `json:"text"`
	Nodes  []uint32 `json:"nodes"`
	Places []spot   `json:"places"` // where it can be mended, the likeliest mistake first
}

// spot is a parameter or a component at a node, a slot, the topology, or a
// field of the flows of a kind.
type spot struct {
	Node      uint32 `json:"node"`
	Key       string `json:"key"`
	Index     int    `json:"index"`
	Component string `json:"component"`
	Param     string `json:"param"`
	Slot      string `json:"slot"`
	Topology  bool   `json:"topology"`
	Flow      *int   `json:"flow"`
	Field     string `json:"field"`
}

// told is what an experiment says of a point: where places are looked for.
type told struct {
	choice
	point *Point
	kinds []workload.Kind
}

// checkModel reports what the model refuses of a point, and warns of. Points that differ in
// nothing it looks at are asked about once.
func (l *loader) checkModel(c choice, point *Point, kinds []workload.Kind) {
	if l.checks == nil {
		return
	}
	key, question, err := question(point, kinds)
	if err != nil {
		l.fail(l.file, err)
		return
	}
	a, known := l.answers[key]
	if !known {
		text, err := question()
		if err == nil {
			text, err = l.checks.Check(text)
		}
		if err == nil {
			err = json.Unmarshal(text, &a)
		}
		if err != nil {
			l.fail(l.file, err)
			l.checks = nil // it would fail for each of the other points, too
			return
		}
		l.answers[key] = a
	}
	if a.Error != "" {
		l.Problem(c.root, "%s", a.Error)
	}
	t := told{choice: c, point: point, kinds: kinds}
	for _, r := range a.Problems {
		l.refusal(t, r)
	}
	for _, r := range a.Warnings {
		position := l.Sources[l.likeliest(t, r.Places)].Position() + ": "
		// Other points and nodes have other numbers, and the cause is one.
		if cause := position + numbers.ReplaceAllString(r.Text, "#"); !l.warned[cause] {
			l.warned[cause] = true
			l.warn(position + r.Text + t.nodes(r))
		}
	}
}

var numbers = regexp.MustCompile(`[0-9][0-9.]*`)

// question makes what is asked about a point, and what of it differs between
// points with the same topology.
func question(p *Point, kinds []workload.Kind) (key string, whole func() ([]byte, error), err error) {
	flows := make([]flowKind, len(kinds))
	for i, k := range kinds {
		f := k.Flow
		flows[i] = flowKind{f.Src, f.Dst, f.Size, f.Class, f.Persistent, f.ClosedLoop, f.StopPs >= 0, k.Members}
	}
	said, err := json.Marshal(flows)
	if err != nil {
		return "", nil, err
	}
	own := p.Scenario
	own.Nodes, own.Links, own.StopPs = nil, nil, 1
	small, err := own.Encode()
	if err != nil {
		return "", nil, err
	}
	return fmt.Sprintf("%p\n%s\n%s", p.Topology, small, said), func() ([]byte, error) {
		s, err := p.Scenario.Encode()
		if err != nil {
			return nil, err
		}
		var line bytes.Buffer
		line.WriteString(`{"scenario":`)
		if err := json.Compact(&line, s); err != nil {
			return nil, err
		}
		fmt.Fprintf(&line, `,"flows":%s}`, said)
		return line.Bytes(), nil
	}, nil
}

// refusal reports a refusal. Of several at one place the first one is told:
// most are one mistake, seen by each of the components that it concerns.
func (l *loader) refusal(t told, r refusal) {
	at := l.likeliest(t, r.Places)
	position := l.Sources[at].Position()
	if l.refused[position] {
		l.Found++
		return
	}
	l.refused[position] = true
	text := r.Text + t.nodes(r)
	if label := t.point.String(); label != "" {
		text += " (at " + label + ")"
	}
	l.Problem(at, "%s", text)
}

// warn adds a warning about the experiment, once.
func (l *loader) warn(text string) {
	if !slices.Contains(l.warnings, text) {
		l.warnings = append(l.warnings, text)
	}
}

// likeliest is the place that the experiment itself speaks of, else its preset:
// first of those that are written, then of the components that have them.
func (l *loader) likeliest(t told, places []spot) (at *yaml.Node) {
	for _, written := range []bool{true, false} {
		for _, p := range places {
			if !written {
				p.Param = ""
			}
			found := l.where(t, p)
			if found != nil && (at == nil || l.ofPreset(at) && !l.ofPreset(found)) {
				at = found
			}
		}
		if at != nil {
			return at
		}
	}
	return keyOr(t.root, "preset")
}

func (l *loader) ofPreset(n *yaml.Node) bool { return strings.HasPrefix(l.Origin(n), "preset:") }

// keyOr is a key of the experiment, or the experiment.
func keyOr(root *yaml.Node, name string) *yaml.Node {
	if key, _ := reader.Child(root, name); key != nil {
		return key
	}
	return root
}

// nodes names the nodes of a refusal that holds for some of their kind only.
func (t *told) nodes(r refusal) string {
	all := t.point.Topology.Nodes
	alike := 0
	for _, n := range all {
		if n.Kind == all[r.Nodes[0]].Kind {
			alike++
		}
	}
	if len(r.Nodes) == alike || len(r.Places) > 0 && r.Places[0].Flow != nil {
		return ""
	}
	return "; at " + nodesText(t.point.Topology, r.Nodes)
}

// where a place is written, nil if it is not.
func (l *loader) where(t told, p spot) *yaml.Node {
	switch {
	case p.Topology:
		return keyOr(t.root, "topology")
	case p.Slot != "":
		return l.slotAt(t, p.Slot)
	case p.Flow != nil:
		return l.flowAt(t, t.kinds[*p.Flow], p.Field)
	}
	nodes := ""
	for _, set := range t.point.Scenario.Sets {
		if _, own := set.Components[p.Key]; own && slices.Contains(set.Nodes, p.Node) {
			nodes = nodesText(t.point.Topology, set.Nodes)
		}
	}
	for i := range t.point.Effective {
		s := &t.point.Effective[i]
		if p.Param != "" && s.key == p.Key && s.Nodes == nodes && s.Component == p.Component && s.Param == p.Param && s.at != nil {
			if one := fmt.Sprintf("%s[%d]", p.Key, p.Index); s.Place == p.Key || s.Place == one {
				return s.at
			}
		}
	}
	if p.Param != "" {
		return nil
	}
	return t.named(p)
}

// named is where a component at a node is named.
func (t *told) named(p spot) *yaml.Node {
	of := func(m mechanisms) *yaml.Node {
		if list := m[p.Key]; p.Index < len(list) && list[p.Index].component.Name == p.Component {
			return list[p.Index].at
		}
		return nil
	}
	for _, set := range slices.Backward(t.sets) {
		if ids, err := t.point.Topology.Match(set.pattern); err == nil && slices.Contains(ids, p.Node) {
			if at := of(set.mechanisms); at != nil {
				return at
			}
		}
	}
	return of(t.general)
}

// slotAt is where the experiment says what stands in a slot.
func (l *loader) slotAt(t told, key string) *yaml.Node {
	if _, said := reader.Child(t.root, key); !reader.IsNull(said) {
		return said
	}
	for _, set := range t.sets {
		if _, said := reader.Child(set.keys.Node, key); !reader.IsNull(said) {
			return said
		}
	}
	return nil
}

// flowFields are the keys of workloads for what the model calls otherwise.
var flowFields = map[string][]string{"connections": {"connections", "persistent"}}

// flowAt is where a workload says something of the flows of a kind.
func (l *loader) flowAt(t told, k workload.Kind, field string) *yaml.Node {
	at, section := reader.Child(t.root, "workload")
	if part := leaves(section)[k.Part]; part != section {
		at, section = part, part
	}
	if item := listed(section, k.Flow.ID); item != nil {
		at, section = item, item
	}
	for _, name := range append([]string{field}, flowFields[field]...) {
		if _, said := reader.Child(section, name); said != nil {
			return said
		}
	}
	return at
}

// leaves are the parts of a workload that are no mixes, in their order (workload.NewMix).
func leaves(section *yaml.Node) []*yaml.Node {
	_, parts := reader.Child(section, "parts")
	if parts == nil {
		return []*yaml.Node{section}
	}
	var all []*yaml.Node
	for _, part := range parts.Content {
		all = append(all, leaves(part)...)
	}
	return all
}

// listed is the item of a flow list that makes the flow of a number.
func listed(section *yaml.Node, id uint32) *yaml.Node {
	_, flows := reader.Child(section, "flows")
	if flows == nil || flows.Kind != yaml.SequenceNode || len(flows.Content) == 0 {
		return nil
	}
	if int(id) < len(flows.Content) && singles(flows.Content) {
		return flows.Content[id]
	}
	return flows
}

// singles says whether each item of a list makes one flow.
func singles(items []*yaml.Node) bool {
	return !slices.ContainsFunc(items, func(n *yaml.Node) bool {
		_, count := reader.Child(n, "count")
		_, src := reader.Child(n, "src")
		_, dst := reader.Child(n, "dst")
		many := func(n *yaml.Node) bool { return n != nil && strings.ContainsAny(n.Value, ".,*[") }
		return count != nil || many(src) || many(dst)
	})
}
