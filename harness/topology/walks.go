package topology

import (
	"math"
	"slices"

	"fabriclab/base/units"
)

// walk is what the links on the way of a packet come to: the order does not
// matter to how long it takes.
type walk struct {
	delay int64
	rates []int64 // ascending
}

// over is the walk with one more link.
func (w walk) over(h Hop) walk {
	at, _ := slices.BinarySearch(w.rates, h.FastestBps)
	return walk{w.delay + h.DelayPs, slices.Insert(slices.Clone(w.rates), at, h.FastestBps)}
}

// beats says whether no packet takes longer on this walk than on the other one.
func (w walk) beats(other walk) bool {
	if w.delay > other.delay || len(w.rates) > len(other.rates) {
		return false
	}
	for i, rate := range w.rates {
		if rate < other.rates[i] {
			return false
		}
	}
	return true
}

// walks are those of which each is the quickest one for packets of some size,
// or may be.
type walks []walk

// maxWalks bounds the work where many links differ in rates and delays.
const maxWalks = 1000

// add takes a walk in, unless another one beats it.
func (all *walks) add(w walk) bool {
	if slices.ContainsFunc(*all, func(other walk) bool { return other.beats(w) }) {
		return false
	}
	*all = append(slices.DeleteFunc(*all, w.beats), w)
	if len(*all) > maxWalks {
		*all = walks{all.beating()}
	}
	return true
}

// beating is a walk that beats them all.
func (all walks) beating() walk {
	best := all[0]
	best.rates = slices.Clone(best.rates)
	for _, w := range all[1:] {
		best.delay, best.rates = min(best.delay, w.delay), best.rates[:min(len(best.rates), len(w.rates))]
		for i := range best.rates {
			best.rates[i] = max(best.rates[i], w.rates[i])
		}
	}
	return best
}

// takes is how long a packet of so many bytes is under way at least.
func (all walks) takes(wire int64) int64 {
	least := int64(math.MaxInt64)
	for _, w := range all {
		ps := w.delay
		var before, service int64 // a rate and its time: mostly all links have one rate
		for _, rate := range w.rates {
			if rate != before {
				before, service = rate, units.SerializationTime(wire, rate)
			}
			ps += service
		}
		least = min(least, ps)
	}
	return least
}
