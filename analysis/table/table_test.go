package table_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/analysis/table"
	"fabriclab/analysis/table/tabletest"
)

func queues(n int) []tabletest.Queue {
	rows := make([]tabletest.Queue, n)
	for i := range rows {
		rows[i] = tabletest.Queue{
			TimePs: int64(i) * 1e6, Node: "s1", Link: []string{"s1->s2", "s1->a-rather-long-name-of-a-host"}[i%2],
			Class: 1, Bytes: uint64(i), Packets: 1<<32 - 1,
		}
	}
	return rows
}

func TestScan(t *testing.T) {
	dir := t.TempDir()
	tabletest.Write(t, dir, "queues", queues(12345))
	var sum, links, packets int64
	var last int64 = -1
	columns := append(table.Ints("time_ps", "bytes", "packets"), table.Column{Name: "link", Type: table.String})
	err := table.Scan(dir, "queues", columns, func(r *table.Rows) error {
		for i := range r.N {
			require.Equal(t, last+1, r.Int(1, i), "rows stay in order over pages and row groups")
			last = r.Int(1, i)
			sum += r.Int(0, i)
			packets = r.Int(2, i)
			want := []string{"s1->s2", "s1->a-rather-long-name-of-a-host"}[last%2]
			require.Equal(t, want, r.String(3, i))
			if r.Is(3, i, "s1->s2") {
				links++
			}
		}
		return nil
	})
	require.NoError(t, err)
	assert.Equal(t, int64(12345*12344/2)*1e6, sum)
	assert.Equal(t, int64(6173), links)
	assert.Equal(t, int64(1<<32-1), packets, "unsigned stays unsigned")
}

func TestScanErrors(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "ns3-seed1")
	tabletest.Write(t, dir, "queues", queues(5000))
	nothing := func(*table.Rows) error { return nil }

	err := table.Scan(dir, "rates", table.Ints("time_ps"), nothing)
	require.ErrorIs(t, err, table.ErrMissing)
	require.ErrorContains(t, err, "ns3-seed1 has no rates.parquet; add `rates: {}` under `trace:`")

	require.ErrorContains(t, table.Scan(dir+"x", "rates", nil, nothing), "does not exist")
	require.ErrorContains(t, table.Scan(dir, "queues", table.Ints("nothing"), nothing), `no column "nothing"`)
	require.ErrorContains(t, table.Scan(dir, "queues", table.Ints("link"), nothing), `column "link"`)

	stop := assert.AnError
	require.ErrorIs(t, table.Scan(dir, "queues", table.Ints("time_ps"), func(*table.Rows) error { return stop }), stop)

	path := filepath.Join(dir, "queues.parquet")
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	damage := map[string]func() []byte{
		"truncated": func() []byte { return whole[:len(whole)/2] },
		"empty":     func() []byte { return nil },
		"overwritten": func() []byte {
			b := append([]byte(nil), whole...)
			for i := 100; i < 4000; i++ {
				b[i] = 0xff
			}
			return b
		},
	}
	for name, make := range damage {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, os.WriteFile(path, make(), 0o644))
			err := table.Scan(dir, "queues", append(table.Ints("time_ps", "bytes"), table.Column{Name: "link", Type: table.String}), nothing)
			require.Error(t, err)
			require.ErrorContains(t, err, "ns3-seed1")
			require.ErrorContains(t, err, "queues.parquet is corrupt")
			assert.ErrorContains(t, err, "run the experiment again")
		})
	}
}

func TestPanicInCallback(t *testing.T) {
	dir := t.TempDir()
	tabletest.Write(t, dir, "queues", queues(10))
	assert.Panics(t, func() {
		_ = table.Scan(dir, "queues", table.Ints("time_ps"), func(*table.Rows) error { panic("mine") })
	}, "a mistake of the caller is not reported as a corrupt file")
}

func TestNetwork(t *testing.T) {
	dir := t.TempDir()
	tabletest.Scenario(t, dir, 700e6, 100e9, "sender0", "s1", "s2")
	n, err := table.ReadNetwork(dir)
	require.NoError(t, err)
	assert.Equal(t, int64(700e6), n.StopPs)
	rate, err := n.Rate("s1->s2")
	require.NoError(t, err)
	assert.Equal(t, int64(100e9), rate)
	_, err = n.Rate("s1->s9")
	require.ErrorContains(t, err, `no port "s1->s9"; it has s1->s2, s1->sender0`)

	require.NoError(t, os.WriteFile(filepath.Join(dir, "scenario.json"), []byte(`{"nodes":[{"name":"a"}],"links":[{"a":0,"b":1}]}`), 0o644))
	_, err = table.ReadNetwork(dir)
	require.ErrorContains(t, err, "corrupt")

	require.NoError(t, os.WriteFile(filepath.Join(dir, "scenario.json"), []byte(`{"nodes":[{"name":"a"},{"name":"b"}],"links":[{"a":0,"b":1,"rate_bps":5},{"a":0,"b":1,"rate_bps":7}]}`), 0o644))
	n, err = table.ReadNetwork(dir)
	require.NoError(t, err)
	assert.Equal(t, map[string]int64{"a->b": 5, "a->b#1": 7, "b->a": 5, "b->a#1": 7}, n.RateBps)
	access, err := n.AccessRate("a", 0, 40)
	require.NoError(t, err)
	assert.InDelta(t, 12, access, 0, "a host may have several links")
	rates := `{"nodes":[{"name":"a"},{"name":"b"}],"links":[{"a":0,"b":1,"rate_bps":5},{"a":0,"b":1,"rate_bps":7}],"rate_events":[{"at_ps":10,"link":1,"rate_bps":1},{"at_ps":20,"link":1,"rate_bps":9}]}`
	require.NoError(t, os.WriteFile(filepath.Join(dir, "scenario.json"), []byte(rates), 0o644))
	changing, err := table.ReadNetwork(dir)
	require.NoError(t, err)
	for _, tt := range []struct {
		port     string
		from, to int64
		want     float64
	}{{"b->a", 0, 40, 5}, {"b->a#1", 0, 10, 7}, {"a->b#1", 0, 20, 4}, {"a->b#1", 5, 25, (5*7 + 10*1 + 5*9) / 20.}, {"a->b#1", 12, 16, 1}, {"a->b#1", 30, 40, 9}} {
		mean, err := changing.MeanRate(tt.port, tt.from, tt.to)
		require.NoError(t, err)
		assert.InDelta(t, tt.want, mean, 1e-12, "%+v", tt)
	}
	access, err = changing.AccessRate("a", 0, 20)
	require.NoError(t, err)
	assert.InDelta(t, 5+4, access, 1e-12)
	_, err = changing.SteadyAccessRate("a")
	require.ErrorContains(t, err, "the link of a->b#1 changes its rate")
	access, err = n.SteadyAccessRate("a")
	require.NoError(t, err)
	assert.InDelta(t, 12, access, 0)
	_, err = changing.SteadyRate("a->b#1")
	require.ErrorContains(t, err, "the link of a->b#1 changes its rate during the run, and this needs one rate")
	rate, err = changing.SteadyRate("a->b")
	require.NoError(t, err)
	assert.Equal(t, int64(5), rate)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "scenario.json"), []byte(strings.Replace(rates, `"link":1`, `"link":2`, 1)), 0o644))
	_, err = table.ReadNetwork(dir)
	require.ErrorContains(t, err, "link 2 of 2 changes its rate")

	_, err = n.AccessRate("c", 0, 40)
	require.ErrorContains(t, err, `"c" is no host`)
}
