package first

import (
	"fmt"
	"math/bits"
	"slices"

	"fabriclab/harness/topology"
)

// neighbours are a node's, in the order of the simulator, which is that of their
// addresses in memory: hosts, in the order in which they were made, then
// switches, which are large blocks, each of which Linux puts below the one
// before.
func (n *network) neighbours() map[int64][]int64 {
	of := map[int64][]int64{}
	for _, l := range n.links {
		of[l.a], of[l.b] = append(of[l.a], l.b), append(of[l.b], l.a)
	}
	for node, list := range of {
		slices.SortFunc(list, func(a, b int64) int {
			switch {
			case n.isSwitch(a) != n.isSwitch(b):
				return map[bool]int{true: 1, false: -1}[n.isSwitch(a)]
			case n.isSwitch(a):
				return int(b - a)
			}
			return int(a - b)
		})
		of[node] = slices.Compact(list)
	}
	return of
}

// search is the simulator's breadth-first search from a switch: the next hops
// from every other switch to it, in the order in which they are met.
func (n *network) search(from int64, of map[int64][]int64) map[int64][]int64 {
	far := map[int64]int{from: 0}
	next := map[int64][]int64{}
	for queue := []int64{from}; len(queue) > 0; queue = queue[1:] {
		now := queue[0]
		for _, other := range of[now] {
			if !n.isSwitch(other) {
				continue
			}
			if _, met := far[other]; !met {
				far[other] = far[now] + 1
				queue = append(queue, other)
			}
			if far[other] == far[now]+1 {
				next[other] = append(next[other], now)
			}
		}
	}
	return next
}

// longestRTT is the simulator's T, in ps: of all pairs of hosts the longest
// propagation both ways and serialisation of a packet's payload one way, on the
// path that a search meets first.
func (n *network) longestRTT(payload int64) (longest int64) {
	type cost struct{ delay, tx int64 }
	links := map[[2]int64]cost{}
	for _, l := range n.links {
		c := cost{l.delays, payload * 8e12 / l.rateBps}
		links[[2]int64{l.a, l.b}], links[[2]int64{l.b, l.a}] = c, c
	}
	of := n.neighbours()
	for _, host := range n.hosts {
		costs := map[int64]cost{host: {}}
		for queue := []int64{host}; len(queue) > 0; queue = queue[1:] {
			now := queue[0]
			for _, other := range of[now] {
				if _, met := costs[other]; met {
					continue
				}
				l := links[[2]int64{now, other}]
				costs[other] = cost{costs[now].delay + l.delay, costs[now].tx + l.tx}
				if n.isSwitch(other) {
					queue = append(queue, other)
				} else {
					longest = max(longest, 2*costs[other].delay+costs[other].tx)
				}
			}
		}
	}
	return longest
}

// murmur is MurmurHash3 (x86, 32 bit; Austin Appleby) of three words.
func murmur(seed uint32, words [3]uint32) uint32 {
	h := seed
	for _, k := range words {
		h ^= bits.RotateLeft32(k*0xcc9e2d51, 15) * 0x1b873593
		h = bits.RotateLeft32(h, 13)*5 + 0xe6546b64
	}
	h ^= 12
	h = (h ^ h>>16) * 0x85ebca6b
	h = (h ^ h>>13) * 0xc2b2ae35
	return h ^ h>>16
}

// address is the IP address of a host in the simulator.
func address(host int64) uint32 {
	return 0x0b000001 + uint32(host/256)<<16 + uint32(host%256)<<8
}

// steer gives flows ports with which this project's ECMP leads data and ACKs
// over the links that the simulator's leads them over.
func (n *network) steer(built *topology.Topology, list []hpccFlow) error {
	of := n.neighbours()
	ids := map[int64]uint32{}
	for id, node := range append(slices.Clone(n.hosts), sortedKeys(n.switches)...) {
		ids[node] = uint32(id)
	}
	seen := map[[2]int64]int{}
	for _, l := range n.links {
		key := [2]int64{min(l.a, l.b), max(l.a, l.b)}
		if line := seen[key]; line > 0 {
			return fmt.Errorf("lines %d and %d join the same two nodes; the simulator uses one of such links: leave the other out", line, l.line)
		}
		seen[key] = l.line
	}
	for _, h := range n.hosts {
		if len(n.ofHosts[h]) > 1 {
			return fmt.Errorf("%s has %d links; which of its NICs a flow takes is chosen by another hash there: import with --paths ecmp", n.name(h), len(n.ofHosts[h]))
		}
	}
	edge := func(host int64) int64 { return of[host][0] }
	searches := map[int64]map[int64][]int64{}
	path := func(src, dst, srcPort, dstPort int64) (nodes []uint32) {
		to := edge(dst)
		if searches[to] == nil {
			searches[to] = n.search(to, of)
		}
		key := [3]uint32{address(src), address(dst), uint32(srcPort) | uint32(dstPort)<<16}
		for node := edge(src); ; {
			nodes = append(nodes, ids[node])
			if node == to {
				return nodes
			}
			hops := searches[to][node]
			node = hops[murmur(uint32(node), key)%uint32(len(hops))]
		}
	}
	taken := map[[2]int64]map[[2]uint16]bool{} // ports by source and destination
	for i := range list {
		f := &list[i]
		pair := [2]int64{f.src, f.dst}
		if taken[pair] == nil {
			taken[pair] = map[[2]uint16]bool{}
		}
		there, back := path(f.src, f.dst, f.srcPort, f.dstPort), path(f.dst, f.src, f.dstPort, f.srcPort)
		ports, err := built.PortsAlong(ids[f.src], ids[f.dst], there, back, taken[pair])
		if err != nil {
			return err
		}
		taken[pair][ports] = true
		f.srcPort, f.dstPort = int64(ports[0]), int64(ports[1])
	}
	return nil
}

func sortedKeys(of map[int64]bool) (keys []int64) {
	for k := range of {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
