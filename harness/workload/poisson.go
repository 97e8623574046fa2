package workload

import (
	"fmt"
	"iter"
	"math"

	"fabriclab/base/random"
	"fabriclab/base/units"
	"fabriclab/harness/scenario"
)

// Poisson has flows arrive at every source as a Poisson process, each to a
// destination drawn uniformly among the source's.
type Poisson struct {
	*Pattern
	Sizes *Sizes
	// Load is the share of Capacity that the flows' payload takes.
	Load float64
	// Capacity is by source, in bit/s: the rate of the host's link, or its
	// share of the uplinks of the switch it hangs on.
	Capacity     []int64
	Links        map[uint32]int64         // AskedLoad.Links
	HostName     func(host uint32) string // what its random streams go by
	FromPs, ToPs int64                    // flows start then, ToPs is outside
	Flow         scenario.Flow            // class and weight of the flows
	Rules        Rules
	Connections
}

// Check looks for what no flow list can be made of.
func (p *Poisson) Check() error {
	if !(p.Load > 0) {
		return fmt.Errorf("the load is %g; it is above 0, such as 0.5", p.Load)
	}
	if p.FromPs >= p.ToPs {
		return fmt.Errorf("arrivals go from %s to %s; they end after they begin", units.FormatTime(p.FromPs), units.FormatTime(p.ToPs))
	}
	if err := p.Rules.checkEnd(p.ToPs); err != nil {
		return err
	}
	return p.checkConnections()
}

// gap is the mean time between two arrivals at the i-th source, in ps.
func (p *Poisson) gap(i int) float64 {
	return p.Sizes.Mean() * 8e12 / (p.Load * float64(p.Capacity[i]))
}

// next is the next arrival of a source.
type next struct {
	at     int64
	source int
}

// before is the order of arrivals.
func (a next) before(b next) bool { return a.at < b.at || a.at == b.at && a.source < b.source }

// arrivals are what those of one source are drawn from.
type arrivals struct {
	gap                       float64
	gaps, sizes, destinations random.Stream
	connections               random.Stream
}

// after is the arrival after one at a time.
func (a *arrivals) after(at int64) int64 {
	gap := float64(a.gap * a.gaps.Exponential()) // rounded for itself, on every machine
	if gap >= float64(units.MaxTime-at) {
		return math.MaxInt64 // beyond all ends
	}
	return at + int64(gap+0.5)
}

// of are what each source's arrivals are drawn from, and its first one.
func (p *Poisson) of(seed uint64) ([]arrivals, []next) {
	of := make([]arrivals, len(p.sources))
	first := make([]next, len(p.sources))
	for i := range of {
		stream := func(what string) random.Stream {
			return random.New(seed, "poisson."+what, random.HashName(p.HostName(p.sources[i])))
		}
		of[i] = arrivals{
			gap:  p.gap(i),
			gaps: stream("arrivals"), sizes: stream("sizes"), destinations: stream("destinations"), connections: stream("connections"),
		}
		first[i] = next{of[i].after(p.FromPs), i}
	}
	return of, first
}

// Numbers are how many flows and groups there are, without drawing a flow.
func (p *Poisson) Numbers(seed uint64) (flows uint64, groups uint32) {
	of, first := p.of(seed)
	for i := range of {
		for at := first[i].at; at < p.ToPs; at = of[i].after(at) {
			flows++
		}
	}
	return flows, 0
}

// Flows yields the flow list of a seed. Every source has random streams of
// its own, by its name, so that what it sends does not depend on the other sources.
func (p *Poisson) Flows(seed uint64) iter.Seq2[scenario.Flow, error] {
	return func(yield func(scenario.Flow, error) bool) {
		of, heap := p.of(seed) // the earliest in front
		for i := len(heap)/2 - 1; i >= 0; i-- {
			siftDown(heap, i)
		}
		for id := uint32(0); heap[0].at < p.ToPs; id++ {
			first := &heap[0]
			a := &of[first.source]
			flow := p.Flow
			flow.ID, flow.Src, flow.Dst = id, p.sources[first.source], p.draw(first.source, &a.destinations)
			flow.Size, flow.StartPs, flow.StopPs = p.Sizes.At(a.sizes.Uniform()), first.at, -1
			flow = p.Rules.complete(flow)
			p.assignConnection(&flow, &a.connections)
			if !yield(flow, nil) {
				return
			}
			first.at = a.after(first.at)
			siftDown(heap, 0)
		}
	}
}

func siftDown(heap []next, i int) {
	moved := heap[i]
	for {
		child := 2*i + 1
		if child+1 < len(heap) && heap[child+1].before(heap[child]) {
			child++
		}
		if child >= len(heap) || !heap[child].before(moved) {
			heap[i] = moved
			return
		}
		heap[i] = heap[child]
		i = child
	}
}

// Names is nil: the flows have no names.
func (p *Poisson) Names() []string { return nil }

// Expected is about how many flows there are.
func (p *Poisson) Expected() float64 {
	total := 0.0
	for i := range p.Capacity {
		total += float64(p.ToPs-p.FromPs) / p.gap(i)
	}
	return total
}

// AskedLoad is the load, and what it is a share of.
func (p *Poisson) AskedLoad() (AskedLoad, bool) {
	a := AskedLoad{Load: p.Load, FromPs: p.FromPs, ToPs: p.ToPs, ClosedLoop: p.ClosedLoop, Links: p.Links}
	a.shares = []loadShare{{load: p.Load, fromPs: p.FromPs, toPs: p.ToPs, mean: p.Sizes.Mean(), meanSquare: p.Sizes.meanSquare()}}
	for _, bps := range p.Capacity {
		a.CapacityBps += float64(bps)
	}
	return a, true
}
