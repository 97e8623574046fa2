package chart

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// frames gives each panel the canvas on which its data take a frame: all frames
// are of one size, those of a row at one height and those of a column above
// each other. plot.Align only comes near, since the room that texts at the ends
// of an axis take changes with the canvas. Between panels is a gap, and top
// above each.
func frames(plots [][]*plot.Plot, area draw.Canvas, gap vg.Point, top vg.Length) [][]draw.Canvas {
	rows, columns := len(plots), len(plots[0])
	size := area.Size()
	tile := draw.Canvas{Canvas: area.Canvas, Rectangle: vg.Rectangle{Max: vg.Point{X: size.X / vg.Length(columns), Y: size.Y / vg.Length(rows)}}}
	left, right := make([]vg.Length, columns), make([]vg.Length, columns)
	below, above := make([]vg.Length, rows), make([]vg.Length, rows)
	w, h := size.X-gap.X*vg.Length(columns-1), size.Y-gap.Y*vg.Length(rows-1)
	for r, row := range plots {
		for c, p := range row {
			data := p.DataCanvas(tile)
			left[c], right[c] = max(left[c], data.Min.X), max(right[c], tile.Max.X-data.Max.X)
			below[r], above[r] = max(below[r], data.Min.Y), max(above[r], tile.Max.Y-data.Max.Y+top)
		}
	}
	for c := range columns {
		w -= left[c] + right[c]
	}
	for r := range rows {
		h -= below[r] + above[r]
	}
	w, h = w/vg.Length(columns), h/vg.Length(rows)

	canvases := make([][]draw.Canvas, rows)
	y := area.Max.Y
	for r, row := range plots {
		y -= above[r] + h
		x := area.Min.X
		for c, p := range row {
			x += left[c]
			frame := vg.Rectangle{Min: vg.Point{X: x, Y: y}, Max: vg.Point{X: x + w, Y: y + h}}
			canvases[r] = append(canvases[r], around(p, area, frame))
			x += w + right[c] + gap.X
		}
		y -= below[r] + gap.Y
	}
	return canvases
}

// around is the canvas on which a plot's data take the frame.
func around(p *plot.Plot, area draw.Canvas, frame vg.Rectangle) draw.Canvas {
	canvas := draw.Canvas{Canvas: area.Canvas, Rectangle: frame}
	for range 20 { // two or three come near enough
		data := p.DataCanvas(canvas)
		low, high := frame.Min.Sub(data.Min), frame.Max.Sub(data.Max)
		canvas.Min, canvas.Max = canvas.Min.Add(low), canvas.Max.Add(high)
		const enough = 0.01
		if math.Abs(float64(low.X))+math.Abs(float64(low.Y))+math.Abs(float64(high.X))+math.Abs(float64(high.Y)) < enough {
			break
		}
	}
	return canvas
}
