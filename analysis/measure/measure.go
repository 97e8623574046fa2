package measure

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"fabriclab/analysis/fct"
	"fabriclab/analysis/series"
	"fabriclab/analysis/spec"
	"fabriclab/analysis/stats"
	"fabriclab/analysis/table"
	"fabriclab/base/reader"
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

// Least is what a value of a kind in a unit is not below: 1 for slowdowns; minus
// infinity where it may be below 0.
func Least(kind, unit string) float64 {
	k := kinds[kind]
	scale, err := Scale(k.Quantity, unit)
	if k.Signed || err != nil {
		return math.Inf(-1)
	}
	return k.Least / scale
}

// BetterOf is the direction in which a kind of measure is better.
func BetterOf(name string) Better { return kinds[name].Better }

// A Kind is a kind of measure: what it is, which keys it reads, and how it is
// taken, in the base unit of its quantity.
type Kind struct {
	Name, Title string
	From        []string // the tables, or columns (table.column), that it is taken from; the kind table: any
	Quantity    Quantity
	Better      Better
	Signed      bool     // it can be below 0
	Least       float64  // what it is not below
	Needs       []string // of keys: must be given
	Allows      []string // may be given
	Ports       int      // how many it needs at least
	// Events: the window only chooses events, so it may reach beyond the run.
	Events bool
	// Complete: of a run that ended with its flows it is right for a later window, too.
	Complete bool
	// Counts: it is taken from what a table counts between samples, so it needs one at both
	// ends of its window.
	Counts bool
	// Before and After its event it needs its tables, at least.
	Before, After  int64
	Methods, Stats []string // what method and stat may be; nil: the usual statistics
	// Read reads keys that only this kind has, and says what is wrong with the others.
	Read func(s *reader.Section, m *spec.Measure, f *spec.Figure)
	Take func(in) (float64, error)
	// Spread are the values that the measure sums up, which a cdf shows; nil
	// where it is one value by itself.
	Spread func(in) ([]float64, error)
}

func (k *Kind) stats() []string {
	if k.Stats != nil {
		return k.Stats
	}
	return stats.Names
}

// kinds are those there are: each file registers its own.
var kinds = map[string]Kind{}

func register(k Kind) { kinds[k.Name] = k }

// KindOf is a kind by its name.
func KindOf(name string) Kind { return kinds[name] }

// Kinds lists the kinds of measures.
func Kinds() []string { return slices.Sorted(maps.Keys(kinds)) }

// A Taker takes the measures of a figure. It keeps the flows of the run it
// measured last, so take all measures of a run in a row.
type Taker struct {
	f     *spec.Figure
	dir   string
	flows *fct.Flows
	ran   ran // the run asked for last
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
	v, err := k.Take(x)
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
	values, err := kinds[m.Kind].Spread(x)
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
	return Spreads(kind) && slices.Contains(kinds[kind].Allows, "min_size")
}

// Spreads says whether a kind of measure sums up values.
func Spreads(kind string) bool { return kinds[kind].Spread != nil }

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
	if scale, err = Scale(kinds[m.Kind].Quantity, m.Unit); err != nil {
		return in{}, 0, err
	}
	x = in{t: t, dir: run.Dir, m: m}
	if m.Window != nil {
		if x.window, err = t.f.Span(*m.Window, run.Judged); err != nil {
			return in{}, 0, err
		}
	}
	if m.Port != "" || m.PortBy != nil {
		if x.port, err = portOf(t.f, m.Source, run); err != nil {
			return in{}, 0, err
		}
	}
	if err := t.recorded(m, x.port, run); err != nil {
		return in{}, 0, err
	}
	if m.Class != nil {
		x.class, err = classOf(*m.Class, run.Dir)
	}
	return x, scale, err
}

// hold is what the measure asks for, or what is usual for its kind.
func (x in) hold(usual int64) int64 {
	if x.m.Hold != nil {
		return int64(*x.m.Hold)
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

// sampleKey says what a sample is of.
type sampleKey struct {
	dir, kind string
	from, to  int64
}

func inRun(dir string, err error) error {
	if err != nil {
		return fmt.Errorf("run %s: %w", dir, err)
	}
	return nil
}
