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
	// digest is that of the flow list of seed 0.
	digest func() ([sha256.Size]byte, error)
	// recipe is what random flow lists are made of, "" of one that is the same for every
	// seed: those of seed 0 may agree where others do not.
	recipe string
}

// recipeOf is a point's. The network is in its scenario.
func recipeOf(p *Point, section *yaml.Node) (string, error) {
	if workload.Fixed(p.Flows) {
		return "", nil
	}
	var settings any
	if err := section.Decode(&settings); err != nil {
		return "", err
	}
	text, err := json.Marshal([]any{p.rules, settings})
	return string(text), err
}

// FlowLists has the digests of the flow lists of several loads, in which files do not
// change: an experiment's readings mostly have the same ones.
type FlowLists map[[sha256.Size]byte]func() ([sha256.Size]byte, error)

// digest is that of a point's flow list, by network, rules and workload.
func (known FlowLists) digest(p *Point, workload []byte) (func() ([sha256.Size]byte, error), error) {
	network, err := json.Marshal([]any{p.Topology.Nodes, p.Topology.Links, p.rules})
	if err != nil {
		return nil, err
	}
	key := sha256.Sum256(append(network, workload...))
	if known[key] == nil {
		known[key] = sync.OnceValues(func() ([sha256.Size]byte, error) { return scenario.FlowsDigest(p.Flows.Flows(0)) })
	}
	return known[key], nil
}

// trafficOf is that of a point.
func (l *loader) trafficOf(root *yaml.Node, p *Point) (*traffic, error) {
	_, section := reader.Child(root, "workload")
	text, err := yaml.Marshal(section)
	if err != nil {
		return nil, err
	}
	key := fmt.Sprintf("%p %v %s", p.Topology, p.rules, text)
	known := l.traffic[key]
	if known == nil {
		digest, err := l.flowLists.digest(p, text)
		if err != nil {
			return nil, err
		}
		recipe, err := recipeOf(p, section)
		if err != nil {
			return nil, err
		}
		known = &traffic{p.Topology.Kinds(p.Flows.Pairs()), map[string][]workload.Kind{}, digest, recipe}
		l.traffic[key] = known
	}
	return known, nil
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
