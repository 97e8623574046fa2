package fct_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/analysis/fct"
	"fabriclab/analysis/table/tabletest"
)

// TestNormalised: two short flows that take twice their ideal and a long one
// that takes 1.25 times it; by hand.
func TestNormalised(t *testing.T) {
	dir := t.TempDir()
	row := func(size uint64, ideal, took int64) tabletest.Flow {
		slowdown := float64(took) / float64(ideal)
		return tabletest.Flow{SizeBytes: size, Measured: true, Finished: true, IdealFctPs: &ideal, FctPs: &took, Slowdown: &slowdown}
	}
	tabletest.Write(t, dir, "flows", []tabletest.Flow{row(1000, 10e6, 20e6), row(99_999, 30e6, 60e6), row(10_000_001, 8000e6, 10_000e6), flow(200_000, 0, true)})
	tabletest.Ended(t, dir, 3001e6)
	flows, err := fct.Read(dir, false)
	require.NoError(t, err)

	all, err := flows.Normalised(0, 100_000)
	require.NoError(t, err)
	assert.InDelta(t, 2, all, 1e-12)
	large, err := flows.Normalised(10_000_000, math.MaxInt64)
	require.NoError(t, err)
	assert.InDelta(t, 1.25, large, 1e-12)
	bound, err := flows.Normalised(0, math.MaxInt64)
	require.ErrorContains(t, err, "a lower bound: 1 of 4 flows of any size did not finish")
	assert.InDelta(t, 13_080./8041, bound, 1e-12, "the unfinished flow had taken 3 ms")

	flows.Size[3] = 50 // out of the way
	both, err := flows.Normalised(100, math.MaxInt64)
	require.NoError(t, err)
	assert.InDelta(t, 10_080./8040, both, 1e-12, "the ratio of the means, not the mean of the ratios, which is 1.75")
}
