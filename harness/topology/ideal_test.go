package topology

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/base/units"
	"fabriclab/harness/scenario"
)

// push is the completion time of a flow each packet of which takes the path
// that choose gives it, in first-in-first-out queues.
func push(t *Topology, size int64, f Framing, choose func(packet int) []scenario.PortRef) int64 {
	type packet struct {
		number int
		wire   int64
		at     int64
		left   []scenario.PortRef
	}
	var under []packet
	for left := size; left > 0; left -= f.payload() {
		n := len(under)
		under = append(under, packet{n, f.wire(min(left, f.payload())), 0, choose(n)})
	}
	free := map[scenario.PortRef]int64{}
	var end int64
	for len(under) > 0 {
		next := slices.MinFunc(under, func(a, b packet) int {
			return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.number, b.number))
		})
		under = slices.DeleteFunc(under, func(p packet) bool { return p.number == next.number })
		if len(next.left) == 0 {
			end = max(end, next.at)
			continue
		}
		hop := t.hop(next.left[0].Node, next.left[0].Port)
		free[next.left[0]] = max(next.at, free[next.left[0]]) + units.SerializationTime(next.wire, hop.FastestBps)
		next.at, next.left = free[next.left[0]]+hop.DelayPs, next.left[1:]
		under = append(under, next)
	}
	return end
}

// TestNoWayToSendBeatsTheIdeal: packets over paths at random and in turn, on networks
// with and without different paths, hosts of one and of several links.
func TestNoWayToSendBeatsTheIdeal(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	rates := []int64{10e9, 25e9, 40e9, 100e9}
	of := func() (int64, int64) { return rates[rng.IntN(len(rates))], 1 + rng.Int64N(2*us) }
	for range 100 {
		spines, nics, same := 1+rng.IntN(4), 1+rng.IntN(2), rng.IntN(3) == 0
		host, hostDelay := of()
		rate, delay := of()
		c := Custom{Hosts: []string{"a", "b"}}
		for i := range nics {
			c.Switches = append(c.Switches, Switch{Name: fmt.Sprintf("s%d", i)}, Switch{Name: fmt.Sprintf("t%d", i)})
			c.Links = append(c.Links, CustomLink{"a", fmt.Sprintf("s%d", i), host, hostDelay}, CustomLink{fmt.Sprintf("t%d", i), "b", host, hostDelay})
		}
		for j := range spines {
			c.Switches = append(c.Switches, Switch{Name: fmt.Sprintf("m%d", j)})
			for i := range nics {
				if !same {
					rate, delay = of()
				}
				c.Links = append(c.Links, CustomLink{fmt.Sprintf("s%d", i), fmt.Sprintf("m%d", j), rate, delay}, CustomLink{fmt.Sprintf("m%d", j), fmt.Sprintf("t%d", i), rate, delay})
			}
		}
		topo := build(t, c)
		f := Framing{MTU: 1518, Header: 62, MinFrame: 64, Ack: 64}
		size := 1 + rng.Int64N(12*f.payload())
		ideal, err := topo.IdealFCT(0, 1, uint64(size), f)
		require.NoError(t, err)
		paths := map[string][]scenario.PortRef{}
		for range 200 {
			path := topo.Path(0, 1, Hashes{rng.Uint64(), rng.Uint64()}, 0)
			paths[fmt.Sprint(path)] = path
		}
		var list [][]scenario.PortRef
		for _, path := range paths {
			list = append(list, path)
		}
		best := int64(1) << 62
		for range 30 {
			best = min(best, push(topo, size, f, func(int) []scenario.PortRef { return list[rng.IntN(len(list))] }))
		}
		for _, path := range list {
			best = min(best, push(topo, size, f, func(int) []scenario.PortRef { return path }))
		}
		best = min(best, push(topo, size, f, func(i int) []scenario.PortRef { return list[i%len(list)] }))
		require.GreaterOrEqual(t, best, ideal, "%+v %d", c, size)
		if len(list) == 1 {
			require.Equal(t, best, ideal, "%+v %d", c, size)
		}
	}
}

// TestIdealOfAllPathsTogether: what is narrower than the hosts' links decides.
func TestIdealOfAllPathsTogether(t *testing.T) {
	const size = 20_000_000
	long := func(topo *Topology) float64 {
		ideal, err := topo.IdealFCT(0, 1, size, framing)
		require.NoError(t, err)
		return float64(ideal)
	}
	wire := float64(framing.WireBytes(size)) * 8e12
	clos := func(spines int) *Topology {
		return build(t, LeafSpine{2, spines, 1, 1, Cabling{HostRate: 100e9, FabricRate: 40e9, HostDelay: us, FabricDelay: us}})
	}
	assert.InEpsilon(t, wire/40e9, long(clos(1)), 0.01)
	assert.InEpsilon(t, wire/80e9, long(clos(2)), 0.01)
	assert.InEpsilon(t, wire/100e9, long(clos(4)), 0.01)
	assert.InEpsilon(t, wire/80e9, long(build(t, Custom{
		Hosts: []string{"a", "b"}, Switches: []Switch{{Name: "s"}, {Name: "t"}},
		Links: []CustomLink{{"a", "s", 40e9, us}, {"b", "s", 40e9, us}, {"a", "t", 40e9, us}, {"b", "t", 40e9, us}},
	})), 0.01, "two links of each host")

	// With links as fast as the hosts' a flow of some packets has what it has on one path.
	fast := build(t, LeafSpine{2, 4, 1, 1, Cabling{HostRate: 100e9, FabricRate: 100e9, HostDelay: us, FabricDelay: us}})
	for _, bytes := range []uint64{1, 1456, 2912, 3 * 1456, 3*1456 + 1, 12345, size} {
		ideal, err := fast.IdealFCT(0, 1, bytes, framing)
		require.NoError(t, err)
		assert.Equal(t, idealFCT(slices.Repeat([]Hop{steady(100e9, us)}, 4), bytes, framing), ideal, "%d B", bytes)
	}
}

// TestIdealAcrossAFailure: before it there is a slow path of two switches,
// after it a fast one of three.
func TestIdealAcrossAFailure(t *testing.T) {
	c := Custom{
		Hosts: []string{"a", "b"}, Switches: []Switch{{Name: "s"}, {Name: "m"}, {Name: "t"}},
		Links: []CustomLink{{"a", "s", 100e9, us}, {"b", "t", 100e9, us}, {"s", "t", 10e9, 9 * us}, {"s", "m", 80e9, us}, {"m", "t", 80e9, us}},
	}
	slow, err := build(t, c).IdealFCT(0, 1, 1e6, framing)
	require.NoError(t, err)
	assert.Equal(t, idealFCT([]Hop{steady(100e9, us), steady(10e9, 9*us), steady(100e9, us)}, 1e6, framing), slow)
	c.Failures = []Failure{{Link: "s->t", AtPs: us, UntilPs: -1}}
	fast, err := build(t, c).IdealFCT(0, 1, 1e6, framing)
	require.NoError(t, err)
	alone := idealFCT([]Hop{steady(100e9, us), steady(80e9, us), steady(80e9, us), steady(100e9, us)}, 1e6, framing)
	assert.LessOrEqual(t, fast, alone)
	assert.InEpsilon(t, alone, fast, 0.15, "both paths together carry 90 Gb/s")
}

// TestIdealOfMixedPaths: a packet that is under way when the routes change goes
// on by the new ones, so its path may be shorter than those before and after.
func TestIdealOfMixedPaths(t *testing.T) {
	topo := build(t, Custom{
		Hosts: []string{"a", "b"}, Switches: []Switch{{Name: "s"}, {Name: "x"}, {Name: "z"}, {Name: "w"}, {Name: "t"}},
		Links: []CustomLink{
			{"a", "s", 100e9, us}, {"b", "t", 100e9, us},
			{"s", "x", 100e9, us}, {"x", "t", 100e9, 50 * us}, // at first
			{"s", "z", 100e9, 50 * us}, {"z", "t", 100e9, us}, // then
			{"x", "w", 100e9, us}, {"w", "t", 100e9, us},
		},
		Cabling: Cabling{Failures: []Failure{{Link: "s->z", AtPs: us, UntilPs: 10 * us}, {Link: "x->t", AtPs: 10 * us, UntilPs: -1}}},
	})
	for _, size := range []uint64{1, 1456, 10_000} {
		ideal, err := topo.IdealFCT(0, 1, size, framing)
		require.NoError(t, err)
		assert.LessOrEqual(t, ideal, topo.PathFCT([]uint32{0, 2, 6, 7, 1}, size, framing), "a, s, x, w, t, b")
		assert.Greater(t, ideal, 5*us, "%d B: five links", size)
	}
}

// TestViewsAreMadeOnce for all pairs of hosts.
func TestViewsAreMadeOnce(t *testing.T) {
	c := Cabling{HostRate: 100e9, FabricRate: 100e9, HostDelay: us, FabricDelay: us, Failures: []Failure{{Link: "leaf0->spine0", AtPs: us, UntilPs: -1}}}
	topo := build(t, LeafSpine{8, 4, 4, 1, c})
	_, err := topo.IdealFCT(0, 31, 1e6, framing)
	require.NoError(t, err)
	first := topo.views[1]
	_, err = topo.IdealFCT(9, 17, 1e6, framing)
	require.NoError(t, err)
	assert.Same(t, first, topo.views[1])
	assert.Len(t, topo.views, 2)
}

// TestWalksStayFew where links differ in everything: what is left beats them all.
func TestWalksStayFew(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	var all walks
	least := map[int64]int64{64: math.MaxInt64, 1518: math.MaxInt64}
	for i := range int64(5 * maxWalks) {
		w := walk{i, []int64{1e9 + 1e3*i*i + rng.Int64N(1e3)}}
		all.add(w)
		for wire := range least {
			least[wire] = min(least[wire], walks{w}.takes(wire))
		}
		require.LessOrEqual(t, len(all), maxWalks)
	}
	for wire, ps := range least {
		assert.LessOrEqual(t, all.takes(wire), ps)
	}
	assert.NotEmpty(t, all)
}
