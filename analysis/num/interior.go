package num

import (
	"math"
	"slices"

	"fabriclab/base/random"
)

// If the sets are not clear (a price near 0 on a link that is nearly full, a
// sub-flow that is hardly used), the room on links and the excess of path
// prices become unknowns. So they keep their digits, however small they are.
// Newton's method follows
//
//	room x price = barrier,   rate x (path price - worth) = barrier
//
// as the barriers go to 0 (a primal-dual interior point method). It begins at a
// point of the barrier method.
const (
	interiorSteps = 120
	patience      = 8     // steps without half the residual
	keep          = 0.995 // of the way to the next sign that would turn
	leastTarget   = 1e-22 // of the barriers at which it began
	leastRoom     = 1e-15 // of a capacity or a worth; what is less is rounding
)

// open sets the room on links and the excess of path prices at a point of the
// barrier method. The sets are guessed from them, and the interior point method
// begins there.
func (s *state) open() {
	for l, c := range s.capacity {
		s.left[l] = c - s.load[l]
		if barrier := s.linkBarrier[l] / s.price[l]; !(s.left[l] > 0.1*barrier) {
			s.left[l] = barrier
		}
	}
	for flow := range s.curves {
		if !s.pooled(flow) {
			continue
		}
		from, to := s.first[flow], s.first[flow+1]
		cheapest := slices.Min(s.sum[from:to])
		s.worth[flow] = cheapest - s.below[flow]
		for sub := from; sub < to; sub++ {
			s.over[sub] = s.sum[sub] - cheapest + s.below[flow]
		}
	}
}

// interior goes on to the optimum and returns to the best point it met.
func (s *state) interior() {
	best, stuck, target := math.Inf(1), 0, 0.1
	var at point
	for range interiorSteps {
		t := s.inward(target)
		if !(t > 1e-9) {
			break
		}
		worst := s.residual(s.rate, s.price).Worst()
		stuck++
		if worst < best {
			if worst < 0.5*best {
				stuck = 0
			}
			best = worst
			at.keep(s)
		}
		if worst < 1e-13 || target == leastTarget && stuck > patience {
			break
		}
		if t > 0.5 && s.consistent() {
			target = max(target*(1.1-t), leastTarget)
		}
	}
	at.restore(s)
}

// consistent says whether the room on links is capacity less load, up to a
// share. The curvature of the utilities breaks that; then the barriers wait.
func (s *state) consistent() bool {
	s.pathSums(s.price, s.sum)
	for flow := range s.curves {
		if !s.pooled(flow) {
			s.single(flow, s.first[flow])
		}
	}
	s.loads(s.rate, s.load)
	for l, c := range s.capacity {
		if math.Abs(c-s.load[l]-s.left[l]) > max(0.5*s.left[l], 1e-12*c) {
			return false
		}
	}
	return true
}

// point is where the interior point method is.
type point struct{ price, left, rate, over, worth []float64 }

func (p *point) keep(s *state) {
	p.price = append(p.price[:0], s.price...)
	p.left = append(p.left[:0], s.left...)
	p.rate = append(p.rate[:0], s.rate...)
	p.over = append(p.over[:0], s.over...)
	p.worth = append(p.worth[:0], s.worth...)
}

func (p *point) restore(s *state) {
	copy(s.price, p.price)
	copy(s.left, p.left)
	copy(s.rate, p.rate)
	copy(s.over, p.over)
	copy(s.worth, p.worth)
}

// inward makes one step toward the point where the barriers are a target's
// share of what they were, and says how much of it.
func (s *state) inward(target float64) float64 {
	s.pathSums(s.price, s.sum)
	for flow := range s.curves {
		from, to := s.first[flow], s.first[flow+1]
		if to-from == 1 {
			s.single(flow, from)
			continue
		}
		worth := s.worth[flow]
		wanted, elasticity := s.curves[flow].demand(worth)
		// In logarithms, because the wanted rate may be off by many powers of ten.
		total := sum(s.rate[from:to])
		s.slope[flow], s.lack[flow] = elasticity*total/worth, total*random.Log(wanted/total)
		for sub := from; sub < to; sub++ {
			over := max(s.over[sub], s.softness*worth)
			s.shift[sub] = s.rate[sub] / over
			s.push[sub] = target*s.flowBarrier[flow]/over - float64(s.rate[sub]*(s.over[sub]/over)) - float64(s.shift[sub]*(s.sum[sub]-worth-s.over[sub]))
		}
	}
	s.loads(s.rate, s.load)
	for l, c := range s.capacity {
		s.row[l] = 0
		s.room[l] = s.left[l] / s.price[l]
		s.excess[l] = s.load[l] - c + target*s.linkBarrier[l]/s.price[l]
	}
	s.direction()

	t := 1.
	limit := func(v, d float64) {
		if d < 0 {
			t = min(t, -keep*v/d)
		}
	}
	for l, c := range s.capacity {
		s.leftStep[l] = target*s.linkBarrier[l]/s.price[l] - s.left[l] - float64(s.room[l]*s.step[l])
		limit(s.price[l], s.step[l])
		if s.left[l] > leastRoom*c {
			limit(s.left[l], s.leftStep[l])
		}
	}
	for flow := range s.curves {
		from, to := s.first[flow], s.first[flow+1]
		if to-from == 1 {
			limit(s.sum[from], s.sumStep[from])
			continue
		}
		worth := s.worth[flow]
		limit(worth, s.worthStep[flow])
		for sub := from; sub < to; sub++ {
			s.overStep[sub] = s.sum[sub] - worth - s.over[sub] + s.sumStep[sub] - s.worthStep[flow]
			limit(s.rate[sub], s.rateStep[sub])
			if s.over[sub] > leastRoom*worth {
				limit(s.over[sub], s.overStep[sub])
			}
		}
	}
	for l, c := range s.capacity {
		s.price[l] += float64(t * s.step[l])
		s.left[l] = max(s.left[l]+float64(t*s.leftStep[l]), 0.1*leastRoom*c)
	}
	for flow := range s.curves {
		from, to := s.first[flow], s.first[flow+1]
		if to-from == 1 {
			continue
		}
		s.worth[flow] += float64(t * s.worthStep[flow])
		for sub := from; sub < to; sub++ {
			s.rate[sub] += float64(t * s.rateStep[sub])
			s.over[sub] = max(s.over[sub]+float64(t*s.overStep[sub]), 0.1*leastRoom*s.worth[flow])
		}
	}
	return t
}
