// Package chart draws figures of one or more panels as SVG and PNG. The same
// figure gives the same bytes.
package chart

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
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
}

// A Panel is one pair of axes.
type Panel struct {
	Title string
	Lines []Line
	Bars  []Bar
	Marks []Mark
	// FromX and ToX are the range of the x axis; equal: that of the lines.
	FromX, ToX float64
	// Names stand along the x axis in place of the numbers 0, 1, ….
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
	markSize     = 8
	lineHeight   = 0.22 * vg.Inch
	titlePadding = 6 // of panels, room for dots at the upper edge
)

// panelWidth keeps wide grids on a page.
func panelWidth(columns int) vg.Length {
	switch columns {
	case 1:
		return 6.5 * vg.Inch
	case 2:
		return 4.2 * vg.Inch
	}
	return 3.1 * vg.Inch
}

// SVG draws the figure as SVG.
func SVG(f Figure) ([]byte, error) {
	w, h, legend, err := size(f)
	if err != nil {
		return nil, err
	}
	canvas := vgsvg.New(w, h)
	if err := drawOn(f, legend, draw.NewCanvas(canvas, w, h)); err != nil {
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
	w, h, legend, err := size(f)
	if err != nil {
		return nil, err
	}
	canvas := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(dpi), vgimg.UseBackgroundColor(color.White))}
	if err := drawOn(f, legend, draw.NewCanvas(canvas, w, h)); err != nil {
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
}

// size is the size of the page, and the legend in rows that fit its width.
func size(f Figure) (w, h vg.Length, legend [][]entry, err error) {
	rows := len(f.Panels)
	if rows == 0 || len(f.Panels[0]) == 0 {
		return 0, 0, nil, fmt.Errorf("figure %q has no panel", f.Title)
	}
	columns := len(f.Panels[0])
	for _, row := range f.Panels {
		if len(row) != columns {
			return 0, 0, nil, fmt.Errorf("figure %q has rows of %d and of %d panels", f.Title, columns, len(row))
		}
	}
	w = vg.Length(columns)*panelWidth(columns) + 2*margin
	legend = legendOf(f, w-2*margin)
	h = vg.Length(rows)*panelHeight + 2*margin + 0.3*vg.Inch + vg.Length(len(legend))*lineHeight
	return w, h, legend, nil
}

func legendOf(f Figure, width vg.Length) [][]entry {
	var rows [][]entry
	var used vg.Length
	seen := map[entry]bool{}
	for _, row := range f.Panels {
		for _, p := range row {
			for _, l := range p.Lines {
				e := entry{l.Name, l.Style}
				if l.Name == "" || seen[e] {
					continue
				}
				seen[e] = true
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

func drawOn(f Figure, legend [][]entry, page draw.Canvas) error {
	page.SetColor(color.White)
	page.Fill(page.Path())
	area := draw.Crop(page, margin, -margin, margin, -margin)
	title := textStyle(titleSize, ink)
	title.YAlign = text.YTop
	area.FillText(title, vg.Point{X: area.Min.X, Y: area.Max.Y}, f.Title)
	y := area.Max.Y - 0.3*vg.Inch
	for _, row := range legend {
		x := area.Min.X
		for _, e := range row {
			middle := y - lineHeight/2
			area.StrokeLine2(draw.LineStyle{Color: colour(e.style), Width: 2}, x, middle, x+sample, middle)
			label := textStyle(textSize, ink)
			label.YAlign = text.YCenter
			area.FillText(label, vg.Point{X: x + sample + 6, Y: middle}, e.name)
			x += entryWidth(e)
		}
		y -= lineHeight
	}
	area.Max.Y = y - 2

	plots := make([][]*plot.Plot, len(f.Panels))
	for r, row := range f.Panels {
		for c, panel := range row {
			p, err := axes(f, panel, r == len(f.Panels)-1, c == 0)
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
	tiles := draw.Tiles{Rows: len(plots), Cols: len(plots[0]), PadTop: height, PadX: 0.12 * vg.Inch, PadY: 0.08*vg.Inch + height}
	for r, row := range plot.Align(plots, tiles, area) {
		for c, canvas := range row {
			if f.Panels[r][c].Blank {
				continue
			}
			p := plots[r][c]
			p.Draw(canvas)
			frame := p.DataCanvas(canvas)
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

func axes(f Figure, panel Panel, bottom, left bool) (*plot.Plot, error) {
	p := plot.New()
	p.Title.TextStyle = centred(textSize + 1)
	p.Title.Text = wrap(panel.Title, p.Title.TextStyle, panelWidth(len(f.Panels[0]))-0.4*vg.Inch)
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Label.TextStyle = centred(textSize)
		axis.Tick.Label.Font = textStyle(textSize-1, ink).Font
		axis.Tick.Label.Color = ink
		axis.LineStyle = draw.LineStyle{Color: dark, Width: 0.5}
		axis.Tick.LineStyle = draw.LineStyle{Color: dark, Width: 0.5}
		axis.Tick.Length = 3
		axis.Tick.Marker = plot.TickerFunc(ticks)
		axis.Padding = 2
	}
	// What is longer than its axis would move the panel out of its place.
	if bottom {
		p.X.Label.Text = wrap(f.XLabel, p.X.Label.TextStyle, panelWidth(len(f.Panels[0]))-0.6*vg.Inch)
	}
	if left {
		p.Y.Label.Text = wrap(f.YLabel, p.Y.Label.TextStyle, panelHeight-0.6*vg.Inch)
	}
	grid := plotter.NewGrid()
	grid.Horizontal = draw.LineStyle{Color: grey, Width: 0.5}
	grid.Vertical = draw.LineStyle{Color: grey, Width: 0.5}
	if len(panel.Bars) > 0 {
		grid.Vertical.Width = 0
	}
	p.Add(grid)
	for _, l := range panel.Lines {
		if err := addLine(p, l, f.LogY); err != nil {
			return nil, err
		}
	}
	if err := addBars(p, panel.Bars, panelWidth(len(f.Panels[0]))-0.6*vg.Inch); err != nil {
		return nil, err
	}
	if math.IsInf(p.Y.Max, 0) { // nothing was drawn
		if err := noData(p); err != nil {
			return nil, err
		}
		return p, nil
	}
	ranges(p, panel, f.LogY)
	if f.LogX {
		logarithmic(&p.X)
	}
	if f.LogY {
		logarithmic(&p.Y)
	}
	if len(panel.Names) > 0 {
		names(p, panel.Names)
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

// ticks are at most seven multiples of 1, 2 or 5 times a power of ten.
func ticks(low, high float64) []plot.Tick {
	step := math.Pow10(int(math.Floor(math.Log10(high-low))) - 1)
	for _, factor := range []float64{1, 2, 2.5, 2, 2} { // 1, 2, 5, 10, 20 times the power
		step *= factor
		if (high-low)/step <= 6 {
			break
		}
	}
	var list []plot.Tick
	const rounding = 1e-9 // of the ends, which are ticks too
	for i := math.Ceil(low/step-rounding) + 0; i*step <= high+rounding*step; i++ {
		list = append(list, plot.Tick{Value: i * step, Label: strconv.FormatFloat(i*step, 'g', 6, 64)})
	}
	return list
}

// logarithmic makes an axis logarithmic, with ticks at 1, 2 and 5 times the
// powers of ten; over more than five decades only the powers have their number.
func logarithmic(axis *plot.Axis) {
	if axis.Max <= axis.Min {
		axis.Max = 2 * axis.Min
	}
	axis.Scale = plot.LogScale{}
	axis.Tick.Marker = plot.TickerFunc(func(low, high float64) []plot.Tick {
		var list []plot.Tick
		for power := math.Floor(math.Log10(low)); power <= math.Log10(high); power++ {
			for _, factor := range []float64{1, 2, 5} {
				v := factor * math.Pow10(int(power))
				if v < low || v > high {
					continue
				}
				label := ""
				if factor == 1 || high/low <= 1e5 {
					label = strconv.FormatFloat(v, 'g', 6, 64)
				}
				list = append(list, plot.Tick{Value: v, Label: label})
			}
		}
		return list
	})
}

// names puts names along the x axis, not all where there are many.
func names(p *plot.Plot, names []string) {
	const most = 12
	every := (len(names) + most - 1) / most
	var list []plot.Tick
	for i, name := range names {
		if i%every != 0 {
			name = ""
		}
		list = append(list, plot.Tick{Value: float64(i), Label: name})
	}
	p.X.Tick.Marker = plot.ConstantTicks(list)
	p.X.Tick.Label.Font.Size = textSize - 2
	p.X.Min, p.X.Max = -0.4, float64(len(names))-0.6
}

// ranges sets the axes: y from 0 (where it is not logarithmic) with some air
// above, more where the texts of vertical marks stand, x as asked.
func ranges(p *plot.Plot, panel Panel, logY bool) {
	if logY {
		p.Y.Min, p.Y.Max = p.Y.Min/1.1, p.Y.Max*1.1
		return
	}
	p.Y.Min = min(0, p.Y.Min)
	if p.Y.Max <= p.Y.Min {
		p.Y.Max = p.Y.Min + 1
	}
	air := 0.08
	for _, m := range panel.Marks {
		if m.Vertical && m.Text != "" {
			air = 0.16
		}
	}
	p.Y.Max += air * (p.Y.Max - p.Y.Min)
	if panel.ToX > panel.FromX && len(panel.Lines) > 0 {
		p.X.Min, p.X.Max = panel.FromX, panel.ToX
	}
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

func addLine(p *plot.Plot, l Line, logY bool) error {
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
	line.LineStyle = draw.LineStyle{Color: colour(l.Style), Width: 1.2}
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
		dots.GlyphStyle = draw.GlyphStyle{Color: colour(l.Style), Radius: 2.2, Shape: draw.CircleGlyph{}}
		p.Add(dots)
	}
	return addErrors(p, l.XY, colour(l.Style), logY)
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
// a tenth of the value.
func addErrors(p *plot.Plot, points []Point, c color.Color, logY bool) error {
	var e errorPoints
	for _, point := range points {
		if point.Error > 0 {
			e.XYs = append(e.XYs, plotter.XY{X: point.X, Y: point.Y})
			low := point.Error
			if logY {
				low = min(low, 0.9*point.Y)
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
	p.Add(bars)
	return nil
}

// addBars adds bars along so much of the x axis; each has its name below it, in
// lines that do not reach into the next one's.
func addBars(p *plot.Plot, bars []Bar, width vg.Length) error {
	if len(bars) == 0 {
		return nil
	}
	names := make([]string, len(bars))
	below := p.X.Tick.Label
	room := width/vg.Length(float64(len(bars))+0.2) - 4
	var points []Point
	labels := plotter.XYLabels{}
	for i, b := range bars {
		names[i] = wrap(b.Name, below, room)
		chart, err := plotter.NewBarChart(plotter.Values{b.Y}, 0.45*vg.Inch)
		if err != nil {
			return fmt.Errorf("bar %q: %w", b.Name, err)
		}
		chart.XMin = float64(i)
		chart.Color = colour(b.Style)
		chart.LineStyle.Width = 0
		p.Add(chart)
		points = append(points, Point{float64(i), b.Y, b.Error})
		labels.XYs = append(labels.XYs, plotter.XY{X: float64(i), Y: b.Y + b.Error})
		labels.Labels = append(labels.Labels, b.Text)
	}
	if err := addErrors(p, points, ink, false); err != nil {
		return err
	}
	texts, err := plotter.NewLabels(labels)
	if err != nil {
		return err
	}
	for i := range texts.TextStyle {
		texts.TextStyle[i] = centred(textSize)
	}
	texts.Offset.Y = 3
	p.Add(texts)
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
