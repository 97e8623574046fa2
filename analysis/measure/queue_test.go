package measure_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/analysis/measure"
	"fabriclab/analysis/series"
	"fabriclab/analysis/table/tabletest"
)

func TestQueue(t *testing.T) {
	dir := t.TempDir()
	var rows []tabletest.Queue
	for i := int64(1); i <= 10; i++ { // 1..10 us: 100, 200, … 1000 B
		rows = append(rows,
			tabletest.Queue{TimePs: i * 1e6, Link: "s1->s2", Class: 1, Bytes: uint64(100 * i), MaxBytes: uint64(100*i + 7)},
			tabletest.Queue{TimePs: i * 1e6, Link: "s1->s2", Class: 0, Bytes: 9e6, MaxBytes: 9e6},
			tabletest.Queue{TimePs: i * 1e6, Link: "s2->s3", Class: 1, Bytes: 9e6, MaxBytes: 9e6})
	}
	tabletest.Write(t, dir, "queues", rows)
	s, err := measure.Queue(dir, "s1->s2", 1, series.Window{From: 2e6, To: 6e6}) // 300, 400, 500, 600
	require.NoError(t, err)
	assert.Len(t, s.Bytes, 4)
	assert.Equal(t, 607.0, s.Peak(), "the highest between samples")
	assert.Equal(t, 450.0, s.Mean())
	assert.Equal(t, 375.0, s.Percentile(25))
	assert.Equal(t, 450.0, s.Percentile(50))
	assert.Equal(t, 597.0, s.Percentile(99))

	means, err := measure.QueueMeans(dir, []string{"s*->s3", "s1->*"}, 1, series.Window{From: 2e6, To: 6e6})
	require.NoError(t, err)
	assert.Equal(t, []float64{450, 9e6}, means)
	_, err = measure.QueueMeans(dir, []string{"s1->*", "s*->leaf*"}, 1, series.Window{From: 0, To: 6e6})
	require.ErrorContains(t, err, "at a port that matches s*->leaf*; name the ports")

	_, err = measure.Queue(dir, "s3->s4", 1, series.Window{From: 0, To: 6e6})
	require.ErrorContains(t, err, "no sample of s3->s4 class 1 from 0ps to 6us; name the port")
	_, err = measure.Queue(dir, "s1->s2", 2, series.Window{From: 0, To: 6e6})
	assert.ErrorContains(t, err, "no sample of s1->s2 class 2 from 0ps to 6us; the port has samples of class 1 0; class: data is that of the data packets")
}
