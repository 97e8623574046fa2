package topology

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/harness/scenario"
)

// TestCapacityChanges: events are sorted, base RTT takes the lowest rate of a
// link and the ideal completion time the highest.
func TestCapacityChanges(t *testing.T) {
	c := cabling()
	c.Failed = []string{"leaf0->spine0"}
	c.CapacityChanges = []CapacityChange{{"spine1->leaf1", 9, 400e9}, {"leaf1->spine1", 5, 10e9}, {"leaf0->spine1", 5, 50e9}}
	net, err := LeafSpine{2, 2, 1, 1, c}.Build()
	require.NoError(t, err)
	// Links in order: two hosts', leaf0-spine1, leaf1-spine0, leaf1-spine1.
	assert.Equal(t, []scenario.RateEvent{{AtPs: 5, Link: 2, RateBps: 50e9}, {AtPs: 5, Link: 4, RateBps: 10e9}, {AtPs: 9, Link: 4, RateBps: 400e9}}, net.RateEvents)
	for link, want := range [][2]int64{{100e9, 100e9}, {100e9, 100e9}, {50e9, 100e9}, {100e9, 100e9}, {10e9, 400e9}} {
		slowest, fastest := net.Rates(uint32(link))
		assert.Equal(t, want, [2]int64{slowest, fastest}, "link %d", link)
	}
	const delay = 1_500_000
	least := []Hop{steady(100e9, delay), steady(50e9, delay), steady(10e9, delay), steady(100e9, delay)}
	most := []Hop{steady(100e9, delay), steady(100e9, delay), steady(400e9, delay), steady(100e9, delay)}
	fct, err := net.IdealFCT(0, 1, 1e6, framing)
	require.NoError(t, err)
	assert.Equal(t, idealFCT(most, 1e6, framing), fct)
	var rtt int64
	for _, hop := range least {
		rtt += 2*hop.DelayPs + 8e12*(1518+64)/hop.SlowestBps
	}
	assert.InDelta(t, rtt, net.BaseRTT(0, 1, framing), 8)
}

func TestCapacityChangesRefused(t *testing.T) {
	for _, tt := range []struct {
		failed      []string
		changes     []CapacityChange
		field, want string
	}{
		{nil, []CapacityChange{{"spine0->leaf7", 5, 1}}, "capacity_changes.0.link", `there is no link "spine0->leaf7" in this topology; did you mean`},
		{nil, []CapacityChange{{"leaf0->spine0", 5, 1}, {"leaf0->host0", 5, 1}}, "capacity_changes.1.link", `"leaf0->host0" is a link of host host0, whose flows are paced by its rate`},
		{[]string{"spine0->leaf1"}, []CapacityChange{{"leaf1->spine0", 5, 1}}, "capacity_changes.0.link", "has failed from the start"},
		{nil, []CapacityChange{{"leaf1->spine0", 5, 1}, {"spine0->leaf1", 5, 2}}, "capacity_changes.1.at", `the link "spine0->leaf1" changes its rate twice at 5ps`},
	} {
		c := cabling()
		c.Failed, c.CapacityChanges = tt.failed, tt.changes
		_, err := LeafSpine{2, 2, 1, 1, c}.Build()
		var field *FieldError
		require.ErrorAs(t, err, &field, tt.want)
		assert.Equal(t, tt.field, field.Field)
		require.ErrorContains(t, err, tt.want)
	}
}
