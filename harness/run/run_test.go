package run_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/harness/progress"
	"fabriclab/harness/run"
	"fabriclab/harness/run/runtest"
	"fabriclab/harness/store"
	"fabriclab/harness/trace"
	"fabriclab/harness/workload"
)

func TestMain(m *testing.M) {
	runtest.Run()
	os.Exit(m.Run())
}

type recorder struct {
	mu     sync.Mutex
	events []progress.Event
	notify func(progress.Event)
}

func (r *recorder) Event(e progress.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
	if r.notify != nil {
		r.notify(e)
	}
}

func (r *recorder) of(kind progress.Kind) []progress.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	var found []progress.Event
	for _, e := range r.events {
		if e.Kind == kind {
			found = append(found, e)
		}
	}
	return found
}

func options(t *testing.T) (run.Options, *recorder) {
	t.Helper()
	sink := &recorder{}
	return run.Options{
		Settings: run.Settings{Jobs: 2, KeepGoing: true, StallTimeout: time.Minute, Grace: 2 * time.Second},
		Store:    store.New(t.TempDir()), Verify: store.Contents, Every: 10 * time.Millisecond,
		Sink: sink, Tool: store.Tool{Name: "fabriclab", Version: "test"},
	}, sink
}

func job(mode string, seed uint64) run.Job {
	return run.Job{
		Key:   store.Key{Experiment: "test/" + mode, ScenarioHash: "cafe", Engine: "ns3", Seed: seed},
		Title: fmt.Sprintf("%s seed %d", mode, seed), Labels: map[string]string{"preset": "hpcc"},
		Program: runtest.Program(mode), Prepare: runtest.Prepare,
		Derived: func(*workload.Tally, func(progress.Event)) []trace.Derived {
			return []trace.Derived{trace.IdealFCT(func(_, _ uint32, size uint64) (int64, bool) { return 400, size > 0 })}
		},
	}
}

func one(t *testing.T, mode string) (run.Result, run.Options, *recorder) {
	t.Helper()
	opt, sink := options(t)
	return run.One(context.Background(), job(mode, 1), opt), opt, sink
}

func hidden(t *testing.T, opt run.Options) []string {
	t.Helper()
	var found []string
	require.NoError(t, filepath.WalkDir(opt.Store.Root(), func(path string, d os.DirEntry, err error) error {
		if strings.HasPrefix(d.Name(), ".") {
			found = append(found, path)
		}
		return err
	}))
	return found
}

// TestNoFlowBeatsItsIdeal: the stand-in's flow takes 4 us.
func TestNoFlowBeatsItsIdeal(t *testing.T) {
	for ideal, fails := range map[int64]bool{4_000_000: false, 4_000_001: true} {
		opt, _ := options(t)
		j := job("ok", 1)
		j.Derived = func(*workload.Tally, func(progress.Event)) []trace.Derived {
			return []trace.Derived{trace.IdealFCT(func(_, _ uint32, size uint64) (int64, bool) { return ideal, size > 0 })}
		}
		result := run.One(context.Background(), j, opt)
		if fails {
			require.ErrorContains(t, result.Err, "a check failed: no_flow_beats_its_ideal (1 of 1 finished flows were faster than the empty network allows, the first: flow 0 of 1000 B took 4us and its ideal is 4.000001us;")
			continue
		}
		require.NoError(t, result.Err)
		m, err := store.Read(result.Dir)
		require.NoError(t, err)
		summary, err := run.ParseSummary(m)
		require.NoError(t, err)
		assert.Equal(t, run.Check{Name: "no_flow_beats_its_ideal", OK: true, Detail: "1 finished flows have a slowdown of 1 or more"}, summary.Checks[1])
		assert.Equal(t, int64(1), summary.Counters["drops"])
	}
}

func TestGoodRunIsCompleteAndNotRunAgain(t *testing.T) {
	result, opt, sink := one(t, "ok")
	require.NoError(t, result.Err)
	assert.False(t, result.Cached)
	for _, name := range []string{"scenario.json", "flows.bin", "routes.bin", "effective.json", "summary.json", "log.txt", "flows.parquet", "queues.parquet", "drops.parquet", "manifest.json"} {
		assert.FileExists(t, filepath.Join(result.Dir, name))
	}
	m, err := store.Read(result.Dir)
	require.NoError(t, err)
	require.NoError(t, m.Verify(result.Dir, store.Contents))
	assert.Equal(t, "build-of-stand-in", m.Engine.BuildID)
	assert.Equal(t, "3.37", m.Engine.EngineVersion)
	assert.Equal(t, map[string]string{"preset": "hpcc"}, m.Labels)
	assert.Equal(t, &workload.OfferedLoad{Asked: 0.5, Offered: 0.49}, m.Workload.Load)
	assert.Equal(t, uint64(100), *m.Outputs["queues.parquet"].Rows)
	assert.Contains(t, m.Inputs, "flows.bin")
	assert.Equal(t, []string{"no flow finished: stop time is short"}, m.Warnings)
	assert.Positive(t, m.Resources.WallS)
	assert.Positive(t, m.Resources.CPUUserS+m.Resources.CPUSysS)
	assert.Greater(t, m.Resources.PeakRSSBytes, int64(1<<20))
	summary, err := run.ParseSummary(m)
	require.NoError(t, err)
	assert.Equal(t, uint64(4321), summary.Events)
	assert.Len(t, sink.of(progress.Warning), 1, "a warning that is said twice is shown once")

	table, err := trace.Open(result.Dir, "flows")
	require.NoError(t, err)
	defer table.Close()
	var csv strings.Builder
	require.NoError(t, table.Export(&csv, trace.CSV, -1))
	assert.Contains(t, csv.String(), "400,4000000,10000")

	again := run.One(context.Background(), job("ok", 1), opt)
	require.NoError(t, again.Err)
	assert.True(t, again.Cached)
	assert.Len(t, sink.of(progress.Started), 1)

	other := job("ok", 1)
	other.Program.BuildID = "build-2"
	rebuilt := run.One(context.Background(), other, opt)
	require.NoError(t, rebuilt.Err)
	assert.False(t, rebuilt.Cached, "another build makes another run")

	opt.Again = true
	forced := run.One(context.Background(), other, opt)
	require.NoError(t, forced.Err)
	assert.False(t, forced.Cached)
	assert.Empty(t, hidden(t, opt))
}

// beside makes a run in a call that makes another one, too: one alone looks for none.
func beside(j run.Job, opt run.Options) run.Result {
	extra := job("ok", 99)
	extra.Key.Experiment, extra.Title = "extra/"+j.Key.Experiment, "extra"
	return run.Local{Options: opt}.Run(context.Background(), []run.Job{j, extra})[0]
}

// A large input that another run has is on the disk once.
func TestLargeInputsAreShared(t *testing.T) {
	opt, _ := options(t)
	place := func(seed uint64, size int) os.FileInfo {
		j := job("ok", seed)
		prepare := j.Prepare
		j.Prepare = func(dir string) (*workload.Tally, *trace.Names, error) {
			tally, names, err := prepare(dir)
			return tally, names, errors.Join(err, os.WriteFile(filepath.Join(dir, "flows.bin"), make([]byte, size), 0o666))
		}
		r := beside(j, opt)
		require.NoError(t, r.Err)
		require.NoError(t, r.Manifest.Verify(r.Dir, store.Contents))
		info, err := os.Stat(filepath.Join(r.Dir, "flows.bin"))
		require.NoError(t, err)
		return info
	}
	large := place(1, 1<<20)
	assert.True(t, os.SameFile(large, place(2, 1<<20)))
	assert.False(t, os.SameFile(large, place(3, 1<<20+1)), "another one")
	assert.False(t, os.SameFile(place(4, 9), place(5, 9)), "small")
}

// A run of another experiment with the same content is not made twice; without the whole of it the simulator runs.
func TestSameRunOfAnotherExperiment(t *testing.T) {
	opt, sink := options(t)
	one := job("ok", 1)
	one.Content = "c0de"
	prepare := one.Prepare
	named := func(name string) func(dir string) (*workload.Tally, *trace.Names, error) {
		return func(dir string) (*workload.Tally, *trace.Names, error) {
			tally, names, err := prepare(dir)
			for input, text := range map[string]string{"scenario.json": `{"name": "` + name + `", "seed": 1}`, "effective.json": name} {
				err = errors.Join(err, os.WriteFile(filepath.Join(dir, input), []byte(text), 0o666))
			}
			return tally, names, err
		}
	}
	one.Prepare = named("one")
	first := beside(one, opt)
	require.NoError(t, first.Err)
	other := job("ok", 1)
	other.Key.ScenarioHash, other.Content = "beef", one.Content // a name is in the first
	other.Key.Experiment, other.Title, other.Labels = "another", "another seed 1", map[string]string{"load": "0.5"}
	other.Prepare = named("another")
	same := beside(other, opt)
	require.NoError(t, same.Err)
	assert.True(t, same.Cached)
	for _, e := range sink.of(progress.Started) {
		assert.NotEqual(t, other.Title, e.Run)
	}
	m, err := store.Read(same.Dir)
	require.NoError(t, err)
	require.NoError(t, m.Verify(same.Dir, store.Contents))
	assert.Equal(t, first.Job.Key.String(), m.SameAs)
	assert.Equal(t, other.Labels, m.Labels)
	assert.Equal(t, first.Manifest.Outputs, m.Outputs)
	assert.JSONEq(t, string(first.Manifest.Summary), string(m.Summary))
	assert.Empty(t, hidden(t, opt))

	for name, change := range map[string]func(*run.Job){
		"seed": func(j *run.Job) { j.Key.Seed = 2 },
		"build": func(j *run.Job) {
			program := *j.Program
			program.BuildID = "build-2"
			j.Program = &program
		},
		"flows": func(j *run.Job) {
			j.Prepare = func(dir string) (*workload.Tally, *trace.Names, error) {
				tally, names, err := prepare(dir)
				return tally, names, errors.Join(err, os.WriteFile(filepath.Join(dir, "flows.bin"), []byte("FABFLOW1 "), 0o666))
			}
		},
		"content": func(j *run.Job) { j.Content = "an oracle's table is another, which no input says" },
	} {
		j := other
		j.Key.Experiment, j.Title = "other-"+name, "other "+name
		change(&j)
		made := beside(j, opt)
		require.NoError(t, made.Err, name)
		assert.False(t, made.Cached, name)
	}

	require.NoError(t, os.WriteFile(filepath.Join(first.Dir, "queues.parquet"), []byte("x"), 0o666)) // and so the second name's
	third := other
	third.Key.Experiment, third.Title = "third", "third"
	made := beside(third, opt)
	require.NoError(t, made.Err)
	assert.False(t, made.Cached, "both are damaged")
}

func TestDamagedResultIsMadeAgainAndToldOf(t *testing.T) {
	result, opt, sink := one(t, "ok")
	require.NoError(t, result.Err)
	require.NoError(t, os.Truncate(filepath.Join(result.Dir, "queues.parquet"), 20))
	again := run.One(context.Background(), job("ok", 1), opt)
	require.NoError(t, again.Err)
	assert.False(t, again.Cached)
	warnings := sink.of(progress.Warning)
	require.NotEmpty(t, warnings)
	assert.Contains(t, warnings[1].Text, "queues.parquet has 20 bytes")
}

func TestFailuresAreNamedAndNoResult(t *testing.T) {
	tests := map[string]struct {
		want   string
		tables bool
	}{
		"segv":         {want: "signal 11 (segmentation fault); its last words: assertion failed: queue.size >= 0"},
		"exit":         {want: "exit code 70; its last words: terminate called after throwing an instance of 'std::bad_alloc'"},
		"refuse":       {want: "refused the scenario: parameter hpcc.eta = 7 is above 1"},
		"truncated":    {want: "truncated trace stream"},
		"cut":          {want: "killed (signal 9)"},
		"corrupt":      {want: "corrupt trace stream"},
		"check":        {want: "a check failed: bytes_conserved (sent 6000, delivered 5000)", tables: true},
		"check-silent": {want: "a check failed: bytes_conserved", tables: true},
		"no-summary":   {want: "left no summary"},
		"bad-summary":  {want: "summary is no valid JSON"},
	}
	for mode, test := range tests {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			result, opt, sink := one(t, mode)
			var failure *run.Failure
			require.ErrorAs(t, result.Err, &failure)
			assert.Contains(t, failure.Reason, test.want)
			assert.Contains(t, failure.Error(), mode+" seed 1")
			assert.Contains(t, failure.Error(), failure.Log)
			assert.FileExists(t, failure.Log)
			assert.Contains(t, failure.Repeat, "--scenario "+filepath.Join(filepath.Dir(failure.Log), "scenario.json"))
			assert.Len(t, sink.of(progress.Failed), 1)

			assert.NoDirExists(t, result.Dir)
			assert.NoFileExists(t, filepath.Join(filepath.Dir(failure.Log), store.ManifestFile))
			left, err := store.ReadFailed(filepath.Dir(failure.Log))
			if test.tables {
				require.NoError(t, err)
				assert.Equal(t, []string{store.StateFailed, failure.Reason}, []string{left.State, left.Reason})
				require.NoError(t, left.Verify(filepath.Dir(failure.Log), store.Contents))
			} else {
				require.ErrorIs(t, err, store.ErrNoRun)
			}
			tables := trace.List(filepath.Dir(failure.Log))
			assert.Equal(t, test.tables, len(tables) > 0, "tables: %v", tables)
			_, err = opt.Store.Find(job(mode, 1).Key, "build-of-stand-in", store.Sizes)
			require.ErrorIs(t, err, store.ErrNoRun)
			assert.Empty(t, hidden(t, opt))
		})
	}
}

func TestMissingProgramIsNamed(t *testing.T) {
	opt, _ := options(t)
	j := job("ok", 1)
	j.Program.Path = filepath.Join(t.TempDir(), "fabric-ns3")
	result := run.One(context.Background(), j, opt)
	require.ErrorContains(t, result.Err, "starting "+j.Program.Path)
	require.ErrorIs(t, result.Err, os.ErrNotExist)
}

func TestInputThatCannotBeWritten(t *testing.T) {
	opt, _ := options(t)
	j := job("ok", 1)
	j.Prepare = func(string) (*workload.Tally, *trace.Names, error) { return nil, nil, syscall.ENOSPC }
	result := run.One(context.Background(), j, opt)
	require.ErrorIs(t, result.Err, syscall.ENOSPC)
	require.ErrorContains(t, result.Err, "--out")
	assert.Empty(t, hidden(t, opt))
}

func TestStalledIsEndedSlowIsNot(t *testing.T) {
	t.Parallel()
	opt, _ := options(t)
	opt.StallTimeout = 800 * time.Millisecond
	result := run.One(context.Background(), job("stall", 1), opt)
	require.ErrorContains(t, result.Err, "stalled: simulated time (120ns) and events (77) have not moved for 800ms")

	// One that moves on goes on for longer than that, until it is told to end.
	opt.StallTimeout = 4 * time.Second
	ctx, cancel := context.WithTimeout(context.Background(), 6*time.Second)
	defer cancel()
	slow := run.One(ctx, job("forever", 1), opt)
	require.ErrorIs(t, slow.Err, context.DeadlineExceeded)
}

func TestMuchOutputAndLongLinesAreDrained(t *testing.T) {
	result, _, sink := one(t, "chatty")
	require.NoError(t, result.Err)
	log, err := os.ReadFile(filepath.Join(result.Dir, "log.txt"))
	require.NoError(t, err)
	assert.Contains(t, string(log), "line 4999\n")
	assert.Contains(t, string(log), strings.Repeat("x", 200_000)+"\n")
	running := sink.of(progress.Running)
	require.Len(t, running, 5_000)
	assert.InDelta(t, 1000, running[4_999].EventsPerSec, 1)
	// 1000 of the 1,000,000 ps a second.
	assert.InDelta(t, 998, running[2_000].ETAS, 1)
}

// TestALogHasBounds: whatever a simulator prints, the log keeps its beginning
// and its end and says what is missing.
func TestALogHasBounds(t *testing.T) {
	result, _, sink := one(t, "noise")
	require.NoError(t, result.Err)
	log, err := os.ReadFile(filepath.Join(result.Dir, "log.txt"))
	require.NoError(t, err)
	assert.Less(t, len(log), 3<<20)
	assert.Contains(t, string(log), "       1 xxx")
	assert.Contains(t, string(log), "the last words\n")
	assert.Regexp(t, `\n# \d{8} bytes are left out here: a log keeps the first and the last 1048576\n`, string(log))
	shown, kept := len(sink.of(progress.Warning)), len(result.Manifest.Warnings)
	assert.Equal(t, []int{101, 101}, []int{shown, kept}, "100 of 20,000, and the summary's")

	result, _, _ = one(t, "noise-crash")
	require.ErrorContains(t, result.Err, "exit code 70; its last words: the last words")
	var failure *run.Failure
	require.ErrorAs(t, result.Err, &failure)
	assert.Less(t, len(failure.Error()), 10_000)

	// A log of 1 TB, as an older fabriclab may have left it, is not read whole.
	require.NoError(t, os.Truncate(failure.Log, 1<<40))
	f, err := os.OpenFile(failure.Log, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString("\nthe very last words\n")
	require.NoError(t, err)
	require.NoError(t, f.Close())
	require.ErrorContains(t, failure, "the very last words")
}

// TestNobodyIsWaitedForWhoHoldsAPipe: a process that the simulator leaves
// behind does not keep the run from ending, whether it stays in the
// simulator's group or not.
func TestNobodyIsWaitedForWhoHoldsAPipe(t *testing.T) {
	for _, mode := range []string{"holder", "holder-crash", "escaped", "escaped-crash"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			pid := filepath.Join(t.TempDir(), "pid")
			opt, _ := options(t)
			opt.Grace = time.Second
			j := job(mode, 1)
			j.Program.Env = append(j.Program.Env, "GRANDCHILD="+pid)
			result := run.One(context.Background(), j, opt)
			text, err := os.ReadFile(pid)
			require.NoError(t, err)
			grandchild, err := strconv.Atoi(string(text))
			require.NoError(t, err)
			if strings.HasSuffix(mode, "crash") {
				require.ErrorContains(t, result.Err, "exit code 70")
			} else {
				require.NoError(t, result.Err, "all of its result is there")
			}
			if strings.HasPrefix(mode, "escaped") {
				require.NoError(t, syscall.Kill(grandchild, syscall.SIGKILL), "it is still there: it stays for ten minutes")
				return
			}
			assert.Eventually(t, func() bool { return gone(grandchild) }, 5*time.Minute, 10*time.Millisecond)
			if result.Err == nil {
				log, err := os.ReadFile(filepath.Join(result.Dir, "log.txt"))
				require.NoError(t, err)
				assert.Contains(t, string(log), "# processes that it had started were still there when it had ended, and were killed\n")
			}
		})
	}
}

// TestNs3HearsNothingOfTheEnvironment: these variables print without end, or
// change results.
func TestNs3HearsNothingOfTheEnvironment(t *testing.T) {
	for _, name := range []string{"NS_LOG", "NS_GLOBAL_VALUE", "NS_ATTRIBUTE_DEFAULT"} {
		t.Setenv(name, "set-outside")
	}
	t.Setenv("KEPT", "set-outside")
	opt, _ := options(t)
	j := job("environment", 1)
	j.Program.Env = append(j.Program.Env, "NS_LOG=asked-for")
	result := run.One(context.Background(), j, opt)
	require.NoError(t, result.Err)
	log, err := os.ReadFile(filepath.Join(result.Dir, "log.txt"))
	require.NoError(t, err)
	assert.Contains(t, string(log), "\nKEPT=set-outside\n")
	assert.Equal(t, 1, strings.Count(string(log), "set-outside"))
	assert.Contains(t, string(log), "\nNS_LOG=asked-for\n")
}

// TestTimeLeftOfRunsThatEndWithTheirFlows: simulated time tells how long the
// measuring window still takes, whatever flows are done; behind it nothing does.
func TestTimeLeftOfRunsThatEndWithTheirFlows(t *testing.T) {
	opt, sink := options(t)
	j := job("chatty", 1)
	j.WindowEndPs = 4_000
	require.NoError(t, run.One(context.Background(), j, opt).Err)
	// 1,000 ps a second.
	running := sink.of(progress.Running)
	assert.InDelta(t, 2, running[2_000].ETAS, 0.01)
	assert.Zero(t, running[4_500].ETAS)
	assert.True(t, running[2_000].Ends)
	assert.Equal(t, int64(4_000), running[2_000].WindowPS)
	assert.Zero(t, running[2_000].FlowsTotal, "arrivals go on")
}

func TestCancelStopsTheChildAndLeavesNothing(t *testing.T) {
	for _, mode := range []string{"forever", "stubborn"} {
		t.Run(mode, func(t *testing.T) {
			opt, sink := options(t)
			opt.Grace = 300 * time.Millisecond
			ctx, cancel := context.WithCancelCause(context.Background())
			interrupted := errors.New("interrupted")
			work := filepath.Join(filepath.Dir(opt.Store.Dir(job(mode, 1).Key)), ".ns3-seed1.work")
			var grandchild int
			sink.notify = func(e progress.Event) {
				if e.Kind != progress.Running || e.Run != job(mode, 1).Title || ctx.Err() != nil {
					return
				}
				if text, err := os.ReadFile(filepath.Join(work, "grandchild.pid")); err == nil {
					grandchild, _ = strconv.Atoi(string(text))
				}
				cancel(interrupted)
			}
			jobs := []run.Job{job(mode, 1), job(mode, 2), job(mode, 3)}
			var prepared atomic.Int32
			for i := range jobs {
				prepare := jobs[i].Prepare
				jobs[i].Prepare = func(dir string) (*workload.Tally, *trace.Names, error) {
					prepared.Add(1)
					return prepare(dir)
				}
			}
			results := run.Local{Options: opt}.Run(ctx, jobs)
			assert.LessOrEqual(t, prepared.Load(), int32(2), "the third one waits, and a flow list takes long to write")
			for _, r := range results {
				require.ErrorIs(t, r.Err, interrupted)
			}
			assert.Len(t, sink.of(progress.Canceled), 3)
			assert.Empty(t, hidden(t, opt))
			var files []string
			require.NoError(t, filepath.WalkDir(opt.Store.Root(), func(path string, d os.DirEntry, err error) error {
				if !d.IsDir() {
					files = append(files, path)
				}
				return err
			}))
			assert.Empty(t, files)
			if mode == "stubborn" {
				require.Positive(t, grandchild)
				assert.Eventually(t, func() bool { return gone(grandchild) }, 5*time.Minute, 10*time.Millisecond)
			}
		})
	}
}

// gone says whether a process has ended (its parent may not have noticed).
func gone(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || strings.Contains(string(text), ") Z ")
}

func TestOthersGoOnAfterAFailure(t *testing.T) {
	opt, sink := options(t)
	opt.Jobs = 3
	jobs := []run.Job{job("ok", 1), job("segv", 1), job("ok", 2), job("truncated", 1), job("ok", 3), job("ok", 1)}
	results := run.Local{Options: opt}.Run(context.Background(), jobs)
	for i, r := range results {
		assert.Equal(t, jobs[i].Title, r.Job.Title)
		if i == 1 || i == 3 {
			require.Error(t, r.Err)
			continue
		}
		require.NoError(t, r.Err)
	}
	assert.Equal(t, results[0].Dir, results[5].Dir)
	assert.Len(t, sink.of(progress.Started), 5, "the same run is made once")
}

func TestWithoutKeepGoingTheRestIsSkipped(t *testing.T) {
	opt, sink := options(t)
	opt.Jobs, opt.KeepGoing = 1, false
	results := run.Local{Options: opt}.Run(context.Background(), []run.Job{job("exit", 1), job("ok", 1)})
	require.Error(t, results[0].Err)
	require.ErrorIs(t, results[1].Err, run.ErrSkipped)
	assert.Len(t, sink.of(progress.Started), 1)
}

func TestRunsWaitForMemory(t *testing.T) {
	opt, sink := options(t)
	opt.Jobs = 3
	// What is expected of a run of which nothing is known does not fit twice.
	opt.Available = func() int64 { return 700e6 }
	var now, most int
	sink.notify = func(e progress.Event) {
		switch e.Kind {
		case progress.Started:
			now++
			most = max(most, now)
		case progress.Done:
			now--
		}
	}
	jobs := []run.Job{job("slow", 1), job("slow", 2), job("slow", 3)}
	results, longest := (run.Local{Options: opt}).Run(context.Background(), jobs), 0.0
	for _, r := range results {
		require.NoError(t, r.Err)
		longest = max(longest, r.Manifest.Resources.WallS)
	}
	slices.SortFunc(results, func(x, y run.Result) int { return x.Manifest.Started.Compare(y.Manifest.Started) })
	for i, r := range results[1:] {
		before := results[i].Manifest
		ended := before.Started.Add(time.Duration(before.Resources.WallS * float64(time.Second)))
		assert.False(t, r.Manifest.Started.Before(ended), "one after the other")
	}
	waiting := sink.of(progress.Waiting)
	require.NotEmpty(t, waiting)
	assert.Contains(t, waiting[0].Text, "waits for memory: it is expected to take 512MB, and ")

	// Now it is known that they are small.
	most, opt.Again = 0, true
	sink.events = nil
	for _, r := range (run.Local{Options: opt}).Run(context.Background(), jobs) {
		require.NoError(t, r.Err)
	}
	assert.Greater(t, most, 1)
	for _, e := range sink.of(progress.Queued) {
		assert.Greater(t, e.ExpectedS, 1.0, "each takes 1.2 s at least")
		assert.LessOrEqual(t, e.ExpectedS, longest, "the time a run took before")
	}
	// One always goes.
	opt.Available = func() int64 { return 0 }
	for _, r := range (run.Local{Options: opt}).Run(context.Background(), []run.Job{job("ok", 1), job("ok", 2)}) {
		require.NoError(t, r.Err)
	}
}

func TestCancelEndsAWait(t *testing.T) {
	opt, sink := options(t)
	opt.Available = func() int64 { return 0 }
	ctx, cancel := context.WithCancel(context.Background())
	sink.notify = func(e progress.Event) {
		if e.Kind == progress.Waiting {
			cancel()
		}
	}
	for _, r := range (run.Local{Options: opt}).Run(ctx, []run.Job{job("forever", 1), job("forever", 2)}) {
		require.ErrorIs(t, r.Err, context.Canceled)
	}
	assert.Empty(t, hidden(t, opt))
}

func TestTwoProcessesMakeARunOnce(t *testing.T) {
	opt, sink := options(t)
	var wait sync.WaitGroup
	results := make([]run.Result, 2)
	for i := range results {
		wait.Go(func() { results[i] = run.One(context.Background(), job("slow", 1), opt) })
	}
	wait.Wait()
	require.NoError(t, results[0].Err)
	require.NoError(t, results[1].Err)
	assert.Len(t, sink.of(progress.Started), 1)
	assert.NotEqual(t, results[0].Cached, results[1].Cached)
}

func TestFullDisk(t *testing.T) {
	mount := t.TempDir()
	if err := syscall.Mount("none", mount, "tmpfs", 0, "size=256k"); err != nil {
		t.Skipf("a small file system cannot be mounted: %v", err)
	}
	defer func() { require.NoError(t, syscall.Unmount(mount, 0)) }()
	opt, _ := options(t)
	opt.Store = store.New(mount)
	opt.StallTimeout = 0 // the stand-in says nothing until its large trace is made, which takes long on a busy machine
	result := run.One(context.Background(), job("large", 1), opt)
	require.ErrorIs(t, result.Err, syscall.ENOSPC)
	require.ErrorContains(t, result.Err, "--out")
	require.ErrorContains(t, result.Err, "large seed 1")
	runs, err := store.Runs(mount)
	require.NoError(t, err)
	assert.Empty(t, runs)
	require.NoError(t, run.One(context.Background(), job("ok", 1), opt).Err, "the failed run's tables are gone, a small one fits")
}
