package progress

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func at(seconds float64, kind Kind, run string) Event {
	return Event{Time: start.Add(time.Duration(seconds * float64(time.Second))), Kind: kind, Run: run}
}

func running(seconds float64, run string) Event {
	e := at(seconds, Running, run)
	e.SimPS, e.StopPS, e.EventsPerSec, e.FlowsDone, e.FlowsTotal, e.ETAS = 120_000_000, 600_000_000, 4.21e6, 3, 8, 75
	return e
}

func deriving(seconds float64, run string) Event {
	e := at(seconds, Deriving, run)
	e.Text, e.SimPS, e.StopPS = "optimal rates", 30_000_000, 600_000_000
	return e
}

func TestLinesSayEndsAndNowAndThenHowFar(t *testing.T) {
	var out strings.Builder
	l := NewLines(&out)
	failed := at(31, Failed, "b")
	failed.Text = "the simulator crashed"
	done := at(30, Done, "a")
	done.WallS, done.Events = 29.9, 120_000_000
	for _, e := range []Event{
		at(0, Queued, "a"), at(0, Queued, "b"), at(0, Queued, "c"),
		at(0, Started, "a"), running(1, "a"), running(9, "a"), running(11, "a"), running(12, "a"),
		at(12, Started, "b"), deriving(23, "a"), deriving(24, "a"), done, failed, at(32, Cached, "c"),
	} {
		l.Event(e)
	}
	l.Close()
	assert.Equal(t, strings.Join([]string{
		"      a: 120us of 600us, 4.21M events/s, 3 of 8 flows done, 1m15s left",
		"      a: optimal rates, 30us of at most 600us",
		"[1/3] a: done in 29s, 120M events",
		"1 of 3 runs done, 1 running, 30s, about 21s left",
		"[2/3] b: failed: the simulator crashed",
		"[3/3] c: valid result found, not run again",
		"",
	}, "\n"), out.String())
}

// TestARunDrains: behind the measuring window a run waits for the flows that were
// measured. Neither it nor the sweep says when that is over.
func TestARunDrains(t *testing.T) {
	var out strings.Builder
	l := NewLines(&out)
	ends := func(seconds float64, run string, sim int64, left float64) Event {
		e := running(seconds, run)
		e.SimPS, e.StopPS, e.FlowsTotal, e.Ends, e.WindowPS, e.ETAS = sim, 20_000_000_000_000, 0, true, 400_000_000_000, left
		return e
	}
	done := at(20, Done, "a")
	done.WallS = 20
	for _, e := range []Event{
		at(0, Queued, "a"), at(0, Queued, "b"), at(0, Started, "a"), ends(11, "a", 100_000_000_000, 33), done,
		at(20, Started, "b"), ends(32, "b", 450_000_000_000, 0), ends(62, "b", 500_000_000_000, 0),
	} {
		l.Event(e)
	}
	assert.Equal(t, strings.Join([]string{
		"      a: 100ms of at most 20s, 4.21M events/s, 33s to the end of the window, then it drains",
		"[1/2] a: done in 20s, 0 events",
		"      b: 450ms of at most 20s, 4.21M events/s, drains since 400ms, until its last measured flow has ended",
		"1 of 2 runs done, 1 running, 32s, at least 8.0s left, 1 drain",
		"      b: 500ms of at most 20s, 4.21M events/s, drains since 400ms, until its last measured flow has ended",
		"1 of 2 runs done, 1 running, 1m2s, 1 drain, and nothing tells for how long",
		"",
	}, "\n"), out.String())
}

// screen applies what the block writes to a list of lines.
func screen(t *testing.T, written string) []string {
	t.Helper()
	lines := []string{""}
	for written != "" {
		switch {
		case strings.HasPrefix(written, "\x1b["):
			end := strings.IndexAny(written, "AJ")
			require.Positive(t, end)
			if written[end] == 'A' {
				var n int
				require.NoError(t, json.Unmarshal([]byte(written[2:end]), &n))
				require.Less(t, n, len(lines))
				lines = lines[:len(lines)-n]
				lines[len(lines)-1] = ""
			}
			written = written[end+1:]
		case written[0] == '\r':
			written = written[1:]
		case written[0] == '\n':
			lines, written = append(lines, ""), written[1:]
		default:
			r := []rune(written)[0]
			lines[len(lines)-1] += string(r)
			written = written[len(string(r)):]
		}
	}
	return lines
}

func TestBlockIsRedrawnInPlace(t *testing.T) {
	var out strings.Builder
	b := newBlock(&out, func() (int, int) { return 60, 24 })
	for _, e := range []Event{
		at(0, Queued, "a"), at(0, Queued, "b"), at(0, Queued, "c"),
		at(0, Started, "a"), at(1, Started, "b"), running(2, "a"), running(3, "b"), at(4, Done, "a"),
	} {
		b.Event(e)
	}
	lines := screen(t, out.String())
	require.Len(t, lines, 4)
	assert.Equal(t, "[1/3] a: done in 0.0s, 0 events", lines[0])
	assert.Equal(t, "  b: 120us of 600us, 4.21M events/s, 3 of 8 flows done, 1m…", lines[1])
	assert.Contains(t, lines[2], "1 of 3 runs done, 1 running")
	for _, line := range lines {
		assert.Less(t, len([]rune(line)), 60)
	}

	_, err := io.WriteString(b, "text between\n")
	require.NoError(t, err)
	warning := at(5, Warning, "b")
	warning.Text = "no flow finished"
	b.Event(warning)
	b.Close()
	assert.Equal(t, []string{"[1/3] a: done in 0.0s, 0 events", "text between", "      b: warning: no flow finished", ""}, screen(t, out.String()))
}

func TestJSONIsOneObjectPerLine(t *testing.T) {
	var out strings.Builder
	j := NewJSON(&out)
	j.Event(running(1, "a"))
	_, err := io.WriteString(j, "text for people")
	require.NoError(t, err)
	j.Event(at(2, Done, "a"))
	j.Close()
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, 2)
	var e map[string]any
	require.NoError(t, json.Unmarshal([]byte(lines[0]), &e))
	assert.Equal(t, "progress", e["event"])
	assert.InDelta(t, 120e6, e["sim_ps"], 0)
	assert.InDelta(t, 75, e["eta_s"], 0)
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("closed") }

func TestABrokenTerminalDoesNotStopARun(*testing.T) {
	for _, d := range []Display{NewJSON(broken{}), NewLines(broken{}), newBlock(broken{}, func() (int, int) { return 80, 24 })} {
		d.Event(at(0, Queued, "a"))
		d.Event(at(1, Started, "a"))
		d.Event(at(2, Done, "a"))
		d.Close()
	}
}

func TestSimTime(t *testing.T) {
	for want, ps := range map[string]int64{"0ps": 0, "999ps": 999, "1.28ns": 1280, "12.9us": 12_900_000, "700us": 700_000_000, "2.5ms": 2_500_000_000, "3s": 3_000_000_000_000} {
		assert.Equal(t, want, SimTime(ps))
	}
}

func TestOverview(t *testing.T) {
	o := NewOverview()
	line := func(seconds float64) string { return o.Line(start.Add(time.Duration(seconds * float64(time.Second)))) }
	for _, run := range []string{"a", "b", "c", "d", "e", "f"} {
		o.Event(at(0, Queued, run))
	}
	o.Event(at(0, Cached, "f"))
	o.Event(at(0, Started, "a"))
	o.Event(at(0, Started, "b"))
	assert.Equal(t, "1 of 6 runs done (1 were valid), 2 running, 4.0s", line(4), "nothing tells yet")

	progress := at(5, Running, "a")
	progress.ETAS = 15
	o.Event(progress)
	// 3 waiting runs of 20 s, 10 s of a and 10 s of b are left for 2 at a time.
	assert.Equal(t, "1 of 6 runs done (1 were valid), 2 running, 10s, about 40s left", line(10))

	o.Event(at(10, Done, "a"))
	o.Event(at(10, Failed, "b"))
	o.Event(at(10, Started, "c"))
	assert.Equal(t, "2 of 6 runs done (1 were valid), 1 running, 1 failed, 10s, about 15s left", line(10))
	o.Event(at(12, Retry, "c"))
	left, ok := o.Left(start.Add(12 * time.Second))
	assert.True(t, ok)
	assert.InDelta(t, (2.0+10+10)/2, left, 1e-9, "c takes again as long as it took")
	for _, run := range []string{"c", "d"} {
		o.Event(at(12, Started, run))
		o.Event(at(20, Done, run))
	}
	o.Event(at(20, Canceled, "e"))
	assert.Equal(t, Counts{Runs: 6, Done: 3, Cached: 1, Failed: 1, Canceled: 1}, o.Counts())
	_, ok = o.Left(start.Add(20 * time.Second))
	assert.False(t, ok)
}

func TestOverviewTakesWhatEarlierRunsTell(t *testing.T) {
	o := NewOverview()
	for i, run := range []string{"a", "b"} {
		e := at(0, Queued, run)
		e.ExpectedS = float64(30 * (i + 1))
		o.Event(e)
	}
	left, ok := o.Left(start)
	assert.True(t, ok)
	assert.InDelta(t, 90, left, 1e-9)
}

func TestLinesTellOfTheSweepNowAndThen(t *testing.T) {
	var out strings.Builder
	l := NewLines(&out)
	l.Event(at(0, Queued, "a"))
	l.Event(at(0, Queued, "b"))
	l.Event(at(0, Started, "a"))
	l.Event(at(29, Done, "a"))
	l.Event(at(29, Started, "b"))
	l.Event(at(31, Running, "b"))
	assert.Contains(t, out.String(), "\n1 of 2 runs done, 1 running, 31s, about 27s left\n")
}

func TestABlockWithNothingRunningCounts(t *testing.T) {
	var out strings.Builder
	b := newBlock(&out, func() (int, int) { return 60, 24 })
	b.Event(at(0, Queued, "a"))
	b.Event(at(1, Queued, "b"))
	e := at(2, Submitted, "sweep")
	e.Text = "Slurm job 7 with 2 runs is submitted"
	b.Event(e)
	assert.Equal(t, []string{"      sweep: Slurm job 7 with 2 runs is submitted", "  0 of 2 runs done, 0 running, 2.0s", ""}, screen(t, out.String()))
	b.Close()
	assert.Equal(t, []string{"      sweep: Slurm job 7 with 2 runs is submitted", ""}, screen(t, out.String()))
}

func TestManyRunsDoNotFillTheTerminal(t *testing.T) {
	var out strings.Builder
	b := newBlock(&out, func() (int, int) { return 60, 10 })
	for i := range 20 {
		b.Event(at(0, Queued, string(rune('a'+i))))
	}
	for i := range 20 {
		b.Event(at(float64(i), Started, string(rune('a'+i))))
	}
	lines := screen(t, out.String())
	require.Len(t, lines, 9)
	assert.Equal(t, "  and 14 more", lines[6])
	assert.Contains(t, lines[7], "0 of 20 runs done, 20 running")
}

// What Ctrl-C canceled is one line.
func TestCanceledRunsAreOneLine(t *testing.T) {
	var lines, redrawn strings.Builder
	b := newBlock(&redrawn, func() (int, int) { return 60, 24 })
	for _, d := range []Sink{NewLines(&lines), b} {
		for _, e := range []Event{at(0, Queued, "a"), at(0, Queued, "b"), at(0, Queued, "c"), at(0, Started, "a"), at(1, Started, "b"), at(2, Done, "a"), at(3, Canceled, "b"), at(3, Canceled, "c"), at(4, Summary, "")} {
			d.Event(e)
		}
	}
	b.Close()
	for _, text := range []string{lines.String(), strings.Join(screen(t, redrawn.String()), "\n")} {
		assert.Equal(t, "[1/3] a: done in 0.0s, 0 events\n2 of 3 runs were canceled, 1 are done\n", text)
	}
}
