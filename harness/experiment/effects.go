package experiment

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"

	"fabriclab/base/reader"
	"fabriclab/harness/scenario"
	"fabriclab/harness/topology"
)

// idleAxes warns of axes whose values change no scenario: something else sets the
// same, such as nodes, or nothing uses it.
func (l *loader) idleAxes(root *yaml.Node, points []*Point) {
	matrixKey, matrix := reader.Child(root, "matrix")
	if reader.IsNull(matrix) {
		return
	}
	networks := map[*topology.Topology]string{}
	outcomes := make([]string, len(points))
	axes := map[string]bool{}
	for i, p := range points {
		var err error
		if outcomes[i], err = l.outcome(p, networks); err != nil {
			l.fail(l.file, err)
			return
		}
		for _, label := range p.Labels {
			axes[label.Path] = true
		}
	}
	for _, axis := range slices.Sorted(maps.Keys(axes)) {
		first := map[string]string{} // by the values on other axes
		compared, differs := false, false
		for i, p := range points {
			others := slices.DeleteFunc(slices.Clone(p.Labels), func(label Label) bool { return label.Path == axis })
			if len(others) == len(p.Labels) {
				continue
			}
			same := fmt.Sprint(others)
			outcome, is := first[same]
			compared = compared || is
			differs = differs || is && outcome != outcomes[i]
			first[same] = outcomes[i]
		}
		if compared && !differs {
			at, _ := reader.Child(matrix, axis)
			if at == nil {
				at = matrixKey
			}
			l.warn(l.Sources[at].Position() + ": matrix." + axis + " has no effect: its values change no scenario; something else sets the same, such as nodes, or nothing uses it")
		}
	}
}

// outcome is all that a point's runs depend on. Points with different ones may still
// come to the same flow list.
func (l *loader) outcome(p *Point, networks map[*topology.Topology]string) (string, error) {
	h := sha256.New()
	out := json.NewEncoder(h)
	if p.Model != nil {
		err := out.Encode([]any{p.Model, fmt.Sprintf("%p", p.Flows)})
		return string(h.Sum(nil)), err
	}
	if networks[p.Topology] == "" {
		var uplinks []int64
		for id := range p.Topology.Nodes {
			uplinks = append(uplinks, p.Topology.UplinkRate(uint32(id)))
		}
		network, err := json.Marshal([]any{p.Topology.Nodes, p.Topology.Links, p.Topology.UsualHosts(), uplinks})
		if err != nil {
			return "", err
		}
		sum := sha256.Sum256(network)
		networks[p.Topology] = string(sum[:])
	}
	fmt.Fprintln(h, networks[p.Topology], p.rules, p.workload)
	s := p.Scenario
	s.Nodes, s.Links, s.Components, s.Sets = nil, nil, nil, nil
	err := out.Encode([]any{s, p.Oracle, l.standingAt(p)})
	return string(h.Sum(nil)), err
}

// standingAt is what stands at hosts and at switches, by key and component, and where
// that differs at which of them: what holds for all others may hold for none.
func (l *loader) standingAt(p *Point) map[string]map[string][]uint32 {
	isHost := func(id uint32) bool { return p.Topology.Nodes[id].Kind == scenario.Host }
	own := make([]bool, len(p.Topology.Nodes))
	for _, set := range p.Scenario.Sets {
		for _, id := range set.Nodes {
			own[id] = true
		}
	}
	others := map[bool][]uint32{}
	for id := range own {
		if !own[id] {
			others[isHost(uint32(id))] = append(others[isHost(uint32(id))], uint32(id))
		}
	}
	stands := map[string]map[string][]uint32{}
	for _, set := range append(slices.Clone(p.Scenario.Sets), scenario.Set{Nodes: others[true]}, scenario.Set{Nodes: others[false]}) {
		if len(set.Nodes) == 0 {
			continue
		}
		host := isHost(set.Nodes[0])
		for _, key := range l.keysAt(host) {
			place, is := set.Components[key]
			if !is {
				place = p.Scenario.Components[key]
			}
			text, _ := json.Marshal(place) // of what has been encoded before
			at := fmt.Sprintf("%s %t", key, host)
			if stands[at] == nil {
				stands[at] = map[string][]uint32{}
			}
			stands[at][string(text)] = append(stands[at][string(text)], set.Nodes...)
		}
	}
	for _, by := range stands {
		for text := range by {
			if slices.Sort(by[text]); len(by) == 1 {
				by[text] = nil
			}
		}
	}
	return stands
}
