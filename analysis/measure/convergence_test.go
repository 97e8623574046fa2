package measure_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/analysis/measure"
	"fabriclab/analysis/series"
)

const us = 1_000_000

// steps is a series sampled every microsecond from 1 us to the last step's
// end; each step is {until (us), value}.
func steps(list ...[2]float64) series.Series {
	var s series.Series
	t := int64(1)
	for _, step := range list {
		for ; float64(t) <= step[0]; t++ {
			s = append(s, series.Point{Time: t * us, Value: step[1]})
		}
	}
	return s
}

func from(t int64, s series.Series) series.Series {
	return s.In(series.Window{From: t - 1, To: 1 << 62})
}

func TestSlowdownTime(t *testing.T) {
	for _, c := range []struct {
		name string
		rate series.Series
		want float64
	}{
		{"at once", steps([2]float64{300, 100}, [2]float64{400, 50}), 301 * us},
		{"90 % is not below 90 %", steps([2]float64{300, 100}, [2]float64{310, 90}, [2]float64{400, 89.9}), 311 * us},
		{"never", steps([2]float64{400, 100}), measure.Never},
		// 49 samples of 100 and one of 50 before: mean 99, limit 89.1.
		{"mean before", steps([2]float64{299, 100}, [2]float64{300, 50}, [2]float64{310, 89.5}, [2]float64{400, 89}), 311 * us},
	} {
		got, err := measure.SlowdownTime(c.rate, 300*us, measure.Slow)
		require.NoError(t, err, c.name)
		assert.Equal(t, c.want, got, c.name)
	}
	halved, err := measure.SlowdownTime(steps([2]float64{300, 100}, [2]float64{310, 60}, [2]float64{400, 50}), 300*us, 0.55)
	require.NoError(t, err)
	assert.InDelta(t, 311*us, halved, 0, "below 55 % of the rate before")
	_, err = measure.SlowdownTime(steps([2]float64{100, 1}), 300*us, measure.Slow)
	require.ErrorContains(t, err, "no rate sample in the 50us before 300us")
}

func TestFairTime(t *testing.T) {
	second := from(301*us, steps([2]float64{310, 100}, [2]float64{500, 52}))
	for _, c := range []struct {
		name   string
		first  series.Series
		second series.Series
		want   float64
	}{
		{"when the later one has arrived", steps([2]float64{305, 100}, [2]float64{500, 48}), second, 311 * us},
		{"on the edge counts", steps([2]float64{320, 100}, [2]float64{500, 45}), second, 321 * us},
		{"an excursion starts it again", steps([2]float64{340, 48}, [2]float64{341, 60}, [2]float64{500, 48}), second, 342 * us},
		{"one does not arrive", steps([2]float64{500, 44}), second, measure.Never},
		{"less than 50 us recorded", steps([2]float64{455, 90}, [2]float64{500, 50}), second, measure.Never},
		{"exactly 50 us recorded", steps([2]float64{449, 90}, [2]float64{500, 50}), second, 450 * us},
		{"a flow that ends is not fair", steps([2]float64{330, 50}), second, measure.Never},
	} {
		assert.Equal(t, c.want, measure.FairTime([]series.Series{c.first, c.second}, 50, 300*us), c.name)
	}
}

func TestRecoveryTime(t *testing.T) {
	a := steps([2]float64{310, 100}, [2]float64{350, 20}, [2]float64{500, 45})
	b := from(301*us, steps([2]float64{310, 100}, [2]float64{360, 20}, [2]float64{500, 45}))
	assert.Equal(t, 361.0*us, measure.RecoveryTime([]series.Series{a, b}, 100, 300*us))
	assert.Equal(t, measure.Never, measure.RecoveryTime([]series.Series{a, b}, 101, 300*us))
	assert.Equal(t, 300.0*us, measure.RecoveryTime([]series.Series{steps([2]float64{500, 95})}, 100, 300*us), "never fell")
}

func TestJitter(t *testing.T) {
	s := series.Series{{Time: 1, Value: 40}, {Time: 2, Value: 60}, {Time: 3, Value: 40}, {Time: 4, Value: 60}}
	v, err := measure.Variation(s)
	require.NoError(t, err)
	assert.InDelta(t, 0.2, v, 1e-12, "deviation 10 over mean 50")
	r, err := measure.Range(s)
	require.NoError(t, err)
	assert.InDelta(t, 0.4, r, 1e-12)
	_, err = measure.Variation(nil)
	require.ErrorContains(t, err, "no rate sample")
	_, err = measure.Range(series.Series{{Time: 1}})
	require.ErrorContains(t, err, "rate is 0")
}
