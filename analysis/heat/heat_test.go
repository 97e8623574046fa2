package heat_test

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/analysis/heat"
	"fabriclab/analysis/table/tabletest"
)

// write makes a run of n samples, 1 us apart, of a 100 Gb/s link: 12500 B fit
// into 1 us. Forward, the first half of the time is full and the second idle;
// backward, a tenth is used.
func write(t *testing.T, n int) string {
	dir := t.TempDir()
	tabletest.Scenario(t, dir, int64(n)*1e6, 100e9, "a", "b")
	var rows []tabletest.Link
	for i := range n {
		rows = append(rows, tabletest.Link{TimePs: int64(i) * 1e6, Link: "a->b", SentBytes: uint64(12500 * min(i, (n-1)/2))},
			tabletest.Link{TimePs: int64(i) * 1e6, Link: "b->a", SentBytes: uint64(1250 * i)})
	}
	tabletest.Write(t, dir, "links", rows)
	return dir
}

func TestRead(t *testing.T) {
	m, err := heat.Read(write(t, 5), 1000)
	require.NoError(t, err)
	assert.Equal(t, []string{"a->b", "b->a"}, m.Ports)
	assert.Equal(t, []int64{0, 1e6, 2e6, 3e6, 4e6}, m.Times)
	assert.InDeltaSlice(t, []float64{0.5, 0.1}, m.Mean, 1e-12)
	require.Len(t, m.Steps, 4)
	for i, want := range [][]float64{{1, 0.1}, {1, 0.1}, {0, 0.1}, {0, 0.1}} {
		assert.InDeltaSlice(t, want, m.Steps[i], 1e-12)
	}
}

// A long table becomes few steps, over which nothing is lost.
func TestReadIsBounded(t *testing.T) {
	for _, shares := range []int{8, 1 << 30} {
		m, err := heat.Read(write(t, 5001), shares)
		require.NoError(t, err)
		assert.LessOrEqual(t, len(m.Steps), min(shares/2, 200))
		assert.Equal(t, int64(0), m.Times[0])
		assert.Equal(t, int64(5000e6), m.Times[len(m.Times)-1])
		require.Len(t, m.Times, len(m.Steps)+1)
		sum := 0.0
		for i, s := range m.Steps {
			sum += s[0] * float64(m.Times[i+1]-m.Times[i])
		}
		assert.InDelta(t, m.Mean[0]*5000e6, sum, 1)
		assert.InDelta(t, 0.5, m.Mean[0], 1e-12)
	}
}

// A link that changes its rate is full when it sends all that it can then.
func TestReadOfALinkThatChangesItsRate(t *testing.T) {
	dir := write(t, 5) // forward 12500 B in each of the first two us
	scenario := `{"nodes":[{"name":"a"},{"name":"b"}],"links":[{"a":0,"b":1,"rate_bps":200000000000}],"rate_events":[{"at_ps":1000000,"link":0,"rate_bps":100000000000}]}`
	require.NoError(t, os.WriteFile(filepath.Join(dir, "scenario.json"), []byte(scenario), 0o644))
	m, err := heat.Read(dir, 1000)
	require.NoError(t, err)
	assert.InDeltaSlice(t, []float64{2 / 5., 0.4 / 5}, m.Mean, 1e-12)
	for i, want := range [][]float64{{0.5, 0.05}, {1, 0.1}, {0, 0.1}, {0, 0.1}} {
		assert.InDeltaSlice(t, want, m.Steps[i], 1e-12)
	}
}

func TestReadOfLittle(t *testing.T) {
	_, err := heat.Read(write(t, 1), 1000)
	require.ErrorIs(t, err, heat.ErrShort)

	dir := write(t, 3)
	tabletest.Write(t, dir, "links", []tabletest.Link{{TimePs: 0, Link: "a->b"}, {TimePs: 1e6, Link: "a->b", SentBytes: 6250}, {TimePs: 1e6, Link: "b->a"}})
	m, err := heat.Read(dir, 1000)
	require.NoError(t, err)
	assert.InDelta(t, 0.5, m.Mean[0], 1e-12)
	assert.True(t, math.IsNaN(m.Mean[1]), "no sample at the start: nothing is known")

	tabletest.Write(t, dir, "links", []tabletest.Link{{TimePs: 0, Link: "a->x"}, {TimePs: 1e6, Link: "a->x"}})
	_, err = heat.Read(dir, 1000)
	require.ErrorContains(t, err, `has no port "a->x"`)
}
