package report

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"fabriclab/analysis/chart"
	"fabriclab/analysis/claims"
	"fabriclab/analysis/figure"
)

func TestLinesShareThePage(t *testing.T) {
	page := func(lengths ...int) []Section {
		var lines []chart.Line
		for _, n := range lengths {
			lines = append(lines, chart.Line{Points: make([]chart.Point, n)})
		}
		f := &figure.Stored{Record: figure.Record{Plots: []chart.Figure{{Panels: [][]chart.Panel{{{Lines: lines}}}}}}}
		return []Section{{}, {Figure: f}}
	}
	assert.Equal(t, mostPoints, linePoints(nil))
	assert.Equal(t, mostPoints, linePoints(page(10, 1_000_000)), "there is room for a long one")
	many := slices.Repeat([]int{5000}, 100)
	assert.Equal(t, pagePoints/100, linePoints(page(many...)))
	assert.Equal(t, (pagePoints-100*50)/100, linePoints(page(append(many, slices.Repeat([]int{50}, 100)...)...)), "what short ones leave is the long ones'")
	assert.Equal(t, chart.LeastPoints, linePoints(page(slices.Repeat([]int{100}, pagePoints)...)))
}

func TestGauge(t *testing.T) {
	claim := func(measured any) claims.Result {
		return claims.Result{Expected: 30.0, Measured: measured, Unit: "us", Tolerance: "± 25 %", Within: &[2]float64{22.5, 37.5}}
	}
	g := newGauge(claim(30.0))
	assert.Equal(t, gaugeWidth/2, g.Paper)
	assert.Equal(t, g.Paper, g.Measured)
	assert.Equal(t, "paper 30 µs, near enough ± 25 %, measured 30 µs", g.Title)
	near := newGauge(claim(37.5))
	assert.Equal(t, g.BandX+g.BandWidth, near.Measured, "the edge of the band")
	assert.Equal(t, "right", newGauge(claim(300.0)).Outside)
	assert.Equal(t, "left", newGauge(claim(-300.0)).Outside)
	assert.Equal(t, "right", newGauge(claim("never")).Outside)
	assert.True(t, newGauge(claim(nil)).None)
	assert.Nil(t, newGauge(claims.Result{Expected: "a < b"}))
	assert.Nil(t, newGauge(claims.Result{Expected: 3.0, Measured: 3.0, Within: &[2]float64{3, 3}}))
}
