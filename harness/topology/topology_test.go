package topology

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/base/units"
	"fabriclab/harness/scenario"
)

const us = units.Microsecond

// steady is a hop over a link that keeps its rate.
func steady(rate, delay int64) Hop { return Hop{rate, rate, delay} }

func cabling() Cabling {
	return Cabling{HostRate: 100e9, FabricRate: 100e9, HostDelay: 1_500_000, FabricDelay: 1_500_000}
}

var framing = Framing{MTU: 1518, Header: 62, Ack: 64, MinFrame: 64}

type builder interface{ Build() (*Topology, error) }

func build(t *testing.T, b builder) *Topology {
	t.Helper()
	topo, err := b.Build()
	require.NoError(t, err)
	return topo
}

func host(t *testing.T, topo *Topology, name string) uint32 {
	t.Helper()
	id, err := topo.Host(name)
	require.NoError(t, err)
	return id
}

func portNames(topo *Topology, path []scenario.PortRef) []string {
	var names []string
	for _, ref := range path {
		names = append(names, topo.PortName(ref))
	}
	return names
}

func TestDumbbell(t *testing.T) {
	topo := build(t, Dumbbell{Switches: 3, Senders: 2, Receivers: 1, Cabling: cabling()})
	assert.Equal(t, []string{"sender0", "sender1", "receiver0", "s1", "s2", "s3"}, topo.NodeNames())
	assert.Equal(t, []string{"sender0", "sender1", "receiver0"}, topo.HostNames())
	assert.Equal(t, scenario.Link{ID: 3, A: 3, APort: 2, B: 4, BPort: 0, RateBps: 100e9, DelayPs: 1_500_000}, topo.Links[3])
	path := topo.Path(host(t, topo, "sender1"), host(t, topo, "receiver0"), Hashes{}, 0)
	assert.Equal(t, []string{"sender1->s1", "s1->s2", "s2->s3", "s3->receiver0"}, portNames(topo, path))
	assert.Equal(t, []scenario.Route{{Node: 3, Dst: 0, Port: 0}, {Node: 3, Dst: 1, Port: 1}, {Node: 3, Dst: 2, Port: 2}, {Node: 4, Dst: 0, Port: 0}},
		slices.Collect(topo.Routes())[:4])
}

// TestChainHops is FNCC's Figure 11: by the switch it joins at, the second
// sender makes the first, middle or last hop the shared one.
func TestChainHops(t *testing.T) {
	for at, want := range map[string][]string{
		"s1": {"s1->s2", "s2->s3", "s3->receiver0"},
		"s2": {"s2->s3", "s3->receiver0"},
		"s3": {"s3->receiver0"},
	} {
		topo := build(t, Chain{Switches: 3, Hosts: []Attachment{{"sender0", "s1"}, {"sender1", at}, {"receiver0", "s3"}}, Cabling: cabling()})
		receiver := host(t, topo, "receiver0")
		first := portNames(topo, topo.Path(host(t, topo, "sender0"), receiver, Hashes{}, 0))
		second := portNames(topo, topo.Path(host(t, topo, "sender1"), receiver, Hashes{}, 0))
		shared := slices.DeleteFunc(second, func(p string) bool { return !slices.Contains(first, p) })
		assert.Equal(t, want, shared, at)
	}
}

func TestStar(t *testing.T) {
	topo := build(t, Star{Hosts: 4, Cabling: cabling()})
	assert.Equal(t, []string{"host0", "host1", "host2", "host3", "s1"}, topo.NodeNames())
	assert.Equal(t, []string{"host3->s1", "s1->host0"}, portNames(topo, topo.Path(3, 0, Hashes{7, 7}, 0)))
}

func TestLeafSpine(t *testing.T) {
	c := Cabling{HostRate: 10e9, FabricRate: 40e9, HostDelay: us, FabricDelay: 2 * us, Failed: []string{"spine1->leaf1#1"}}
	topo := build(t, LeafSpine{Leaves: 2, Spines: 2, HostsPerLeaf: 32, Parallel: 2, Cabling: c})
	assert.Len(t, topo.Nodes, 64+4)
	assert.Len(t, topo.Links, 64+8-1)
	uplinks := func(leaf, dst string) []string {
		var names []string
		for _, p := range topo.nextHops(nil, topo.byName[leaf], topo.byName[dst]) {
			names = append(names, topo.PortName(scenario.PortRef{Node: topo.byName[leaf], Port: p}))
		}
		return names
	}
	assert.Equal(t, []string{"leaf0->spine0", "leaf0->spine1", "leaf0->spine0#1", "leaf0->spine1#1"}, uplinks("leaf0", "host32"))
	assert.Equal(t, []string{"leaf1->spine0", "leaf1->spine1", "leaf1->spine0#1"}, uplinks("leaf1", "host31"))
	assert.Equal(t, []string{"spine0->leaf1", "spine0->leaf1#1"}, uplinks("spine0", "host32"))
	assert.Equal(t, []string{"spine1->leaf1"}, uplinks("spine1", "host32"))
	for pattern, want := range map[string][]string{
		"leaf1->spine[0]": {"leaf1->spine0"},
		"leaf1->spine*":   {"leaf1->spine0", "leaf1->spine0#1", "leaf1->spine1"}, // one is down
		"spine0->leaf0*":  {"spine0->leaf0", "spine0->leaf0#1"},
		"spine1->leaf0#1": {"spine1->leaf0#1"},
	} {
		refs, err := topo.Ports(pattern)
		require.NoError(t, err)
		var names []string
		for _, ref := range refs {
			names = append(names, topo.PortName(ref))
		}
		assert.ElementsMatch(t, want, names, pattern)
	}
	for _, pattern := range []string{"spin*->leave*", "spine*->leaf[", "spine9->leaf0"} {
		_, err := topo.Ports(pattern)
		require.Error(t, err, pattern)
	}
	ref, err := topo.Port("leaf1->spine0#1")
	require.NoError(t, err)
	assert.Equal(t, "leaf1->spine0#1", topo.PortName(ref))
	assert.Equal(t, int64(40e9), topo.Link(ref).RateBps)
}

func TestFatTree(t *testing.T) {
	topo := build(t, FatTree{K: 8, Cabling: cabling()})
	assert.Len(t, topo.HostNames(), 128)
	assert.Len(t, topo.Nodes, 128+80)
	assert.Len(t, topo.Links, 3*128)
	for i, node := range topo.Nodes {
		if node.Kind == scenario.Switch {
			assert.Len(t, topo.ports[i], 8, node.Name)
		}
	}
	assert.Equal(t, []string{"host0->pod0-edge0", "pod0-edge0->host3"}, portNames(topo, topo.Path(0, 3, Hashes{1, 1}, 0)))
	assert.Len(t, topo.Path(0, 15, Hashes{1, 1}, 0), 4)
	assert.Len(t, topo.Path(0, 127, Hashes{1, 1}, 0), 6)
	assert.Len(t, topo.Profiles(0, 127), 1)
}

// Four times as many hosts as uplinks at every edge switch: 64 hosts, and 1024.
func TestOversubscribedFatTree(t *testing.T) {
	topo := build(t, FatTree{K: 4, HostsPerEdge: 8, Cabling: cabling()})
	assert.Len(t, topo.HostNames(), 64)
	edge, err := topo.Port("pod0-edge0->pod0-agg0")
	require.NoError(t, err)
	assert.Len(t, topo.ports[edge.Node], 10)

	large := FatTree{K: 8, Pods: 16, HostsPerEdge: 16, Cabling: cabling()}
	assert.Equal(t, Size{1024, 2*16*4 + 16, 1024 + 2*16*16}, large.Size())
	topo = build(t, large)
	assert.Len(t, topo.HostNames(), 1024)
	core, err := topo.Port("core15->pod15-agg3")
	require.NoError(t, err)
	assert.Len(t, topo.ports[core.Node], 16)
	links := 0
	for dst := uint32(1); dst < 1024; dst++ {
		links += len(topo.Path(0, dst, Hashes{Switch: uint64(dst)}, 0))
	}
	assert.InDelta(t, 5.85, float64(links)/1023, 0.01)
	_, err = FatTree{K: 4, Pods: -1, Cabling: cabling()}.Build()
	require.ErrorContains(t, err, "out of range")
}

// TestSymmetric walks every pair of hosts in both directions: with symmetric
// ECMP, the ACKs take the data's links backwards. All links are used: salts
// that polarise would leave some out.
func TestSymmetric(t *testing.T) {
	for name, b := range map[string]builder{
		"fat-tree k=4":        FatTree{K: 4, Cabling: cabling()},
		"fat-tree k=6":        FatTree{K: 6, Cabling: cabling()},
		"oversubscribed":      FatTree{K: 4, Pods: 3, HostsPerEdge: 4, Cabling: cabling()},
		"leaf-spine":          LeafSpine{Leaves: 4, Spines: 3, HostsPerLeaf: 6, Parallel: 1, Cabling: cabling()},
		"leaf-spine parallel": LeafSpine{Leaves: 3, Spines: 2, HostsPerLeaf: 8, Parallel: 3, Cabling: cabling()},
		"dumbbell":            Dumbbell{Switches: 3, Senders: 4, Receivers: 2, Cabling: cabling()},
	} {
		t.Run(name, func(t *testing.T) {
			topo := build(t, b)
			used := map[uint32]int{}
			hosts := uint32(len(topo.HostNames()))
			for src := range hosts {
				for dst := range hosts {
					if src == dst {
						continue
					}
					for id := range uint16(8) {
						sport, dport := 49152+id, uint16(4791)
						data := topo.Path(src, dst, topo.FlowHash(src, dst, sport, dport, true), 0)
						ack := topo.Path(dst, src, topo.FlowHash(dst, src, dport, sport, true), 0)
						var forward, backward []uint32
						for _, ref := range data {
							forward = append(forward, topo.Link(ref).ID)
							used[topo.Link(ref).ID]++
						}
						for _, ref := range ack {
							backward = append(backward, topo.Link(ref).ID)
						}
						slices.Reverse(backward)
						require.Equal(t, forward, backward, "%d -> %d", src, dst)
					}
				}
			}
			assert.Len(t, used, len(topo.Links))
		})
	}
}

func TestOnlyPath(t *testing.T) {
	topo := build(t, Dumbbell{Switches: 3, Senders: 2, Receivers: 1, Cabling: cabling()})
	path, only := topo.OnlyPath(host(t, topo, "sender1"), host(t, topo, "receiver0"))
	assert.True(t, only)
	assert.Equal(t, []string{"sender1->s1", "s1->s2", "s2->s3", "s3->receiver0"}, portNames(topo, path))
	topo = build(t, LeafSpine{Leaves: 2, Spines: 2, HostsPerLeaf: 2, Parallel: 1, Cabling: cabling()})
	_, only = topo.OnlyPath(0, 1)
	assert.True(t, only, "within a leaf")
	_, only = topo.OnlyPath(0, 2)
	assert.False(t, only)
}

func TestWireBytes(t *testing.T) {
	f := Framing{MTU: 1000, Header: 40, MinFrame: 64}
	assert.Equal(t, uint64(0), f.WireBytes(0))
	assert.Equal(t, uint64(64), f.WireBytes(1), "the smallest frame")
	assert.Equal(t, uint64(1000), f.WireBytes(960))
	assert.Equal(t, uint64(2140), f.WireBytes(2020))
	assert.InDelta(t, 0.96, f.Goodput(), 1e-15)
}

func TestPlainHashDiffersByDirection(t *testing.T) {
	topo := build(t, Star{Hosts: 4, Cabling: cabling()})
	there, back := topo.FlowHash(1, 2, 3, 4, false), topo.FlowHash(2, 1, 4, 3, false)
	assert.NotEqual(t, there, back)
	assert.Equal(t, there.Host, there.Switch)
	symmetric, backwards := topo.FlowHash(1, 2, 3, 4, true), topo.FlowHash(2, 1, 4, 3, true)
	assert.Equal(t, symmetric.Switch, backwards.Switch)
	assert.Equal(t, []uint64{there.Host, back.Host}, []uint64{symmetric.Host, backwards.Host})
	assert.Contains(t, []uint64{there.Switch, back.Switch}, symmetric.Switch, "that of the lower end")
}

// TestHashValues pins the function to values computed apart from it.
func TestHashValues(t *testing.T) {
	topo := build(t, LeafSpine{Leaves: 2, Spines: 4, HostsPerLeaf: 2, Parallel: 1, Cabling: cabling()})
	h := topo.FlowHash(0, 2, 49152, 4791, true)
	assert.Equal(t, Hashes{Host: 0xc49d5f3a41348f24, Switch: 0xe94554e99ff76715}, h)
	assert.Equal(t, []int{2, 1, 2}, []int{Choose(h.Switch, 0, 4), Choose(h.Switch, 1, 4), Choose(h.Switch, 2, 4)})

	// The model's tests have the same numbers.
	named := build(t, Custom{Hosts: []string{"h0", "h2"}, Switches: []Switch{{Name: "s"}}, Links: []CustomLink{{"h0", "s", 1, 0}, {"h2", "s", 1, 0}}})
	assert.Equal(t, Hashes{Host: 0xb58169b79cd75fc0, Switch: 0x2aceb12054aaa843}, named.FlowHash(0, 1, 49152, 4791, true))

	// What the model's functions choose among four at a switch with the salt 0, by ecmp.salt.
	for draw, spine := range map[uint64]string{0: "spine2", 1: "spine3", 2: "spine2", 7: "spine2", 1e9: "spine1"} {
		assert.Equal(t, "leaf0->"+spine, topo.PortName(topo.Path(0, 2, h, draw)[1]), "ecmp.salt %d", draw)
	}
}

func TestCustom(t *testing.T) {
	custom := Custom{
		Hosts:    []string{"a", "b"},
		Switches: []Switch{{Name: "l0"}, {Name: "l1"}, {Name: "s0"}, {Name: "s1"}},
		Links: []CustomLink{
			{"a", "l0", 100e9, us}, {"b", "l1", 100e9, us},
			{"l0", "s0", 80e9, us}, {"l1", "s0", 80e9, us},
			{"l0", "s1", 80e9, us}, {"s1", "l1", 40e9, us},
		},
	}
	topo := build(t, custom)
	assert.Len(t, topo.Profiles(0, 1), 2)
	fast, err := topo.IdealFCT(0, 1, 1e6, framing)
	require.NoError(t, err)
	assert.Less(t, fast, idealFCT([]Hop{steady(100e9, us), steady(80e9, us), steady(80e9, us), steady(100e9, us)}, 1e6, framing))
	assert.GreaterOrEqual(t, fast, idealFCT(slices.Repeat([]Hop{steady(100e9, us)}, 4), 1e6, framing), "both paths carry more than the hosts' links")
	rtt := 8 * us
	for _, rate := range []int64{100e9, 80e9, 40e9, 100e9} {
		rtt += units.SerializationTime(1518, rate) + units.SerializationTime(64, rate)
	}
	assert.Equal(t, rtt, topo.BaseRTT(0, 1, framing), "the slower path counts")
}

func TestBuildRefuses(t *testing.T) {
	c := cabling()
	failed := func(links ...string) Cabling { c := cabling(); c.Failed = links; return c }
	extra := func(hosts ...ExtraHost) Cabling { c := cabling(); c.Extra = hosts; return c }
	rate := int64(0)
	tests := []struct {
		name        string
		b           builder
		field, want string
	}{
		{"odd k", FatTree{K: 5, Cabling: c}, "k", "even number from 2 to 64, not 5"},
		{"no switch", Dumbbell{Senders: 1, Receivers: 1, Cabling: c}, "switches", "0 is out of range; allowed: from 1"},
		{"no such switch", Chain{3, []Attachment{{"a", "s4"}}, c}, "hosts.a", `there is no node "s4"; did you mean "s1"`},
		{"host on host", Chain{3, []Attachment{{"a", "s1"}, {"b", "a"}}, c}, "hosts.b", "a link joins a switch with a host or with another switch, not b with a"},
		{"same name", Chain{3, []Attachment{{"s2", "s1"}}, c}, "switches", `the name "s2" is used twice`},
		{"bad name", Chain{3, []Attachment{{"a->b", "s1"}}, c}, "hosts", `"a->b" is no name of a node`},
		{"failed unknown", Star{2, failed("s1->host7")}, "failed.0", `there is no link "s1->host7" in this topology; did you mean "s1->host0"`},
		{"failed no port", Star{2, failed("s1-host0")}, "failed.0", `"s1-host0" is not a port; write node->neighbour`},
		{"failed twice", Dumbbell{2, 1, 1, failed("s1->s2", "s2->s1")}, "failed.1", "has failed already"},
		{"cut off", Dumbbell{2, 1, 1, failed("s1->s2")}, "links", "there is no way from host sender0 to host receiver0"},
		{"host cut off", Star{2, failed("s1->host1")}, "hosts", "host host1 has no link that works"},
		{"rate 0", Star{2, Cabling{HostRate: 1, Overrides: []Override{{Link: "host1->s1", Rate: &rate}}}}, "links", "the link host1-s1 has the rate 0"},
		{"override unknown", Star{2, Cabling{HostRate: 1, Overrides: []Override{{Link: "host1->s2"}}}}, "overrides.0.link", `there is no link "host1->s2"`},
		{"no forwarding", Custom{Hosts: []string{"both", "a", "b"}, Switches: []Switch{{Name: "s"}, {Name: "t"}}, Links: []CustomLink{{"both", "s", 1, 0}, {"both", "t", 1, 0}, {"a", "s", 1, 0}, {"b", "t", 1, 0}}}, "links", "there is no way from host both to host a over the link to t: a host with several links sends over any of them, so each has to lead to all hosts; add a link from t, or take away that of both to it"},
		{"through a host", Custom{Hosts: []string{"a", "both", "b"}, Switches: []Switch{{Name: "s"}, {Name: "t"}}, Links: []CustomLink{{"both", "s", 1, 0}, {"both", "t", 1, 0}, {"a", "s", 1, 0}, {"b", "t", 1, 0}}}, "links", "there is no way from host both to host a over the link to t"},
		{"only through hosts", Custom{Hosts: []string{"a", "b", "both"}, Switches: []Switch{{Name: "s"}, {Name: "t"}}, Links: []CustomLink{{"both", "s", 1, 0}, {"both", "t", 1, 0}, {"a", "s", 1, 0}, {"b", "t", 1, 0}}}, "links", "there is no way from host a to host b but through other hosts, which forward nothing; add a link between switches"},
		{"extra host twice", Star{2, extra(ExtraHost{Name: "host1", Switches: []string{"s1"}, Rate: 1})}, "extra_hosts.0.name", `the name "host1" is used twice`},
		{"extra host's switch", Star{2, extra(ExtraHost{Name: "x", Switches: []string{"s2"}, Rate: 1})}, "extra_hosts.0.switches.0", `there is no switch "s2" in this topology; did you mean "s1"`},
		{"extra host on a host", Star{2, extra(ExtraHost{Name: "x", Switches: []string{"host*"}, Rate: 1})}, "extra_hosts.0.switches.0", `there is no switch "host*"`},
		{"extra host's pattern", Star{2, extra(ExtraHost{Name: "x", Switches: []string{"s["}, Rate: 1})}, "extra_hosts.0.switches.0", `"s[": this is not a pattern`},
		{"extra host's switch twice", Star{2, extra(ExtraHost{Name: "x", Switches: []string{"s1", "s*"}, Rate: 1})}, "extra_hosts.0.switches.1", `"s*" names the switch s1 a second time`},
		{"unknown node", Custom{Hosts: []string{"a"}, Switches: []Switch{{Name: "s"}}, Links: []CustomLink{{"a", "t", 1, 0}}}, "links.0", `there is no node "t"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := tt.b.Build()
			var fieldError *FieldError
			require.ErrorAs(t, err, &fieldError)
			assert.Equal(t, tt.field, fieldError.Field)
			assert.ErrorContains(t, err, tt.want)
		})
	}
}

// allocator is a leaf-spine of 3 leaves, 2 spines and 2 hosts each, with an
// extra host on both spines.
func allocator(t *testing.T, failures ...Failure) *Topology {
	t.Helper()
	c := cabling()
	c.Extra = []ExtraHost{{Name: "allocator", Switches: []string{"spine*"}, Rate: 40e9, Delay: 2 * us}}
	c.Failures = failures
	return build(t, LeafSpine{Leaves: 3, Spines: 2, HostsPerLeaf: 2, Parallel: 1, Cabling: c})
}

// An extra host has a link to each of its switches, behind all other links,
// and takes no part in workloads.
func TestExtraHost(t *testing.T) {
	topo := allocator(t)
	plain := build(t, LeafSpine{Leaves: 3, Spines: 2, HostsPerLeaf: 2, Parallel: 1, Cabling: cabling()})
	x := host(t, topo, "allocator")
	assert.Equal(t, uint32(6), x)
	assert.Len(t, topo.HostNames(), 7)
	assert.Equal(t, []uint32{0, 1, 2, 3, 4, 5}, topo.UsualHosts())
	assert.Equal(t, int64(80e9), topo.HostRate(x))
	assert.Equal(t, int64(100e9), topo.HostRate(0))
	last := topo.Links[len(topo.Links)-2:]
	assert.Equal(t, scenario.Link{ID: 12, A: x, APort: 0, B: 10, BPort: 3, RateBps: 40e9, DelayPs: 2 * us}, last[0])
	assert.Equal(t, scenario.Link{ID: 13, A: x, APort: 1, B: 11, BPort: 3, RateBps: 40e9, DelayPs: 2 * us}, last[1])
	for i, l := range plain.Links {
		assert.Equal(t, []uint16{l.APort, l.BPort}, []uint16{topo.Links[i].APort, topo.Links[i].BPort}, "the other ports keep their numbers")
	}
	assert.Equal(t, plain.UplinkRate(6), topo.UplinkRate(7), "uplinks are between switches")
	assert.Equal(t, "allocator->spine1", topo.PortName(scenario.PortRef{Node: x, Port: 1}))
	refs, err := topo.Ports("spine*->allocator")
	require.NoError(t, err)
	assert.Equal(t, []scenario.PortRef{{Node: 10, Port: 3}, {Node: 11, Port: 3}}, refs)

	// A switch sends to it over every shortest path, and it sends over both links.
	assert.Equal(t, []uint16{2, 3}, hops(topo.Routes(), 7, x), "leaf0 to both spines")
	assert.Equal(t, []uint16{3}, hops(topo.Routes(), 10, x), "spine0 to it")
	assert.Empty(t, hops(topo.Routes(), x, 0), "a host has no routes: it sends over all of its links")
	taken := map[string]bool{}
	for port := range uint16(20) {
		data := topo.Path(0, x, topo.FlowHash(0, x, port, 1, true), 0)
		ack := topo.Path(x, 0, topo.FlowHash(x, 0, 1, port, true), 0)
		require.Len(t, data, 3)
		require.Len(t, ack, 3)
		taken[topo.PortName(ack[0])] = true
	}
	assert.Len(t, taken, 2)

	rtt := 2 * (1_500_000 + 1_500_000 + 2*us)
	for _, rate := range []int64{100e9, 100e9, 40e9} {
		rtt += units.SerializationTime(1518, rate) + units.SerializationTime(64, rate)
	}
	assert.Equal(t, rtt, topo.BaseRTT(0, x, framing))
	assert.Equal(t, rtt, topo.BaseRTT(x, 0, framing))
	assert.Equal(t, plain.BaseRTT(0, 5, framing), topo.BaseRTT(0, 5, framing), "nobody goes through it")
	fct, err := topo.IdealFCT(x, 0, 1e5, framing)
	require.NoError(t, err)
	assert.Less(t, fct, idealFCT([]Hop{steady(40e9, 2*us), steady(100e9, 1_500_000), steady(100e9, 1_500_000)}, 1e5, framing))
	assert.Greater(t, fct, int64(1e5*8e12/80e9), "two links of 40 Gb/s")
}

// ladder has stages of two links side by side, fast ones and slow ones.
func ladder(stages int, slow int64) Custom {
	c := Custom{Hosts: []string{"a", "b"}, Switches: []Switch{{Name: "s0"}}}
	for i := range stages {
		from, to := fmt.Sprintf("s%d", i), fmt.Sprintf("s%d", i+1)
		c.Switches = append(c.Switches, Switch{Name: to})
		c.Links = append(c.Links, CustomLink{from, to, 100e9, us}, CustomLink{from, to, slow, us})
	}
	c.Links = append(c.Links, CustomLink{"a", "s0", 100e9, us}, CustomLink{c.Switches[stages].Name, "b", 100e9, us})
	return c
}

func TestManyPathsOfFewKinds(t *testing.T) {
	pairs := maps.All(map[uint32]uint32{0: 1})
	same := build(t, ladder(60, 100e9))
	assert.Len(t, same.Profiles(0, 1), 1, "2^60 paths that do not differ")
	require.NoError(t, same.CheckPaths(pairs))
	assert.Len(t, build(t, ladder(8, 40e9)).Profiles(0, 1), 256)
	err := build(t, ladder(60, 40e9)).CheckPaths(pairs)
	require.Error(t, err)
	assert.Contains(t, err.Error(), "between a and b there are more than 1000 equal-cost paths that differ")
}

// A host with several links sends over all of them. The fastest path gives
// the ideal completion time, the slowest one the base RTT.
func TestHostWithSeveralLinks(t *testing.T) {
	topo := build(t, Custom{
		Hosts:    []string{"a", "b"},
		Switches: []Switch{{Name: "s"}, {Name: "t"}},
		Links:    []CustomLink{{"a", "s", 10e9, us}, {"a", "t", 40e9, us}, {"a", "s", 20e9, us}, {"b", "s", 10e9, us}, {"s", "t", 40e9, us}},
	})
	assert.Equal(t, []uint16{0, 1, 2}, topo.nextHops(nil, 0, 1))
	assert.Equal(t, []uint32{2, 3}, topo.Attached(0))
	assert.Equal(t, []uint16{0, 1}, topo.nextHops(nil, topo.byName["s"], 0))
	assert.Equal(t, "a->s#1", topo.PortName(scenario.PortRef{Node: 0, Port: 2}))
	assert.Len(t, topo.Profiles(0, 1), 3)
	rtt := 6 * us
	for _, rate := range []int64{40e9, 40e9, 10e9} {
		rtt += units.SerializationTime(1518, rate) + units.SerializationTime(64, rate)
	}
	assert.Equal(t, rtt, topo.BaseRTT(0, 1, framing), "by way of t")
	assert.Equal(t, rtt, topo.BaseRTT(1, 0, framing), "the ACK may come by way of t")
	fct, err := topo.IdealFCT(0, 1, 1e5, framing)
	require.NoError(t, err)
	assert.Equal(t, idealFCT([]Hop{steady(20e9, us), steady(10e9, us)}, 1e5, framing), fct)
}

func TestMatch(t *testing.T) {
	topo := allocator(t)
	for pattern, want := range map[string][]uint32{"host[0-2]": {0, 1, 2}, "*or": {6}, "allocator": {6}, "spine?": {10, 11}} {
		got, err := topo.Match(pattern)
		require.NoError(t, err)
		assert.Equal(t, want, got, pattern)
	}
	for pattern, want := range map[string]string{"alocator": `there is no node "alocator" in this topology; did you mean "allocator"`, "rack*": `there is no node "rack*"`, "host[": "this is not a pattern"} {
		_, err := topo.Match(pattern)
		assert.ErrorContains(t, err, want)
	}
}

func TestLookupRefuses(t *testing.T) {
	topo := build(t, Dumbbell{Switches: 3, Senders: 2, Receivers: 1, Cabling: cabling()})
	_, err := topo.Host("sender2")
	require.ErrorContains(t, err, `there is no host "sender2" in this topology; did you mean "sender0"`)
	_, err = topo.Host("s1")
	require.ErrorContains(t, err, `"s1" is a switch, not a host`)
	for name, want := range map[string]string{
		"s1->s3":    `there is no port "s1->s3" in this topology; did you mean "s1->s2"`,
		"s4->s3":    `there is no node "s4"`,
		"s1->s2#1":  `there is no port "s1->s2#1"`,
		"s1->s2#0":  `is not a port`,
		"s1->s2#x":  `is not a port`,
		"s1":        `is not a port`,
		"s1->":      `is not a port`,
		"s1->s2->3": `there is no port`,
	} {
		_, err = topo.Port(name)
		assert.ErrorContains(t, err, want)
	}
}

// TestBaseRTT: 4 hops of 1.5 us, 1518 B and 64 B at 100 Gb/s.
func TestBaseRTT(t *testing.T) {
	topo := build(t, Dumbbell{Switches: 3, Senders: 2, Receivers: 1, Cabling: cabling()})
	want := 8*1_500_000 + 4*(int64(121_440)+5_120)
	assert.Equal(t, want, topo.BaseRTT(0, 2, framing))
	pairs := map[uint32]uint32{0: 1, 1: 2}
	assert.Equal(t, want, topo.MaxBaseRTT(maps.All(pairs), framing))
	assert.Zero(t, topo.MaxBaseRTT(maps.All(map[uint32]uint32{}), framing))
}

// TestIdealFCT compares the closed form with every packet pushed through
// every hop.
func TestIdealFCT(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	rates := []int64{10e9, 25e9, 40e9, 100e9, 400e9, 3e9}
	for range 3000 {
		hops := make([]Hop, 1+rng.IntN(6))
		for i := range hops {
			hops[i] = steady(rates[rng.IntN(len(rates))], rng.Int64N(2*us))
		}
		f := Framing{MTU: 100 + rng.Int64N(1500), Header: rng.Int64N(90), MinFrame: rng.Int64N(300), Ack: 64}
		f.MinFrame = min(f.MinFrame, f.MTU)
		size := 1 + rng.Uint64N(uint64(20*f.payload()))
		require.Equal(t, simulate(hops, size, f), idealFCT(hops, size, f), "%v %d %+v", hops, size, f)
	}
}

func simulate(hops []Hop, size uint64, f Framing) int64 {
	free := make([]int64, len(hops))
	var at int64
	for left := int64(size); left > 0; left -= f.payload() {
		wire := max(f.MinFrame, min(left, f.payload())+f.Header)
		at = 0
		for i, hop := range hops {
			free[i] = max(at, free[i]) + units.SerializationTime(wire, hop.SlowestBps)
			at = free[i] + hop.DelayPs
		}
	}
	return at
}

func TestIdealFCTRefuses(t *testing.T) {
	topo := build(t, Star{Hosts: 2, Cabling: cabling()})
	_, err := topo.IdealFCT(0, 1, 0, framing)
	require.ErrorContains(t, err, "has no ideal completion time")
	_, err = topo.IdealFCT(0, 1, 1<<63, framing)
	assert.ErrorContains(t, err, "takes more than 100 days")
}
