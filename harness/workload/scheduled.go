package workload

import (
	"fmt"
	"iter"
	"slices"
	"sort"

	"fabriclab/base/random"
	"fabriclab/base/units"
	"fabriclab/harness/scenario"
)

// Common is what the workloads whose flows start at set times have in common.
type Common struct {
	Sizes   *Sizes // nil = unlimited
	StartPs int64
	Flow    scenario.Flow // class and weight of the flows
	Rules   Rules
}

// flow makes a flow.
func (c *Common) flow(id, src, dst, group uint32, startPs int64, sizes *random.Stream) scenario.Flow {
	f := c.Flow
	f.ID, f.Src, f.Dst, f.Group, f.StartPs, f.StopPs = id, src, dst, group, startPs, -1
	if c.Sizes != nil && sizes != nil {
		f.Size = c.Sizes.At(sizes.Uniform())
	}
	return c.Rules.complete(f)
}

// Names is nil: the flows have no names.
func (c *Common) Names() []string { return nil }

// checkStart refuses starts behind the end of the run.
func (c *Common) checkStart(what string, startPs int64) error {
	if startPs >= c.Rules.StopPs {
		return fmt.Errorf("%s starts at %s, but the run stops at %s; start it before that or let the run go on", what, units.FormatTime(startPs), units.FormatTime(c.Rules.StopPs))
	}
	return nil
}

// AllToAll has every source send a flow to each of its destinations, all at
// the same time. They are numbered in rounds, in each of which a source has
// one flow.
type AllToAll struct {
	*Pattern
	Common
}

// Expected is about how many flows there are.
func (a *AllToAll) Expected() float64 { return float64(len(a.sources)) * float64(len(a.destinations)) }

// Check looks for what no flow list can be made of.
func (a *AllToAll) Check() error { return a.checkStart("it", a.StartPs) }

// Flows yields the flow list of a seed.
func (a *AllToAll) Flows(seed uint64) iter.Seq2[scenario.Flow, error] {
	return func(yield func(scenario.Flow, error) bool) {
		sizes := random.New(seed, "all-to-all.sizes", 0)
		most := 0
		for i := range a.sources {
			most = max(most, a.choices(i))
		}
		id := uint32(0)
		for round := range most {
			for i, src := range a.sources {
				n := a.choices(i)
				if round >= n {
					continue
				}
				// Beginning behind itself, a source meets no other in the round.
				dst := a.destination(i, (a.skip[i][0]+round)%n)
				if !yield(a.flow(id, src, dst, 1, a.StartPs, &sizes), nil) {
					return
				}
				id++
			}
		}
	}
}

// Permutation has every source send one flow, each to another destination,
// which is drawn at random and not the source itself.
type Permutation struct {
	Sources, Destinations []uint32 // of the same length
	Common
}

// Check looks for what no flow list can be made of.
func (p *Permutation) Check() error {
	if len(p.Sources) != len(p.Destinations) {
		return fmt.Errorf("there are %d sources and %d destinations; a permutation has as many of both", len(p.Sources), len(p.Destinations))
	}
	if len(p.Sources) == 1 && p.Sources[0] == p.Destinations[0] {
		return fmt.Errorf("the only source is the only destination; name more hosts")
	}
	return p.checkStart("it", p.StartPs)
}

// Expected is about how many flows there are.
func (p *Permutation) Expected() float64 { return float64(len(p.Sources)) }

// Pairs yields all pairs that a permutation may have.
func (p *Permutation) Pairs() iter.Seq2[uint32, uint32] {
	return func(yield func(uint32, uint32) bool) {
		for _, src := range p.Sources {
			for _, dst := range p.Destinations {
				if src != dst && !yield(src, dst) {
					return
				}
			}
		}
	}
}

// Flows yields the flow list of a seed.
func (p *Permutation) Flows(seed uint64) iter.Seq2[scenario.Flow, error] {
	return func(yield func(scenario.Flow, error) bool) {
		order, sizes := random.New(seed, "permutation.order", 0), random.New(seed, "permutation.sizes", 0)
		dst := slices.Clone(p.Destinations)
		// Drawn anew until nobody sends to itself, all that are left are
		// equally likely; about one in three is good.
		for good := false; !good; {
			shuffle(dst, len(dst), &order)
			good = true
			for i, src := range p.Sources {
				good = good && src != dst[i]
			}
		}
		for i, src := range p.Sources {
			if !yield(p.flow(uint32(i), src, dst[i], 0, p.StartPs, &sizes), nil) {
				return
			}
		}
	}
}

// shuffle puts n of the items, drawn at random, in front.
func shuffle[T any](items []T, n int, r *random.Stream) {
	for i := range n {
		j := i + int(r.Below(uint32(len(items)-i)))
		items[i], items[j] = items[j], items[i]
	}
}

// Incast has, at every event, some senders send to one receiver at the same
// time. The receiver and the senders are drawn at random; the events are
// numbered from 1, which is the group of their flows.
type Incast struct {
	Sources, Receivers []uint32
	Senders            int // per event
	Events             int
	IntervalPs         int64 // between two events
	JitterPs           int64 // each sender of an event starts up to so much later, at random
	// Total, where it is not 0, is what the senders of an event send together,
	// in equal shares; the first ones send the bytes that are left over.
	Total uint64
	// Load, where it is not 0, takes the place of Events and IntervalPs: events
	// come as a Poisson process, from StartPs up to ToPs, such that their
	// payload takes this share of CapacityBps.
	Load, CapacityBps float64
	Links             map[uint32]int64 // AskedLoad.Links
	ToPs              int64
	Common
	Connections
}

// gap is the mean time between two events of a load, in ps.
func (c *Incast) gap() float64 {
	bytes := float64(c.Total)
	if c.Total == 0 {
		bytes = float64(c.Senders) * c.Sizes.Mean()
	}
	return bytes * 8e12 / (c.Load * c.CapacityBps)
}

// AskedLoad is the load, if there is one.
func (c *Incast) AskedLoad() (AskedLoad, bool) {
	if c.Load == 0 {
		return AskedLoad{}, false
	}
	a := AskedLoad{Load: c.Load, CapacityBps: c.CapacityBps, FromPs: c.StartPs, ToPs: c.ToPs, ClosedLoop: c.ClosedLoop, Links: c.Links}
	event := float64(c.Total)
	square := event * event
	if c.Total == 0 {
		n, mean := float64(c.Senders), c.Sizes.Mean()
		event, square = n*mean, float64(n*c.Sizes.meanSquare())+float64(n*(n-1)*mean*mean)
	}
	a.shares = []loadShare{{load: c.Load, fromPs: c.StartPs, toPs: c.ToPs, mean: event, meanSquare: square}}
	return a, true
}

// starts yields when the events of a seed are.
func (c *Incast) starts(seed uint64) iter.Seq2[int, int64] {
	return func(yield func(int, int64) bool) {
		if c.Load == 0 {
			for event := range c.Events {
				if !yield(event, c.StartPs+int64(event)*c.IntervalPs) {
					return
				}
			}
			return
		}
		a := arrivals{gap: c.gap(), gaps: random.New(seed, "incast.events", 0)}
		at := c.StartPs
		for event := 0; ; event++ {
			at = a.after(at)
			if at >= c.ToPs-c.JitterPs || !yield(event, at) { // no event may come after 100 days
				return
			}
		}
	}
}

// Check looks for what no flow list can be made of.
func (c *Incast) Check() error {
	for _, receiver := range c.Receivers {
		others := len(c.Sources)
		if slices.Contains(c.Sources, receiver) {
			others--
		}
		if c.Senders > others {
			return fmt.Errorf("%d senders are asked for, but a receiver has only %d hosts that can send to it; ask for fewer or name more sources", c.Senders, others)
		}
	}
	if c.Total > 0 && c.Total < uint64(c.Senders) {
		return fmt.Errorf("%d B are less than a byte for each of %d senders", c.Total, c.Senders)
	}
	if c.Events > 1 && c.IntervalPs > (units.MaxTime-c.StartPs)/int64(c.Events) {
		return fmt.Errorf("%d events %s apart take more than 100 days", c.Events, units.FormatTime(c.IntervalPs))
	}
	if c.JitterPs > c.IntervalPs && c.Events > 1 {
		return fmt.Errorf("the senders of an event start up to %s later, and the next event is %s later; make the interval as long as the jitter or longer", units.FormatTime(c.JitterPs), units.FormatTime(c.IntervalPs))
	}
	if err := c.checkConnections(); err != nil {
		return err
	}
	if c.Load != 0 {
		if err := c.Rules.checkEnd(c.ToPs); err != nil {
			return err
		}
		if c.JitterPs > 0 && c.StartPs+c.JitterPs >= c.ToPs {
			return fmt.Errorf("the senders of an event start up to %s later, so the first event has to be so long before the end at %s; it may be at %s; make the jitter shorter or let events go on for longer", units.FormatTime(c.JitterPs), units.FormatTime(c.ToPs), units.FormatTime(c.StartPs))
		}
		return c.checkStart("the first event", c.StartPs)
	}
	return c.checkStart("the last event", c.StartPs+int64(c.Events-1)*c.IntervalPs+c.JitterPs)
}

// Expected is about how many flows there are.
func (c *Incast) Expected() float64 {
	if c.Load != 0 {
		return float64(c.Senders) * float64(c.ToPs-c.StartPs) / c.gap()
	}
	return float64(c.Senders) * float64(c.Events)
}

// Pairs yields all pairs of source and receiver.
func (c *Incast) Pairs() iter.Seq2[uint32, uint32] {
	return (&Permutation{Sources: c.Sources, Destinations: c.Receivers}).Pairs()
}

// Flows yields the flow list of a seed.
func (c *Incast) Flows(seed uint64) iter.Seq2[scenario.Flow, error] {
	return func(yield func(scenario.Flow, error) bool) {
		connections := random.New(seed, "incast.connections", 0)
		id := uint32(0)
		send := func(f scenario.Flow) bool {
			f.ID = id
			id++
			f = c.Rules.complete(f)
			c.assignConnection(&f, &connections)
			return yield(f, nil)
		}
		// Of events that may overlap with the next one: flows, in any order, and by start
		// where they are. Flows are large, and what moves as one comes between is not.
		var flows []scenario.Flow
		var waiting []waitingFlow
		var free []int
		for event := range c.events(seed) {
			begun := 0
			for begun < len(waiting) && waiting[begun].startPs < event.startPs {
				if !send(flows[waiting[begun].at]) {
					return
				}
				free = append(free, waiting[begun].at)
				begun++
			}
			waiting = slices.Delete(waiting, 0, begun)
			for _, f := range event.flows { // behind those that start with it
				w := waitingFlow{f.StartPs, len(flows)}
				if last := len(free) - 1; last >= 0 {
					w.at, free = free[last], free[:last]
					flows[w.at] = f
				} else {
					flows = append(flows, f)
				}
				i := sort.Search(len(waiting), func(i int) bool { return waiting[i].startPs > w.startPs })
				waiting = slices.Insert(waiting, i, w)
			}
		}
		for _, w := range waiting {
			if !send(flows[w.at]) {
				return
			}
		}
	}
}

type waitingFlow struct {
	startPs int64
	at      int
}

// Numbers are how many flows and groups there are, without drawing a flow.
func (c *Incast) Numbers(seed uint64) (flows uint64, groups uint32) {
	for range c.starts(seed) {
		groups++
	}
	return uint64(groups) * uint64(c.Senders), groups
}

// incastEvent is what the senders of an event send, without numbers.
type incastEvent struct {
	startPs int64
	flows   []scenario.Flow // by start
}

// events yields the events of a seed in their order.
func (c *Incast) events(seed uint64) iter.Seq[incastEvent] {
	return func(yield func(incastEvent) bool) {
		receivers, senders, sizes := random.New(seed, "incast.receivers", 0), random.New(seed, "incast.senders", 0), random.New(seed, "incast.sizes", 0)
		candidates, late := make([]uint32, 0, len(c.Sources)), make([]int64, c.Senders)
		jitter := random.New(seed, "incast.jitter", 0)
		e := incastEvent{}
		for event, startPs := range c.starts(seed) {
			receiver := c.Receivers[receivers.Below(uint32(len(c.Receivers)))]
			candidates = candidates[:0]
			for _, src := range c.Sources {
				if src != receiver {
					candidates = append(candidates, src)
				}
			}
			shuffle(candidates, c.Senders, &senders)
			if c.JitterPs > 0 { // who is first is at random, so the senders may be in the order of their times
				for i := range late {
					late[i] = int64(jitter.Uniform() * float64(c.JitterPs+1))
				}
				slices.Sort(late)
			}
			e.startPs, e.flows = startPs, e.flows[:0]
			for i, src := range candidates[:c.Senders] {
				f := c.flow(0, src, receiver, uint32(event+1), startPs+late[i], &sizes)
				if c.Total > 0 {
					f.Size = c.Total / uint64(c.Senders)
					if uint64(i) < c.Total%uint64(c.Senders) {
						f.Size++
					}
				}
				e.flows = append(e.flows, f)
			}
			if !yield(e) {
				return
			}
		}
	}
}

// SemiDynamic draws paths (pairs of source and destination) at random, and at
// every event starts flows on some idle ones or stops the flows of some busy
// ones, so that between Least and Most are busy. The group of a flow is the
// event that started it, numbered from 1.
type SemiDynamic struct {
	*Pattern
	Paths       int
	Step        int // flows started or stopped by an event
	Least, Most int // flows between events
	Events      int
	IntervalPs  int64
	Common
}

// Expected is about how many flows there are.
func (s *SemiDynamic) Expected() float64 { return float64(s.Step) * float64(s.Events) }

// Check looks for what no flow list can be made of.
func (s *SemiDynamic) Check() error {
	switch {
	case s.Most > s.Paths:
		return fmt.Errorf("up to %d of %d paths are to be busy; at most all of them are", s.Most, s.Paths)
	case s.Most-s.Least < s.Step:
		return fmt.Errorf("between %d and %d paths are to be busy, and %d start or stop at a time; leave room for one step", s.Least, s.Most, s.Step)
	case s.IntervalPs > (units.MaxTime-s.StartPs)/int64(s.Events+1):
		return fmt.Errorf("%d events %s apart take more than 100 days", s.Events, units.FormatTime(s.IntervalPs))
	}
	return s.checkStart("the last event", s.StartPs+int64(s.Events)*s.IntervalPs)
}

// Flows yields the flow list of a seed: at the start Least paths are busy,
// and after every interval there is an event. Start or stop is a toss-up
// where both are possible.
func (s *SemiDynamic) Flows(seed uint64) iter.Seq2[scenario.Flow, error] {
	return func(yield func(scenario.Flow, error) bool) {
		for _, f := range s.list(seed) {
			if !yield(f, nil) {
				return
			}
		}
	}
}

// path is a pair of hosts and the flow on it.
type path struct {
	src, dst uint32
	flow     int // index in the list, -1 = idle
}

func (s *SemiDynamic) list(seed uint64) []scenario.Flow {
	draw, choose, sizes := random.New(seed, "semi-dynamic.paths", 0), random.New(seed, "semi-dynamic.events", 0), random.New(seed, "semi-dynamic.sizes", 0)
	var idle, busy []path
	for range s.Paths {
		i := int(draw.Below(uint32(len(s.sources))))
		idle = append(idle, path{src: s.sources[i], dst: s.draw(i, &draw), flow: -1})
	}
	var flows []scenario.Flow
	start := func(n, event int, at int64) {
		shuffle(idle, n, &choose)
		for _, p := range idle[:n] {
			p.flow = len(flows)
			flows = append(flows, s.flow(uint32(len(flows)), p.src, p.dst, uint32(event), at, &sizes))
			busy = append(busy, p)
		}
		idle = idle[n:]
	}
	stop := func(n int, at int64) {
		shuffle(busy, n, &choose)
		for _, p := range busy[:n] {
			flows[p.flow].StopPs = at
			p.flow = -1
			idle = append(idle, p)
		}
		busy = busy[n:]
	}
	start(s.Least, 1, s.StartPs)
	for event := 1; event <= s.Events; event++ {
		at := s.StartPs + int64(event)*s.IntervalPs
		mayStart, mayStop := len(busy)+s.Step <= s.Most, len(busy)-s.Step >= s.Least
		if mayStart && (!mayStop || choose.Below(2) == 0) {
			start(s.Step, event+1, at)
		} else {
			stop(s.Step, at)
		}
	}
	return flows
}
