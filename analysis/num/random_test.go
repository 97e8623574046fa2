package num_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/analysis/num"
	"fabriclab/base/random"
)

// TestRandomNetworks: the conditions of the optimum hold in thousands of
// problems of every kind, with one path for each flow.
func TestRandomNetworks(t *testing.T) {
	for what := range everything + 1 {
		if what&pools != 0 {
			continue
		}
		for seed := range uint64(many) {
			p := draw(seed, what)
			s, err := num.Solve(p, nil)
			require.NoError(t, err, "kind %d, seed %d", what, seed)
			require.Less(t, s.Residual.Worst(), 1e-9, "kind %d, seed %d: %v", what, seed, s.Residual)
			checkConditions(t, p, s, fmt.Sprintf("kind %d, seed %d", what, seed))
		}
	}
}

// TestRandomPools: the same with pooled flows. Where alphas, capacities and
// sizes differ, so do prices on one path, by more than numbers have digits;
// TestRandomExtremes has these.
func TestRandomPools(t *testing.T) {
	for _, what := range []int{pools, pools | weights} {
		for seed := range uint64(3 * many) {
			p := draw(seed, what)
			s, err := num.Solve(p, nil)
			require.NoError(t, err, "kind %d, seed %d", what, seed)
			require.Less(t, s.Residual.Worst(), 1e-9, "kind %d, seed %d: %v", what, seed, s.Residual)
			checkConditions(t, p, s, fmt.Sprintf("kind %d, seed %d", what, seed))
		}
	}
}

// TestRandomExtremes: pooled flows of all alphas, and of all utilities over
// links from 1 Mb/s to 400 Gb/s. A solution is right, or there is an error;
// errors are rare.
func TestRandomExtremes(t *testing.T) {
	const count = 10 * many
	failed, loose := 0, 0
	for seed := range uint64(count) {
		p := draw(seed, everything)
		if seed%2 == 0 {
			p = draw(seed, pools|mixed|weights)
		}
		s, err := num.Solve(p, nil)
		if err != nil {
			require.ErrorContains(t, err, "the optimum was not found")
			failed++
			continue
		}
		require.Less(t, s.Residual.Worst(), num.Acceptable, "seed %d: %v", seed, s.Residual)
		if s.Residual.Worst() > num.Tolerance {
			loose++
		}
	}
	t.Logf("%d of %d not found, %d above the tolerance", failed, count, loose)
	assert.LessOrEqual(t, failed, 1+count/200)
	assert.LessOrEqual(t, loose, 1+count/50)
}

// marginal is U' by the package math, of a rate in units of the problem.
func marginal(u num.Utility, x, unit float64) float64 {
	switch u := u.(type) {
	case num.AlphaFair:
		w := u.Weight
		if w == 0 {
			w = 1
		}
		return math.Pow(w/x, u.Alpha)
	case num.MinFCT:
		return 0.875 / u.Size * math.Pow(x, -0.125)
	case num.BandwidthFunction:
		i := 1
		for i < len(u.Points)-1 && x*unit > u.Points[i].Bps {
			i++
		}
		low, high := u.Points[i-1], u.Points[i]
		return math.Pow(low.Fair+(high.Fair-low.Fair)*(x*unit-low.Bps)/(high.Bps-low.Bps), -5)
	}
	panic("unknown utility")
}

// checkConditions looks at them apart from the package: no link above its
// capacity, a price only on full links, and no flow with a path that is
// cheaper than what more rate is worth to it, or one in use that is dearer.
func checkConditions(t *testing.T, p *num.Problem, s *num.Solution, text string) {
	t.Helper()
	const tolerance = 1e-6 // of prices: U' amplifies the rounding of rates by up to 8 and by bends
	load := make([]float64, len(p.Links))
	sums := func(path []int) float64 {
		sum := 0.0
		for _, l := range path {
			sum += s.Prices[l]
		}
		return sum
	}
	matters := make([]float64, len(p.Links)) // largest share of a price in a path's
	for i, f := range p.Flows {
		total := 0.0
		if s.Totals[i] < 1e-90 {
			continue // as if it had none; the package computes no smaller ones
		}
		for j, path := range f.Paths {
			require.GreaterOrEqual(t, s.Rates[i][j], 0., text)
			total += s.Rates[i][j]
			for _, l := range path {
				load[l] += s.Rates[i][j]
				matters[l] = max(matters[l], s.Prices[l]/sums(path))
			}
		}
		require.InEpsilon(t, total, s.Totals[i], 1e-12, text)
		// Where U' has a steep part a rate says little of it: it is between
		// the values a little to the left and to the right.
		high := marginal(f.Utility, total/p.UnitBps*(1-1e-9), p.UnitBps)
		low := marginal(f.Utility, total/p.UnitBps*(1+1e-9), p.UnitBps)
		for j, path := range f.Paths {
			require.Greater(t, sums(path), low*(1-tolerance), "%s, flow %d", text, i)
			if s.Rates[i][j] > 1e-6*total {
				require.Less(t, sums(path), high*(1+tolerance), "%s, flow %d", text, i)
			}
		}
	}
	for l, link := range p.Links {
		require.LessOrEqual(t, load[l], link.CapacityBps*(1+1e-9), "%s, link %d", text, l)
		if matters[l] > 1e-9 {
			require.GreaterOrEqual(t, load[l], link.CapacityBps*(1-1e-9), "%s, link %d", text, l)
		}
	}
}

// TestBesideBisection compares rates with those of another method: each link
// in turn looks by bisection for the price at which it is just full, with the
// others' prices as they are, until none moves. It is slow and needs one path
// for each flow.
func TestBesideBisection(t *testing.T) {
	r := random.New(1, "bisection", 0)
	for seed := range uint64(2 * many) {
		p := draw(seed, weights)
		alpha := []float64{0.5, 1, 2, 4}[r.Below(4)]
		for i, f := range p.Flows {
			p.Flows[i].Utility = num.AlphaFair{Alpha: alpha, Weight: f.Utility.(num.AlphaFair).Weight}
		}
		s, err := num.Solve(p, nil)
		require.NoError(t, err)
		want, ok := byBisection(p, alpha)
		if !ok {
			continue // two links with the same flows may pass a price on to each other without end
		}
		for i := range want {
			require.InEpsilon(t, want[i], s.Totals[i], 1e-6, "seed %d, flow %d", seed, i)
		}
	}
}

func byBisection(p *num.Problem, alpha float64) ([]float64, bool) {
	prices := make([]float64, len(p.Links))
	for l := range prices {
		prices[l] = math.Pow(1e4, -alpha)
	}
	rate := func(f num.Flow) float64 {
		q := 0.0
		for _, l := range f.Paths[0] {
			q += prices[l]
		}
		return f.Utility.(num.AlphaFair).Weight * math.Pow(q, -1/alpha) * p.UnitBps
	}
	for range 3000 {
		moved := 0.0
		for l, link := range p.Links {
			room := func(price float64) float64 {
				prices[l] = price
				left := link.CapacityBps
				for _, f := range p.Flows {
					for _, other := range f.Paths[0] {
						if other == l {
							left -= rate(f)
						}
					}
				}
				return left
			}
			before := prices[l]
			low, high := 0., 1e6
			if room(0) >= 0 {
				high = 0
			}
			for k := 0; k < 300 && high-low > 1e-15*high; k++ {
				middle := (low + high) / 2
				if low < high/1e3 {
					middle = max(math.Sqrt(low*high), high*1e-9)
				}
				if room(middle) < 0 {
					low = middle
				} else {
					high = middle
				}
			}
			prices[l] = high
			moved = max(moved, math.Abs(high-before)/max(high, before, 1e-300))
		}
		if moved < 1e-11 {
			rates := make([]float64, len(p.Flows))
			for i, f := range p.Flows {
				rates[i] = rate(f)
			}
			return rates, true
		}
	}
	return nil, false
}

// TestFromTheOptimumBefore: flows come and go and capacities change; the
// optimum is the one that comes from nothing.
func TestFromTheOptimumBefore(t *testing.T) {
	for _, alpha := range []float64{0.25, 1, 4} {
		p := mesh(2, 60, alpha)
		p.Links = p.Links[:24]
		for i := range p.Flows {
			for k, l := range p.Flows[i].Paths[0] {
				p.Flows[i].Paths[0][k] = (l/24*4 + l) % 24
			}
			p.Flows[i].Paths[0] = unique(p.Flows[i].Paths[0])
		}
		all := p.Flows
		r := random.New(3, "changes", uint64(alpha*4))
		var before *num.Solution
		for step := range 100 {
			p.Flows = nil
			for range 1 + r.Below(60) {
				p.Flows = append(p.Flows, all[r.Below(60)])
			}
			if step%10 == 9 {
				p.Links[r.Below(24)].CapacityBps *= 0.5 + r.Uniform()
			}
			warm, err := num.Solve(p, before)
			require.NoError(t, err)
			require.Less(t, warm.Residual.Worst(), num.Tolerance)
			cold := solve(t, p)
			for i := range cold.Totals {
				require.InEpsilon(t, cold.Totals[i], warm.Totals[i], 1e-8)
			}
			before = warm
		}
	}
}

func unique(path []int) []int {
	var out []int
	seen := map[int]bool{}
	for _, l := range path {
		if !seen[l] {
			out = append(out, l)
		}
		seen[l] = true
	}
	return out
}
