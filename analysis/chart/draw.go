package chart

import (
	"bytes"
	"encoding/json"
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

// Okabe and Ito's palette, which the colour-blind can tell apart; yellow is
// left out, for it is too light on white: blue, vermilion, bluish green, reddish
// purple, orange, sky blue, black.
var palette = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"}

var (
	grey = color.Gray{0xe4}
	dark = color.Gray{0x55}
	ink  = color.Gray{0x22}
)

func colour(style int) color.RGBA {
	c := color.RGBA{A: 0xff}
	_, _ = fmt.Sscanf(palette[style%len(palette)], "#%02x%02x%02x", &c.R, &c.G, &c.B)
	return c
}

// Looks are the palette and the dashes for a script.
func Looks() string {
	dashed := make([]string, len(dashes))
	for i, d := range dashes {
		dashed[i] = strings.Trim(fmt.Sprint(d), "[]")
	}
	text, _ := json.Marshal(map[string][]string{"palette": palette, "dashes": dashed})
	return string(text)
}

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
	crowded                  bool    // numbers have no room above bars, not even upright
	angle                    float64 // of turned names
}

// axisWidth and axisHeight are the lengths of a panel's axes, about.
func (l layout) axisWidth() vg.Length  { return l.panelWidth - 0.6*vg.Inch }
func (l layout) axisHeight() vg.Length { return l.panelHeight - l.turned - l.wrapped - 0.6*vg.Inch }

// makeRoomForNames finds out whether the names that stand along an axis are too
// wide to stand beside each other.
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
			if p.barred() {
				l.makeRoomForBars(p)
			} else {
				l.makeRoomForNames(p.Names)
			}
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

// render lays the figure out and draws it on the canvas that open makes.
func render[C vg.Canvas](f Figure, open func(w, h vg.Length) C) (canvas C, err error) {
	if f, err = f.placed(); err != nil {
		return canvas, err
	}
	l, err := layoutOf(f)
	if err != nil {
		return canvas, err
	}
	canvas = open(l.w, l.h)
	return canvas, drawOn(f, l, draw.NewCanvas(canvas, l.w, l.h))
}

// SVG draws the figure as SVG.
func SVG(f Figure) ([]byte, error) {
	canvas, err := render(f, vgsvg.New)
	if err != nil {
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
	canvas, err := render(f, func(w, h vg.Length) vgimg.PngCanvas {
		return vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(dpi), vgimg.UseBackgroundColor(color.White))}
	})
	if err != nil {
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
	shape string
}

func legendOf(f Figure, width vg.Length) [][]entry {
	var entries []entry
	drawn := map[entry]bool{}
	f.All(func(p *Panel, l *Line) {
		if l.Name == "" || l.Shape == Bars && slices.Contains(p.Names, l.Name) {
			return // its name stands along the axis
		}
		e := entry{l.Name, l.Style, l.Dots, l.Shape}
		if _, seen := drawn[e]; !seen {
			entries = append(entries, e)
		}
		drawn[e] = drawn[e] || len(l.Points) > 0
	})
	if len(entries) == 1 && len(f.Panels) == 1 && len(f.Panels[0]) == 1 {
		return nil // a single line explains itself by the title
	}
	var rows [][]entry
	var used vg.Length
	for _, e := range entries {
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
			if e.shape == "" {
				line := stroke(e.style)
				line.Width = 1.6
				area.StrokeLine2(line, x, middle, x+sample, middle)
			} else {
				area.FillPolygon(colour(e.style), []vg.Point{{X: x, Y: middle - 3}, {X: x + sample, Y: middle - 3}, {X: x + sample, Y: middle + 3}, {X: x, Y: middle + 3}})
			}
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
	if panel.barred() {
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
	if panel.barred() {
		addBars(p, panel, l, f)
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
	if len(panel.Names) > 0 && !panel.barred() {
		names(p, panel.Names, l)
	}
	return p, nil
}

// wrap breaks a text between words into lines that are not wider than that; a
// word that is wider by itself is cut short.
func wrap(words string, style text.Style, width vg.Length) string {
	var lines []string
	for word := range strings.FieldsSeq(words) {
		for word != "…" && style.Width(word) > width {
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

// ranges sets the axes: y from the least value or 0 (where it is not logarithmic)
// with some air above, more where the texts of vertical marks stand, x as asked.
func ranges(p *plot.Plot, panel Panel, f Figure, l layout) {
	if panel.ToX > panel.FromX && len(panel.Lines) > 0 {
		if p.X.Max = panel.ToX; !f.LogX || panel.FromX > 0 {
			p.X.Min = panel.FromX
		}
	}
	if f.LeastX != nil && (*f.LeastX > 0 || !f.LogX) {
		p.X.Min = min(*f.LeastX, p.X.Min)
	}
	if f.LogY {
		if f.LeastY != nil && *f.LeastY > 0 {
			p.Y.Min = min(*f.LeastY, p.Y.Min)
		} else {
			p.Y.Min /= 1.1
		}
		if p.Y.Max *= 1.1; panel.barred() && p.Y.Min > 0 {
			p.Y.Max *= math.Pow(p.Y.Max/p.Y.Min, airAbove(l))
		}
		return
	}
	least := 0.0
	if f.LeastY != nil {
		least = *f.LeastY
	}
	p.Y.Min = min(least, p.Y.Min)
	if p.Y.Max <= p.Y.Min {
		p.Y.Max = p.Y.Min + 1
	}
	air := 0.08
	if panel.barred() { // their numbers stand above them
		air = airAbove(l)
	}
	for _, m := range panel.Marks {
		if m.X != nil && m.Text != "" {
			air = max(air, 0.16)
		}
	}
	p.Y.Max += air * (p.Y.Max - p.Y.Min)
}

// airAbove is what the numbers above bars take, as a share of the axis below them.
func airAbove(l layout) float64 {
	const least = 0.2
	if l.upright == 0 {
		return least
	}
	share := float64((l.upright + 8) / (l.axisHeight() - 0.1*vg.Inch))
	return max(least, share/(1-min(share, 0.8)))
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
		for _, p := range other.Points {
			if k != i && slices.ContainsFunc(lines[i].Points, func(own Point) bool { return own.Error > 0 && own.X == p.X }) {
				return true
			}
		}
	}
	return false
}

// addLine draws a line; aside is how far from its points error bars stand, so
// that those of lines with the same x do not hide each other.
func addLine(p *plot.Plot, l Line, aside vg.Length, f Figure) error {
	if len(l.Points) == 0 || l.Shape == Bars {
		return nil // bars are drawn together
	}
	xy := make(plotter.XYs, len(l.Points))
	for i, point := range l.Points {
		xy[i] = plotter.XY{X: point.X, Y: point.Y}
	}
	line, err := plotter.NewLine(xy)
	if err != nil {
		return fmt.Errorf("line %q: %w", l.Name, err)
	}
	line.LineStyle = stroke(l.Style)
	if l.Shape == Boxes {
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
	return addErrors(p, l.Points, aside, colour(l.Style), f)
}

// addBoxes draws the five points of every box.
func addBoxes(p *plot.Plot, l Line) error {
	for i := 0; i+5 <= len(l.Points); i += 5 {
		b := l.Points[i : i+5]
		x, w := b[0].X, l.Width/2
		low, bottom, median, top, high := b[0].Y, b[1].Y, b[2].Y, b[3].Y, b[4].Y
		box, err := plotter.NewPolygon(plotter.XYs{{X: x - w, Y: bottom}, {X: x + w, Y: bottom}, {X: x + w, Y: top}, {X: x - w, Y: top}})
		if err != nil {
			return fmt.Errorf("line %q: %w", l.Name, err)
		}
		c := colour(l.Style)
		box.LineStyle = draw.LineStyle{Color: c, Width: 0.9}
		box.Color = color.NRGBA{c.R, c.G, c.B, 0x40}
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

// lower is how far a point's error bar reaches down: on a logarithmic axis to a
// tenth of the value at most, and to the least value.
func (f Figure) lower(p Point) float64 {
	low := p.Error
	if f.LogY {
		low = min(low, 0.9*p.Y)
	}
	if f.LeastY != nil {
		low = min(low, max(0, p.Y-*f.LeastY))
	}
	return low
}

func addErrors(p *plot.Plot, points []Point, aside vg.Length, c color.Color, f Figure) error {
	var e errorPoints
	for _, point := range points {
		if point.Error > 0 {
			e.XYs = append(e.XYs, plotter.XY{X: point.X, Y: point.Y})
			e.YErrors = append(e.YErrors, struct{ Low, High float64 }{f.lower(point), point.Error})
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

// marks adds the marks that lie within the axes, which they do not stretch.
func marks(p *plot.Plot, panel Panel) error {
	for _, m := range panel.Marks {
		var x, y [2]float64
		switch {
		case m.X != nil && *m.X >= p.X.Min && *m.X <= p.X.Max:
			x, y = [2]float64{*m.X, *m.X}, [2]float64{p.Y.Min, p.Y.Max}
		case m.Y != nil && *m.Y >= p.Y.Min && *m.Y <= p.Y.Max:
			x, y = [2]float64{p.X.Min, p.X.Max}, [2]float64{*m.Y, *m.Y}
		default:
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
	if m.X != nil {
		style.XAlign, style.YAlign = text.XLeft, text.YTop
		c.FillText(style, vg.Point{X: x(*m.X) + 3, Y: y(p.Y.Max)}, m.Text)
		return
	}
	at := vg.Point{X: x(p.X.Max) - 2, Y: y(*m.Y) + 1}
	style.XAlign, style.YAlign = text.XRight, text.YBottom
	for _, other := range m.all {
		if other.Y == nil {
			continue
		}
		// Below where another is close above.
		if gap := *other.Y - *m.Y; gap > 0 && gap < 0.1*(p.Y.Max-p.Y.Min) {
			style.YAlign = text.YTop
			at.Y = y(*m.Y) - 1
		}
	}
	// Left of vertical lines that would cross it.
	var lines []vg.Length
	for _, other := range m.all {
		if other.X != nil && *other.X >= p.X.Min && *other.X <= p.X.Max {
			lines = append(lines, x(*other.X))
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
