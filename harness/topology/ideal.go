package topology

import (
	"fmt"
	"math"
	"math/bits"

	"fabriclab/base/units"
)

// IdealFCT is the flow completion time of a flow alone on an empty network, in
// ps, which no flow can beat: the sender sends full packets and one shorter
// last packet at line rate from time 0, every hop stores and forwards, and the
// flow ends with the arrival of its last byte. Of several equal-cost paths it
// is what all of them together can do at best, whether the flow may take them
// all or not; so the ideal is the same for all mechanisms. Links that change
// their rate have the highest one, and where links fail, paths from before and
// after count together. The size is payload bytes and must be positive;
// unlimited flows have no ideal.
func (t *Topology) IdealFCT(src, dst uint32, size uint64, f Framing) (int64, error) {
	if size == 0 || f.payload() <= 0 {
		return 0, fmt.Errorf("a flow of %d bytes in packets of %d bytes payload has no ideal completion time", size, f.payload())
	}
	b, best := t.bound(src, dst, f.wire(1)), int64(math.MaxInt64)
	switch {
	case b.only != nil:
		best = idealFCT(b.only, size, f)
	case float64(size)/float64(f.payload())*float64(f.wire(f.payload()))*8e12/float64(b.most()) < float64(units.MaxTime):
		best = b.of(size, f)
	}
	if best > units.MaxTime {
		return 0, fmt.Errorf("a flow of %d bytes takes more than 100 days; make it unlimited", size)
	}
	return best, nil
}

// PathFCT is the same on one path alone.
func (t *Topology) PathFCT(links []uint32, size uint64, f Framing) int64 {
	hops := make([]Hop, len(links))
	for i, link := range links {
		hops[i] = t.hopOn(link)
	}
	return idealFCT(hops, size, f)
}

// idealFCT is the longest chain of service times through the grid of packets
// and hops (max-plus algebra of tandem queues). The full packets take the
// same time at a hop, so all but one of them are spent at the slowest hop up
// to the one where the chain passes over to the last packet. Beyond
// units.MaxTime the result says no more than that.
func idealFCT(hops []Hop, size uint64, f Framing) int64 {
	full := int64(size / uint64(f.payload()))
	rest := int64(size % uint64(f.payload()))
	var propagation, first, slowest int64 // of the hops so far: delays, sum and largest of the full packet's times
	var last int64                        // arrival of the last packet, but for propagation
	for _, hop := range hops {
		propagation += hop.DelayPs
		if full > 0 {
			service := units.SerializationTime(f.wire(f.payload()), hop.FastestBps)
			first += service
			slowest = max(slowest, service)
			if full > units.MaxTime/max(slowest, 1) {
				return math.MaxInt64
			}
		}
		if rest > 0 {
			last = max(last, first+(full-1)*slowest) + units.SerializationTime(f.wire(rest), hop.FastestBps)
		}
	}
	if rest == 0 {
		last = first + (full-1)*slowest
	}
	return propagation + last
}

// bound is what bounds a flow between two hosts with several paths from below.
// All of its packets leave the source, arrive at the destination and cross the
// narrowest place between them, each at no more than what the links there carry
// together. They need some time before and after.
type bound struct {
	only          []Hop // the one path; nil: there are several
	out, in       place
	ahead, behind walks  // before the last link, and behind the first one
	lastDelay     int64  // the least of a last link, in ps
	narrow        *place // nil: not narrower than the hosts' links
	aside         int64  // ps that a smallest packet spends before and after the narrow place at least
}

// place is links side by side.
type place struct{ links, bps int64 }

type boundKey struct {
	pathKey
	least int64 // wire bytes of the smallest packet
}

func (t *Topology) bound(src, dst uint32, least int64) *bound {
	key := boundKey{pathKey{t.end(src), t.end(dst)}, least}
	t.mu.Lock()
	defer t.mu.Unlock()
	b, known := t.bounds[key]
	if known {
		return b
	}
	if t.views == nil {
		t.views = t.everyView()
	}
	g := t.waysFrom(src, dst, t.views)
	b = &bound{only: g.only()}
	if b.only == nil {
		b.out, b.in = g.out(), g.in()
		b.ahead, b.behind, b.lastDelay = g.around()
		b.narrow, b.aside = g.narrowest(min(b.out.bps, b.in.bps), least)
	}
	if t.bounds == nil {
		t.bounds = map[boundKey]*bound{}
	}
	t.bounds[key] = b
	return b
}

// most is the highest rate there can be, in bit/s.
func (b *bound) most() int64 {
	if b.narrow != nil {
		return b.narrow.bps
	}
	return min(b.out.bps, b.in.bps)
}

func (b *bound) of(size uint64, f Framing) int64 {
	n, full, last := int64(size/uint64(f.payload())), f.wire(f.payload()), int64(0)
	if rest := int64(size % uint64(f.payload())); rest > 0 {
		last = f.wire(rest)
	}
	shortest := full
	if last > 0 {
		shortest = last
	}
	ideal := b.out.takes(n, full, last) + b.behind.takes(shortest)
	starts := b.ahead.takes(shortest) // the first packet on the last link: the last packet of all may overtake others
	if n > 0 {
		ideal = max(ideal, b.out.takes(n, full, 0)+b.behind.takes(full))
		if last > 0 {
			starts += b.out.takes(max(0, n-b.out.links+1), full, 0)
		}
		starts = min(starts, b.ahead.takes(full))
	}
	ideal = max(ideal, starts+b.in.takes(n, full, last)+b.lastDelay)
	if b.narrow != nil {
		ideal = max(ideal, b.narrow.takes(n, full, last)+b.aside)
	}
	return ideal
}

// takes is how long n packets and a last one of so many wire bytes are on the
// links at least.
func (p place) takes(n, wire, last int64) int64 {
	if p.links == 1 {
		return n*units.SerializationTime(wire, p.bps) + units.SerializationTime(last, p.bps)
	}
	hi, lo := bits.Mul64(uint64(n*wire+last), 8e12)
	ps, _ := bits.Div64(hi, lo, uint64(p.bps))
	return max(0, int64(ps)-n/2-1) // the time of each packet on a link is rounded
}

// everyView is the network as its routes see it at first and after each change.
func (t *Topology) everyView() []*Topology {
	views := []*Topology{t}
	for _, at := range t.changeTimes() {
		view := t.without(t.knownDown(at))
		if view.connect() != nil {
			panic("routes were checked when the network was built")
		}
		views = append(views, view)
	}
	return views
}
