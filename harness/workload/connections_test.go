package workload

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/base/units"
	"fabriclab/harness/scenario"
)

// TestConnections: the flows are those without connections; each is on one of
// its pair's, which are equally likely.
func TestConnections(t *testing.T) {
	const n, perPair = 4, 3
	p, rules := poisson(t, n, 0.5, FixedSize(10_000), 20*units.Millisecond)
	plain := flows(t, p, rules, 1)
	assert.False(t, HasConnections(p))
	p.PerPair = perPair
	require.NoError(t, p.Check())
	assert.True(t, HasConnections(p))
	assert.True(t, HasConnections(&Mix{Parts: []Generator{&Permutation{}, p}}))
	messages := collect(t, p, 1)
	require.Len(t, messages, len(plain))
	type connection struct {
		src, dst uint32
		port     uint16
	}
	count := map[connection]int{}
	for i, f := range messages {
		assert.True(t, f.Persistent)
		count[connection{f.Src, f.Dst, f.SrcPort}]++
		f.Persistent, f.SrcPort = false, plain[i].SrcPort
		require.Equal(t, plain[i], f)
	}
	require.Len(t, count, n*(n-1)*perPair)
	want := float64(len(plain)) / (n * (n - 1) * perPair)
	for c, messages := range count {
		assert.GreaterOrEqual(t, c.port, uint16(firstConnectionPort))
		assert.Less(t, c.port, uint16(firstConnectionPort+perPair))
		assert.InDelta(t, want, messages, 5*math.Sqrt(want), "%+v", c)
	}
	assert.Equal(t, messages, collect(t, p, 1))
	assert.NotEqual(t, messages[:100], collect(t, p, 2)[:100])
}

// TestClosedLoop: the flows are the same, and say that they wait.
func TestClosedLoop(t *testing.T) {
	p, _ := poisson(t, 4, 0.5, FixedSize(10_000), units.Millisecond)
	p.PerPair = 2
	open := collect(t, p, 1)
	p.ClosedLoop = true
	require.NoError(t, p.Check())
	for i, f := range collect(t, p, 1) {
		assert.True(t, f.ClosedLoop)
		f.ClosedLoop = false
		require.Equal(t, open[i], f)
	}
	p.PerPair = 0
	require.ErrorContains(t, p.Check(), "a closed loop is asked for without connections")
}

func TestConnectionsOfIncastAndJobs(t *testing.T) {
	common := Common{Sizes: FixedSize(1000), Rules: Rules{StopPs: units.Second, Classes: 2, ToPs: units.Second}}
	for _, perPair := range []int{0, 2} {
		c := Connections{PerPair: perPair}
		for _, g := range []interface {
			Generator
			Check() error
		}{
			&Incast{Sources: hosts(0, 9), Receivers: hosts(0, 1), Senders: 8, Events: 20, IntervalPs: 1000, Common: common, Connections: c},
			&Jobs{Hosts: hosts(0, 9), Sources: hosts(0, 9), Writers: 9, Blocks: 20, Copies: 3, IntervalPs: 1000, Common: common, Connections: c},
		} {
			require.NoError(t, g.Check())
			assert.Equal(t, perPair > 0, HasConnections(g))
			ports := map[uint16]bool{}
			for _, f := range collect(t, g, 1) {
				assert.Equal(t, perPair > 0, f.Persistent)
				ports[f.SrcPort] = true
			}
			if perPair > 0 {
				assert.Len(t, ports, perPair)
			}
		}
	}
}

func TestConnectionsRefused(t *testing.T) {
	p, _ := poisson(t, 4, 0.5, FixedSize(10_000), units.Millisecond)
	for _, perPair := range []int{-1, MostConnections + 1} {
		p.PerPair = perPair
		require.ErrorContains(t, p.Check(), "connections per pair of hosts")
	}
}

func collect(t *testing.T, g Generator, seed uint64) []scenario.Flow {
	t.Helper()
	var list []scenario.Flow
	for f, err := range g.Flows(seed) {
		require.NoError(t, err)
		list = append(list, f)
	}
	return list
}
