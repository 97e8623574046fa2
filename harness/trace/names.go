package trace

import (
	"fabriclab/base/portname"
	"fabriclab/harness/scenario"
)

// Names turns node ids and ports into the names that people read.
type Names struct {
	nodes []string
	links [][]string // by node, by port
}

// NodeNames are the names of nodes by id, for tables without ports.
func NodeNames(nodes []string) *Names { return &Names{nodes: nodes} }

// NewNames takes the names from a scenario's nodes, which are in the order of their
// ids, and links.
func NewNames(nodes []scenario.Node, links []scenario.Link) *Names {
	n := &Names{nodes: make([]string, len(nodes)), links: make([][]string, len(nodes))}
	for i, node := range nodes {
		n.nodes[i] = node.Name
	}
	var ports portname.Counter
	end := func(node uint32, at uint16, peer uint32) {
		for len(n.links[node]) <= int(at) {
			n.links[node] = append(n.links[node], "")
		}
		n.links[node][at] = ports.Next(n.nodes[node], n.nodes[peer])
	}
	for _, l := range links {
		end(l.A, l.APort, l.B)
		end(l.B, l.BPort, l.A)
	}
	return n
}
