package figure

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"fabriclab/analysis/chart"
	"fabriclab/analysis/measure"
	"fabriclab/analysis/spec"
	"fabriclab/analysis/stats"
)

// A drawing is a plot with the points that it shows.
type drawing struct {
	id     string
	kind   string
	figure chart.Figure
	points []point
	xUnit  string
	yUnit  string
	// places say of every panel which of the points are in it.
	places [][]place
	// missing says which lines could not be drawn, and why.
	missing []string
	// tables go with the plot in the summary, in Markdown.
	tables string
}

// empty says that there is no panel to draw.
func (d *drawing) empty() bool { return len(d.figure.Panels) == 0 || len(d.figure.Panels[0]) == 0 }

// A place is what the points of a panel have in common, and what tells its
// lines (or bars) from each other, in their order.
type place struct {
	row, column string
	lines       []lineKey
	// at are the values of x that stand at the names along the axis.
	at []float64
}

type lineKey struct{ line, engine string }

// A point is a row of the plot's table. Names are as in the matrix, not as
// shown.
type point struct {
	row, column, line, engine string
	seed                      string // empty for a mean over seeds
	x, y                      float64
	half                      float64 // half the width of the confidence interval, 0 for none
}

// painter draws one plot.
type painter struct {
	f       *spec.Figure
	p       spec.Plot
	kind    plotKind
	runs    []spec.Run
	lookup  func(measure string, run int) (float64, error)
	taker   *measure.Taker
	engines []string
	styles  map[string]int // by line name
	d       *drawing
}

func paint(f *spec.Figure, p spec.Plot, runs []spec.Run, lookup func(string, int) (float64, error)) *drawing {
	x := &painter{f: f, p: p, lookup: lookup, taker: measure.NewTaker(f), styles: map[string]int{}, runs: runs, kind: plotKinds[p.Kind]}
	for _, r := range runs {
		if !slices.Contains(x.engines, r.Engine) {
			x.engines = append(x.engines, r.Engine)
		}
	}
	x.d = &drawing{id: p.ID, kind: p.Kind, figure: chart.Figure{Title: p.Title, ShareY: p.Rows != "" && p.Columns != ""}}
	x.kind.labels(x)
	x.d.figure.LogX, x.d.figure.LogY = x.d.figure.LogX || p.LogX, x.d.figure.LogY || p.LogY
	x.d.figure.Floor = !slices.ContainsFunc(shownMeasures(p), func(name string) bool { return measure.Negative(f.Measures.Items[name].Kind) })
	if x.kind.whole != nil {
		x.kind.whole(x)
		x.finish()
		return x.d
	}
	rows, columns := inOrder(x.values(p.Rows)), inOrder(x.values(p.Columns))
	for _, row := range rows {
		var panels []chart.Panel
		var places []place
		for _, column := range columns {
			here := place{row: row, column: column}
			panels = append(panels, x.panel(&here))
			places = append(places, here)
		}
		x.d.figure.Panels = append(x.d.figure.Panels, panels)
		x.d.places = append(x.d.places, places)
	}
	x.finish()
	return x.d
}

// finish takes off what a logarithmic axis has no place for, and has the
// picture say what is not in it.
func (x *painter) finish() {
	f := &x.d.figure
	off := func(px, py float64) bool { return f.LogX && px <= 0 || f.LogY && py <= 0 }
	dropped := 0
	for _, row := range f.Panels {
		for k := range row {
			for i := range row[k].Lines {
				line := &row[k].Lines[i]
				before := len(line.XY)
				if line.Boxes > 0 {
					var kept []chart.Point
					for b := 0; b+5 <= len(line.XY); b += 5 {
						if !off(1, line.XY[b].Y) {
							kept = append(kept, line.XY[b:b+5]...)
						}
					}
					line.XY = kept
				} else {
					line.XY = slices.DeleteFunc(line.XY, func(p chart.Point) bool { return off(p.X, p.Y) })
				}
				dropped += before - len(line.XY)
			}
			for i, b := range row[k].Bars {
				if !b.None && off(1, b.Y) {
					row[k].Bars[i].None = true
				}
			}
		}
	}
	x.d.points = slices.DeleteFunc(x.d.points, func(p point) bool {
		return off(1, p.y) || !x.kind.named && off(p.x, 1)
	})
	if dropped > 0 {
		x.d.missing = append(x.d.missing, fmt.Sprintf("%s: %d points are at or below 0, where a logarithmic axis has no place", x.p.ID, dropped))
	}
	f.Notes = x.notes()
}

// inOneRun is how a measure's error names its run. A picture has no room for
// it, and the line it stands behind says which point it is.
var inOneRun = regexp.MustCompile(`^run \S+: `)

// notes say what is missing, lines with the same reason together.
func (x *painter) notes() (notes []string) {
	var reasons []string
	lines := map[string][]string{} // by reason
	for _, m := range x.d.missing {
		line, reason, named := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(m, x.p.ID+", "), x.p.ID+": "), ": ")
		if !named {
			line, reason = "", line
		}
		reason = inOneRun.ReplaceAllString(reason, "")
		if _, known := lines[reason]; !known {
			reasons = append(reasons, reason)
		}
		if named {
			lines[reason] = append(lines[reason], line)
		}
	}
	for _, reason := range reasons {
		note := "Not drawn: "
		if about := lines[reason]; len(about) > 0 {
			note += strings.Join(about, "; ") + ": "
		}
		notes = append(notes, note+reason)
	}
	return notes
}

// values are those of a dimension among the plot's runs; one empty value
// without a dimension.
func (x *painter) values(dimension string) []string {
	if dimension == "" {
		return []string{""}
	}
	var matching []spec.Run
	for _, r := range x.runs {
		if spec.Matches(x.f.Values(r), x.p.Where) {
			matching = append(matching, r)
		}
	}
	return x.f.ValuesOf(dimension, matching)
}

func withUnit(text, unit string) string {
	if label := measure.Label(unit); label != "" {
		return text + " (" + label + ")"
	}
	return text
}

func (x *painter) panel(here *place) chart.Panel {
	where := map[string]string{}
	var title []string
	for _, d := range []struct{ dimension, value string }{{x.p.Rows, here.row}, {x.p.Columns, here.column}} {
		if d.dimension != "" {
			where[d.dimension] = d.value
			title = append(title, titled(x.f.Dimensions.Items[d.dimension], d.dimension, d.value))
		}
	}
	panel := chart.Panel{Title: strings.Join(title, ", ")}
	for _, m := range x.p.Marks {
		if !spec.Matches(where, m.Where) {
			continue
		}
		if m.X != nil {
			panel.Marks = append(panel.Marks, chart.Mark{Vertical: true, At: x.time(int64(*m.X)), Text: m.Text})
		} else {
			panel.Marks = append(panel.Marks, chart.Mark{At: *m.Y, Text: m.Text})
		}
	}
	x.kind.panel(x, &panel, where, here)
	return panel
}

// titled is a value in a panel's title: its name, or behind that of its
// dimension where it has none of its own. A value may say the dimension itself:
// load-20 of load is load 20.
func titled(d spec.Dimension, dimension, value string) string {
	if name := d.Name(value); name != value {
		return name
	}
	return strings.ReplaceAll(dimension, "_", " ") + " " + strings.TrimPrefix(value, dimension+"-")
}

func (x *painter) style(name string) int {
	s, ok := x.styles[name]
	if !ok {
		s = len(x.styles)
		x.styles[name] = s
	}
	return s
}

// at lists the runs at a place, by index.
func (x *painter) at(where map[string]string, engine string) []int {
	var found []int
	for i, r := range x.runs {
		values := x.f.Values(r)
		if r.Engine == engine && spec.Matches(values, where) && spec.Matches(values, x.p.Where) {
			found = append(found, i)
		}
	}
	return found
}

// name joins what tells a line from the others.
func (x *painter) name(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}

func (x *painter) engine(e string) string {
	if len(x.engines) > 1 {
		return e
	}
	return ""
}

func (x *painter) miss(panel *chart.Panel, line string, err error) {
	x.d.missing = append(x.d.missing, x.name(x.p.ID, panel.Title, line)+": "+err.Error())
}

// mean is the plot's measure over the seeds of a place: mean and half width of
// the confidence interval (0 with one seed).
func (x *painter) mean(panel *chart.Panel, name, of string, found []int) (mean, half float64, ok bool) {
	var values []float64
	for _, i := range found {
		v, err := x.lookup(of, i)
		if err == nil && math.IsInf(v, 1) {
			err = fmt.Errorf("never")
		}
		if err != nil {
			x.miss(panel, name, errors.New(bounded(v, err)))
			return 0, 0, false
		}
		values = append(values, v)
	}
	if len(values) == 0 {
		return 0, 0, false
	}
	mean, half = stats.Mean95(values)
	if math.IsNaN(half) {
		half = 0
	}
	return mean, half, true
}

func with(where map[string]string, dimension, value string) map[string]string {
	out := map[string]string{}
	for k, v := range where {
		out[k] = v
	}
	if dimension != "" {
		out[dimension] = value
	}
	return out
}

// inOrder sorts values that are numbers: a scale may have added some out of
// order.
func inOrder(values []string) []string {
	numbers, _, err := numbersOf(values)
	if err != nil {
		return values
	}
	along := make([]int, len(values))
	for i := range along {
		along[i] = i
	}
	slices.SortStableFunc(along, func(a, b int) int { return cmp.Compare(numbers[a], numbers[b]) })
	sorted := make([]string, len(values))
	for i, k := range along {
		sorted[i] = values[k]
	}
	return sorted
}

// numbersOf reads labels such as 50KB, all in the same unit.
func numbersOf(values []string) (numbers []float64, unit string, err error) {
	unit = "1"
	for i, v := range values {
		end := strings.LastIndexAny(v, "0123456789.") + 1
		suffix := strings.TrimSpace(v[end:])
		if suffix == "" {
			suffix = "1"
		}
		number, err := strconv.ParseFloat(strings.TrimSpace(v[:end]), 64)
		if err != nil {
			return nil, "", fmt.Errorf("%q is not a number; use bars for names", v)
		}
		if i > 0 && suffix != unit {
			return nil, "", fmt.Errorf("%q is in another unit than %q; write the matrix in one unit", v, values[0])
		}
		unit = suffix
		numbers = append(numbers, number)
	}
	return numbers, unit, nil
}
