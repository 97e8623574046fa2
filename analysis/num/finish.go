package num

import "math"

// Near the optimum it is clear which links are full and which sub-flows are in
// use; where it is not, either choice is right. With these sets the conditions
// of the optimum are equations, and Newton's method solves them to rounding.
const (
	finishSteps  = 20
	finishRounds = 8
	exact        = 1e-13 // of a capacity
	wrong        = 1e-12 // what a sign may be off, as a share
	stiffness    = 1e-4  // of what holds a pooled flow's sub-flows where they are
)

// sets say which links are full and which sub-flows of pooled flows are used.
type sets struct{ full, used []bool }

// guess reads the sets off a point. A link is full if its price has shrunk less
// than its room; a sub-flow is used if its rate has shrunk less than the excess
// of its path price.
func (s *state) guess() sets {
	g := sets{make([]bool, len(s.capacity)), make([]bool, s.subflows())}
	s.cheapest()
	for l, c := range s.capacity {
		g.full[l] = s.price[l]/s.least[l] > s.left[l]/c
	}
	for flow := range s.curves {
		from, to := s.first[flow], s.first[flow+1]
		total := sum(s.rate[from:to])
		for sub := from; sub < to; sub++ {
			g.used[sub] = to-from == 1 || s.rate[sub]/total > s.over[sub]/s.worth[flow]
		}
	}
	return g
}

// cheapest sets, by link, the lowest price of a path over it.
func (s *state) cheapest() {
	s.pathSums(s.price, s.sum)
	for l := range s.least {
		s.least[l] = math.Inf(1)
	}
	for sub := range s.sum {
		for _, l := range s.of(int32(sub)) {
			s.least[l] = min(s.least[l], s.sum[sub])
		}
	}
}

func sum(v []float64) float64 {
	total := 0.0
	for _, x := range v {
		total += x
	}
	return total
}

// finish solves the equations and corrects the sets until all signs are right;
// false if that fails.
func (s *state) finish(g sets) bool {
	for range finishRounds {
		if !s.equations(g) {
			return false
		}
		if !s.mend(g) {
			return true
		}
	}
	return false
}

// equations solves load = capacity on the full links, all others having the
// price 0, with equal path prices for the used sub-flows of a flow.
func (s *state) equations(g sets) bool {
	for l := range s.price {
		if !g.full[l] {
			s.price[l] = 0
		}
	}
	last := math.Inf(1)
	for range finishSteps {
		off, ok := s.toward(g)
		if !ok {
			return false
		}
		if off < exact || off < 1e-10 && off >= last {
			return true
		}
		last = off
	}
	return false
}

// toward makes one step; off is the distance of its starting point from a
// solution. A small term holds sub-flows in place where only their sum is
// determined.
func (s *state) toward(g sets) (off float64, ok bool) {
	s.pathSums(s.price, s.sum)
	for flow := range s.curves {
		from, to := s.first[flow], s.first[flow+1]
		if to-from == 1 {
			if !(s.sum[from] > 0) {
				return 0, false
			}
			s.single(flow, from)
			continue
		}
		worth := s.worth[flow]
		wanted, elasticity := s.curves[flow].demand(worth)
		s.slope[flow], s.lack[flow] = elasticity*wanted/worth, wanted
		for sub := from; sub < to; sub++ {
			s.shift[sub], s.push[sub] = 0, 0
			if !g.used[sub] {
				s.rate[sub] = 0
				continue
			}
			s.lack[flow] -= s.rate[sub]
			s.shift[sub] = max(s.rate[sub], 1e-6*wanted) / (stiffness * worth)
			s.push[sub] = s.shift[sub] * (worth - s.sum[sub])
			off = worse(off, math.Abs(worth-s.sum[sub])/worth)
		}
		off = worse(off, math.Abs(s.lack[flow])/wanted)
	}
	s.loads(s.rate, s.load)
	for l, c := range s.capacity {
		s.row[l], s.room[l] = -1, 0
		s.excess[l] = s.load[l] - c
		if g.full[l] {
			s.row[l] = 0
			off = worse(off, math.Abs(s.excess[l])/c)
		}
	}
	s.direction()
	s.follow()
	return off, true
}

// follow goes along the step, as far as no path price falls below a fifth.
func (s *state) follow() {
	t := 1.
	limit := func(v, d float64) {
		if d < 0 {
			t = min(t, -0.8*v/d)
		}
	}
	for flow := range s.curves {
		if s.pooled(flow) {
			limit(s.worth[flow], s.worthStep[flow])
		} else {
			limit(s.sum[s.first[flow]], s.sumStep[s.first[flow]])
		}
	}
	for l, d := range s.step {
		s.price[l] += float64(t * d)
	}
	for flow := range s.curves {
		if !s.pooled(flow) {
			continue
		}
		s.worth[flow] += float64(t * s.worthStep[flow])
		for sub := s.first[flow]; sub < s.first[flow+1]; sub++ {
			s.rate[sub] += float64(t * s.rateStep[sub])
		}
	}
}

// mend changes the sets where a sign is wrong; false if none was.
func (s *state) mend(g sets) bool {
	s.cheapest()
	for flow := range s.curves {
		if !s.pooled(flow) {
			s.single(flow, s.first[flow])
		}
	}
	s.loads(s.rate, s.load)
	changed := false
	for l, c := range s.capacity {
		switch {
		case g.full[l] && s.price[l] < 0:
			changed = changed || s.price[l] < -wrong*s.least[l]
			g.full[l], s.price[l] = false, 0
		case !g.full[l] && s.load[l] > c*(1+wrong):
			g.full[l], changed = true, true
		}
	}
	for flow := range s.curves {
		from, to := s.first[flow], s.first[flow+1]
		if to-from == 1 {
			continue
		}
		total := sum(s.rate[from:to])
		for sub := from; sub < to; sub++ {
			switch {
			case g.used[sub] && s.rate[sub] < 0:
				changed = changed || s.rate[sub] < -wrong*total
				g.used[sub], s.rate[sub] = false, 0
			case !g.used[sub] && s.sum[sub] < s.worth[flow]*(1-wrong):
				g.used[sub], changed = true, true
			}
		}
	}
	return changed
}
