package topology

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"

	"fabriclab/base/units"
	"fabriclab/harness/scenario"
)

// A Failure takes a link or a host out of service during a run. Times are in
// ps.
type Failure struct {
	Link     string // by the name of either of its ports
	Host     string // instead of a link: the host dies
	AtPs     int64
	UntilPs  int64 // -1 = for good
	DetectPs int64 // of a link: so much later, both ways, the routes follow
}

// outage is a failure in the finished network: of a link, or of a host, which
// takes all of its links with it. No route follows the death of a host: none
// leads through it.
type outage struct {
	links                 []uint32
	host                  uint32
	ofHost                bool
	atPs, untilPs, detect int64
	field                 string
}

// moment is when something happens to the network, and where it is written.
type moment struct {
	what, field string
	atPs        int64
}

// CheckEnd refuses what happens to the network when a run has stopped: it would change
// what is computed from the network, such as base RTTs, and nothing else.
func (t *Topology) CheckEnd(stopPs int64) error {
	for _, m := range t.moments {
		if m.atPs >= stopPs {
			return fieldErrorf(m.field, "%s at %s, but the run stops at %s; let it happen before that, let the run go on, or take it out", m.what, units.FormatTime(m.atPs), units.FormatTime(stopPs))
		}
	}
	return nil
}

// Change is a set of routes that all switches change to at a time.
type Change struct {
	AtPs   int64
	Routes iter.Seq[scenario.Route]
}

// fail finds the links that fail during the run, and refuses failures that
// contradict each other or after which hosts cannot reach each other.
func (t *Topology) fail(p *plan) error {
	byPlan := p.linkIDs()
	for n, f := range p.failures {
		o, err := t.outage(fmt.Sprintf("failures.%d", n), f, byPlan)
		if err != nil {
			return err
		}
		what, where := fmt.Sprintf("the link %q", f.Link), o.field+".link"
		if o.ofHost {
			what, where = "the host "+f.Host, o.field+".host"
		}
		if o.untilPs != -1 && o.untilPs <= o.atPs {
			return fieldErrorf(o.field+".until", "%s comes back at %s, but fails at %s; it comes back after that", what, units.FormatTime(o.untilPs), units.FormatTime(o.atPs))
		}
		for _, other := range t.outages {
			shared := slices.ContainsFunc(o.links, func(link uint32) bool { return slices.Contains(other.links, link) })
			if shared && (other.untilPs == -1 || o.atPs <= other.untilPs) && (o.untilPs == -1 || other.atPs <= o.untilPs) {
				return fieldErrorf(where, "%s fails while it is down already, or one of its links is (%s); let one failure end before the other begins", what, other.field)
			}
		}
		t.outages = append(t.outages, o)
		t.moments = append(t.moments, moment{what + " fails", o.field + ".at", o.atPs})
	}
	for _, at := range t.changeTimes() {
		if err := t.without(t.knownDown(at)).connect(); err != nil {
			return fieldErrorf("failures", "%v (when the routes follow the failures, at %s)", err, units.FormatTime(at))
		}
	}
	return nil
}

// outage finds what fails.
func (t *Topology) outage(field string, f plannedFailure, byPlan map[int]uint32) (outage, error) {
	o := outage{atPs: f.AtPs, untilPs: f.UntilPs, detect: f.DetectPs, field: field}
	if f.Host != "" {
		host, err := t.Host(f.Host)
		if err != nil {
			return o, &FieldError{field + ".host", err}
		}
		o.host, o.ofHost = host, true
		for _, p := range t.ports[host] {
			o.links = append(o.links, p.link)
		}
		return o, nil
	}
	link, works := byPlan[f.index]
	if !works {
		return o, fieldErrorf(field+".link", "the link %q has failed from the start; take it out of failed", f.Link)
	}
	o.links = []uint32{link}
	for _, node := range []uint32{t.Links[link].A, t.Links[link].B} {
		if t.isHost(node) && len(t.ports[node]) == 1 {
			name := t.Nodes[node].Name
			return o, fieldErrorf(field+".link", "%q is the only link of host %s, which nobody could reach; to have the host die, write {host: %[2]s, …} instead of the link", f.Link, name)
		}
	}
	return o, nil
}

// HostEvents are the hosts that die and come back, by time, then host.
func (t *Topology) HostEvents() []scenario.HostEvent {
	var events []scenario.HostEvent
	for _, o := range t.outages {
		if !o.ofHost {
			continue
		}
		events = append(events, scenario.HostEvent{AtPs: o.atPs, Node: o.host})
		if o.untilPs != -1 {
			events = append(events, scenario.HostEvent{AtPs: o.untilPs, Node: o.host, Up: true})
		}
	}
	slices.SortFunc(events, func(a, b scenario.HostEvent) int {
		return cmp.Or(cmp.Compare(a.AtPs, b.AtPs), cmp.Compare(a.Node, b.Node))
	})
	return events
}

// LinkEvents are the links that go down and come back, by time, then link.
func (t *Topology) LinkEvents() []scenario.LinkEvent {
	var events []scenario.LinkEvent
	for _, o := range t.outages {
		if o.ofHost {
			continue
		}
		events = append(events, scenario.LinkEvent{AtPs: o.atPs, Link: o.links[0]})
		if o.untilPs != -1 {
			events = append(events, scenario.LinkEvent{AtPs: o.untilPs, Link: o.links[0], Up: true})
		}
	}
	slices.SortFunc(events, func(a, b scenario.LinkEvent) int {
		return cmp.Or(cmp.Compare(a.AtPs, b.AtPs), cmp.Compare(a.Link, b.Link))
	})
	return events
}

// Changes are the routes that the switches change to during the run: the
// shortest paths over the links that are not known to be down.
func (t *Topology) Changes() []Change {
	var changes []Change
	for _, at := range t.changeTimes() {
		less := t.without(t.knownDown(at))
		if less.connect() != nil {
			panic("routes were checked when the network was built")
		}
		changes = append(changes, Change{at, less.Routes()})
	}
	return changes
}

// changeTimes are the times at which the routes follow failures.
func (t *Topology) changeTimes() []int64 {
	times := map[int64]bool{}
	for _, o := range t.outages {
		if o.ofHost {
			continue
		}
		times[o.atPs+o.detect] = true
		if o.untilPs != -1 {
			times[o.untilPs+o.detect] = true
		}
	}
	return slices.Sorted(maps.Keys(times))
}

// knownDown are the links whose failure the routes have followed by then.
func (t *Topology) knownDown(at int64) []bool {
	down := make([]bool, len(t.Links))
	for _, o := range t.outages {
		if !o.ofHost && o.atPs+o.detect <= at && (o.untilPs == -1 || at < o.untilPs+o.detect) {
			down[o.links[0]] = true
		}
	}
	return down
}

// without is the same network, with routes that leave some links out; it has
// no distances yet.
func (t *Topology) without(down []bool) *Topology {
	return &Topology{
		Nodes: t.Nodes, Links: t.Links, hosts: t.hosts, extra: t.extra, ports: t.ports, byName: t.byName, uplink: t.uplink,
		spans: t.spans, down: down, paths: map[pathKey][][]Hop{},
	}
}
