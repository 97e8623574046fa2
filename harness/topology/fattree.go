package topology

import "fmt"

func init() {
	register(Kind{
		Name: "fat-tree", Title: "three tiers of k-port switches",
		Keys:  "`k` (even), `pods` (k), `hosts_per_edge` (k/2; more are an oversubscribed network)",
		Nodes: "pod0-edge0, pod0-agg0, core0, host0 … pod by pod, edge by edge",
		Help: map[string]string{
			"k":              "ports of each switch, an even number from 2 to 64; k³/4 hosts unless pods or hosts_per_edge say otherwise",
			"pods":           "fat-tree: how many pods; default k",
			"hosts_per_edge": "fat-tree: hosts at each edge switch; default k/2, more make the network oversubscribed",
		},
		Read: func(r *reading) Plan {
			return FatTree{K: r.number("k"), Pods: r.optional("pods", 0), HostsPerEdge: r.optional("hosts_per_edge", 0), Cabling: r.cabling()}
		},
	})
}

// FatTree is the three-tier fat-tree of k-port switches: k pods of k/2 edge
// (pod0-edge0) and k/2 aggregation switches (pod0-agg0), (k/2)² core switches
// (core0) and k³/4 hosts (host0), numbered pod by pod and edge by edge.
// Aggregation switch a of every pod is joined with the cores a·k/2 to
// a·k/2+k/2-1. The hash salts are 0 at edges, 1 at aggregation switches and
// 2 at cores.
//
// An edge switch with more hosts than uplinks is oversubscribed. With another
// number of pods, the cores have as many ports.
type FatTree struct {
	K            int
	Pods         int // 0 = k
	HostsPerEdge int // 0 = k/2
	Cabling
}

// shape is the tree with its defaults filled in.
func (f FatTree) shape() FatTree {
	if f.Pods == 0 {
		f.Pods = f.K
	}
	if f.HostsPerEdge == 0 {
		f.HostsPerEdge = f.K / 2
	}
	return f
}

// Build makes the network.
func (f FatTree) Build() (*Topology, error) {
	if f.K < 2 || f.K%2 != 0 || f.K > 64 {
		return nil, fieldErrorf("k", "a fat-tree's k is an even number from 2 to 64, not %d", f.K)
	}
	f = f.shape()
	if err := atLeast(1, field{"pods", f.Pods}, field{"hosts_per_edge", f.HostsPerEdge}); err != nil {
		return nil, err
	}
	half := f.K / 2
	edge := func(pod, i int) string { return fmt.Sprintf("pod%d-edge%d", pod, i) }
	agg := func(pod, i int) string { return fmt.Sprintf("pod%d-agg%d", pod, i) }
	core := func(i int) string { return fmt.Sprintf("core%d", i) }
	var p plan
	tier := [...]uint32{0, 1, 2}
	for pod := range f.Pods {
		for i := range half {
			p.switches = append(p.switches, Switch{edge(pod, i), &tier[0]})
			p.attach(f.Cabling, edge(pod, i), f.HostsPerEdge)
		}
		for i := range half {
			p.switches = append(p.switches, Switch{agg(pod, i), &tier[1]})
		}
	}
	for i := range half * half {
		p.switches = append(p.switches, Switch{core(i), &tier[2]})
	}
	for pod := range f.Pods {
		for i := range half {
			for j := range half {
				p.fabric(f.Cabling, edge(pod, i), agg(pod, j))
			}
		}
		for i := range half {
			for j := range half {
				p.fabric(f.Cabling, agg(pod, i), core(i*half+j))
			}
		}
	}
	return p.build(f.Cabling)
}

// Size says how large the network would be.
func (f FatTree) Size() Size {
	f = f.shape()
	half, pods := float64(float64(f.K)/2), float64(f.Pods)
	hosts := float64(pods * half * float64(f.HostsPerEdge))
	return Size{hosts, float64(2*pods*half) + float64(half*half), hosts + float64(2*pods*half*half)}
}
