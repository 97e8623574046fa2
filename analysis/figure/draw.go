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

// A drawing is a plot as it is drawn, with what goes beside it.
type drawing struct {
	chart.Figure
	// tables go with the plot in the summary, in Markdown.
	tables string
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
	c       *chart.Figure
	tables  strings.Builder
	own     any // of its kind
}

// A spot is a panel: its values of the dimensions, and which of the sides it is.
type spot struct {
	where map[string]string
	side  string
}

func paint(f *spec.Figure, p spec.Plot, runs []spec.Run, lookup func(string, int) (float64, error)) *drawing {
	x := &painter{f: f, p: p, lookup: lookup, taker: measure.NewTaker(f), styles: map[string]int{}, runs: runs, kind: plotKinds[p.Kind]}
	for _, r := range runs {
		if !slices.Contains(x.engines, r.Engine) {
			x.engines = append(x.engines, r.Engine)
		}
	}
	x.c = &chart.Figure{ID: p.ID, Kind: p.Kind, Title: p.Title, ShareY: p.Rows != "" && p.Columns != "", LogX: p.LogX, LogY: p.LogY, Panels: [][]chart.Panel{}}
	x.kind.labels(x)
	sides := []string{""}
	if x.kind.sides != nil {
		sides = x.kind.sides(p)
	}
	rows, columns := inOrder(x.values(p.Rows)), inOrder(x.values(p.Columns))
	switch {
	case p.Columns == "" && p.Rows == "" && len(sides) == 4: // two by two
		for i := range 2 {
			x.row(x.panel("", "", sides[2*i]), x.panel("", "", sides[2*i+1]))
		}
	case p.Columns == "":
		for _, row := range rows {
			x.row(each(sides, func(side string) chart.Panel { return x.panel(row, "", side) })...)
		}
	default:
		for _, row := range rows {
			for _, side := range sides {
				x.row(each(columns, func(column string) chart.Panel { return x.panel(row, column, side) })...)
			}
		}
	}
	x.wrap()
	x.finish()
	return &drawing{*x.c, x.tables.String()}
}

func each(names []string, panel func(string) chart.Panel) (panels []chart.Panel) {
	for _, name := range names {
		panels = append(panels, panel(name))
	}
	return panels
}

// wrap makes rows of four of a single row that is too long to read.
func (x *painter) wrap() {
	const most = 4
	if len(x.c.Panels) != 1 || len(x.c.Panels[0]) <= most+1 {
		return
	}
	x.c.Panels = slices.Collect(slices.Chunk(x.c.Panels[0], most))
	last := &x.c.Panels[len(x.c.Panels)-1]
	for len(*last) < most {
		*last = append(slices.Clip(*last), chart.Panel{Blank: true})
	}
}

func (x *painter) row(panels ...chart.Panel) { x.c.Panels = append(x.c.Panels, panels) }

// finish takes off what a logarithmic axis has no place for, and has the
// picture say what is not in it.
func (x *painter) finish() {
	dropped := 0
	x.c.All(func(_ *chart.Panel, l *chart.Line) {
		off := func(p chart.Point) bool { return x.c.LogX && !x.kind.named && p.X <= 0 || x.c.LogY && p.Y <= 0 }
		before := len(l.Points)
		if l.Shape == chart.Boxes {
			var kept []chart.Point
			for box := range slices.Chunk(l.Points, 5) {
				if !off(box[0]) {
					kept = append(kept, box...)
				}
			}
			l.Points = kept
		} else {
			l.Points = slices.DeleteFunc(l.Points, off)
		}
		dropped += before - len(l.Points)
	})
	if dropped > 0 {
		x.c.Missing = append(x.c.Missing, fmt.Sprintf("%s: %d points are at or below 0, where a logarithmic axis has no place", x.p.ID, dropped))
	}
	x.c.Notes = x.notes()
}

// inOneRun is how a measure's error names its run. A picture has no room for
// it, and the line it stands behind says which point it is.
var inOneRun = regexp.MustCompile(`^run \S+: `)

// notes say what is missing, lines with the same reason together.
func (x *painter) notes() (notes []string) {
	var reasons []string
	lines := map[string][]string{} // by reason
	for _, m := range x.c.Missing {
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

func (x *painter) panel(row, column, side string) chart.Panel {
	where := map[string]string{}
	var title []string
	for _, d := range []struct{ dimension, value string }{{x.p.Rows, row}, {x.p.Columns, column}} {
		if d.dimension != "" {
			where[d.dimension] = d.value
			title = append(title, titled(x.f.Dimensions.Items[d.dimension], d.dimension, d.value))
		}
	}
	if side != "" {
		title = append(title, side)
		if x.p.Columns == "" {
			column = side
		} else {
			row = x.name(row, side)
		}
	}
	panel := chart.Panel{Title: strings.Join(title, ", "), Row: row, Column: column}
	for _, m := range x.p.Marks {
		if !spec.Matches(where, m.Where) {
			continue
		}
		mark := chart.Mark{Y: m.Y, Text: m.Text}
		if m.X != nil {
			at := x.time(int64(*m.X))
			mark.X = &at
		}
		panel.Marks = append(panel.Marks, mark)
	}
	x.kind.panel(x, &panel, spot{where, side})
	return panel
}

// A part is one of several things of which a panel has a line each.
type part struct{ key, text string }

// lines makes the lines of a panel: one for each value of the dimension, part and
// engine of which there are runs. draw gives a line its points; without some its
// name stays in the legend.
func (x *painter) lines(panel *chart.Panel, where map[string]string, parts []part, draw func(line *chart.Line, part int, found []int)) {
	if parts == nil {
		parts = []part{{}}
	}
	for _, value := range x.values(x.p.Lines) {
		for i, part := range parts {
			for _, engine := range x.engines {
				found := x.at(with(where, x.p.Lines, value), engine)
				if len(found) == 0 {
					continue // the matrix has no such run
				}
				line := chart.Line{Name: x.name(inLegend(x.f.Dimensions.Items[x.p.Lines], x.p.Lines, value), part.text, x.engine(engine)), Key: x.name(value, part.key), Engine: engine}
				line.Style = x.style(line.Name)
				draw(&line, i, found)
				panel.Lines = append(panel.Lines, line)
			}
		}
	}
}

// measured are the parts of a plot of several measures.
func (x *painter) measured() (parts []part) {
	for _, name := range x.p.Measures {
		if len(x.p.Measures) > 1 {
			parts = append(parts, part{name, x.f.Measures.Items[name].Text})
		}
	}
	return parts
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

// inLegend is a value in a legend: titled where it is a number, which says nothing
// alone, else its name.
func inLegend(d spec.Dimension, dimension, value string) string {
	if value != "" && value[0] >= '0' && value[0] <= '9' {
		return titled(d, dimension, value)
	}
	return d.Name(value)
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

// among are those of some runs with a value of a dimension.
func (x *painter) among(runs []int, dimension, value string) (some []int) {
	for _, i := range runs {
		if x.f.Values(x.runs[i])[dimension] == value {
			some = append(some, i)
		}
	}
	return some
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
	x.c.Missing = append(x.c.Missing, x.name(x.p.ID, panel.Title, line)+": "+err.Error())
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
