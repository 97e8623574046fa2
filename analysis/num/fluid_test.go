package num_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/analysis/num"
)

// arrive is a flow over link 0 that comes at a time in us with some bytes.
func arrive(us int64, bytes float64) num.Arrival {
	return num.Arrival{Flow: flow(num.AlphaFair{Alpha: 1}, []int{0}), AtPs: us * 1e6, Bytes: bytes, StopPs: -1}
}

// TestFluid: by hand, on 8 Gb/s, 1000 B/us. Two flows share the link from
// 0 us; the one of 1000 B ends at 2 us, when the other one has sent 1000 of
// 3000 B. At 3 us a third one comes, with 500 B, and ends at 4 us; the second
// one has 500 B left then and ends at 4.5 us.
func TestFluid(t *testing.T) {
	arrivals := []num.Arrival{arrive(3, 500), arrive(0, 1000), arrive(0, 3000)}
	var from []int64
	var active, stay [][]int
	done, err := num.Fluid(links(8*gbps), nil, 0, arrivals, 1e12, num.Solve, func(i num.Interval) error {
		from = append(from, i.FromPs)
		stay = append(stay, slices.Clone(i.Stay))
		active = append(active, i.Flows)
		return nil
	})
	require.NoError(t, err)
	checkDone(t, []num.Completion{{4_000_000, 500}, {2_000_000, 1000}, {4_500_000, 3000}}, done)
	assert.Equal(t, []int64{0, 2_000_000, 3_000_000, 4_000_000}, from)
	assert.Equal(t, [][]int{{1, 2}, {2}, {0, 2}, {2}}, active)
	assert.Equal(t, [][]int{{2}, {2}, {2}, {}}, stay)
}

func checkDone(t *testing.T, want, got []num.Completion) {
	t.Helper()
	require.Len(t, got, len(want))
	for i := range want {
		assert.Equal(t, want[i].EndPs, got[i].EndPs, "flow %d", i)
		assert.InDelta(t, want[i].Bytes, got[i].Bytes, 1e-9, "flow %d", i)
	}
}

// TestFluidEnough: as in TestFluid, until the first flow has ended.
func TestFluidEnough(t *testing.T) {
	arrivals := []num.Arrival{arrive(3, 500), arrive(0, 1000), arrive(0, 3000)}
	done, err := num.Fluid(links(8*gbps), nil, 0, arrivals, 1e12, num.Solve, func(num.Interval) error { return num.ErrEnough })
	require.NoError(t, err)
	checkDone(t, []num.Completion{{-1, 0}, {2_000_000, 1000}, {-1, 1000}}, done)
}

// TestFluidStops: a flow without a size goes when it is stopped, and what is
// there at the end is unfinished.
func TestFluidStops(t *testing.T) {
	endless := arrive(0, 0)
	endless.StopPs = 2e6
	done, err := num.Fluid(links(8*gbps), nil, 0, []num.Arrival{endless, arrive(1, 5000), arrive(9, 1)}, 4e6, num.Solve, func(num.Interval) error { return nil })
	require.NoError(t, err)
	checkDone(t, []num.Completion{{-1, 1500}, {-1, 2500}, {-1, 0}}, done)
}

// TestFluidChanges: on 8 Gb/s, 1000 B/us, a flow of 4000 B has sent 2000 at 2 us,
// when the link falls to half of that, and 3000 at 4 us, when it has twice the
// first rate. A change without flows has no interval, and the caller's links
// stay as they are.
func TestFluidChanges(t *testing.T) {
	var intervals [][2]int64
	all := links(8 * gbps)
	changes := []num.Change{{AtPs: 2e6, CapacityBps: 4 * gbps}, {AtPs: 4e6, CapacityBps: 16 * gbps}, {AtPs: 8e6, CapacityBps: 8 * gbps}}
	done, err := num.Fluid(all, changes, 0, []num.Arrival{arrive(0, 4000), arrive(9, 1000)}, 1e12, num.Solve, func(i num.Interval) error {
		intervals = append(intervals, [2]int64{i.FromPs, i.ToPs})
		return nil
	})
	require.NoError(t, err)
	checkDone(t, []num.Completion{{4_500_000, 4000}, {10_000_000, 1000}}, done)
	assert.Equal(t, [][2]int64{{0, 2e6}, {2e6, 4e6}, {4e6, 45e5}, {9e6, 10e6}}, intervals)
	assert.InDelta(t, 8*gbps, all[0].CapacityBps, 0)
}

// TestFluidSRPT: with MinFCT flows on one link go one after the other, the
// smallest first, but for a little.
func TestFluidSRPT(t *testing.T) {
	var arrivals []num.Arrival
	for _, size := range []float64{4000, 1000, 2000} {
		a := arrive(0, size)
		a.Utility = num.MinFCT{Size: size}
		arrivals = append(arrivals, a)
	}
	done, err := num.Fluid(links(8*gbps), nil, 0, arrivals, 1e12, num.Solve, func(num.Interval) error { return nil })
	require.NoError(t, err)
	assert.InEpsilon(t, 1e6, done[1].EndPs, 0.01)
	assert.InEpsilon(t, 3e6, done[2].EndPs, 0.01)
	assert.InEpsilon(t, 7e6, done[0].EndPs, 1e-6, "all bytes are sent without a pause")
}

// TestFluidConserves: what flows sent is what links carried, and nobody is
// faster than alone.
func TestFluidConserves(t *testing.T) {
	p := mesh(9, 200, 2)
	var arrivals []num.Arrival
	for i, f := range p.Flows {
		arrivals = append(arrivals, num.Arrival{Flow: f, AtPs: int64(i%50) * 3e6, Bytes: 1e4 * float64(1+i%17), StopPs: -1})
	}
	sent := make([]float64, len(arrivals))
	last := int64(0)
	done, err := num.Fluid(p.Links, nil, 0, arrivals, 1e15, num.Solve, func(i num.Interval) error {
		assert.Equal(t, last, i.FromPs)
		last = i.ToPs
		for k, f := range i.Flows {
			sent[f] += i.Solution.Totals[k] * float64(i.ToPs-i.FromPs) / 8e12
		}
		return nil
	})
	require.NoError(t, err)
	for i, a := range arrivals {
		assert.InDelta(t, a.Bytes, done[i].Bytes, 1e-6)
		assert.InEpsilon(t, a.Bytes, sent[i], 1e-3)
		assert.Greater(t, float64(done[i].EndPs-a.AtPs), 0.999*a.Bytes*8e12/4e10)
		assert.LessOrEqual(t, done[i].EndPs, last)
	}
}

func TestFluidErrors(t *testing.T) {
	_, err := num.Fluid(links(8*gbps), nil, 0, []num.Arrival{arrive(0, -1)}, 1e6, num.Solve, nil)
	require.ErrorContains(t, err, "flow 0 comes at 0 ps with -1 bytes")
	_, err = num.Fluid(links(0), nil, 0, []num.Arrival{arrive(2, 1)}, 1e9, num.Solve, nil)
	require.ErrorContains(t, err, "at 2000000 ps, with 1 flows: link 0 has the capacity 0 bit/s")
	full := errors.New("disk full")
	_, err = num.Fluid(links(1), nil, 0, []num.Arrival{arrive(0, 1)}, 1e9, num.Solve, func(num.Interval) error { return full })
	assert.ErrorIs(t, err, full)
}
