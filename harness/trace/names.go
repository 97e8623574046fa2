package trace

import (
	"encoding/json"
	"fmt"

	"fabriclab/base/portname"
)

// Names turns node ids and ports into the names that people read.
type Names struct {
	nodes []string
	links [][]string // by node, by port
}

// NodeNames are the names of nodes by id, for tables without ports.
func NodeNames(nodes []string) *Names { return &Names{nodes: nodes} }

// NewNames takes the names from a scenario (scenario.json).
func NewNames(scenario []byte) (*Names, error) {
	var s struct {
		Nodes []struct {
			ID   int    `json:"id"`
			Name string `json:"name"`
		} `json:"nodes"`
		Links []struct {
			A     int `json:"a"`
			APort int `json:"a_port"`
			B     int `json:"b"`
			BPort int `json:"b_port"`
		} `json:"links"`
	}
	if err := json.Unmarshal(scenario, &s); err != nil {
		return nil, fmt.Errorf("reading nodes and links of the scenario: %w", err)
	}
	n := &Names{nodes: make([]string, len(s.Nodes)), links: make([][]string, len(s.Nodes))}
	for i, node := range s.Nodes {
		if node.ID != i {
			return nil, fmt.Errorf("scenario: node %q has id %d at position %d; ids are 0..n-1 in list order", node.Name, node.ID, i)
		}
		n.nodes[i] = node.Name
	}
	var ports portname.Counter
	end := func(node, at, peer int) error {
		if node < 0 || node >= len(n.nodes) || peer < 0 || peer >= len(n.nodes) || at < 0 || at > 1<<16-1 {
			return fmt.Errorf("scenario: a link between node %d port %d and node %d is out of range", node, at, peer)
		}
		name := ports.Next(n.nodes[node], n.nodes[peer])
		for len(n.links[node]) <= at {
			n.links[node] = append(n.links[node], "")
		}
		n.links[node][at] = name
		return nil
	}
	for _, l := range s.Links {
		if err := end(l.A, l.APort, l.B); err != nil {
			return nil, err
		}
		if err := end(l.B, l.BPort, l.A); err != nil {
			return nil, err
		}
	}
	return n, nil
}
