// Package spec is the `figure:` section of an experiment (docs/claims.md) as Go
// values, and the runs it is about.
package spec

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"fabriclab/analysis/series"
	"fabriclab/base/catalog"
	"fabriclab/base/units"
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
	Dimensions Ordered[Dimension] `yaml:"dimensions"`
	Windows    Ordered[Window]    `yaml:"windows"`
	Measures   Ordered[Measure]   `yaml:"measures"`
	Claims     []Claim            `yaml:"claims"`
	Plots      []Plot             `yaml:"plots"`
	// Tables are those that runs can have, as they are stored; nil where that
	// is not known.
	Tables Tables `yaml:"-"`
}

// Tables are tables by name.
type Tables map[string]catalog.Table

// A Dimension is a short name for a matrix path.
type Dimension struct {
	Path  string            `yaml:"path"`
	Names map[string]string `yaml:"names"` // of values, as shown
	Line  int               `yaml:"-"`
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
	Port   string                       `yaml:"port"`
	PortBy map[string]map[string]string `yaml:"port_by"` // dimension -> value -> port
	Class  *Class                       `yaml:"class"`
	Flow   *int64                       `yaml:"flow"`
	Count  string                       `yaml:"count"`
}

// A Class is a priority class; Data is that of a run's data packets, which
// differs between transports.
type Class int64

// Data is the class that data packets have where the flows say nothing else.
const Data Class = -1

// UnmarshalYAML reads a number or the word data.
func (c *Class) UnmarshalYAML(node *yaml.Node) error {
	if node.Value == "data" {
		*c = Data
		return nil
	}
	n, err := strconv.ParseUint(node.Value, 10, 8)
	if err != nil {
		return at(node, fmt.Errorf("class %q is neither a number from 0 on nor data, the class of a run's data packets", node.Value))
	}
	*c = Class(n)
	return nil
}

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
	Table  string               `yaml:"table"`
	Column string               `yaml:"column"`
	Where  map[string]Condition `yaml:"where"` // column -> what its value is
}

// A Condition is what the value of a column has to be.
type Condition struct {
	// Sign is one of "", <, <=, >, >= and !=; "" is equal to one of the values.
	Sign   string
	Values []string
}

// UnmarshalYAML reads a value, a value behind a sign, or a list of values.
func (c *Condition) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.SequenceNode && len(node.Content) > 0 {
		return node.Decode(&c.Values)
	}
	if node.Kind != yaml.ScalarNode || node.Value == "" {
		return at(node, fmt.Errorf("write a value, a list of values, or a value behind <, <=, >, >= or !="))
	}
	text := node.Value
	for _, sign := range []string{"<=", ">=", "!=", "<", ">"} {
		if rest, found := strings.CutPrefix(text, sign); found {
			c.Sign, text = sign, strings.TrimSpace(rest)
			break
		}
	}
	c.Values = []string{text}
	return nil
}

// A Measure is one number per run.
type Measure struct {
	Kind       string `yaml:"kind"`
	Text       string `yaml:"text"`
	Unit       string `yaml:"unit"`
	Source     `yaml:",inline"`
	Column     `yaml:",inline"`
	By         []string `yaml:"by"`
	Across     string   `yaml:"across"`
	Node       string   `yaml:"node"`
	Flows      []int64  `yaml:"flows"`
	Window     *Window  `yaml:"window"`
	Event      *Time    `yaml:"event"`
	Percentile float64  `yaml:"percentile"`
	Method     string   `yaml:"method"`
	Share      float64  `yaml:"share"`
	Stat       string   `yaml:"stat"`
	MinSize    Size     `yaml:"min_size"`
	MaxSize    Size     `yaml:"max_size"`
	Ports      []string `yaml:"ports"`
	Interval   Time     `yaml:"interval"`
	Group      *int64   `yaml:"group"`
	Gap        Time     `yaml:"gap"`
	Hold       Time     `yaml:"hold"`
	Line       int      `yaml:"-"`
}

// Given lists the keys of the measure that were set, besides kind, text and
// unit.
func (m Measure) Given() []string {
	var given []string
	for _, k := range []struct {
		name string
		set  bool
	}{
		{"port", m.Port != "" || m.PortBy != nil}, {"class", m.Class != nil}, {"flow", m.Flow != nil}, {"count", m.Count != ""},
		{"node", m.Node != ""}, {"flows", m.Flows != nil}, {"window", m.Window != nil}, {"event", m.Event != nil},
		{"percentile", m.Percentile != 0}, {"method", m.Method != ""}, {"share", m.Share != 0},
		{"stat", m.Stat != ""}, {"min_size", m.MinSize != 0}, {"max_size", m.MaxSize != 0},
		{"table", m.Table != ""}, {"column", m.Column.Column != ""}, {"where", m.Where != nil}, {"by", m.By != nil}, {"across", m.Across != ""},
		{"ports", m.Ports != nil}, {"interval", m.Interval != 0}, {"group", m.Group != nil}, {"gap", m.Gap != 0}, {"hold", m.Hold != 0},
	} {
		if k.set {
			given = append(given, k.name)
		}
	}
	return given
}

// A Claim is a statement of the paper.
type Claim struct {
	// For is empty in a section that was read: the claim is there once for each
	// of its entries.
	For          []map[string]string `yaml:"for"`
	ID           string              `yaml:"id"`
	Text         string              `yaml:"text"`
	Source       string              `yaml:"source"`
	Where        map[string]string   `yaml:"where"`
	Each         []string            `yaml:"each"`
	By           string              `yaml:"by"`
	Measure      Values              `yaml:"measure"` // order holds of each
	Order        []string            `yaml:"order"`
	Value        string              `yaml:"value"`
	Expected     *float64            `yaml:"expected"`
	Unit         string              `yaml:"unit"`
	Tolerance    *Percent            `yaml:"tolerance"`
	ToleranceAbs *float64            `yaml:"tolerance_abs"`
	Holds        string              `yaml:"holds"`
	MeanOver     Points              `yaml:"mean_over"` // value is the mean of these points' values
	Mean         string              `yaml:"mean"`      // which: arithmetic, if it is not given, or geometric
	Scales       []string            `yaml:"scales"`
	Unsettled    Points              `yaml:"unsettled"`  // points beyond saturation by design, which need not settle
	Check        string              `yaml:"check"`      // what of the set-up it checks: it decides no statement
	Superseded   *Superseded         `yaml:"superseded"` // it is judged no more
	Control      *Control            `yaml:"control"`    // for which it has to fail
	Note         string              `yaml:"note"`
	Notes        []Note              `yaml:"notes"`
	Line         int                 `yaml:"-"`
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

// UnmarshalYAML reads them.
func (p *Points) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind != yaml.MappingNode {
		return at(node, fmt.Errorf("write which points, {dimension: value} or {dimension: [value, value]}"))
	}
	return node.Decode((*map[string]Values)(p))
}

// Values are one value or a list of them.
type Values []string

// UnmarshalYAML reads a value or a list of values.
func (v *Values) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.SequenceNode && len(node.Content) > 0 {
		return node.Decode((*[]string)(v))
	}
	if node.Kind != yaml.ScalarNode || node.Value == "" {
		return at(node, fmt.Errorf("write a value or a list of values"))
	}
	*v = Values{node.Value}
	return nil
}

// A Note stands beside a verdict, or only beside some.
type Note struct {
	Where   map[string]string `yaml:"where"`
	Verdict string            `yaml:"verdict"`
	Scales  []string          `yaml:"scales"`
	Text    string            `yaml:"text"`
}

// A Plot is a picture of one or more panels.
type Plot struct {
	ID      string            `yaml:"id"`
	Title   string            `yaml:"title"`
	Kind    string            `yaml:"kind"`
	Rows    string            `yaml:"rows"`
	Columns string            `yaml:"columns"`
	Lines   string            `yaml:"lines"`
	X       string            `yaml:"x"`
	Measure string            `yaml:"measure"`
	Where   map[string]string `yaml:"where"`
	Window  *Window           `yaml:"window"`
	Unit    string            `yaml:"unit"`
	Series  []Series          `yaml:"series"`
	Marks   []Mark            `yaml:"marks"`
	// Of distributions: several measures, a line each.
	Measures []string `yaml:"measures"`
	// Of plots of flow completion times.
	Stats    []string `yaml:"stats"`
	Edges    []Size   `yaml:"edges"`
	Bins     int      `yaml:"bins"`
	Baseline string   `yaml:"baseline"`
	MinSize  Size     `yaml:"min_size"`
	MaxSize  Size     `yaml:"max_size"`
	Log      bool     `yaml:"log"`
	LogX     bool     `yaml:"log_x"`
	LogY     bool     `yaml:"log_y"`
	Line     int      `yaml:"-"`
}

// A Series is what a line of a time plot shows.
type Series struct {
	Kind     string `yaml:"kind"`
	Name     string `yaml:"name"`
	Unit     string `yaml:"unit"`
	Source   `yaml:",inline"`
	Column   `yaml:",inline"`
	Interval Time `yaml:"interval"`
}

// A Mark is a dashed line at a time (X) or a value (Y, in the axis's unit).
type Mark struct {
	X     *Time             `yaml:"x"`
	Y     *float64          `yaml:"y"`
	Text  string            `yaml:"text"`
	Where map[string]string `yaml:"where"`
}

// Time is a time in picoseconds, written with its unit.
type Time int64

// UnmarshalYAML reads a time such as 300us.
func (t *Time) UnmarshalYAML(node *yaml.Node) error {
	v, err := scalar(node, units.ParseTime)
	*t = Time(v)
	return err
}

// Size is a size in bytes, written with its unit.
type Size int64

// UnmarshalYAML reads a size such as 100KB.
func (s *Size) UnmarshalYAML(node *yaml.Node) error {
	v, err := scalar(node, units.ParseBytes)
	*s = Size(v)
	return err
}

func scalar(node *yaml.Node, parse func(string) (int64, error)) (int64, error) {
	if node.Kind != yaml.ScalarNode {
		return 0, at(node, fmt.Errorf("a single value is due here"))
	}
	v, err := parse(node.Value)
	return v, at(node, err)
}

// Percent is a share written as a percentage: 5% is 0.05.
type Percent float64

// UnmarshalYAML reads a percentage.
func (p *Percent) UnmarshalYAML(node *yaml.Node) error {
	number, ok := strings.CutSuffix(node.Value, "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if !ok || err != nil || !(v >= 0) || math.IsInf(v, 0) {
		return at(node, fmt.Errorf("%q is not a percentage; write one such as 5%%, or use tolerance_abs", node.Value))
	}
	*p = Percent(v / 100)
	return nil
}

// A Window is a span of time, or (Name set) stands for one of `windows:`.
type Window struct {
	series.Window
	Name string
	Line int
}

// UnmarshalYAML reads [from, to] or a name.
func (w *Window) UnmarshalYAML(node *yaml.Node) error {
	w.Line = node.Line
	if node.Kind == yaml.ScalarNode {
		w.Name = node.Value
		return nil
	}
	if node.Kind != yaml.SequenceNode || len(node.Content) != 2 {
		return at(node, fmt.Errorf("a window is [from, to], such as [300us, 700us], or the name of one under windows"))
	}
	var err error
	if w.From, err = scalar(node.Content[0], units.ParseTime); err != nil {
		return err
	}
	if w.To, err = scalar(node.Content[1], units.ParseTime); err != nil {
		return err
	}
	if w.To <= w.From {
		return at(node, fmt.Errorf("the window [%s, %s] is empty", node.Content[0].Value, node.Content[1].Value))
	}
	return nil
}

// Ordered is a mapping that keeps the order it was written in.
type Ordered[T any] struct {
	Names []string
	Items map[string]T
}

// UnmarshalYAML reads a mapping.
func (o *Ordered[T]) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind != yaml.MappingNode {
		return at(node, fmt.Errorf("a mapping of names is due here"))
	}
	o.Items = map[string]T{}
	for i := 0; i < len(node.Content); i += 2 {
		key := node.Content[i]
		if _, twice := o.Items[key.Value]; twice {
			return at(key, fmt.Errorf("%q is there twice", key.Value))
		}
		var v T
		if err := node.Content[i+1].Decode(&v); err != nil {
			return err
		}
		setLine(&v, key.Line)
		o.Names = append(o.Names, key.Value)
		o.Items[key.Value] = v
	}
	return nil
}

func setLine(v any, line int) {
	switch v := v.(type) {
	case *Measure:
		v.Line = line
	case *Dimension:
		v.Line = line
	}
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

// Span is the window's span, its name looked up.
func (f *Figure) Span(w Window) (series.Window, error) {
	if w.Name == "" {
		return w.Window, nil
	}
	named, err := f.Windows.Get("window", w.Name)
	return named.Window, err
}
