package fct_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/analysis/fct"
	"fabriclab/analysis/stats"
	"fabriclab/analysis/table/tabletest"
)

func flow(size uint64, slowdown float64, measured bool) tabletest.Flow {
	f := tabletest.Flow{SizeBytes: size, Measured: measured}
	if slowdown > 0 {
		ideal, took := int64(1e6), int64(slowdown*1e6)
		f.Finished, f.IdealFctPs, f.FctPs, f.Slowdown = true, &ideal, &took, &slowdown
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
	flows, err := fct.Read(dir, false)
	require.NoError(t, err)
	require.Equal(t, 102, flows.Len())
	all, err := fct.Read(dir, true)
	require.NoError(t, err)
	assert.Equal(t, 103, all.Len())

	bins := flows.Bins([]int64{0, 100000, 1000000})
	small := bins[0]
	assert.Equal(t, 100, small.Flows) // 1..99 and 50: sum 5000
	assert.InDelta(t, 50, small.Mean, 1e-12)
	assert.Equal(t, []float64{50, 94, 98, 99}, []float64{small.Median, small.P95, small.P99, small.P999})
	for _, name := range fct.Names {
		_, err := small.Get(name)
		require.NoError(t, err)
	}
	_, err = small.Get("p50")
	require.ErrorContains(t, err, `"p50" is not a statistic`)
	assert.Equal(t, 1, bins[1].Unfinished)
	_, err = bins[1].Get("mean")
	require.ErrorContains(t, err, "1 of 1 flows of 100KB to 1MB did not finish")
	_, err = (&fct.Flows{}).Bins([]int64{1000, math.MaxInt64})[0].Get("mean")
	assert.ErrorContains(t, err, "no measured flows of 1KB and more")
}

func TestSlowdowns(t *testing.T) {
	flows := &fct.Flows{Size: []int64{1, 5, 5, 5, 5, 9}, Slowdown: []float64{100, 4, 1, 3, 2, math.NaN()}}
	slowdowns, err := flows.Slowdowns(5, 9)
	require.NoError(t, err)
	assert.Equal(t, []float64{1, 1, 2, 2, 4}, stats.Quantiles(slowdowns, []float64{0, 0.25, 0.26, 0.5, 1}))
	_, err = flows.Slowdowns(5, 10)
	require.ErrorContains(t, err, "1 of 5 flows of 5B to 10B did not finish")
	_, err = flows.Slowdowns(2, 5)
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

// TestManyFlows: the statistics of a long run take seconds.
func TestManyFlows(t *testing.T) {
	const n = many
	flows := &fct.Flows{Size: make([]int64, n), Slowdown: make([]float64, n)}
	for i := range n {
		flows.Size[i] = int64(i % 1000)
		flows.Slowdown[i] = float64(i*7919%n) + 1
	}
	begin := time.Now()
	bins := flows.Bins([]int64{0, 100, 500, 1000})
	assert.Less(t, time.Since(begin), 5*time.Minute, "generous: it takes about two seconds")
	assert.Equal(t, []int{n / 10, 4 * n / 10, 5 * n / 10}, []int{bins[0].Flows, bins[1].Flows, bins[2].Flows})
	assert.InEpsilon(t, n/2, bins[2].Median, 0.001)
	assert.InEpsilon(t, 0.99*n, bins[2].P99, 0.001)
}
