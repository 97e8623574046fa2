// Package oracle computes what the flows of an experiment would get from a
// network that gives everybody its optimal rate at once: the optimum of
// analysis/num on the paths that the flows have in the run, solved anew at
// every arrival and departure, and where a link changes its rate.
package oracle

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"fabriclab/analysis/num"
	"fabriclab/base/catalog"
	"fabriclab/harness/experiment"
	"fabriclab/harness/progress"
	"fabriclab/harness/scenario"
	"fabriclab/harness/trace"
	"fabriclab/harness/workload"
)

// Utilities are the names of what can be maximised.
const (
	AlphaFair = "alpha_fair"
	MinFCT    = "fct_min"
	MaxMin    = "max_min"
)

// Utility says what flows have of their rates. Flows' weights are those of the
// flow list. Without a name it is the utility of the experiment (of the flow's
// sender), and alpha_fair with alpha 1 where that has none. ACKs take AckShare of a
// flow's rate from the links back; flows have what they leave.
type Utility struct {
	Name    string  `json:"name,omitempty"`
	Alpha   float64 `json:"alpha,omitempty"`   // of alpha_fair
	Epsilon float64 `json:"epsilon,omitempty"` // of fct_min

	AckShare float64 `json:"ack_share,omitempty"`
}

// String is short, and another one for every utility.
func (u Utility) String() string {
	text := u.Name
	switch u.Name {
	case "":
		text = "own"
	case AlphaFair:
		text = fmt.Sprintf("%s-%g", u.Name, u.Alpha)
	case MinFCT:
		text = fmt.Sprintf("%s-%g", u.Name, u.Epsilon)
	}
	if u.AckShare > 0 {
		text += fmt.Sprintf("-acks-%g", u.AckShare)
	}
	return text
}

// UnitBps is the unit in which utilities take rates: prices are per Mb/s, as
// in NUMFabric.
const UnitBps = 1e6

// unlimited is the size of a flow without one, in bytes, as in the mechanism
// fct_min.
const unlimited = 1e15

// of is a flow's utility: the one asked for, else its sender's slot `utility`,
// else w log x.
func (u Utility) of(f *scenario.Flow, point *experiment.Point) (num.Utility, error) {
	switch u.Name {
	case AlphaFair:
		return num.AlphaFair{Alpha: u.Alpha, Weight: f.Weight}, nil
	case MinFCT:
		return minFCT(f, u.Epsilon), nil
	case MaxMin:
		return num.AlphaFair{Alpha: 1, Weight: f.Weight}, nil // its weight counts alone
	}
	own := at(point, f.Src, "utility")
	if own == nil {
		return num.AlphaFair{Alpha: 1, Weight: f.Weight}, nil
	}
	value := func(param string) float64 {
		v, _ := own.Params[param].(float64)
		return v
	}
	switch own.Type {
	case AlphaFair:
		return num.AlphaFair{Alpha: value("alpha"), Weight: f.Weight}, nil
	case MinFCT:
		return minFCT(f, value("epsilon")), nil
	case "bandwidth_function":
		b := num.BandwidthFunction{Alpha: value("alpha"), Weight: f.Weight}
		curve, _ := own.Params["curve"].(catalog.List)
		for _, point := range curve {
			b.Points = append(b.Points, num.Share{Fair: point[0], Bps: point[1]})
		}
		return b, nil
	}
	return nil, fmt.Errorf("the oracle does not know the utility %s; it knows %s, %s and bandwidth_function", own.Type, AlphaFair, MinFCT)
}

func minFCT(f *scenario.Flow, epsilon float64) num.Utility {
	size := float64(f.Size)
	if f.Size == 0 {
		size = unlimited
	}
	return num.MinFCT{Size: size, Epsilon: epsilon, Weight: f.Weight}
}

// at is the component under a key at a node; nil if there is none.
func at(point *experiment.Point, node uint32, key string) *scenario.Component {
	place := point.Scenario.Components[key]
	for _, set := range point.Scenario.Sets {
		if own, ok := set.Components[key]; ok && slices.Contains(set.Nodes, node) {
			place = own
		}
	}
	return place.One
}

// check refuses names that are none, and an epsilon that would be num's own.
func (u Utility) check() error {
	known := []string{AlphaFair, MinFCT, MaxMin}
	if u.Name != "" && !slices.Contains(known, u.Name) {
		return fmt.Errorf("there is no utility %q%s", u.Name, catalog.Hint(u.Name, known))
	}
	if u.Name == MinFCT && u.Epsilon == 0 {
		return fmt.Errorf("epsilon is 0; it must be between %g and %g", experiment.LeastEpsilon, experiment.MostEpsilon)
	}
	if !(u.AckShare >= 0 && u.AckShare <= experiment.MostAckShare) {
		return fmt.Errorf("the ACKs' share is %g; it must be between 0 and %g", u.AckShare, experiment.MostAckShare)
	}
	return nil
}

// Oracle is that of a point of an experiment.
type Oracle struct {
	point   *experiment.Point
	utility Utility
	paths   *paths
}

// New looks whether the optimum of a point can be computed.
func New(point *experiment.Point, u Utility) (*Oracle, error) {
	if err := u.check(); err != nil {
		return nil, err
	}
	if point.Model != nil {
		return nil, errors.New("its runs are computed and have no flows; give an experiment with a topology and a workload")
	}
	// Of what happens to a network the oracle follows RateEvents alone.
	if len(point.Scenario.LinkEvents)+len(point.Scenario.HostEvents) > 0 {
		return nil, errors.New("links or hosts fail during its run, and the oracle's network stays as it is; take topology.failures out (topology.failed is all right)")
	}
	p, err := newPaths(point)
	if err != nil {
		return nil, err
	}
	return &Oracle{point, u, p}, nil
}

// Check says why a table cannot be computed for a point, as far as that is known before
// it runs.
func Check(point *experiment.Point, t experiment.OracleTable, kinds []workload.Kind) error {
	o, err := New(point, utilityOf(t))
	if err != nil {
		return err
	}
	if workload.HasDependencies(point.Flows) {
		return errors.New("its flows wait for each other and start when others have been carried in the run; the oracle needs flows with a start of their own")
	}
	if err := o.paths.check(); err != nil {
		return err
	}
	for _, k := range kinds {
		for _, weight := range k.Weights {
			f := k.Flow
			f.Weight = weight
			a, err := o.arrival(&f)
			if err != nil {
				return err
			}
			if err := (&num.Problem{Links: o.paths.links, Flows: []num.Flow{a.Flow}}).Check(); err != nil {
				return err
			}
		}
	}
	return nil
}

// Summary is what a computation came to.
type Summary struct {
	Flows     int     `json:"flows"` // that arrive before the end
	Finished  int     `json:"finished"`
	Intervals int     `json:"intervals"` // times without arrivals and departures
	Active    float64 `json:"mean_active_flows"`
	// Residual is the largest of all solutions (num.Residual).
	Residual float64 `json:"residual"`
	MeanFCT  float64 `json:"mean_fct_ps,omitempty"`
	Rows     uint64  `json:"rows"` // of optimal_rates
}

// tellEvery is the time between two words on how far it is, as simulators have it.
const tellEvery = 500 * time.Millisecond

// watch is called for every interval of a computation: it tells of it now and
// then, and ends it with ctx.
func (o *Oracle) watch(ctx context.Context, tell func(progress.Event)) func(num.Interval) error {
	var told time.Time
	return func(i num.Interval) error {
		if now := time.Now(); now.Sub(told) >= tellEvery {
			told = now
			tell(progress.Event{Kind: progress.Deriving, Text: "optimal rates", SimPS: i.ToPs, StopPS: o.point.Scenario.StopPs})
		}
		return context.Cause(ctx)
	}
}

// Write writes the tables optimal_rates, optimal_links and optimal_flows of a
// seed into a folder, and tells how far it is.
func (o *Oracle) Write(ctx context.Context, dir string, seed uint64, tell func(progress.Event)) (s Summary, err error) {
	opt := trace.Options{Dir: dir, Names: trace.NodeNames(o.point.Topology.HostNames())}
	var open []*trace.TableWriter
	defer func() {
		for _, w := range open {
			err = errors.Join(err, w.Close())
		}
	}()
	return o.compute(seed, Names, o.watch(ctx, tell), func(t trace.Table) (*trace.TableWriter, error) {
		w, err := trace.NewTableWriter(t, opt)
		if err == nil {
			open = append(open, w)
		}
		return w, err
	})
}

// compute makes some of the tables. Whoever creates writers closes them.
func (o *Oracle) compute(seed uint64, names []string, watch func(num.Interval) error, create func(trace.Table) (*trace.TableWriter, error)) (s Summary, err error) {
	flows, arrivals, err := o.arrivals(seed)
	if err != nil {
		return s, err
	}
	t, err := newTables(o, names, create)
	if err != nil {
		return s, err
	}
	s.Flows = len(flows)
	busy := 0.
	done, err := o.fluid(arrivals, func(i num.Interval) error {
		s.Intervals++
		s.Residual = max(s.Residual, i.Solution.Residual.Worst())
		s.Rows += uint64(len(i.Flows))
		s.Active += float64(float64(len(i.Flows)) * float64(i.ToPs-i.FromPs))
		busy += float64(i.ToPs - i.FromPs)
		if err := t.interval(flows, i); err != nil {
			return err
		}
		return watch(i)
	})
	if err != nil {
		return s, err
	}
	if busy > 0 {
		s.Active /= busy
	}
	for i, c := range done {
		if c.EndPs >= 0 {
			s.Finished++
			s.MeanFCT += float64(c.EndPs - flows[i].StartPs)
		}
	}
	if s.Finished > 0 {
		s.MeanFCT /= float64(s.Finished)
	}
	return s, t.end(flows, done)
}

// completions writes optimal_flows alone, whose times may be those of another
// run with the same flows, paths, capacities and utilities. Where a run ends
// with its last measured flow, so does the fluid.
func (o *Oracle) completions(seed uint64, shared *Shared, watch func(num.Interval) error, create func(trace.Table) (*trace.TableWriter, error)) error {
	flows, arrivals, err := o.arrivals(seed)
	if err != nil {
		return err
	}
	t, err := newTables(o, []string{FlowsTable}, create)
	if err != nil {
		return err
	}
	last := int64(math.MaxInt64) // start of a measured flow
	if o.point.Scenario.StopWhenFlowsFinish {
		last = -1
	}
	for _, f := range flows {
		if f.Measured {
			last = max(last, f.StartPs)
		}
	}
	done, err := shared.completions(o.key(flows, arrivals), func() ([]num.Completion, error) {
		return o.fluid(arrivals, func(i num.Interval) error {
			if err := watch(i); err != nil {
				return err
			}
			if i.ToPs > last && !slices.ContainsFunc(i.Stay, func(k int) bool { return flows[k].Measured }) {
				return num.ErrEnough
			}
			return nil
		})
	})
	if err != nil {
		return err
	}
	return t.end(flows, done)
}

// fluid lets the flows send at their optimal rates.
func (o *Oracle) fluid(arrivals []num.Arrival, each func(num.Interval) error) ([]num.Completion, error) {
	var allocate num.Allocate = num.Solve
	if o.utility.Name == MaxMin {
		allocate = func(p *num.Problem, _ *num.Solution) (*num.Solution, error) { return num.MaxMin(p) }
	}
	if o.utility.AckShare > 0 {
		allocate = num.BesideAcks(o.utility.AckShare, allocate)
	}
	return num.Fluid(o.paths.links, o.paths.changes, UnitBps, arrivals, o.point.Scenario.StopPs, allocate, each)
}

// arrivals are the flows of a seed that start before the end.
func (o *Oracle) arrivals(seed uint64) ([]scenario.Flow, []num.Arrival, error) {
	var flows []scenario.Flow
	var arrivals []num.Arrival
	for f, err := range o.point.Flows.Flows(seed) {
		if err != nil {
			return nil, nil, err
		}
		if f.StartPs >= o.point.Scenario.StopPs {
			break // sorted by start
		}
		a, err := o.arrival(&f)
		if err != nil {
			return nil, nil, err
		}
		flows, arrivals = append(flows, f), append(arrivals, a)
	}
	return flows, arrivals, nil
}

// arrival is a flow as the fluid has it.
func (o *Oracle) arrival(f *scenario.Flow) (a num.Arrival, err error) {
	a = num.Arrival{AtPs: f.StartPs, Bytes: float64(o.point.Framing().WireBytes(f.Size)), StopPs: f.StopPs}
	a.Name = fmt.Sprint(f.ID)
	if f.ClosedLoop {
		return a, fmt.Errorf("flow %d is a message in a closed loop, which starts when the one before has been carried in the run; the oracle needs flows with a start of their own", f.ID)
	}
	if len(f.After) > 0 || f.Task() {
		return a, fmt.Errorf("flow %d waits for others, or others for it, and starts when they have been carried in the run; the oracle needs flows with a start of their own", f.ID)
	}
	if a.Utility, err = o.utility.of(f, o.point); err != nil {
		return a, fmt.Errorf("flow %d: %w", f.ID, err)
	}
	if n := o.paths.subflows(f.Src); n > 1 && o.utility.Name == MaxMin {
		return a, fmt.Errorf("flow %d has %d sub-flows, and max_min is for flows with one path; write utility: %s with a large alpha, or mptcp.subflows: 1", f.ID, n, AlphaFair)
	}
	if a.Paths, err = o.paths.of(f); err != nil {
		return a, err
	}
	if o.utility.AckShare > 0 {
		a.Acks, err = o.paths.back(f)
	}
	return a, err
}
