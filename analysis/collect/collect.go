// Package collect gathers what the runs of a sweep came to in one tidy table:
// a row for each run and measure, the parameters as columns
// (docs/how-to/sweep-results.md).
package collect

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"fabriclab/analysis/measure"
	"fabriclab/analysis/sheet"
	"fabriclab/base/units"
)

// A Label is a run's value on one axis of its experiment's matrix.
type Label struct{ Path, Value string }

// A Run is a run's place in its sweep, and what it came to.
type Run struct {
	Experiment string
	Scenario   string // the scenario hash
	Labels     []Label
	// Params are effective parameters that are no labels, by name.
	Params []Label
	// Scale and Reading are those that the run was made under; "" is not known.
	Scale, Reading string
	// Sets are what --set gave the run, by path.
	Sets   []Label
	Engine string
	Seed   uint64
	Values []measure.Value
	Failed string // why the run is no result
}

// Point is the run's labels as text, as in "preset=fncc topology.rate=100Gbps".
func (r Run) Point() string {
	words := make([]string, len(r.Labels))
	for i, l := range r.Labels {
		words[i] = l.Path + "=" + l.Value
	}
	return strings.Join(words, " ")
}

// DefaultReading is the reading of runs that were made under no other.
const DefaultReading = "default"

// Under are the scale and the reading of a run, as far as they are known.
func (r Run) Under() []Label {
	return slices.DeleteFunc([]Label{{"scale", r.Scale}, {"reading", r.Reading}}, func(l Label) bool { return l.Value == "" })
}

// Compare orders runs by experiment, point, engine and seed; numbers within
// labels count as numbers.
func Compare(a, b Run) int {
	return cmp.Or(
		cmp.Compare(a.Experiment, b.Experiment),
		slices.CompareFunc(a.Labels, b.Labels, func(x, y Label) int {
			return cmp.Or(cmp.Compare(x.Path, y.Path), compareValues(x.Value, y.Value))
		}),
		cmp.Compare(a.Scenario, b.Scenario), cmp.Compare(a.Engine, b.Engine), cmp.Compare(a.Seed, b.Seed))
}

// SameValue is a value of an axis, written in the same way however it is written:
// 0.95 and 0.950, 1us and 1000ns.
func SameValue(value string) string {
	for _, q := range quantities {
		if v, ok := q.parse(value); ok {
			return strconv.FormatFloat(v, 'g', -1, 64) + q.suffix
		}
	}
	return value
}

func compareValues(a, b string) int {
	for _, q := range quantities {
		x, okX := q.parse(a)
		y, okY := q.parse(b)
		if okX && okY {
			return cmp.Or(cmp.Compare(x, y), cmp.Compare(a, b))
		}
	}
	return cmp.Compare(a, b)
}

// quantities are what the values of an axis may be; the suffix is that of the
// column with the number.
var quantities = []struct {
	suffix string
	parse  func(string) (float64, bool)
}{
	{"", func(text string) (float64, bool) {
		v, err := strconv.ParseFloat(text, 64)
		return v, err == nil && !math.IsNaN(v) && !math.IsInf(v, 0)
	}},
	{"_ps", whole(units.ParseTime)},
	{"_bps", whole(units.ParseRate)},
	{"_bytes", whole(units.ParseBytes)},
}

func whole(parse func(string) (int64, error)) func(string) (float64, bool) {
	return func(text string) (float64, bool) {
		v, err := parse(text)
		return float64(v), err == nil
	}
}

// Columns of the table beside those of the parameters.
const (
	Experiment    = "experiment"
	Scenario      = "scenario"
	Engine        = "engine"
	Seed          = "seed"
	MeasureName   = "measure"
	Unit          = "unit"
	Better        = "better"
	Deterministic = "deterministic"
	Value         = "value"
	Note          = "note"
	DataClass     = "data_class" // of a table of packets' classes, where it is asked for
)

// FailedRun begins the note of a value that is of a failed run.
const FailedRun = "the run failed: "

// Table is the tidy table. Without volatile it has no measures that depend on
// the machine, and is the same bytes whenever the same runs are made again.
func Table(runs []Run, volatile bool) *sheet.Sheet {
	columns, place := Places(runs, []string{MeasureName, Unit, Better, Deterministic, Value, Note})
	s := &sheet.Sheet{Columns: append(columns,
		sheet.Column{Name: MeasureName}, sheet.Column{Name: Unit}, sheet.Column{Name: Better}, sheet.Column{Name: Deterministic, Kind: sheet.Bool},
		sheet.Column{Name: Value, Kind: sheet.Number}, sheet.Column{Name: Note, Kind: sheet.OptionalText})}
	for _, r := range runs {
		here := place(r)
		for _, v := range r.Values {
			if v.Measure.Volatile && !volatile {
				continue
			}
			var value, note any = v.Value, nil
			if v.Err != nil {
				note = v.Err.Error()
			}
			switch {
			case r.Failed != "" && v.Err != nil:
				note = FailedRun + r.Failed + "; " + v.Err.Error()
			case r.Failed != "":
				note = FailedRun + r.Failed
			}
			if v.Err != nil && !measure.IsBound(v.Err) {
				value = nil
			}
			s.Rows = append(s.Rows, slices.Concat(here, []any{v.Measure.Name, v.Measure.Unit, v.Measure.Better.String(), !v.Measure.Volatile, value, note}))
		}
	}
	return s
}

// Places are the columns that say which run a row is of, and what stands in
// them. An axis or parameter of the name of another column, or of those that
// follow, is called matrix.NAME.
func Places(runs []Run, follow []string) (columns []sheet.Column, cells func(Run) []any) {
	taken := append([]string{Experiment, Scenario, Engine, Seed}, follow...)
	axes := axesOf(runs, func(r Run) []Label { return slices.Concat(r.Labels, r.Params) }, taken)
	columns = []sheet.Column{{Name: Experiment}, {Name: Scenario}}
	for _, a := range axes {
		columns = append(columns, a.columns()...)
	}
	columns = append(columns, sheet.Column{Name: Engine}, sheet.Column{Name: Seed, Kind: sheet.Integer})
	return columns, func(r Run) []any {
		here := []any{r.Experiment, r.Scenario}
		for _, a := range axes {
			here = append(here, a.cells(slices.Concat(r.Labels, r.Params))...)
		}
		return append(here, r.Engine, r.Seed)
	}
}

// Apart keeps the parameters that tell runs of the same point, engine and seed
// from each other, which --set or a reading has made, and scale and reading where
// runs differ by them.
func Apart(runs []Run) {
	type place struct {
		experiment, point, engine string
		seed                      uint64
	}
	values := map[place]map[string]string{}
	differs := map[string]bool{}
	for _, r := range runs {
		at := place{r.Experiment, r.Point(), r.Engine, r.Seed}
		if values[at] == nil {
			values[at] = map[string]string{}
		}
		for _, p := range r.Params {
			if v, known := values[at][p.Path]; known && v != p.Value {
				differs[p.Path] = true
			}
			values[at][p.Path] = p.Value
		}
	}
	set := differingSets(runs, func(r Run) any { return place{r.Experiment, r.Point(), r.Engine, r.Seed} })
	under := differing(runs, Run.Under)
	for i := range runs {
		params := only(runs[i].Params, differs)
		runs[i].Params = slices.Concat(only(runs[i].Under(), under), params, set(runs[i]))
	}
}

// differing are the paths of labels that do not have the same value in all runs that
// have them.
func differing(runs []Run, of func(Run) []Label) map[string]bool {
	values := map[string]string{}
	differs := map[string]bool{}
	for _, r := range runs {
		for _, l := range of(r) {
			if v, known := values[l.Path]; known && v != l.Value {
				differs[l.Path] = true
			}
			values[l.Path] = l.Value
		}
	}
	return differs
}

func only(labels []Label, paths map[string]bool) []Label {
	return slices.DeleteFunc(slices.Clone(labels), func(l Label) bool { return !paths[l.Path] })
}

// differingSets gives of a run what --set gave it and not others that are alike;
// what is a label or a parameter is left out.
func differingSets(runs []Run, like func(Run) any) func(Run) []Label {
	known := map[string]bool{} // labels and parameters
	count := map[any]int{}
	with := map[any]int{} // by kind of run and what it was given
	type given struct {
		like any
		set  Label
	}
	for _, r := range runs {
		count[like(r)]++
		for _, l := range slices.Concat(r.Labels, r.Params) {
			known[strings.TrimPrefix(l.Path, "params.")] = true
		}
		for _, s := range r.Sets {
			with[given{like(r), s}]++
		}
	}
	differs := map[string]bool{}
	for _, r := range runs {
		for _, s := range r.Sets {
			if with[given{like(r), s}] < count[like(r)] && !known[strings.TrimPrefix(s.Path, "params.")] {
				differs[s.Path] = true
			}
		}
	}
	return func(r Run) []Label {
		return slices.DeleteFunc(slices.Clone(r.Sets), func(s Label) bool { return !differs[s.Path] })
	}
}

// Differing keeps the parameters that do not have the same value in all runs
// that have them, and that are not labels already. So it does with scale and reading.
func Differing(runs []Run) {
	differs := differing(runs, func(r Run) []Label { return r.Params })
	for _, r := range runs {
		for _, l := range r.Labels {
			delete(differs, strings.TrimPrefix(l.Path, "params."))
		}
	}
	set := differingSets(runs, func(Run) any { return nil })
	under := differing(runs, Run.Under)
	for i := range runs {
		runs[i].Params = slices.Concat(only(runs[i].Under(), under), only(runs[i].Params, differs), set(runs[i]))
	}
}

// An axis is a matrix path that some run has a value on.
type axis struct {
	path   string
	name   string                       // of the column
	number func(string) (float64, bool) // nil: its values are no numbers
	suffix string                       // of the second column, with the numbers; "": the first one has them
}

// axesOf lists the axes in the order in which runs name them. Values that are
// all of one quantity are numbers, too.
func axesOf(runs []Run, of func(Run) []Label, taken []string) []axis {
	var axes []axis
	values := map[string][]string{}
	for _, r := range runs {
		for _, l := range of(r) {
			if _, known := values[l.Path]; !known {
				name := l.Path
				if slices.Contains(taken, name) {
					name = "matrix." + name
				}
				axes = append(axes, axis{path: l.Path, name: name})
			}
			values[l.Path] = append(values[l.Path], l.Value)
		}
	}
	for i := range axes {
		for _, q := range quantities {
			if !slices.ContainsFunc(values[axes[i].path], func(v string) bool { _, ok := q.parse(v); return !ok }) {
				axes[i].number, axes[i].suffix = q.parse, q.suffix
				break
			}
		}
	}
	return axes
}

func (a axis) columns() []sheet.Column {
	switch {
	case a.number == nil:
		return []sheet.Column{{Name: a.name, Kind: sheet.OptionalText}}
	case a.suffix == "":
		return []sheet.Column{{Name: a.name, Kind: sheet.Number}}
	}
	return []sheet.Column{{Name: a.name, Kind: sheet.OptionalText}, {Name: a.name + a.suffix, Kind: sheet.Number}}
}

func (a axis) cells(labels []Label) []any {
	var text, number any
	for _, l := range labels {
		if l.Path != a.path {
			continue
		}
		text = l.Value
		if a.number != nil {
			number, _ = a.number(l.Value)
		}
	}
	switch {
	case a.number == nil:
		return []any{text}
	case a.suffix == "":
		return []any{number}
	}
	return []any{text, number}
}
