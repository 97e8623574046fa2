package report

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"fabriclab/analysis/figure"
	"fabriclab/analysis/measure"
)

// mostPoints is how many points of a line are in the page at most, pagePoints
// of all lines together: about 16 bytes each.
const (
	mostPoints = 4000
	pagePoints = 100_000
)

// linePoints is how many points a line may have, so that all lines of the
// sections together have no more than pagePoints: short ones stay as they are.
func linePoints(sections []Section) int {
	var lengths []int
	for _, s := range sections {
		if s.Figure == nil {
			continue
		}
		for _, p := range s.Figure.Plots {
			for _, row := range p.Panels {
				for _, panel := range row {
					for _, l := range panel.Lines {
						lengths = append(lengths, len(l.Points))
					}
				}
			}
		}
	}
	slices.Sort(lengths)
	room := pagePoints
	for i, n := range lengths {
		if share := room / (len(lengths) - i); n > share {
			return min(mostPoints, max(share, leastPoints))
		}
		room -= n
	}
	return mostPoints
}

// leastPoints is what thinning needs: two ends and a span.
const leastPoints = 4

// A chart is a plot for the page's script.
type chart struct {
	Kind   string    `json:"kind"`
	XLabel string    `json:"xLabel"`
	YLabel string    `json:"yLabel"`
	XName  string    `json:"xName"` // without the unit
	XUnit  string    `json:"xUnit"`
	YUnit  string    `json:"yUnit"`
	LogX   bool      `json:"logX"`
	LogY   bool      `json:"logY"`
	ShareY bool      `json:"shareY"`
	Floor  bool      `json:"floor"` // no value is negative: error bars end at 0
	Cols   int       `json:"cols"`
	Series []series  `json:"series"`
	Xs     []numbers `json:"xs"` // lines at the same places share them
	Panels []panel   `json:"panels"`
}

// A series is a line or bar by name, in all panels.
type series struct {
	Name  string `json:"name"`
	Style int    `json:"style"`
}

type panel struct {
	Title string   `json:"title"`
	Row   int      `json:"row"`
	From  float64  `json:"from"`
	To    float64  `json:"to"`
	Names []string `json:"names"`
	Lines []line   `json:"lines"`
	Bars  []bar    `json:"bars"`
	Marks []mark   `json:"marks"`
}

type line struct {
	Series int     `json:"s"`
	Dots   bool    `json:"dots"`
	X      int     `json:"x"` // of Xs
	Y      numbers `json:"y"`
	Error  numbers `json:"e"`
}

type bar struct {
	Series int     `json:"s"`
	Y      numbers `json:"y"` // one
	Error  numbers `json:"e"`
}

type mark struct {
	X    numbers `json:"x"` // one or none
	Y    numbers `json:"y"`
	Text string  `json:"text"`
}

// numbers are written with seven digits, which is more than a screen shows.
type numbers []float64

// MarshalJSON writes null for what JSON has no number for.
func (n numbers) MarshalJSON() ([]byte, error) {
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

// newChart also says how many points the longest line had, if it was thinned to
// most.
func newChart(p figure.Plot, most int) (c chart, thinned int, err error) {
	c = chart{
		Kind: p.Kind, XLabel: p.XLabel, YLabel: p.YLabel, XUnit: measure.Label(p.XUnit), YUnit: measure.Label(p.YUnit),
		LogX: p.LogX, LogY: p.LogY, ShareY: p.ShareY, Floor: p.Floor, Panels: []panel{},
	}
	c.XName = strings.TrimSuffix(p.XLabel, " ("+c.XUnit+")")
	for r, row := range p.Panels {
		c.Cols = max(c.Cols, len(row))
		for _, from := range row {
			to := panel{Title: from.Title, Row: r, From: from.FromX, To: from.ToX, Names: from.Names}
			for n, l := range from.Lines {
				points := l.Points
				if len(points) == 0 {
					continue
				}
				if from.Names != nil {
					if points, err = atNames(from, points, n); err != nil {
						return c, 0, err
					}
				}
				if len(points) > most {
					thinned = max(thinned, len(points))
					points = thin(points, most)
				}
				if p.Kind == "box" {
					points = apart(points)
				}
				to.Lines = append(to.Lines, c.line(l, points))
			}
			for _, b := range from.Bars {
				if len(b.Points) != 1 {
					return c, 0, fmt.Errorf("its table has %d values for the bar %q of panel %q", len(b.Points), b.Name, from.Title)
				}
				to.Bars = append(to.Bars, bar{Series: c.series(b), Y: numbers{b.Points[0].Y}, Error: numbers{b.Points[0].Error}})
			}
			for _, m := range from.Marks {
				one := mark{Text: m.Text}
				if m.X != nil {
					one.X = numbers{*m.X}
				} else if m.Y != nil {
					one.Y = numbers{*m.Y}
				}
				to.Marks = append(to.Marks, one)
			}
			c.Panels = append(c.Panels, to)
		}
	}
	return c, thinned, nil
}

// atNames moves points to the numbers of the names along the axis, those of
// line n a little to the side, so that error bars do not cover each other.
func atNames(p figure.Panel, points []figure.Point, n int) ([]figure.Point, error) {
	beside := 0.1 * (float64(n) - float64(len(p.Lines)-1)/2)
	moved := make([]figure.Point, len(points))
	for i, point := range points {
		at := slices.Index(p.At, point.X)
		if at < 0 {
			return nil, fmt.Errorf("its table has a point at %g, where panel %q has no name", point.X, p.Title)
		}
		moved[i] = figure.Point{X: float64(at) + beside, Y: point.Y, Error: point.Error}
	}
	return moved, nil
}

func (c *chart) line(l figure.Line, points []figure.Point) line {
	out := line{Series: c.series(l), Dots: l.Dots}
	var xs numbers
	for _, p := range points {
		xs = append(xs, p.X)
		out.Y = append(out.Y, p.Y)
		out.Error = append(out.Error, p.Error)
	}
	if !slices.ContainsFunc(out.Error, func(e float64) bool { return e > 0 }) {
		out.Error = nil
	}
	out.X = slices.IndexFunc(c.Xs, func(have numbers) bool { return slices.Equal(have, xs) })
	if out.X < 0 {
		out.X = len(c.Xs)
		c.Xs = append(c.Xs, xs)
	}
	return out
}

func (c *chart) series(l figure.Line) int {
	s := series{l.Name, l.Style}
	i := slices.Index(c.Series, s)
	if i < 0 {
		i = len(c.Series)
		c.Series = append(c.Series, s)
	}
	return i
}

// thin leaves at most so many points: of every span of the line the lowest and
// the highest, so that no peak is lost, and its two ends.
func thin(points []figure.Point, most int) []figure.Point {
	if len(points) <= most {
		return points
	}
	inner := points[1 : len(points)-1]
	spans := (most - 2) / 2
	out := []figure.Point{points[0]}
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

// apart puts a gap between points at different places, which are boxes each.
func apart(points []figure.Point) []figure.Point {
	var out []figure.Point
	for i, p := range points {
		if i > 0 && p.X != points[i-1].X {
			out = append(out, figure.Point{X: p.X, Y: math.NaN()})
		}
		out = append(out, p)
	}
	return out
}
