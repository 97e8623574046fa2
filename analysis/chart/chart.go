// Package chart is a plot as it is drawn: the panels, lines, bars and boxes that
// SVG, PNG and PDF show, that figure.json describes, and that the report's script
// draws. The same figure gives the same bytes.
package chart

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// A Figure is panels in rows (all of the same length) with one legend. Its JSON is
// a plot of figure.json (docs/formats.md).
type Figure struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Kind   string `json:"kind"`
	XLabel string `json:"x_label"` // of every panel, with the unit
	YLabel string `json:"y_label"`
	XUnit  string `json:"x_unit"`
	YUnit  string `json:"y_unit"`
	// LogX and LogY make an axis logarithmic; its values are above 0.
	LogX bool `json:"log_x,omitempty"`
	LogY bool `json:"log_y,omitempty"`
	// ShareY gives the panels of a row the same range.
	ShareY bool `json:"share_y,omitempty"`
	// LeastX and LeastY are values that none is below: the axis begins there, and
	// error bars end there.
	LeastX  *float64  `json:"least_x,omitempty"`
	LeastY  *float64  `json:"least_y,omitempty"`
	Panels  [][]Panel `json:"panels"`            // by row
	Missing []string  `json:"missing,omitempty"` // what could not be drawn, and why

	// Width is that of the picture in inches; 0 is what its panels take.
	Width float64 `json:"-"`
	// Bare pictures have no title, for the caption under them has it.
	Bare bool `json:"-"`
	// Notes stand below the panels.
	Notes []string `json:"-"`
}

// A Panel is one pair of axes.
type Panel struct {
	Title string `json:"title"`
	// Row and Column are those of its points in the table.
	Row    string `json:"row"`
	Column string `json:"column"`
	// FromX and ToX are the range of the x axis; equal: that of the lines.
	FromX float64 `json:"from_x,omitempty"`
	ToX   float64 `json:"to_x,omitempty"`
	// Names stand along the x axis instead of the values At, or 0, 1, ….
	Names []string  `json:"names,omitempty"`
	At    []float64 `json:"at,omitempty"`
	Lines []Line    `json:"lines,omitempty"`
	Marks []Mark    `json:"marks,omitempty"`

	// Blank panels fill a row up; nothing is drawn.
	Blank bool `json:"blank,omitempty"`
}

// Shapes of a line that is none.
const (
	Bars  = "bars"  // a bar for each point
	Boxes = "boxes" // every five points are a box: lower whisker, lower edge, median, upper edge, upper whisker
)

// A Line is a named line, or bars or boxes. Those of the same Style look the same
// in all panels and have one entry in the legend.
type Line struct {
	Name   string  `json:"name"` // as shown
	Style  int     `json:"style"`
	Shape  string  `json:"shape,omitempty"`
	Width  float64 `json:"width,omitempty"`  // of a bar or box along x
	Beside float64 `json:"beside,omitempty"` // how far right of their names points are drawn
	Dots   bool    `json:"dots,omitempty"`   // mark the points
	Loose  bool    `json:"loose,omitempty"`  // do not join the points
	// Key and Engine are those of its points in the table.
	Key    string `json:"line"`
	Engine string `json:"engine"`

	Points []Point `json:"-"` // in the table
	Seed   *uint64 `json:"-"` // of the points, where it is one
	// Data are the points for the page (ForPage).
	Data *Data `json:"data,omitempty"`
}

// A Point of a line; Error is the half width of its error bar, 0 for none.
type Point struct{ X, Y, Error float64 }

// A Mark is a dashed line across the panel at X or at Y.
type Mark struct {
	X    *float64 `json:"x,omitempty"`
	Y    *float64 `json:"y,omitempty"`
	Text string   `json:"text"`
}

// Empty says that there is no panel to draw.
func (f *Figure) Empty() bool { return len(f.Panels) == 0 || len(f.Panels[0]) == 0 }

// All are the lines of all panels.
func (f *Figure) All(visit func(*Panel, *Line)) {
	for _, row := range f.Panels {
		for p := range row {
			for l := range row[p].Lines {
				visit(&row[p], &row[p].Lines[l])
			}
		}
	}
}

// barred panels have bars.
func (p *Panel) barred() bool {
	return slices.ContainsFunc(p.Lines, func(l Line) bool { return l.Shape == Bars })
}

// place is where a point stands along the x axis.
func (p *Panel) place(l *Line, x float64) (float64, error) {
	if len(p.Names) == 0 {
		return x, nil
	}
	if p.At != nil {
		at := slices.Index(p.At, x)
		if at < 0 {
			return 0, fmt.Errorf("panel %q, line %q: there is a point at %g, where it has no name", p.Title, l.Name, x)
		}
		x = float64(at)
	}
	return x + l.Beside, nil
}

// placed is a copy of the figure whose points are where they are drawn.
func (f Figure) placed() (Figure, error) {
	panels := make([][]Panel, len(f.Panels))
	for r, row := range f.Panels {
		panels[r] = slices.Clone(row)
		for p := range panels[r] {
			panels[r][p].Lines = slices.Clone(row[p].Lines)
		}
	}
	f.Panels = panels
	var problem error
	f.All(func(p *Panel, l *Line) {
		l.Points = slices.Clone(l.Points)
		for i := range l.Points {
			x, err := p.place(l, l.Points[i].X)
			if err != nil && problem == nil {
				problem = fmt.Errorf("figure %q, %w", f.Title, err)
			}
			l.Points[i].X = x
		}
	})
	return f, problem
}

// Data are the points of a line: where they are drawn, and half the widths of
// their error bars if they have some. A line without X is at the places of the
// one before it.
type Data struct {
	X     Numbers `json:"x,omitempty"`
	Y     Numbers `json:"y"`
	Error Numbers `json:"e,omitempty"`
}

// ForPage is the figure with its points in its JSON, at most so many of a line.
// thinned is how many points the longest line had that has fewer now.
func (f Figure) ForPage(most int) (page Figure, thinned int, err error) {
	if page, err = f.placed(); err != nil {
		return page, 0, err
	}
	var before Numbers
	page.All(func(_ *Panel, l *Line) {
		points := l.Points
		if len(points) > most && l.Shape == "" {
			thinned = max(thinned, len(points))
			points = thin(points, most)
		}
		l.Data = &Data{Y: Numbers{}}
		var xs Numbers
		for _, p := range points {
			xs, l.Data.Y, l.Data.Error = append(xs, p.X), append(l.Data.Y, p.Y), append(l.Data.Error, p.Error)
		}
		if !slices.ContainsFunc(l.Data.Error, func(e float64) bool { return e > 0 }) {
			l.Data.Error = nil
		}
		if !slices.Equal(xs, before) {
			l.Data.X, before = xs, xs
		}
	})
	return page, thinned, nil
}

// LeastPoints is what thinning needs: two ends and a span.
const LeastPoints = 4

// thin leaves at most so many points: of every span of the line the lowest and
// the highest, so that no peak is lost, and its two ends.
func thin(points []Point, most int) []Point {
	if len(points) <= most {
		return points
	}
	inner := points[1 : len(points)-1]
	spans := (most - 2) / 2
	out := []Point{points[0]}
	for i := range spans {
		span := inner[i*len(inner)/spans : (i+1)*len(inner)/spans]
		low, high := 0, 0
		for k, p := range span {
			if p.Y < span[low].Y {
				low = k
			}
			if p.Y > span[high].Y {
				high = k
			}
		}
		out = append(out, span[min(low, high)])
		if low != high {
			out = append(out, span[max(low, high)])
		}
	}
	return append(out, points[len(points)-1])
}

// Numbers are written with seven digits, which is more than a screen shows.
type Numbers []float64

// MarshalJSON writes null for what JSON has no number for.
func (n Numbers) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('[')
	for i, v := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		if math.IsNaN(v) || math.IsInf(v, 0) {
			b.WriteString("null")
		} else {
			b.Write(strconv.AppendFloat(nil, v, 'g', 7, 64))
		}
	}
	b.WriteByte(']')
	return b.Bytes(), nil
}
