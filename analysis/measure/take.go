package measure

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"fabriclab/analysis/fct"
	"fabriclab/analysis/series"
	"fabriclab/analysis/spec"
	"fabriclab/analysis/stats"
	"fabriclab/analysis/table"
)

// All measures a run: the standard measures, and the measures of its
// experiment's figure section, if there is one. What is not defined for the
// run has an Err; the error is about a run that cannot be read.
func All(run spec.Run, figure *spec.Figure) ([]Value, error) {
	t, err := newTables(run.Dir)
	if err != nil {
		return nil, err
	}
	var values []Value
	for i := range standards {
		v, err := standards[i].take(t)
		if err != nil && !errors.As(err, new(undefined)) && !IsBound(err) {
			return nil, err
		}
		values = append(values, Value{&standards[i].Measure, v, err})
		if standards[i].Name == deliveredBytes && t.endsWithFlows() {
			values[len(values)-1].Measure = &deliveredAtTheEnd
		}
	}
	if figure == nil {
		return values, nil
	}
	taker := NewTaker(figure)
	for _, m := range OfFigure(figure) {
		v, err := taker.Take(figure.Measures.Items[strings.TrimPrefix(m.Name, figurePrefix)], run)
		var bound *fct.Bound
		switch { // the same text wherever the results are
		case errors.As(err, &bound):
			err = bound
		case err != nil:
			err = undefined(strings.ReplaceAll(err.Error(), "run "+run.Dir+": ", ""))
		}
		values = append(values, Value{m, v, err})
	}
	return values, nil
}

// IsBound says whether an error is about a value that is no more than a bound.
func IsBound(err error) bool { return errors.As(err, new(*fct.Bound)) }

// undefined says why a measure has no value in a run.
type undefined string

func (u undefined) Error() string { return string(u) }

// summary is what is used of summary.json (docs/formats.md, Summary).
type summary struct {
	SimPs      int64  `json:"sim_ps"`
	Events     uint64 `json:"events"`
	PacketHops uint64 `json:"packet_hops"`
	Flows      struct {
		Total            int64 `json:"total"`
		Started          int64 `json:"started"`
		Finished         int64 `json:"finished"`
		Measured         int64 `json:"measured"`
		MeasuredFinished int64 `json:"measured_finished"`
	} `json:"flows"`
	Counters  map[string]int64 `json:"counters"`
	Resources struct {
		WallS        float64 `json:"wall_s"`
		CPUUserS     float64 `json:"cpu_user_s"`
		CPUSysS      float64 `json:"cpu_sys_s"`
		PeakRSSBytes float64 `json:"peak_rss_bytes"`
	} `json:"resources"`
}

// tables reads each table of a run once.
type tables struct {
	dir     string
	summary summary
	slow    func() (fct.Stats, error)
	flows   func() ([]flow, error)
	queues  func() ([]queueStats, error)
	links   func() ([]linkStats, error)
}

func newTables(dir string) (*tables, error) {
	t := &tables{dir: dir}
	if err := table.Summary(dir, &t.summary); err != nil {
		return nil, err
	}
	t.slow, t.flows = sync.OnceValues(t.readSlowdowns), sync.OnceValues(t.readFlows)
	t.queues, t.links = sync.OnceValues(t.readQueues), sync.OnceValues(t.readLinks)
	return t, nil
}

// endsWithFlows says whether the run ends when its flows have finished.
func (t *tables) endsWithFlows() bool {
	network, err := table.ReadNetwork(t.dir)
	return err == nil && network.EndsWithFlows
}

// optional turns the error about a table that was not recorded into the
// reason why there is no value.
func optional(name string, err error) error {
	if errors.Is(err, table.ErrMissing) {
		return undefined("the table " + name + " was not recorded")
	}
	return err
}

func counter(name string) func(*tables) (float64, error) {
	return func(t *tables) (float64, error) {
		n, ok := t.summary.Counters[name]
		if !ok {
			return 0, undefined("the run did not count " + name)
		}
		return float64(n), nil
	}
}

func flowsFinished(t *tables) (float64, error) { return float64(t.summary.Flows.MeasuredFinished), nil }

func flowsUnfinished(t *tables) (float64, error) {
	return float64(t.summary.Flows.Measured - t.summary.Flows.MeasuredFinished), nil
}

func (t *tables) readSlowdowns() (fct.Stats, error) {
	flows, err := fct.Read(t.dir, false)
	if err != nil {
		return fct.Stats{}, optional("flows", err)
	}
	return flows.Bins([]int64{0, math.MaxInt64})[0], t.allFlows("fct_slowdown")
}

// allFlows says that the table flows has not all flows, if so.
func (t *tables) allFlows(what string) error {
	r, err := ranOf(t.dir)
	if err != nil {
		return err
	}
	if err := leftOut(spec.Measure{Kind: what}, "", "flows", r.setup); err != nil {
		return undefined(err.Error())
	}
	return nil
}

func (t *tables) slowdown(name string) (float64, error) {
	s, err := t.slow()
	if err != nil {
		return 0, err
	}
	v, err := s.Get(name)
	if err != nil && !IsBound(err) {
		return 0, undefined(err.Error())
	}
	return v, err
}

type queueStats struct{ mean, p99, max float64 }

// readQueues reads the recorded queues, one for every port and class.
func (t *tables) readQueues() ([]queueStats, error) {
	type key struct {
		link  string
		class int64
	}
	type samples struct {
		lengths []float64
		max     int64
	}
	queues := map[key]*samples{}
	columns := append(table.Ints("class", "bytes", "max_bytes"), table.Column{Name: "link", Type: table.String})
	err := table.Scan(t.dir, "queues", columns, func(r *table.Rows) error {
		for i := range r.N {
			k := key{r.String(3, i), r.Int(0, i)}
			s := queues[k]
			if s == nil {
				s = &samples{}
				queues[k] = s
			}
			s.lengths = append(s.lengths, float64(r.Int(1, i)))
			s.max = max(s.max, r.Int(2, i))
		}
		return nil
	})
	if err != nil {
		return nil, optional("queues", err)
	}
	var list []queueStats
	for _, s := range queues { // only largest values are taken of the list
		slices.Sort(s.lengths)
		list = append(list, queueStats{stats.Mean(s.lengths), stats.Quantile(s.lengths, 0.99), float64(s.max)})
	}
	return list, nil
}

func ofQueues(of func(queueStats) float64) func(*tables) (float64, error) {
	return func(t *tables) (float64, error) {
		list, err := t.queues()
		return largest(list, of, "no queue was recorded", err)
	}
}

// largest is the largest value among queues or links.
func largest[T any](list []T, of func(T) float64, none string, err error) (float64, error) {
	if err != nil {
		return 0, err
	}
	if len(list) == 0 {
		return 0, undefined(none)
	}
	v := math.Inf(-1)
	for _, x := range list {
		v = max(v, of(x))
	}
	return v, nil
}

type linkStats struct{ utilisation, goodput, paused float64 }

// readLinks reads the recorded ports' counters at the last sample.
func (t *tables) readLinks() ([]linkStats, error) {
	type last struct{ time, sent, data, paused int64 }
	ends := map[string]last{}
	columns := append(table.Ints("time_ps", "sent_bytes", "data_bytes", "paused_ps"), table.Column{Name: "link", Type: table.String})
	err := table.Scan(t.dir, "links", columns, func(r *table.Rows) error {
		for i := range r.N {
			ends[r.String(4, i)] = last{r.Int(0, i), r.Int(1, i), r.Int(2, i), r.Int(3, i)}
		}
		return nil
	})
	if err != nil {
		return nil, optional("links", err)
	}
	network, err := table.ReadNetwork(t.dir)
	if err != nil {
		return nil, err
	}
	var list []linkStats
	for port, end := range ends {
		bps, err := network.MeanRate(port, 0, end.time)
		if err != nil {
			return nil, err
		}
		if end.time == 0 {
			continue
		}
		capacity := bps * (float64(end.time) / 1e12) / 8
		list = append(list, linkStats{float64(end.sent) / capacity, float64(end.data) / capacity, float64(end.paused) / 1e12})
	}
	return list, nil
}

func ofLinks(of func(linkStats) float64) func(*tables) (float64, error) {
	return func(t *tables) (float64, error) {
		list, err := t.links()
		return largest(list, of, "no port was recorded", err)
	}
}

// flow is what fairness and convergence need of a flow.
type flow struct {
	id, start, end int64 // end is the last time at which it was active
	dst            string
}

// mostFlows is up to how many flows their rates are followed; where there are
// more, they come and go, and are not active together.
const mostFlows = 1000

func (t *tables) readFlows() ([]flow, error) {
	var list []flow
	err := eachFlow(t.dir, t.summary.SimPs, func(f flow) bool {
		if len(list) <= mostFlows {
			list = append(list, f)
		}
		return len(list) <= mostFlows
	})
	return list, optional("flows", err)
}

// eachFlow visits the flows of a run that have started while it is asked for more; one that has not
// ended is active up to the end of the run.
func eachFlow(dir string, runEnd int64, visit func(flow) bool) error {
	columns := append(table.Ints("flow", "start_ps", "sender_end_ps"), table.Column{Name: "dst", Type: table.String})
	return table.Scan(dir, "flows", columns, func(r *table.Rows) error {
		for i := range r.N {
			if r.Int(1, i) < 0 {
				continue // it has not started
			}
			end := r.Int(2, i)
			if end < 0 {
				end = runEnd
			}
			if !visit(flow{r.Int(0, i), r.Int(1, i), end, r.String(3, i)}) {
				return nil // of this part of the table
			}
		}
		return nil
	})
}

// together is the time in which all flows of the run are active.
func (t *tables) together() (ids []int64, all series.Window, flows []flow, err error) {
	if flows, err = t.flows(); err != nil {
		return nil, all, nil, err
	}
	if err := t.allFlows("this"); err != nil {
		return nil, all, nil, err
	}
	if len(flows) < 2 || len(flows) > mostFlows {
		return nil, all, nil, undefined(fmt.Sprintf("it takes from 2 to %d flows that are active together", mostFlows))
	}
	all = series.Window{From: math.MinInt64, To: math.MaxInt64}
	for _, f := range flows {
		ids = append(ids, f.id)
		all.From, all.To = max(all.From, f.start), min(all.To, f.end)
	}
	if all.To-all.From < Hold {
		return nil, all, nil, undefined("the flows are not active together for 50 us")
	}
	r, err := ranOf(t.dir)
	if err != nil {
		return nil, all, nil, err
	}
	if err := r.network.Recorded["rates"].Lacks("rates", all); err != nil {
		return nil, all, nil, undefined(err.Error())
	}
	return ids, all, flows, nil
}

func fairnessIndex(t *tables) (float64, error) {
	ids, all, _, err := t.together()
	if err != nil {
		return 0, err
	}
	v, err := JainOfAcked(t.dir, ids, all)
	return v, ofRates(t.dir, err)
}

// ofRates gives the reason why the rates table has not what is asked of it.
func ofRates(dir string, err error) error {
	if err == nil || errors.Is(err, table.ErrMissing) {
		return optional("rates", err)
	}
	return undefined(strings.ReplaceAll(err.Error(), "run "+dir+": ", ""))
}

func convergenceTime(t *tables) (float64, error) {
	ids, all, flows, err := t.together()
	if err != nil {
		return 0, err
	}
	for _, f := range flows {
		if f.dst != flows[0].dst {
			return 0, undefined("the flows go to several hosts, so that there is no common fair share")
		}
	}
	network, err := table.ReadNetwork(t.dir)
	if err != nil {
		return 0, err
	}
	link, err := network.SteadyAccessRate(flows[0].dst)
	if err != nil {
		return 0, undefined(strings.ReplaceAll(err.Error(), "run "+t.dir+": ", ""))
	}
	rates, err := FlowRates(t.dir, Pacing, ids)
	if err != nil {
		return 0, ofRates(t.dir, err)
	}
	for i := range rates {
		rates[i] = rates[i].In(all)
	}
	at := FairTime(rates, link/float64(len(ids)), all.From)
	return (at - float64(all.From)) / 1e12, nil
}
