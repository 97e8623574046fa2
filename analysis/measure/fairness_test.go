package measure_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/analysis/measure"
	"fabriclab/analysis/series"
	"fabriclab/analysis/table/tabletest"
)

func TestJain(t *testing.T) {
	for _, c := range []struct {
		shares []float64
		want   float64
	}{
		{[]float64{5, 5, 5}, 1},
		{[]float64{1, 0, 0, 0}, 0.25},
		{[]float64{1, 2, 3}, 36.0 / 42},
	} {
		got, err := measure.Jain(c.shares)
		require.NoError(t, err)
		assert.InDelta(t, c.want, got, 1e-12)
	}
	_, err := measure.Jain([]float64{0, 0})
	require.ErrorContains(t, err, "all shares are 0")
	_, err = measure.Jain(nil)
	require.Error(t, err)
	_, err = measure.Jain([]float64{-1, 2})
	require.ErrorContains(t, err, "negative")
}

func TestAcked(t *testing.T) {
	dir := t.TempDir()
	tabletest.Write(t, dir, "rates", []tabletest.Rate{
		{TimePs: 1e6, Flow: 0, AckedBytes: 1000},
		{TimePs: 2e6, Flow: 0, AckedBytes: 2000}, {TimePs: 2e6, Flow: 1, AckedBytes: 3000},
		{TimePs: 3e6, Flow: 0, AckedBytes: 2000}, {TimePs: 3e6, Flow: 1, AckedBytes: 4000},
	})
	got, err := measure.JainOfAcked(dir, []int64{0, 1}, series.Window{From: 1e6, To: 2e6})
	require.NoError(t, err)
	assert.InDelta(t, 16.0/20, got, 1e-12, "1000 and 3000: the second's counter starts inside")
	_, err = measure.JainOfAcked(dir, []int64{0, 1}, series.Window{From: 0, To: 1e6})
	require.ErrorContains(t, err, "flow 1 has no rate sample from 0ps to 1us")
}

func TestShareDeviation(t *testing.T) {
	dir := t.TempDir()
	tabletest.Write(t, dir, "rates", []tabletest.Rate{
		{TimePs: 1e6, Flow: 0, AckedBytes: 1000}, {TimePs: 1e6, Flow: 1, AckedBytes: 1000},
		{TimePs: 2e6, Flow: 0, AckedBytes: 2000}, {TimePs: 2e6, Flow: 1, AckedBytes: 4000},
		{TimePs: 3e6, Flow: 0, AckedBytes: 3000}, {TimePs: 3e6, Flow: 1, AckedBytes: 5000},
		{TimePs: 4e6, Flow: 0, AckedBytes: 4000}, {TimePs: 4e6, Flow: 1, AckedBytes: 5000}, {TimePs: 5e6, Flow: 0, AckedBytes: 4000},
	})
	got, err := measure.ShareDeviation(dir, []int64{0, 1}, series.Window{From: 1e6, To: 5e6}, 1e6)
	require.NoError(t, err)
	assert.Equal(t, []float64{0.5, 0, 1}, got, "up to the second flow's last sample")
	_, err = measure.ShareDeviation(dir, []int64{0, 1}, series.Window{From: 15e5, To: 4e6}, 1e6)
	require.ErrorContains(t, err, "no sample of flow 0 at 2.5us")
	_, err = measure.ShareDeviation(dir, []int64{0, 1}, series.Window{From: 4e6, To: 5e6}, 1e6)
	require.ErrorContains(t, err, "no interval of 1us")
	tabletest.Write(t, dir, "rates", []tabletest.Rate{{TimePs: 1e6, Flow: 0}, {TimePs: 1e6, Flow: 1}})
	_, err = measure.ShareDeviation(dir, []int64{0, 1}, series.Window{From: 0, To: 1e6}, 1e6)
	require.ErrorContains(t, err, "no flow had anything acknowledged")
}
