package figures

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/harness/trace"
	"fabriclab/harness/trace/tracetest"
)

// loadOf makes a run with one flow of 1,000 B in each of 200 bins of 1,000 ps,
// which lasts as long as is said. It is the directory and the load derived.
func loadOf(t *testing.T, w trace.LoadWindow, lasts func(bin int) int) (string, *trace.Load) {
	t.Helper()
	var stream bytes.Buffer
	out, err := tracetest.NewWriter(&stream, tracetest.Header())
	require.NoError(t, err)
	var rows [][]any
	for bin := range 200 {
		start := bin * 1000
		end := start + lasts(bin)
		rows = append(rows, []any{bin, 0, 0, 1, 1, true, 1000, start, end, end, 1000, 1000, 0, 1, true})
	}
	require.NoError(t, out.Rows("flows", rows...))
	require.NoError(t, out.End())
	load, dir := trace.NewLoad(w), t.TempDir()
	_, err = trace.Ingest(t.Context(), &stream, trace.Options{Dir: dir, Names: tracetest.Names(), Derived: []trace.Derived{load}})
	require.NoError(t, err)
	return dir, load
}

// TestSeedsAreJudgedAsOne: flows that take longer and longer in one run and
// shorter and shorter in the other are chance; in both they are a transient.
func TestSeedsAreJudgedAsOne(t *testing.T) {
	w := trace.LoadWindow{FromPs: 120_000, ToPs: 200_000, LastPs: 400_000, Asked: 0.008, CapacityBps: 1e15}
	up, load := loadOf(t, w, func(bin int) int { return 200 + 2*bin })
	down, _ := loadOf(t, w, func(bin int) int { return 600 - 2*bin })

	alone, err := carriedBy(w, []string{up})
	require.NoError(t, err)
	assert.Equal(t, load.Steady(), alone.Steady, "what the run itself says")
	assert.Contains(t, alone.Steady.Reason, "drift")

	both, err := carriedBy(w, []string{up, down})
	require.NoError(t, err)
	assert.True(t, both.Steady.Settled, both.Steady.Reason)
	assert.Equal(t, int64(120_000), both.WindowPs)
	require.Len(t, both.Carried, 2)
	assert.Equal(t, alone.Steady.Carried, both.Carried[0])
	assert.InDelta(t, both.Steady.Carried, (both.Carried[0]+both.Carried[1])/2, 1e-12)
	assert.InDelta(t, both.Steady.Offered, (both.Offered[0]+both.Offered[1])/2, 1e-12)

	both, err = carriedBy(w, []string{up, up})
	require.NoError(t, err)
	assert.False(t, both.Steady.Settled)
}
