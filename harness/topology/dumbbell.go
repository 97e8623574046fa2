package topology

import "fmt"

func init() {
	register(Kind{
		Name: "dumbbell", Title: "senders, a row of switches, receivers",
		Keys:  "`switches`, `senders`, `receivers`",
		Nodes: "s1 … sN in a chain, sender0 … at s1, receiver0 … at sN",
		Help: map[string]string{
			"senders":   "hosts at the first switch",
			"receivers": "hosts at the last switch",
		},
		Read: func(r *reading) Plan {
			return Dumbbell{Switches: r.number("switches"), Senders: r.number("senders"), Receivers: r.number("receivers"), Cabling: r.cabling()}
		},
	})
}

// Dumbbell is a chain of switches s1, s2, … with all senders (sender0, …) at
// the first and all receivers (receiver0, …) at the last.
type Dumbbell struct {
	Switches, Senders, Receivers int
	Cabling
}

// Build makes the network.
func (d Dumbbell) Build() (*Topology, error) {
	if err := atLeast(1, field{"switches", d.Switches}, field{"senders", d.Senders}, field{"receivers", d.Receivers}); err != nil {
		return nil, err
	}
	c := Chain{Switches: d.Switches, Cabling: d.Cabling}
	for i := range d.Senders {
		c.Hosts = append(c.Hosts, Attachment{fmt.Sprintf("sender%d", i), "s1"})
	}
	for i := range d.Receivers {
		c.Hosts = append(c.Hosts, Attachment{fmt.Sprintf("receiver%d", i), fmt.Sprintf("s%d", d.Switches)})
	}
	return c.Build()
}

// Size says how large the network would be.
func (d Dumbbell) Size() Size {
	hosts := float64(d.Senders) + float64(d.Receivers)
	return Size{hosts, float64(d.Switches), hosts + float64(d.Switches)}
}
