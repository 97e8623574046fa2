package sweeps

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/base/steady"
	"fabriclab/harness/experiment"
	"fabriclab/harness/run"
	"fabriclab/harness/store"
)

// TestUnsettledRunsAreToldOfTogether: one line a sweep, and a row for each point
// that has a run which is not in steady state.
func TestUnsettledRunsAreToldOfTogether(t *testing.T) {
	one := &experiment.Point{Labels: []experiment.Label{{Name: "load", Value: "0.5"}}}
	two := &experiment.Point{Labels: []experiment.Label{{Name: "load", Value: "0.9"}}}
	var d Runs
	d.Experiment.Experiment = &experiment.Experiment{Name: "my/sweep"}
	for _, r := range []struct {
		point   *experiment.Point
		verdict *steady.Verdict
	}{
		{one, &steady.Verdict{Settled: true, Asked: 0.5, Offered: 0.5, Carried: 0.5}},
		{two, &steady.Verdict{Asked: 0.9, Offered: 0.8, Carried: 0.4, Reason: "active flows grow", Emptying: 0.5}},
		{two, &steady.Verdict{Asked: 0.9, Offered: 1, Carried: 0.6, Reason: "the load drifts"}},
		{two, nil},
	} {
		d.PointOf = append(d.PointOf, r.point)
		result := run.Result{Manifest: &store.Manifest{Steady: r.verdict}}
		result.Job.Key.Engine = "ns3"
		d.Results = append(d.Results, result)
	}
	var b strings.Builder
	require.NoError(t, unsettled(&b, []Runs{d}))
	assert.Equal(t, `warning: 2 of 3 runs are not in steady state (docs/experiments.md, Steady state):
  point                  seeds   target load  offered  carried  why
  my/sweep load=0.9 ns3  2 of 2  0.90         0.90     0.50     active flows grow; 50 % of the measured flows' time is after the last arrival (workload.to)
`, b.String())
	b.Reset()
	d.Results, d.PointOf = d.Results[:1], d.PointOf[:1]
	require.NoError(t, unsettled(&b, []Runs{d}))
	assert.Empty(t, b.String())
}
