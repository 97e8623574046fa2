package figure_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/analysis/chart"
	"fabriclab/analysis/claims"
	"fabriclab/analysis/figure"
	"fabriclab/analysis/spec"
	"fabriclab/base/reader"
)

// titlesOf are the titles of all panels, by row.
func titlesOf(f chart.Figure) (rows [][]string) {
	for _, row := range f.Panels {
		var titles []string
		for _, p := range row {
			titles = append(titles, p.Title)
		}
		rows = append(rows, titles)
	}
	return rows
}

// Panels of an fct plot go by a dimension, such as the load, and by statistic in
// the direction that is left.
func TestFCTPanelsByADimension(t *testing.T) {
	out := evaluateFCT(t, `plots:
  - {id: columns, title: S, kind: fct, columns: mechanism, stats: [mean, p99], edges: [0, 2KB, 10KB]}
  - {id: rows, title: S, kind: fct, rows: mechanism, stats: [mean, p99], edges: [0, 2KB, 10KB]}
  - {id: four, title: S, kind: fct, lines: mechanism, stats: [mean, p95, p99, p99.9], edges: [0, 2KB, 10KB]}
`)
	stored := read(t, out.Dir)
	assert.Equal(t, [][]string{{"HPCC, mean", "FNCC, mean"}, {"HPCC, p99", "FNCC, p99"}}, titlesOf(stored.Plots[0]))
	assert.Equal(t, [][]string{{"HPCC, mean", "HPCC, p99"}, {"FNCC, mean", "FNCC, p99"}}, titlesOf(stored.Plots[1]))
	assert.Equal(t, [][]string{{"mean", "p95"}, {"p99", "p99.9"}}, titlesOf(stored.Plots[2]))
	hpcc, fncc := stored.Plots[0].Panels[0][0].Lines[0].Points, stored.Plots[0].Panels[0][1].Lines[0].Points
	require.Len(t, hpcc, 2)
	assert.InDelta(t, 0.9*hpcc[0].Y, fncc[0].Y, 1e-9)
	assert.Equal(t, stored.Plots[0].Panels[1][1].Lines[0].Points, stored.Plots[1].Panels[1][1].Lines[0].Points)
	assert.Contains(t, string(contents(t, out.Dir)["summary.md"]), "FCT slowdown, FNCC, p99 (mean of 2 seeds)")
}

// A row of more than five panels is wrapped.
func TestLongRowsWrap(t *testing.T) {
	loads := []string{"1", "2", "3", "4", "5", "6"}
	s, err := reader.Parse("exp.yaml", []byte(`dimensions: {load: {path: load}, mechanism: {path: preset}}
measures: {slowdown: {kind: fct_slowdown, stat: mean, max_size: 10KB, unit: "1", text: slowdown}}
plots: [{id: bars, title: S, kind: bars, x: mechanism, columns: load, measure: slowdown}]
`))
	require.NoError(t, err)
	f, err := figure.Decode(s, spec.Known{Matrix: claims.Matrix{"preset": {"hpcc"}, "load": loads}})
	require.NoError(t, err)
	var runs []spec.Run
	for _, load := range loads {
		r := fctRuns(t, 1)[0]
		r.Labels = map[string]string{"preset": "hpcc", "load": load}
		runs = append(runs, r)
	}
	out, err := figure.Evaluate(figure.Input{ID: "test/bars", Title: "S", Scale: "quick", Figure: f, Runs: runs}, t.TempDir())
	require.NoError(t, err)
	titles := titlesOf(read(t, out.Dir).Plots[0])
	require.Len(t, titles, 2)
	assert.Equal(t, []string{"load 1", "load 2", "load 3", "load 4"}, titles[0])
	assert.Equal(t, []string{"load 5", "load 6"}, titles[1][:2])
}

// Sizes along an axis are packets where a plot says how long one is.
func TestSizesInPackets(t *testing.T) {
	out := evaluateFCT(t, `measures: {slowdown: {kind: fct_slowdown, stat: mean, unit: "1", text: slowdown}}
plots:
  - {id: fct, title: S, kind: fct, lines: mechanism, stats: [p99], edges: [1B, 1001B, 10001B, 30001B], packet: 1000B}
  - {id: box, title: S, kind: box, lines: mechanism, measure: slowdown, edges: [1B, 1001B, 10001B], packet: 1000B}
`)
	stored := read(t, out.Dir)
	assert.Equal(t, []string{"1", "10", "30"}, stored.Plots[0].Panels[0][0].Names)
	assert.Equal(t, "flow size up to (packets)", stored.Plots[0].XLabel)
	assert.Equal(t, []string{"1", "2 to 10"}, stored.Plots[1].Panels[0][0].Names)
	assert.Equal(t, "B", stored.Plots[1].XUnit, "of the table")
}

// Bars with lines stand in groups, and those of a slowdown begin at 1.
func TestGroupsOfBars(t *testing.T) {
	s, err := reader.Parse("exp.yaml", []byte(`dimensions: {mechanism: {path: preset, names: {hpcc: HPCC, fncc: FNCC}}, load: {path: load}}
measures: {slowdown: {kind: fct_slowdown, stat: mean, max_size: 10KB, unit: "1", text: slowdown}}
plots: [{id: bars, title: S, kind: bars, x: load, lines: mechanism, measure: slowdown}]
`))
	require.NoError(t, err)
	f, err := figure.Decode(s, spec.Known{Matrix: claims.Matrix{"preset": {"hpcc", "fncc"}, "load": {"20", "40", "60"}}})
	require.NoError(t, err)
	var runs []spec.Run
	for i, r := range fctRuns(t, 3) {
		r.Labels = map[string]string{"preset": r.Labels["preset"], "load": []string{"20", "40", "60"}[i%3]}
		if r.Labels["preset"] == "hpcc" || r.Labels["load"] != "60" {
			runs = append(runs, r)
		}
	}
	out, err := figure.Evaluate(figure.Input{ID: "test/bars", Title: "S", Scale: "quick", Figure: f, Runs: runs}, t.TempDir())
	require.NoError(t, err)
	p := read(t, out.Dir).Plots[0]
	panel := p.Panels[0][0]
	assert.Equal(t, []string{"20", "40", "60"}, panel.Names)
	require.Len(t, panel.Lines, 2)
	for i, l := range panel.Lines {
		assert.Equal(t, chart.Bars, l.Shape)
		assert.InDelta(t, 0.4, l.Width, 1e-9)
		assert.InDelta(t, 0.4*(float64(i)-0.5), l.Beside, 1e-9)
		require.Len(t, l.Points, 3-i, "FNCC has no run at 60")
	}
	assert.InDelta(t, 1, *p.LeastY, 0)
}
