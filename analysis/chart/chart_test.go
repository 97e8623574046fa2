package chart_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/analysis/chart"
)

func example() chart.Figure {
	f := chart.Figure{Title: "Queue at the congestion point (s1→s2)", XLabel: "time (µs)", YLabel: "queue (KB)"}
	var row []chart.Panel
	for c, name := range []string{"100 Gb/s", "200 Gb/s", "400 Gb/s"} {
		p := chart.Panel{Title: name, FromX: 250, ToX: 700, Marks: []chart.Mark{
			{X: number(300), Text: "flow1 starts"}, {Y: number(500), Text: "PFC XOFF"}, {X: number(900), Text: "outside"}}}
		for s, mechanism := range []string{"DCQCN", "HPCC", "FNCC", "RoCC"} {
			l := chart.Line{Name: mechanism, Style: s}
			for t := 250.0; t <= 700; t++ {
				y := 0.0
				if t > 300 {
					y = 150 * math.Pow(2, float64(c)) * math.Exp(-(t-300)/(20*float64(5-s))) * (1 - math.Exp(-(t-300)/5))
				}
				l.Points = append(l.Points, chart.Point{X: t, Y: y})
			}
			p.Lines = append(p.Lines, l)
		}
		row = append(row, p)
	}
	f.Panels = [][]chart.Panel{row}
	return f
}

func number(v float64) *float64 { return &v }

// barPanel has a bar at each name; NaN is none.
func barPanel(title string, names []string, values ...chart.Point) chart.Panel {
	p := chart.Panel{Title: title, Names: names}
	for i, v := range values {
		l := chart.Line{Name: names[i], Style: i, Shape: chart.Bars, Width: chart.Alone}
		if !math.IsNaN(v.Y) {
			l.Points = []chart.Point{{X: float64(i), Y: v.Y, Error: v.Error}}
		}
		p.Lines = append(p.Lines, l)
	}
	return p
}

func bars() chart.Figure {
	return chart.Figure{Title: "Pause frames", YLabel: "XOFF frames", Panels: [][]chart.Panel{
		{barPanel("ingress, 200 Gb/s", []string{"DCQCN", "HPCC", "FNCC"}, chart.Point{Y: 12, Error: 2}, chart.Point{Y: 4}, chart.Point{}),
			barPanel("all zero", []string{"DCQCN", "HPCC"}, chart.Point{}, chart.Point{})},
		{{Title: "empty"}, {Title: "sweep", Lines: []chart.Line{{Name: "HPCC", Style: 1, Dots: true, Points: []chart.Point{{50, 3, 1}, {100, 2, 0.5}, {500, 0, 0}}}}}},
	}}
}

func TestBytes(t *testing.T) {
	for name, f := range map[string]chart.Figure{"lines": example(), "bars": bars()} {
		t.Run(name, func(t *testing.T) {
			svg, err := chart.SVG(f)
			require.NoError(t, err)
			again, err := chart.SVG(f)
			require.NoError(t, err)
			assert.True(t, bytes.Equal(svg, again), "the same figure, the same SVG")
			for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
				_, err := d.Token()
				if errors.Is(err, io.EOF) {
					break
				}
				require.NoError(t, err)
			}
			assert.Contains(t, string(svg), "DCQCN")
			assert.NotContains(t, string(svg), "outside", "a mark beyond the axes is not drawn")

			picture, err := chart.PNG(f)
			require.NoError(t, err)
			again, err = chart.PNG(f)
			require.NoError(t, err)
			assert.True(t, bytes.Equal(picture, again), "the same figure, the same PNG")
			image, err := png.Decode(bytes.NewReader(picture))
			require.NoError(t, err)
			assert.Greater(t, image.Bounds().Dx(), 1000)
			if dir := os.Getenv("FABRICLAB_SHOW_PLOTS"); dir != "" {
				require.NoError(t, os.WriteFile(dir+"/"+name+".png", picture, 0o644))
				require.NoError(t, os.WriteFile(dir+"/"+name+".svg", svg, 0o644))
			}
		})
	}
}

func TestErrors(t *testing.T) {
	_, err := chart.SVG(chart.Figure{Title: "x"})
	require.ErrorContains(t, err, `figure "x" has no panel`)
	_, err = chart.PNG(chart.Figure{Title: "x", Panels: [][]chart.Panel{{{}, {}}, {{}}}})
	require.ErrorContains(t, err, "rows of 2 and of 1 panels")
	_, err = chart.SVG(chart.Figure{Title: "x", Panels: [][]chart.Panel{{{Title: "p", Lines: []chart.Line{{Name: "l", Points: []chart.Point{{0, math.NaN(), 0}}}}}}}})
	assert.ErrorContains(t, err, `panel "p": line "l"`)
}

// logarithmic is a figure with names along a logarithmic y axis.
func logarithmic() chart.Figure {
	panel := chart.Panel{Title: "p99", Names: []string{"10KB", "100KB", "1MB", "10MB"}}
	for style, name := range []string{"DCQCN", "HPCC"} {
		l := chart.Line{Name: name, Style: style, Dots: true}
		for i := range panel.Names {
			y := math.Pow(10, float64(i)/float64(1+style))
			l.Points = append(l.Points, chart.Point{X: float64(i), Y: y, Error: 2 * y}) // below 0
		}
		panel.Lines = append(panel.Lines, l)
	}
	return chart.Figure{Title: "Slowdown", XLabel: "flow size up to", YLabel: "slowdown", LogY: true, Panels: [][]chart.Panel{{panel, {Title: "empty"}}}}
}

func TestLogarithmic(t *testing.T) {
	svg, err := chart.SVG(logarithmic())
	require.NoError(t, err)
	for _, want := range []string{">100KB<", ">0.2<", ">500<", ">no data<"} {
		assert.Contains(t, string(svg), want)
	}
	flat := chart.Figure{LogX: true, Panels: [][]chart.Panel{{{Lines: []chart.Line{{Points: []chart.Point{{X: 3, Y: 0}, {X: 3, Y: 1}}}}}}}}
	svg, err = chart.SVG(flat)
	require.NoError(t, err, "all at one value")
	assert.Contains(t, string(svg), ">5<")
	many := chart.Panel{Lines: []chart.Line{{Points: []chart.Point{{X: 0, Y: 1}, {X: 24, Y: 2}}}}}
	for i := range 25 {
		many.Names = append(many.Names, fmt.Sprintf("name%d", i))
	}
	svg, err = chart.SVG(chart.Figure{Panels: [][]chart.Panel{{many}}})
	require.NoError(t, err)
	assert.Contains(t, string(svg), ">name3<")
	assert.NotContains(t, string(svg), ">name4<", "not all of many names")
}

// A label that is longer than its axis is broken into lines; the panels stay
// where they belong: the x axes of a row are on one line of pixels.
func TestLongLabels(t *testing.T) {
	f := example()
	f.YLabel = "time from which the flows together ask for 90 % of the link again, in microseconds (µs)"
	f.Panels = append(f.Panels, f.Panels[0])
	f.Panels[0][1].Title = "a title that is far wider than the panel it stands above, and says a lot of things"
	data, err := chart.PNG(f)
	require.NoError(t, err)
	picture, err := png.Decode(bytes.NewReader(data))
	require.NoError(t, err)
	lines := xAxes(picture)
	assert.Len(t, lines, 2, "the x axes of the three panels of both rows: %v", lines)
}

// The panels of a row are at one height, whatever their axes show.
func TestRowsOfDifferentRanges(t *testing.T) {
	panel := func(low, high float64) chart.Panel {
		return chart.Panel{Title: "p", Lines: []chart.Line{{Name: "a", Dots: true, Points: []chart.Point{{X: 1, Y: low, Error: low / 2}, {X: 2, Y: high, Error: high}}}}}
	}
	data, err := chart.PNG(chart.Figure{YLabel: "slowdown", XLabel: "size", LogY: true, Width: 7, Panels: [][]chart.Panel{
		{panel(1, 5), panel(0.1, 5000)}, {panel(3, 300), panel(1e-6, 2)}}})
	require.NoError(t, err)
	picture, err := png.Decode(bytes.NewReader(data))
	require.NoError(t, err)
	assert.Len(t, xAxes(picture), 2)
}

// xAxes are the rows of pixels that are dark in most of the picture's width.
func xAxes(picture image.Image) (rows []int) {
	for y := range picture.Bounds().Dy() {
		dark := 0
		for x := range picture.Bounds().Dx() {
			if r, g, b, _ := picture.At(x, y).RGBA(); r < 0xb000 && r == g && g == b {
				dark++
			}
		}
		if dark > picture.Bounds().Dx()*7/10 && (len(rows) == 0 || y > rows[len(rows)-1]+1) {
			rows = append(rows, y)
		}
	}
	return rows
}

// In a small panel fewer numbers stand along the axes, and names are turned.
func TestSmallPanels(t *testing.T) {
	p := logarithmic().Panels[0][0]
	p.Names = []string{"10KB", "20KB", "30KB", "50KB", "80KB", "200KB", "1MB", "2MB", "5MB", "10MB", "30MB"}
	p.Lines[0].Points = append(p.Lines[0].Points, chart.Point{X: 4, Y: 1e5})
	rows := [][]chart.Panel{{p, p}, {p, p}}
	for width, names := range map[float64]string{3.3: `rotate(90)`, 7: `rotate(30`} {
		svg, err := chart.SVG(chart.Figure{Panels: rows, LogY: true, Width: width})
		require.NoError(t, err)
		assert.Contains(t, string(svg), names, "%g inches", width)
		assert.Contains(t, string(svg), ">100<", "%g inches", width)
		assert.NotContains(t, string(svg), ">200<", "six decades: powers only")
	}
	line := chart.Line{Points: []chart.Point{{X: 1000000, Y: 0}, {X: 1500000, Y: 1}}}
	for width, want := range map[float64]bool{3.3: false, 14: true} {
		svg, err := chart.SVG(chart.Figure{Panels: [][]chart.Panel{{{Lines: []chart.Line{line}}, {Lines: []chart.Line{line}}}}, Width: width})
		require.NoError(t, err)
		assert.Equal(t, want, strings.Contains(string(svg), ">1.1e+06<"), "%g inches", width)
		assert.Contains(t, string(svg), ">1e+06<")
	}
}

// Long names of bars are broken into lines, so that they stand side by side.
func TestLongNamesOfBars(t *testing.T) {
	bars := barPanel("", []string{"ECMP", "CONGA", "CONGA, metrics of 6 bits"}, chart.Point{Y: 1}, chart.Point{Y: 1}, chart.Point{Y: 2})
	for columns, want := range map[int]string{1: ">CONGA, metrics of 6 bits<", 4: ">metrics of 6<"} {
		panels := make([]chart.Panel, columns)
		for i := range panels {
			panels[i] = bars
		}
		svg, err := chart.SVG(chart.Figure{Panels: [][]chart.Panel{panels}})
		require.NoError(t, err)
		assert.Contains(t, string(svg), want, "%d columns", columns)
	}
}

// Names in many lines have room of their own: the bars stay as high.
func TestBarsKeepTheirHeightAboveLongNames(t *testing.T) {
	height := func(name string) float64 {
		panel := barPanel("", slices.Repeat([]string{name}, 8), slices.Repeat([]chart.Point{{Y: 1}}, 8)...)
		svg, err := chart.SVG(chart.Figure{Panels: [][]chart.Panel{{panel}}, Width: 3.3})
		require.NoError(t, err)
		return heightOf(t, svg)
	}
	assert.GreaterOrEqual(t, height("Q 3, tau 160 us, gap 500 us"), height("a")+5*8, "six lines of 8 points")
}

// heightOf is the height of a picture in points.
func heightOf(t *testing.T, svg []byte) float64 {
	t.Helper()
	found := regexp.MustCompile(`height="([0-9.]+)pt"`).FindSubmatch(svg)
	require.NotNil(t, found, string(svg))
	height, err := strconv.ParseFloat(string(found[1]), 64)
	require.NoError(t, err)
	return height
}

// Where words are too long to stand side by side, names are slanted and numbers
// upright; nothing is cut off.
func TestManyBarsInAColumn(t *testing.T) {
	names := []string{"none", "DCQCN", "HPCC", "FNCC", "RoCC", "TIMELY", "InfiniBand", "RCP", "Dart", "ExpressPass", "NUMFabric"}
	var values []chart.Point
	for i := range names {
		values = append(values, chart.Point{Y: 70.25 + float64(i), Error: 5})
	}
	draw := func(width float64) (string, float64) {
		svg, err := chart.SVG(chart.Figure{Panels: [][]chart.Panel{{barPanel("", names, values...)}}, Width: width, LeastY: number(0)})
		require.NoError(t, err)
		for i, name := range names {
			assert.Contains(t, string(svg), ">"+name+"<", "%g inches", width)
			assert.Contains(t, string(svg), fmt.Sprintf(">%g<", values[i].Y), "%g inches", width)
		}
		return string(svg), heightOf(t, svg)
	}
	turned := func(svg, turn string) int { // texts of the panel that are turned so
		return len(regexp.MustCompile(`<g transform="`+turn+`">\s*<text [^>]*>[\w.]+</text>`).FindAllString(svg, -1))
	}
	const slanted, upright = `rotate\(30[.0-9]*\)`, `rotate\(90\)`
	column, high := draw(3.3)
	assert.Equal(t, len(names), turned(column, slanted))
	assert.Equal(t, len(names), turned(column, upright))
	page, _ := draw(7)
	assert.Equal(t, len(names), turned(page, slanted))
	assert.Zero(t, turned(page, upright), "numbers have room")
	wide, _ := draw(20)
	assert.Zero(t, turned(wide, slanted)+turned(wide, upright))
	names, values = names[:2], values[:2]
	_, low := draw(3.3)
	assert.Less(t, low, high-10, "they have room of their own")
}

// Numbers that would stand in each other, even upright, are left out.
func TestCrowdedBarsHaveNoNumbers(t *testing.T) {
	draw := func(n int) string {
		names, values := make([]string, n), make([]chart.Point, n)
		for i := range names {
			names[i], values[i] = "n", chart.Point{Y: 70.25}
		}
		svg, err := chart.SVG(chart.Figure{Panels: [][]chart.Panel{{barPanel("", names, values...)}}, Width: 3.3, LeastY: number(0)})
		require.NoError(t, err)
		return string(svg)
	}
	assert.Contains(t, draw(10), ">70.25<")
	assert.NotContains(t, draw(40), ">70.25<")
}

// A mark's text stands clear of the lines of other marks.
func TestTextsOfMarksAreNotCrossed(t *testing.T) {
	place := func(vertical ...float64) float64 {
		panel := chart.Panel{FromX: 0, ToX: 100, Marks: []chart.Mark{{Y: number(5), Text: "XOFF"}},
			Lines: []chart.Line{{Name: "a", Points: []chart.Point{{X: 0, Y: 0}, {X: 100, Y: 10}}}}}
		for _, at := range vertical {
			panel.Marks = append(panel.Marks, chart.Mark{X: &at, Text: "x"})
		}
		svg, err := chart.SVG(chart.Figure{Panels: [][]chart.Panel{{panel}}})
		require.NoError(t, err)
		found := regexp.MustCompile(`<text x="([0-9.]+)"[^>]*>XOFF`).FindSubmatch(svg)
		require.NotNil(t, found, string(svg))
		x, err := strconv.ParseFloat(string(found[1]), 64)
		require.NoError(t, err)
		return x
	}
	free := place()
	assert.InDelta(t, free, place(10, 50), 1e-9, "lines elsewhere do not matter")
	one := place(97)
	assert.Less(t, one, free-10)
	two := place(97, 93)
	assert.Less(t, two, one-10)
	assert.InDelta(t, two, place(93, 97), 1e-9, "in whatever order")
}

// TestPublication: the width asked for, no title, notes below, a PDF that is
// the same each time, and lines that are told apart without colours.
func TestPublication(t *testing.T) {
	for _, width := range []float64{3.3, 7} {
		f := example()
		f.Width, f.Bare, f.Notes = width, true, []string{"RoCC: no sample in the window"}
		f.Panels[0][0].Lines = append(f.Panels[0][0].Lines, chart.Line{Name: "TIMELY", Style: 4})
		svg, err := chart.SVG(f)
		require.NoError(t, err)
		text := string(svg)
		assert.Contains(t, text, fmt.Sprintf(`width="%gpt"`, width*72))
		assert.NotContains(t, text, "Queue at the congestion point")
		assert.Contains(t, text, "RoCC: no sample in the window")
		assert.Contains(t, text, "TIMELY (no data)", "a line without data keeps its place")
		assert.Contains(t, text, "stroke-dasharray", "dashes")
		pdf, err := chart.PDF(f)
		require.NoError(t, err)
		again, err := chart.PDF(f)
		require.NoError(t, err)
		assert.True(t, bytes.Equal(pdf, again), "the same figure, the same PDF")
		assert.True(t, bytes.HasPrefix(pdf, []byte("%PDF-")))
		assert.Contains(t, string(pdf), fmt.Sprintf("/MediaBox [0 0 %.2f", width*72))
		assert.Contains(t, string(pdf), "D:20000101000000")
	}
}

// TestManyLines: no two of 20 lines look the same, even in grey.
func TestManyLines(t *testing.T) {
	var panel chart.Panel
	for i := range 20 {
		panel.Lines = append(panel.Lines, chart.Line{Name: fmt.Sprintf("line%d", i), Style: i, Points: []chart.Point{{X: 0, Y: 1}, {X: 1, Y: 2}}})
	}
	svg, err := chart.SVG(chart.Figure{Panels: [][]chart.Panel{{panel}}})
	require.NoError(t, err)
	looks := map[string]bool{}
	for _, m := range regexp.MustCompile(`fill:none;stroke:(#[0-9A-Fa-f]+)[^"]*"`).FindAllStringSubmatch(string(svg), -1) {
		looks[m[0]] = true
	}
	assert.GreaterOrEqual(t, len(looks), 20)
}

// TestErrorBarsOnTheFloor: an error bar ends at 0 where nothing is negative.
func TestErrorBarsOnTheFloor(t *testing.T) {
	f := chart.Figure{Title: "t", Panels: [][]chart.Panel{{{Title: "p", Lines: []chart.Line{{Name: "a", Dots: true, Points: []chart.Point{{1, 2, 5}, {2, 3, 1}}}}}}}}
	tick := regexp.MustCompile(`>(-?[0-9.]+)</text>`)
	lowest := func(f chart.Figure) float64 {
		svg, err := chart.SVG(f)
		require.NoError(t, err)
		low := math.Inf(1)
		for _, m := range tick.FindAllStringSubmatch(string(svg), -1) {
			v, err := strconv.ParseFloat(m[1], 64)
			require.NoError(t, err)
			low = min(low, v)
		}
		return low
	}
	assert.Less(t, lowest(f), 0.0)
	f.LeastY = number(0)
	assert.GreaterOrEqual(t, lowest(f), 0.0)

	// Bars on a logarithmic axis, and one that has no value.
	f = bars()
	f.Panels = [][]chart.Panel{{barPanel("", []string{"a", "b"}, chart.Point{Y: 10, Error: 20}, chart.Point{Y: math.NaN()})}}
	f.LogY = true
	svg, err := chart.SVG(f)
	require.NoError(t, err)
	assert.Contains(t, string(svg), ">no data<")
	assert.NotContains(t, string(svg), "NaN")
	assert.NotContains(t, string(svg), "Inf")
}

// TestErrorBarsStandBesideEachOther: lines that meet in a point do not hide
// each other's error bars.
func TestErrorBarsStandBesideEachOther(t *testing.T) {
	assert.Len(t, errorBarsOf(t, 0), 6)
}

// TestErrorBarsStandAtTheirPoints: lines that have no x in common need no room.
func TestErrorBarsStandAtTheirPoints(t *testing.T) {
	var at []float64
	for x := range errorBarsOf(t, 0.1) {
		v, err := strconv.ParseFloat(x, 64)
		require.NoError(t, err)
		at = append(at, v)
	}
	require.Len(t, at, 6)
	slices.Sort(at)
	assert.InDelta(t, 0.1, (at[1]-at[0])/(at[3]-at[0]), 0.001)
	assert.InDelta(t, 0.2, (at[2]-at[0])/(at[3]-at[0]), 0.001)
}

// threeLines have two points each, every line this much behind the one before.
func threeLines(behind float64) chart.Figure {
	panel := chart.Panel{Title: "p"}
	for s, name := range []string{"a", "b", "c"} {
		x := 1 + behind*float64(s)
		panel.Lines = append(panel.Lines, chart.Line{Name: name, Style: s, Dots: true, Points: []chart.Point{{x, 5, 3}, {x + 1, 5, 3}}})
	}
	return chart.Figure{Title: "t", Panels: [][]chart.Panel{{panel}}}
}

// errorBarsOf are the places of error bars along x.
func errorBarsOf(t *testing.T, behind float64) map[string]bool {
	svg, err := chart.SVG(threeLines(behind))
	require.NoError(t, err)
	at := map[string]bool{}
	for _, m := range regexp.MustCompile(`d="M([0-9.]+),([0-9.]+)L([0-9.]+),([0-9.]+)"[^>]*stroke-width:0.8"`).FindAllStringSubmatch(string(svg), -1) {
		if m[1] == m[3] {
			at[m[1]] = true
		}
	}
	return at
}

// groupedBars are bars of two mechanisms at three degrees.
func groupedBars() chart.Figure {
	panel := chart.Panel{Names: []string{"4", "8", "16"}}
	for i, name := range []string{"HPCC", "FNCC"} {
		l := chart.Line{Name: name, Style: i, Shape: chart.Bars, Width: 0.4, Beside: 0.4 * (float64(i) - 0.5)}
		for at := range 3 {
			l.Points = append(l.Points, chart.Point{X: float64(at), Y: 2 + float64(at+i), Error: 0.5})
		}
		panel.Lines = append(panel.Lines, l)
	}
	return chart.Figure{Title: "slowdown", YLabel: "slowdown", LeastY: number(1), Panels: [][]chart.Panel{{panel}}}
}

// Bars of several lines stand beside each other, told apart in the legend.
func TestGroupedBars(t *testing.T) {
	svg, err := chart.SVG(groupedBars())
	require.NoError(t, err)
	for _, want := range []string{">HPCC<", ">FNCC<", ">4<", ">8<", ">16<"} {
		assert.Contains(t, string(svg), want)
	}
	if dir := os.Getenv("FABRICLAB_SHOW_PLOTS"); dir != "" {
		picture, err := chart.PNG(groupedBars())
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(dir+"/grouped.png", picture, 0o644))
	}
}

// The axis of a slowdown begins at 1, logarithmic or not.
func TestAxesBeginAtTheLeastValue(t *testing.T) {
	for _, log := range []bool{false, true} {
		f := groupedBars()
		f.LogY = log
		svg, err := chart.SVG(f)
		require.NoError(t, err)
		assert.Contains(t, string(svg), ">1<")
		assert.NotContains(t, string(svg), ">0<")
		assert.NotContains(t, string(svg), ">0.5<")
	}
	f := chart.Figure{LeastX: number(1), Panels: [][]chart.Panel{{{Lines: []chart.Line{{Points: []chart.Point{{X: 3, Y: 0}, {X: 7, Y: 1}}}}}}}}
	svg, err := chart.SVG(f)
	require.NoError(t, err)
	assert.Contains(t, string(svg), ">1<")
	assert.Contains(t, string(svg), ">2<")
}

// What the page draws is the figure itself: its places, its points with seven
// digits, and a line at the places of the one before without them.
func TestForPage(t *testing.T) {
	f := groupedBars()
	page, thinned, err := f.ForPage(4)
	require.NoError(t, err)
	assert.Zero(t, thinned)
	text, err := json.Marshal(page)
	require.NoError(t, err)
	assert.Contains(t, string(text), `"data":{"x":[-0.2,0.8,1.8],"y":[2,3,4],"e":[0.5,0.5,0.5]}`)
	assert.Contains(t, string(text), `"least_y":1`)
	assert.Nil(t, f.Panels[0][0].Lines[0].Data, "the figure stays as it is")
	assert.InDelta(t, 0, f.Panels[0][0].Lines[0].Points[0].X, 0)

	f.Panels[0][0].At = []float64{4, 8, 16}
	_, _, err = f.ForPage(4)
	require.ErrorContains(t, err, `line "HPCC": there is a point at 0, where it has no name`)

	numbers, err := json.Marshal(chart.Numbers{0, -1.5, 1e-9, 123456.789, 1e21, math.NaN(), math.Inf(1)})
	require.NoError(t, err)
	assert.Equal(t, "[0,-1.5,1e-09,123456.8,1e+21,null,null]", string(numbers))
}

func TestThinKeepsPeaksAndEnds(t *testing.T) {
	const most = 4000
	points := make([]chart.Point, 100_000)
	for i := range points {
		points[i] = chart.Point{X: float64(i), Y: math.Sin(float64(i) / 1000)}
	}
	points[12_345].Y, points[77_777].Y = 99, -99
	thinned := func(points []chart.Point) *chart.Data {
		f := chart.Figure{Panels: [][]chart.Panel{{{Lines: []chart.Line{{Points: points}}}}}}
		page, before, err := f.ForPage(most)
		require.NoError(t, err)
		assert.Equal(t, len(points) > most, before == len(points))
		return page.Panels[0][0].Lines[0].Data
	}
	got := thinned(points)
	assert.LessOrEqual(t, len(got.X), most)
	assert.Greater(t, len(got.X), 3900)
	assert.Contains(t, got.Y, 99.0)
	assert.Contains(t, got.Y, -99.0)
	assert.InDelta(t, 0, got.X[0], 0)
	assert.InDelta(t, 99_999, got.X[len(got.X)-1], 0)
	assert.True(t, slices.IsSorted(got.X))
	assert.Len(t, thinned(points[:most]).X, most, "short lines stay as they are")
	assert.LessOrEqual(t, len(thinned(points[:most+1]).X), most)
}
