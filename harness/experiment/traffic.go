package experiment

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"iter"
	"sync"

	"go.yaml.in/yaml/v3"

	"fabriclab/base/reader"
	"fabriclab/harness/scenario"
	"fabriclab/harness/workload"
)

// traffic is what is found out of a workload in a network. There may be a
// million pairs and as many flows, so points that have both share it.
type traffic struct {
	pairs iter.Seq2[uint32, uint32]  // of hosts, one of each kind of path
	kinds map[string][]workload.Kind // by the nodes that have components of their own
	text  [sha256.Size]byte          // of all that the section says
	// digest is that of the flow list of seed 0.
	digest func() ([sha256.Size]byte, error)
	// recipe is what random flow lists are made of, "" of one that is the same for every
	// seed: those of seed 0 may agree where others do not.
	recipe string
}

// recipeOf is a point's. Not all that a workload takes of the topology is in the
// scenario: a load may be of uplinks that have failed.
func recipeOf(p *Point, root *yaml.Node) (string, error) {
	if workload.Fixed(p.Flows) {
		return "", nil
	}
	recipe := []any{p.rules, nil, nil}
	for i, key := range []string{"topology", "workload"} {
		_, section := reader.Child(root, key)
		if err := section.Decode(&recipe[i+1]); err != nil {
			return "", err
		}
	}
	text, err := json.Marshal(recipe)
	return string(text), err
}

// FlowLists has the digests of the flow lists of several loads, in which files do not
// change: an experiment's readings mostly have the same ones.
type FlowLists map[[sha256.Size]byte]func() ([sha256.Size]byte, error)

// digest is that of a point's flow list, by all that it is made from.
func (known FlowLists) digest(p *Point, from string) func() ([sha256.Size]byte, error) {
	key := sha256.Sum256([]byte(from))
	if known[key] == nil {
		known[key] = sync.OnceValues(func() ([sha256.Size]byte, error) { return scenario.FlowsDigest(p.Flows.Flows(0)) })
	}
	return known[key]
}

// trafficOf is that of a point.
func (l *loader) trafficOf(root *yaml.Node, p *Point) (*traffic, error) {
	text, err := l.textOf(root, "workload")
	if err != nil {
		return nil, err
	}
	key := fmt.Sprintf("%p %v %s", p.Topology, p.rules, text)
	known := l.traffic[key]
	if known == nil {
		// Not only nodes and links: a load may be of uplinks that have failed, and
		// extra hosts send nothing.
		network, err := l.textOf(root, "topology")
		if err != nil {
			return nil, err
		}
		recipe, err := recipeOf(p, root)
		if err != nil {
			return nil, err
		}
		known = &traffic{
			pairs: p.Topology.Kinds(p.Flows.Pairs()), kinds: map[string][]workload.Kind{}, text: sha256.Sum256([]byte(text)),
			digest: l.flowLists.digest(p, fmt.Sprintf("%s%v\n%s", network, p.rules, text)), recipe: recipe,
		}
		l.traffic[key] = known
	}
	return known, nil
}

// textOf is all that a section of an experiment says: its text, and the folders
// that paths in it are relative to.
func (l *loader) textOf(root *yaml.Node, key string) (string, error) {
	_, section := reader.Child(root, key)
	text, err := yaml.Marshal(section)
	if err != nil {
		return "", err
	}
	said, n, last := string(text), 0, ""
	var walk func(*yaml.Node)
	walk = func(node *yaml.Node) {
		if folder := l.folder(node); node.Kind == yaml.ScalarNode && folder != last {
			said += fmt.Sprintf("# from node %d on in %s\n", n, folder)
			last = folder
		}
		n++
		for _, child := range node.Content {
			walk(child)
		}
	}
	walk(section)
	return said, nil
}

// kindsOf are the kinds of flows of a point. Hosts of a set of nodes are alike.
func (t *traffic) kindsOf(p *Point) ([]workload.Kind, error) {
	sets := make([]int, len(p.Topology.Nodes))
	for i, set := range p.Scenario.Sets {
		for _, id := range set.Nodes {
			sets[id] = i + 1
		}
	}
	like := sets[:len(p.Topology.HostNames())]
	number := map[int]int{} // of those that have hosts
	for host, set := range like {
		if _, known := number[set]; !known {
			number[set] = len(number)
		}
		like[host] = number[set]
	}
	key := fmt.Sprint(like)
	kinds, known := t.kinds[key]
	if known {
		return kinds, nil
	}
	kinds, err := workload.Kinds(p.Flows, like)
	if err == nil {
		t.kinds[key] = kinds
	}
	return kinds, err
}
