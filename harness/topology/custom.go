package topology

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"

	"fabriclab/base/reader"
)

func init() {
	register(Kind{
		Name: "custom", Title: "nodes and links written out",
		Keys:  "`hosts: [a, b]`, `switches: [s, {name: t, tier: 1}]`, `links: [{a: a, b: s, rate: 100Gbps, delay: 1us}]`; ranges and patterns: below",
		Nodes: "as given",
		Help: map[string]string{
			"links": "{a: node, b: node, rate: …, delay: …}",
		},
		Read: func(r *reading) Plan {
			return r.custom()
		},
	})
}

// Custom is a network written out. Equal-cost next hops are ordered as their
// links are listed.
type Custom struct {
	Hosts    []string
	Switches []Switch
	Links    []CustomLink
	Items    []int // by link: which item of the description it is of, for messages; nil: each is one
	Cabling        // but its rates and delays
}

// CustomLink is a link of a custom topology between two nodes.
type CustomLink struct {
	A, B        string
	Rate, Delay int64
}

// Build makes the network.
func (c Custom) Build() (*Topology, error) {
	if err := atLeast(1, field{"hosts", len(c.Hosts)}, field{"switches", len(c.Switches)}, field{"links", len(c.Links)}); err != nil {
		return nil, err
	}
	p := plan{hosts: c.Hosts, switches: c.Switches}
	for i, l := range c.Links {
		if c.Items != nil {
			i = c.Items[i]
		}
		p.links = append(p.links, plannedLink{l.A, l.B, l.Rate, l.Delay, fmt.Sprintf("links.%d", i)})
	}
	return p.build(c.Cabling)
}

// Size says how large the network would be.
func (c Custom) Size() Size {
	return Size{float64(len(c.Hosts)), float64(len(c.Switches)), float64(len(c.Links))}
}

func (s *reading) custom() Custom {
	c := Custom{Cabling: s.linkChanges()}
	for i, n := range s.OneOrMore("hosts", reader.KindTextOrTexts) {
		name := s.Name("hosts." + strconv.Itoa(i))
		if text, ok := s.F.Scalar(n, name); ok {
			c.Hosts = append(c.Hosts, expand(s.F, n, name, text)...)
		}
	}
	for i, n := range s.OneOrMore("switches", reader.KindTextsOrMappings) {
		name := s.Name("switches." + strconv.Itoa(i))
		if n.Kind != yaml.MappingNode {
			if text, ok := s.F.Scalar(n, name); ok {
				for _, one := range expand(s.F, n, name, text) {
					c.Switches = append(c.Switches, Switch{Name: one})
				}
			}
			continue
		}
		sw := s.F.Section(n, n, name)
		var salt *uint32
		if told := uint32(sw.Integer("tier", 0, 0, math.MaxUint32)); sw.Get("tier") != nil {
			salt = &told
		}
		for _, one := range expand(s.F, sw.Get("name"), sw.Name("name"), sw.Str("name")) {
			c.Switches = append(c.Switches, Switch{Name: one, Salt: salt})
		}
		sw.Done()
	}
	rate, _ := reader.Quantity(s.Section, "rate", linkRate)
	delay := reader.OrDefault(s.Section, "delay", 0, linkDelay)
	c.Extra = s.extraHosts("", rate, delay)
	names := slices.Clone(c.Hosts)
	for _, sw := range c.Switches {
		names = append(names, sw.Name)
	}
	for item, n := range s.Items("links") {
		link := s.F.Section(n, n, s.Name("links."+strconv.Itoa(item)))
		link.Need("a", "host0")
		link.Need("b", "s1")
		if s.Get("rate") == nil {
			link.Need("rate", "100Gbps (or a rate for all links of the topology)")
		}
		if s.Get("delay") == nil {
			link.Need("delay", "1.5us (or a delay for all links of the topology)")
		}
		as, bs := ends(link, "a", names), ends(link, "b", names)
		one := CustomLink{Rate: reader.OrDefault(link, "rate", rate, linkRate), Delay: reader.OrDefault(link, "delay", delay, linkDelay)}
		pairs := link.Choice("join", Joins...) == "pairs"
		link.Done()
		if !pairs && !s.fits(n, float64(len(c.Links))+float64(float64(len(as))*float64(len(bs)))) {
			return c
		}
		joined, err := Join(as, bs, pairs)
		if err != nil {
			s.F.Problem(link.Get("join"), "%s: %v", link.Name("join"), err)
			continue
		}
		for one.A, one.B = range joined {
			c.Links, c.Items = append(c.Links, one), append(c.Items, item)
		}
	}
	return c
}

// ends are the nodes at one end of links: by name, ranges of names, or
// patterns.
func ends(link *reader.Section, key string, names []string) (nodes []string) {
	at := link.Get(key)
	for _, name := range expand(link.F, at, link.Name(key), link.Str(key)) {
		some, err := Named(name, names)
		if err != nil {
			link.F.Problem(at, "%s: %v", link.Name(key), err)
		}
		nodes = append(nodes, some...)
	}
	return nodes
}

// expand writes out the names that a name with ranges stands for.
func expand(f *reader.Forest, at *yaml.Node, key, name string) []string {
	names, err := Expand(name)
	if err != nil {
		f.Problem(at, "%s: %v", key, err)
	}
	return names
}
