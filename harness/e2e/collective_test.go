package e2e

import (
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/harness/run"
	"fabriclab/harness/store"
	"fabriclab/harness/trace/tracetest"
)

// TestRingAllReduceHasItsClosedForm: 2(n-1) steps, in each of which a host sends
// size / n with headers, and the ACKs of what it gets go between. (On OMNeT++:
// validation/ring has the same tables on both engines.)
func TestRingAllReduceHasItsClosedForm(t *testing.T) {
	const (
		size    = 8e6
		payload = 1518 - 62
		header  = 62
		ack     = 66
		psPerB  = 80 // at 100 Gb/s
		delay   = 1e6
		gap     = 20e6
	)
	dirs := mustRun(t, nil, "validation/ring")
	require.Len(t, dirs, 6)
	for _, dir := range dirs {
		m, err := store.Read(dir)
		require.NoError(t, err)
		n, err := strconv.ParseFloat(m.Labels["topology.hosts"], 64)
		require.NoError(t, err)
		piece := size / n
		packets := math.Ceil(piece / payload)
		// At the switch the last packet, if it is shorter, waits for the one before.
		latency := 2*delay + (payload+header)*psPerB
		acks := 1. // of the last packet, in front of the next step's data
		if m.Labels["acks"] == "all" {
			// Those that are due when the host has sent all of its own delay nothing.
			acks = packets - latency/((payload+header+ack)*psPerB)
		}
		step := (piece+packets*header+acks*ack)*psPerB + latency
		want := 2 * (n - 1) * step
		first, end, second := math.Inf(1), 0., math.Inf(1)
		rows := tracetest.Table(t, dir, "flows")
		require.Len(t, rows, int(2*2*(n-1)*n))
		for _, row := range rows {
			start := tracetest.Number(t, row, "start_ps")
			if row["group"] == "1" {
				first, end = min(first, start), max(end, tracetest.Number(t, row, "end_ps"))
			} else {
				second = min(second, start)
			}
		}
		t.Logf("%v: %.3f us, by the closed form %.3f us", m.Labels, (end-first)/1e6, want/1e6)
		assert.InEpsilon(t, want, end-first, map[string]float64{"few": 1e-5, "all": 1e-3}[m.Labels["acks"]], "%v", m.Labels)
		assert.InDelta(t, end+gap, second, 0, "%v: hosts are in step", m.Labels)
	}
}

// TestMessagesWaitForOthers: a graph from a file, by go-back-N and TCP; starts are
// the ends of what was waited for, and the delays.
func TestMessagesWaitForOthers(t *testing.T) {
	dirs := mustRun(t, nil, "validation/dag")
	require.Len(t, dirs, 5)
	for _, dir := range dirs {
		rows := map[string]map[string]string{}
		for _, row := range tracetest.Table(t, dir, "flows") {
			rows[row["flow"]] = row
		}
		require.Len(t, rows, 11, "tasks have no row")
		m, err := store.Read(dir)
		require.NoError(t, err)
		summary, err := run.ParseSummary(m)
		require.NoError(t, err)
		assert.EqualValues(t, 11, summary.Flows.Total, "tasks are no flows")
		assert.EqualValues(t, 11, summary.Flows.Started)
		of := func(flow, column string) float64 { return tracetest.Number(t, rows[flow], column) }
		start := func(flow string) float64 { return of(flow, "start_ps") }
		end := func(flow string) float64 { return of(flow, "end_ps") }
		assert.Zero(t, start("0"))
		assert.InDelta(t, 5e6, start("1"), 0)
		assert.InDelta(t, of("0", "sender_end_ps"), start("2"), 0, "they leave the same host")
		assert.InDelta(t, max(end("0"), end("1"))+10e6, start("3"), 0)
		assert.InDelta(t, max(end("0"), end("1")+20e6), start("4"), 0)
		joined := max(of("3", "sender_end_ps"), of("4", "sender_end_ps"), end("1"))
		assert.InDelta(t, joined+3e6, start("6"), 0)
		assert.InDelta(t, end("3"), start("7"), 0)
		assert.InDelta(t, end("4"), start("8"), 0)
		all := max(end("6"), end("7"), end("8")) + 50e6
		assert.InDelta(t, all, start("10"), 0)
		assert.InDelta(t, max(all+1e6, of("10", "sender_end_ps")), start("11"), 0)
		assert.InDelta(t, 2e9, start("12"), 0, "what it waits for is long over")
	}
}
