package topology

func init() {
	register(Kind{
		Name: "star", Title: "hosts around one switch",
		Keys:  "`hosts`",
		Nodes: "s1, host0 …",
		Read: func(r *reading) Plan {
			return Star{Hosts: r.number("hosts"), Cabling: r.cabling()}
		},
	})
}

// Star is one switch s1 with hosts host0, host1, ….
type Star struct {
	Hosts int
	Cabling
}

// Build makes the network.
func (s Star) Build() (*Topology, error) {
	if err := atLeast(2, field{"hosts", s.Hosts}); err != nil {
		return nil, err
	}
	p := plan{switches: []Switch{{Name: "s1"}}}
	p.attach(s.Cabling, "s1", s.Hosts)
	return p.build(s.Cabling)
}

// Size says how large the network would be.
func (s Star) Size() Size { return Size{float64(s.Hosts), 1, float64(s.Hosts)} }
