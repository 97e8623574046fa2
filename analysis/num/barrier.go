package num

import (
	"math"
	"slices"

	"fabriclab/base/random"
)

// The barrier method looks for the prices at which the dual function
//
//	sum_i max_y (U_i(y) - q_i y) + sum_l c_l p_l - sum_l m_l log p_l
//
// is smallest. It is convex, so Newton's direction leads down. The slope along
// it says how far to go, and needs no value of a utility. At the minimum
// load + m_l/p_l = c_l on every link, as if one more flow with the utility
// m_l log x used the link. Pooled flows have a second barrier, on the rates of
// sub-flows (state.pool). As m goes to 0, the minimum goes to the optimum.
const (
	nearest     = 0.05 // what is left of a price after a step, at least
	stageSteps  = 60
	searchSteps = 25
)

// barriers sets the barriers to a share of what links and flows have.
func (s *state) barriers(share float64) {
	s.cheapest()
	for l, c := range s.capacity {
		s.linkBarrier[l] = share * c * s.least[l]
	}
	for flow := range s.curves {
		from, to := s.first[flow], s.first[flow+1]
		if to-from == 1 {
			continue
		}
		cheapest := slices.Min(s.sum[from:to])
		rate, _ := s.curves[flow].demand(cheapest)
		s.flowBarrier[flow] = max(share, 1e-7) * rate * cheapest / float64(to-from)
	}
}

// centre minimises the dual function with barriers, until room times price is
// about the barrier on each link (central).
func (s *state) centre() {
	s.respond()
	for range stageSteps {
		if s.central() {
			return
		}
		if !s.newton() {
			return
		}
	}
}

// central says whether room times price is about the barrier on every link.
func (s *state) central() bool {
	for l, c := range s.capacity {
		if part := (c - s.load[l]) * s.price[l]; !(part > 0.3*s.linkBarrier[l] && part < 3*s.linkBarrier[l]) {
			return false
		}
	}
	return true
}

// loose limits which links the step couples: a link whose barrier is more than
// loose times the flows' part of its diagonal element is solved by itself.
const loose = 1e3

// newton makes one step; false if it made no progress.
func (s *state) newton() bool {
	s.steps++
	// How much the load on each link falls with the step.
	own := s.step
	clear(own)
	for flow := range s.curves {
		from, to := s.first[flow], s.first[flow+1]
		for sub := from; sub < to; sub++ {
			w := s.slope[flow]
			if to-from > 1 {
				w = s.shift[sub]
			}
			for _, l := range s.of(sub) {
				own[l] += w
			}
		}
	}
	rows := int32(0)
	for l, p := range s.price {
		s.grad[l] = s.capacity[l] - s.load[l] - s.linkBarrier[l]/p
		if s.linkBarrier[l]/p/p > loose*own[l] {
			s.row[l] = -1
			continue
		}
		s.row[l] = rows
		rows++
	}
	s.matrix.reset(int(rows))
	s.assemble()
	right := s.from[:0]
	for l, p := range s.price {
		diagonal := s.linkBarrier[l] / p / p
		if r := s.row[l]; r >= 0 {
			s.matrix.add(r, r, diagonal)
			right = append(right, -s.grad[l])
		}
	}
	s.matrix.factor()
	s.matrix.solve(right)
	for l, p := range s.price {
		if r := s.row[l]; r >= 0 {
			s.step[l] = right[r]
		} else {
			s.step[l] = -s.grad[l] / (s.linkBarrier[l]/p/p + own[l])
		}
	}
	return s.search()
}

// search returns the part of the step at which the dual function stops falling,
// about.
func (s *state) search() bool {
	copy(s.from, s.price)
	farthest := math.Inf(1)
	for l, d := range s.step {
		if d < 0 {
			farthest = min(farthest, (nearest-1)*s.from[l]/d)
		}
	}
	start := s.descent()
	if !(start < 0) {
		return false
	}
	low, high := 0.0, math.Inf(1)
	t := min(1, farthest)
	for range searchSteps {
		s.move(t)
		now := s.descent()
		switch {
		case now > -0.3*start:
			high = t
			t = low + float64((high-low)*max(0.1, min(0.5, start/(start-now))))
		case now < 0.5*start && t < farthest && math.IsInf(high, 1):
			low = t
			t = min(3*t, farthest)
		default:
			return true
		}
		if high-low < 1e-12*low {
			break
		}
	}
	s.move(low)
	return low > 0
}

// move goes to a part of the step.
func (s *state) move(t float64) {
	for l, d := range s.step {
		s.price[l] = s.from[l] + float64(t*d)
	}
	s.respond()
}

// descent is the slope of the dual function along the step.
func (s *state) descent() float64 {
	sum := 0.0
	for l, d := range s.step {
		sum += float64((s.capacity[l] - s.load[l] - s.linkBarrier[l]/s.price[l]) * d)
	}
	return sum
}

// alone sets each price as if the link were the only bottleneck of its flows.
func (s *state) alone() {
	price := 1.
	for l, flows := range s.crossing() {
		price = s.fill(l, flows, price)
		s.price[l] = price
	}
}

// fill looks for the price at which the flows fill a link, to a percent.
func (s *state) fill(l int, flows []int32, price float64) float64 {
	low, high := 0.0, math.Inf(1)
	for range 200 {
		total, falls := 0.0, 0.0
		for _, flow := range flows {
			rate, elasticity := s.curves[flow].demand(price)
			rate /= float64(s.first[flow+1] - s.first[flow])
			total += rate
			falls += float64(rate * elasticity)
		}
		off := random.Log(total / s.capacity[l])
		if math.Abs(off) < 0.01 {
			return price
		}
		if off > 0 {
			low = price
		} else {
			high = price
		}
		next := price * random.Exp(max(-20, min(off*total/falls, 20)))
		if !(next > low && next < high) {
			switch {
			case low == 0:
				next = high / 16
			case math.IsInf(high, 1):
				next = low * 16
			default:
				next = math.Sqrt(low * high)
			}
		}
		if next == price {
			break
		}
		price = next
	}
	return price
}
