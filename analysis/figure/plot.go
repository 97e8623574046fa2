package figure

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"fabriclab/analysis/chart"
	"fabriclab/analysis/claims"
	"fabriclab/analysis/measure"
	"fabriclab/analysis/spec"
	"fabriclab/base/reader"
	"fabriclab/base/units"
)

// A plotKind is a kind of plot: what it is, which keys it reads, and how it is
// drawn. Each file registers its own.
type plotKind struct {
	name, title string
	read        func(s *reader.Section, p *spec.Plot, f *spec.Figure)
	// from are the tables that it draws from beside those of its measures and series.
	from func(p spec.Plot) []string
	// check holds it against the values of its lines, nil where they are not known.
	check  func(s *reader.Section, p spec.Plot, lines []string)
	labels func(x *painter)
	// panel draws what stands at one place.
	panel func(x *painter, panel *chart.Panel, at spot)
	// sides are what panels stand beside each other for, where rows and columns
	// leave room; nil: one panel.
	sides func(p spec.Plot) []string

	named  bool // names stand along the x axis
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
	kind, k, ok := spec.ReadKind(s, "plot", "time", plotKinds, nil)
	if p.Kind = kind; !ok {
		return p
	}
	p.Rows, p.Columns = s.Str("rows"), s.Str("columns")
	for _, at := range s.Sections("marks") {
		p.Marks = append(p.Marks, readMark(at, p, k.marksX))
	}
	if p.LogY = s.Boolean("log_y", false); k.logX {
		p.LogX = s.Boolean("log_x", false)
	}
	k.read(s, &p, f)
	if k.from != nil {
		measure.CheckTables(s, f, k.from(p))
	}
	s.Fail(claims.CheckPlace(f, matrix, p.Where, p.Rows, p.Columns, p.Lines, p.X))
	if k.check != nil {
		k.check(s, p, matrix[f.Dimensions.Items[p.Lines].Path])
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
	if name := readMeasure(s, f, "measure"); name != "" {
		p.Measures = []string{name}
	}
	texts, nodes := s.Texts("measures")
	for i, text := range texts {
		if _, err := f.Measures.Get("measure", text); err != nil {
			s.F.Problem(nodes[i], "%s: %v", s.Name("measures"), err)
		}
	}
	switch {
	case s.Get("measure") != nil && s.Get("measures") != nil:
		s.Fail(reader.At("measures", errors.New("measure and measures exclude each other")))
	case needed && s.Get("measure") == nil && s.Get("measures") == nil:
		s.Need("measure", "queue_peak (or measures)")
	}
	p.Measures = append(p.Measures, texts...)
}

// readOneMeasure reads the only one.
func readOneMeasure(s *reader.Section, p *spec.Plot, f *spec.Figure, example string) spec.Measure {
	s.Need("measure", example)
	name := readMeasure(s, f, "measure")
	p.Measures = []string{name}
	return f.Measures.Items[name]
}

// readEdges reads sizes that only grow.
func readEdges(s *reader.Section) []spec.Size {
	edges := spec.ReadSizes(s, "edges")
	at := s.Get("edges")
	if at != nil && len(edges) < 2 {
		s.F.Problem(at, "%s: there are two edges or more", s.Name("edges"))
	}
	if len(edges) > 0 && edges[0] > 1 {
		s.F.Problem(at, "%s: flows below %d B would be left out; begin with 0: [0, …]", s.Name("edges"), edges[0])
	}
	for i, edge := range edges {
		if i > 0 && edge <= edges[i-1] {
			s.F.Problem(at, "%s: edges only grow; %d B does not", s.Name("edges"), edge)
		}
	}
	return edges
}

// packets are the sizes along an axis in packets of so many bytes, 0: in bytes.
type packets spec.Size

func readPackets(s *reader.Section) packets { return packets(spec.ReadSize(s, "packet")) }

// upTo is the largest size below an edge.
func (n packets) upTo(edge int64) string {
	switch {
	case edge == math.MaxInt64:
		return "more"
	case n == 0:
		return units.FormatBytes(edge)
	}
	return fmt.Sprint((edge - 2 + int64(n)) / int64(n))
}

// between are the sizes of a bin.
func (n packets) between(from, to int64) string {
	low := units.FormatBytes(from)
	if n > 0 {
		low = fmt.Sprint(max(1, (from-1+int64(n))/int64(n)))
	}
	if to == math.MaxInt64 {
		return low + " and more"
	}
	if high := n.upTo(to); high != low {
		return low + " to " + high
	}
	return low
}

// label is an axis's.
func (n packets) label(text string) string {
	if n > 0 {
		text += " (packets)"
	}
	return text
}

// labelsOfMeasures are the labels of kinds that show measures by a dimension.
func labelsOfMeasures(x *painter) {
	m := x.f.Measures.Items[x.p.Measures[0]]
	x.c.YUnit, x.c.YLabel = m.Unit, withUnit(m.Text, m.Unit)
	if len(x.p.Measures) > 1 { // their texts tell the lines from each other
		x.c.YLabel = measure.Label(m.Unit)
	}
	x.c.LeastY = x.least()
}

// least is the value that none of the plot's measures is below, nil if there is
// none.
func (x *painter) least() *float64 {
	least := math.Inf(1)
	for _, name := range x.p.Measures {
		m := x.f.Measures.Items[name]
		least = min(least, measure.Least(m.Kind, m.Unit))
	}
	return reader.Given(least, !math.IsInf(least, 0))
}
