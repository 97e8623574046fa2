package e2e

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/harness/scenario"
	"fabriclab/harness/trace/tracetest"
)

// TestClosedLoop: the time between two messages of a connection counts from
// the end of the first one, and what waits at the end is there. (On OMNeT++:
// validation/connections has the same results on both engines.)
func TestClosedLoop(t *testing.T) {
	dir := mustRun(t, nil, "testdata/closed-loop.yaml")[0]
	results := map[string]map[string]string{}
	for _, row := range tracetest.Table(t, dir, "flows") {
		results[row["flow"]] = row
	}
	file, err := os.Open(filepath.Join(dir, scenario.FlowsFile))
	require.NoError(t, err)
	defer file.Close()
	type connection struct {
		src  uint32
		port uint16
	}
	before := map[connection]scenario.Flow{}
	waited, late, later := 0, 0, 0
	for f, err := range scenario.ReadFlows(file) {
		require.NoError(t, err)
		require.True(t, f.ClosedLoop)
		c := connection{f.Src, f.SrcPort}
		previous, second := before[c]
		before[c] = f
		row, due := results[strconv.Itoa(int(f.ID))]
		if !due {
			later++
			continue
		}
		if tracetest.Number(t, row, "sent_bytes") == 0 {
			late++
			assert.Equal(t, "false", row["finished"])
			continue
		}
		if !second {
			assert.Equal(t, float64(f.StartPs), tracetest.Number(t, row, "start_ps"))
			continue
		}
		waited++
		end := tracetest.Number(t, results[strconv.Itoa(int(previous.ID))], "sender_end_ps")
		assert.Equal(t, end+float64(f.StartPs-previous.StartPs), tracetest.Number(t, row, "start_ps"), "flow %d", f.ID)
	}
	assert.Greater(t, waited, 50)
	assert.Positive(t, late, "they waited when the run ended")
	assert.Zero(t, later, "all were due before the end")
}
