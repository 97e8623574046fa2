package stats_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/analysis/stats"
)

func TestOf(t *testing.T) {
	values := func() []float64 { return []float64{4, 1, 3, 2} }
	for name, want := range map[string]float64{"mean": 2.5, "median": 2.5, "p90": 3.7, "p95": 3.85, "p99": 3.97, "p99.9": 3.997, "min": 1, "max": 4} {
		got, err := stats.Of(values(), name)
		require.NoError(t, err)
		assert.InDelta(t, want, got, 1e-14, name)
		got, err = stats.Of(nil, name)
		require.NoError(t, err)
		assert.True(t, math.IsNaN(got), name)
	}
	many := make([]float64, 1000)
	for i := range many {
		many[i] = float64(1000 - i)
	}
	for name, want := range map[string]float64{"median": 500.5, "p90": 900.1, "p95": 950.05, "p99": 990.01, "p99.9": 999.001} {
		got, err := stats.Of(many, name)
		require.NoError(t, err)
		assert.InDelta(t, want, got, 1e-12, name)
	}
	_, err := stats.Of(values(), "p50")
	assert.ErrorContains(t, err, `"p50" is not a statistic`)
}

// Sums are made in the order of the values, whatever the machine adds at once.
func TestMeanIsInOrder(t *testing.T) {
	values := []float64{1e16, 1, 1, 1, 1, 1, 1, -1e16}
	assert.Equal(t, 0.0, stats.Sum(values), "each 1 is lost beside 1e16")
	assert.Equal(t, 0.0, stats.Mean(values))
}

func TestGeometricMean(t *testing.T) {
	assert.InDelta(t, 4, stats.GeometricMean([]float64{2, 8}), 1e-14)
	assert.InEpsilon(t, 1e200, stats.GeometricMean([]float64{1e100, 1e300, 1e200}), 1e-12, "the product would overflow")
	assert.Equal(t, 0.0, stats.GeometricMean([]float64{2, 0, 8}))
	assert.Equal(t, math.Inf(1), stats.GeometricMean([]float64{2, math.Inf(1)}))
	assert.True(t, math.IsNaN(stats.GeometricMean([]float64{0, math.Inf(1)})))
}

// TestQuantiles has numpy.quantile's numbers, to the last digit.
func TestQuantiles(t *testing.T) {
	assert.Equal(t, []float64{1, 1.75, 1.78, 2.5, 4}, stats.Quantiles([]float64{4, 1, 3, 2}, []float64{0, 0.25, 0.26, 0.5, 1}))
	assert.Equal(t, []float64{7, 7, 7}, stats.Quantiles([]float64{7}, []float64{0, 0.5, 1}))
	inf := math.Inf(1)
	assert.Equal(t, []float64{20, 30, inf, inf}, stats.Quantiles([]float64{inf, 20, 30, inf, 10}, []float64{0.25, 0.5, 0.51, 1}), "infinity is where numpy has it, and no NaN between two")
	assert.Equal(t, []float64{-inf, -inf, 20}, stats.Quantiles([]float64{20, -inf, 30}, []float64{0, 0.49, 0.5}))
}

func TestMean95(t *testing.T) {
	mean, half := stats.Mean95([]float64{1, 2, 3, 4, 5})
	assert.InDelta(t, 3, mean, 0)
	assert.InDelta(t, 2.776445*math.Sqrt(2.5)/math.Sqrt(5), half, 1e-5, "t(4) is 2.776")
	mean, half = stats.Mean95([]float64{7})
	assert.InDelta(t, 7, mean, 0)
	assert.True(t, math.IsNaN(half))
}
