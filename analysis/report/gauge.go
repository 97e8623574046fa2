package report

import (
	"math"

	"fabriclab/analysis/claims"
)

// A gauge draws the paper's number, what is near enough to it, and what was
// measured, on one scale. Its lengths are in pixels.
type gauge struct {
	Width, BandX, BandWidth, Paper int
	Measured                       int
	Outside                        string // "left" or "right" if the measured value is off the scale
	None                           bool   // nothing was measured
	Title                          string
}

const gaugeWidth = 132

// newGauge is nil where the claim is not about a number.
func newGauge(c claims.Result) *gauge {
	paper, ok := c.Expected.(float64)
	if !ok || c.Within == nil {
		return nil
	}
	reach := 2.2 * (c.Within[1] - c.Within[0]) / 2 // to either side of the paper's number
	if !(reach > 0) {
		return nil
	}
	const edge = 7
	at := func(v float64) int {
		return int(math.Round(edge + (v-paper+reach)/(2*reach)*(gaugeWidth-2*edge)))
	}
	g := &gauge{Width: gaugeWidth, BandX: at(c.Within[0]), BandWidth: at(c.Within[1]) - at(c.Within[0]), Paper: at(paper)}
	g.Title = "paper " + c.PaperText() + ", near enough " + c.Tolerance + ", measured " + c.MeasuredText()
	measured, ok := c.Measured.(float64)
	switch {
	case c.Measured == "never" || ok && measured > paper+reach:
		g.Outside = "right"
	case !ok:
		g.None = true
	case measured < paper-reach:
		g.Outside = "left"
	default:
		g.Measured = at(measured)
	}
	return g
}
