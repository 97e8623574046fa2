// Package plot draws a table for a quick look: one column or measure over
// another, by colour and panel (docs/how-to/sweep-results.md). What a paper's
// figure needs is in package figure.
package plot

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"fabriclab/analysis/chart"
	"fabriclab/analysis/collect"
	"fabriclab/analysis/sheet"
	"fabriclab/analysis/stats"
	"fabriclab/base/catalog"
)

// Options say what is drawn.
type Options struct {
	X, Y           string // a column each; Y may be a measure of a sweep
	Colour, Facet  string // columns, or ""
	Where          []string
	LogX, LogY     bool
	Title          string
	Dots           bool    // do not join the points of a line
	Width          float64 // of the picture in inches, 0: as it comes
	Bare           bool    // no title
	XLabel, YLabel string  // instead of the columns' names
}

// Draw makes the figure. The notes say what could not be drawn.
func Draw(s *sheet.Sheet, o Options) (chart.Figure, []string, error) {
	v, err := newView(s, o)
	if err != nil {
		return chart.Figure{}, nil, err
	}
	if err := v.filter(o.Where); err != nil {
		return chart.Figure{}, nil, err
	}
	if err := v.closed(); err != nil {
		return chart.Figure{}, nil, err
	}
	return v.draw()
}

// view is a table and the columns that are looked at; -1 is none.
type view struct {
	o                   Options
	s                   *sheet.Sheet
	rows                [][]any
	tidy                bool // a row for each run and measure
	x, y, colour, facet int
	yUnit               string
	lost                map[string]string // by colour, the --where that left it no row
	names               []string          // along x, where it has no numbers
	// dropped rows: without a value, with an infinite one, with a mere bound, of a
	// failed run. dropped points: at or below 0, and those of some seeds alone.
	droppedNone, droppedIn, droppedBound, droppedFailed, droppedLog, droppedPartial int
}

func newView(s *sheet.Sheet, o Options) (*view, error) {
	v := &view{o: o, s: s, rows: s.Rows, x: -1, y: -1, colour: -1, facet: -1}
	measure, value, unit := s.Index(collect.MeasureName), s.Index(collect.Value), s.Index(collect.Unit)
	v.tidy = measure >= 0 && value >= 0 && unit >= 0
	if v.tidy && s.Index(o.Y) < 0 {
		var known []string
		v.rows = nil
		for _, row := range s.Rows {
			name := text(row[measure])
			if name == o.Y {
				v.rows = append(v.rows, row)
				v.yUnit = text(row[unit])
			} else if len(known) == 0 || !slices.Contains(known, name) {
				known = append(known, name)
			}
		}
		if v.rows == nil {
			return nil, fmt.Errorf("--y: there is no measure %q%s", o.Y, catalog.Hint(o.Y, known))
		}
		v.y = value
	}
	for _, c := range []struct {
		flag, name string
		at         *int
	}{{"x", o.X, &v.x}, {"y", o.Y, &v.y}, {"colour", o.Colour, &v.colour}, {"facet", o.Facet, &v.facet}} {
		if *c.at >= 0 || c.name == "" && (c.flag == "colour" || c.flag == "facet") {
			continue
		}
		if *c.at = index(s, c.name); *c.at < 0 {
			return nil, fmt.Errorf("--%s: there is no column %q%s", c.flag, c.name, catalog.Hint(c.name, s.Names()))
		}
	}
	if s.Columns[v.y].Kind != sheet.Number && s.Columns[v.y].Kind != sheet.Integer {
		return nil, fmt.Errorf("--y: the column %s has no numbers", o.Y)
	}
	return v, nil
}

// index is a column by its name or, where only one column has it, by the last
// element of its name, as runs print their labels: rate is topology.rate. -1 is
// none.
func index(s *sheet.Sheet, name string) int {
	if at := s.Index(name); at >= 0 {
		return at
	}
	found := -1
	for i, c := range s.Names() {
		if strings.HasSuffix(c, "."+name) {
			if found >= 0 {
				return -1
			}
			found = i
		}
	}
	return found
}

// OfDataClass keeps the rows of the class that the data packets of their run
// have, which is not the same with every transport.
const OfDataClass = "class=data"

// filter keeps the rows with the given values: column=value.
func (v *view) filter(where []string) error {
	for _, w := range where {
		name, value, ok := strings.Cut(w, "=")
		at := index(v.s, name)
		if !ok || at < 0 {
			return fmt.Errorf("--where %s: write column=value; there is no column %q%s", w, name, catalog.Hint(name, v.s.Names()))
		}
		colours := v.colours(at)
		if w == OfDataClass {
			data := v.s.Index(collect.DataClass)
			if data < 0 {
				return fmt.Errorf("--where %s: this table does not say which class that is; draw it with --table of an experiment or a folder of results, or write class=NUMBER", w)
			}
			v.rows = slices.DeleteFunc(slices.Clone(v.rows), func(row []any) bool { return text(row[at]) != text(row[data]) })
			v.lose(colours, w)
			continue
		}
		known := v.values(at)
		v.rows = slices.DeleteFunc(slices.Clone(v.rows), func(row []any) bool { return !is(row[at], value) })
		if len(v.rows) == 0 {
			return fmt.Errorf("--where %s: no row has this value%s", w, catalog.Hint(value, known))
		}
		v.lose(colours, w)
	}
	return nil
}

// colours are those that a choice of rows must not make vanish without a word:
// of a table row by row, where other than by experiment or colour is chosen.
func (v *view) colours(chosenBy int) []string {
	name := v.s.Columns[chosenBy].Name
	if v.tidy || v.colour < 0 || chosenBy == v.colour || name == collect.Experiment || name == collect.Scenario {
		return nil
	}
	return v.values(v.colour)
}

// lose notes the colours that have no row any more.
func (v *view) lose(colours []string, where string) {
	for _, c := range colours {
		if !slices.Contains(v.values(v.colour), c) {
			if v.lost == nil {
				v.lost = map[string]string{}
			}
			v.lost[c] = where
		}
	}
}

// closed says whether every parameter of a sweep with several values is drawn
// or chosen: means over anything but seeds would hide what they are over.
func (v *view) closed() error {
	if !v.tidy {
		return nil
	}
	ignored := []string{
		collect.Scenario, collect.Seed, collect.MeasureName, collect.Unit, collect.Better, collect.Deterministic, collect.Value, collect.Note,
	}
	for i, c := range v.s.Columns {
		if i == v.x || i == v.colour || i == v.facet || slices.Contains(ignored, c.Name) || v.numberOf(i) >= 0 {
			continue
		}
		if values := v.values(i); len(values) > 1 {
			return fmt.Errorf("there are several values of %s (%s); draw them with --colour or --facet, or choose one with --where %s=%s",
				c.Name, strings.Join(values[:min(5, len(values))], ", "), c.Name, values[0])
		}
	}
	return nil
}

// numberOf is the text column whose numbers a column has, as topology.rate_bps
// has those of topology.rate.
func (v *view) numberOf(column int) int {
	for _, suffix := range []string{"_ps", "_bps", "_bytes"} {
		if name, ok := strings.CutSuffix(v.s.Columns[column].Name, suffix); ok && v.s.Index(name) >= 0 {
			return v.s.Index(name)
		}
	}
	return -1
}

// values are the different values of a column, in the order of their numbers
// if they have some, else of the rows.
func (v *view) values(column int) []string {
	var list []string
	at := map[string]float64{}
	for _, row := range v.rows {
		name := text(row[column])
		if _, known := at[name]; known {
			continue
		}
		list = append(list, name)
		at[name] = v.number(row, column)
	}
	if !slices.ContainsFunc(list, func(name string) bool { return math.IsNaN(at[name]) }) {
		slices.SortStableFunc(list, func(a, b string) int { return cmp.Compare(at[a], at[b]) })
	}
	return list
}

// number is a row's number in a column, or in that which has the numbers of
// its texts; NaN if there is none.
func (v *view) number(row []any, column int) float64 {
	switch n := row[column].(type) {
	case float64:
		return n
	case uint64:
		return float64(n)
	}
	for i := range v.s.Columns {
		if v.numberOf(i) == column {
			if n, ok := row[i].(float64); ok {
				return n
			}
		}
	}
	return math.NaN()
}

// text is a value as it is shown, of its own for every number.
func text(v any) string {
	const whole = 1e15 // up to here without an exponent
	switch v := v.(type) {
	case nil:
		return ""
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < whole {
			return strconv.FormatFloat(v, 'f', -1, 64)
		}
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return fmt.Sprint(v)
}

// is says whether a value is the one that is written, in whatever form a number has.
func is(v any, written string) bool {
	if n, number := v.(float64); number {
		if want, err := strconv.ParseFloat(written, 64); err == nil {
			return n == want
		}
	}
	return text(v) == written
}

// group are the values at one x of one line, by seed in a sweep.
type group struct {
	x      float64
	values []float64
	seeds  []string
	lacks  bool // a seed has no value that can be drawn
}

func (v *view) draw() (chart.Figure, []string, error) {
	f := chart.Figure{Title: v.o.Title, LogX: v.o.LogX, LogY: v.o.LogY, ShareY: true, Width: v.o.Width, Bare: v.o.Bare}
	// Measures of a figure section may be shares and logarithms below 0.
	if !strings.HasPrefix(v.o.Y, "figure.") {
		f.LeastY = new(float64)
	}
	facets, colours := []string{""}, []string{""}
	if v.facet >= 0 {
		facets = v.values(v.facet)
	}
	if v.colour >= 0 {
		colours = append(v.values(v.colour), slices.Sorted(maps.Keys(v.lost))...)
	}
	const most = 24
	if len(facets) > most || len(colours) > most {
		return f, nil, fmt.Errorf("%d panels of %d colours are too many to look at; choose some with --where", len(facets), len(colours))
	}
	x, y := v.scales()
	f.XLabel, f.YLabel = cmp.Or(v.o.XLabel, x.label(v.s.Columns[v.x].Name)), cmp.Or(v.o.YLabel, y.label(v.o.Y))
	columns := min(3, len(facets))
	if len(facets) == 4 {
		columns = 2
	}
	drawn := 0
	for i, facet := range facets {
		panel := chart.Panel{Names: v.names}
		if v.facet >= 0 {
			panel.Title = v.s.Columns[v.facet].Name + " " + facet
		}
		for style, colour := range colours {
			line := chart.Line{Name: v.legend(colour), Style: style, Dots: v.tidy || v.names != nil || v.o.Dots, Loose: v.names != nil || v.o.Dots}
			if v.names != nil { // so that dots and error bars do not cover each other
				line.Beside = 0.1 * (float64(style) - float64(len(colours)-1)/2)
			}
			groups, err := v.groups(facet, colour)
			if err == nil && !line.Loose {
				err = v.joinable(facet, colour)
			}
			if err != nil {
				return f, nil, err
			}
			for _, g := range groups {
				if g.lacks && len(g.values) > 0 {
					v.droppedPartial++
				}
				if g.lacks {
					continue
				}
				mean, half := stats.Mean95(g.values)
				if math.IsNaN(half) || !v.tidy {
					half = 0
				}
				if v.o.LogX && v.names == nil && g.x <= 0 || v.o.LogY && mean <= 0 {
					v.droppedLog++
					continue
				}
				line.Points = append(line.Points, chart.Point{X: g.x / x.by, Y: mean / y.by, Error: half / y.by})
				drawn++
			}
			panel.Lines = append(panel.Lines, line)
		}
		if v.names != nil && v.colour < 0 {
			bars(&panel)
		}
		if i%columns == 0 {
			f.Panels = append(f.Panels, nil)
		}
		f.Panels[len(f.Panels)-1] = append(f.Panels[len(f.Panels)-1], panel)
	}
	for last := len(f.Panels) - 1; len(f.Panels[last]) < columns; {
		f.Panels[last] = append(f.Panels[last], chart.Panel{Blank: true})
	}
	var notes []string
	for _, colour := range slices.Sorted(maps.Keys(v.lost)) {
		notes = append(notes, fmt.Sprintf("%s: no row has %s", v.legend(colour), v.lost[colour]))
	}
	if v.droppedLog > 0 {
		notes = append(notes, fmt.Sprintf("%d values are at or below 0, where a logarithmic axis has no place, and are not drawn", v.droppedLog))
	}
	if v.droppedNone > 0 {
		notes = append(notes, fmt.Sprintf("%d rows have no value and are not drawn", v.droppedNone))
	}
	if v.droppedIn > 0 {
		notes = append(notes, fmt.Sprintf("%d values are never (inf) and are not drawn", v.droppedIn))
	}
	if v.droppedBound > 0 {
		notes = append(notes, fmt.Sprintf("%d values are no more than bounds, as flows did not finish, and are not drawn", v.droppedBound))
	}
	if v.droppedFailed > 0 {
		notes = append(notes, fmt.Sprintf("%d values are of runs that failed and are not drawn", v.droppedFailed))
	}
	if v.droppedPartial > 0 {
		notes = append(notes, fmt.Sprintf("%d points lack such a value of some seeds and are not drawn: the mean of the other seeds is another one", v.droppedPartial))
	}
	if drawn == 0 {
		return f, nil, fmt.Errorf("%s", strings.Join(append([]string{"no row has a value of " + v.o.Y + " that can be drawn"}, notes...), "; "))
	}
	f.Notes = notes
	return f, notes, nil
}

// joinable says whether the rows of a line follow each other along x. Rows of
// another table than a sweep may be of several queues, flows or runs, and a line
// through all of them would go back and forth: along x, or between the queues that
// have a row at each time.
func (v *view) joinable(facet, colour string) error {
	if v.tidy {
		return nil
	}
	line := slices.DeleteFunc(slices.Clone(v.rows), func(row []any) bool {
		return !v.in(row, facet, colour) || math.IsNaN(v.number(row, v.x)) || math.IsNaN(v.number(row, v.y))
	})
	sorted := slices.IsSortedFunc(line, func(a, b []any) int { return cmp.Compare(v.number(a, v.x), v.number(b, v.x)) })
	var mixed []string
	for i, c := range v.s.Columns {
		if i == v.x || i == v.y || i == v.colour || i == v.facet || !isKey(c) || v.numberOf(i) >= 0 {
			continue
		}
		if sorted && (!isName(c) || !v.alternate(line, i)) {
			continue
		}
		var values []string
		for _, row := range line {
			if !slices.Contains(values, text(row[i])) && len(values) < 4 {
				values = append(values, text(row[i]))
			}
		}
		if len(values) > 1 {
			if len(values) == 4 {
				values[3] = "…"
			}
			mixed = append(mixed, fmt.Sprintf("%s (%s)", c.Name, strings.Join(values, ", ")))
		}
	}
	switch {
	case len(mixed) > 0:
		return fmt.Errorf("a line over %s would go back and forth, for its rows differ in %s; choose with --where, draw with --colour or --facet, or leave the rows unjoined with --dots", v.o.X, strings.Join(mixed, " and "))
	case !sorted:
		return fmt.Errorf("the rows of a line do not follow each other along %s; draw them unjoined with --dots", v.o.X)
	}
	return nil
}

// alternate says whether rows that follow each other along x have a value of a
// column again behind another one, or two of them at the same x.
func (v *view) alternate(line [][]any, column int) bool {
	seen := map[string]bool{}
	for i, row := range line {
		now := text(row[column])
		if i > 0 {
			before := line[i-1]
			changed := text(before[column]) != now
			if changed && (seen[now] || v.number(before, v.x) == v.number(row, v.x)) {
				return true
			}
		}
		seen[now] = true
	}
	return false
}

// isKey says whether a column says what a row is about, rather than what was
// measured: texts, and the numbers that are names.
func isKey(c sheet.Column) bool {
	switch c.Kind {
	case sheet.Text, sheet.OptionalText, sheet.Bool:
		return true
	}
	return isName(c)
}

// isName says whether a column names what a row is about. Other texts may be its
// state, which changes along a line.
func isName(c sheet.Column) bool {
	return slices.Contains([]string{"link", "node", "class", "port", "flow", "group", collect.Seed}, c.Name)
}

// in says whether a row belongs to a line.
func (v *view) in(row []any, facet, colour string) bool {
	return (v.facet < 0 || text(row[v.facet]) == facet) && (v.colour < 0 || text(row[v.colour]) == colour)
}

// legend is how a colour is named: a number alone would say nothing.
func (v *view) legend(colour string) string {
	if _, err := strconv.ParseFloat(colour, 64); err != nil {
		return colour
	}
	name := v.s.Columns[v.colour].Name
	return name[strings.LastIndex(name, ".")+1:] + " " + colour
}

// bars draws the only line of a panel as bars, each in the first colour.
func bars(panel *chart.Panel) {
	points := panel.Lines[0].Points
	panel.Lines = nil
	for _, p := range points {
		name := panel.Names[int(p.X)]
		panel.Lines = append(panel.Lines, chart.Line{Name: name, Shape: chart.Bars, Width: chart.Alone, Points: []chart.Point{p}})
	}
}

// groups are the points of a line. In a sweep the values at the same x, those
// of the seeds, belong together; any other table is drawn row by row.
func (v *view) groups(facet, colour string) ([]group, error) {
	var list []group
	for _, row := range v.rows {
		if !v.in(row, facet, colour) {
			continue
		}
		x, y := v.number(row, v.x), v.number(row, v.y)
		if v.names != nil {
			x = float64(slices.Index(v.names, text(row[v.x])))
		}
		drawn := v.drawable(row, x, y)
		if math.IsNaN(x) || !drawn && !v.tidy {
			continue
		}
		at := slices.IndexFunc(list, func(g group) bool { return g.x == x })
		if !v.tidy || at < 0 {
			at = len(list)
			list = append(list, group{x: x})
		}
		g := &list[at]
		if seed := v.s.Index(collect.Seed); v.tidy && seed >= 0 {
			if slices.Contains(g.seeds, text(row[seed])) {
				return nil, fmt.Errorf("there are two values of seed %s at %s %s, which is no mean over seeds: of two scenarios or versions of an experiment; choose one with --where %s=…",
					text(row[seed]), v.o.X, text(row[v.x]), collect.Scenario)
			}
			g.seeds = append(g.seeds, text(row[seed]))
		}
		if !drawn {
			g.lacks = true
			continue
		}
		g.values = append(g.values, y)
	}
	if v.tidy {
		slices.SortFunc(list, func(a, b group) int { return cmp.Compare(a.x, b.x) })
	}
	return list, nil
}

// drawable says whether a row has a value with a place in the picture; others are
// counted.
func (v *view) drawable(row []any, x, y float64) bool {
	note := v.note(row)
	switch {
	case math.IsNaN(x) || math.IsNaN(y):
		v.droppedNone++
	case math.IsInf(y, 0):
		v.droppedIn++
	case strings.HasPrefix(note, collect.FailedRun):
		v.droppedFailed++
	case note != "":
		v.droppedBound++
	default:
		return true
	}
	return false
}

// note is what a row of a sweep says of its value, such as that it is no more
// than a bound.
func (v *view) note(row []any) string {
	if note := v.s.Index(collect.Note); v.tidy && note >= 0 {
		return text(row[note])
	}
	return ""
}

// A scale is what an axis counts in.
type scale struct {
	unit string
	by   float64
}

// label is a column's name with the unit it is drawn in.
func (s scale) label(column string) string {
	if s.unit == "" {
		return column
	}
	return strings.TrimSuffix(strings.TrimSuffix(column, "_bps"), "_ps") + " (" + s.unit + ")"
}

// scales chooses what the axes count in, and names along x where it has no
// numbers.
func (v *view) scales() (x, y scale) {
	largestX, largestY := 0.0, 0.0
	for _, row := range v.rows {
		n := v.number(row, v.x)
		if math.IsNaN(n) {
			v.names = v.values(v.x)
		}
		largestX = max(largestX, math.Abs(n))
		if n := v.number(row, v.y); !math.IsInf(n, 0) && !math.IsNaN(n) {
			largestY = max(largestY, math.Abs(n))
		}
	}
	if v.names != nil {
		x = scale{by: 1}
	} else {
		x = scaleOf(v.unitOf(v.x), largestX)
	}
	unit := v.yUnit
	if unit == "" {
		unit = v.unitOf(v.y)
	}
	return x, scaleOf(unit, largestY)
}

// unitOf is a column's unit by its name, or by that of the column with its
// numbers.
func (v *view) unitOf(column int) string {
	for i, c := range v.s.Columns {
		if i != column && v.numberOf(i) != column {
			continue
		}
		for suffix, unit := range map[string]string{"_ps": "ps", "_bps": "bps", "bytes": "B"} {
			if strings.HasSuffix(c.Name, suffix) {
				return unit
			}
		}
	}
	return ""
}

func scaleOf(unit string, largest float64) scale {
	type step = scale
	var steps []step // largest first
	switch unit {
	case "", "1":
		return scale{by: 1}
	case "B":
		steps = []step{{"GB", 1e9}, {"MB", 1e6}, {"KB", 1e3}, {"B", 1}}
	case "s":
		steps = []step{{"s", 1}, {"ms", 1e-3}, {"µs", 1e-6}, {"ns", 1e-9}}
	case "ps":
		steps = []step{{"s", 1e12}, {"ms", 1e9}, {"µs", 1e6}, {"ns", 1e3}, {"ps", 1}}
	case "bps":
		steps = []step{{"Tb/s", 1e12}, {"Gb/s", 1e9}, {"Mb/s", 1e6}, {"Kb/s", 1e3}, {"b/s", 1}}
	default:
		return scale{unit, 1}
	}
	for _, s := range steps {
		if largest >= 2*s.by { // 1.5 s is 1500 ms
			return s
		}
	}
	return steps[len(steps)-1]
}
