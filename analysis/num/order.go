package num

import (
	"cmp"
	"slices"
)

// arrange numbers the links so that links with common flows are close: zeros
// before a row's first element cost nothing. It is the order of Cuthill and
// McKee (1969), reversed as in George (1971): for each link its neighbours, the
// ones with the fewest flows first.
func (n *network) arrange() {
	crossing := n.crossing()
	fewest := func(a, b int32) int { return cmp.Compare(len(crossing[a]), len(crossing[b])) }
	seen, met := make([]bool, len(n.links)), make([]bool, n.flows())
	order := make([]int32, 0, len(n.links))
	take := func(link int32) {
		if !seen[link] {
			seen[link] = true
			order = append(order, link)
		}
	}
	roots := make([]int32, len(n.links))
	for l := range roots {
		roots[l] = int32(l)
	}
	slices.SortStableFunc(roots, fewest)
	next := 0
	for _, root := range roots {
		take(root)
		for ; next < len(order); next++ {
			known := len(order)
			for _, flow := range crossing[order[next]] {
				if met[flow] {
					continue
				}
				met[flow] = true
				for _, link := range n.linksOf(flow) {
					take(link)
				}
			}
			slices.SortStableFunc(order[known:], fewest)
		}
	}
	slices.Reverse(order)
	place, links := make([]int32, len(order)), make([]int, len(order))
	for to, from := range order {
		place[from], links[to] = int32(to), n.links[from]
	}
	n.links = links
	for i, link := range n.path {
		n.path[i] = place[link]
	}
}

// linksOf are the links of all paths of a flow.
func (n *network) linksOf(flow int32) []int32 {
	return n.path[n.start[n.first[flow]]:n.start[n.first[flow+1]]]
}

// crossing are, by link, the flows over it, once for each sub-flow.
func (n *network) crossing() [][]int32 {
	crossing := make([][]int32, len(n.links))
	for flow := range int32(n.flows()) {
		for _, l := range n.linksOf(flow) {
			crossing[l] = append(crossing[l], flow)
		}
	}
	return crossing
}
