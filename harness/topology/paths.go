package topology

import (
	"fmt"
	"iter"
	"math"
	"slices"

	"fabriclab/base/random"
	"fabriclab/base/units"
	"fabriclab/harness/scenario"
)

// Hop is what a packet meets on one link.
type Hop struct {
	RateBps int64
	DelayPs int64
}

// Framing is how payload becomes packets. Sizes are bytes on the wire; a data
// packet's payload is MTU - Header.
type Framing struct {
	MTU, Header, Ack, MinFrame int64
}

func (f Framing) payload() int64 { return f.MTU - f.Header }

// wire is the wire length of a data packet with n bytes of payload.
func (f Framing) wire(n int64) int64 { return max(f.MinFrame, n+f.Header) }

// FlowHash is the hash ECMP works on, the same function as in the model. The
// arguments are those of the packet: for an ACK, src is the data's receiver.
// A symmetric hash is the same in both directions.
func FlowHash(src, dst uint32, srcPort, dstPort uint16, symmetric bool) uint64 {
	lo := uint64(src)<<16 | uint64(srcPort)
	hi := uint64(dst)<<16 | uint64(dstPort)
	if symmetric && hi < lo {
		lo, hi = hi, lo
	}
	return random.Mix(random.Mix(lo+random.Golden) ^ (hi*random.Golden + 0x632be59bd9b4e019))
}

// Choose is ECMP's choice among n next hops at a switch with a hash salt.
func Choose(hash uint64, salt uint32, n int) int {
	return int(random.Mix(hash+uint64(salt)*random.Golden) >> 32 * uint64(n) >> 32)
}

// Path is the way of a packet with a flow hash, as the egress ports from the
// source host to the last switch.
func (t *Topology) Path(src, dst uint32, hash uint64) []scenario.PortRef {
	path := []scenario.PortRef{{Node: src, Port: 0}}
	var hops []uint16
	for node := t.tor[src]; node != dst; {
		hops = t.nextHops(hops[:0], node, dst)
		p := hops[Choose(hash, *t.Nodes[node].HashSalt, len(hops))]
		path = append(path, scenario.PortRef{Node: node, Port: p})
		node = t.ports[node][p].peer
	}
	return path
}

// Link is the link behind a port.
func (t *Topology) Link(ref scenario.PortRef) scenario.Link {
	return t.Links[t.ports[ref.Node][ref.Port].link]
}

func (t *Topology) hop(node uint32, p uint16) Hop {
	l := t.Link(scenario.PortRef{Node: node, Port: p})
	return Hop{l.RateBps, l.DelayPs}
}

// pathKey stands for all pairs of hosts with the same paths.
type pathKey struct {
	srcTor, dstTor uint32
	first, last    Hop
}

// Profiles are the different sequences of hops among the equal-cost paths
// between two hosts: one in every topology but a custom or overridden one.
func (t *Topology) Profiles(src, dst uint32) [][]Hop {
	key := pathKey{t.tor[src], t.tor[dst], t.hop(src, 0), t.hop(dst, 0)}
	t.mu.Lock()
	defer t.mu.Unlock()
	profiles, ok := t.paths[key]
	if !ok {
		for _, rest := range t.profilesFrom(key.srcTor, dst) {
			profiles = append(profiles, slices.Concat([]Hop{key.first}, rest))
		}
		t.paths[key] = profiles
	}
	return profiles
}

func (t *Topology) profilesFrom(node, dst uint32) [][]Hop {
	if node == dst {
		return [][]Hop{nil}
	}
	var profiles [][]Hop
	for _, p := range t.nextHops(nil, node, dst) {
		for _, rest := range t.profilesFrom(t.ports[node][p].peer, dst) {
			profile := slices.Concat([]Hop{t.hop(node, p)}, rest)
			if !slices.ContainsFunc(profiles, func(known []Hop) bool { return slices.Equal(known, profile) }) {
				profiles = append(profiles, profile)
			}
		}
	}
	return profiles
}

// BaseRTT is the round trip of one full data packet and its ACK on an empty
// network, in ps: propagation both ways, plus both packets' serialisation at
// each hop. Of several equal-cost paths the slowest counts.
func (t *Topology) BaseRTT(src, dst uint32, f Framing) int64 {
	var longest int64
	for _, profile := range t.Profiles(src, dst) {
		var rtt int64
		for _, hop := range profile {
			rtt += 2*hop.DelayPs + units.SerializationTime(f.MTU, hop.RateBps) + units.SerializationTime(max(f.MinFrame, f.Ack), hop.RateBps)
		}
		longest = max(longest, rtt)
	}
	return longest
}

// MaxBaseRTT is the largest base RTT among pairs of hosts, 0 if there are
// none.
func (t *Topology) MaxBaseRTT(pairs iter.Seq2[uint32, uint32], f Framing) int64 {
	var longest int64
	for src, dst := range pairs {
		longest = max(longest, t.BaseRTT(src, dst, f))
	}
	return longest
}

// IdealFCT is the flow completion time of a flow alone on an empty network,
// in ps: the sender sends full packets and one shorter last packet back to
// back at line rate from time 0, every hop stores and forwards, and the flow
// ends with the arrival of its last byte. Of several equal-cost paths the
// fastest counts. The size is payload bytes and must be positive; unlimited
// flows have no ideal.
func (t *Topology) IdealFCT(src, dst uint32, size uint64, f Framing) (int64, error) {
	if size == 0 || f.payload() <= 0 {
		return 0, fmt.Errorf("a flow of %d bytes in packets of %d bytes payload has no ideal completion time", size, f.payload())
	}
	best := int64(math.MaxInt64)
	for _, profile := range t.Profiles(src, dst) {
		best = min(best, idealFCT(profile, size, f))
	}
	if best > units.MaxTime {
		return 0, fmt.Errorf("a flow of %d bytes takes more than 100 days; make it unlimited", size)
	}
	return best, nil
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
			service := units.SerializationTime(f.wire(f.payload()), hop.RateBps)
			first += service
			slowest = max(slowest, service)
			if full > units.MaxTime/max(slowest, 1) {
				return math.MaxInt64
			}
		}
		if rest > 0 {
			last = max(last, first+(full-1)*slowest) + units.SerializationTime(f.wire(rest), hop.RateBps)
		}
	}
	if rest == 0 {
		last = first + (full-1)*slowest
	}
	return propagation + last
}
