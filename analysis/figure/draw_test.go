package figure

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"fabriclab/analysis/chart"
	"fabriclab/analysis/series"
	"fabriclab/analysis/spec"
)

func TestBoxOf(t *testing.T) {
	// Quartiles 2.75, 4.5 and 7.5: whiskers reach to 7.125 above and below, and end at the last value there.
	assert.Equal(t, [5]float64{1, 2.75, 4.5, 7.5, 12}, boxOf([]float64{15, 3, 2, 1, 5, 4, 6, 12}))
	assert.Equal(t, [5]float64{7, 7, 7, 7, 7}, boxOf([]float64{7}))
	assert.Equal(t, [5]float64{-0.5, -0.5, 0, 0.25, 1}, boxOf([]float64{-9, -2, 0, 0, 0, 0, 1, 2}), "no whisker ends within the box")
}

// A number in a legend says what it is of; a name does not.
func TestNumbersInLegends(t *testing.T) {
	d := spec.Dimension{Path: "workload.load", Names: map[string]string{"0.8": "high load"}}
	assert.Equal(t, "load 0.4", inLegend(d, "load", "0.4"))
	assert.Equal(t, "high load", inLegend(d, "load", "0.8"))
	assert.Equal(t, "hpcc", inLegend(d, "mechanism", "hpcc"))
}

// Each run of a panel has its own measuring window: the axis has room for all. A run
// without one has no line, not that of the whole run.
func TestMeasuringWindowsOfAPanel(t *testing.T) {
	window := &spec.Window{Name: spec.Measuring}
	run := func(load string, judged series.Window) spec.Run {
		return spec.Run{Engine: "ns3", Labels: map[string]string{"load": load}, Judged: judged, Dir: t.TempDir()}
	}
	f := &spec.Figure{}
	f.Dimensions.Names, f.Dimensions.Items = []string{"load"}, map[string]spec.Dimension{"load": {Path: "load"}}
	p := spec.Plot{ID: "queue", Kind: "time", Lines: "load", Own: timePlot{window: window, unit: "us", series: []spec.Series{{Kind: "rate", Unit: "Gbps", Source: spec.Source{Flow: new(int64)}}}}}
	d := paint(f, p, []spec.Run{
		run("0.2", series.Window{From: 20e6, To: 90e6}), run("0.4", series.Window{From: 10e6, To: 20e6}), run("0.6", series.Window{}),
	}, nil)
	panel := d.Panels[0][0]
	assert.Equal(t, [2]float64{10, 90}, [2]float64{panel.FromX, panel.ToX})
	assert.Contains(t, d.Missing[len(d.Missing)-1], "queue, load 0.6: window: measuring is for runs whose workload has a load")
	assert.Equal(t, chart.Line{Name: "load 0.6", Key: "0.6", Style: 2, Engine: "ns3"}, panel.Lines[2])
}
