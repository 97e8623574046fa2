package chart

import (
	"image/color"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Alone is the width of a bar that is the only one at its name.
const Alone = 0.72

// widestBar is how wide a bar is drawn at most.
const widestBar = 0.44 * vg.Inch

// slant is the angle of names that are too long to stand beside each other.
const slant = math.Pi / 6

// noBar is what stands where a name has no bar.
const noBar = "no data"

// A bar is a line's point at a name.
type bar struct {
	Point
	line    Line
	at      float64 // of its name
	number  string  // above it
	upright bool
	f       Figure
}

// bars are those of a panel whose points are placed; a name without any has one
// without a value.
func (p Panel) bars(f Figure) (all []bar) {
	some := make([]bool, len(p.Names))
	for _, l := range p.Lines {
		for _, point := range l.Points {
			at := math.Round(point.X - l.Beside)
			some[int(at)] = true
			all = append(all, bar{point, l, at, number(point.Y), false, f})
		}
	}
	for i := range some {
		if !some[i] {
			all = append(all, bar{at: float64(i), number: noBar, f: f})
		}
	}
	return all
}

// number is a value with four digits, or a whole number.
func number(v float64) string {
	if v != math.Trunc(v) || math.Abs(v) >= 1e6 {
		if short, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64); err == nil {
			v = short
		}
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// barRoom is what a name below bars has along the axis, about.
func (l layout) barRoom(p Panel) vg.Length {
	return l.axisWidth() / vg.Length(float64(len(p.Names))+0.2)
}

// makeRoomForBars finds out whether the names below bars, or the numbers above
// them, are too wide to stand beside each other.
func (l *layout) makeRoomForBars(p Panel) {
	room := l.barRoom(p)
	name, above := textStyle(nameSize, ink), centred(textSize)
	var longest vg.Length
	tooLong := false
	for _, n := range p.Names {
		longest = max(longest, name.Width(n))
		l.wrapped = max(l.wrapped, name.Height(wrap(n, name, room-4))-name.Height("x"))
		for word := range strings.FieldsSeq(n) {
			tooLong = tooLong || name.Width(word) > room-4
		}
	}
	if tooLong {
		l.turn(longest, room)
	}
	for _, b := range p.bars(Figure{}) {
		own := room
		if b.line.Width > 0 && b.line.Width < Alone {
			own = room * vg.Length(b.line.Width)
		}
		width, line := above.Width(b.number), above.Height("0")
		if width > own {
			l.upright = max(l.upright, width)
		}
		l.crowded = l.crowded || width > own && line > own
	}
	if l.crowded {
		l.upright = 0
	}
}

// addBars adds bars; each group has its name below it, in lines that do not reach
// into the next one's, or slanted where a word is too long for that.
func addBars(p *plot.Plot, panel Panel, l layout, f Figure) {
	for _, b := range panel.bars(f) {
		b.upright = l.upright > 0
		if l.crowded && b.number != noBar {
			b.number = "" // it would stand in the next one; the table has it
		}
		p.Add(b)
	}
	names := make([]string, len(panel.Names))
	most := 0
	for i, name := range panel.Names {
		if names[i] = name; l.turned == 0 {
			names[i] = wrap(name, p.X.Tick.Label, l.barRoom(panel)-4)
		}
		most = max(most, strings.Count(names[i], "\n"))
	}
	for i, name := range names { // names of as many lines begin at the same height
		names[i] += strings.Repeat("\n ", most-strings.Count(name, "\n"))
	}
	l.turnLabels(&p.X.Tick.Label)
	padding := p.Y.Padding
	p.NominalX(names...)
	p.Y.Padding = padding
	p.X.Min, p.X.Max = -0.6, float64(len(names))-0.4
}

// Plot draws a bar in a light tone of its colour, so that its error bar is seen on
// it, from the lower end of the axis or 0.
func (b bar) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	from := p.Y.Min
	if !b.f.LogY && b.f.LeastY == nil {
		from = 0
	}
	unit := x(b.at+1) - x(b.at)
	width := min(unit*vg.Length(b.line.Width), widestBar)
	middle := x(b.at)
	top := y(from)
	if b.number != noBar {
		middle += width * vg.Length(b.line.Beside/b.line.Width)
		half := width / 2
		area := []vg.Point{{X: middle - half, Y: y(from)}, {X: middle + half, Y: y(from)}, {X: middle + half, Y: y(b.Y)}, {X: middle - half, Y: y(b.Y)}}
		own := colour(b.line.Style)
		light := func(v uint8) uint8 { return uint8((int(v) + 255) / 2) }
		c.FillPolygon(color.RGBA{light(own.R), light(own.G), light(own.B), 0xff}, area)
		c.StrokeLines(draw.LineStyle{Color: own, Width: 0.9}, append(area, area[0]))
		top = y(b.Y + b.Error)
		if b.Error > 0 {
			low, wing, whisker := y(b.Y-b.f.lower(b.Point)), vg.Length(2.5), draw.LineStyle{Color: ink, Width: 0.8}
			c.StrokeLine2(whisker, middle, low, middle, top)
			c.StrokeLine2(whisker, middle-wing, low, middle+wing, low)
			c.StrokeLine2(whisker, middle-wing, top, middle+wing, top)
		}
	}
	style := centred(textSize)
	if b.upright {
		style.Rotation, style.XAlign, style.YAlign = math.Pi/2, text.XLeft, text.YCenter
	}
	c.FillText(style, vg.Point{X: middle, Y: top + 3}, b.number)
}

// DataRange implements plot.DataRanger.
func (b bar) DataRange() (xmin, xmax, ymin, ymax float64) {
	low, high := b.Y-b.f.lower(b.Point), b.Y+b.Error
	switch {
	case b.number == noBar && b.f.LogY:
		return b.at, b.at, math.Inf(1), math.Inf(-1)
	case b.f.LogY, b.f.LeastY != nil && b.number != noBar:
		return b.at, b.at, low, high
	case b.f.LeastY != nil:
		return b.at, b.at, *b.f.LeastY, *b.f.LeastY
	}
	return b.at, b.at, min(0, low), max(0, high)
}
