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
	"fabriclab/analysis/series"
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
	runs    []spec.Run
	lookup  func(measure string, run int) (float64, error)
	taker   *measure.Taker
	engines []string
	styles  map[string]int // by line name
	d       *drawing
}

func paint(f *spec.Figure, p spec.Plot, runs []spec.Run, lookup func(string, int) (float64, error)) *drawing {
	x := &painter{f: f, p: p, lookup: lookup, taker: measure.NewTaker(f), styles: map[string]int{}, runs: runs}
	for _, r := range runs {
		if !slices.Contains(x.engines, r.Engine) {
			x.engines = append(x.engines, r.Engine)
		}
	}
	x.d = &drawing{id: p.ID, kind: p.Kind, figure: chart.Figure{Title: p.Title, ShareY: p.Rows != "" && p.Columns != ""}}
	x.labels()
	x.d.figure.LogX, x.d.figure.LogY = x.d.figure.LogX || p.LogX, x.d.figure.LogY || p.LogY
	x.d.figure.Floor = !slices.ContainsFunc(shownMeasures(p), func(name string) bool { return measure.Negative(f.Measures.Items[name].Kind) })
	if p.Kind == kindFCT {
		x.fct()
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
		return off(1, p.y) || x.p.Kind != kindFCT && x.p.Kind != kindBox && x.p.Kind != kindBars && off(p.x, 1)
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

func (x *painter) labels() {
	p, d := x.p, x.d
	switch p.Kind {
	case kindTime:
		d.xUnit, d.yUnit = p.Unit, p.Series[0].Unit
		d.figure.XLabel = withUnit("time", p.Unit)
		kind := p.Series[0].Kind
		if kind == "queue_max" {
			kind = "queue"
		}
		d.figure.YLabel = withUnit(strings.ReplaceAll(kind, "_", " "), d.yUnit)
	case kindFCT:
		d.xUnit, d.yUnit = "B", "1"
		d.figure.XLabel, d.figure.YLabel, d.figure.LogY = "flow size up to", "FCT slowdown", p.Log
	case kindCDF:
		names, measures := x.cdfMeasures()
		d.xUnit, d.yUnit = measures[0].Unit, "1"
		d.figure.XLabel, d.figure.YLabel, d.figure.LogX = "FCT slowdown", "share of the flows", p.Log
		if names[0] != "" {
			label := measures[0].Text
			if len(measures) > 1 { // their texts tell the lines from each other
				label = strings.ReplaceAll(measures[0].Kind, "_", " ")
			}
			d.figure.XLabel, d.figure.YLabel = withUnit(label, d.xUnit), "cumulative share"
		}
	case kindBox:
		m := x.f.Measures.Items[p.Measure]
		d.xUnit, d.yUnit = "B", m.Unit
		d.figure.XLabel, d.figure.YLabel = "flow size", withUnit(m.Text, m.Unit)
	default:
		names := shownMeasures(p)
		m := x.f.Measures.Items[names[0]]
		d.yUnit = m.Unit
		d.figure.YLabel = withUnit(m.Text, m.Unit)
		if len(names) > 1 { // their texts tell the lines from each other
			d.figure.YLabel = measure.Label(m.Unit)
		}
	}
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
	switch x.p.Kind {
	case kindTime:
		x.overTime(&panel, where, here)
	case kindBars:
		x.bars(&panel, where, here)
	case kindSweep:
		x.sweep(&panel, where, here)
	case kindCDF:
		x.cdf(&panel, where, here)
	case kindBox:
		x.boxes(&panel, where, here)
	}
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

// time is a time in the unit of the axis.
func (x *painter) time(ps int64) float64 {
	scale, err := measure.Scale(measure.Time, x.p.Unit)
	if err != nil {
		return math.NaN() // refused when decoding
	}
	return float64(ps) / scale
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

func (x *painter) overTime(panel *chart.Panel, where map[string]string, here *place) {
	window := series.Window{From: 0, To: math.MaxInt64}
	if x.p.Window != nil {
		if w, err := x.f.Span(*x.p.Window); err == nil { // checked when decoding
			window = w
			panel.FromX, panel.ToX = x.time(w.From), x.time(w.To)
		}
	}
	for _, value := range x.values(x.p.Lines) {
		place := with(where, x.p.Lines, value)
		for _, s := range x.p.Series {
			for _, engine := range x.engines {
				shown := ""
				if x.p.Lines != "" {
					shown = x.f.Dimensions.Items[x.p.Lines].Name(value)
				}
				line := chart.Line{Name: x.name(shown, s.Name, x.engine(engine))}
				line.Style = x.style(line.Name)
				found := x.at(place, engine)
				if len(found) == 0 {
					continue
				}
				run := x.runs[slices.MinFunc(found, func(a, b int) int { return cmp.Compare(x.runs[a].Seed, x.runs[b].Seed) })]
				data, err := measure.Series(x.f, s, window, run)
				if err != nil {
					x.miss(panel, line.Name, err)
				}
				for _, p := range data {
					xy := chart.Point{X: x.time(p.Time), Y: p.Value}
					line.XY = append(line.XY, xy)
					x.d.points = append(x.d.points, point{here.row, here.column, x.name(value, s.Name), engine, strconv.FormatUint(run.Seed, 10), xy.X, xy.Y, 0})
				}
				panel.Lines = append(panel.Lines, line)
				here.lines = append(here.lines, lineKey{x.name(value, s.Name), engine})
			}
		}
	}
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

func (x *painter) bars(panel *chart.Panel, where map[string]string, here *place) {
	for _, value := range x.values(x.p.X) {
		for _, engine := range x.engines {
			shown := x.f.Dimensions.Items[x.p.X].Name(value)
			name := x.name(shown, x.engine(engine))
			style := x.style(name)
			found := x.at(with(where, x.p.X, value), engine)
			mean, half, ok := x.mean(panel, name, x.p.Measure, found)
			if !ok {
				if len(found) > 0 {
					panel.Bars = append(panel.Bars, chart.Bar{Name: name, Style: style, Text: "no data", None: true})
					here.lines = append(here.lines, lineKey{value, engine})
				}
				continue
			}
			panel.Bars = append(panel.Bars, chart.Bar{Name: name, Style: style, Y: mean, Error: half, Text: shortNumber(mean)})
			x.d.points = append(x.d.points, point{here.row, here.column, value, engine, "", float64(len(panel.Bars) - 1), mean, half})
			here.lines = append(here.lines, lineKey{value, engine})
		}
	}
}

func (x *painter) sweep(panel *chart.Panel, where map[string]string, here *place) {
	values := inOrder(x.values(x.p.X))
	numbers, unit, err := x.numbers(x.p.X, values)
	if err != nil {
		x.miss(panel, x.p.X, err)
		return
	}
	x.d.xUnit = unit
	x.d.figure.XLabel = withUnit(x.p.X, unit)
	names := shownMeasures(x.p)
	for _, lineValue := range x.values(x.p.Lines) {
		shown := ""
		if x.p.Lines != "" {
			shown = x.f.Dimensions.Items[x.p.Lines].Name(lineValue)
		}
		for _, name := range names {
			text, key := "", lineValue
			if len(names) > 1 {
				text, key = x.f.Measures.Items[name].Text, x.name(lineValue, name)
			}
			for _, engine := range x.engines {
				line := chart.Line{Name: x.name(shown, text, x.engine(engine)), Dots: true}
				line.Style = x.style(line.Name)
				place := with(where, x.p.Lines, lineValue)
				for i, value := range values {
					at := x.name(line.Name, x.p.X+" "+x.f.Dimensions.Items[x.p.X].Name(value))
					mean, half, ok := x.mean(panel, at, name, x.at(with(place, x.p.X, value), engine))
					if !ok {
						continue
					}
					line.XY = append(line.XY, chart.Point{X: numbers[i], Y: mean, Error: half})
					x.d.points = append(x.d.points, point{here.row, here.column, key, engine, "", numbers[i], mean, half})
				}
				panel.Lines = append(panel.Lines, line)
				here.lines = append(here.lines, lineKey{key, engine})
			}
		}
	}
}

// numbers are those of the values as they are shown, such as 384 servers for
// 8 racks, where all of these are numbers.
func (x *painter) numbers(dimension string, values []string) (numbers []float64, unit string, err error) {
	shown := make([]string, len(values))
	for i, v := range values {
		shown[i] = x.f.Dimensions.Items[dimension].Name(v)
	}
	if numbers, unit, err = numbersOf(shown); err == nil {
		return numbers, unit, nil
	}
	return numbersOf(values)
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
