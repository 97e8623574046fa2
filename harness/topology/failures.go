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

// A Failure takes a link between two switches out of service during a run.
// Times are in ps.
type Failure struct {
	Link     string // by the name of either of its ports
	AtPs     int64
	UntilPs  int64 // -1 = for good
	DetectPs int64 // so much later, both ways, the routes follow
}

// outage is a failure of a link of the finished network.
type outage struct {
	link                  uint32
	atPs, untilPs, detect int64
	field                 string
}

// Change is a set of routes that all switches change to at a time.
type Change struct {
	AtPs   int64
	Routes iter.Seq[scenario.Route]
}

// fail finds the links that fail during the run, and refuses failures that
// contradict each other or after which hosts cannot reach each other.
func (t *Topology) fail(p *plan) error {
	byPlan := map[int]uint32{} // index in the plan's links -> link
	id := uint32(0)
	for i := range p.order {
		if !p.gone[i] {
			byPlan[i] = id
			id++
		}
	}
	for n, f := range p.failures {
		o := outage{atPs: f.AtPs, untilPs: f.UntilPs, detect: f.DetectPs, field: fmt.Sprintf("failures.%d", n)}
		link, works := byPlan[f.index]
		o.link = link
		switch l := t.Links[link]; {
		case !works:
			return fieldErrorf(o.field+".link", "the link %q has failed from the start; take it out of failed", f.Link)
		case t.isHost(l.A) || t.isHost(l.B):
			return fieldErrorf(o.field+".link", "%q is a host's only link; links between switches can fail", f.Link)
		case o.untilPs != -1 && o.untilPs <= o.atPs:
			return fieldErrorf(o.field+".until", "the link comes back at %s, but fails at %s; it comes back after that", units.FormatTime(o.untilPs), units.FormatTime(o.atPs))
		}
		for _, other := range t.outages {
			if other.link == o.link && (other.untilPs == -1 || o.atPs <= other.untilPs) && (o.untilPs == -1 || other.atPs <= o.untilPs) {
				return fieldErrorf(o.field+".link", "the link %q fails while it is down already (%s)", f.Link, other.field)
			}
		}
		t.outages = append(t.outages, o)
	}
	for _, at := range t.changeTimes() {
		if err := t.without(t.knownDown(at)).connect(); err != nil {
			return fieldErrorf("failures", "%v (when the routes follow the failures, at %s)", err, units.FormatTime(at))
		}
	}
	return nil
}

// LinkEvents are the links that go down and come back, by time, then link.
func (t *Topology) LinkEvents() []scenario.LinkEvent {
	var events []scenario.LinkEvent
	for _, o := range t.outages {
		events = append(events, scenario.LinkEvent{AtPs: o.atPs, Link: o.link})
		if o.untilPs != -1 {
			events = append(events, scenario.LinkEvent{AtPs: o.untilPs, Link: o.link, Up: true})
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
		if o.atPs+o.detect <= at && (o.untilPs == -1 || at < o.untilPs+o.detect) {
			down[o.link] = true
		}
	}
	return down
}

// without is the same network, with routes that leave some links out; it has
// no distances yet.
func (t *Topology) without(down []bool) *Topology {
	return &Topology{
		Nodes: t.Nodes, Links: t.Links, hosts: t.hosts, ports: t.ports, byName: t.byName, uplink: t.uplink,
		down: down, paths: map[pathKey][][]Hop{},
	}
}
