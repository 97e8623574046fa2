package trace_test

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/harness/trace"
	"fabriclab/harness/trace/tracetest"
)

// TestLoadOfSessions: a message that waits for the one before is no load yet.
func TestLoadOfSessions(t *testing.T) {
	var stream bytes.Buffer
	w, err := tracetest.NewWriter(&stream, tracetest.Header())
	require.NoError(t, err)
	under := []any{0, 0, 0, 1, 1, true, 1000, 0, -1, -1, 500, 600, 0, 1, false}
	waits := []any{1, 0, 0, 1, 1, true, 1000, -1, -1, -1, 0, 0, 0, 0, false}
	require.NoError(t, w.Rows("flows", under, waits))
	require.NoError(t, w.End())
	load := trace.NewLoad(trace.LoadWindow{ToPs: 2000, Asked: 0.5, CapacityBps: 1e12})
	_, err = trace.Ingest(context.Background(), &stream, trace.Options{Dir: t.TempDir(), Names: names(t), Derived: []trace.Derived{load}})
	require.NoError(t, err)
	assert.InDelta(t, 1, load.Steady().ActiveFlows, 1e-9)
	assert.InDelta(t, 1000*8e12/2000/1e12, load.Steady().Offered, 1e-9)
}

// TestLoadOfOthers: a flow without a size offers and carries nothing, one that is
// stopped is active up to then.
func TestLoadOfOthers(t *testing.T) {
	var stream bytes.Buffer
	w, err := tracetest.NewWriter(&stream, tracetest.Header())
	require.NoError(t, err)
	unlimited := []any{0, 0, 0, 1, 1, true, 0, 0, -1, -1, 9000, 9000, 0, 9, false}
	stopped := []any{1, 0, 0, 1, 1, true, 1000, 0, -1, 500, 400, 600, 0, 1, false}
	require.NoError(t, w.Rows("flows", unlimited, stopped))
	require.NoError(t, w.End())
	load := trace.NewLoad(trace.LoadWindow{ToPs: 2000, Asked: 0.5, CapacityBps: 1e12})
	_, err = trace.Ingest(context.Background(), &stream, trace.Options{Dir: t.TempDir(), Names: names(t), Derived: []trace.Derived{load}})
	require.NoError(t, err)
	v := load.Steady()
	assert.InDelta(t, 1.25, v.ActiveFlows, 1e-9)
	assert.InDelta(t, 1000*8/2000., v.Offered, 1e-9)
	assert.InDelta(t, 400*8/2000., v.Carried, 1e-9)
}

// TestLoadOfParts: flows of parts that were not asked for a load are none of it, nor
// do they keep the network busy.
func TestLoadOfParts(t *testing.T) {
	var stream bytes.Buffer
	w, err := tracetest.NewWriter(&stream, tracetest.Header())
	require.NoError(t, err)
	job := []any{0, 0, 0, 1, 1, true, 4000, 100, 1900, 1900, 4000, 4000, 0, 4, true}
	endless := []any{1, 0, 0, 1, 1, true, 4000, 100, -1, -1, 1000, 4000, 0, 4, false}
	load := []any{2, 0, 0, 1, 1, true, 1000, 0, 2000, 2000, 1000, 1000, 0, 1, true}
	require.NoError(t, w.Rows("flows", job, endless, load))
	require.NoError(t, w.End())
	l := trace.NewLoad(trace.LoadWindow{ToPs: 2000, Asked: 0.5, CapacityBps: 1e12, Counts: func(flow uint32) bool { return flow == 2 }})
	_, err = trace.Ingest(context.Background(), &stream, trace.Options{Dir: t.TempDir(), Names: names(t), Derived: []trace.Derived{l}})
	require.NoError(t, err)
	v := l.Steady()
	assert.InDelta(t, 1, v.ActiveFlows, 1e-9)
	assert.InDelta(t, 1000*8/2000., v.Offered, 1e-9)
	assert.InDelta(t, 1000*8/2000., v.Carried, 1e-9)
}

// TestLoadOfSome: without all flows nothing is in steady state, and there is no
// table.
func TestLoadOfSome(t *testing.T) {
	load := trace.NewLoad(trace.LoadWindow{ToPs: 2000, Asked: 0.5, CapacityBps: 1e12, Partial: true})
	require.NoError(t, load.Finish(nil))
	assert.False(t, load.Steady().Settled)
	assert.Contains(t, load.Steady().Reason, "not all flows were recorded")
	assert.Zero(t, load.Steady().Emptying)
}

// TestEmptying: flows of the window that go on when nothing arrives any more are
// told of, whether they finish or not.
func TestEmptying(t *testing.T) {
	for last, want := range map[int64]string{
		2000: "50 % of the measured flows' time is after 2ns, when the last flow arrived",
		3000: "",
	} {
		var stream bytes.Buffer
		w, err := tracetest.NewWriter(&stream, tracetest.Header())
		require.NoError(t, err)
		require.NoError(t, w.Rows("flows",
			[]any{0, 0, 0, 1, 1, false, 1000, 0, 9000, 9000, 1000, 1000, 0, 1, true}, // not of the window
			[]any{1, 0, 0, 1, 1, true, 1000, 1000, 3000, 3000, 1000, 1000, 0, 1, true}))
		require.NoError(t, w.End())
		load := trace.NewLoad(trace.LoadWindow{FromPs: 1000, ToPs: 2000, LastPs: last, Asked: 0.5, CapacityBps: 1e12})
		_, err = trace.Ingest(context.Background(), &stream, trace.Options{Dir: t.TempDir(), Names: names(t), Derived: []trace.Derived{load}})
		require.NoError(t, err)
		if want == "" {
			assert.Zero(t, load.Steady().Emptying)
		} else {
			assert.Contains(t, load.EmptyingText(), want)
		}
	}
}

// TestLoad: the table load has what a count over every picosecond would have.
func TestLoad(t *testing.T) {
	const end = 2000 // of the window; 200 bins of 10 ps
	random := rand.New(rand.NewPCG(1, 2))
	var offered, carried, active [200]float64
	var rows [][]any
	for flow := range 300 {
		start := random.Int64N(2200) // some begin after the window
		last, delivered := start+1+random.Int64N(900), uint64(1+random.IntN(5000))
		size, finished := delivered, random.IntN(4) > 0
		stop := last
		if !finished {
			last, size = -1, size+7
			stop = 3500 // of the run: when the last flow ended, below
		}
		if bin := start / 10; bin < 200 {
			offered[bin] += float64(size)
		}
		for at := start; at < min(stop, end); at++ {
			carried[at/10] += float64(delivered) / float64(stop-start)
			active[at/10] += 0.1
		}
		rows = append(rows, []any{flow, 0, 0, 1, 1, true, int(size), int(start), int(last), int(last), int(delivered), int(delivered), 0, 1, finished})
	}
	rows = append(rows, []any{300, 0, 0, 1, 1, true, 0, 3500, 3500, 3500, 0, 0, 0, 1, true})

	var stream bytes.Buffer
	w, err := tracetest.NewWriter(&stream, tracetest.Header())
	require.NoError(t, err)
	require.NoError(t, w.Rows("flows", rows...))
	require.NoError(t, w.End())
	load := trace.NewLoad(trace.LoadWindow{FromPs: 1000, ToPs: end, Asked: 0.5, CapacityBps: 1e12})
	dir := t.TempDir()
	files, err := trace.Ingest(context.Background(), &stream, trace.Options{Dir: dir, Names: names(t), Derived: []trace.Derived{load}})
	require.NoError(t, err)
	require.Equal(t, "load", files[len(files)-1].Table)

	lines := strings.Split(strings.TrimSpace(export(t, dir, "load", trace.CSV)), "\n")
	require.Len(t, lines, 201)
	assert.Equal(t, "time_ps,offered_bps,carried_bps,active_flows", lines[0])
	for i, line := range lines[1:] {
		var got [4]float64
		for k, text := range strings.Split(line, ",") {
			got[k], err = strconv.ParseFloat(text, 64)
			require.NoError(t, err)
		}
		assert.InDelta(t, (i+1)*10, got[0], 0)
		assert.InDelta(t, offered[i]*8e11, got[1], 1)
		assert.InEpsilon(t, math.Max(carried[i]*8e11, 1), math.Max(got[2], 1), 1e-9)
		assert.InDelta(t, active[i], got[3], 1e-9)
	}
	assert.InDelta(t, 0.5, load.Steady().Asked, 0)
}
