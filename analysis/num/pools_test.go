package num_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"fabriclab/analysis/num"
	"fabriclab/base/random"
)

// figure8 is NUMFabric's set-up: hosts 0-63 send to 64-127 in a random order,
// 16 hosts at each of 8 leaves, 16 spines, all links 10 Gb/s, every sub-flow
// over a spine of its own choice.
func figure8(seed uint64, subflows int) *num.Problem {
	const hosts, leaves, spines = 128, 8, 16
	r := random.New(seed, "figure8", 0)
	p := &num.Problem{}
	for range 2*hosts + 2*leaves*spines {
		p.Links = append(p.Links, num.Link{CapacityBps: 10 * gbps})
	}
	to := make([]int, 64)
	for i := range to {
		to[i] = 64 + i
	}
	for i := range to {
		j := i + int(r.Below(uint32(64-i)))
		to[i], to[j] = to[j], to[i]
	}
	for src, dst := range to {
		f := num.Flow{Utility: num.AlphaFair{Alpha: 1}}
		for range subflows {
			spine := int(r.Below(spines))
			up, down := 2*hosts+src/16*spines+spine, 2*hosts+leaves*spines+dst/16*spines+spine
			f.Paths = append(f.Paths, []int{src, up, down, hosts + dst})
		}
		p.Flows = append(p.Flows, f)
	}
	return p
}

// TestFigure8: with more sub-flows the total throughput goes to all that hosts
// can send, and the flows' rates come together.
func TestFigure8(t *testing.T) {
	totals := map[int]float64{}
	for _, n := range []int{1, 2, 4, 8} {
		s := solve(t, figure8(1, n))
		for _, x := range s.Totals {
			totals[n] += x / (64 * 10 * gbps)
		}
		if n == 8 {
			assert.Greater(t, slices.Min(s.Totals), 0.9*slices.Max(s.Totals))
		}
	}
	assert.Less(t, totals[1], 0.8)
	assert.Greater(t, totals[2], totals[1])
	assert.Greater(t, totals[8], 0.98)
}
