package topology

import "math"

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
	to, from := g.walksFrom(g.src), g.walksTo(g.dst)
	before, behind := int64(math.MaxInt64), int64(math.MaxInt64)
	here := func(node uint32) bool { return node == g.src || reached[node] != nil }
	for _, node := range g.nodes {
		for _, w := range g.from[node] {
			if w.hop.FastestBps > 0 && here(w.from) && !here(w.to) {
				before = min(before, to[w.from].takes(wire))
				behind = min(behind, w.hop.DelayPs+from[w.to].takes(wire))
			}
		}
	}
	return &place{links: 2, bps: flow}, before + behind
}

// around are the walks before the last links and behind the first ones, the
// delay of the first one among these, and the least delay of a last link. A
// packet that is under way while routes change mixes the paths of several
// views.
func (g *ways) around() (ahead, behind walks, lastDelay int64) {
	to, from := g.walksFrom(g.src), g.walksTo(g.dst)
	lastDelay = math.MaxInt64
	for _, w := range g.from[g.src] {
		for _, one := range from[w.to] {
			behind.add(walk{one.delay + w.hop.DelayPs, one.rates})
		}
	}
	for _, node := range g.nodes {
		for _, w := range g.from[node] {
			if w.to == g.dst {
				lastDelay = min(lastDelay, w.hop.DelayPs)
				for _, one := range to[node] {
					ahead.add(one)
				}
			}
		}
	}
	return ahead, behind, lastDelay
}

func (g *ways) walksFrom(node uint32) map[uint32]walks {
	return g.walks(node, func(w *way) (near, far uint32) { return w.from, w.to })
}

func (g *ways) walksTo(node uint32) map[uint32]walks {
	return g.walks(node, func(w *way) (near, far uint32) { return w.to, w.from })
}

// walks are the quickest walks of packets from a node, or to it.
func (g *ways) walks(node uint32, ends func(w *way) (near, far uint32)) map[uint32]walks {
	all := map[uint32]walks{node: {{}}}
	for changed := true; changed; {
		changed = false
		for _, node := range g.nodes {
			for _, w := range g.from[node] {
				if w.hop.FastestBps == 0 {
					continue
				}
				near, far := ends(w)
				there := all[far]
				for _, one := range all[near] {
					changed = there.add(one.over(w.hop)) || changed
				}
				all[far] = there
			}
		}
	}
	return all
}
