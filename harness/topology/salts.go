package topology

import (
	"cmp"
	"slices"

	"fabriclab/base/random"
	"fabriclab/harness/scenario"
)

// setSalts gives a hash salt to every switch that was not told one.
//
// It is the level, the hops to the nearest host: symmetric ECMP needs the same
// choices on the way up a tree and on the way back. Where a flow then made two
// choices with the same salt, as in a mesh, every switch has a salt of its own,
// by its name.
func (t *Topology) setSalts(switches []Switch) {
	var untold []uint32
	for i, s := range switches {
		node := uint32(t.hosts + i)
		if s.Salt == nil {
			untold = append(untold, node)
		}
		t.Nodes[node].HashSalt = s.Salt
	}
	if untold == nil {
		return
	}
	levels := t.levels()
	for _, node := range untold {
		level := uint32(levels[node])
		t.Nodes[node].HashSalt = &level
	}
	if !t.choosesTwice() {
		return
	}
	for _, node := range untold {
		own := uint32(random.Mix(random.HashName(t.Nodes[node].Name)) >> 32)
		t.Nodes[node].HashSalt = &own
	}
}

// levels are the switches' hops to the nearest one with a host, by node.
func (t *Topology) levels() []uint16 {
	var first []uint32
	for node := t.hosts; node < len(t.Nodes); node++ {
		if t.hasHost(uint32(node)) {
			first = append(first, uint32(node))
		}
	}
	return append(make([]uint16, t.hosts), t.distances(first)...)
}

func (t *Topology) hasHost(node uint32) bool {
	return slices.ContainsFunc(t.ports[node], func(p port) bool { return t.isHost(p.peer) })
}

// choosesTwice says whether two switches with the same salt both have a choice on
// the way of some flow.
func (t *Topology) choosesTwice() bool {
	bits := map[uint32]uint{}
	for _, node := range t.Nodes[t.hosts:] {
		if _, known := bits[*node.HashSalt]; !known {
			bits[*node.HashSalt] = uint(len(bits))
		}
	}
	if len(bits) > 64 {
		return true
	}
	var hops []uint16
	for _, to := range t.sites() {
		met := make([]uint64, len(t.Nodes)) // by node: the salts of choices before it
		for _, node := range t.farToNear(to) {
			hops = t.nextHops(hops[:0], node, to.hosts[0])
			after := met[node]
			if bit := uint64(1) << bits[*t.Nodes[node].HashSalt]; len(hops) > 1 {
				if after&bit != 0 {
					return true
				}
				after |= bit
			}
			for _, p := range hops {
				met[t.ports[node][p].peer] |= after
			}
		}
	}
	return false
}

// farToNear are the switches from which there is a way to a place, the farthest first.
func (t *Topology) farToNear(to site) []uint32 {
	var order []uint32
	for i, d := range to.dist {
		if d != Unreachable {
			order = append(order, uint32(t.hosts+i))
		}
	}
	slices.SortStableFunc(order, func(a, b uint32) int {
		return cmp.Compare(to.dist[int(b)-t.hosts], to.dist[int(a)-t.hosts])
	})
	return order
}

// site is where hosts hang: they have the same distances.
type site struct {
	dist  []uint16
	hosts []uint32
}

func (t *Topology) sites() []site {
	index := map[*uint16]int{} // hosts with one switch share its distances
	var places []site
	for host, dist := range t.dist {
		i, known := index[&dist[0]]
		if !known {
			i = len(places)
			index[&dist[0]] = i
			places = append(places, site{dist: dist})
		}
		places[i].hosts = append(places[i].hosts, uint32(host))
	}
	return places
}

// span32 are the upper halves of a mixed hash, from … to (inside).
type span32 struct{ from, to uint32 }

// draws says which mixed hashes lead somewhere, by salt; a salt that is not
// there may be anything.
type draws map[uint32]span32

// choosing are the hashes with which a switch takes its i-th next hop of n, as
// Choose does; ok is false where none is left.
func (d draws) choosing(salt uint32, i, n int) (narrowed draws, ok bool) {
	from := func(i int) uint64 { return (uint64(i)<<32 + uint64(n) - 1) / uint64(n) }
	s := span32{uint32(from(i)), uint32(from(i+1) - 1)}
	if before, is := d[salt]; is {
		s = span32{max(s.from, before.from), min(s.to, before.to)}
		if s.from > s.to {
			return nil, false
		}
	}
	narrowed = draws{salt: s}
	for other, span := range d {
		if other != salt {
			narrowed[other] = span
		}
	}
	return narrowed, true
}

// covers says whether everything that e allows d allows too.
func (d draws) covers(e draws) bool {
	for salt, s := range d {
		if in, is := e[salt]; !is || in.from < s.from || in.to > s.to {
			return false
		}
	}
	return true
}

// join adds to what is known of a switch, of which only the widest are kept. Many
// become one that allows everything, which errs towards links being used.
func join(known []draws, d draws) []draws {
	if slices.ContainsFunc(known, func(k draws) bool { return k.covers(d) }) {
		return known
	}
	const most = 64
	if len(known) == most {
		return []draws{{}}
	}
	return append(slices.DeleteFunc(known, d.covers), d)
}

// NeverUsed lists the ports of switches that are on shortest paths between hosts
// but that no flow can take: the same hash with the same salt has led it elsewhere
// before (hash polarisation). It is for selectors that choose among next hops as
// Choose does.
func (t *Topology) NeverUsed() []scenario.PortRef {
	f := follower{Topology: t, shared: t.sharedSalts(), used: map[scenario.PortRef]bool{}}
	if len(f.shared) == 0 {
		return nil
	}
	for _, to := range t.sites() {
		f.follow(to)
	}
	var never []scenario.PortRef
	for ref, used := range f.used {
		if !used {
			never = append(never, ref)
		}
	}
	slices.SortFunc(never, func(a, b scenario.PortRef) int {
		return cmp.Or(cmp.Compare(a.Node, b.Node), cmp.Compare(a.Port, b.Port))
	})
	return never
}

// sharedSalts are those of several switches.
func (t *Topology) sharedSalts() map[uint32]bool {
	count, shared := map[uint32]int{}, map[uint32]bool{}
	for _, node := range t.Nodes[t.hosts:] {
		if count[*node.HashSalt]++; count[*node.HashSalt] > 1 {
			shared[*node.HashSalt] = true
		}
	}
	return shared
}

// follower finds what flows can take, place by place.
type follower struct {
	*Topology
	shared map[uint32]bool           // salts of several switches
	used   map[scenario.PortRef]bool // ports on shortest paths, and whether a flow can take them

	reached []bool    // by node: it is on a path to the place
	at      [][]draws // by node: with which hashes flows come there
	hops    []uint16
}

func (f *follower) follow(to site) {
	f.reached, f.at = make([]bool, len(f.Nodes)), make([][]draws, len(f.Nodes))
	for _, node := range f.farToNear(to) {
		if f.hasHost(node) {
			f.reached[node], f.at[node] = true, []draws{{}} // a flow begins here
		}
		switch {
		case !f.reached[node]:
		case to.dist[int(node)-f.hosts] > 0:
			f.choose(node, to.hosts[0])
		default:
			for _, p := range f.ports[node] {
				if slices.Contains(to.hosts, p.peer) {
					f.choose(node, p.peer)
				}
			}
		}
	}
}

// choose has all flows that come to a switch go on towards a host.
func (f *follower) choose(node, dst uint32) {
	f.hops = f.nextHops(f.hops[:0], node, dst)
	salt := *f.Nodes[node].HashSalt
	for i, p := range f.hops {
		ref, peer := scenario.PortRef{Node: node, Port: p}, f.ports[node][p].peer
		f.reached[peer] = true
		if _, known := f.used[ref]; !known {
			f.used[ref] = false
		}
		for _, d := range f.at[node] {
			ok := true
			if len(f.hops) > 1 && f.shared[salt] {
				d, ok = d.choosing(salt, i, len(f.hops))
			}
			if ok {
				f.used[ref] = true
				f.at[peer] = join(f.at[peer], d)
			}
		}
	}
}
