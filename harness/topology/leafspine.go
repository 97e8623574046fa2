package topology

import "fmt"

func init() {
	register(Kind{
		Name: "leaf-spine", Title: "leaves with hosts, each joined to all spines",
		Keys:  "`leaves`, `spines`, `hosts_per_leaf`, `parallel_links` (1)",
		Nodes: "leaf0 …, spine0 …, host0 … leaf by leaf",
		Help: map[string]string{
			"leaves":         "leaf switches",
			"spines":         "spine switches",
			"hosts_per_leaf": "hosts at each leaf",
			"parallel_links": "links between each leaf and spine; default 1",
		},
		Read: func(r *reading) Plan {
			return LeafSpine{
				Leaves: r.number("leaves"), Spines: r.number("spines"), HostsPerLeaf: r.number("hosts_per_leaf"),
				Parallel: r.optional("parallel_links", 1), Cabling: r.cabling(),
			}
		},
	})
}

// LeafSpine joins every leaf with every spine by Parallel links. Hosts
// host0, host1, … are numbered leaf by leaf.
//
// A leaf's uplinks are ordered parallel link first, spine second, and all
// switches share one hash salt: a spine then picks the parallel link with
// the number that the leaf at the other end picks, so that symmetric ECMP
// holds. Nothing is lost by it, as a spine has no other choice to make.
type LeafSpine struct {
	Leaves, Spines, HostsPerLeaf, Parallel int
	Cabling
}

// Build makes the network.
func (l LeafSpine) Build() (*Topology, error) {
	if err := atLeast(1, field{"leaves", l.Leaves}, field{"spines", l.Spines}, field{"hosts_per_leaf", l.HostsPerLeaf}, field{"parallel_links", l.Parallel}); err != nil {
		return nil, err
	}
	var p plan
	var salt uint32
	for i := range l.Leaves {
		p.switches = append(p.switches, Switch{fmt.Sprintf("leaf%d", i), &salt})
		p.attach(l.Cabling, p.switches[i].Name, l.HostsPerLeaf)
	}
	for i := range l.Spines {
		p.switches = append(p.switches, Switch{fmt.Sprintf("spine%d", i), &salt})
	}
	for range l.Parallel {
		for _, leaf := range p.switches[:l.Leaves] {
			for _, spine := range p.switches[l.Leaves:] {
				p.fabric(l.Cabling, leaf.Name, spine.Name)
			}
		}
	}
	return p.build(l.Cabling)
}

// Size says how large the network would be.
func (l LeafSpine) Size() Size {
	hosts := float64(float64(l.Leaves) * float64(l.HostsPerLeaf))
	return Size{hosts, float64(l.Leaves) + float64(l.Spines), hosts + float64(float64(l.Leaves)*float64(l.Spines)*float64(l.Parallel))}
}
