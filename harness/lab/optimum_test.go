package lab

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The times are ten times what they are to be (cold 50 ms, from the optimum
// before 5 ms): other processes are about.
func TestOptimumSpeeds(t *testing.T) {
	all, err := optimumSpeeds()
	require.NoError(t, err)
	for _, s := range all {
		t.Logf("%+v", s)
		if s.Alpha == 1 {
			assert.Less(t, s.ColdS, 0.5)
			assert.Less(t, s.WarmS, 0.05)
			assert.Less(t, s.WarmSteps, s.ColdSteps)
		}
	}
}
