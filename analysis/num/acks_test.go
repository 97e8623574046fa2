package num_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/analysis/num"
)

// Two flows in opposite directions of a link leave each other's ACKs their share:
// x + a x = c. One alone has the link, as its own ACKs go the other way.
func TestBesideAcks(t *testing.T) {
	links := []num.Link{{Name: "there", CapacityBps: 10e9}, {Name: "back", CapacityBps: 10e9}}
	flow := func(there, back int) num.Flow {
		return num.Flow{Utility: num.AlphaFair{Alpha: 1, Weight: 1}, Paths: [][]int{{there}}, Acks: [][]int{{back}}}
	}
	for name, allocate := range map[string]num.Allocate{
		"optimum": num.Solve,
		"max-min": func(p *num.Problem, _ *num.Solution) (*num.Solution, error) { return num.MaxMin(p) },
	} {
		for _, share := range []float64{0.06, 0.5} {
			s, err := num.BesideAcks(share, allocate)(&num.Problem{Links: links, Flows: []num.Flow{flow(0, 1), flow(1, 0)}}, nil)
			require.NoError(t, err, name)
			assert.InEpsilon(t, 10e9/(1+share), s.Totals[0], 1e-5, name)
			assert.InEpsilon(t, 10e9/(1+share), s.Totals[1], 1e-5, name)

			s, err = num.BesideAcks(share, allocate)(&num.Problem{Links: links, Flows: []num.Flow{flow(0, 1)}}, nil)
			require.NoError(t, err, name)
			assert.InEpsilon(t, 10e9, s.Totals[0], 1e-5, name)
		}
	}
	assert.Equal(t, 10e9, links[0].CapacityBps, "the caller's links stay")
}
