package workload

import (
	"fmt"
	"iter"
	"slices"

	"fabriclab/base/random"
)

// A Pattern says which hosts send to which.
type Pattern struct {
	sources      []uint32
	destinations []uint32
	skip         [][2]int // by source: the destinations from … to (outside) that it does not send to
}

// AnyToAny has every source send to every destination but itself.
func AnyToAny(sources, destinations []uint32) (*Pattern, error) {
	p := &Pattern{sources: sources, destinations: destinations}
	for _, src := range sources {
		skip := [2]int{}
		if i := slices.Index(destinations, src); i >= 0 {
			skip = [2]int{i, i + 1}
		}
		p.skip = append(p.skip, skip)
	}
	return p, p.check()
}

// BetweenGroups has every host send to the hosts of the other groups.
func BetweenGroups(groups [][]uint32) (*Pattern, error) {
	p := &Pattern{}
	for _, group := range groups {
		from := len(p.sources)
		p.sources = append(p.sources, group...)
		for range group {
			p.skip = append(p.skip, [2]int{from, len(p.sources)})
		}
	}
	p.destinations = p.sources
	return p, p.check()
}

func (p *Pattern) check() error {
	if len(p.sources) == 0 {
		return fmt.Errorf("there is no source; name a host or more")
	}
	for i := range p.sources {
		if p.choices(i) == 0 {
			return fmt.Errorf("a host has nobody to send to; there have to be two hosts or more, and two groups or more where there are groups")
		}
	}
	return nil
}

// Sources yields the sources in their order.
func (p *Pattern) Sources() iter.Seq[uint32] { return slices.Values(p.sources) }

// Destinations yields the destinations in their order.
func (p *Pattern) Destinations() iter.Seq[uint32] { return slices.Values(p.destinations) }

// choices is how many destinations the i-th source has.
func (p *Pattern) choices(i int) int {
	return len(p.destinations) - (p.skip[i][1] - p.skip[i][0])
}

// destination is the n-th destination of the i-th source.
func (p *Pattern) destination(i, n int) uint32 {
	if n >= p.skip[i][0] {
		n += p.skip[i][1] - p.skip[i][0]
	}
	return p.destinations[n]
}

// draw chooses a destination for the i-th source.
func (p *Pattern) draw(i int, r *random.Stream) uint32 {
	return p.destination(i, int(r.Below(uint32(p.choices(i)))))
}

// Pairs yields all pairs of source and destination.
func (p *Pattern) Pairs() iter.Seq2[uint32, uint32] {
	return func(yield func(uint32, uint32) bool) {
		for i, src := range p.sources {
			for n := range p.choices(i) {
				if !yield(src, p.destination(i, n)) {
					return
				}
			}
		}
	}
}
