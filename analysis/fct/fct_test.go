package fct_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/analysis/fct"
	"fabriclab/analysis/table/tabletest"
)

func flow(size uint64, slowdown float64, measured bool) tabletest.Flow {
	ideal := int64(1e6)
	f := tabletest.Flow{SizeBytes: size, Measured: measured, StartPs: 1e6, IdealFctPs: &ideal}
	if slowdown > 0 {
		took := int64(slowdown * 1e6)
		f.Finished, f.FctPs, f.Slowdown = true, &took, &slowdown
	}
	return f
}

func TestReadAndBins(t *testing.T) {
	dir := t.TempDir()
	rows := []tabletest.Flow{
		flow(0, 0, true),       // unlimited
		flow(500, 99, false),   // outside the measuring window
		flow(100000, 0, true),  // unfinished
		flow(99999, 50, true),  // the last size of its bin
		flow(2000000, 3, true), // above all bins
	}
	for i := 1; i <= 99; i++ {
		rows = append(rows, flow(1000, float64(i), true))
	}
	tabletest.Write(t, dir, "flows", rows)
	tabletest.Ended(t, dir, 8e6)
	flows, err := fct.Read(dir, false)
	require.NoError(t, err)
	require.Equal(t, 102, flows.Len())
	all, err := fct.Read(dir, true)
	require.NoError(t, err)
	assert.Equal(t, 103, all.Len())

	bins := flows.Bins([]int64{0, 100000, 1000000})
	small := bins[0]
	assert.Equal(t, 100, small.Flows) // 1..99 and 50: sum 5000
	for i, want := range []float64{50, 50, 94.05, 98.01, 98.901} {
		got, err := small.Get(fct.Names[i])
		require.NoError(t, err)
		assert.InDelta(t, want, got, 1e-12, fct.Names[i])
	}
	_, err = small.Get("p50")
	require.ErrorContains(t, err, `"p50" is not a statistic`)
	assert.Equal(t, 1, bins[1].Unfinished)
	bound, err := bins[1].Get("mean")
	require.ErrorAs(t, err, new(*fct.Bound))
	require.ErrorContains(t, err, "the mean is a lower bound: 1 of 1 flows of 100KB to 1MB did not finish")
	assert.InDelta(t, 7, bound, 1e-12, "7 us since its start, 1 us ideal")
	_, err = bins[1].Get("median")
	require.ErrorContains(t, err, "the median falls on a flow that did not finish: 1 of 1")
	_, err = (&fct.Flows{}).Bins([]int64{1000, math.MaxInt64})[0].Get("mean")
	assert.ErrorContains(t, err, "no measured flows of 1KB and more")
}

// TestUnfinishedFlowsAreLast: one flow of a hundred that does not finish leaves
// all percentiles below the 99th as they are, and only a bound of the mean.
func TestUnfinishedFlowsAreLast(t *testing.T) {
	dir := t.TempDir()
	rows := []tabletest.Flow{flow(1000, 0, true)}
	for i := 1; i <= 99; i++ {
		rows = append(rows, flow(1000, float64(i), true))
	}
	tabletest.Write(t, dir, "flows", rows)
	tabletest.Ended(t, dir, 301e6)
	flows, err := fct.Read(dir, false)
	require.NoError(t, err)
	s := flows.Slowdowns(0, math.MaxInt64)
	for stat, want := range map[string]float64{"min": 1, "median": 50.5, "p95": 95.05} {
		got, err := s.Of(stat)
		require.NoError(t, err, stat)
		assert.InDelta(t, want, got, 1e-12, stat)
	}
	for _, stat := range []string{"p99", "p99.9", "max"} {
		_, err := s.Of(stat)
		require.ErrorContains(t, err, "the "+stat+" falls on a flow that did not finish: 1 of 100 flows of any size", stat)
	}
	mean, err := s.Of("mean")
	require.ErrorAs(t, err, new(*fct.Bound))
	assert.InDelta(t, (99*100/2+300)/100., mean, 1e-12, "it had taken 300 us, 300 times its ideal time, when the run ended")

	// Rates fall with time: the flow is below all others.
	rates := flows.LogRates(0, math.MaxInt64)
	all, err := rates.All()
	require.NoError(t, err)
	assert.True(t, math.IsInf(slices.Min(all), -1))
	_, err = rates.Of("min")
	require.ErrorContains(t, err, "the min falls on")
	highest, err := rates.Of("max")
	require.NoError(t, err)
	assert.InDelta(t, math.Log2(8000/1e-6), highest, 1e-9)
	_, err = rates.Of("mean")
	require.ErrorContains(t, err, "the mean is an upper bound")

	// A run that ended before its ideal time was over: a flow takes that at least.
	tabletest.Ended(t, dir, 1e6)
	flows, err = fct.Read(dir, false)
	require.NoError(t, err)
	mean, err = flows.Slowdowns(0, math.MaxInt64).Of("mean")
	require.Error(t, err)
	assert.InDelta(t, (99*100/2+1)/100., mean, 1e-12)

	// So does one that waits for others, and has not started.
	rows[0].StartPs = -1
	tabletest.Write(t, dir, "flows", rows)
	tabletest.Ended(t, dir, 301e6)
	flows, err = fct.Read(dir, false)
	require.NoError(t, err)
	mean, err = flows.Slowdowns(0, math.MaxInt64).Of("mean")
	require.Error(t, err)
	assert.InDelta(t, (99*100/2+1)/100., mean, 1e-12)
}

func TestSlowdowns(t *testing.T) {
	flows := &fct.Flows{Size: []int64{1, 5, 5, 5, 5, 9}, Slowdown: []float64{100, 4, 1, 3, 2, 8}, FCT: make([]int64, 6), Ideal: make([]int64, 6)}
	slowdowns, err := flows.Slowdowns(5, 9).All()
	require.NoError(t, err)
	assert.ElementsMatch(t, []float64{4, 1, 3, 2}, slowdowns)
	_, err = flows.Slowdowns(2, 5).All()
	assert.ErrorContains(t, err, "no measured flows")
}

func TestEqualCounts(t *testing.T) {
	var sizes []int64
	for i := range int64(100) {
		sizes = append(sizes, 100-i)
	}
	assert.Equal(t, []int64{1, 26, 51, 76, 101}, fct.EqualCounts(sizes, 4))
	assert.Equal(t, []int64{7, 8}, fct.EqualCounts([]int64{7, 7, 7, 7}, 4))
	assert.Nil(t, fct.EqualCounts(nil, 4))
}

// TestManyFlows: the statistics of a long run.
func TestManyFlows(t *testing.T) {
	const n = many
	flows := &fct.Flows{Size: make([]int64, n), Slowdown: make([]float64, n)}
	for i := range n {
		flows.Size[i] = int64(i % 1000)
		flows.Slowdown[i] = float64(i*7919%n) + 1
	}
	bins := flows.Bins([]int64{0, 100, 500, 1000})
	assert.Equal(t, []int{n / 10, 4 * n / 10, 5 * n / 10}, []int{bins[0].Flows, bins[1].Flows, bins[2].Flows})
	for stat, want := range map[string]float64{"median": n / 2, "p99": 0.99 * n} {
		got, err := bins[2].Get(stat)
		require.NoError(t, err)
		assert.InEpsilon(t, want, got, 0.001)
	}
}
