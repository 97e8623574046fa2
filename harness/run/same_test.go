package run

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"fabriclab/base/steady"
	"fabriclab/harness/store"
)

// The scenario's hash has the flows of one seed, so another window may have the same.
func TestAResultIsOfOneWindow(t *testing.T) {
	job := Job{LoadFromPs: 1, LoadToPs: 5}
	of := func(from, to int64) *store.Manifest {
		return &store.Manifest{Steady: &steady.Verdict{FromPs: from, ToPs: to}}
	}
	assert.True(t, job.covers(of(1, 5)))
	assert.False(t, job.covers(of(1, 6)))
	assert.False(t, job.covers(of(0, 5)))
	assert.True(t, job.covers(of(0, 0)), "it does not say")
	assert.True(t, job.covers(&store.Manifest{}), "without a load")
}
