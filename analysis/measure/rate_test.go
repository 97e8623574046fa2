package measure_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/analysis/measure"
	"fabriclab/analysis/series"
	"fabriclab/analysis/table/tabletest"
)

// TestImbalance: three intervals of 10 us, by hand; the one in which nothing
// is sent has no value.
func TestImbalance(t *testing.T) {
	dir := t.TempDir()
	var rows []tabletest.Link
	sent := map[string][]uint64{"a->s0": {30, 60, 60, 70}, "a->s1": {10, 80, 80, 80}, "a->s2": {20, 70, 70, 70}, "a->s3": {20, 70, 70, 70}}
	for i := range 4 {
		for _, port := range []string{"a->s0", "a->s1", "a->s2", "a->s3"} {
			rows = append(rows, tabletest.Link{TimePs: int64(i+1) * 10e6, Link: port, SentBytes: sent[port][i]})
		}
	}
	tabletest.Write(t, dir, "links", rows)
	ports := []string{"a->s0", "a->s1", "a->s2", "a->s3"}
	got, err := measure.Imbalance(dir, ports, measure.Wire, series.Window{From: 0, To: 45e6}, 10e6)
	require.NoError(t, err)
	// 30, 10, 20, 20; then 30, 70, 50, 50; nothing; then 10, 0, 0, 0.
	assert.Equal(t, []float64{1, 0.8, 4}, got)
	got, err = measure.Imbalance(dir, ports[:2], measure.Wire, series.Window{From: 0, To: 40e6}, 20e6)
	require.NoError(t, err)
	assert.Equal(t, []float64{20. / 70, 2}, got, "60 and 80 in the first 20 us")
	got, err = measure.Imbalance(dir, []string{"a->s[01]", "*->s0"}, measure.Wire, series.Window{From: 0, To: 40e6}, 20e6)
	require.NoError(t, err)
	assert.Equal(t, []float64{20. / 70, 2}, got)
	_, err = measure.Imbalance(dir, []string{"a->s0*"}, measure.Wire, series.Window{From: 0, To: 40e6}, 20e6)
	require.ErrorContains(t, err, "only a->s0 matches a->s0*")
	_, err = measure.Imbalance(dir, ports, measure.Wire, series.Window{From: 0, To: 40e6}, 15e6)
	require.ErrorContains(t, err, "no sample of a->s0 at 15us")
	_, err = measure.Imbalance(dir, ports, measure.Wire, series.Window{From: 20e6, To: 30e6}, 10e6)
	require.ErrorContains(t, err, "in which one of the ports sent anything")
	_, err = measure.Imbalance(dir, []string{"a->s0", "a->s9"}, measure.Wire, series.Window{From: 0, To: 40e6}, 10e6)
	assert.ErrorContains(t, err, "no sample of a->s9")
}

func TestFlows(t *testing.T) {
	dir := t.TempDir()
	tabletest.Write(t, dir, "rates", []tabletest.Rate{
		{TimePs: 1e6, Flow: 0, RateBps: 100e9, AckedBytes: 0},
		{TimePs: 2e6, Flow: 0, RateBps: 50e9, AckedBytes: 1000},
		{TimePs: 2e6, Flow: 7, RateBps: 40e9, AckedBytes: 0},
		{TimePs: 3e6, Flow: 0, RateBps: 50e9, AckedBytes: 3000},
	})
	s, err := measure.FlowRates(dir, measure.Pacing, []int64{7, 0})
	require.NoError(t, err)
	assert.Equal(t, series.Series{{Time: 2e6, Value: 40e9}}, s[0])
	assert.Len(t, s[1], 3)

	g, err := measure.Goodput(dir, []int64{0}, series.Window{From: 1e6, To: 3e6}, 0)
	require.NoError(t, err)
	assert.Equal(t, series.Series{{Time: 2e6, Value: 8e9}, {Time: 3e6, Value: 16e9}}, g[0], "1000 B in 1 us are 8 Gb/s")

	_, err = measure.FlowRates(dir, measure.Pacing, []int64{0, 3})
	assert.ErrorContains(t, err, "no sample of flow 3")
}

func TestUtilisation(t *testing.T) {
	dir := t.TempDir()
	tabletest.Write(t, dir, "links", []tabletest.Link{
		{TimePs: 1e6, Link: "s1->s2", SentBytes: 12500, DataBytes: 10000},
		{TimePs: 2e6, Link: "s1->s2", SentBytes: 25000, DataBytes: 20000},
		{TimePs: 2e6, Link: "s2->s1", SentBytes: 9, DataBytes: 9},
		{TimePs: 3e6, Link: "s1->s2", SentBytes: 31250, DataBytes: 25000, PausedPs: 5e5},
	})
	wire, err := measure.LinkBytes(dir, "s1->s2", measure.Wire, 0)
	require.NoError(t, err)
	payload, err := measure.LinkBytes(dir, "s1->s2", measure.Payload, 0)
	require.NoError(t, err)
	paused, err := measure.PausedTime(dir, "s1->s2", 0)
	require.NoError(t, err)

	steady := func(int64, int64) float64 { return 100e9 }
	for _, c := range []struct {
		name    string
		counter series.Series
		w       series.Window
		want    float64
	}{
		{"full", wire, series.Window{From: 1e6, To: 2e6}, 1}, // 12500 B in 1 us at 100 Gb/s
		{"half", wire, series.Window{From: 2e6, To: 3e6}, 0.5},
		{"from the start", wire, series.Window{From: 0, To: 2e6}, 1},
		{"payload", payload, series.Window{From: 1e6, To: 2e6}, 0.8},
		{"window beyond the last sample counts to the last sample", wire, series.Window{From: 2e6, To: 9e6}, 0.5},
	} {
		got, err := measure.Utilisation(c.counter, steady, c.w)
		require.NoError(t, err, c.name)
		assert.InDelta(t, c.want, got, 1e-12, c.name)
	}
	_, err = measure.Utilisation(wire, steady, series.Window{From: 5e6, To: 9e6})
	require.ErrorContains(t, err, "no sample from 5us to 9us")
	assert.Equal(t, series.Series{{Time: 2e6, Value: 1}, {Time: 3e6, Value: 0.5}}, measure.UtilisationSeries(wire, steady, series.Window{From: 1e6, To: 3e6}, 1e6))
	assert.Equal(t, 5e5, paused.Growth(series.Window{From: 0, To: 3e6}))

	_, err = measure.LinkBytes(dir, "s9->s1", measure.Wire, 0)
	require.ErrorContains(t, err, "no sample of s9->s1")
	_, err = measure.LinkBytes(dir, "s1->s2", measure.Wire, 5e5)
	assert.ErrorContains(t, err, "no sample of s1->s2 before 1us, so what it had sent at 500ns is not known")
}
