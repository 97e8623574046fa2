package num

import (
	"math"

	"fabriclab/base/random"
)

// state is a point on the way to the optimum: a price for every link, and the
// values that follow from the prices.
type state struct {
	*network
	price []float64 // by link
	sum   []float64 // by sub-flow: of the prices on its path
	rate  []float64 // by sub-flow
	load  []float64 // by link
	// By flow: the fall of its total rate per rise of price.
	slope []float64
	// By sub-flow of a pooled flow: the fall of its rate per rise of its own
	// path's price, with U' of the flow held.
	shift []float64
	// By flow: its lowest path price less U' of its rate (barrier), and U'
	// itself (finish).
	below, worth []float64

	linkBarrier []float64 // by link
	flowBarrier []float64 // by flow

	// The smallest excess of a path price that rates react to, as a share of
	// U'; see interior.
	softness float64

	grad, step, from []float64 // by link

	// Of direction and of the interior point method; see there.
	room, excess, least, left, leftStep     []float64 // by link
	push, sumStep, rateStep, over, overStep []float64 // by sub-flow
	lack, worthStep                         []float64 // by flow
	matrix                                  matrix
	row                                     []int32 // by link: its row in the matrix, -1 for none
	steps                                   int
}

func newState(n *network) *state {
	l, s, f := len(n.capacity), n.subflows(), n.flows()
	block := make([]float64, 12*l+8*s+6*f)
	take := func(size int) []float64 {
		part := block[:size:size]
		block = block[size:]
		return part
	}
	return &state{
		network: n,
		price:   take(l), load: take(l), linkBarrier: take(l), grad: take(l), step: take(l), from: take(l),
		sum: take(s), rate: take(s), shift: take(s),
		slope: take(f), below: take(f), worth: take(f), flowBarrier: take(f),
		room: take(l), least: take(l), excess: take(l), left: take(l), leftStep: take(l),
		push: take(s), sumStep: take(s), rateStep: take(s), over: take(s), overStep: take(s),
		lack: take(f), worthStep: take(f),
		row: make([]int32, l),
	}
}

// respond sets what follows from the prices, with the barriers.
func (s *state) respond() {
	s.pathSums(s.price, s.sum)
	for flow := range s.curves {
		from, to := s.first[flow], s.first[flow+1]
		if to-from == 1 {
			s.single(flow, from)
		} else {
			s.pool(flow, from, to)
		}
	}
	s.loads(s.rate, s.load)
}

func (s *state) single(flow int, sub int32) {
	rate, elasticity := s.curves[flow].demand(s.sum[sub])
	s.rate[sub], s.slope[flow] = rate, elasticity*rate/s.sum[sub]
}

// pool spreads a flow over its sub-flows. With a barrier b log rate on each, a
// rate is b / (path price - worth). Worth is U' of the flow, such that the rates
// sum up to the flow's rate at that price. The unknown is the distance of worth
// from the cheapest path price.
func (s *state) pool(flow int, from, to int32) {
	sums, rates, shifts := s.sum[from:to], s.rate[from:to], s.shift[from:to]
	barrier, c := s.flowBarrier[flow], &s.curves[flow]
	cheapest := math.Inf(1)
	for _, q := range sums {
		cheapest = min(cheapest, q)
	}
	low, high := 0.0, cheapest
	below := s.below[flow]
	if !(below > 0 && below < cheapest) {
		below = cheapest / 2
	}
	for range 100 {
		total, square := 0.0, 0.0
		for _, q := range sums {
			r := barrier / (q - cheapest + below)
			total += r
			square += r / (q - cheapest + below)
		}
		worth := cheapest - below
		wanted, elasticity := c.demand(worth)
		s.slope[flow] = elasticity * wanted / worth
		off := random.Log(total / wanted)
		if off > 0 {
			low = below
		} else {
			high = below
		}
		if math.Abs(off) < 1e-13 {
			break
		}
		move := off / (below*square/total + elasticity*below/worth)
		next := below * random.Exp(max(-5, min(move, 5)))
		if !(next > low && next < high) {
			next = (low + high) / 2
			if low < high/16 {
				next = max(math.Sqrt(low*high), high*1e-3)
			}
		}
		if next == below || !(next > low && next < high) {
			break
		}
		below = next
	}
	s.below[flow] = below
	for i, q := range sums {
		rates[i] = barrier / (q - cheapest + below)
		shifts[i] = rates[i] / (q - cheapest + below)
	}
}

// assemble adds the slopes of loads over prices to the matrix, for links with a
// row.
func (s *state) assemble() {
	for flow := range s.curves {
		from, to := s.first[flow], s.first[flow+1]
		if to-from == 1 {
			s.outer(s.slope[flow], s.of(from))
			continue
		}
		// With shifts d and slope h, rates fall by (D - d d'/(h + sum d)) dq:
		// a sum of squares, of each path and of the differences of two.
		all := s.slope[flow]
		for sub := from; sub < to; sub++ {
			all += s.shift[sub]
		}
		for j := from; j < to; j++ {
			if s.shift[j] == 0 {
				continue
			}
			s.outer(float64(s.shift[j]*(s.slope[flow]/all)), s.of(j))
			for k := from; k < j; k++ {
				if s.shift[k] != 0 {
					s.outerDifference(float64(s.shift[j]*(s.shift[k]/all)), s.of(j), s.of(k))
				}
			}
		}
	}
}

func (s *state) outer(w float64, path []int32) {
	for i, a := range path {
		ra := s.row[a]
		if ra < 0 {
			continue
		}
		for _, b := range path[:i+1] {
			if rb := s.row[b]; rb >= 0 {
				s.matrix.add(ra, rb, w)
			}
		}
	}
}

func (s *state) outerDifference(w float64, one, other []int32) {
	var space [16]int32
	rows := space[:0]
	for _, a := range one {
		if s.row[a] >= 0 && !has(other, a) {
			rows = append(rows, s.row[a])
		}
	}
	plus := len(rows)
	for _, a := range other {
		if s.row[a] >= 0 && !has(one, a) {
			rows = append(rows, s.row[a])
		}
	}
	for i, ra := range rows {
		for j, rb := range rows[:i+1] {
			v := w
			if (i < plus) != (j < plus) {
				v = -w
			}
			s.matrix.add(ra, rb, v)
		}
	}
}

func has(path []int32, link int32) bool {
	for _, l := range path {
		if l == link {
			return true
		}
	}
	return false
}
