package measure_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/analysis/measure"
	"fabriclab/analysis/spec"
	"fabriclab/analysis/table/tabletest"
)

func TestReorderingAndFlowlets(t *testing.T) {
	type flow struct {
		Size      uint64 `parquet:"size_bytes"`
		Packets   uint64 `parquet:"packets"`
		Reordered uint64 `parquet:"reordered"`
		Measured  bool   `parquet:"measured"`
	}
	type packet struct {
		TimePs int64  `parquet:"time_ps"`
		Flow   uint32 `parquet:"flow"`
		Bytes  uint32 `parquet:"bytes"`
		Link   string `parquet:"link,dict"`
		Event  string `parquet:"event,dict"`
		Kind   string `parquet:"kind,dict"`
	}
	dir := t.TempDir()
	tabletest.Write(t, dir, "flows", []flow{{1000, 10, 1, true}, {0, 30, 9, true}, {5000, 50, 50, false}, {2000, 10, 0, true}})
	tabletest.Write(t, dir, "packets", []packet{{0, 1, 1000, "a->s", "dequeue", "data"}, {600e6, 1, 3000, "a->s", "dequeue", "data"}})
	f := figure(t, `
measures:
  all: {kind: reordering, unit: "%"}
  small: {kind: reordering, max_size: 2KB, min_size: 1KB, unit: "1"}
  none: {kind: reordering, min_size: 3KB, unit: "1"}
  half: {kind: flowlet_size, gap: 500us, percentile: 50, unit: KB}
  first: {kind: flowlet_size, gap: 500us, percentile: 25, unit: KB}
  flow: {kind: flowlet_size, gap: 1ms, percentile: 1, unit: KB}
`)
	run := spec.Run{Dir: dir}
	for name, want := range map[string]float64{"all": 20, "small": 0.1, "half": 3, "first": 1, "flow": 4} {
		got, err := measure.NewTaker(f).Take(f.Measures.Items[name], run)
		require.NoError(t, err, name)
		assert.InDelta(t, want, got, 1e-12, name)
	}
	_, err := measure.NewTaker(f).Take(f.Measures.Items["none"], run)
	assert.ErrorContains(t, err, "no packets of measured flows")
}
