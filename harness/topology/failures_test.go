package topology

import (
	"iter"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/harness/scenario"
)

// hops are the next hops of a switch towards a host in a set of routes.
func hops(routes iter.Seq[scenario.Route], node, dst uint32) (ports []uint16) {
	for r := range routes {
		if r.Node == node && r.Dst == dst {
			ports = append(ports, r.Port)
		}
	}
	return ports
}

// TestFailures: leaf1's second link to spine1 fails from 5 to 20, its first
// one to spine0 for good at 10, and the routes follow 1 and 2 later.
func TestFailures(t *testing.T) {
	c := cabling()
	c.Failures = []Failure{
		{Link: "spine0->leaf1", AtPs: 10, UntilPs: -1, DetectPs: 2},
		{Link: "leaf1->spine1#1", AtPs: 5, UntilPs: 20, DetectPs: 1},
	}
	net, err := LeafSpine{2, 2, 1, 2, c}.Build()
	require.NoError(t, err)
	const leaf0, leaf1, spine0, spine1 = 2, 3, 4, 5
	// Links in order: two hosts', leaf0-spine0, leaf0-spine1, leaf1-spine0, leaf1-spine1, and the four again.
	assert.Equal(t, []scenario.LinkEvent{{AtPs: 5, Link: 9}, {AtPs: 10, Link: 4}, {AtPs: 20, Link: 9, Up: true}}, net.LinkEvents())

	changes := net.Changes()
	require.Len(t, changes, 3)
	// Ports of leaf1: its host, spine0, spine1, spine0#1, spine1#1; of a spine: leaf0, leaf1, leaf0#1, leaf1#1.
	for i, want := range []struct {
		at                    int64
		leaf1, spine0, spine1 []uint16
	}{{6, []uint16{1, 2, 3}, []uint16{1, 3}, []uint16{1}}, {12, []uint16{2, 3}, []uint16{3}, []uint16{1}}, {21, []uint16{2, 3, 4}, []uint16{3}, []uint16{1, 3}}} {
		assert.Equal(t, want.at, changes[i].AtPs)
		assert.Equal(t, want.leaf1, hops(changes[i].Routes, leaf1, 0))
		assert.Equal(t, want.spine0, hops(changes[i].Routes, spine0, 1))
		assert.Equal(t, want.spine1, hops(changes[i].Routes, spine1, 1))
		assert.Equal(t, []uint16{1, 2, 3, 4}, hops(changes[i].Routes, leaf0, 1), "both spines still reach the host")
		assert.Equal(t, []uint16{0}, hops(changes[i].Routes, leaf1, 1))
	}
	assert.Equal(t, []uint16{1, 2, 3, 4}, hops(net.Routes(), leaf1, 0), "before")

	quiet, err := LeafSpine{2, 2, 1, 2, cabling()}.Build()
	require.NoError(t, err)
	assert.Empty(t, quiet.LinkEvents())
	assert.Empty(t, quiet.Changes())
}

func TestFailuresRefused(t *testing.T) {
	for _, tt := range []struct {
		failed      []string
		failures    []Failure
		field, want string
	}{
		{nil, []Failure{{Link: "spine0->leaf7", AtPs: 5, UntilPs: -1}}, "failures.0.link", "there is no link"},
		{nil, []Failure{{Link: "leaf0->host0", AtPs: 5, UntilPs: -1}}, "failures.0.link", `"leaf0->host0" is the only link of host host0, which nobody could reach; to have the host die, write {host: host0, …}`},
		{[]string{"spine0->leaf1"}, []Failure{{Link: "leaf1->spine0", AtPs: 5, UntilPs: -1}}, "failures.0.link", "has failed from the start"},
		{nil, []Failure{{Link: "leaf1->spine0", AtPs: 5, UntilPs: 5}}, "failures.0.until", "it comes back after that"},
		{nil, []Failure{{Link: "leaf1->spine0", AtPs: 5, UntilPs: 9}, {Link: "spine0->leaf1", AtPs: 9, UntilPs: -1}}, "failures.1.link", "fails while it is down already, or one of its links is (failures.0)"},
		{nil, []Failure{{Host: "host7", AtPs: 5, UntilPs: -1}}, "failures.0.host", `there is no host "host7"`},
		{nil, []Failure{{Host: "leaf0", AtPs: 5, UntilPs: -1}}, "failures.0.host", `"leaf0" is a switch, not a host`},
		{nil, []Failure{{Host: "host0", AtPs: 5, UntilPs: 4}}, "failures.0.until", "the host host0 comes back at 4ps, but fails at 5ps"},
		{nil, []Failure{{Host: "host0", AtPs: 5, UntilPs: 9}, {Host: "host0", AtPs: 7, UntilPs: -1}}, "failures.1.host", "is down already"},
		{nil, []Failure{{Link: "leaf1->spine0", AtPs: 5, UntilPs: -1}, {Link: "leaf1->spine1", AtPs: 9_000_000, UntilPs: -1}}, "failures", "there is no way from host host0 to host host1; add a link, or list fewer as failed (when the routes follow the failures, at 9us)"},
	} {
		c := cabling()
		c.Failed, c.Failures = tt.failed, tt.failures
		_, err := LeafSpine{2, 2, 1, 1, c}.Build()
		var field *FieldError
		require.ErrorAs(t, err, &field, tt.want)
		assert.Equal(t, tt.field, field.Field)
		require.ErrorContains(t, err, tt.want)
	}
	c := cabling() // one after the other, and a link behind one that has failed from the start
	c.Failed = []string{"leaf0->spine0"}
	c.Failures = []Failure{{Link: "spine1->leaf1#1", AtPs: 5, UntilPs: 9}, {Link: "spine1->leaf1#1", AtPs: 10, UntilPs: -1}}
	net, err := LeafSpine{2, 2, 1, 2, c}.Build()
	require.NoError(t, err)
	assert.Equal(t, uint32(8), net.LinkEvents()[0].Link)
}

// A dead host is legal, changes no routes, and is an event of its own.
func TestDeadHost(t *testing.T) {
	topo := allocator(t, Failure{Host: "allocator", AtPs: 5, UntilPs: 20}, Failure{Host: "host0", AtPs: 3, UntilPs: -1})
	assert.Equal(t, []scenario.HostEvent{{AtPs: 3, Node: 0}, {AtPs: 5, Node: 6}, {AtPs: 20, Node: 6, Up: true}}, topo.HostEvents())
	assert.Empty(t, topo.LinkEvents())
	assert.Empty(t, topo.Changes())
	assert.Empty(t, allocator(t).HostEvents())
}

// A link of a host with several fails: the switches use the others.
func TestHostsLinkFails(t *testing.T) {
	topo := allocator(t, Failure{Link: "allocator->spine0", AtPs: 5, UntilPs: -1, DetectPs: 1})
	assert.Equal(t, []scenario.LinkEvent{{AtPs: 5, Link: 12}}, topo.LinkEvents())
	changes := topo.Changes()
	require.Len(t, changes, 1)
	assert.Equal(t, []uint16{3}, hops(changes[0].Routes, 7, 6), "leaf0 by way of spine1")
	assert.Equal(t, []uint16{0, 1, 2}, hops(changes[0].Routes, 10, 6), "spine0 has no link to it any more")
	assert.Equal(t, []uint16{2, 3}, hops(changes[0].Routes, 7, 4), "other paths stay")

	c := cabling()
	c.Extra = []ExtraHost{{Name: "x", Switches: []string{"spine*"}, Rate: 1}}
	c.Failures = []Failure{{Link: "x->spine0", AtPs: 5, UntilPs: -1}, {Link: "x->spine1", AtPs: 6, UntilPs: -1}}
	_, err := LeafSpine{2, 2, 1, 1, c}.Build()
	require.ErrorContains(t, err, "host x has no link that works")
	c.Failures = []Failure{{Link: "x->spine0", AtPs: 5, UntilPs: 9}, {Host: "x", AtPs: 7, UntilPs: -1}}
	_, err = LeafSpine{2, 2, 1, 1, c}.Build()
	require.ErrorContains(t, err, "the host x fails while it is down already, or one of its links is (failures.0)")
}
