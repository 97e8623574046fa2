// Package chart draws figures of one or more panels as SVG, PNG and PDF. The same
// figure gives the same bytes.
package chart

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// A Figure is panels in rows (all of the same length) with one legend.
type Figure struct {
	Title  string
	XLabel string // of every panel, with the unit
	YLabel string
	Panels [][]Panel
	// ShareY gives the panels of a row the same range.
	ShareY bool
	// LogX and LogY make an axis logarithmic; its values are above 0.
	LogX, LogY bool
	// Width is that of the picture in inches; 0 is what its panels take.
	Width float64
	// Bare pictures have no title, for the caption under them has it.
	Bare bool
	// Floor: values are never negative, and so error bars end at 0.
	Floor bool
	// Notes stand below the panels: what could not be drawn, and why.
	Notes []string
}

// A Panel is one pair of axes.
type Panel struct {
	Title string
	Lines []Line
	Bars  []Bar
	Marks []Mark
	// FromX and ToX are the range of the x axis; equal: that of the lines.
	FromX, ToX float64
	// Names stand along the x axis instead of the numbers 0, 1, ….
	Names []string
	// Blank panels fill a row up; nothing is drawn.
	Blank bool
}

// A Line is a named line. Lines of the same Style look the same in all panels
// and have one entry in the legend.
type Line struct {
	Name  string
	Style int
	XY    []Point
	Dots  bool // mark the points
	Loose bool // do not join the points
	// Boxes: every five points are a box, from its lower whisker over lower
	// edge, median and upper edge to its upper whisker, this wide along x.
	Boxes float64
}

// A Point of a line; Error is the half width of its error bar, 0 for none.
type Point struct{ X, Y, Error float64 }

// A Bar is a bar with its name below it.
type Bar struct {
	Name  string
	Style int
	Y     float64
	Error float64 // half width of the error bar, 0 for none
	Text  string  // above it
	None  bool    // there is no value; the Text says so in its place
}

// A Mark is a dashed line across the panel at X or at Y.
type Mark struct {
	Vertical bool
	At       float64
	Text     string
}

// Okabe and Ito's palette, which the colour-blind can tell apart; yellow is
// left out, for it is too light on white.
var palette = []color.Color{
	color.RGBA{0x00, 0x72, 0xb2, 0xff}, // blue
	color.RGBA{0xd5, 0x5e, 0x00, 0xff}, // vermilion
	color.RGBA{0x00, 0x9e, 0x73, 0xff}, // bluish green
	color.RGBA{0xcc, 0x79, 0xa7, 0xff}, // reddish purple
	color.RGBA{0xe6, 0x9f, 0x00, 0xff}, // orange
	color.RGBA{0x56, 0xb4, 0xe9, 0xff}, // sky blue
	color.RGBA{0x00, 0x00, 0x00, 0xff}, // black
}

var (
	grey = color.Gray{0xe4}
	dark = color.Gray{0x55}
	ink  = color.Gray{0x22}
)

func colour(style int) color.Color { return palette[style%len(palette)] }

// Dashes and markers tell styles apart where there are no colours. The next
// round of colours has others.
var (
	dashes  = [][]vg.Length{nil, {6, 2}, {2, 1.5}, {7, 2, 1.5, 2}, {4, 1.2, 1.2, 1.2}, {10, 3}, {1, 2}}
	markers = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.RingGlyph{}, draw.CrossGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}}
)

func stroke(style int) draw.LineStyle {
	return draw.LineStyle{Color: colour(style), Width: 1.2, Dashes: dashes[(style+style/len(palette))%len(dashes)]}
}

func marker(style int) draw.GlyphStyle {
	return draw.GlyphStyle{Color: colour(style), Radius: 2.4, Shape: markers[(style+2*(style/len(palette)))%len(markers)]}
}

func textStyle(size vg.Length, c color.Color) text.Style {
	return text.Style{Color: c, Font: font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}, Handler: plot.DefaultTextHandler}
}

// Sizes of the parts of a figure.
const (
	dpi          = 150
	panelHeight  = 2.2 * vg.Inch
	margin       = 0.12 * vg.Inch
	titleSize    = 12
	textSize     = 9
	nameSize     = 8 // of what stands along axes
	markSize     = 8
	lineHeight   = 0.22 * vg.Inch
	noteHeight   = 0.15 * vg.Inch
	titlePadding = 6 // of panels, room for dots at the upper edge
	mostNotes    = 8
)

// A layout is where the parts of a figure are.
type layout struct {
	w, h, panelWidth, panelHeight vg.Length
	title                         []string
	legend                        [][]entry
	notes                         []string
	// What turned names along the x axis, names in several lines (all but the
	// first) and upright numbers above bars take of the height, 0 where there
	// are none.
	turned, wrapped, upright vg.Length
	angle                    float64 // of turned names
}

// axisWidth and axisHeight are the lengths of a panel's axes, about.
func (l layout) axisWidth() vg.Length  { return l.panelWidth - 0.6*vg.Inch }
func (l layout) axisHeight() vg.Length { return l.panelHeight - l.turned - l.wrapped - 0.6*vg.Inch }

// barRoom is how wide a bar and the gap beside it are, about.
func (l layout) barRoom(bars []Bar) vg.Length {
	return l.axisWidth() / vg.Length(float64(len(bars))+0.2)
}

// makeRoom finds out whether the names below bars, or the numbers above them,
// are too wide to stand beside each other.
func (l *layout) makeRoom(bars []Bar) {
	room := l.barRoom(bars)
	name, number := textStyle(nameSize, ink), centred(textSize)
	var longest, widest vg.Length
	tooLong := false
	for _, b := range bars {
		longest, widest = max(longest, name.Width(b.Name)), max(widest, number.Width(b.Text))
		l.wrapped = max(l.wrapped, name.Height(wrap(b.Name, name, room-4))-name.Height("x"))
		for word := range strings.FieldsSeq(b.Name) {
			tooLong = tooLong || name.Width(word) > room-4
		}
	}
	if tooLong {
		l.turn(longest, room)
	}
	if widest > room {
		l.upright = max(l.upright, widest)
	}
}

// makeRoomForNames does so for the names that stand along an axis.
func (l *layout) makeRoomForNames(names []string) {
	every, room := l.everyName(names)
	style := textStyle(nameSize, ink)
	var longest vg.Length
	for i := 0; i < len(names); i += every {
		longest = max(longest, style.Width(names[i]))
	}
	if longest > room*vg.Length(every)-4 {
		l.turn(longest, room*vg.Length(every))
	}
}

// everyName says which of many names are shown, and what room one has.
func (l layout) everyName(names []string) (every int, room vg.Length) {
	room = l.axisWidth() / vg.Length(max(1, len(names)))
	const most = 12
	return max((len(names)+most-1)/most, int(math.Ceil(float64(nameSize/room)))), room
}

// turn slants names that have so much room each, or stands them upright where
// slanted ones would touch each other.
func (l *layout) turn(longest, room vg.Length) {
	angle := float64(slant)
	if room*vg.Length(math.Sin(slant)) < 0.9*nameSize {
		angle = math.Pi / 2
	}
	l.angle = max(l.angle, angle)
	l.turned = max(l.turned, longest*vg.Length(math.Sin(angle)))
}

// turnLabels turns the labels of an axis about their ends.
func (l layout) turnLabels(label *text.Style) {
	switch {
	case l.angle == 0:
	case l.angle > slant:
		label.Rotation, label.XAlign, label.YAlign = l.angle, text.XRight, text.YCenter
	default:
		label.Rotation, label.XAlign, label.YAlign = l.angle, text.XRight, text.YTop
	}
}

// layoutOf lays a figure out: as wide as asked, or as panels take, of which
// wide grids stay on a page.
func layoutOf(f Figure) (l layout, err error) {
	rows := len(f.Panels)
	if rows == 0 || len(f.Panels[0]) == 0 {
		return l, fmt.Errorf("figure %q has no panel", f.Title)
	}
	columns := len(f.Panels[0])
	for _, row := range f.Panels {
		if len(row) != columns {
			return l, fmt.Errorf("figure %q has rows of %d and of %d panels", f.Title, columns, len(row))
		}
	}
	l.panelWidth, l.panelHeight = 3.1*vg.Inch, panelHeight
	switch {
	case f.Width > 0:
		l.panelWidth = (vg.Length(f.Width)*vg.Inch - 2*margin) / vg.Length(columns)
		l.panelHeight = min(panelHeight, max(1.4*vg.Inch, 0.62*l.panelWidth))
	case columns == 1:
		l.panelWidth = 6.5 * vg.Inch
	case columns == 2:
		l.panelWidth = 4.2 * vg.Inch
	}
	for _, row := range f.Panels {
		for _, p := range row {
			l.makeRoom(p.Bars)
			l.makeRoomForNames(p.Names)
		}
	}
	if l.turned > 0 {
		l.wrapped = 0
	}
	l.panelHeight += l.turned + l.wrapped + l.upright
	inner := vg.Length(columns) * l.panelWidth
	l.w = inner + 2*margin
	l.legend = legendOf(f, inner)
	if !f.Bare && f.Title != "" {
		l.title = strings.Split(wrap(f.Title, textStyle(titleSize, ink), inner), "\n")
	}
	notes := f.Notes
	if more := len(notes) - mostNotes; more > 0 {
		notes = append(slices.Clone(notes[:mostNotes]), fmt.Sprintf("and %d more", more))
	}
	for _, n := range notes {
		l.notes = append(l.notes, strings.Split(wrap(n, textStyle(markSize, dark), inner), "\n")...)
	}
	l.h = vg.Length(rows)*l.panelHeight + 2*margin + vg.Length(len(l.title))*lineHeight + vg.Length(len(l.legend))*lineHeight + vg.Length(len(l.notes))*noteHeight
	if len(l.title) > 0 {
		l.h += 0.08 * vg.Inch
	}
	return l, nil
}

// SVG draws the figure as SVG.
func SVG(f Figure) ([]byte, error) {
	l, err := layoutOf(f)
	if err != nil {
		return nil, err
	}
	canvas := vgsvg.New(l.w, l.h)
	if err := drawOn(f, l, draw.NewCanvas(canvas, l.w, l.h)); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return nil, err
	}
	// Readers without the Liberation fonts get the nearest they have.
	return bytes.ReplaceAll(b.Bytes(), []byte("font-family:Liberation Sans"), []byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif")), nil
}

// PNG draws the figure as PNG, 150 pixels per inch.
func PNG(f Figure) ([]byte, error) {
	l, err := layoutOf(f)
	if err != nil {
		return nil, err
	}
	canvas := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(l.w, l.h), vgimg.UseDPI(dpi), vgimg.UseBackgroundColor(color.White))}
	if err := drawOn(f, l, draw.NewCanvas(canvas, l.w, l.h)); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	_, err = canvas.WriteTo(&b)
	return b.Bytes(), err
}

// entry is a line of the legend.
type entry struct {
	name  string
	style int
	dots  bool
}

func legendOf(f Figure, width vg.Length) [][]entry {
	var rows [][]entry
	var used vg.Length
	seen, drawn := map[entry]bool{}, map[entry]bool{}
	for _, row := range f.Panels {
		for _, p := range row {
			for _, l := range p.Lines {
				drawn[entry{l.Name, l.Style, l.Dots}] = drawn[entry{l.Name, l.Style, l.Dots}] || len(l.XY) > 0
			}
		}
	}
	for _, row := range f.Panels {
		for _, p := range row {
			for _, l := range p.Lines {
				e := entry{l.Name, l.Style, l.Dots}
				if l.Name == "" || seen[e] {
					continue
				}
				seen[e] = true
				if !drawn[e] {
					e.name += " (no data)"
				}
				if len(rows) == 0 || used+entryWidth(e) > width {
					rows = append(rows, nil)
					used = 0
				}
				rows[len(rows)-1] = append(rows[len(rows)-1], e)
				used += entryWidth(e)
			}
		}
	}
	if len(rows) == 1 && len(rows[0]) == 1 && len(f.Panels) == 1 && len(f.Panels[0]) == 1 {
		return nil // a single line explains itself by the title
	}
	return rows
}

const sample = 22 // points, the piece of line in the legend

func entryWidth(e entry) vg.Length { return sample + 6 + textStyle(textSize, ink).Width(e.name) + 16 }

func drawOn(f Figure, l layout, page draw.Canvas) error {
	page.SetColor(color.White)
	page.Fill(page.Path())
	area := draw.Crop(page, margin, -margin, margin, -margin)
	y := area.Max.Y
	title := textStyle(titleSize, ink)
	title.YAlign = text.YTop
	for _, line := range l.title {
		area.FillText(title, vg.Point{X: area.Min.X, Y: y}, line)
		y -= lineHeight
	}
	if len(l.title) > 0 {
		y -= 0.08 * vg.Inch
	}
	for _, row := range l.legend {
		x := area.Min.X
		for _, e := range row {
			middle := y - lineHeight/2
			line := stroke(e.style)
			line.Width = 1.6
			area.StrokeLine2(line, x, middle, x+sample, middle)
			if e.dots {
				area.DrawGlyph(marker(e.style), vg.Point{X: x + sample/2, Y: middle})
			}
			label := textStyle(textSize, ink)
			label.YAlign = text.YCenter
			area.FillText(label, vg.Point{X: x + sample + 6, Y: middle}, e.name)
			x += entryWidth(e)
		}
		y -= lineHeight
	}
	area.Max.Y = y - 2
	note := textStyle(markSize, dark)
	note.YAlign = text.YBottom
	for i, line := range l.notes {
		area.FillText(note, vg.Point{X: area.Min.X, Y: area.Min.Y + vg.Length(len(l.notes)-1-i)*noteHeight}, line)
	}
	area.Min.Y += vg.Length(len(l.notes)) * noteHeight

	plots := make([][]*plot.Plot, len(f.Panels))
	for r, row := range f.Panels {
		for _, panel := range row {
			p, err := axes(f, l, panel, r == len(f.Panels)-1)
			if err != nil {
				return fmt.Errorf("figure %q, panel %q: %w", f.Title, panel.Title, err)
			}
			plots[r] = append(plots[r], p)
		}
		if f.ShareY {
			for _, p := range plots[r] {
				for _, q := range plots[r] {
					p.Y.Max = max(p.Y.Max, q.Y.Max)
					p.Y.Min = min(p.Y.Min, q.Y.Min)
				}
			}
		}
		for c, panel := range row {
			if err := marks(plots[r][c], panel); err != nil {
				return err
			}
		}
	}
	titles, height := takeTitles(plots)
	// Beside a logarithmic axis the plots would keep room for a label where its
	// middle number is.
	side := centred(textSize)
	side.Rotation = math.Pi / 2
	label, left := wrap(f.YLabel, centred(textSize), l.axisHeight()), area.Min.X
	if label != "" {
		left += centred(textSize).Height(label)
		area.Min.X = left + side.FontExtents().Descent
	}
	gap := vg.Point{X: 0.12 * vg.Inch, Y: 0.08 * vg.Inch}
	for r, row := range frames(plots, area, gap, height) {
		for c, canvas := range row {
			if f.Panels[r][c].Blank {
				continue
			}
			p := plots[r][c]
			p.Draw(canvas)
			frame := p.DataCanvas(canvas)
			if c == 0 {
				canvas.FillText(side, vg.Point{X: left - side.FontExtents().Descent, Y: frame.Center().Y}, label)
			}
			canvas.FillText(p.Title.TextStyle, vg.Point{X: frame.Center().X, Y: frame.Max.Y + titlePadding}, titles[r][c])
		}
	}
	return nil
}

// takeTitles takes the titles from the panels, which would set them where
// their canvases end, at another height each; they go on the frames of the
// data. height is the room that they take.
func takeTitles(plots [][]*plot.Plot) (titles [][]string, height vg.Length) {
	for r, row := range plots {
		titles = append(titles, nil)
		for _, p := range row {
			title := p.Title.Text
			titles[r] = append(titles[r], title)
			p.Title.Text = ""
			if title != "" {
				height = max(height, p.Title.TextStyle.Height(title)+titlePadding)
			}
		}
	}
	return titles, height
}

func axes(f Figure, l layout, panel Panel, bottom bool) (*plot.Plot, error) {
	p := plot.New()
	p.Title.TextStyle = centred(textSize + 1)
	p.Title.Text = wrap(panel.Title, p.Title.TextStyle, l.panelWidth-0.4*vg.Inch)
	p.X.Label.TextStyle = centred(textSize)
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Tick.Label.Font = textStyle(nameSize, ink).Font
		axis.Tick.Label.Color = ink
		axis.LineStyle = draw.LineStyle{Color: dark, Width: 0.5}
		axis.Tick.LineStyle = draw.LineStyle{Color: dark, Width: 0.5}
		axis.Tick.Length = 3
		axis.Padding = 2
	}
	x, y := along(l.axisWidth(), p.X.Tick.Label), up(l.axisHeight())
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.TickerFunc(x.linear), plot.TickerFunc(y.linear)
	// What is longer than its axis would move the panel out of its place.
	if bottom {
		p.X.Label.Text = wrap(f.XLabel, p.X.Label.TextStyle, l.axisWidth())
	}
	grid := plotter.NewGrid()
	grid.Horizontal = draw.LineStyle{Color: grey, Width: 0.5}
	grid.Vertical = draw.LineStyle{Color: grey, Width: 0.5}
	if len(panel.Bars) > 0 {
		grid.Vertical.Width = 0
	}
	p.Add(grid)
	for i, line := range panel.Lines {
		var aside vg.Length
		if meetsAnother(panel.Lines, i) {
			aside = 1.6 * vg.Length(float64(i)-float64(len(panel.Lines)-1)/2)
		}
		if err := addLine(p, line, aside, f); err != nil {
			return nil, err
		}
	}
	if err := addBars(p, panel.Bars, l, f); err != nil {
		return nil, err
	}
	if math.IsInf(p.Y.Max, 0) { // nothing was drawn
		if err := noData(p); err != nil {
			return nil, err
		}
		return p, nil
	}
	ranges(p, panel, f, l)
	if f.LogX {
		logarithmic(&p.X, x)
	}
	if f.LogY {
		logarithmic(&p.Y, y)
	}
	if len(panel.Names) > 0 {
		names(p, panel.Names, l)
	}
	return p, nil
}

// wrap breaks a text between words into lines that are not wider than that; a
// word that is wider by itself is cut short.
func wrap(words string, style text.Style, width vg.Length) string {
	var lines []string
	for word := range strings.FieldsSeq(words) {
		for style.Width(word) > width {
			runes := []rune(strings.TrimSuffix(word, "…"))
			word = string(runes[:len(runes)-1]) + "…"
		}
		if last := len(lines) - 1; last >= 0 && style.Width(lines[last]+" "+word) <= width {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return strings.Join(lines, "\n")
}

// logarithmic makes an axis logarithmic.
func logarithmic(axis *plot.Axis, room tickRoom) {
	if axis.Max <= axis.Min {
		axis.Max = 2 * axis.Min
	}
	axis.Scale = plot.LogScale{}
	axis.Tick.Marker = plot.TickerFunc(room.logarithmic)
}

// names puts names along the x axis, not all where there are many.
func names(p *plot.Plot, names []string, l layout) {
	every, _ := l.everyName(names)
	var list []plot.Tick
	for i, name := range names {
		if i%every != 0 {
			name = ""
		}
		list = append(list, plot.Tick{Value: float64(i), Label: name})
	}
	p.X.Tick.Marker = plot.ConstantTicks(list)
	l.turnLabels(&p.X.Tick.Label)
	p.X.Min, p.X.Max = -0.4, float64(len(names))-0.6
}

// ranges sets the axes: y from 0 (where it is not logarithmic) with some air
// above, more where the texts of vertical marks stand, x as asked.
func ranges(p *plot.Plot, panel Panel, f Figure, l layout) {
	if panel.ToX > panel.FromX && len(panel.Lines) > 0 {
		if p.X.Max = panel.ToX; !f.LogX || panel.FromX > 0 {
			p.X.Min = panel.FromX
		}
	}
	if f.LogY {
		p.Y.Min, p.Y.Max = p.Y.Min/1.1, p.Y.Max*1.1
		return
	}
	p.Y.Min = min(0, p.Y.Min)
	if p.Y.Max <= p.Y.Min {
		p.Y.Max = p.Y.Min + 1
	}
	air := 0.08
	if len(panel.Bars) > 0 { // their numbers stand above them
		air = 0.2
		if l.upright > 0 {
			share := float64((l.upright + 8) / (l.axisHeight() - 0.1*vg.Inch))
			air = max(air, share/(1-min(share, 0.8)))
		}
	}
	for _, m := range panel.Marks {
		if m.Vertical && m.Text != "" {
			air = max(air, 0.16)
		}
	}
	p.Y.Max += air * (p.Y.Max - p.Y.Min)
}

// noData says in the middle of a panel that it has nothing to show.
func noData(p *plot.Plot) error {
	label, err := plotter.NewLabels(plotter.XYLabels{XYs: plotter.XYs{{X: 0.5, Y: 0.5}}, Labels: []string{"no data"}})
	if err != nil {
		return err
	}
	label.TextStyle = []text.Style{centred(textSize)}
	p.Add(label)
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, 0, 1
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.ConstantTicks{}, plot.ConstantTicks{}
	return nil
}

func centred(size vg.Length) text.Style {
	s := textStyle(size, ink)
	s.XAlign, s.YAlign = text.XCenter, text.YBottom
	return s
}

// meetsAnother says whether a line has an x in common with another one.
func meetsAnother(lines []Line, i int) bool {
	for k, other := range lines {
		for _, p := range other.XY {
			if k != i && slices.ContainsFunc(lines[i].XY, func(own Point) bool { return own.Error > 0 && own.X == p.X }) {
				return true
			}
		}
	}
	return false
}

// addLine draws a line; aside is how far from its points error bars stand, so
// that those of lines with the same x do not hide each other.
func addLine(p *plot.Plot, l Line, aside vg.Length, f Figure) error {
	if len(l.XY) == 0 {
		return nil
	}
	xy := make(plotter.XYs, len(l.XY))
	for i, point := range l.XY {
		xy[i] = plotter.XY{X: point.X, Y: point.Y}
	}
	line, err := plotter.NewLine(xy)
	if err != nil {
		return fmt.Errorf("line %q: %w", l.Name, err)
	}
	line.LineStyle = stroke(l.Style)
	if l.Boxes > 0 {
		return addBoxes(p, l)
	}
	if !l.Loose {
		p.Add(line)
	}
	if l.Dots {
		dots, err := plotter.NewScatter(xy)
		if err != nil {
			return fmt.Errorf("line %q: %w", l.Name, err)
		}
		dots.GlyphStyle = marker(l.Style)
		p.Add(dots)
	}
	return addErrors(p, l.XY, aside, colour(l.Style), f)
}

// addBoxes draws the five points of every box.
func addBoxes(p *plot.Plot, l Line) error {
	for i := 0; i+5 <= len(l.XY); i += 5 {
		b := l.XY[i : i+5]
		x, w := b[0].X, l.Boxes/2
		low, bottom, median, top, high := b[0].Y, b[1].Y, b[2].Y, b[3].Y, b[4].Y
		box, err := plotter.NewPolygon(plotter.XYs{{X: x - w, Y: bottom}, {X: x + w, Y: bottom}, {X: x + w, Y: top}, {X: x - w, Y: top}})
		if err != nil {
			return fmt.Errorf("line %q: %w", l.Name, err)
		}
		c := color.NRGBAModel.Convert(colour(l.Style)).(color.NRGBA)
		box.LineStyle = draw.LineStyle{Color: c, Width: 0.9}
		c.A = 0x40
		box.Color = c
		p.Add(box)
		for _, stroke := range []struct {
			from, to plotter.XY
			width    vg.Length
		}{
			{plotter.XY{X: x, Y: low}, plotter.XY{X: x, Y: bottom}, 0.9}, {plotter.XY{X: x, Y: top}, plotter.XY{X: x, Y: high}, 0.9},
			{plotter.XY{X: x - w/2, Y: low}, plotter.XY{X: x + w/2, Y: low}, 0.9}, {plotter.XY{X: x - w/2, Y: high}, plotter.XY{X: x + w/2, Y: high}, 0.9},
			{plotter.XY{X: x - w, Y: median}, plotter.XY{X: x + w, Y: median}, 1.8},
		} {
			line, err := plotter.NewLine(plotter.XYs{stroke.from, stroke.to})
			if err != nil {
				return fmt.Errorf("line %q: %w", l.Name, err)
			}
			line.LineStyle = draw.LineStyle{Color: colour(l.Style), Width: stroke.width}
			p.Add(line)
		}
	}
	return nil
}

// errorPoints are points with error bars.
type errorPoints struct {
	plotter.XYs
	plotter.YErrors
}

// addErrors adds error bars. On a logarithmic axis their lower ends stay above
// a tenth of the value, and above 0 where no value is negative.
func addErrors(p *plot.Plot, points []Point, aside vg.Length, c color.Color, f Figure) error {
	var e errorPoints
	for _, point := range points {
		if point.Error > 0 {
			e.XYs = append(e.XYs, plotter.XY{X: point.X, Y: point.Y})
			low := point.Error
			if f.LogY {
				low = min(low, 0.9*point.Y)
			}
			if f.Floor {
				low = min(low, max(0, point.Y))
			}
			e.YErrors = append(e.YErrors, struct{ Low, High float64 }{low, point.Error})
		}
	}
	if len(e.XYs) == 0 {
		return nil
	}
	bars, err := plotter.NewYErrorBars(e)
	if err != nil {
		return err
	}
	bars.LineStyle = draw.LineStyle{Color: c, Width: 0.8}
	p.Add(errorBars{bars, aside})
	return nil
}

// errorBars stand beside their points.
type errorBars struct {
	*plotter.YErrorBars
	aside vg.Length
}

func (e errorBars) Plot(c draw.Canvas, p *plot.Plot) {
	c.Min.X += e.aside
	c.Max.X += e.aside
	e.YErrorBars.Plot(c, p)
}

// slant is the angle of names that are too long to stand beside each other.
const slant = math.Pi / 6

// addBars adds bars; each has its name below it, in lines that do not reach
// into the next one's, or slanted where a word is too long for that.
func addBars(p *plot.Plot, bars []Bar, l layout, f Figure) error {
	if len(bars) == 0 {
		return nil
	}
	names := make([]string, len(bars))
	above := centred(textSize)
	var points []Point
	labels := plotter.XYLabels{}
	for i, b := range bars {
		if names[i] = b.Name; l.turned == 0 {
			names[i] = wrap(b.Name, p.X.Tick.Label, l.barRoom(bars)-4)
		}
		if b.None {
			p.Add(barArea{i, b, f.LogY})
			labels.XYs = append(labels.XYs, plotter.XY{X: float64(i), Y: lowest(bars, f.LogY)})
			labels.Labels = append(labels.Labels, b.Text)
			continue
		}
		p.Add(barArea{i, b, f.LogY})
		points = append(points, Point{float64(i), b.Y, b.Error})
		labels.XYs = append(labels.XYs, plotter.XY{X: float64(i), Y: b.Y + b.Error})
		labels.Labels = append(labels.Labels, b.Text)
	}
	if err := addErrors(p, points, 0, ink, f); err != nil {
		return err
	}
	texts, err := plotter.NewLabels(labels)
	if err != nil {
		return err
	}
	if l.upright > 0 {
		above.Rotation, above.XAlign, above.YAlign = math.Pi/2, text.XLeft, text.YCenter
	}
	for i := range texts.TextStyle {
		texts.TextStyle[i] = above
	}
	texts.Offset.Y = 3
	p.Add(texts)
	l.turnLabels(&p.X.Tick.Label)
	most := 0
	for _, name := range names {
		most = max(most, strings.Count(name, "\n"))
	}
	for i, name := range names { // names of as many lines begin at the same height
		names[i] += strings.Repeat("\n ", most-strings.Count(name, "\n"))
	}
	padding := p.Y.Padding
	p.NominalX(names...)
	p.Y.Padding = padding
	p.X.Min, p.X.Max = -0.6, float64(len(bars))-0.4
	return nil
}

// lowest is where the bars begin.
func lowest(bars []Bar, logY bool) float64 {
	least := math.Inf(1)
	for _, b := range bars {
		if !b.None {
			least = min(least, b.Y)
		}
	}
	if logY && !math.IsInf(least, 1) {
		return least
	}
	return 0
}

// barArea draws a bar in a light tone of its colour, so that an error bar is
// seen on it, from 0 or the lower end of a logarithmic axis.
type barArea struct {
	at   int
	bar  Bar
	logY bool
}

// barHalf is half a bar's width along the axis, in bars at most.
const barHalf = 0.36

// Plot implements plot.Plotter.
func (b barArea) Plot(c draw.Canvas, p *plot.Plot) {
	if b.bar.None {
		return
	}
	x, y := p.Transforms(&c)
	from := 0.0
	if b.logY {
		from = p.Y.Min
	}
	middle := x(float64(b.at))
	half := min(middle-x(float64(b.at)-barHalf), 0.22*vg.Inch)
	area := []vg.Point{{X: middle - half, Y: y(from)}, {X: middle + half, Y: y(from)}, {X: middle + half, Y: y(b.bar.Y)}, {X: middle - half, Y: y(b.bar.Y)}}
	r, g, bl, _ := colour(b.bar.Style).RGBA()
	light := func(v uint32) uint8 { return uint8((v>>8 + 255) / 2) }
	c.FillPolygon(color.RGBA{light(r), light(g), light(bl), 0xff}, area)
	c.StrokeLines(draw.LineStyle{Color: colour(b.bar.Style), Width: 0.9}, append(area, area[0]))
}

// DataRange implements plot.DataRanger.
func (b barArea) DataRange() (xmin, xmax, ymin, ymax float64) {
	at := float64(b.at)
	switch {
	case b.bar.None && b.logY:
		return at, at, math.Inf(1), math.Inf(-1)
	case b.bar.None:
		return at, at, 0, 0
	case b.logY:
		return at, at, b.bar.Y, b.bar.Y
	}
	return at, at, min(0, b.bar.Y), max(0, b.bar.Y)
}

// marks adds the marks that lie within the axes, which they do not stretch.
func marks(p *plot.Plot, panel Panel) error {
	for _, m := range panel.Marks {
		x, y := [2]float64{p.X.Min, p.X.Max}, [2]float64{m.At, m.At}
		low, high := p.Y.Min, p.Y.Max
		if m.Vertical {
			x, y = [2]float64{m.At, m.At}, [2]float64{p.Y.Min, p.Y.Max}
			low, high = p.X.Min, p.X.Max
		}
		if m.At < low || m.At > high {
			continue
		}
		line, err := plotter.NewLine(plotter.XYs{{X: x[0], Y: y[0]}, {X: x[1], Y: y[1]}})
		if err != nil {
			return err
		}
		line.LineStyle = draw.LineStyle{Color: dark, Width: 0.7, Dashes: []vg.Length{3, 2}}
		p.Add(line, markText{m, panel.Marks})
	}
	return nil
}

// markText writes a mark's text: right of the upper end of a vertical line,
// above the right end of a horizontal one.
type markText struct {
	Mark
	all []Mark // of the panel
}

// Plot implements plot.Plotter.
func (m markText) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	style := textStyle(markSize, dark)
	if m.Vertical {
		style.XAlign, style.YAlign = text.XLeft, text.YTop
		c.FillText(style, vg.Point{X: x(m.At) + 3, Y: y(p.Y.Max)}, m.Text)
		return
	}
	at := vg.Point{X: x(p.X.Max) - 2, Y: y(m.At) + 1}
	style.XAlign, style.YAlign = text.XRight, text.YBottom
	for _, other := range m.all {
		// Below where another is close above.
		if gap := other.At - m.At; !other.Vertical && gap > 0 && gap < 0.1*(p.Y.Max-p.Y.Min) {
			style.YAlign = text.YTop
			at.Y = y(m.At) - 1
		}
	}
	// Left of vertical lines that would cross it.
	var lines []vg.Length
	for _, other := range m.all {
		if other.Vertical && other.At >= p.X.Min && other.At <= p.X.Max {
			lines = append(lines, x(other.At))
		}
	}
	slices.Sort(lines)
	for _, line := range slices.Backward(lines) {
		if line > at.X-style.Width(m.Text) {
			at.X = min(at.X, line-3)
		}
	}
	c.FillText(style, at, m.Text)
}
