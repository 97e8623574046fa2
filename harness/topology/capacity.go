package topology

import (
	"cmp"
	"fmt"
	"slices"

	"fabriclab/base/units"
	"fabriclab/harness/scenario"
)

// A CapacityChange gives a link between switches another rate during a run.
type CapacityChange struct {
	Link    string // by the name of either of its ports
	AtPs    int64
	RateBps int64
}

// plannedChange is a change and its link among all that were planned.
type plannedChange struct {
	CapacityChange
	index int
}

// span are the lowest and the highest rate that a link has during a run.
type span struct{ slowest, fastest int64 }

// changeCapacities finds the links that change their rate during the run. Hosts
// keep theirs: it is what their flows are paced by.
func (t *Topology) changeCapacities(p *plan) error {
	byPlan := p.linkIDs()
	t.spans = map[uint32]span{}
	for n, c := range p.changes {
		field := fmt.Sprintf("capacity_changes.%d", n)
		link, works := byPlan[c.index]
		if !works {
			return fieldErrorf(field+".link", "the link %q has failed from the start; take it out of failed", c.Link)
		}
		l := t.Links[link]
		for _, node := range []uint32{l.A, l.B} {
			if t.isHost(node) {
				return fieldErrorf(field+".link", "%q is a link of host %s, whose flows are paced by its rate; only links between switches change theirs", c.Link, t.Nodes[node].Name)
			}
		}
		event := scenario.RateEvent{AtPs: c.AtPs, Link: link, RateBps: c.RateBps}
		for _, other := range t.RateEvents {
			if other.Link == event.Link && other.AtPs == event.AtPs {
				return fieldErrorf(field+".at", "the link %q changes its rate twice at %s; keep one", c.Link, units.FormatTime(c.AtPs))
			}
		}
		t.RateEvents = append(t.RateEvents, event)
		t.moments = append(t.moments, moment{fmt.Sprintf("the link %q changes its rate", c.Link), field + ".at", c.AtPs})
		s, known := t.spans[link]
		if !known {
			s = span{l.RateBps, l.RateBps}
		}
		t.spans[link] = span{min(s.slowest, c.RateBps), max(s.fastest, c.RateBps)}
	}
	slices.SortFunc(t.RateEvents, func(a, b scenario.RateEvent) int {
		return cmp.Or(cmp.Compare(a.AtPs, b.AtPs), cmp.Compare(a.Link, b.Link))
	})
	return nil
}

// Rates are the lowest and the highest rate that a link has during a run.
func (t *Topology) Rates(link uint32) (slowest, fastest int64) {
	if s, changes := t.spans[link]; changes {
		return s.slowest, s.fastest
	}
	return t.Links[link].RateBps, t.Links[link].RateBps
}
