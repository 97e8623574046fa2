package measure_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/analysis/measure"
	"fabriclab/analysis/table/tabletest"
)

type packet struct {
	TimePs int64  `parquet:"time_ps"`
	Flow   uint32 `parquet:"flow"`
	Bytes  uint32 `parquet:"bytes"`
	Link   string `parquet:"link,dict"`
	Event  string `parquet:"event,dict"`
	Kind   string `parquet:"kind,dict"`
}

// TestSizes: flow 1 sends 100 B at 0, 10, 30 and 100, flow 2 sends 500 B at 5;
// what other ports do with them, and ACKs, do not count.
func TestSizes(t *testing.T) {
	dir := t.TempDir()
	var rows []packet
	for _, at := range []int64{0, 10, 30, 100} {
		rows = append(rows, packet{at, 1, 100, "h1->s", "dequeue", "data"}, packet{at + 1, 1, 100, "s->h2", "enqueue", "data"}, packet{at + 2, 1, 100, "s->h2", "dequeue", "data"})
		if at == 0 {
			rows = append(rows, packet{5, 2, 500, "h3->s", "dequeue", "data"}, packet{6, 2, 64, "h3->s", "dequeue", "ack"})
		}
	}
	tabletest.Write(t, dir, "packets", rows)
	for gap, want := range map[int64][]int64{9: {100, 100, 100, 100, 500}, 10: {100, 100, 200, 500}, 20: {100, 300, 500}, 70: {400, 500}} {
		sizes, err := measure.FlowletSizes(dir, gap)
		require.NoError(t, err)
		assert.ElementsMatch(t, want, sizes, "gap %d", gap)
	}
	sizes, err := measure.FlowletSizes(dir, 20) // 100, 300 and 500 of 900 B
	require.NoError(t, err)
	assert.Equal(t, []int64{100, 300, 500, 500}, []int64{measure.BytesPercentile(sizes, 11), measure.BytesPercentile(sizes, 44), measure.BytesPercentile(sizes, 45), measure.BytesPercentile(sizes, 100)})

	tabletest.Write(t, dir, "packets", rows[1:2])
	_, err = measure.FlowletSizes(dir, 20)
	assert.ErrorContains(t, err, "record the hosts' ports")
}
