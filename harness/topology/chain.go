package topology

import (
	"fmt"

	"fabriclab/base/reader"
)

func init() {
	register(Kind{
		Name: "chain", Title: "a row of switches with hosts where they are asked for",
		Keys:  "`switches`, `hosts: {sender0: s1, sender1: s2, receiver0: s3}`",
		Nodes: "s1 … sN",
		Read: func(r *reading) Plan {
			return Chain{Switches: r.number("switches"), Hosts: r.attachments(), Cabling: r.cabling()}
		},
	})
}

// Chain is a chain of switches s1, s2, … with hosts wherever they are wanted.
type Chain struct {
	Switches int
	Hosts    []Attachment
	Cabling
}

// Attachment is a host and the switch it hangs on.
type Attachment struct{ Host, Switch string }

// Build makes the network.
func (c Chain) Build() (*Topology, error) {
	if err := atLeast(1, field{"switches", c.Switches}, field{"hosts", len(c.Hosts)}); err != nil {
		return nil, err
	}
	var p plan
	for i := range c.Switches {
		p.switches = append(p.switches, Switch{Name: fmt.Sprintf("s%d", i+1)})
	}
	for _, h := range c.Hosts {
		p.hosts = append(p.hosts, h.Host)
		p.links = append(p.links, plannedLink{a: h.Host, b: h.Switch, rate: c.HostRate, delay: c.HostDelay, field: "hosts." + h.Host})
	}
	for i := 1; i < c.Switches; i++ {
		p.fabric(c.Cabling, p.switches[i-1].Name, p.switches[i].Name)
	}
	return p.build(c.Cabling)
}

// Size says how large the network would be.
func (c Chain) Size() Size {
	return Size{float64(len(c.Hosts)), float64(c.Switches), float64(len(c.Hosts)) + float64(c.Switches)}
}

// attachments reads a chain's hosts: name -> switch.
func (s *reading) attachments() []Attachment {
	s.Asks("hosts", reader.Shape{Kind: reader.KindTextMap})
	hosts := s.Sub("hosts")
	if len(hosts.Node.Content) == 0 {
		s.Missing("hosts", "{sender0: s1, receiver0: s3}")
	}
	var attachments []Attachment
	for i := 0; i < len(hosts.Node.Content); i += 2 {
		host := hosts.Node.Content[i].Value
		if at, ok := s.F.Scalar(hosts.Node.Content[i+1], hosts.Name(host)); ok {
			attachments = append(attachments, Attachment{Host: host, Switch: at})
		}
	}
	return attachments
}
