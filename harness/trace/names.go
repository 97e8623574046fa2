package trace

import (
	"encoding/json"
	"fmt"
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
	parallel := map[[2]int]int{}
	end := func(node, port, peer int) error {
		if node < 0 || node >= len(n.nodes) || peer < 0 || peer >= len(n.nodes) || port < 0 || port > 1<<16-1 {
			return fmt.Errorf("scenario: a link between node %d port %d and node %d is out of range", node, port, peer)
		}
		name := n.nodes[node] + "->" + n.nodes[peer]
		if k := parallel[[2]int{node, peer}]; k > 0 {
			name = fmt.Sprintf("%s#%d", name, k)
		}
		parallel[[2]int{node, peer}]++
		for len(n.links[node]) <= port {
			n.links[node] = append(n.links[node], "")
		}
		n.links[node][port] = name
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
