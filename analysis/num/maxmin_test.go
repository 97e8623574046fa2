package num_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/analysis/num"
)

// TestMaxMin: by hand. Link 0 gives its three flows 10/3; what the long one
// leaves of link 1 is the fourth's.
func TestMaxMin(t *testing.T) {
	u := num.AlphaFair{Alpha: 1}
	p := &num.Problem{Links: links(10, 20), Flows: []num.Flow{flow(u, []int{0}), flow(u, []int{0}), flow(u, []int{0, 1}), flow(u, []int{1})}}
	s, err := num.MaxMin(p)
	require.NoError(t, err)
	assert.InDeltaSlice(t, []float64{10. / 3, 10. / 3, 10. / 3, 50. / 3}, s.Totals, 1e-12)
	p.Flows[2].Utility = num.AlphaFair{Alpha: 1, Weight: 3}
	s, err = num.MaxMin(p)
	require.NoError(t, err)
	assert.InDeltaSlice(t, []float64{2, 2, 6, 14}, s.Totals, 1e-12)
}

// TestMaxMinBottlenecks: every flow has a full link on which no other one has
// more per weight; this is max-min fairness (Bertsekas and Gallager).
func TestMaxMinBottlenecks(t *testing.T) {
	for seed := range uint64(1000) {
		p := draw(seed, weights|wide)
		s, err := num.MaxMin(p)
		require.NoError(t, err)
		load, most := make([]float64, len(p.Links)), make([]float64, len(p.Links))
		level := func(i int) float64 { return s.Totals[i] / p.Flows[i].Utility.(num.AlphaFair).Weight }
		for i, f := range p.Flows {
			for _, l := range f.Paths[0] {
				load[l] += s.Totals[i]
				most[l] = max(most[l], level(i))
			}
		}
		for l, link := range p.Links {
			require.LessOrEqual(t, load[l], link.CapacityBps*(1+1e-12))
		}
		for i, f := range p.Flows {
			bottleneck := false
			for _, l := range f.Paths[0] {
				bottleneck = bottleneck || load[l] >= p.Links[l].CapacityBps*(1-1e-9) && level(i) >= most[l]*(1-1e-9)
			}
			require.True(t, bottleneck, "seed %d, flow %d", seed, i)
		}
	}
}

// TestMaxMinIsTheLimit: alpha fairness comes near it.
func TestMaxMinIsTheLimit(t *testing.T) {
	p := mesh(4, 200, 16)
	fair, err := num.MaxMin(p)
	require.NoError(t, err)
	s := solve(t, p)
	sum := 0.0
	for i := range s.Totals {
		sum += math.Abs(s.Totals[i]/fair.Totals[i] - 1)
	}
	assert.Less(t, sum/float64(len(s.Totals)), 0.1)
}

func TestMaxMinRefusals(t *testing.T) {
	_, err := num.MaxMin(&num.Problem{Links: links(1, 1), Flows: []num.Flow{flow(num.AlphaFair{Alpha: 1}, []int{0}, []int{1})}})
	require.ErrorContains(t, err, "flow 0 has 2 sub-flows; max-min fairness is for flows with one path")
	_, err = num.MaxMin(&num.Problem{Links: links(1), Flows: []num.Flow{flow(num.MinFCT{Size: 1}, []int{0})}})
	assert.ErrorContains(t, err, "flow 0 has no weight; max-min fairness needs the utility alpha_fair")
}
