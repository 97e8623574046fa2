package num

import (
	"fmt"
	"math"
	"slices"
)

const (
	// A link's capacity is settled where a further round changes it by no more.
	settled = 1e-6
	// mostRounds are enough for a share of a half, which each round halves.
	mostRounds = 64
)

// BesideAcks allocates what ACKs leave of the links: they take a share of each
// sub-flow's rate on the way back (Flow.Acks). Flows pay for their own links alone,
// as where switches set prices for data. It is the fixed point: the rates are those
// of the capacities that their own ACKs leave.
func BesideAcks(share float64, allocate Allocate) Allocate {
	return func(p *Problem, from *Solution) (*Solution, error) {
		left := *p
		left.Links = slices.Clone(p.Links)
		taken := make([]float64, len(p.Links))
		for range mostRounds {
			s, err := allocate(&left, from)
			if err != nil {
				return nil, err
			}
			clear(taken)
			for i, f := range p.Flows {
				for j, path := range f.Acks {
					for _, l := range path {
						taken[l] += float64(share * s.Rates[i][j]) // rounded, on any processor
					}
				}
			}
			still := true
			for l, link := range p.Links {
				capacity := link.CapacityBps - taken[l]
				still = still && math.Abs(capacity-left.Links[l].CapacityBps) <= settled*link.CapacityBps
				left.Links[l].CapacityBps = capacity
			}
			if still {
				return s, nil
			}
			from = s
		}
		return nil, fmt.Errorf("what ACKs of a share of %g leave of the links does not settle in %d rounds", share, mostRounds)
	}
}
