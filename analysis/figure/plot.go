package figure

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"fabriclab/analysis/chart"
	"fabriclab/analysis/claims"
	"fabriclab/analysis/measure"
	"fabriclab/analysis/spec"
	"fabriclab/base/catalog"
	"fabriclab/base/reader"
	"fabriclab/base/units"
)

// A plotKind is a kind of plot: what it is, which keys it reads, and how it is
// drawn. Each file registers its own.
type plotKind struct {
	name, title string
	read        func(s *reader.Section, p *spec.Plot, f *spec.Figure)
	labels      func(x *painter)
	// panel draws what stands at one place; whole draws all panels where they do
	// not go by rows and columns.
	panel func(x *painter, panel *chart.Panel, where map[string]string, here *place)
	whole func(x *painter)

	named  bool // names stand along the x axis
	alone  bool // it takes no rows, columns and marks
	marksX bool // marks may stand at an x
	logX   bool // the x axis may be logarithmic
}

var plotKinds = map[string]plotKind{}

func register(k plotKind) { plotKinds[k.name] = k }

// PlotKinds lists the kinds of plots.
func PlotKinds() []string { return slices.Sorted(maps.Keys(plotKinds)) }

// TitleOf says what a kind of plot shows.
func TitleOf(kind string) string { return plotKinds[kind].title }

func readPlot(s *reader.Section, f *spec.Figure, matrix claims.Matrix) spec.Plot {
	s.Need("id", "queue")
	p := spec.Plot{ID: s.Str("id"), Title: s.Str("title"), Where: s.TextMap("where")}
	if at := s.Get("id"); at != nil && !fileName.MatchString(p.ID) {
		s.F.Problem(at, "%s: the id becomes a file name: write letters a-z, digits, - and _", s.Name("id"))
	}
	if p.ID != "" && !s.F.Interviewed() {
		s.Path = "plot " + p.ID
	}
	kind, k, ok := spec.ReadKind(s, "plot", "time", plotKinds)
	if p.Kind = kind; !ok {
		return p
	}
	if !k.alone {
		p.Rows, p.Columns = s.Str("rows"), s.Str("columns")
		for _, at := range s.Sections("marks") {
			p.Marks = append(p.Marks, readMark(at, p, k.marksX))
		}
	}
	if p.LogY = s.Boolean("log_y", false); k.logX {
		p.LogX = s.Boolean("log_x", false)
	}
	k.read(s, &p, f)
	s.Fail(claims.CheckPlace(f, matrix, p.Where, p.Rows, p.Columns, p.Lines, p.X))
	if values := matrix[f.Dimensions.Items[p.Lines].Path]; p.Baseline != "" && values != nil && !slices.Contains(values, p.Baseline) {
		s.Fail(reader.At("baseline", fmt.Errorf("baseline: the matrix has no %s = %q%s", p.Lines, p.Baseline, catalog.Hint(p.Baseline, values))))
	}
	s.Done()
	return p
}

// readMark reads a dashed line at a value, or where the kind has it at a time.
func readMark(s *reader.Section, p spec.Plot, atX bool) spec.Mark {
	m := spec.Mark{Y: spec.ReadNumber(s, "y"), Text: s.Str("text"), Where: s.TextMap("where")}
	if atX {
		t, ok := reader.Quantity(s, "x", units.ParseTime)
		m.X = reader.Given(spec.Time(t), ok)
	}
	if (m.X == nil) == (s.Get("y") == nil) {
		s.Fail(errors.New("a mark has either y or, in a time plot, x"))
	}
	for _, e := range s.Entries("where") {
		if d := e.Key.Value; d != p.Rows && d != p.Columns {
			s.F.Problem(e.Key, "%s: a mark is for some values of %q, which is neither rows nor columns", e.Path, d)
		}
	}
	s.Done()
	return m
}

// readMeasure reads the name of a measure.
func readMeasure(s *reader.Section, f *spec.Figure, key string) string {
	name, at, ok := s.Text(key)
	if _, err := f.Measures.Get("measure", name); ok && err != nil {
		s.F.Problem(at, "%s: %v", s.Name(key), err)
	}
	return name
}

// readMeasures reads one measure or several.
func readMeasures(s *reader.Section, p *spec.Plot, f *spec.Figure, needed bool) {
	p.Measure = readMeasure(s, f, "measure")
	texts, nodes := s.Texts("measures")
	for i, text := range texts {
		if _, err := f.Measures.Get("measure", text); err != nil {
			s.F.Problem(nodes[i], "%s: %v", s.Name("measures"), err)
		}
	}
	p.Measures = texts
	switch {
	case s.Get("measure") != nil && s.Get("measures") != nil:
		s.Fail(reader.At("measures", errors.New("measure and measures exclude each other")))
	case needed && s.Get("measure") == nil && s.Get("measures") == nil:
		s.Need("measure", "queue_peak (or measures)")
	}
}

// readEdges reads sizes that only grow.
func readEdges(s *reader.Section) []spec.Size {
	edges := spec.ReadSizes(s, "edges")
	at := s.Get("edges")
	if at != nil && len(edges) < 2 {
		s.F.Problem(at, "%s: there are two edges or more", s.Name("edges"))
	}
	for i, edge := range edges {
		if i > 0 && edge <= edges[i-1] {
			s.F.Problem(at, "%s: edges only grow; %d B does not", s.Name("edges"), edge)
		}
	}
	return edges
}

// shownMeasures are the names of the measures that a plot shows.
func shownMeasures(p spec.Plot) []string {
	if p.Measures != nil {
		return p.Measures
	}
	return []string{p.Measure}
}

// labelsOfMeasures are the labels of kinds that show measures by a dimension.
func labelsOfMeasures(x *painter) {
	names := shownMeasures(x.p)
	m := x.f.Measures.Items[names[0]]
	x.d.yUnit = m.Unit
	x.d.figure.YLabel = withUnit(m.Text, m.Unit)
	if len(names) > 1 { // their texts tell the lines from each other
		x.d.figure.YLabel = measure.Label(m.Unit)
	}
}
