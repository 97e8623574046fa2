package bench

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An optimum from the one before takes fewer systems of equations, each of which
// takes as long; seconds are bench's, for a test is not alone on its machine.
func TestOptimumFromTheOneBeforeIsNearer(t *testing.T) {
	all, err := optimumSpeeds()
	require.NoError(t, err)
	for _, s := range all {
		t.Logf("%+v", s)
		assert.Less(t, s.ColdSteps, 100)
		assert.Less(t, 2*s.WarmSteps, s.ColdSteps)
	}
}
