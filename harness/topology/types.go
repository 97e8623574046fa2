package topology

import (
	"fmt"
	"slices"

	"fabriclab/base/catalog"
	"fabriclab/base/portname"
)

// Cabling says what the links are like: those between a host and a switch,
// and those between switches.
type Cabling struct {
	HostRate, FabricRate   int64 // bit/s
	HostDelay, FabricDelay int64 // ps, one way
	Overrides              []Override
	Failed                 []string  // links that are down, by the name of either of their ports
	Failures               []Failure // links and hosts that go down during the run
	CapacityChanges        []CapacityChange
	Extra                  []ExtraHost
}

// ExtraHost is a host beside those of the topology's type, with one link to
// each of some switches. "All hosts" of a workload does not mean it.
type ExtraHost struct {
	Name        string
	Switches    []string // names and patterns
	Rate, Delay int64
}

// hang adds the extra hosts and their links to the plan.
func (c Cabling) hang(p *plan) error {
	var names []string
	for _, s := range p.switches {
		names = append(names, s.Name)
	}
	for i, e := range c.Extra {
		name := fmt.Sprintf("extra_hosts.%d", i)
		if slices.Contains(names, e.Name) || slices.Contains(p.hosts, e.Name) {
			return fieldErrorf(name+".name", "the name %q is used twice; every node has a name of its own", e.Name)
		}
		p.hosts = append(p.hosts, e.Name)
		p.extra++
		hung := map[string]bool{}
		for j, pattern := range e.Switches {
			field := fmt.Sprintf("%s.switches.%d", name, j)
			matches, err := matching(pattern, names)
			if err != nil {
				return &FieldError{field, fmt.Errorf("there is no switch %w", err)}
			}
			for _, at := range matches {
				if hung[names[at]] {
					return fieldErrorf(field, "%q names the switch %s a second time; name each switch once", pattern, names[at])
				}
				hung[names[at]] = true
				p.links = append(p.links, plannedLink{a: e.Name, b: names[at], rate: e.Rate, delay: e.Delay, field: name})
			}
		}
	}
	return nil
}

// Override gives a single link, named by either of its ports, another rate or
// delay.
type Override struct {
	Link        string
	Rate, Delay *int64
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

// field is a number in a topology's description.
type field struct {
	name  string
	value int
}

// atLeast refuses numbers below the least, and those beyond what port numbers
// and hop counts hold.
func atLeast(least int, fields ...field) error {
	const most = 1 << 15
	for _, f := range fields {
		if f.value < least || f.value > most {
			return fieldErrorf(f.name, "%d is out of range; allowed: from %d to %d", f.value, least, most)
		}
	}
	return nil
}

// attach adds n hosts to a switch, numbered on from those already there.
func (p *plan) attach(c Cabling, to string, n int) {
	for range n {
		name := fmt.Sprintf("host%d", len(p.hosts))
		p.hosts = append(p.hosts, name)
		p.links = append(p.links, plannedLink{a: name, b: to, rate: c.HostRate, delay: c.HostDelay, field: "links"})
	}
}

// fabric adds a link between two switches.
func (p *plan) fabric(c Cabling, a, b string) {
	p.links = append(p.links, plannedLink{a: a, b: b, rate: c.FabricRate, delay: c.FabricDelay, field: "links"})
}

// apply overrides links and takes out the failed ones. Their names count the
// parallel links with the failed ones still there.
func (c Cabling) apply(p *plan) error {
	p.order, p.gone = p.links, make([]bool, len(p.links))
	if len(c.Overrides) == 0 && len(c.Failed) == 0 && len(c.Failures) == 0 && len(c.CapacityChanges) == 0 {
		return nil
	}
	byPort := map[string]int{}
	var names portname.Counter
	for i, l := range p.links {
		byPort[names.Next(l.a, l.b)], byPort[names.Next(l.b, l.a)] = i, i
	}
	find := func(field, name string) (int, error) {
		i, ok := byPort[name]
		if !ok {
			if _, _, _, err := portname.Parse(name); err != nil {
				return 0, &FieldError{field, err}
			}
			names := make([]string, 0, len(byPort))
			for known := range byPort {
				names = append(names, known)
			}
			slices.Sort(names)
			return 0, fieldErrorf(field, "there is no link %q in this topology%s", name, catalog.Hint(name, names))
		}
		return i, nil
	}
	for n, o := range c.Overrides {
		i, err := find(fmt.Sprintf("overrides.%d.link", n), o.Link)
		if err != nil {
			return err
		}
		if o.Rate != nil {
			p.links[i].rate = *o.Rate
		}
		if o.Delay != nil {
			p.links[i].delay = *o.Delay
		}
	}
	failed := map[int]bool{}
	for n, name := range c.Failed {
		i, err := find(fmt.Sprintf("failed.%d", n), name)
		if err != nil {
			return err
		}
		if failed[i] {
			return fieldErrorf(fmt.Sprintf("failed.%d", n), "the link %q has failed already; list it once", name)
		}
		failed[i] = true
		p.gone[i] = true
	}
	for n, f := range c.Failures {
		if f.Host != "" {
			p.failures = append(p.failures, plannedFailure{Failure: f})
			continue
		}
		i, err := find(fmt.Sprintf("failures.%d.link", n), f.Link)
		if err != nil {
			return err
		}
		p.failures = append(p.failures, plannedFailure{f, i})
	}
	for n, change := range c.CapacityChanges {
		i, err := find(fmt.Sprintf("capacity_changes.%d.link", n), change.Link)
		if err != nil {
			return err
		}
		p.changes = append(p.changes, plannedChange{change, i})
	}
	kept := p.links[:0:0]
	for i, l := range p.links {
		if failed[i] {
			p.failed = append(p.failed, l)
		} else {
			kept = append(kept, l)
		}
	}
	p.links = kept
	return nil
}
