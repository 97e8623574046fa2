package num

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Arrival is a flow that comes at a time with something to send.
type Arrival struct {
	Flow
	AtPs   int64
	Bytes  float64 // counted as links count them; 0 is unlimited
	StopPs int64   // it goes then at the latest; below 0 is never
}

// Change gives a link another capacity from a time on.
type Change struct {
	AtPs        int64
	Link        int
	CapacityBps float64
}

// Interval is a time without arrivals, departures and changes, in which all
// rates stay.
type Interval struct {
	FromPs, ToPs int64
	Flows        []int // places in the list of arrivals
	Stay         []int // those of them that go on after it; not kept
	Solution     *Solution
}

// Completion is what became of a flow.
type Completion struct {
	EndPs int64   // its last bit is sent; -1 if it was stopped or is unfinished
	Bytes float64 // sent
}

// Allocate finds the rates of a problem; from is its previous solution.
type Allocate func(p *Problem, from *Solution) (*Solution, error)

// ErrEnough is what each returns to end Fluid early: no error.
var ErrEnough = errors.New("enough")

// Fluid sends every flow at its allocated rate from arrival until its bytes are
// sent, and allocates anew at every arrival, departure and change of a link.
// That gives the completion times of flows that get the optimum at once.
// Changes are sorted by time. It ends at untilPs. Each is called for every
// interval, in order of time; the solution is not kept. If each returns
// ErrEnough, that was the last call.
//
// Times within are not rounded; two flows that end within half a picosecond
// end together. Interval and Completion have whole picoseconds.
func Fluid(links []Link, changes []Change, unitBps float64, arrivals []Arrival, untilPs int64, allocate Allocate, each func(Interval) error) ([]Completion, error) {
	if err := checkArrivals(arrivals); err != nil {
		return nil, err
	}
	order := make([]int, len(arrivals))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case arrivals[a].AtPs < arrivals[b].AtPs:
			return -1
		case arrivals[a].AtPs > arrivals[b].AtPs:
			return 1
		}
		return 0
	})
	f := fluid{links: slices.Clone(links), unit: unitBps, arrivals: arrivals, left: make([]float64, len(arrivals)), done: make([]Completion, len(arrivals))}
	for i, a := range arrivals {
		f.left[i] = a.Bytes * 8
		f.done[i].EndPs = -1
	}
	until := float64(untilPs)
	for f.now < until {
		for len(order) > 0 && float64(arrivals[order[0]].AtPs) <= f.now {
			f.active = append(f.active, order[0])
			order = order[1:]
		}
		for len(changes) > 0 && float64(changes[0].AtPs) <= f.now {
			f.links[changes[0].Link].CapacityBps = changes[0].CapacityBps
			changes = changes[1:]
		}
		next := until
		if len(order) > 0 {
			next = min(next, float64(arrivals[order[0]].AtPs))
		}
		if len(changes) > 0 {
			next = min(next, float64(changes[0].AtPs))
		}
		if len(f.active) == 0 {
			f.now = next
			continue
		}
		slices.Sort(f.active)
		if err := f.allocate(allocate); err != nil {
			return nil, err
		}
		switch err := f.run(next, each); {
		case errors.Is(err, ErrEnough):
			return f.done, nil
		case err != nil:
			return nil, err
		}
	}
	return f.done, nil
}

func checkArrivals(arrivals []Arrival) error {
	for i, a := range arrivals {
		if a.AtPs < 0 || !(a.Bytes >= 0) || math.IsInf(a.Bytes, 1) {
			return fmt.Errorf("%s comes at %d ps with %g bytes; neither can be below 0", name("flow", a.Name, i), a.AtPs, a.Bytes)
		}
	}
	return nil
}

// fluid is a computation under way.
type fluid struct {
	links    []Link
	unit     float64
	arrivals []Arrival
	now      float64   // ps
	active   []int     // in the order of the list
	left     []float64 // bits
	done     []Completion
	solution *Solution
}

const (
	psPerSecond = 1e12
	together    = 0.5 // ps
)

func (f *fluid) allocate(allocate Allocate) error {
	p := &Problem{Links: f.links, UnitBps: f.unit}
	for _, i := range f.active {
		p.Flows = append(p.Flows, f.arrivals[i].Flow)
	}
	s, err := allocate(p, f.solution)
	if err != nil {
		return fmt.Errorf("at %.0f ps, with %d flows: %w", f.now, len(f.active), err)
	}
	f.solution = s
	return nil
}

// run sends until the first flow ends, at most until next.
func (f *fluid) run(next float64, each func(Interval) error) error {
	for k, i := range f.active {
		a := &f.arrivals[i]
		if a.Bytes > 0 {
			next = min(next, f.now+float64(f.left[i]/f.solution.Totals[k]*psPerSecond))
		}
		if a.StopPs >= 0 {
			next = min(next, max(f.now, float64(a.StopPs)))
		}
	}
	interval := Interval{FromPs: whole(f.now), ToPs: whole(next), Flows: slices.Clone(f.active), Solution: f.solution}
	stay := f.active[:0]
	for k, i := range interval.Flows {
		a, rate := &f.arrivals[i], f.solution.Totals[k]
		bits := rate * (next - f.now) / psPerSecond
		over := a.Bytes > 0 && f.left[i]-bits <= rate*together/psPerSecond
		if over {
			bits = f.left[i]
			f.done[i].EndPs = whole(next)
		}
		f.left[i] -= bits
		f.done[i].Bytes += float64(bits / 8)
		if !over && (a.StopPs < 0 || float64(a.StopPs) > next) {
			stay = append(stay, i)
		}
	}
	f.active, interval.Stay = stay, stay
	f.now = next
	return each(interval)
}

// whole is the nearest picosecond.
func whole(ps float64) int64 { return int64(math.Floor(ps + 0.5)) }
