package num

import (
	"fmt"
	"math"
)

// MaxMin is weighted max-min fairness, the limit of alpha fairness for large
// alpha: no rate can grow unless one falls that is smaller or equal, relative to
// the weights. It is computed by filling, exact up to rounding: all rates grow
// with their weights until a link is full; its flows stop, the others go on.
// Flows need the utility AlphaFair, of which only the weight counts.
//
// Flows with several sub-flows are refused: what is fair among their sums
// depends on splits that filling does not find. The solution has no prices.
func MaxMin(p *Problem) (*Solution, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	weights := make([]float64, len(p.Flows))
	for i, f := range p.Flows {
		u, ok := f.Utility.(AlphaFair)
		if !ok {
			return nil, fmt.Errorf("%s has no weight; max-min fairness needs the utility alpha_fair", name("flow", f.Name, i))
		}
		if len(f.Paths) > 1 {
			return nil, fmt.Errorf("%s has %d sub-flows; max-min fairness is for flows with one path, so use alpha_fair with a large alpha",
				name("flow", f.Name, i), len(f.Paths))
		}
		weights[i] = u.weight()
	}
	n := compile(p)
	rates := n.fill(weights)
	out := &Solution{Totals: make([]float64, len(rates)), Rates: make([][]float64, len(rates)), Prices: make([]float64, len(p.Links))}
	for i, r := range rates {
		out.Totals[i] = r * n.scale
		out.Rates[i] = out.Totals[i : i+1 : i+1]
	}
	return out, nil
}

// fill grows the rates.
func (n *network) fill(weights []float64) []float64 {
	rates := make([]float64, len(weights))
	room := append([]float64(nil), n.capacity...)
	growing := make([]float64, len(n.capacity)) // sum of the weights of a link's flows that grow
	flows := make([]int, len(n.capacity))
	for i, w := range weights {
		for _, l := range n.of(int32(i)) {
			growing[l] += w
			flows[l]++
		}
	}
	done := make([]bool, len(weights))
	for left := len(weights); left > 0; {
		level := math.Inf(1) // rate per weight at which the next link is full
		for l, r := range room {
			if flows[l] > 0 {
				level = min(level, r/growing[l])
			}
		}
		full := make([]bool, len(room))
		for l, r := range room {
			full[l] = flows[l] > 0 && r/growing[l] <= level
		}
		for i, w := range weights {
			if done[i] || !anyOf(full, n.of(int32(i))) {
				continue
			}
			done[i], rates[i] = true, level*w
			left--
			for _, l := range n.of(int32(i)) {
				room[l] = max(0, room[l]-rates[i])
				growing[l] -= w
				flows[l]--
			}
		}
	}
	return rates
}

func anyOf(set []bool, path []int32) bool {
	for _, l := range path {
		if set[l] {
			return true
		}
	}
	return false
}
