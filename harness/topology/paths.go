package topology

import (
	"fmt"
	"iter"
	"slices"

	"fabriclab/base/random"
	"fabriclab/base/units"
	"fabriclab/harness/scenario"
)

// Hop is what a packet meets on one link. The rates are the same where the link
// keeps its own during the run.
type Hop struct {
	SlowestBps, FastestBps int64
	DelayPs                int64
}

// Framing is how payload becomes packets. Sizes are bytes on the wire; a data
// packet's payload is MTU - Header.
type Framing struct {
	MTU, Header, Ack, MinFrame int64
}

func (f Framing) payload() int64 { return f.MTU - f.Header }

// wire is the wire length of a data packet with n bytes of payload.
func (f Framing) wire(n int64) int64 { return max(f.MinFrame, n+f.Header) }

// WireBytes is what a flow of size payload bytes puts on a link: full packets
// and one shorter last one.
func (f Framing) WireBytes(size uint64) uint64 {
	payload := uint64(f.payload())
	bytes := size / payload * uint64(f.wire(f.payload()))
	if rest := size % payload; rest > 0 {
		bytes += uint64(f.wire(int64(rest)))
	}
	return bytes
}

// Goodput is the payload's share of a full packet.
func (f Framing) Goodput() float64 { return float64(f.payload()) / float64(f.wire(f.payload())) }

// Hashes are those that a packet's path depends on.
type Hashes struct {
	Host   uint64 // chooses among the links of the source; differs between the two directions
	Switch uint64 // chooses at switches; a symmetric one is the same in both directions
}

// FlowHash are the hashes ECMP works on, the same function as in the model. The
// arguments are those of the packet: for an ACK, src is the data's receiver.
func (t *Topology) FlowHash(src, dst uint32, srcPort, dstPort uint16, symmetric bool) Hashes {
	a, b := t.endpoint(src, srcPort), t.endpoint(dst, dstPort)
	h := Hashes{Host: pairHash(a, b)}
	h.Switch = h.Host
	if symmetric {
		h.Switch = pairHash(min(a, b), max(a, b))
	}
	return h
}

// endpoint goes by the host's name, so that a path does not depend on which
// other hosts there are.
func (t *Topology) endpoint(host uint32, port uint16) uint64 {
	return random.HashName(t.Nodes[host].Name)<<16 | uint64(port)
}

func pairHash(a, b uint64) uint64 {
	return random.Mix(random.Mix(a+random.Golden) ^ (b*random.Golden + 0x632be59bd9b4e019))
}

// Choose is ECMP's choice among n next hops at a switch with a hash salt.
func Choose(hash, salt uint64, n int) int {
	return int(random.Mix(hash+salt*random.Golden) >> 32 * uint64(n) >> 32)
}

// Path is the way of a packet with these hashes, as the egress ports from the
// source host to the last switch. The draw is the parameter ecmp.salt, which
// every switch mixes and adds to its own salt.
func (t *Topology) Path(src, dst uint32, hash Hashes, draw uint64) []scenario.PortRef {
	var path []scenario.PortRef
	var hops []uint16
	for node := src; node != dst; {
		hops = t.nextHops(hops[:0], node, dst)
		p := hops[hash.Host%uint64(len(hops))] // at a host, as the model does
		if salt := t.Nodes[node].HashSalt; salt != nil {
			p = hops[Choose(hash.Switch, uint64(*salt)+random.Mix(draw), len(hops))] // Mix(0) is 0
		}
		path = append(path, scenario.PortRef{Node: node, Port: p})
		node = t.ports[node][p].peer
	}
	return path
}

// OnlyPath is the way of all packets from one host to another one, and whether
// there is no other.
func (t *Topology) OnlyPath(src, dst uint32) (path []scenario.PortRef, only bool) {
	path = t.Path(src, dst, Hashes{}, 0)
	for _, port := range path {
		if len(t.nextHops(nil, port.Node, dst)) > 1 {
			return path, false
		}
	}
	return path, true
}

// Link is the link behind a port.
func (t *Topology) Link(ref scenario.PortRef) scenario.Link {
	return t.Links[t.ports[ref.Node][ref.Port].link]
}

func (t *Topology) hop(node uint32, p uint16) Hop { return t.hopOn(t.ports[node][p].link) }

func (t *Topology) hopOn(link uint32) Hop {
	slowest, fastest := t.Rates(link)
	return Hop{slowest, fastest, t.Links[link].DelayPs}
}

// pathKey stands for all pairs of hosts with the same paths.
type pathKey struct{ src, dst end }

// end is the end of a path: a switch and a host's link to it, or a host with
// several links.
type end struct {
	node uint32
	link Hop
}

func (t *Topology) end(host uint32) end {
	if len(t.ports[host]) > 1 {
		return end{node: host}
	}
	return end{t.ports[host][0].peer, t.hop(host, 0)}
}

// Profiles are the different sequences of hops among the equal-cost paths
// between two hosts: one in every topology but a custom or overridden one, or
// one with extra hosts. There are not all of them where CheckPaths refuses the
// pair.
func (t *Topology) Profiles(src, dst uint32) [][]Hop {
	key := pathKey{t.end(src), t.end(dst)}
	t.mu.Lock()
	defer t.mu.Unlock()
	profiles, ok := t.paths[key]
	if !ok {
		profiles = t.profilesFrom(src, dst, map[uint32][][]Hop{})
		t.paths[key] = profiles
	}
	return profiles
}

// Kinds are the first of the pairs from one end to another one: all others with
// these ends have the same paths. There may be a million pairs, so the callers
// find the kinds once and ask about these only.
func (t *Topology) Kinds(pairs iter.Seq2[uint32, uint32]) iter.Seq2[uint32, uint32] {
	numbers := map[end]int{}
	of := make([]int, len(t.ports)) // by host, from 1 on
	number := func(host uint32) int {
		if of[host] == 0 {
			e := t.end(host)
			if numbers[e] == 0 {
				numbers[e] = len(numbers) + 1
			}
			of[host] = numbers[e]
		}
		return of[host]
	}
	seen := make([][]bool, len(t.ports)+1) // by the numbers of source and destination
	var kinds [][2]uint32
	for src, dst := range pairs {
		from, to := number(src), number(dst)
		if to >= len(seen[from]) {
			seen[from] = append(seen[from], make([]bool, to+1-len(seen[from]))...)
		}
		if !seen[from][to] {
			seen[from][to] = true
			kinds = append(kinds, [2]uint32{src, dst})
		}
	}
	return func(yield func(uint32, uint32) bool) {
		for _, kind := range kinds {
			if !yield(kind[0], kind[1]) {
				return
			}
		}
	}
}

// maxProfiles are the most different sequences of hops between two hosts. Links
// of two speeds side by side at each of n hops make 2^n.
const maxProfiles = 1000

// profilesFrom finds the profiles from a node on, and at most one more than
// maxProfiles; known has those of other nodes.
func (t *Topology) profilesFrom(node, dst uint32, known map[uint32][][]Hop) [][]Hop {
	if node == dst {
		return [][]Hop{nil}
	}
	if profiles, is := known[node]; is {
		return profiles
	}
	var profiles [][]Hop
	for _, p := range t.nextHops(nil, node, dst) {
		for _, rest := range t.profilesFrom(t.ports[node][p].peer, dst, known) {
			profile := slices.Concat([]Hop{t.hop(node, p)}, rest)
			if len(profiles) <= maxProfiles && !slices.ContainsFunc(profiles, func(other []Hop) bool { return slices.Equal(other, profile) }) {
				profiles = append(profiles, profile)
			}
		}
	}
	known[node] = profiles
	return profiles
}

// CheckPaths refuses pairs of hosts whose equal-cost paths are of too many
// different kinds to find the fastest and the slowest one.
func (t *Topology) CheckPaths(pairs iter.Seq2[uint32, uint32]) error {
	for src, dst := range pairs {
		if len(t.Profiles(src, dst)) > maxProfiles || len(t.ports[dst]) > 1 && len(t.Profiles(dst, src)) > maxProfiles {
			return fmt.Errorf("between %s and %s there are more than %d equal-cost paths that differ in the rates or delays of their links, in order; give links side by side the same rate and delay",
				t.Nodes[src].Name, t.Nodes[dst].Name, maxProfiles)
		}
	}
	return nil
}

// BaseRTT is the round trip of one full data packet and its ACK on an empty
// network, in ps: propagation both ways, plus both packets' serialisation at
// each hop. Of several equal-cost paths the slowest counts, and of a link that
// changes its rate the lowest; with a host with several links, which sends over
// all of them, that of either direction.
func (t *Topology) BaseRTT(src, dst uint32, f Framing) int64 {
	var longest int64
	profiles := t.Profiles(src, dst)
	if len(t.ports[src]) > 1 || len(t.ports[dst]) > 1 {
		profiles = slices.Concat(profiles, t.Profiles(dst, src))
	}
	for _, profile := range profiles {
		var rtt int64
		for _, hop := range profile {
			rtt += 2*hop.DelayPs + units.SerializationTime(f.MTU, hop.SlowestBps) + units.SerializationTime(max(f.MinFrame, f.Ack), hop.SlowestBps)
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
