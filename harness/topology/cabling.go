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
	rated, delayed := map[int]bool{}, map[int]bool{}
	for n, o := range c.Overrides {
		field := fmt.Sprintf("overrides.%d", n)
		i, err := find(field+".link", o.Link)
		if err != nil {
			return err
		}
		if o.Rate != nil && rated[i] || o.Delay != nil && delayed[i] {
			return fieldErrorf(field, "the link %q is overridden twice, and one link has one rate and one delay; keep one", o.Link)
		}
		rated[i], delayed[i] = rated[i] || o.Rate != nil, delayed[i] || o.Delay != nil
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
