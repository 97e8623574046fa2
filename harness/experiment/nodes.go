package experiment

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"fabriclab/base/catalog"
	"fabriclab/base/reader"
	"fabriclab/harness/scenario"
	"fabriclab/harness/topology"
)

// nodesKey is the key under which sets of nodes have mechanisms and parameters
// of their own.
const nodesKey = "nodes"

// nodeSet is what an experiment says of the nodes whose names match a pattern.
type nodeSet struct {
	mechanisms
	pattern string
	key     *yaml.Node // where the pattern is written
	keys    *reader.Section
	params  *yaml.Node // component -> parameter -> value
}

// nodeSets reads the sets of nodes, in the order in which they are written:
// later ones win.
func (l *loader) nodeSets(root *reader.Section) []*nodeSet {
	s := root.Sub(nodesKey)
	var sets []*nodeSet
	for i := 0; i < len(s.Node.Content); i += 2 {
		key, value := s.Node.Content[i], s.Node.Content[i+1]
		n := l.Section(value, key, s.Name(key.Value))
		set := &nodeSet{pattern: key.Value, key: key, keys: n, mechanisms: l.mechanisms(n), params: n.Get("params")}
		for _, named := range set.mechanisms {
			for i := range named {
				named[i].set = set
			}
		}
		n.Done()
		l.checkComponents(set.params, n.Name("params"))
		if len(n.Node.Content) == 0 {
			l.Problem(key, "%s says nothing of these nodes; give them a mechanism or params, or take it out", n.Path)
		}
		sets = append(sets, set)
	}
	return sets
}

// group is nodes of one kind for which the same sets hold.
type group struct {
	host  bool
	nodes []uint32
	sets  []*nodeSet
}

// nodeGroups finds the nodes for which sets hold, in the order of the first node
// of each group, and refuses slots that a node does not have.
func (l *loader) nodeGroups(sets []*nodeSet, t *topology.Topology) []*group {
	holding := make([][]*nodeSet, len(t.Nodes))
	for _, set := range sets {
		ids, err := t.Match(set.pattern)
		if err != nil {
			l.Problem(set.key, "%s: %v", nodesKey, err)
			continue
		}
		for i := range l.catalog.Slots {
			l.checkPlace(set, &l.catalog.Slots[i], ids, t)
		}
		for _, id := range ids {
			holding[id] = append(holding[id], set)
		}
	}
	var groups []*group
	for id, sets := range holding {
		if sets == nil {
			continue
		}
		host := t.Nodes[id].Kind == scenario.Host
		i := slices.IndexFunc(groups, func(g *group) bool { return g.host == host && slices.Equal(g.sets, sets) })
		if i < 0 {
			i = len(groups)
			groups = append(groups, &group{host: host, sets: sets})
		}
		groups[i].nodes = append(groups[i].nodes, uint32(id))
	}
	return groups
}

// checkPlace refuses a slot of hosts at a switch, and the other way round.
func (l *loader) checkPlace(set *nodeSet, slot *catalog.Slot, ids []uint32, t *topology.Topology) {
	key, _ := reader.Child(set.keys.Node, slot.Key)
	if key == nil {
		return
	}
	for _, id := range ids {
		kind := t.Nodes[id].Kind
		if (kind == scenario.Host) != slot.Host() {
			has := map[bool]string{true: "hosts", false: "switches"}[slot.Host()]
			l.Problem(key, "%s: %s is a %s, and only %s have the slot %s; name %[4]s alone", set.keys.Name(slot.Key), t.Nodes[id].Name, kind, has, slot.Key)
			return
		}
	}
}

// checkClasses refuses lists for other classes than those of the network.
func (l *loader) checkClasses(set *nodeSet, classes int) {
	for _, slot := range l.catalog.Slots {
		named, is := set.mechanisms[slot.Key]
		if is && slot.Count == catalog.PerClass && len(named) != classes {
			l.Problem(named[0].at, "%s has %d items, and the network has %d classes; name one for each", set.keys.Name(slot.Key), len(named), classes)
		}
	}
}

// setsOf gives the nodes that have sets the components that differ from the
// general ones, and adds their settings to the effective configuration.
func (l *loader) setsOf(general configuration, common scenario.Components, nodes []*nodeSet, t *topology.Topology, effective *Effective) []scenario.Set {
	var sets []scenario.Set
	baseRTT, _ := common.Param("host", "base_rtt").(int64)
	used := map[*nodeSet][]string{}
	for _, set := range nodes {
		l.checkClasses(set, general.classes)
	}
	for _, g := range l.nodeGroups(nodes, t) {
		c := general
		c.sets = g.sets
		for _, set := range g.sets {
			c.mechanisms = set.over(c.mechanisms)
		}
		components, settings := l.components(c)
		l.deriveClasses(components, settings, c.classes)
		if components.Param("host", "base_rtt") == int64(0) {
			l.derive(components, settings, "base_rtt", baseRTT)
		}
		own := scenario.Components{}
		for _, key := range l.keysAt(g.host) {
			place, there := components[key]
			if !there {
				continue
			}
			for _, set := range g.sets {
				used[set] = append(used[set], types(place)...)
			}
			if !reflect.DeepEqual(place, common[key]) {
				own[key] = place
			}
		}
		l.checkFraming(common, own, settings)
		if len(own) == 0 {
			continue
		}
		for _, s := range settings {
			if _, differs := own[s.key]; differs {
				s.Nodes = nodesText(t, g.nodes)
				*effective = append(*effective, s)
			}
		}
		sets = append(sets, scenario.Set{Nodes: g.nodes, Components: own})
	}
	l.countUsed(nodes, used)
	return sets
}

// keysAt are the keys of components that hosts or switches have.
func (l *loader) keysAt(host bool) []string {
	keys := []string{"switch", "port"}
	if host {
		keys = []string{"host", "port"}
	}
	for i := range l.catalog.Slots {
		if slot := &l.catalog.Slots[i]; slot.Host() == host {
			keys = append(keys, slot.Key)
		}
	}
	return keys
}

// types are the components in a place.
func types(p scenario.Place) []string {
	var names []string
	if p.One != nil {
		names = append(names, p.One.Type)
	}
	for _, one := range p.List {
		names = append(names, one.Type)
	}
	return names
}

// checkFraming refuses hosts that make other packets than the others: base RTT
// and ideal completion times are computed for one way of making them.
func (l *loader) checkFraming(common, own scenario.Components, settings Effective) {
	if _, differs := own["host"]; !differs || framing(own) == framing(common) {
		return
	}
	for _, s := range settings {
		if s.key == "host" && s.at != nil && slices.Contains([]string{"mtu", "header_bytes", "ack_bytes", "min_frame"}, s.Param) && common.Param("host", s.Param) != s.canonical {
			l.Problem(s.at, "host.%s is the same at all hosts, because base RTT and ideal completion times come from it; set it under params", s.Param)
		}
	}
}

// setParams are the parameters of a component in a set of nodes.
type setParams struct {
	where reader.Source
	text  string
	used  bool // at some point a node of the set has the component
}

// countUsed notes which parameters of sets a point has a use for.
func (l *loader) countUsed(sets []*nodeSet, used map[*nodeSet][]string) {
	for _, set := range sets {
		if reader.IsNull(set.params) {
			continue
		}
		for i := 0; i < len(set.params.Content); i += 2 {
			key := set.params.Content[i]
			at := setParams{where: l.Sources[key], text: set.keys.Name("params." + key.Value)}
			known := slices.IndexFunc(l.setParams, func(p setParams) bool { return p.where == at.where && p.text == at.text })
			if known < 0 {
				known = len(l.setParams)
				l.setParams = append(l.setParams, at)
			}
			l.setParams[known].used = l.setParams[known].used || slices.Contains(used[set], key.Value)
		}
	}
}

// nodesText names nodes as workloads do: "host0..host3, allocator".
func nodesText(t *topology.Topology, ids []uint32) string {
	var parts []string
	for i := 0; i < len(ids); {
		j := i
		for j+1 < len(ids) && ids[j+1] == ids[j]+1 {
			j++
		}
		switch first, last := t.Nodes[ids[i]].Name, t.Nodes[ids[j]].Name; j - i {
		case 0:
			parts = append(parts, first)
		case 1:
			parts = append(parts, first, last)
		default:
			parts = append(parts, fmt.Sprintf("%s..%s", first, last))
		}
		i = j + 1
	}
	return strings.Join(parts, ", ")
}

// markUsed counts what is in use anywhere as used.
func (l *loader) markUsed(general mechanisms, sets []*nodeSet) {
	names := l.inUse(general)
	for _, set := range sets {
		names = append(names, l.inUse(set.over(general))...)
	}
	for _, name := range names {
		l.used[name] = true
	}
}
