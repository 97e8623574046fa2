// Package spec is the `figure:` section of an experiment (docs/claims.md) as Go
// values, and the runs it is about.
package spec

import (
	"errors"
	"fmt"
	"slices"

	"fabriclab/analysis/series"
	"fabriclab/base/catalog"
)

// A Run is the result of one scenario: where its tables are, and where it
// stands in the matrix. A run that failed is listed too, with Err, so that what
// is said about it is not-evaluated rather than left out.
type Run struct {
	Dir    string
	Labels map[string]string // matrix path -> value
	Engine string
	Seed   uint64
	Build  string // which build of the engine made it
	Err    error  // why there is no result, if there is none
	// Judged is the measuring window of a point that carries a load, of which
	// Unsettled says why it is not in steady state, if it is not. Zero: the point
	// carries none.
	Judged    series.Window
	Unsettled string
}

// Failure is what measures and pictures say of a run that failed; why is in the
// list of runs, with its log.
func (r Run) Failure() error {
	if r.Err == nil {
		return nil
	}
	return errors.New("the run failed")
}

// A Figure is the `figure:` section of one experiment.
type Figure struct {
	Dimensions Ordered[Dimension]
	Windows    Ordered[Window]
	Measures   Ordered[Measure]
	Claims     []Claim
	Plots      []Plot
	// Known is what is known of the experiment beside this section.
	Known
	// Warnings are of what a narrowed experiment cannot have.
	Warnings []string
}

// Tables are tables by name.
type Tables map[string]catalog.Table

// A Dimension is a short name for a matrix path.
type Dimension struct {
	Path  string
	Names map[string]string // of values, as shown
}

// Name is how a value is shown.
func (d Dimension) Name(value string) string {
	if n, ok := d.Names[value]; ok {
		return n
	}
	return value
}

// A Source is what both a measure and a plotted series say of where in the
// network they look.
type Source struct {
	Port   string
	PortBy map[string]map[string]string // dimension -> value -> port
	Class  *Class
	Flow   *int64
	Count  string
}

// A Class is a priority class; Data is that of a run's data packets, which
// differs between transports.
type Class int64

// Data is the class that data packets have where the flows say nothing else.
const Data Class = -1

// PortOf is the port for a run with the given values of the dimensions.
func (s Source) PortOf(values map[string]string) (string, error) {
	if s.Port != "" {
		return s.Port, nil
	}
	for dimension, ports := range s.PortBy {
		if port, ok := ports[values[dimension]]; ok {
			return port, nil
		}
		return "", fmt.Errorf("port_by names no port for %s = %s", dimension, values[dimension])
	}
	return "", fmt.Errorf("no port is named")
}

// A Column names a column of any table, and the rows of it that count.
type Column struct {
	Table  string
	Column string
	Over   string               // a column by whose value in the same row each is divided; "" = none
	Where  map[string]Condition // column -> what its value is
}

// A Condition is what the value of a column has to be.
type Condition struct {
	// Sign is one of "", <, <=, >, >= and !=; "" is equal to one of the values.
	Sign   string
	Values []string
}

// A Measure is one number per run.
type Measure struct {
	Kind string
	Text string
	Unit string
	Source
	Column
	By         []string
	Across     string
	Node       string
	Flows      []int64
	Window     *Window
	Event      *Time
	Percentile *float64
	Method     string
	Share      *float64
	Stat       string
	MinSize    Size
	MaxSize    Size
	Ports      []string
	Interval   Time
	Group      *int64
	Gap        Time
	Hold       *Time
	// Own is what a kind reads by itself.
	Own any
}

// A Claim is a statement of the paper.
type Claim struct {
	ID           string
	Text         string
	Source       string
	Where        map[string]string
	Each         []string
	By           string
	Measure      Values // order holds of each
	Order        []string
	Value        string
	Expected     *float64
	Unit         string
	Tolerance    *Percent
	ToleranceAbs *float64
	Holds        string
	MeanOver     Points // value is the mean of these points' values
	Mean         string // which: arithmetic, if it is not given, geometric or largest
	Scales       []string
	Unsettled    Points      // points beyond saturation by design, which need not settle
	Check        string      // what of the set-up it checks: it decides no statement
	Superseded   *Superseded // it is judged no more
	Control      *Control    // for which it has to fail
	Note         string
	Notes        []Note
	Line         int
}

// MayDrift says whether the claim is judged of a point with these values
// although its network has not settled.
func (c Claim) MayDrift(values map[string]string) bool {
	for dimension, some := range c.Unsettled {
		if !slices.Contains(some, values[dimension]) {
			return false
		}
	}
	return len(c.Unsettled) > 0
}

// Points are those of the matrix with one of these values of each dimension.
type Points map[string]Values

// Values are one value or a list of them.
type Values []string

// A Note stands beside a verdict, or only beside some.
type Note struct {
	Where   map[string]string
	Verdict string
	Scales  []string
	Text    string
}

// A Plot is a picture of one or more panels.
type Plot struct {
	ID       string
	Title    string
	Kind     string
	Rows     string
	Columns  string
	Lines    string
	X        string
	Measures []string // by name
	Where    map[string]string
	Marks    []Mark
	LogX     bool
	LogY     bool
	// Own is what its kind reads by itself.
	Own any
}

// A Series is what a line of a time plot shows.
type Series struct {
	Kind string
	Name string
	Unit string
	Source
	Column
	Interval Time
}

// A Mark is a dashed line at a time (X) or a value (Y, in the axis's unit).
type Mark struct {
	X     *Time
	Y     *float64
	Text  string
	Where map[string]string
}

// Time is a time in picoseconds, written with its unit.
type Time int64

// Size is a size in bytes, written with its unit.
type Size int64

// Percent is a share written as a percentage: 5% is 0.05.
type Percent float64

// A Window is a span of time, or (Name set) stands for one of `windows:` or Measuring.
type Window struct {
	series.Window
	Name string
}

// Ordered is a mapping that keeps the order it was written in.
type Ordered[T any] struct {
	Names []string
	Items map[string]T
}

// Get is an item by its name, or an error that names the nearest one.
func (o Ordered[T]) Get(what, name string) (T, error) {
	v, ok := o.Items[name]
	if !ok {
		return v, fmt.Errorf("unknown %s %q%s", what, name, catalog.Hint(name, o.Names))
	}
	return v, nil
}

// Values are a run's values of the dimensions; "" where its matrix has no such
// path.
func (f *Figure) Values(r Run) map[string]string {
	values := make(map[string]string, len(f.Dimensions.Names))
	for name, d := range f.Dimensions.Items {
		values[name] = r.Labels[d.Path]
	}
	return values
}

// Matches says whether values has all of where.
func Matches(values, where map[string]string) bool {
	for k, v := range where {
		if values[k] != v {
			return false
		}
	}
	return true
}

// ValuesOf lists the values of a dimension among runs, in the order of the
// runs.
func (f *Figure) ValuesOf(dimension string, runs []Run) []string {
	var values []string
	for _, r := range runs {
		if v := r.Labels[f.Dimensions.Items[dimension].Path]; !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	return values
}

// Measuring is the name of the window that each run has of its own: the measuring
// window, where its point carries a load.
const Measuring = "measuring"

// Span is the window's span in a run whose measuring window is `judged`, zero if it
// has none. Its name is looked up.
func (f *Figure) Span(w Window, judged series.Window) (series.Window, error) {
	switch w.Name {
	case "":
		return w.Window, nil
	case Measuring:
		if judged == (series.Window{}) {
			return judged, errors.New("window: measuring is for runs whose workload has a load; write [from, to] instead, or make the run again if its manifest has no window")
		}
		return judged, nil
	}
	named, err := f.Windows.Get("window", w.Name)
	return named.Window, err
}
