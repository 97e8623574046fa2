package num

import (
	"cmp"
	"fmt"
	"slices"
)

// Tolerance is the residual that solutions are below. Where prices on one path
// differ by more than numbers have digits (sub-flows over links from 1 Mb/s to
// 400 Gb/s with alpha = 5), it is not always reached; a solution above
// Acceptable is an error.
const (
	Tolerance  = 1e-9
	Acceptable = 1e-6
)

// Shares of the barriers: the first ones without and with a previous solution,
// how they fall, where finishing is first tried, and the last one.
const (
	coldShare   = 0.1
	warmShare   = 1e-4
	fall        = 0.1
	finishShare = 1e-3
	leastShare  = 1e-11
)

// softnesses of the interior point method, in the order of attempts.
var softnesses = []float64{1e-14, 1e-10, 1e-7}

// Solve finds the optimum. It begins at from, a solution for the same links with
// other flows or capacities; nil begins from nothing.
func Solve(p *Problem, from *Solution) (*Solution, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	if from != nil && len(from.Prices) != len(p.Links) {
		return nil, fmt.Errorf("the solution to begin from has prices for %d links, the problem has %d links; both must be of the same network",
			len(from.Prices), len(p.Links))
	}
	n := compile(p)
	var best *Solution
	steps := 0
	if s := newState(n); from != nil && s.flows() == s.subflows() {
		// After a small change the same links are full, or nearly the same.
		s.softness = softnesses[0]
		s.resume(p, from)
		if s.finish(s.before(from)) {
			if out := s.solution(p); out.Residual.Worst() < Tolerance {
				return out, nil
			}
		}
		steps = s.steps
	}
	for i, softness := range softnesses {
		s := newState(n)
		s.softness, s.steps = softness, steps
		share := coldShare
		if from != nil && i == 0 {
			s.resume(p, from)
			share = warmShare
		} else {
			s.alone()
		}
		out := s.descend(p, share)
		if best == nil || out.Residual.Worst() < best.Residual.Worst() {
			best = out
		}
		if best.Residual.Worst() < Tolerance {
			return best, nil
		}
		steps = s.steps
	}
	if best.Residual.Worst() < Acceptable {
		return best, nil
	}
	return nil, fmt.Errorf("the optimum was not found: after %d steps the residual is %v; this is a defect, please report the problem with its flows and links",
		steps, best.Residual)
}

// descend lowers the barriers until the optimum is found, and returns the best
// solution it met.
func (s *state) descend(p *Problem, share float64) *Solution {
	var best *Solution
	for ; share > leastShare; share *= fall {
		s.barriers(share)
		s.centre()
		if share > finishShare*1.5 {
			continue
		}
		out := s.end(p)
		if best == nil || out.Residual.Worst() < best.Residual.Worst() {
			best = out
		}
		if best.Residual.Worst() < Tolerance {
			break
		}
	}
	return best
}

// end goes from a point of the barrier method to the optimum: directly if the
// sets are clear, else by the interior point method.
func (s *state) end(p *Problem) *Solution {
	var begin point
	s.open()
	begin.keep(s)
	if s.finish(s.guess()) {
		if out := s.solution(p); out.Residual.Worst() < Tolerance {
			return out
		}
	}
	begin.restore(s)
	s.interior()
	out := s.solution(p)
	if s.finish(s.guess()) {
		if better := s.solution(p); better.Residual.Worst() < out.Residual.Worst() {
			return better
		}
	}
	begin.restore(s)
	return out
}

// resume takes the prices of a solution. A link without a price gets a small
// one, or its price alone if no link of a path has one.
func (s *state) resume(p *Problem, from *Solution) {
	toward := s.scale / p.unit()
	for l, place := range s.links {
		s.price[l] = from.Prices[place] * toward
	}
	s.pathSums(s.price, s.sum)
	for sub, sum := range s.sum {
		for _, l := range s.of(int32(sub)) {
			s.price[l] = max(s.price[l], warmShare*sum)
		}
	}
	var crossing [][]int32
	for l, price := range s.price {
		if price > 0 {
			continue
		}
		if crossing == nil {
			crossing = s.crossing()
		}
		s.price[l] = s.fill(l, crossing[l], 1)
	}
}

// before are the sets of a previous solution. Links with a price are full; on a
// path without one, the link whose price begins highest is.
func (s *state) before(from *Solution) sets {
	g := sets{make([]bool, len(s.capacity)), make([]bool, s.subflows())}
	for l, place := range s.links {
		g.full[l] = from.Prices[place] > 0
	}
	for sub := range g.used {
		g.used[sub] = true
		links := s.of(int32(sub))
		if slices.ContainsFunc(links, func(l int32) bool { return g.full[l] }) {
			continue
		}
		g.full[slices.MaxFunc(links, func(a, b int32) int { return cmp.Compare(s.price[a], s.price[b]) })] = true
	}
	return g
}

// solution of the state, with its residual.
func (s *state) solution(p *Problem) *Solution {
	out := &Solution{
		Totals: make([]float64, s.flows()), Rates: make([][]float64, s.flows()), Prices: make([]float64, len(p.Links)),
		Residual: s.residual(s.rate, s.price), Steps: s.steps,
	}
	rates := make([]float64, s.subflows())
	for sub, r := range s.rate {
		rates[sub] = r * s.scale
	}
	for flow := range out.Rates {
		out.Rates[flow] = rates[s.first[flow]:s.first[flow+1]:s.first[flow+1]]
		for _, r := range out.Rates[flow] {
			out.Totals[flow] += r
		}
	}
	toward := s.scale / p.unit()
	for l, place := range s.links {
		out.Prices[place] = s.price[l] / toward
	}
	return out
}
