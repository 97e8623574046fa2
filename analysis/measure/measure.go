package measure

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"fabriclab/analysis/fct"
	"fabriclab/analysis/series"
	"fabriclab/analysis/spec"
	"fabriclab/analysis/stats"
	"fabriclab/analysis/table"
)

// in is what a kind's function gets: the run, and the measure with its names
// looked up.
type in struct {
	t      *Taker
	dir    string
	m      spec.Measure
	port   string
	class  int64
	window series.Window
}

// Better is the direction in which a measure is better.
type Better int

// The directions.
const (
	Neither Better = iota
	Lower
	Higher
)

func (b Better) String() string { return [...]string{"neither", "lower", "higher"}[b] }

// Negative says whether a kind of measure can be below 0.
func Negative(kind string) bool {
	return slices.Contains([]string{"table", "rate_deviation", "log_rate"}, kind)
}

// BetterOf is the direction in which a kind of measure is better.
func BetterOf(name string) Better { return kinds[name].better }

// A kind is how a measure is taken, in the base unit of its quantity.
type kind struct {
	quantity Quantity
	better   Better
	needs    []string // keys that must be given
	allows   []string // keys that may
	take     func(in) (float64, error)
	// spread are the values that the measure sums up, which a cdf shows; nil
	// where it is one value by itself.
	spread func(in) ([]float64, error)
}

var kinds = map[string]kind{
	"queue_peak": {Bytes, Lower, []string{"port", "class", "window"}, nil, ofQueue(QueueSamples.Peak), nil},
	"queue_mean": {Bytes, Lower, []string{"port", "class", "window"}, nil, ofQueue(QueueSamples.Mean), queueSamples},
	"queue_percentile": {Bytes, Lower, []string{"port", "class", "window", "percentile"}, nil, func(x in) (float64, error) {
		return ofQueue(func(s QueueSamples) float64 { return s.Percentile(x.m.Percentile) })(x)
	}, queueSamples},
	"queue_ports":   {Bytes, Lower, []string{"ports", "class", "window", "stat"}, nil, statOf(queueMeans), queueMeans},
	"utilisation":   {Share, Higher, []string{"port", "window", "count"}, nil, utilisation, nil},
	"slowdown_time": {Time, Lower, []string{"flow", "event"}, []string{"share"}, slowdownTime, nil},
	"fair_time":     {Time, Lower, []string{"flows", "port", "event"}, []string{"share"}, fairTime, nil},
	"join_time":     {Time, Lower, []string{"node", "port", "stat"}, []string{"window", "hold"}, statOf(joinTimes), joinTimes},
	"recovery_time": {Time, Lower, []string{"flows", "port", "event"}, nil, recoveryTime, nil},
	"jitter":        {Share, Lower, []string{"flows", "window"}, []string{"method"}, jitter, nil},
	"rate_share":    {Share, Neither, []string{"flows", "port", "window"}, nil, rateShare, nil},
	"jain": {Share, Higher, []string{"flows", "window"}, nil, func(x in) (float64, error) {
		return JainOfAcked(x.dir, x.m.Flows, x.window)
	}, nil},
	"pauses":           {Count, Lower, []string{"node", "class", "window"}, []string{"port"}, pauses, nil},
	"paused_time":      {Time, Lower, []string{"port", "window"}, nil, pausedTime, nil},
	"drops":            {Count, Lower, []string{"window"}, nil, drops, nil},
	"fct_slowdown":     {Share, Lower, []string{"stat"}, []string{"min_size", "max_size"}, statOfFlows(slowdowns), ofFlows(slowdowns)},
	"fct":              {Time, Lower, []string{"stat"}, []string{"min_size", "max_size"}, statOfFlows(times), ofFlows(times)},
	"log_rate":         {Share, Higher, []string{"stat"}, []string{"min_size", "max_size"}, statOfFlows(logRates), ofFlows(logRates)},
	"fct_normalised":   {Share, Lower, nil, []string{"min_size", "max_size"}, fctNormalised, nil},
	"imbalance":        {Share, Lower, []string{"ports", "window", "interval", "count", "stat"}, nil, statOf(imbalance), imbalance},
	"flowlet_size":     {Bytes, Lower, []string{"gap", "percentile"}, nil, flowletSize, flowletSizes},
	"reordering":       {Share, Lower, nil, []string{"min_size", "max_size"}, reordering, nil},
	"group_time":       {Time, Lower, []string{"group"}, nil, groupTime, nil},
	"table":            {Any, Neither, []string{"table", "stat"}, []string{"column", "where", "window", "by", "across", "percentile", "port"}, ofColumn, columnValues},
	"convergence_time": {Time, Lower, []string{"stat"}, []string{"window", "hold", "method"}, statOf(settleTimes), settleTimes},
	"carried_share":    {Share, Higher, []string{"window"}, nil, carriedShare, nil},
	"converged":        {Share, Higher, nil, []string{"window", "hold"}, converged, nil},
	"unconverged":      {Count, Lower, nil, []string{"window", "hold"}, unconverged, nil},
	"throughput":       {Rate, Higher, []string{"window", "stat"}, []string{"flows"}, statOf(throughputs), throughputs},
	"rate_deviation":   {Share, Neither, []string{"stat"}, []string{"min_size", "max_size"}, statOfFlows(deviations), ofFlows(deviations)},
	"collective_time":  {Time, Lower, []string{"stat"}, []string{"group"}, statOf(collectiveTimes), collectiveTimes},
	"iteration_time":   {Time, Lower, []string{"stat"}, []string{"group"}, statOf(iterationTimes), iterationTimes},
	"bus_bandwidth":    {Rate, Higher, []string{"stat"}, []string{"group"}, statOf(busBandwidths), busBandwidths},
	"bus_share":        {Share, Higher, []string{"stat"}, []string{"group"}, statOf(busShares), busShares},
	"straggler_delay":  {Time, Lower, []string{"stat"}, []string{"group"}, statOf(stragglerDelays), stragglerDelays},
	"group_throughput": {Share, Higher, nil, []string{"group"}, groupThroughput, nil},
}

// methods are those of the kinds that have several.
var methods = map[string][]string{
	"jitter":           {"variation", "range"},
	"convergence_time": {methodConverged},
}

// Methods lists those of all kinds.
func Methods() []string { return slices.Concat(methods["jitter"], methods["convergence_time"]) }

// Kinds lists the kinds of measures.
func Kinds() []string {
	names := make([]string, 0, len(kinds))
	for k := range kinds {
		names = append(names, k)
	}
	slices.Sort(names)
	return names
}

// Rule is what a kind of measure or of series takes.
type Rule struct {
	Needs  []string // keys that must be given; port may be port_by
	Allows []string // keys that may
	Units  []string // nil: that of the column
	Stats  []string // what stat may be; nil where there is none
}

// RuleOf is the rule of a kind of measure.
func RuleOf(name string) Rule {
	k := kinds[name]
	r := Rule{Needs: k.needs, Allows: k.allows, Units: Units(k.quantity)}
	if slices.Contains(k.needs, "stat") || slices.Contains(k.allows, "stat") {
		r.Stats = stats.Names
	}
	if k.quantity == Any {
		r.Units, r.Stats = nil, Stats
	}
	return r
}

// Check says what is wrong with a measure, before any run.
func Check(f *spec.Figure, m spec.Measure) error {
	k, ok := kinds[m.Kind]
	if !ok {
		return unknown("kind of measure", m.Kind, Kinds())
	}
	if _, err := Scale(k.quantity, m.Unit); err != nil {
		return fmt.Errorf("unit: %w", err)
	}
	given := m.Given()
	for _, need := range k.needs {
		if !slices.Contains(given, need) {
			return fmt.Errorf("%s needs %s", m.Kind, need)
		}
	}
	for _, g := range given {
		if !slices.Contains(k.needs, g) && !slices.Contains(k.allows, g) {
			return fmt.Errorf("%s does not take %s", m.Kind, g)
		}
	}
	if m.Window != nil {
		if _, err := f.Span(*m.Window); err != nil {
			return err
		}
	}
	switch {
	case m.Percentile < 0 || m.Percentile > 100:
		return fmt.Errorf("percentile %g is not between 0 and 100", m.Percentile)
	case m.Share < 0 || m.Share > 1:
		return fmt.Errorf("share %g is not between 0 and 1", m.Share)
	case m.Method != "" && !slices.Contains(methods[m.Kind], m.Method):
		return unknown("method", m.Method, methods[m.Kind])
	case m.Stat != "" && !slices.Contains(RuleOf(m.Kind).Stats, m.Stat):
		return unknown("stat", m.Stat, RuleOf(m.Kind).Stats)
	case m.Flows != nil && len(m.Flows) == 0:
		return fmt.Errorf("flows is empty")
	case m.Kind == "imbalance" && len(m.Ports) < 2:
		return fmt.Errorf("imbalance needs two ports or more: of one port it is always 0")
	case m.Kind == "queue_ports" && len(m.Ports) == 0:
		return fmt.Errorf("ports is empty")
	case m.Interval < 0 || m.Kind == "imbalance" && m.Interval == 0:
		return fmt.Errorf("interval is not above 0")
	case m.Kind == "jain" && len(m.Flows) < 2:
		return fmt.Errorf("jain needs two flows or more: of one flow it is always 1")
	}
	if m.Kind == "table" {
		if err := checkTable(f, m); err != nil {
			return err
		}
	}
	return checkSource(f, m.Source)
}

func checkSource(f *spec.Figure, s spec.Source) error {
	if s.Port != "" && s.PortBy != nil {
		return fmt.Errorf("port and port_by exclude each other")
	}
	if len(s.PortBy) > 1 {
		return fmt.Errorf("port_by names %d dimensions; it takes one", len(s.PortBy))
	}
	for dimension := range s.PortBy {
		if _, err := f.Dimensions.Get("dimension", dimension); err != nil {
			return err
		}
	}
	if s.Count != "" && s.Count != string(Wire) && s.Count != string(Payload) {
		return unknown("count", s.Count, []string{string(Wire), string(Payload)})
	}
	return nil
}

// A Taker takes the measures of a figure. It keeps the flows of the run it
// measured last, so take all measures of a run in a row.
type Taker struct {
	f     *spec.Figure
	dir   string
	flows *fct.Flows
	// settled are the convergence times taken last.
	settled struct {
		key   settleKey
		times []float64
	}
	// sampled is what the last measure of flows was taken of.
	sampled struct {
		key  sampleKey
		from fct.Sample
	}
}

// NewTaker makes a Taker.
func NewTaker(f *spec.Figure) *Taker { return &Taker{f: f} }

// Take measures one run, in the measure's unit; Never for a time that does
// not come. Beside an error that IsBound, the value is the bound.
func (t *Taker) Take(m spec.Measure, run spec.Run) (float64, error) {
	k := kinds[m.Kind]
	x, scale, err := t.in(m, run)
	if err != nil {
		return 0, err
	}
	v, err := k.take(x)
	if math.IsNaN(v) && (err == nil || IsBound(err)) {
		return 0, fmt.Errorf("run %s: %s has no value", run.Dir, m.Kind)
	}
	return v / scale, err
}

// Spread are the values that the measure sums up in one run, in its unit, in
// no order. There is one or more.
func (t *Taker) Spread(m spec.Measure, run spec.Run) ([]float64, error) {
	x, scale, err := t.in(m, run)
	if err != nil {
		return nil, err
	}
	values, err := kinds[m.Kind].spread(x)
	if err == nil && len(values) == 0 {
		err = fmt.Errorf("run %s: %s has no value", run.Dir, m.Kind)
	}
	scaled := make([]float64, len(values))
	for i, v := range values {
		scaled[i] = v / scale
	}
	return scaled, err
}

// OfFlows says whether a kind of measure sums up a number of each flow.
func OfFlows(kind string) bool {
	return Spreads(kind) && slices.Contains(kinds[kind].allows, "min_size")
}

// Spreads says whether a kind of measure sums up values.
func Spreads(kind string) bool { return kinds[kind].spread != nil }

// Spreading lists the kinds that do.
func Spreading() []string {
	return slices.DeleteFunc(Kinds(), func(k string) bool { return !Spreads(k) })
}

// in looks up what the measure names in a run. Its value in the base unit is
// to be divided by the scale.
func (t *Taker) in(m spec.Measure, run spec.Run) (x in, scale float64, err error) {
	if err := run.Failure(); err != nil {
		return in{}, 0, err
	}
	if scale, err = Scale(kinds[m.Kind].quantity, m.Unit); err != nil {
		return in{}, 0, err
	}
	x = in{t: t, dir: run.Dir, m: m}
	if m.Window != nil {
		if x.window, err = t.f.Span(*m.Window); err != nil {
			return in{}, 0, err
		}
	}
	if m.Class != nil {
		if x.class, err = classOf(*m.Class, run.Dir); err != nil {
			return in{}, 0, err
		}
	}
	if m.Port != "" || m.PortBy != nil {
		x.port, err = portOf(t.f, m.Source, run)
	}
	return x, scale, err
}

// hold is what the measure asks for, or what is usual for its kind.
func (x in) hold(usual int64) int64 {
	if x.m.Hold != 0 {
		return int64(x.m.Hold)
	}
	return usual
}

// classOf is the number of a class in a run.
func classOf(c spec.Class, dir string) (int64, error) {
	if c != spec.Data {
		return int64(c), nil
	}
	network, err := table.ReadNetwork(dir)
	if err != nil {
		return 0, err
	}
	return network.DataClass()
}

// portOf is the port that a source means in a run.
func portOf(f *spec.Figure, s spec.Source, run spec.Run) (string, error) {
	port, err := s.PortOf(f.Values(run))
	if err != nil {
		return "", err
	}
	network, err := table.ReadNetwork(run.Dir)
	if err != nil {
		return "", err
	}
	_, err = network.Rate(port) // there is such a port
	return port, err
}

// linkRate is the rate of the link of a port.
func linkRate(dir, port string) (float64, error) {
	network, err := table.ReadNetwork(dir)
	if err != nil {
		return 0, err
	}
	link, err := network.SteadyRate(port)
	return float64(link), err
}

// meanRate is what the link of a port that there is could carry over a time.
func meanRate(dir, port string) (MeanRate, error) {
	network, err := table.ReadNetwork(dir)
	if err != nil {
		return nil, err
	}
	if _, err := network.Rate(port); err != nil {
		return nil, err
	}
	return func(fromPs, toPs int64) float64 {
		rate, _ := network.MeanRate(port, fromPs, toPs)
		return rate
	}, nil
}

func ofQueue(of func(QueueSamples) float64) func(in) (float64, error) {
	return func(x in) (float64, error) {
		s, err := Queue(x.dir, x.port, x.class, x.window)
		if err != nil {
			return 0, err
		}
		return of(s), nil
	}
}

func queueSamples(x in) ([]float64, error) {
	s, err := Queue(x.dir, x.port, x.class, x.window)
	return s.Bytes.Values(), err
}

// queueMeans are the means of the queues of all ports that match.
func queueMeans(x in) ([]float64, error) {
	return QueueMeans(x.dir, x.m.Ports, x.class, x.window)
}

// statOf is the measure's statistic of the values.
func statOf(spread func(in) ([]float64, error)) func(in) (float64, error) {
	return func(x in) (float64, error) {
		values, err := spread(x)
		if err != nil {
			return 0, err
		}
		return stats.Of(values, x.m.Stat)
	}
}

func utilisation(x in) (float64, error) {
	counter, err := LinkBytes(x.dir, x.port, ByteCount(x.m.Count), x.window.From)
	if err != nil {
		return 0, inRun(x.dir, err)
	}
	rate, err := meanRate(x.dir, x.port)
	if err != nil {
		return 0, err
	}
	u, err := Utilisation(counter, rate, x.window)
	return u, inRun(x.dir, err)
}

func slowdownTime(x in) (float64, error) {
	s, err := FlowRates(x.dir, Pacing, []int64{*x.m.Flow})
	if err != nil {
		return 0, err
	}
	t, err := SlowdownTime(s[0], int64(*x.m.Event), cmp.Or(x.m.Share, Slow))
	return t, inRun(x.dir, err)
}

func fairTime(x in) (float64, error) {
	s, err := FlowRates(x.dir, Pacing, x.m.Flows)
	if err != nil {
		return 0, err
	}
	link, err := linkRate(x.dir, x.port)
	if err != nil {
		return 0, err
	}
	target := link / float64(len(x.m.Flows))
	if x.m.Share != 0 {
		target = link * x.m.Share
	}
	return FairTime(s, target, int64(*x.m.Event)), nil
}

func recoveryTime(x in) (float64, error) {
	s, err := FlowRates(x.dir, Pacing, x.m.Flows)
	if err != nil {
		return 0, err
	}
	link, err := linkRate(x.dir, x.port)
	return RecoveryTime(s, link, int64(*x.m.Event)), err
}

func jitter(x in) (float64, error) {
	of := Variation
	if x.m.Method == "range" {
		of = Range
	}
	return meanOver(x, of)
}

func rateShare(x in) (float64, error) {
	link, err := linkRate(x.dir, x.port)
	if err != nil {
		return 0, err
	}
	fair := link / float64(len(x.m.Flows))
	return meanOver(x, func(s series.Series) (float64, error) {
		if len(s) == 0 {
			return 0, fmt.Errorf("no rate sample in the window")
		}
		return s.Mean() / fair, nil
	})
}

// meanOver is the mean over the flows of what each one's rate in the window is.
func meanOver(x in, of func(series.Series) (float64, error)) (float64, error) {
	list, err := FlowRates(x.dir, Pacing, x.m.Flows)
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for i, s := range list {
		v, err := of(s.In(x.window))
		if err != nil {
			return 0, fmt.Errorf("run %s: flow %d, %s: %w", x.dir, x.m.Flows[i], x.window, err)
		}
		sum += v
	}
	return sum / float64(len(list)), nil
}

func pauses(x in) (float64, error) {
	network, err := table.ReadNetwork(x.dir)
	if err == nil {
		err = network.CheckNode(x.m.Node)
	}
	if err != nil {
		return 0, err
	}
	counts, err := PausesSent(x.dir, x.window)
	return float64(XoffSent(counts, x.m.Node, x.port, x.class)), err
}

func pausedTime(x in) (float64, error) {
	s, err := PausedTime(x.dir, x.port, x.window.From)
	if err != nil {
		return 0, inRun(x.dir, err)
	}
	return s.Growth(x.window), nil
}

func drops(x in) (float64, error) {
	n := 0
	err := table.Scan(x.dir, "drops", table.Ints("time_ps"), func(r *table.Rows) error {
		for i := range r.N {
			if x.window.Contains(r.Int(0, i)) {
				n++
			}
		}
		return nil
	})
	return float64(n), err
}

// flows are the measured flows of the run.
func (x in) flows() (*fct.Flows, error) {
	if x.t.flows == nil || x.t.dir != x.dir {
		flows, err := fct.Read(x.dir, false)
		if err != nil {
			return nil, err
		}
		x.t.dir, x.t.flows = x.dir, flows
	}
	return x.t.flows, nil
}

func (x in) maxSize() int64 {
	if x.m.MaxSize == 0 {
		return math.MaxInt64
	}
	return int64(x.m.MaxSize)
}

func slowdowns(x in) (fct.Sample, error) { return x.sample((*fct.Flows).Slowdowns) }

func times(x in) (fct.Sample, error) { return x.sample((*fct.Flows).Times) }

func logRates(x in) (fct.Sample, error) { return x.sample((*fct.Flows).LogRates) }

// sample is a number of each of the measured flows of the measure's sizes.
func (x in) sample(of func(f *fct.Flows, from, to int64) fct.Sample) (fct.Sample, error) {
	flows, err := x.flows()
	if err != nil {
		return fct.Sample{}, err
	}
	return of(flows, int64(x.m.MinSize), x.maxSize()), nil
}

// sampleKey says what a sample is of.
type sampleKey struct {
	dir, kind string
	from, to  int64
}

// once takes a sample, or gives the one that was taken last: a measure's
// statistic and the flows behind it are asked for one after the other.
func (x in) once(sample func(in) (fct.Sample, error)) (fct.Sample, error) {
	key := sampleKey{x.dir, x.m.Kind, int64(x.m.MinSize), int64(x.m.MaxSize)}
	if x.t.sampled.key == key {
		return x.t.sampled.from, nil
	}
	s, err := sample(x)
	if err == nil {
		x.t.sampled.key, x.t.sampled.from = key, s
	}
	return s, err
}

// statOfFlows is the measure's statistic of a number of flows.
func statOfFlows(sample func(in) (fct.Sample, error)) func(in) (float64, error) {
	return func(x in) (float64, error) {
		s, err := x.once(sample)
		if err != nil {
			return 0, err
		}
		v, err := s.Of(x.m.Stat)
		return v, inRun(x.dir, err)
	}
}

// ofFlows are the numbers of flows, those of unfinished ones beyond all others.
func ofFlows(sample func(in) (fct.Sample, error)) func(in) ([]float64, error) {
	return func(x in) ([]float64, error) {
		s, err := x.once(sample)
		if err != nil {
			return nil, err
		}
		values, err := s.All()
		return values, inRun(x.dir, err)
	}
}

func fctNormalised(x in) (float64, error) {
	flows, err := x.flows()
	if err != nil {
		return 0, err
	}
	v, err := flows.Normalised(int64(x.m.MinSize), x.maxSize())
	return v, inRun(x.dir, err)
}

func imbalance(x in) ([]float64, error) {
	values, err := Imbalance(x.dir, x.m.Ports, ByteCount(x.m.Count), x.window, int64(x.m.Interval))
	return values, inRun(x.dir, err)
}

func flowletSize(x in) (float64, error) {
	sizes, err := FlowletSizes(x.dir, int64(x.m.Gap))
	if err != nil {
		return 0, err
	}
	return float64(BytesPercentile(sizes, x.m.Percentile)), nil
}

// flowletSizes are the sizes that shares of the bytes, from 0.1 to 100 % in
// equal steps, do not exceed: as many of each size as it has bytes.
func flowletSizes(x in) ([]float64, error) {
	sizes, err := FlowletSizes(x.dir, int64(x.m.Gap))
	if err != nil {
		return nil, err
	}
	const steps = 1000
	values := make([]float64, 0, steps)
	for i := 1; i <= steps; i++ {
		values = append(values, float64(BytesPercentile(sizes, 100*float64(i)/steps)))
	}
	return values, nil
}

// reordering is the share of the data packets that came out of order.
func reordering(x in) (float64, error) {
	columns := append(table.Ints("size_bytes", "packets", "reordered"), table.Column{Name: "measured", Type: table.Bool})
	var packets, reordered int64
	err := table.Scan(x.dir, "flows", columns, func(r *table.Rows) error {
		for i := range r.N {
			if size := r.Int(0, i); r.Bool(3, i) && size >= int64(x.m.MinSize) && size < x.maxSize() {
				packets += r.Int(1, i)
				reordered += r.Int(2, i)
			}
		}
		return nil
	})
	if err == nil && packets == 0 {
		err = inRun(x.dir, fmt.Errorf("there are no packets of measured flows"))
	}
	return float64(reordered) / float64(packets), err
}

// carriedShare is the load carried over the load offered, of the bins in the window.
func carriedShare(x in) (float64, error) {
	var carried, offered float64
	columns := append(table.Ints("time_ps"), table.Column{Name: "carried_bps", Type: table.Float}, table.Column{Name: "offered_bps", Type: table.Float})
	err := table.Scan(x.dir, "load", columns, func(r *table.Rows) error {
		for i := range r.N {
			if x.window.Contains(r.Int(0, i)) {
				carried += r.Float(1, i)
				offered += r.Float(2, i)
			}
		}
		return nil
	})
	if err == nil && offered == 0 {
		err = inRun(x.dir, fmt.Errorf("no load was offered from %s", x.window))
	}
	return carried / offered, err
}

func groupTime(x in) (float64, error) {
	groups, err := Groups(x.dir)
	if err != nil {
		return 0, err
	}
	g, err := OneGroup(groups, *x.m.Group)
	if err != nil {
		return 0, inRun(x.dir, err)
	}
	took, err := g.Time()
	return float64(took), inRun(x.dir, err)
}

// groupThroughput is over the rate of the receiver's own link, the mean over
// the measured groups or of one group.
func groupThroughput(x in) (float64, error) {
	groups, err := Groups(x.dir)
	if err == nil && x.m.Group != nil {
		var one Group
		one, err = OneGroup(groups, *x.m.Group)
		groups = []Group{one}
	}
	if err != nil {
		return 0, inRun(x.dir, err)
	}
	network, err := table.ReadNetwork(x.dir)
	if err != nil {
		return 0, err
	}
	sum, n := 0.0, 0
	for _, g := range groups {
		if !g.Measured && x.m.Group == nil {
			continue
		}
		throughput, err := g.Throughput()
		if err != nil {
			return 0, inRun(x.dir, err)
		}
		link, err := network.AccessRate(g.Receiver, g.Start, g.End)
		if err != nil {
			return 0, inRun(x.dir, fmt.Errorf("group %d: %w", g.ID, err))
		}
		sum += throughput / link
		n++
	}
	if n == 0 {
		return 0, inRun(x.dir, fmt.Errorf("there is no group whose flows are all measured"))
	}
	return sum / float64(n), nil
}

func inRun(dir string, err error) error {
	if err != nil {
		return fmt.Errorf("run %s: %w", dir, err)
	}
	return nil
}
