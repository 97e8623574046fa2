package report

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/analysis/claims"
	"fabriclab/analysis/figure"
)

func TestThinKeepsPeaksAndEnds(t *testing.T) {
	points := make([]figure.Point, 100_000)
	for i := range points {
		points[i] = figure.Point{X: float64(i), Y: math.Sin(float64(i) / 1000)}
	}
	points[12_345].Y, points[77_777].Y = 99, -99
	got := thin(points, mostPoints)
	assert.LessOrEqual(t, len(got), mostPoints)
	assert.Greater(t, len(got), 3900)
	assert.Contains(t, got, points[12_345])
	assert.Contains(t, got, points[77_777])
	assert.Equal(t, points[0], got[0])
	assert.Equal(t, points[99_999], got[len(got)-1])
	for i := 1; i < len(got); i++ {
		require.Greater(t, got[i].X, got[i-1].X)
	}
	assert.Equal(t, points[:mostPoints], thin(points[:mostPoints], mostPoints), "short lines stay as they are")
	assert.LessOrEqual(t, len(thin(points[:mostPoints+1], mostPoints)), mostPoints)
}

func TestLinesShareThePage(t *testing.T) {
	page := func(lengths ...int) []Section {
		var lines []figure.Line
		for _, n := range lengths {
			lines = append(lines, figure.Line{Points: make([]figure.Point, n)})
		}
		f := &figure.Stored{Record: figure.Record{Plots: []figure.Plot{{Panels: [][]figure.Panel{{{Lines: lines}}}}}}}
		return []Section{{}, {Figure: f}}
	}
	assert.Equal(t, mostPoints, linePoints(nil))
	assert.Equal(t, mostPoints, linePoints(page(10, 1_000_000)), "there is room for a long one")
	many := slices.Repeat([]int{5000}, 100)
	assert.Equal(t, pagePoints/100, linePoints(page(many...)))
	assert.Equal(t, (pagePoints-100*50)/100, linePoints(page(append(many, slices.Repeat([]int{50}, 100)...)...)), "what short ones leave is the long ones'")
	assert.Equal(t, leastPoints, linePoints(page(slices.Repeat([]int{100}, pagePoints)...)))
}

func TestNumbersAreValidJSON(t *testing.T) {
	text, err := json.Marshal(numbers{0, -1.5, 1e-9, 123456.789, 1e21, math.NaN(), math.Inf(1)})
	require.NoError(t, err)
	assert.Equal(t, "[0,-1.5,1e-09,123456.8,1e+21,null,null]", string(text))
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
