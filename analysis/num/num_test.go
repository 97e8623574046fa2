package num_test

import (
	"fmt"
	"hash/fnv"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/analysis/num"
)

const gbps = 1e9

func links(capacities ...float64) []num.Link {
	var out []num.Link
	for _, c := range capacities {
		out = append(out, num.Link{CapacityBps: c})
	}
	return out
}

func flow(u num.Utility, paths ...[]int) num.Flow { return num.Flow{Utility: u, Paths: paths} }

func solve(t *testing.T, p *num.Problem) *num.Solution {
	t.Helper()
	s, err := num.Solve(p, nil)
	require.NoError(t, err)
	require.Less(t, s.Residual.Worst(), num.Tolerance)
	return s
}

// near asks for a relative 1e-6.
func near(t *testing.T, want, got float64, text ...any) {
	t.Helper()
	assert.InEpsilon(t, want, got, 1e-6, text...)
}

// TestSingleLink: w^a x^-a is the same for all, so rates are as the weights.
func TestSingleLink(t *testing.T) {
	for _, alpha := range []float64{0.125, 0.5, 1, 2, 5, 8} {
		p := &num.Problem{Links: links(10 * gbps)}
		for _, w := range []float64{1, 2, 4} {
			p.Flows = append(p.Flows, flow(num.AlphaFair{Alpha: alpha, Weight: w}, []int{0}))
		}
		s := solve(t, p)
		for i, w := range []float64{1, 2, 4} {
			near(t, w*10*gbps/7, s.Totals[i], "alpha %g", alpha)
		}
		near(t, math.Pow(7/(10*gbps), alpha), s.Prices[0], "alpha %g", alpha)
	}
}

// TestParkingLot: one flow over n links, one more on each of them; U' of the
// long one is the sum of the others', so long = short n^(-1/a).
func TestParkingLot(t *testing.T) {
	for _, alpha := range []float64{0.125, 0.5, 1, 2, 8} {
		for _, n := range []int{2, 3, 7} {
			p := &num.Problem{}
			var all []int
			for l := range n {
				p.Links = append(p.Links, num.Link{CapacityBps: 10 * gbps})
				p.Flows = append(p.Flows, flow(num.AlphaFair{Alpha: alpha}, []int{l}))
				all = append(all, l)
			}
			p.Flows = append(p.Flows, flow(num.AlphaFair{Alpha: alpha}, all))
			s := solve(t, p)
			ratio := math.Pow(float64(n), -1/alpha)
			near(t, 10*gbps/(1+ratio), s.Totals[0], "alpha %g, %d links", alpha, n)
			near(t, 10*gbps*ratio/(1+ratio), s.Totals[n], "alpha %g, %d links", alpha, n)
		}
	}
}

// TestMinFCT: (1-e)/s x^-e is the same for all, so rates are as s^(-1/e).
func TestMinFCT(t *testing.T) {
	p := &num.Problem{Links: links(10 * gbps), Flows: []num.Flow{
		flow(num.MinFCT{Size: 10e3}, []int{0}), flow(num.MinFCT{Size: 12e3}, []int{0}), flow(num.MinFCT{Size: 1e9}, []int{0}),
	}}
	s := solve(t, p)
	second, third := math.Pow(1.2, -8), math.Pow(1e5, -8)
	near(t, 10*gbps/(1+second+third), s.Totals[0])
	near(t, s.Totals[0]*second, s.Totals[1])
	near(t, s.Totals[0]*third, s.Totals[2])
}

// TestWeights: a weight multiplies the utility of MinFCT and the bandwidth of a
// function, whose first point need not be 0, 0.
func TestWeights(t *testing.T) {
	b := num.BandwidthFunction{Points: []num.Share{{Fair: 1, Bps: gbps}}}
	twice := b
	twice.Weight = 2
	s := solve(t, &num.Problem{Links: links(9 * gbps), Flows: []num.Flow{flow(b, []int{0}), flow(twice, []int{0})}})
	near(t, 3*gbps, s.Totals[0])
	near(t, 6*gbps, s.Totals[1])
	s = solve(t, &num.Problem{Links: links(9 * gbps), Flows: []num.Flow{
		flow(num.MinFCT{Size: 1, Epsilon: 0.5}, []int{0}), flow(num.MinFCT{Size: 2, Epsilon: 0.5, Weight: 2 * math.Sqrt2}, []int{0}),
	}})
	near(t, 3*gbps, s.Totals[0])
	near(t, 6*gbps, s.Totals[1])
}

// TestPooling: two links, a flow on each and one on both. Together they are
// one link, as long as none has less than a third.
func TestPooling(t *testing.T) {
	for _, alpha := range []float64{0.125, 1, 5} {
		u := num.AlphaFair{Alpha: alpha}
		for _, second := range []float64{10, 6, 5.001} {
			p := &num.Problem{Links: links(10*gbps, second*gbps), Flows: []num.Flow{flow(u, []int{0}), flow(u, []int{1}), flow(u, []int{0}, []int{1})}}
			s := solve(t, p)
			third := (10 + second) * gbps / 3
			near(t, third, s.Totals[0])
			near(t, third, s.Totals[1])
			near(t, third, s.Totals[2])
			near(t, 10*gbps-third, s.Rates[2][0])
		}
		p := &num.Problem{Links: links(10*gbps, 2*gbps), Flows: []num.Flow{flow(u, []int{0}), flow(u, []int{1}), flow(u, []int{0}, []int{1})}}
		s := solve(t, p)
		near(t, 5*gbps, s.Totals[0])
		near(t, 2*gbps, s.Totals[1])
		near(t, 5*gbps, s.Totals[2])
		assert.Less(t, s.Rates[2][1], 1., "the second link is the other flow's")
	}
}

// figure2 are the bandwidth functions of NUMFabric's Figure 2, with a step in
// place of the level parts, so that they increase strictly.
func figure2(step float64) (one, two num.BandwidthFunction) {
	points := func(list ...num.Share) num.BandwidthFunction {
		for i := range list {
			list[i].Bps *= gbps
		}
		return num.BandwidthFunction{Points: list}
	}
	one = points(num.Share{}, num.Share{Fair: 1, Bps: 10}, num.Share{Fair: 2, Bps: 10 + step}, num.Share{Fair: 3, Bps: 20}, num.Share{Fair: 5, Bps: 20 + step})
	two = points(num.Share{}, num.Share{Fair: 2, Bps: step}, num.Share{Fair: 2.5, Bps: 10}, num.Share{Fair: 3.5, Bps: 15}, num.Share{Fair: 5, Bps: 15 + step})
	return one, two
}

// at is a bandwidth function's rate.
func at(b num.BandwidthFunction, fair float64) float64 {
	i := 1
	for i < len(b.Points)-1 && fair > b.Points[i].Fair {
		i++
	}
	low, high := b.Points[i-1], b.Points[i]
	return low.Bps + (high.Bps-low.Bps)*(fair-low.Fair)/(high.Fair-low.Fair)
}

// TestFigure9: the seven rows of the paper with steps of a millionth, and with
// the half steps of the authors' simulator the fair share at which both
// functions fill the link.
func TestFigure9(t *testing.T) {
	rows := map[float64][2]float64{
		5: {5, 0}, 10: {10, 0}, 15: {35. / 3, 10. / 3}, 20: {40. / 3, 20. / 3}, 25: {15, 10}, 30: {55. / 3, 35. / 3}, 35: {20, 15},
	}
	for capacity, want := range rows {
		one, two := figure2(1e-6)
		s := solve(t, &num.Problem{Links: links(capacity * gbps), Flows: []num.Flow{flow(one, []int{0}), flow(two, []int{0})}})
		assert.InDelta(t, want[0], s.Totals[0]/gbps, 2e-6, "link %g", capacity)
		assert.InDelta(t, want[1], s.Totals[1]/gbps, 2e-6, "link %g", capacity)

		one, two = figure2(0.5)
		low, high := 0., 10.
		for range 100 {
			middle := (low + high) / 2
			if at(one, middle)+at(two, middle) < capacity*gbps {
				low = middle
			} else {
				high = middle
			}
		}
		s = solve(t, &num.Problem{Links: links(capacity * gbps), Flows: []num.Flow{flow(one, []int{0}), flow(two, []int{0})}})
		near(t, at(one, low), s.Totals[0], "link %g", capacity)
		near(t, at(two, low), s.Totals[1], "link %g", capacity)
		assert.InDelta(t, want[0], s.Totals[0]/gbps, 0.5, "link %g", capacity)
	}
}

// TestFigure10: bandwidth functions of pooled flows. The outer links have 5
// and 3 Gb/s, the middle one 5 and then 17.
func TestFigure10(t *testing.T) {
	for middle, want := range map[float64][2]float64{5: {10, 3}, 17: {15, 10}} {
		one, two := figure2(1e-6)
		s := solve(t, &num.Problem{Links: links(5*gbps, middle*gbps, 3*gbps), Flows: []num.Flow{flow(one, []int{0}, []int{1}), flow(two, []int{2}, []int{1})}})
		assert.InDelta(t, want[0], s.Totals[0]/gbps, 2e-6, "middle %g", middle)
		assert.InDelta(t, want[1], s.Totals[1]/gbps, 2e-6, "middle %g", middle)
	}
}

// TestExtremes: a thousand flows on a link, capacities from 1 Mb/s to 400 Gb/s
// on one path, alpha from 0.125 to 8.
func TestExtremes(t *testing.T) {
	for _, alpha := range []float64{0.125, 0.25, 1, 3, 8} {
		for _, unit := range []float64{1, 1e6, 1e9} {
			p := &num.Problem{Links: links(400*gbps, 1e6, 40*gbps, 1e7), UnitBps: unit}
			for range 1000 {
				p.Flows = append(p.Flows, flow(num.AlphaFair{Alpha: alpha}, []int{0}))
			}
			p.Flows = append(p.Flows, flow(num.AlphaFair{Alpha: alpha}, []int{0, 1}), flow(num.AlphaFair{Alpha: alpha}, []int{0, 2, 3}))
			s := solve(t, p)
			near(t, 1e6, s.Totals[1000])
			near(t, 1e7, s.Totals[1001])
			near(t, (400*gbps-1.1e7)/1000, s.Totals[17])
			for _, price := range s.Prices {
				assert.False(t, math.IsNaN(price) || math.IsInf(price, 0) || price < 0)
			}
		}
	}
}

// TestMixed: flows of different utilities on one link get rates at which a
// little more is worth the same to all.
func TestMixed(t *testing.T) {
	one, _ := figure2(0.5)
	p := &num.Problem{Links: links(10 * gbps), UnitBps: gbps, Flows: []num.Flow{
		flow(num.AlphaFair{Alpha: 1, Weight: 3}, []int{0}), flow(num.AlphaFair{Alpha: 2}, []int{0}), flow(num.MinFCT{Size: 2}, []int{0}), flow(one, []int{0}),
	}}
	s := solve(t, p)
	x := func(i int) float64 { return s.Totals[i] / gbps }
	near(t, 3/x(0), s.Prices[0])
	near(t, 1/(x(1)*x(1)), s.Prices[0])
	near(t, 0.875/2*math.Pow(x(2), -0.125), s.Prices[0])
	near(t, math.Pow(x(3)/10, -5), s.Prices[0])
	near(t, 10, x(0)+x(1)+x(2)+x(3))
}

func TestNoFlows(t *testing.T) {
	s := solve(t, &num.Problem{Links: links(gbps)})
	assert.Empty(t, s.Totals)
	assert.Zero(t, s.Prices[0])
}

// TestBytes pins a solution to the bit: it must not depend on the machine.
func TestBytes(t *testing.T) {
	h := fnv.New64a()
	for _, what := range []int{0, weights | mixed, wide | mixed | pools, bandwidth | minFCT} {
		s := solve(t, draw(5, what))
		for i := range s.Totals {
			fmt.Fprintf(h, "%x %x\n", s.Totals[i], s.Rates[i])
		}
		fmt.Fprintf(h, "%x\n", s.Prices)
	}
	assert.Equal(t, uint64(0x19cbaa088a0e9064), h.Sum64(), "%#x", h.Sum64())
}

func TestRefusals(t *testing.T) {
	ok := num.AlphaFair{Alpha: 1}
	function := func(points ...num.Share) num.Utility { return num.BandwidthFunction{Points: points} }
	tests := map[string]struct {
		flow num.Flow
		want string
	}{
		"alpha":      {flow(num.AlphaFair{}, []int{0}), "flow f: alpha is 0; it must be between 0.05 and 16"},
		"no number":  {flow(num.AlphaFair{Alpha: math.NaN()}, []int{0}), "alpha is NaN"},
		"weight":     {flow(num.AlphaFair{Alpha: 1, Weight: -2}, []int{0}), "flow f: the weight is -2; it must be between"},
		"epsilon":    {flow(num.MinFCT{Size: 1, Epsilon: 1}, []int{0}), "epsilon is 1; it must be below 1"},
		"size":       {flow(num.MinFCT{}, []int{0}), "the size is 0"},
		"no utility": {flow(nil, []int{0}), "flow f: it has no utility"},
		"no point":   {flow(function(), []int{0}), "flow f: the bandwidth function has no point"},
		"jump":       {flow(function(num.Share{Fair: 0, Bps: 1}, num.Share{Fair: 1, Bps: 2}), []int{0}), "from 0:0 to 0:1 bit/s; it must increase strictly"},
		"late":       {flow(function(num.Share{Fair: 1, Bps: 0}, num.Share{Fair: 2, Bps: 2}), []int{0}), "from 0:0 to 1:0 bit/s; it must increase strictly"},
		"level": {flow(function(num.Share{}, num.Share{Fair: 1, Bps: 2}, num.Share{Fair: 2, Bps: 2}), []int{0}),
			"flow f: the bandwidth function goes from 1:2 to 2:2 bit/s; it must increase strictly"},
		"back":                  {flow(function(num.Share{}, num.Share{Fair: 1, Bps: 2}, num.Share{Fair: 1, Bps: 3}), []int{0}), "it must increase strictly"},
		"no path":               {flow(ok), "flow f: it has no path"},
		"no path of a sub-flow": {flow(ok, []int{0}, nil), "flow f: sub-flow 1 has no path; list the links it takes"},
		"link":                  {flow(ok, []int{2}), "flow f: sub-flow 0 takes link 2, which does not exist; links are 0 to 0"},
		"loop":                  {flow(ok, []int{0, 0}), "flow f: sub-flow 0 takes link a twice"},
	}
	for title, tt := range tests {
		t.Run(title, func(t *testing.T) {
			tt.flow.Name = "f"
			_, err := num.Solve(&num.Problem{Links: []num.Link{{Name: "a", CapacityBps: 1}}, Flows: []num.Flow{tt.flow}}, nil)
			assert.ErrorContains(t, err, tt.want)
		})
	}
	_, err := num.Solve(&num.Problem{Links: []num.Link{{Name: "a", CapacityBps: 0}}}, nil)
	require.ErrorContains(t, err, "link a has the capacity 0 bit/s; give it one above 0")
	_, err = num.Solve(&num.Problem{Links: links(1, 1)}, &num.Solution{Prices: []float64{1}})
	require.ErrorContains(t, err, "prices for 1 links, the problem has 2")
	_, err = num.Solve(&num.Problem{UnitBps: -1}, nil)
	assert.ErrorContains(t, err, "the unit of rates is -1")
}
