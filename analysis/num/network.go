package num

import "math"

// network is a problem as the solver reads it: the links in use, all paths in
// one list, rates in units of scale bit/s.
type network struct {
	scale    float64
	links    []int     // by link in use: its place in the problem
	capacity []float64 // by link in use, in scale
	first    []int32   // by flow, and behind the last one: its first sub-flow
	start    []int32   // by sub-flow, and behind the last one: the beginning of its path
	path     []int32   // the links of all paths, of those in use
	curves   []curve   // by flow
}

func compile(p *Problem) *network {
	n := &network{scale: 1, first: make([]int32, 1, len(p.Flows)+1), start: []int32{0}}
	place := make([]int32, len(p.Links))
	largest := 0.0
	for _, f := range p.Flows {
		for _, path := range f.Paths {
			for _, l := range path {
				if place[l] == 0 {
					n.links = append(n.links, l)
					place[l] = int32(len(n.links))
					largest = max(largest, p.Links[l].CapacityBps)
				}
				n.path = append(n.path, place[l]-1)
			}
			n.start = append(n.start, int32(len(n.path)))
		}
		n.first = append(n.first, int32(len(n.start)-1))
	}
	if largest > 0 {
		_, e := math.Frexp(largest)
		n.scale = math.Ldexp(1, e) // a power of 2: no rounding
	}
	for _, f := range p.Flows {
		n.curves = append(n.curves, f.Utility.curve(n.scale/p.unit(), p.unit()))
	}
	n.arrange()
	for _, l := range n.links {
		n.capacity = append(n.capacity, p.Links[l].CapacityBps/n.scale)
	}
	return n
}

func (n *network) flows() int    { return len(n.curves) }
func (n *network) subflows() int { return len(n.start) - 1 }

// of is the path of a sub-flow.
func (n *network) of(sub int32) []int32 { return n.path[n.start[sub]:n.start[sub+1]] }

// pooled says whether a flow has several sub-flows.
func (n *network) pooled(flow int) bool { return n.first[flow+1]-n.first[flow] > 1 }

// pathSums are, by sub-flow, the sums of v over its links.
func (n *network) pathSums(v, sums []float64) {
	for sub := range sums {
		sum := 0.0
		for _, l := range n.path[n.start[sub]:n.start[sub+1]] {
			sum += v[l]
		}
		sums[sub] = sum
	}
}

// loads are, by link, the sums of the sub-flows' rates.
func (n *network) loads(rates, loads []float64) {
	clear(loads)
	for sub, rate := range rates {
		for _, l := range n.path[n.start[sub]:n.start[sub+1]] {
			loads[l] += rate
		}
	}
}
