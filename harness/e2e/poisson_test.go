package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/harness/flowlist"
	"fabriclab/harness/run"
	"fabriclab/harness/scenario"
	"fabriclab/harness/store"
	"fabriclab/harness/trace/tracetest"
)

// TestArrivalsGoOnUntilTheMeasuredFlowsHaveFinished: the run ends with the
// last measured flow, long before the end of the drain, while others are
// under way; its results have every flow of the list that had started, and
// the manifest the load that was offered.
func TestArrivalsGoOnUntilTheMeasuredFlowsHaveFinished(t *testing.T) {
	dirs := mustRun(t, nil, "testdata/poisson.yaml")
	require.Len(t, dirs, 1)
	m, err := store.Read(dirs[0])
	require.NoError(t, err)
	summary, err := run.ParseSummary(m)
	require.NoError(t, err)
	assert.Greater(t, summary.SimPS, int64(1_000_000_000))
	assert.Less(t, summary.SimPS, int64(15_000_000_000))
	// Its window of a millisecond is too short to be settled, and says so.
	require.NotNil(t, m.Steady)
	assert.False(t, m.Steady.Settled)
	require.Len(t, m.Warnings, 1)
	assert.Contains(t, m.Warnings[0], "not settled: ")
	assert.Contains(t, m.Inputs, scenario.FlowsFile)
	assert.Contains(t, m.Inputs, flowlist.File, "the same list for people")
	require.NotNil(t, m.Workload)
	require.NotNil(t, m.Workload.Load)
	assert.InDelta(t, 0.3, m.Workload.Load.Offered, 4*m.Workload.Load.StandardError)

	results := map[string]map[string]string{}
	var last, measured float64
	for _, row := range tracetest.Table(t, dirs[0], "flows") {
		results[row["flow"]] = row
		if row["measured"] == "true" {
			measured++
			require.Equal(t, "true", row["finished"])
			require.GreaterOrEqual(t, tracetest.Number(t, row, "slowdown"), 1.0, "flow %s", row["flow"])
			last = max(last, tracetest.Number(t, row, "sender_end_ps"))
		}
	}
	assert.Equal(t, float64(summary.SimPS), last, "the end of the run")
	assert.Equal(t, []int64{int64(measured), int64(measured)}, []int64{summary.Flows.Measured, summary.Flows.MeasuredFinished})
	assert.Equal(t, float64(m.Workload.MeasuredFlows), measured)

	file, err := os.Open(filepath.Join(dirs[0], scenario.FlowsFile))
	require.NoError(t, err)
	defer file.Close()
	started := 0
	for f, err := range scenario.ReadFlows(file) {
		require.NoError(t, err)
		if f.StartPs > summary.SimPS {
			break
		}
		started++
	}
	assert.Len(t, results, started, "a row for every flow that had started")
}
