package sweeps

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"fabriclab/harness/run"
	"fabriclab/harness/store"
)

// A point that readings do not change is run once.
func TestDistinct(t *testing.T) {
	job := func(hash string, seed uint64) run.Job {
		return run.Job{Key: store.Key{Experiment: "x/a", ScenarioHash: hash, Engine: "ns3", Seed: seed}}
	}
	jobs, at := distinct([]run.Job{job("a", 1), job("b", 1), job("a", 1), job("a", 2)})
	assert.Len(t, jobs, 3)
	assert.Equal(t, []int{0, 1, 0, 2}, at)
}
