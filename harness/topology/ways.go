package topology

import (
	"math"

	"fabriclab/base/units"
)

// ways are the links that packets from one host to another one may take.
type ways struct {
	src, dst uint32
	nodes    []uint32 // the source first
	from     map[uint32][]*way
}

// way is a link in one direction.
type way struct {
	from, to uint32
	hop      Hop
	room     int64 // for more flow, bit/s
	back     *way  // what takes flow back
}

// waysFrom are the shortest paths in any of the views of a network.
func (t *Topology) waysFrom(src, dst uint32, views []*Topology) *ways {
	g := &ways{src: src, dst: dst, nodes: []uint32{src}, from: map[uint32][]*way{src: nil}}
	for i := 0; i < len(g.nodes); i++ {
		node := g.nodes[i]
		if node == dst {
			continue
		}
		taken := make([]bool, len(t.ports[node]))
		for _, v := range views {
			for _, p := range v.nextHops(nil, node, dst) {
				if taken[p] {
					continue
				}
				taken[p] = true
				w := &way{from: node, to: t.ports[node][p].peer, hop: t.hop(node, p)}
				w.room = w.hop.FastestBps
				g.from[node] = append(g.from[node], w)
				if _, known := g.from[w.to]; !known {
					g.from[w.to] = nil
					g.nodes = append(g.nodes, w.to)
				}
			}
		}
	}
	return g
}

// only is the one path; nil if there are several.
func (g *ways) only() []Hop {
	var hops []Hop
	for node := g.src; node != g.dst; {
		if len(g.from[node]) != 1 {
			return nil
		}
		w := g.from[node][0]
		hops, node = append(hops, w.hop), w.to
	}
	return hops
}

func (g *ways) out() place {
	p := place{}
	for _, w := range g.from[g.src] {
		p.links, p.bps = p.links+1, p.bps+w.hop.FastestBps
	}
	return p
}

func (g *ways) in() place {
	p := place{}
	for _, node := range g.nodes {
		for _, w := range g.from[node] {
			if w.to == g.dst {
				p.links, p.bps = p.links+1, p.bps+w.hop.FastestBps
			}
		}
	}
	return p
}

// narrowest is the place through which least goes from source to destination,
// nil if that is no less than the limit, and how long a packet of so many bytes
// takes to there and from there at least.
func (g *ways) narrowest(limit, wire int64) (*place, int64) {
	for _, node := range g.nodes {
		for _, w := range g.from[node] {
			if w.hop.FastestBps > 0 && w.back == nil {
				w.back = &way{from: w.to, to: w.from, back: w}
				g.from[w.to] = append(g.from[w.to], w.back)
			}
		}
	}
	flow := int64(0)
	for flow < limit {
		by := g.search()
		if by[g.dst] == nil {
			return g.cut(by, flow, wire)
		}
		more := limit - flow
		for node := g.dst; node != g.src; node = by[node].from {
			more = min(more, by[node].room)
		}
		for node := g.dst; node != g.src; node = by[node].from {
			by[node].room -= more
			by[node].back.room += more
		}
		flow += more
	}
	return nil, 0
}

// search finds by which way each node is reached that has room for more flow.
func (g *ways) search() map[uint32]*way {
	by := map[uint32]*way{}
	queue := []uint32{g.src}
	for ; len(queue) > 0 && by[g.dst] == nil; queue = queue[1:] {
		for _, w := range g.from[queue[0]] {
			if w.room > 0 && w.to != g.src && by[w.to] == nil {
				by[w.to] = w
				queue = append(queue, w.to)
			}
		}
	}
	return by
}

// cut is the place between the nodes that are reached and the others.
func (g *ways) cut(reached map[uint32]*way, flow, wire int64) (*place, int64) {
	to := g.distances(g.src, wire, func(w *way) (near, far uint32) { return w.from, w.to })
	from := g.distances(g.dst, wire, func(w *way) (near, far uint32) { return w.to, w.from })
	before, behind := int64(math.MaxInt64), int64(math.MaxInt64)
	here := func(node uint32) bool { return node == g.src || reached[node] != nil }
	for _, node := range g.nodes {
		for _, w := range g.from[node] {
			if w.hop.FastestBps > 0 && here(w.from) && !here(w.to) {
				before = min(before, to[w.from])
				behind = min(behind, w.hop.DelayPs+from[w.to])
			}
		}
	}
	return &place{links: 2, bps: flow}, before + behind
}

// distances are the shortest times of a packet from a node, or to it.
func (g *ways) distances(node uint32, wire int64, ends func(w *way) (near, far uint32)) map[uint32]int64 {
	ps := map[uint32]int64{node: 0}
	for changed := true; changed; {
		changed = false
		for _, node := range g.nodes {
			for _, w := range g.from[node] {
				near, far := ends(w)
				so, known := ps[near]
				if w.hop.FastestBps == 0 || !known {
					continue
				}
				so += w.hop.DelayPs + units.SerializationTime(wire, w.hop.FastestBps)
				if other, known := ps[far]; !known || so < other {
					ps[far], changed = so, true
				}
			}
		}
	}
	return ps
}
