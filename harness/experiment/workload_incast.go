package experiment

import (
	"fabriclab/base/reader"
	"fabriclab/harness/topology"
	"fabriclab/harness/workload"
)

func init() {
	registerWorkload(Workload{
		Name: "incast", Title: "some senders at a time send to one receiver",
		Keys:    "`senders`, a size or `total`, `sources`, `receivers`, `start` (0), `jitter` (0), and `events` (1), `interval`, or `load`, `to` (end of the run)",
		Happens: "at every event, so many random senders send to one random receiver, each up to `jitter` later. `total: 10MB` is what they send together, in equal shares. With `load` events are a Poisson process. `load` is what they send, as a share of the links of all sources together: 0.5 of 8 sources fills four receivers. `load_of` as for `poisson`",
		Help: map[string]string{
			"total":     "what the senders of an event send together, in equal shares; instead of a size",
			"jitter":    "each sender of an event starts up to so much later, at random",
			"receivers": "hosts among which each event's receiver is drawn; default all but extra hosts",
		},
		read: (*loader).incast,
	})
}

func (l *loader) incast(s *reader.Section, t *topology.Topology, rules workload.Rules) workload.Generator {
	before := l.Found
	s.Need("senders", "8")
	total, striped := reader.Quantity(s, "total", positiveBytes)
	if n := s.Get("size"); n != nil && striped {
		l.Problem(n, "%s and %s exclude each other: the senders of an event have equal shares of the total", s.Name("size"), s.Name("total"))
	}
	if n := s.Get("sizes"); n != nil && striped {
		l.Problem(n, "%s and %s exclude each other: the senders of an event have equal shares of the total", s.Name("sizes"), s.Name("total"))
	}
	g := &workload.Incast{
		Sources: l.hosts(s, t, "sources"), Receivers: l.hosts(s, t, "receivers"), Total: uint64(total),
		Senders: count(s, "senders"), Events: count(s, "events"), Common: l.common(s, rules, striped),
		Connections: connections(s),
	}
	if s.Get("load") != nil || l.Interviewed() {
		l.incastLoad(s, t, g)
	}
	if s.Get("load") == nil {
		if g.Events > 1 {
			s.Need("interval", "100us (between two events)")
		}
		l.needs(s, "interval", "events", "events: 10")
		g.IntervalPs = s.Time("interval", 0)
	}
	g.JitterPs = s.Time("jitter", 0)
	return l.finish(s, before, g)
}

// incastLoad reads incasts that come at random, as often as a load asks for.
func (l *loader) incastLoad(s *reader.Section, t *topology.Topology, g *workload.Incast) {
	for _, key := range []string{"events", "interval"} {
		if n := s.Get(key); n != nil {
			l.Problem(n, "%s and %s exclude each other: a load says how often there are events", s.Name(key), s.Name("load"))
		}
	}
	c := l.load(s, t, g.Sources, g.Receivers, g.ClosedLoop)
	g.Load, g.CapacityBps, g.Links = c.load, c.bps(), c.links
	g.ToPs = s.Time("to", g.Rules.StopPs)
	if n := s.Get("load"); n != nil && g.Load == 0 {
		l.Problem(n, "%s is 0; it is above 0, such as 0.2", s.Name("load"))
	}
}
