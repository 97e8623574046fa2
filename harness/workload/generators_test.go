package workload

import (
	"encoding/hex"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/base/units"
	"fabriclab/harness/scenario"
)

func hosts(from, to uint32) []uint32 {
	var list []uint32
	for id := from; id < to; id++ {
		list = append(list, id)
	}
	return list
}

func hostName(host uint32) string { return fmt.Sprintf("host%d", host) }

func anyToAny(t testing.TB, n uint32) *Pattern {
	t.Helper()
	p, err := AnyToAny(hosts(0, n), hosts(0, n))
	require.NoError(t, err)
	return p
}

func sizes(t testing.TB, name string) *Sizes {
	t.Helper()
	s, err := ReadSizes(filepath.Join(tables, name+".yaml"))
	require.NoError(t, err)
	return s
}

// flows reads a flow list and checks what every flow list has to be.
func flows(t *testing.T, g Generator, rules Rules, seed uint64) []scenario.Flow {
	t.Helper()
	pairs := map[[2]uint32]bool{}
	for src, dst := range g.Pairs() {
		pairs[[2]uint32{src, dst}] = true
	}
	var list []scenario.Flow
	last := int64(0)
	for f, err := range g.Flows(seed) {
		require.NoError(t, err)
		require.NoError(t, rules.Check(f))
		if int(f.ID) != len(list) || !pairs[[2]uint32{f.Src, f.Dst}] || f.Measured != rules.Measured(f.StartPs) || f.SrcPort != SrcPort(f.ID) || f.StartPs < last {
			t.Fatalf("flow %d (behind one at %d ps): %+v", len(list), last, f)
		}
		last = f.StartPs
		list = append(list, f)
	}
	assert.Nil(t, g.Names())
	return list
}

func poisson(t testing.TB, n uint32, load float64, s *Sizes, toPs int64) (*Poisson, Rules) {
	t.Helper()
	rules := Rules{StopPs: toPs, Classes: 2, FromPs: toPs / 10, ToPs: toPs}
	p := &Poisson{
		Pattern: anyToAny(t, n), Sizes: s, Load: load, Capacity: slices.Repeat([]int64{100e9}, int(n)), HostName: hostName,
		ToPs: toPs, Flow: scenario.Flow{Class: 1, Weight: 1}, Rules: rules,
	}
	require.NoError(t, p.Check())
	return p, rules
}

// BenchmarkPoisson draws a flow of 1024 hosts' lists.
func BenchmarkPoisson(b *testing.B) {
	p, _ := poisson(b, 1024, 0.5, sizes(b, "web-search"), 1000*units.Second)
	n := 0
	for range p.Flows(1) {
		if n++; n == b.N {
			return
		}
	}
}

// TestPoisson: the load is the one asked for, every source gives its share of
// it, all destinations are equally likely, and arrivals are without memory.
func TestPoisson(t *testing.T) {
	const n = 8
	p, rules := poisson(t, n, 0.5, FixedSize(10_000), 20*units.Millisecond)
	p.Capacity[3] *= 2
	list := flows(t, p, rules, 1)
	// 0.5 * 100 Gb/s / 80 kbit = 625000 flows a second and source.
	const perSource = 12_500
	sent, pairs := map[uint32]int{}, map[[2]uint32]int{}
	var squares float64
	last := map[uint32]int64{}
	for _, f := range list {
		if f.Size != 10_000 || f.StopPs != -1 || f.Class != 1 || f.Weight != 1 {
			t.Fatalf("%+v", f)
		}
		sent[f.Src]++
		pairs[[2]uint32{f.Src, f.Dst}]++
		if f.Src == 0 {
			gap := float64(f.StartPs-last[0]) / 1.6e6 // over the mean gap
			squares += gap * gap
			last[0] = f.StartPs
		}
	}
	for src := range uint32(n) {
		want := float64(perSource)
		if src == 3 {
			want *= 2
		}
		assert.InDelta(t, want, sent[src], 4*math.Sqrt(want), "source %d", src)
		for dst := range uint32(n) {
			if src == dst {
				assert.Zero(t, pairs[[2]uint32{src, dst}])
			} else {
				assert.InDelta(t, want/7, pairs[[2]uint32{src, dst}], 4*math.Sqrt(want/7))
			}
		}
	}
	assert.InDelta(t, 2, squares/float64(sent[0]), 4*math.Sqrt(20./perSource), "second moment of the gaps")

	other := flows(t, p, rules, 2)
	assert.NotEqual(t, list[:100], other[:100])
	assert.Equal(t, list, flows(t, p, rules, 1))
}

// TestPoissonBytes pins the generator: another machine, compiler or version
// gives the same flow lists.
func TestPoissonBytes(t *testing.T) {
	for name, want := range map[string]string{
		"web-search": "efe2819ca0881268",
		"enterprise": "45d88b2bad900f9b",
	} {
		p, _ := poisson(t, 16, 0.5, sizes(t, name), 20*units.Millisecond)
		digest, err := scenario.FlowsDigest(p.Flows(7))
		require.NoError(t, err)
		assert.Equal(t, want, hex.EncodeToString(digest[:8]), name)
	}
}

// TestSourcesAreIndependent: what a source sends does not depend on how many
// others there are.
func TestSourcesAreIndependent(t *testing.T) {
	of := func(n uint32) (list []scenario.Flow) {
		p, rules := poisson(t, n, 0.3, sizes(t, "web-search"), 10*units.Millisecond)
		for _, f := range flows(t, p, rules, 1) {
			if f.Src == 2 {
				list = append(list, scenario.Flow{Size: f.Size, StartPs: f.StartPs})
			}
		}
		return list
	}
	assert.Equal(t, of(4), of(8))
}

// TestTally: the load offered is the load asked for, within the sampling
// error, which is neither far too small nor far too large.
func TestTally(t *testing.T) {
	for _, name := range []string{"web-search", "fb-hadoop", "enterprise", "facebook-cache"} {
		var squares float64
		const seeds = 20
		for seed := range uint64(seeds) {
			p, rules := poisson(t, 8, 0.6, sizes(t, name), 50*units.Millisecond)
			var tally Tally
			var list []scenario.Flow
			for f := range tally.Count(p.Flows(seed)) {
				list = append(list, f)
			}
			tally.Compare(p, rules)
			require.NotNil(t, tally.Load)
			measured := 0
			for _, f := range list {
				if f.Measured {
					measured++
				}
			}
			assert.Equal(t, []uint64{uint64(len(list)), uint64(measured)}, []uint64{tally.Flows, tally.MeasuredFlows})
			assert.InDelta(t, 0.6, tally.Load.Asked, 0)
			assert.InDelta(t, float64(tally.MeasuredBytes)*8/(8*100e9*0.045), tally.Load.Offered, 1e-12)
			off := (tally.Load.Offered - 0.6) / tally.Load.StandardError
			assert.Less(t, math.Abs(off), 4.5, "%s, seed %d", name, seed)
			squares += off * off
		}
		if name != "enterprise" { // whose tail a few runs do not meet
			assert.InDelta(t, 1, squares/seeds, 1.1, "%s: the standard error is one", name)
		}
	}
	list, err := NewList([]Entry{{Flow: scenario.Flow{Src: 0, Dst: 1, Size: 5}, Count: 1}})
	require.NoError(t, err)
	var tally Tally
	for _, err := range tally.Count(list.Flows(1)) {
		require.NoError(t, err)
	}
	tally.Compare(list, Rules{ToPs: 1})
	assert.EqualExportedValues(t, Tally{Flows: 1, Bytes: 5}, tally, "a list has no load")
}

// TestManyFlows: time and memory for a long flow list are bounded.
func TestManyFlows(t *testing.T) {
	p, _ := poisson(t, 128, 0.5, FixedSize(1000), 15_000*units.Microsecond)
	var before, during runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	n := 0
	for _, err := range p.Flows(1) {
		require.NoError(t, err)
		if n++; n == many {
			runtime.GC()
			runtime.ReadMemStats(&during)
			break
		}
	}
	assert.Equal(t, many, n)
	assert.Less(t, int64(during.HeapAlloc)-int64(before.HeapAlloc), int64(1<<20))
}

func TestPatterns(t *testing.T) {
	pairs := func(p *Pattern) (list [][2]uint32) {
		for src, dst := range p.Pairs() {
			list = append(list, [2]uint32{src, dst})
		}
		return list
	}
	p, err := AnyToAny([]uint32{0, 5}, []uint32{4, 5, 6})
	require.NoError(t, err)
	assert.Equal(t, [][2]uint32{{0, 4}, {0, 5}, {0, 6}, {5, 4}, {5, 6}}, pairs(p))
	p, err = BetweenGroups([][]uint32{{0, 1}, {2}, {3}})
	require.NoError(t, err)
	assert.Equal(t, [][2]uint32{{0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 0}, {2, 1}, {2, 3}, {3, 0}, {3, 1}, {3, 2}}, pairs(p))

	_, err = AnyToAny([]uint32{3}, []uint32{3})
	require.ErrorContains(t, err, "nobody to send to")
	_, err = AnyToAny(nil, []uint32{3})
	require.ErrorContains(t, err, "no source")
	_, err = BetweenGroups([][]uint32{{0, 1}})
	assert.ErrorContains(t, err, "nobody to send to")
}

func common(toPs int64, s *Sizes) (Common, Rules) {
	rules := Rules{StopPs: toPs, Classes: 2, ToPs: toPs}
	return Common{Sizes: s, StartPs: 5, Flow: scenario.Flow{Class: 1, Weight: 2}, Rules: rules}, rules
}

func TestAllToAll(t *testing.T) {
	c, rules := common(100, FixedSize(7))
	a := &AllToAll{anyToAny(t, 5), c}
	require.NoError(t, a.Check())
	list := flows(t, a, rules, 1)
	require.Len(t, list, 20)
	for round := range 4 {
		received := map[uint32]bool{}
		for _, f := range list[5*round : 5*round+5] {
			received[f.Dst] = true
			assert.Equal(t, (f.Src+uint32(round)+1)%5, f.Dst)
			assert.Equal(t, []any{uint64(7), int64(5), uint32(1), 2.0}, []any{f.Size, f.StartPs, f.Group, f.Weight})
		}
		assert.Len(t, received, 5, "nobody receives twice in a round")
	}
}

func TestPermutation(t *testing.T) {
	c, rules := common(100, nil)
	p := &Permutation{hosts(0, 16), hosts(0, 16), c}
	require.NoError(t, p.Check())
	first := map[uint32]int{}
	for seed := range uint64(3000) {
		list := flows(t, p, rules, seed)
		received := map[uint32]bool{}
		for _, f := range list {
			received[f.Dst] = true
			assert.Zero(t, f.Size, "unlimited")
		}
		require.Len(t, received, 16)
		first[list[0].Dst]++
	}
	for dst := uint32(1); dst < 16; dst++ {
		assert.InDelta(t, 200, first[dst], 4*math.Sqrt(200), "all destinations are equally likely")
	}
	require.ErrorContains(t, (&Permutation{hosts(0, 2), hosts(0, 3), c}).Check(), "2 sources and 3 destinations")
	assert.ErrorContains(t, (&Permutation{hosts(1, 2), hosts(1, 2), c}).Check(), "the only source is the only destination")
}

func TestIncast(t *testing.T) {
	c, rules := common(1000, FixedSize(20_000))
	i := &Incast{Sources: hosts(0, 8), Receivers: hosts(6, 10), Senders: 5, Events: 50, IntervalPs: 10, Common: c}
	require.NoError(t, i.Check())
	list := flows(t, i, rules, 3)
	require.Len(t, list, 250)
	receivers, senders := map[uint32]bool{}, map[uint32]bool{}
	for event := range 50 {
		sending := map[uint32]bool{}
		for _, f := range list[5*event : 5*event+5] {
			assert.Equal(t, []any{uint32(event + 1), int64(5 + 10*event), list[5*event].Dst}, []any{f.Group, f.StartPs, f.Dst})
			sending[f.Src], senders[f.Src], receivers[f.Dst] = true, true, true
		}
		assert.Len(t, sending, 5, "the senders differ")
	}
	assert.Equal(t, []int{8, 4}, []int{len(senders), len(receivers)})

	i.Total = 1_000_003
	for n, f := range flows(t, i, rules, 3) {
		assert.Equal(t, map[bool]uint64{true: 200_001, false: 200_000}[n%5 < 3], f.Size, "striped, and nothing is lost")
	}
	i.Total = 4
	require.ErrorContains(t, i.Check(), "4 B are less than a byte for each of 5 senders")
	i.Total = 0

	i.Senders = 8
	require.ErrorContains(t, i.Check(), "8 senders are asked for, but a receiver has only 7 hosts that can send to it")
	i.Senders, i.Events = 5, 101
	assert.ErrorContains(t, i.Check(), "the last event starts at 1.005ns, but the run stops at 1ns")
}

// With jitter the senders of an event start at times of their own; who sends to
// whom is what it is without.
func TestIncastWithJitter(t *testing.T) {
	c, rules := common(1_000_000, FixedSize(20_000))
	i := &Incast{Sources: hosts(0, 8), Receivers: hosts(6, 10), Senders: 5, Events: 100, IntervalPs: 9000, Common: c}
	together := flows(t, i, rules, 3)
	i.JitterPs = 9000
	require.NoError(t, i.Check())
	list := flows(t, i, rules, 3)
	require.Len(t, list, 500)
	sum, last := 0.0, int64(0)
	for n, f := range list {
		late := f.StartPs - together[n].StartPs
		assert.GreaterOrEqual(t, f.StartPs, last, "in the order of their starts")
		assert.True(t, late >= 0 && late <= 9000, "%d", late)
		sum, last = sum+float64(late), f.StartPs
		f.StartPs = together[n].StartPs
		assert.Equal(t, together[n], f)
	}
	assert.InDelta(t, 4500, sum/500, 4*9000/math.Sqrt(12*500), "evenly distributed")

	i.JitterPs = 9001
	require.ErrorContains(t, i.Check(), "the senders of an event start up to 9.001ns later, and the next event is 9ns later")
	i.Events, i.JitterPs = 1, 1_000_000
	assert.ErrorContains(t, i.Check(), "the last event starts at 1.000005us, but the run stops at 1us")
}

// Events that a load asks for overlap where the jitter is longer than the time
// between them: flows still come by start, numbered in that order.
func TestIncastWithLoadAndJitter(t *testing.T) {
	rules := Rules{StopPs: 1e10, ToPs: 1e10, Classes: 2}
	i := &Incast{
		Sources: hosts(0, 16), Receivers: hosts(0, 16), Senders: 5, Events: 1, Load: 0.5, CapacityBps: 160e9, ToPs: 1e10,
		Common: Common{Sizes: FixedSize(10_000), Rules: rules},
	}
	together := flows(t, i, rules, 3)
	i.JitterPs = 30_000_000 // an event every 5 us
	require.NoError(t, i.Check())
	list := flows(t, i, rules, 3)
	overlaps, last := 0, int64(0)
	lateSum, event := 0.0, map[uint32]int64{}
	for _, f := range together {
		event[f.Group] = f.StartPs
	}
	groups := map[uint32][]uint32{}
	for n, f := range list {
		require.Equal(t, uint32(n), f.ID)
		require.GreaterOrEqual(t, f.StartPs, last, "in the order of their starts")
		late := f.StartPs - event[f.Group]
		require.True(t, late >= 0 && late <= i.JitterPs, "%d", late)
		require.Less(t, f.StartPs, i.ToPs)
		if n > 0 && f.Group < list[n-1].Group {
			overlaps++
		}
		lateSum, last = lateSum+float64(late), f.StartPs
		groups[f.Group] = append(groups[f.Group], f.Src)
	}
	assert.Greater(t, overlaps, len(list)/20)
	assert.InDelta(t, 15e6, lateSum/float64(len(list)), 3*30e6/math.Sqrt(12*float64(len(list))), "evenly distributed")
	for group, senders := range groups {
		assert.Len(t, senders, 5, "event %d is whole", group)
	}
	assert.Less(t, len(list), len(together), "the last event leaves room for its jitter")
	assert.Greater(t, len(list), len(together)-200)

	i.JitterPs = i.ToPs
	assert.ErrorContains(t, i.Check(), "the senders of an event start up to 10ms later, so the first event has to be so long before the end at 10ms")
}

func TestSemiDynamic(t *testing.T) {
	c, rules := common(100_000, nil)
	s := &SemiDynamic{Pattern: anyToAny(t, 32), Paths: 1000, Step: 100, Least: 300, Most: 500, Events: 100, IntervalPs: 100, Common: c}
	require.NoError(t, s.Check())
	list := flows(t, s, rules, 1)
	seen := map[int]int{}
	previous := 0
	for event := 0; event <= 100; event++ {
		at := int64(5 + 100*event)
		busy := 0
		for _, f := range list {
			if f.StartPs <= at && (f.StopPs == -1 || f.StopPs > at) {
				busy++
			}
			if f.StartPs == at {
				assert.Equal(t, uint32(event+1), f.Group)
			}
		}
		if event == 0 {
			assert.Equal(t, 300, busy)
		} else {
			assert.Equal(t, 100, int(math.Abs(float64(busy-previous))), "event %d", event)
		}
		seen[busy]++
		previous = busy
	}
	assert.Len(t, seen, 3, "300, 400 and 500 are all met: %v", seen)
	assert.Greater(t, seen[400], 40)

	s.Most = 1100
	require.ErrorContains(t, s.Check(), "up to 1100 of 1000 paths")
	s.Most = 350
	require.ErrorContains(t, s.Check(), "leave room for one step")
	s.Most, s.IntervalPs = 500, 1000
	assert.ErrorContains(t, s.Check(), "the last event starts at 100.005ns, but the run stops at 100ns")
}

func TestPoissonRefuses(t *testing.T) {
	p, _ := poisson(t, 2, 0.5, FixedSize(1), 100)
	p.FromPs = 100
	require.ErrorContains(t, p.Check(), "they end after they begin")
	p.Load = 0
	assert.ErrorContains(t, p.Check(), "the load is 0; it is above 0")
}

// Incasts at a load: they come at random, and their bytes are the share of the
// capacity that was asked for.
func TestIncastAtALoad(t *testing.T) {
	rules := Rules{StopPs: 1e12, ToPs: 1e12, Classes: 2}
	g := &Incast{
		Sources: hosts(0, 64), Receivers: hosts(0, 64), Senders: 16, Events: 1, Load: 0.25, CapacityBps: 160e9, ToPs: 1e12,
		Common: Common{Sizes: FixedSize(4000), Rules: rules},
	}
	require.NoError(t, g.Check())
	var bytes, events, last float64
	gaps, squares := 0.0, 0.0
	group := uint32(0)
	for f, err := range g.Flows(1) {
		require.NoError(t, err)
		bytes += float64(f.Size)
		if f.Group != group {
			require.Equal(t, group+1, f.Group)
			group = f.Group
			gap := float64(f.StartPs) - last
			gaps, squares, last = gaps+gap, squares+gap*gap, float64(f.StartPs)
			events++
		}
	}
	assert.InEpsilon(t, 0.25*160e9/8, bytes, 0.02, "a second")
	assert.InEpsilon(t, 2, squares/events/(gaps/events)/(gaps/events), 0.05, "of exponential gaps")
	assert.InEpsilon(t, Expected(g), events*16, 0.02)
	asked, ok := g.AskedLoad()
	require.True(t, ok)
	assert.InDelta(t, 0.25, asked.Load, 0)
	g.Load = 0
	_, ok = g.AskedLoad()
	assert.False(t, ok)
}

// The parts of a mix that ask for shares of the same links ask for their sum.
func TestMixOfLoads(t *testing.T) {
	rules := Rules{StopPs: 1e11, ToPs: 1e11, Classes: 2}
	pattern, err := AnyToAny(hosts(0, 4), hosts(0, 4))
	require.NoError(t, err)
	long := &Poisson{Pattern: pattern, Sizes: FixedSize(1e5), Load: 0.3, Capacity: []int64{1e9, 1e9, 1e9, 1e9}, HostName: hostName, ToPs: 1e11, Rules: rules}
	short := &Incast{Sources: hosts(0, 4), Receivers: hosts(0, 4), Senders: 3, Events: 1, Load: 0.2, CapacityBps: 4e9, ToPs: 1e11, Common: Common{Sizes: FixedSize(1000), Rules: rules}}
	mix := &Mix{Parts: []Generator{short, long}}
	asked, ok := mix.AskedLoad()
	require.True(t, ok)
	assert.InDelta(t, 0.5, asked.Load, 1e-12)
	var tally Tally
	for _, err := range tally.Count(mix.Flows(1)) {
		require.NoError(t, err)
	}
	tally.Compare(mix, Rules{ToPs: 1e11})
	assert.InDelta(t, 0.5, tally.Load.Offered, 4*tally.Load.StandardError)
	assert.InDelta(t, 0.0245, tally.Load.StandardError, 0.001, "that of 150 long flows, and little of 3,333 incasts")

	// 0.2 of half as much is 0.1 of the first part's capacity.
	long.Capacity = []int64{5e8, 5e8, 5e8, 5e8}
	asked, _ = mix.AskedLoad()
	assert.InDelta(t, 0.35, asked.Load, 1e-12)
	assert.InDelta(t, 4e9, asked.CapacityBps, 0)

	// The load is that of both, while both send.
	short.StartPs, long.ToPs = 2e10, 8e10
	asked, _ = mix.AskedLoad()
	assert.Equal(t, []int64{2e10, 8e10}, []int64{asked.FromPs, asked.ToPs})
	tally = Tally{}
	for _, err := range tally.Count(mix.Flows(1)) {
		require.NoError(t, err)
	}
	tally.Compare(mix, Rules{ToPs: 1e11})
	assert.InDelta(t, 0.35, tally.Load.Offered, 4*tally.Load.StandardError, "each part over its own time")
	long.ToPs = 2e10
	_, ok = mix.AskedLoad()
	assert.False(t, ok, "one after the other")

	// Sessions in a closed loop offer what they get.
	long.ToPs, short.StartPs = 1e11, 0
	long.ClosedLoop, long.PerPair = true, 1
	asked, ok = mix.AskedLoad()
	assert.True(t, ok && !asked.ClosedLoop)
	assert.InDelta(t, 0.2, asked.Load, 1e-12)
	mix.Parts = []Generator{long, short}
	asked, ok = mix.AskedLoad()
	assert.True(t, ok && !asked.ClosedLoop)
	assert.InDelta(t, 0.2, asked.Load, 1e-12)
	mix.Parts = []Generator{long, long}
	asked, ok = mix.AskedLoad()
	assert.True(t, ok && asked.ClosedLoop)
}
