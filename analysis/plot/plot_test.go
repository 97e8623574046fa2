package plot_test

import (
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/analysis/chart"
	"fabriclab/analysis/collect"
	"fabriclab/analysis/measure"
	"fabriclab/analysis/plot"
	"fabriclab/analysis/sheet"
)

// sweep has two presets at three rates, with seeds 1 and 2.
func sweep() *sheet.Sheet {
	var runs []collect.Run
	for p, preset := range []string{"hpcc", "fncc"} {
		for r, rate := range []string{"400Gbps", "50Gbps", "100Gbps"} {
			for seed := range 2 {
				queue := measure.Value{Measure: &measure.Measure{Name: "queue_max", Unit: "B"}, Value: float64(1000*(p+1)*(r+1) + 100*seed)}
				late := measure.Value{Measure: &measure.Measure{Name: "late", Unit: "s"}, Value: math.Inf(1)}
				switch rate {
				case "400Gbps":
					late.Value = 12e-6
				case "50Gbps":
					late.Err = errors.New("not defined")
				}
				runs = append(runs, collect.Run{
					Experiment: "a/b", Labels: []collect.Label{{Path: "preset", Value: preset}, {Path: "topology.rate", Value: rate}},
					Engine: "ns3", Seed: uint64(seed + 1), Values: []measure.Value{queue, late},
				})
			}
		}
	}
	return collect.Table(runs, true)
}

// Columns may be named as runs print their labels, by the last element.
func TestColumnsByTheirLastElement(t *testing.T) {
	f, _, err := plot.Draw(sweep(), plot.Options{X: "rate", Y: "queue_max", Colour: "preset", Where: []string{"rate=50Gbps"}})
	require.NoError(t, err)
	assert.Equal(t, "topology.rate (Gb/s)", f.XLabel)

	s := sweep()
	s.Columns[s.Index("preset")].Name = "params.hpcc.rate"
	_, _, err = plot.Draw(s, plot.Options{X: "rate", Y: "queue_max"})
	require.ErrorContains(t, err, `--x: there is no column "rate"; did you mean`)

	s = sweep()
	for _, row := range s.Rows {
		if at := s.Index(collect.MeasureName); row[at] == "late" {
			row[at] = "figure.settled"
		}
	}
	_, _, err = plot.Draw(s, plot.Options{X: "rate", Y: "settled"})
	require.ErrorContains(t, err, `--y: there is no measure "settled"; did you mean "figure.settled"?`)
}

func TestSweep(t *testing.T) {
	f, notes, err := plot.Draw(sweep(), plot.Options{X: "topology.rate", Y: "queue_max", Colour: "preset", Title: "t"})
	require.NoError(t, err)
	assert.Empty(t, notes)
	assert.Equal(t, "topology.rate (Gb/s)", f.XLabel)
	assert.Equal(t, "queue_max (KB)", f.YLabel)
	require.Len(t, f.Panels, 1)
	require.Len(t, f.Panels[0], 1)
	lines := f.Panels[0][0].Lines
	require.Len(t, lines, 2)
	assert.Equal(t, "hpcc", lines[0].Name)
	var xy [][2]float64
	for _, p := range lines[1].Points {
		xy = append(xy, [2]float64{p.X, p.Y})
		assert.InDelta(t, 12.706*math.Sqrt2*0.05/math.Sqrt2, p.Error, 1e-3, "Student's interval of two seeds 0.1 KB apart")
	}
	assert.Equal(t, [][2]float64{{50, 4.05}, {100, 6.05}, {400, 2.05}}, xy, "in the order of the rates, means over the seeds")
	_, err = chart.PNG(f)
	require.NoError(t, err)

	// Names along x: bars, a panel for each rate, in the order of the rates.
	f, _, err = plot.Draw(sweep(), plot.Options{X: "preset", Y: "queue_max", Facet: "topology.rate"})
	require.NoError(t, err)
	require.Len(t, f.Panels[0], 3)
	assert.Equal(t, "topology.rate 50Gbps", f.Panels[0][0].Title)
	for i, want := range []chart.Line{{Name: "hpcc", Points: []chart.Point{{Y: 2.05}}}, {Name: "fncc", Points: []chart.Point{{X: 1, Y: 4.05}}}} {
		got := f.Panels[0][0].Lines[i]
		assert.Equal(t, chart.Bars, got.Shape)
		assert.Equal(t, want.Name, got.Name)
		assert.InDelta(t, want.Points[0].Y, got.Points[0].Y, 1e-9)
		assert.InDelta(t, want.Points[0].X, got.Points[0].X, 0)
	}

	// What is no more than a bound is not drawn, nor the mean of the other seeds.
	bounds := sweep()
	bounds.Rows[0][bounds.Index(collect.Note)] = "the mean is a lower bound: 1 of 2 flows did not finish"
	f, notes, err = plot.Draw(bounds, plot.Options{X: "topology.rate", Y: "queue_max", Colour: "preset"})
	require.NoError(t, err)
	assert.Equal(t, []string{"1 values are no more than bounds, as flows did not finish, and are not drawn", "1 points lack such a value of some seeds and are not drawn: the mean of the other seeds is another one"}, notes)
	assert.Len(t, f.Panels[0][0].Lines[0].Points, 2, "hpcc lacks 400 Gb/s")
	assert.Len(t, f.Panels[0][0].Lines[1].Points, 3)

	// What is never or not defined is not drawn, and said.
	f, notes, err = plot.Draw(sweep(), plot.Options{X: "topology.rate", Y: "late", Where: []string{"preset=fncc"}})
	require.NoError(t, err)
	assert.Equal(t, "late (µs)", f.YLabel)
	assert.Len(t, f.Panels[0][0].Lines[0].Points, 1)
	assert.Equal(t, []string{"2 rows have no value and are not drawn", "2 values are never (inf) and are not drawn"}, notes)
}

// A time that does not come with one of the seeds leaves no mean over the seeds.
func TestSeedsThatNeverComeLeaveNoMean(t *testing.T) {
	s := sweep()
	value := s.Index(collect.Value)
	for _, row := range s.Rows {
		if row[s.Index(collect.Seed)] == uint64(2) && row[s.Index("topology.rate")] == "400Gbps" {
			row[value] = math.Inf(1)
		}
	}
	_, notes, err := plot.Draw(s, plot.Options{X: "topology.rate", Y: "late", Colour: "preset"})
	require.ErrorContains(t, err, "no row has a value of late that can be drawn", "it was the mean of the seeds with which it comes")
	assert.Nil(t, notes)
}

// Values of failed runs are not drawn, and are no bounds.
func TestFailedRuns(t *testing.T) {
	s := sweep()
	s.Rows[0][s.Index(collect.Note)] = collect.FailedRun + "a check"
	_, notes, err := plot.Draw(s, plot.Options{X: "topology.rate", Y: "queue_max", Colour: "preset"})
	require.NoError(t, err)
	assert.Equal(t, "1 values are of runs that failed and are not drawn", notes[0])
}

// Two runs of a seed are no mean over seeds: a folder may have those of an older
// version of an experiment, which differ in the scenario alone.
func TestTwoRunsOfASeed(t *testing.T) {
	s := sweep()
	for _, row := range sweep().Rows {
		row[s.Index(collect.Scenario)] = "other"
		s.Rows = append(s.Rows, row)
	}
	_, _, err := plot.Draw(s, plot.Options{X: "topology.rate", Y: "queue_max", Colour: "preset"})
	require.ErrorContains(t, err, "two values of seed 1 at topology.rate 400Gbps")
	f, _, err := plot.Draw(s, plot.Options{X: "topology.rate", Y: "queue_max", Colour: "preset", Where: []string{"scenario=other"}})
	require.NoError(t, err)
	assert.Len(t, f.Panels[0][0].Lines[0].Points, 3)
}

// Numbers with more than six digits are different values.
func TestLongNumbers(t *testing.T) {
	s := &sheet.Sheet{
		Columns: []sheet.Column{{Name: "x", Kind: sheet.Number}, {Name: "size", Kind: sheet.Number}, {Name: "y", Kind: sheet.Number}},
		Rows:    [][]any{{1.0, 10000001.0, 1.0}, {2.0, 10000002.0, 2.0}},
	}
	f, _, err := plot.Draw(s, plot.Options{X: "x", Y: "y", Colour: "size"})
	require.NoError(t, err)
	require.Len(t, f.Panels[0][0].Lines, 2)
	assert.Equal(t, "size 10000001", f.Panels[0][0].Lines[0].Name)
	for _, written := range []string{"10000002", "10000002.0", "1.0000002e7"} {
		_, _, err = plot.Draw(s, plot.Options{X: "x", Y: "y", Where: []string{"size=" + written}})
		require.NoError(t, err, written)
	}
}

func TestRefused(t *testing.T) {
	for _, c := range []struct {
		o    plot.Options
		want string
	}{
		{plot.Options{X: "preset", Y: "queue_max"}, "several values of topology.rate (50Gbps, 100Gbps, 400Gbps)"},
		{plot.Options{X: "topology.rate", Y: "queue_mux", Colour: "preset"}, `no measure "queue_mux"; did you mean "queue_max"`},
		{plot.Options{X: "topology.rat", Y: "queue_max", Colour: "preset"}, `--x: there is no column "topology.rat"; did you mean "topology.rate"`},
		{plot.Options{X: "topology.rate", Y: "queue_max", Colour: "prest"}, `--colour: there is no column "prest"`},
		{plot.Options{X: "topology.rate", Y: "preset"}, "--y: the column preset has no numbers"},
		{plot.Options{X: "topology.rate", Y: "queue_max", Where: []string{"preset=dcqcn"}}, "no row has this value (known: fncc, hpcc)"},
		{plot.Options{X: "topology.rate", Y: "queue_max", Where: []string{"preset"}}, "write column=value"},
		{plot.Options{X: "topology.rate", Y: "late", Where: []string{"topology.rate=100Gbps"}, Colour: "preset"}, "no row has a value of late"},
	} {
		_, _, err := plot.Draw(sweep(), c.o)
		require.ErrorContains(t, err, c.want)
	}
	negative := &sheet.Sheet{Columns: []sheet.Column{{Name: "x", Kind: sheet.Number}, {Name: "y", Kind: sheet.Number}}, Rows: [][]any{{1.0, -2.0}}}
	_, _, err := plot.Draw(negative, plot.Options{X: "x", Y: "y", LogY: true})
	assert.ErrorContains(t, err, "no row has a value of y that can be drawn; 1 values are at or below 0, where a logarithmic axis has no place")
}

// class=data takes the class of each run's data packets: a transport with one
// class has no line less for it.
func TestClassOfTheData(t *testing.T) {
	s := &sheet.Sheet{
		Columns: []sheet.Column{{Name: "preset"}, {Name: collect.DataClass, Kind: sheet.Integer}, {Name: "time_ps", Kind: sheet.Number}, {Name: "class", Kind: sheet.Number}, {Name: "bytes", Kind: sheet.Number}},
		Rows: [][]any{
			{"hpcc", uint64(1), 1e6, 0.0, 64.0}, {"hpcc", uint64(1), 1e6, 1.0, 5000.0}, {"hpcc", uint64(1), 2e6, 0.0, 64.0}, {"hpcc", uint64(1), 2e6, 1.0, 6000.0},
			{"dctcp", uint64(0), 1e6, 0.0, 7000.0}, {"dctcp", uint64(0), 2e6, 0.0, 8000.0},
		},
	}
	f, _, err := plot.Draw(s, plot.Options{X: "time_ps", Y: "bytes", Colour: "preset", Where: []string{"class=data"}})
	require.NoError(t, err)
	lines := map[string][]chart.Point{}
	for _, l := range f.Panels[0][0].Lines {
		lines[l.Name] = l.Points
	}
	assert.Equal(t, map[string][]chart.Point{"hpcc": {{X: 1, Y: 5}, {X: 2, Y: 6}}, "dctcp": {{X: 1, Y: 7}, {X: 2, Y: 8}}}, lines)

	// A class that a run does not have leaves its line in the legend.
	f, notes, err := plot.Draw(s, plot.Options{X: "time_ps", Y: "bytes", Colour: "preset", Where: []string{"class=1"}})
	require.NoError(t, err)
	require.Len(t, f.Panels[0][0].Lines, 2)
	assert.Equal(t, "dctcp", f.Panels[0][0].Lines[1].Name)
	assert.Empty(t, f.Panels[0][0].Lines[1].Points)
	assert.Equal(t, []string{"dctcp: no row has class=1"}, notes)
	assert.Equal(t, notes, f.Notes)
	_, notes, err = plot.Draw(s, plot.Options{X: "time_ps", Y: "bytes", Colour: "preset", Where: []string{"preset=hpcc", "class=1"}})
	require.NoError(t, err)
	assert.Empty(t, notes, "not asked for")

	s.Columns[1].Name = "other"
	_, _, err = plot.Draw(s, plot.Options{X: "time_ps", Y: "bytes", Colour: "preset", Where: []string{"class=data"}})
	require.ErrorContains(t, err, "--where class=data: this table does not say which class that is")
}

// Any other table is drawn row by row.
func TestTable(t *testing.T) {
	s := &sheet.Sheet{
		Columns: []sheet.Column{{Name: "time_ps", Kind: sheet.Number}, {Name: "class", Kind: sheet.Number}, {Name: "max_bytes", Kind: sheet.Number}},
		Rows:    [][]any{{3e6, 1.0, 5000.0}, {1e6, 1.0, 0.0}, {1e6, 0.0, 7.0}, {3e6, 1.0, 6000.0}},
	}
	_, _, err := plot.Draw(s, plot.Options{X: "time_ps", Y: "max_bytes"})
	require.ErrorContains(t, err, "a line over time_ps would go back and forth, for its rows differ in class (1, 0); choose with --where")
	_, _, err = plot.Draw(s, plot.Options{X: "time_ps", Y: "max_bytes", Colour: "class"})
	require.ErrorContains(t, err, "do not follow each other along time_ps; draw them unjoined with --dots")
	f, _, err := plot.Draw(s, plot.Options{X: "time_ps", Y: "max_bytes", Colour: "class", Dots: true})
	require.NoError(t, err)
	assert.Equal(t, "time (µs)", f.XLabel)
	assert.Equal(t, "max_bytes (KB)", f.YLabel)
	assert.Equal(t, []chart.Line{
		{Name: "class 0", Style: 0, Dots: true, Loose: true, Points: []chart.Point{{X: 1, Y: 0.007}}},
		{Name: "class 1", Style: 1, Dots: true, Loose: true, Points: []chart.Point{{X: 3, Y: 5}, {X: 1, Y: 0}, {X: 3, Y: 6}}},
	}, f.Panels[0][0].Lines)
}

// Rows of several queues at the same times are in the order of time, and a line
// through all of them goes up and down between the queues.
func TestQueuesAtTheSameTimes(t *testing.T) {
	columns := []sheet.Column{{Name: "time_ps", Kind: sheet.Number}, {Name: "link", Kind: sheet.OptionalText}, {Name: "state", Kind: sheet.OptionalText}, {Name: "bytes", Kind: sheet.Number}}
	s := &sheet.Sheet{Columns: columns, Rows: [][]any{{1.0, "a->b", "on", 10.0}, {1.0, "b->c", "on", 1000.0}, {2.0, "a->b", "on", 11.0}, {2.0, "b->c", "on", 1001.0}}}
	_, _, err := plot.Draw(s, plot.Options{X: "time_ps", Y: "bytes"})
	require.ErrorContains(t, err, "its rows differ in link (a->b, b->c); choose with --where")
	_, _, err = plot.Draw(s, plot.Options{X: "time_ps", Y: "bytes", Colour: "link"})
	require.NoError(t, err)

	for i := range s.Rows { // at other times each
		s.Rows[i][0] = float64(i)
	}
	_, _, err = plot.Draw(s, plot.Options{X: "time_ps", Y: "bytes"})
	require.ErrorContains(t, err, "its rows differ in link (a->b, b->c)")

	for i, row := range s.Rows { // one queue, whose state changes
		row[1], row[2] = "a->b", []string{"on", "off"}[i%2]
	}
	_, _, err = plot.Draw(s, plot.Options{X: "time_ps", Y: "bytes"})
	require.NoError(t, err)
}
