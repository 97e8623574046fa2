package measure

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"sort"

	"fabriclab/analysis/fct"
	"fabriclab/analysis/series"
	"fabriclab/analysis/table"
	"fabriclab/base/random"
	"fabriclab/base/units"
)

func init() {
	register(Kind{
		Name: "convergence_time", Quantity: Time, Better: Lower, Events: true,
		Title: "`stat` over the events of the time until 95 % (or `share`) of the flows are at the optimum; see [below](#convergence)",
		From:  []string{"arrivals", "optimal_rates"},
		Needs: []string{"stat"}, Allows: []string{"window", "hold", "method", "share"},
		Methods: []string{methodConverged},
		Take:    statOf(settleTimes), Spread: settleTimes,
	})
	register(Kind{
		Name: "converged", Quantity: Share, Better: Higher, Events: true,
		Title:  "share of the events that converge",
		From:   []string{"arrivals", "optimal_rates"},
		Allows: []string{"window", "hold", "share"},
		Take:   converged,
	})
	register(Kind{
		Name: "unconverged", Quantity: Count, Better: Lower, Events: true,
		Title:  "number of events that do not converge",
		From:   []string{"arrivals", "optimal_rates"},
		Allows: []string{"window", "hold", "share"},
		Take:   unconverged,
	})
	register(Kind{
		Name: "throughput", Quantity: Rate, Better: Higher,
		Title: "`stat` over the flows of received bits in the window (headers and repetitions included) over its length",
		From:  []string{"arrivals"},
		Needs: []string{"window", "stat"}, Allows: []string{"flows"}, Counts: true,
		Take: statOf(throughputs), Spread: throughputs,
	})
	register(Kind{
		Name: "rate_deviation", Quantity: Share, Better: Neither,
		Title: "`stat` of (rate - ideal rate) / ideal rate; rate is size / FCT, the ideal one uses the FCT under optimal rates",
		From:  []string{"flows", "optimal_flows.optimal_fct_ps"},
		Needs: []string{"stat"}, Allows: []string{"min_size", "max_size"},
		Signed: true,
		Take:   statOfFlows(deviations), Spread: ofFlows(deviations),
	})
}

// How NUMFabric measures convergence (section 6.1 and Figure 4).
const (
	// filterTime is the time constant of the filter over receivers' rates, and
	// filterRise how long it takes from 0 to 90 % of a step (80 us ln 10, in
	// the paper 185 us), which is subtracted.
	filterTime = 80 * units.Microsecond
	filterRise = 185 * units.Microsecond
	// convergedShare of the flows are within Within of their optimal rates,
	// where no share is given.
	convergedShare = 0.95
	// convergedHold is how long they have to stay there.
	convergedHold = 5 * units.Millisecond
)

// arrival is what has come to a flow's receiver up to a sample.
type arrival struct {
	time, bytes, packets, last int64
}

// A filter is the rate at which a flow's packets come to its receiver, smoothed
// by an exponentially weighted moving average in continuous time: each packet's
// length over the time since the packet before counts with 1 - exp(-that time /
// filterTime). Between two samples the packets count as evenly spaced, so that
// evenly spaced packets have their exact rate, however few there are.
type filter struct {
	rate  float64 // bit/s
	last  int64   // when the last packet came; before the first one, when the flow started
	bytes int64
}

func weight(ps int64) float64 { return 1 - random.Exp(-float64(ps)/float64(filterTime)) }

// at takes a sample and is the rate at its time. While nothing comes, the rate
// is no higher than if a packet came now.
func (f *filter) at(a arrival) float64 {
	if a.last > f.last {
		span := a.last - f.last
		mean := float64(float64(8*(a.bytes-f.bytes)) * (float64(units.Second) / float64(span)))
		f.rate += float64(weight(span) * (mean - f.rate))
		f.last, f.bytes = a.last, a.bytes
	}
	if a.packets == 0 || a.time == f.last {
		return f.rate
	}
	gap := a.time - f.last
	now := float64(float64(8*a.bytes) / float64(a.packets) * (float64(units.Second) / float64(gap)))
	return f.rate + float64(weight(gap)*min(0, now-f.rate))
}

// An event is a time at which optimal rates change, as flows come and go.
type event struct {
	at, until int64
	rates     map[int64]float64 // optimal, by flow
}

// events reads the table optimal_rates.
func events(dir string) ([]event, error) {
	var list []event
	columns := append(table.Ints("time_ps", "until_ps", "flow"), table.Column{Name: "rate_bps", Type: table.Float})
	err := table.Scan(dir, "optimal_rates", columns, func(r *table.Rows) error {
		for i := range r.N {
			at := r.Int(0, i)
			if len(list) == 0 || list[len(list)-1].at != at {
				list = append(list, event{at, r.Int(1, i), map[int64]float64{}})
			}
			list[len(list)-1].rates[r.Int(2, i)] = r.Float(3, i)
		}
		return nil
	})
	return list, err
}

// arrivals calls each for every row of the table arrivals.
func arrivals(dir string, each func(flow int64, a arrival)) error {
	return table.Scan(dir, "arrivals", table.Ints("flow", "time_ps", "bytes", "packets", "last_ps"), func(r *table.Rows) error {
		for i := range r.N {
			each(r.Int(0, i), arrival{r.Int(1, i), r.Int(2, i), r.Int(3, i), r.Int(4, i)})
		}
		return nil
	})
}

// settling is how the flows of one event fare.
type settling struct {
	event
	hold    int64
	share   float64 // of the flows that have to be at their optimal rates
	time    int64   // of the sample that is being read
	within  int     // flows that are at their optimal rates at that time
	since   int64   // from when on enough of them have been, -1 = they are not
	settled float64
}

// endSample looks at the sample that has been read.
func (s *settling) endSample() {
	if s.time < 0 {
		return
	}
	if float64(s.within) < s.share*float64(len(s.rates)) {
		s.since = -1
	} else if s.since < 0 {
		s.since = s.time
	}
	if s.since >= 0 && s.time-s.since >= s.hold && math.IsInf(s.settled, 1) {
		s.settled = math.Max(0, float64(s.since-s.at-filterRise))
	}
	s.within, s.time = 0, -1
}

// Convergence is how long after every event the flows take until a share of them
// are within 10 % of their optimal rates and stay so for hold, by their filtered
// rates at the receivers, less the filter's rise; Never for an event after which
// they do not before the next one. Events without flows are left out.
func Convergence(dir string, w series.Window, hold int64, share float64) ([]float64, error) {
	list, err := events(dir)
	if err != nil {
		return nil, err
	}
	r, err := ranOf(dir)
	if err != nil {
		return nil, err
	}
	filters := map[int64]*filter{}
	for _, e := range list {
		for flow := range e.rates {
			if filters[flow] == nil {
				filters[flow] = &filter{last: e.at}
			}
		}
	}
	all := make([]settling, len(list))
	for i, e := range list {
		all[i] = settling{event: e, hold: hold, share: share, time: -1, since: -1, settled: Never}
	}
	now, lastSample := 0, int64(-1)
	err = arrivals(dir, func(flow int64, a arrival) {
		f := filters[flow]
		if f == nil {
			return // it never has an optimal rate: it starts when the run ends
		}
		rate := f.at(a)
		lastSample = a.time
		for now < len(all) && a.time > all[now].until {
			all[now].endSample()
			now++
		}
		if now == len(all) || a.time <= all[now].at {
			return
		}
		s := &all[now]
		if a.time != s.time {
			s.endSample()
			s.time = a.time
		}
		if target, ok := s.rates[flow]; ok && math.Abs(rate-target) <= Within*target {
			s.within++
		}
	})
	if err != nil {
		return nil, err
	}
	if lastSample < 0 {
		return nil, inRun(dir, fmt.Errorf("arrivals has no sample"))
	}
	var times []float64
	for i := range all {
		all[i].endSample()
		if e := all[i]; w == (series.Window{}) || e.at >= w.From && e.at < w.To {
			if err := r.lacks("arrivals", series.Window{From: e.at, To: e.until}); e.settled == Never && err != nil {
				return nil, err
			}
			times = append(times, e.settled)
		}
	}
	if len(times) == 0 {
		return nil, inRun(dir, fmt.Errorf("there is no event in the window %s", w))
	}
	return times, nil
}

// ArrivalRate is the filtered rate of one flow at its receiver.
func ArrivalRate(dir string, flow int64) (series.Series, error) {
	optimal, err := OptimalRate(dir, flow)
	if err != nil {
		return nil, err
	}
	f := filter{last: optimal[0].Time}
	var s series.Series
	err = arrivals(dir, func(id int64, a arrival) {
		if id == flow {
			s = append(s, series.Point{Time: a.time, Value: f.at(a)})
		}
	})
	if err == nil && len(s) == 0 {
		err = inRun(dir, fmt.Errorf("arrivals has no sample of flow %d", flow))
	}
	return s, err
}

// OptimalRate is the optimal rate of one flow: a point at each end of the times
// in which it stays the same.
func OptimalRate(dir string, flow int64) (series.Series, error) {
	list, err := events(dir)
	var s series.Series
	for _, e := range list {
		if rate, ok := e.rates[flow]; ok {
			s = append(s, series.Point{Time: e.at, Value: rate}, series.Point{Time: e.until, Value: rate})
		}
	}
	if err == nil && len(s) == 0 {
		err = inRun(dir, fmt.Errorf("optimal_rates has no flow %d", flow))
	}
	return s, err
}

// convergence are the times of the events of the measure.
func (x in) convergence() ([]float64, error) {
	hold := x.hold(convergedHold)
	share := convergedShare
	if x.m.Share != nil {
		share = *x.m.Share
	}
	key := settleKey{x.dir, x.window, hold, share}
	if x.t.settled.key != key || x.t.settled.times == nil {
		times, err := Convergence(x.dir, x.window, hold, share)
		if err != nil {
			return nil, err
		}
		x.t.settled.key, x.t.settled.times = key, times
	}
	return append([]float64(nil), x.t.settled.times...), nil
}

type settleKey struct {
	dir    string
	window series.Window
	hold   int64
	share  float64
}

// settleTimes are the values of convergence_time: those of all events, or of
// those that converged.
func settleTimes(x in) ([]float64, error) {
	times, err := x.convergence()
	if err != nil || x.m.Method != methodConverged {
		return times, err
	}
	sort.Float64s(times)
	n := sort.SearchFloat64s(times, Never)
	if n == 0 {
		return nil, inRun(x.dir, fmt.Errorf("none of the %d events converged", len(times)))
	}
	return times[:n], nil
}

const methodConverged = "converged"

// unconverged is how many events did not converge.
func unconverged(x in) (float64, error) {
	times, err := x.convergence()
	n := 0
	for _, t := range times {
		if math.IsInf(t, 1) {
			n++
		}
	}
	return float64(n), err
}

// converged is the share of the events that did.
func converged(x in) (float64, error) {
	times, err := x.convergence()
	if err != nil {
		return 0, err
	}
	missed, err := unconverged(x)
	return 1 - missed/float64(len(times)), err
}

// deviations are those of the measured flows' rates, size over completion time,
// from the rates that the oracle gives them.
func deviations(x in) (fct.Sample, error) {
	optimal := map[int64]int64{}
	err := table.Scan(x.dir, "optimal_flows", table.Ints("flow", "optimal_fct_ps"), func(r *table.Rows) error {
		for i := range r.N {
			optimal[r.Int(0, i)] = r.Int(1, i)
		}
		return nil
	})
	if err != nil {
		return fct.Sample{}, err
	}
	end := int64(-1)
	s := fct.NewSample(int64(x.m.MinSize), x.maxSize(), true)
	unknown := 0
	columns := append(table.Ints("flow", "size_bytes", "fct_ps", "start_ps"), table.Column{Name: "measured", Type: table.Bool})
	err = table.Scan(x.dir, "flows", columns, func(r *table.Rows) (err error) {
		for i := range r.N {
			size := r.Int(1, i)
			if size == 0 || !r.Bool(4, i) || size < int64(x.m.MinSize) || size >= x.maxSize() {
				continue
			}
			best := optimal[r.Int(0, i)]
			switch {
			case best <= 0:
				unknown++
			case r.Null(2, i):
				if end < 0 {
					if end, err = table.RunEnd(x.dir); err != nil {
						return err
					}
				}
				took := best // at least
				if start := r.Int(3, i); start >= 0 {
					took = max(took, end-start)
				}
				s.Bounds = append(s.Bounds, float64(best)/float64(took)-1)
			default:
				s.Values = append(s.Values, float64(best)/float64(r.Int(2, i))-1)
			}
		}
		return nil
	})
	if err == nil && unknown > 0 {
		err = inRun(x.dir, fmt.Errorf("%d flows do not finish with optimal rates, so that there is nothing to compare theirs with", unknown))
	}
	return s, err
}

// throughputs are the bits that came to the flows' receivers in the window, over
// its length, of all flows or of some.
func throughputs(x in) ([]float64, error) {
	type count struct{ before, now int64 }
	flows := map[int64]*count{}
	for _, flow := range x.m.Flows {
		flows[flow] = nil
	}
	last := int64(-1)
	err := arrivals(x.dir, func(flow int64, a arrival) {
		c, asked := flows[flow]
		if len(x.m.Flows) > 0 && !asked || a.time > x.window.To {
			return
		}
		if c == nil {
			c = &count{}
			flows[flow] = c
		}
		if last = a.time; a.time <= x.window.From {
			c.before = a.bytes
		}
		c.now = a.bytes
	})
	if err != nil {
		return nil, err
	}
	if last >= 0 && last <= x.window.From {
		return nil, inRun(x.dir, fmt.Errorf("arrivals has no sample from %s", x.window))
	}
	var values []float64
	for _, flow := range slices.Sorted(maps.Keys(flows)) {
		c := flows[flow]
		if c == nil {
			return nil, inRun(x.dir, fmt.Errorf("arrivals has no sample of flow %d", flow))
		}
		values = append(values, float64(8*(c.now-c.before))*(float64(units.Second)/float64(x.window.To-x.window.From)))
	}
	return values, nil
}
