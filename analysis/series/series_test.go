package series_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/analysis/series"
)

func TestIn(t *testing.T) {
	s := series.Series{{1, 10}, {2, 20}, {3, 30}, {4, 40}}
	assert.Equal(t, series.Series{{2, 20}, {3, 30}}, s.In(series.Window{1, 3}), "(from, to]")
	assert.Empty(t, s.In(series.Window{4, 9}))
	assert.Empty(t, s.In(series.Window{3, 2}))
	assert.Equal(t, 25.0, s.Mean())
	assert.True(t, math.IsNaN(series.Series(nil).Mean()))
}

func TestCounters(t *testing.T) {
	// 10 bytes per microsecond from 1 us on.
	s := series.Series{{1e6, 10}, {2e6, 20}, {3e6, 30}, {4e6, 50}}
	assert.Equal(t, series.Series{{3e6, 10e6}, {4e6, 20e6}}, s.PerSecond(series.Window{2e6, 9e6}, 0))
	assert.Equal(t, series.Series{{4e6, 15e6}}, s.PerSecond(series.Window{2e6, 9e6}, 2e6), "20 to 50 in 2 us")
	assert.Equal(t, 10e6, s.PerSecond(series.Window{0, 1e6}, 0)[0].Value, "from the counter's start")
	assert.Equal(t, 20.0, s.Growth(series.Window{1e6, 3e6}))
	assert.Equal(t, 50.0, s.Growth(series.Window{0, 9e6}))
	// A flow that starts later: its counter starts at the window's start.
	late := series.Series{{11e6, 10}}
	assert.Equal(t, series.Series{{11e6, 10e6}}, late.PerSecond(series.Window{10e6, 20e6}, 0))
}

func TestGrid(t *testing.T) {
	times, values := series.Grid([]series.Series{{{1, 5}, {2, 6}}, {{2, 7}, {3, 8}}})
	assert.Equal(t, []int64{1, 2, 3}, times)
	assert.Equal(t, []float64{5, 6}, values[0][:2])
	assert.True(t, math.IsNaN(values[0][2]) && math.IsNaN(values[1][0]))
	assert.Equal(t, []float64{7, 8}, values[1][1:])
}

func TestWindowString(t *testing.T) {
	assert.Equal(t, "300us to 700us", series.Window{300e6, 700e6}.String())
}

// A sampled table needs the samples of a time and the last one before, others its rows.
func TestRecordedLacks(t *testing.T) {
	w := series.Window{From: 25, To: 47}
	for _, c := range []struct {
		recorded series.Recorded
		want     string
	}{
		{series.Recorded{}, ""},
		{series.Recorded{IntervalPs: 10, FromPs: 20, ToPs: 40}, ""},
		{series.Recorded{IntervalPs: 10, FromPs: 21}, "the table links is needed from 25ps to 47ps, and begins at 21ps; write trace.links.from: 20ps or earlier"},
		{series.Recorded{IntervalPs: 10, ToPs: 39}, "the table links is needed from 25ps to 47ps, and ends at 39ps; write trace.links.to: 40ps or later"},
		{series.Recorded{FromPs: 25, ToPs: 47}, ""},
		{series.Recorded{FromPs: 26}, "begins at 26ps; write trace.links.from: 25ps or earlier"},
		{series.Recorded{ToPs: 46}, "ends at 46ps; write trace.links.to: 47ps or later"},
	} {
		if err := c.recorded.Lacks("links", w); c.want == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, c.want)
		}
	}
	require.NoError(t, series.Recorded{IntervalPs: 10}.Lacks("links", series.Window{From: -50, To: 7}))
}
