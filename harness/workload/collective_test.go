package workload

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/harness/scenario"
)

func collective(operation string, hosts int) *Collective {
	c := &Collective{
		Operation: operation, PerHost: 1, Size: 1_000_003, Chunks: 1, Channels: 1, Iterations: 1,
		Flow: scenario.Flow{Class: 1, Weight: 1}, Rules: Rules{StopPs: 1e12, Classes: 2, ToPs: 1e12},
	}
	if operation == "all-reduce" {
		c.Algorithm = "ring"
	}
	for i := range hosts {
		c.Hosts = append(c.Hosts, uint32(i))
	}
	return c
}

// each calls use with collectives of all kinds.
func each(t *testing.T, use func(t *testing.T, c *Collective)) {
	for _, operation := range append([]string{"tree"}, Operations...) {
		for _, hosts := range []int{2, 3, 8} {
			for _, more := range []int{1, 3} {
				for _, perHost := range []int{1, 2} {
					c := collective(operation, hosts)
					if operation == "tree" {
						c.Operation, c.Algorithm = "all-reduce", "tree"
					}
					c.Chunks, c.Channels, c.Iterations, c.PerHost, c.GapPs, c.ComputePs = more, more, more, perHost, 5, 7
					t.Run(fmt.Sprintf("%s-%d-%d-%d", operation, hosts, more, perHost), func(t *testing.T) { use(t, c) })
				}
			}
		}
	}
}

// TestCollectivesAreGraphs: messages keep the rules of flows and graphs, and as many as said are made.
func TestCollectivesAreGraphs(t *testing.T) {
	each(t, func(t *testing.T, c *Collective) {
		require.NoError(t, c.Check())
		flows := flowList(t, c, 1)
		for i, f := range flows {
			require.Equal(t, uint32(i), f.ID)
			if !f.Task() {
				require.NoError(t, c.Rules.Check(f))
				require.Positive(t, f.Size)
				require.Positive(t, f.Group)
			}
		}
		assert.LessOrEqual(t, float64(len(flows)), c.Expected())
		assert.Greater(t, float64(len(flows))*4, c.Expected())
		_, err := newDAG(flows, func(id uint32) string { return strconv.Itoa(int(id)) })
		require.NoError(t, err)
		assert.Equal(t, flows, flowList(t, c, 1))
	})
}

// TestCollectivesSendWhatTheyShould: bytes by host and iteration against the closed forms of the operations.
func TestCollectivesSendWhatTheyShould(t *testing.T) {
	each(t, func(t *testing.T, c *Collective) {
		n, s := uint64(c.ranks()), c.Size
		if c.PerHost > 1 {
			t.Skip("ranks of a host send each other nothing over the network")
		}
		total := map[string]uint64{
			"all-reduce": 2 * (n - 1) * s, "reduce-scatter": (n - 1) * s, "all-gather": (n - 1) * s,
			"all-to-all": (n - 1) * s, "moe": 2 * (n - 1) * s, "pipeline": 2 * (n - 1) * s * uint64(c.Chunks),
		}[c.Operation]
		sent := map[uint32]uint64{}
		for _, f := range flowList(t, c, 1) {
			sent[f.Group] += f.Size
		}
		delete(sent, 0)
		require.Len(t, sent, c.Iterations)
		for _, bytes := range sent {
			assert.Equal(t, total, bytes)
		}
	})
}

// TestRingSteps: in a ring all-reduce of n ranks, 2(n-1) messages wait for each other, the n-1st of them has been at
// all ranks, and every rank sends to the next one only.
func TestRingSteps(t *testing.T) {
	c := collective("all-reduce", 5)
	flows := flowList(t, c, 1)
	depth := make([]int, len(flows))
	most := 0
	for _, f := range flows {
		assert.Equal(t, (f.Src+1)%5, f.Dst)
		depth[f.ID] = 1
		for _, d := range f.After {
			assert.Equal(t, flows[d.On].Dst, f.Src)
			depth[f.ID] = max(depth[f.ID], depth[d.On]+1)
		}
		most = max(most, depth[f.ID])
	}
	assert.Equal(t, 8, most)
	assert.Len(t, flows, 40)
}

// TestIterationsFollowEachOther: no message of an iteration starts before its rank has got all of the one before.
func TestIterationsFollowEachOther(t *testing.T) {
	each(t, func(t *testing.T, c *Collective) {
		if c.Iterations == 1 || c.PerHost > 1 || len(c.Hosts) > 3 {
			t.Skip("one iteration, hosts with ranks that need not wait for each other's messages, or too many to try all pairs")
		}
		flows := flowList(t, c, 1)
		// What has to be over before each message, by walking back.
		over := make([]map[uint32]bool, len(flows))
		for _, f := range flows {
			over[f.ID] = map[uint32]bool{}
			for _, d := range f.After {
				over[f.ID][d.On] = true
				for id := range over[d.On] {
					over[f.ID][id] = true
				}
			}
		}
		for _, f := range flows {
			for _, g := range flows {
				if f.Group > 1 && g.Group == f.Group-1 && g.Dst == f.Src && !g.Task() {
					require.True(t, over[f.ID][g.ID], "%d before %d", f.ID, g.ID)
				}
			}
		}
	})
}

// TestRanksOfAHost send each other nothing over the network.
func TestRanksOfAHost(t *testing.T) {
	c := collective("all-to-all", 3)
	c.PerHost = 4
	sent := map[[2]uint32]uint64{}
	for _, f := range flowList(t, c, 1) {
		sent[[2]uint32{f.Src, f.Dst}] += f.Size
		assert.False(t, f.Task() && f.Size > 0)
	}
	assert.Zero(t, sent[[2]uint32{1, 1}])
	assert.InDelta(t, 16*1_000_003/12, sent[[2]uint32{0, 1}], 16)
}

func TestPlacementsDiffer(t *testing.T) {
	c := collective("all-gather", 8)
	next := func(seed uint64) map[uint32]uint32 {
		to := map[uint32]uint32{}
		for _, f := range flowList(t, c, seed) {
			to[f.Src] = f.Dst
		}
		return to
	}
	listed := next(1)
	assert.Equal(t, listed, next(2))
	c.Random = true
	assert.NotEqual(t, next(1), next(2))
	drawn := next(3)
	assert.Equal(t, drawn, next(3))
	assert.Len(t, next(1), 8)
}

// TestPorts: the messages of a channel between two ranks take one path under ECMP, those of other channels another.
func TestPorts(t *testing.T) {
	c := collective("all-gather", 4)
	c.Channels = 3
	ports := map[uint16]uint32{}
	for _, f := range flowList(t, c, 1) {
		if src, known := ports[f.SrcPort]; known {
			assert.Equal(t, src, f.Src)
		}
		ports[f.SrcPort] = f.Src
	}
	assert.Len(t, ports, 12)
	assert.NotEqual(t, flowList(t, c, 1)[0].SrcPort, flowList(t, c, 2)[0].SrcPort)
}

func TestCollectiveRefuses(t *testing.T) {
	for want, change := range map[string]func(*Collective){
		"there is one rank":                         func(c *Collective) { c.Hosts = c.Hosts[:1] },
		"all 4 ranks are on one host":               func(c *Collective) { c.Hosts, c.PerHost = c.Hosts[:1], 4 },
		"size: 7B are divided over 8 messages":      func(c *Collective) { c.Size = 7 },
		"it starts at 1s, but the run stops at 1s":  func(c *Collective) { c.StartPs = 1e12 },
		"messages and tasks, which are held in mem": func(c *Collective) { c.Iterations = 1 << 20 },
	} {
		c := collective("all-reduce", 8)
		change(c)
		assert.ErrorContains(t, c.Check(), want)
	}
}
