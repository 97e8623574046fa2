package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"fabriclab/base/file"
	"fabriclab/harness/engine"
	"fabriclab/harness/progress"
	"fabriclab/harness/store"
	"fabriclab/harness/trace"
	"fabriclab/harness/workload"
)

// Job is one point on one engine with one seed.
type Job struct {
	Key store.Key
	// Content is a hash of what its tables depend on but engine, build and seed: the
	// scenario hash without the experiment's name.
	Content string
	Title   string // for people, unique among the jobs of a call
	Labels  map[string]string
	// Scale and Reading are those that it was first made under.
	Scale   string
	Reading map[string]string
	// Sets are values that --set gave, by path, for people.
	Sets map[string]string
	// Command is what to type to make it again, for people.
	Command string

	Program *engine.Program
	// InsteadOf is the title of the usual engine, where Program's stands in for
	// it.
	InsteadOf string
	// WindowEndPs is the end of the measuring window of a run that ends with its
	// flows, which may be long before its stop time; 0 of others.
	WindowEndPs int64
	// Threads that the experiment asks for, where the settings leave it open; 0 =
	// it does not say.
	Threads int
	// Prepare writes the inputs: scenario.json and the files it names, and
	// effective.json. The names are those of the scenario's nodes and links.
	Prepare func(dir string) (*workload.Tally, *trace.Names, error)
	// Derived makes what is added to the tables of one run, and tells how far
	// that is; nil adds nothing.
	Derived func(tally *workload.Tally, tell func(progress.Event)) []trace.Derived
}

// Queued is the event of a job that waits to be run; it says what the job is.
func (j *Job) Queued() progress.Event {
	return progress.Event{
		Kind: progress.Queued, Run: j.Title, Time: time.Now(), Experiment: j.Key.Experiment, Labels: j.Labels,
		ScenarioHash: j.Key.ScenarioHash, Engine: j.Key.Engine, Seed: &j.Key.Seed,
	}
}

// Settings are what a user sets of how jobs are run.
type Settings struct {
	// Jobs is how many run at a time.
	Jobs int
	// Threads are those of each simulation; 0: what its experiment says, else as
	// many as there are cores for it.
	Threads int
	// KeepGoing starts further runs when one has failed.
	KeepGoing bool
	// Retry is how often a run is tried again that failed for a reason that
	// may pass: not if its input was refused, a check failed, or it took more
	// than it may.
	Retry int
	// Again makes runs anew that have a valid result.
	Again bool
	// StallTimeout ends a simulation that does not move; 0 never does.
	StallTimeout time.Duration
	// TimeLimit and MemoryLimit (bytes) are what a simulation may take at
	// most; 0 is any.
	TimeLimit   time.Duration
	MemoryLimit int64
	// Grace is what a child gets between being asked to end and being killed.
	Grace time.Duration
}

// Options are how jobs are run.
type Options struct {
	Settings
	Store *store.Store
	// Verify is how closely a result is looked at before it is taken.
	Verify store.Depth
	// Available says how much memory simulations can take that have not been
	// started; nil asks the operating system.
	Available func() int64
	// Every is the time between two progress reports of a child.
	Every time.Duration
	Sink  progress.Sink
	Tool  store.Tool
}

// Result is what became of a job.
type Result struct {
	Job      Job
	Dir      string // of the run, if Err is nil
	Manifest *store.Manifest
	Cached   bool
	// Err is a *Failure, or the context's error if the run was canceled.
	Err error
}

// ErrSkipped is the error of jobs that were not started because another had
// failed.
var ErrSkipped = errors.New("not started, because another run failed (--keep-going starts it)")

// Executor makes runs.
type Executor interface {
	// Run makes the runs of the jobs that have no valid result and returns a
	// result for each job, in order. Jobs with the same key are run once.
	Run(ctx context.Context, jobs []Job) []Result
}

// Local is the executor that runs simulations on this machine, as many at a
// time as the options and the memory allow.
type Local struct{ Options }

// Run implements Executor.
func (l Local) Run(ctx context.Context, jobs []Job) []Result {
	if l.Available == nil {
		l.Available = availableMemory
	}
	unique, spread := Unique(jobs)
	w := &worker{Options: l.Options, admission: newAdmission(l.Available), cores: newCores(len(unique)), experience: recall(l.Store, unique), same: &others{alone: len(unique) == 1, store: l.Store}}
	queue := make(chan int, len(unique))
	for i, job := range unique {
		queue <- i
		e := job.Queued()
		_, e.ExpectedS = w.experience.expect(job.Key)
		l.Sink.Event(e)
	}
	close(queue)
	results := make([]Result, len(unique))
	var failed atomic.Bool
	var workers sync.WaitGroup
	for range max(1, l.Jobs) {
		workers.Go(func() {
			for i := range queue {
				if failed.Load() && !l.KeepGoing {
					results[i] = Result{Job: unique[i], Err: &Failure{Run: unique[i].Title, Reason: ErrSkipped.Error(), Err: ErrSkipped}}
					emit(l.Sink, unique[i], progress.Event{Kind: progress.Canceled})
					continue
				}
				results[i] = w.job(ctx, unique[i])
				w.cores.ended()
				if results[i].Err != nil {
					failed.Store(true)
				}
			}
		})
	}
	workers.Wait()
	return spread(results)
}

// Unique leaves out jobs that have the same key as one before. spread gives
// all jobs the results of those that are left.
func Unique(jobs []Job) (unique []Job, spread func([]Result) []Result) {
	index := map[store.Key]int{}
	for _, job := range jobs {
		if _, twice := index[job.Key]; !twice {
			index[job.Key] = len(unique)
			unique = append(unique, job)
		}
	}
	return unique, func(results []Result) []Result {
		all := make([]Result, len(jobs))
		for i, job := range jobs {
			all[i] = results[index[job.Key]]
			all[i].Job = job
		}
		return all
	}
}

func emit(sink progress.Sink, job Job, e progress.Event) {
	e.Run, e.Time = job.Title, time.Now()
	sink.Event(e)
}

// One runs a job on this machine, unless there is a valid result.
func One(ctx context.Context, job Job, opt Options) Result {
	return Local{opt}.Run(ctx, []Job{job})[0]
}

// worker makes runs one at a time, beside other workers.
type worker struct {
	Options
	admission  *admission
	cores      *cores
	experience *experience
	same       *others
}

// job runs a job, unless there is a valid result, and says how it goes.
func (w *worker) job(ctx context.Context, job Job) Result {
	result := Result{Job: job, Dir: w.Store.Dir(job.Key)}
	var failure *Failure
	for attempt := 1; ; attempt++ {
		result.Manifest, result.Cached, result.Err = w.attempt(ctx, job)
		if !errors.As(result.Err, &failure) {
			break
		}
		failure.Attempts = attempt
		if failure.Final() || attempt > w.Retry {
			break
		}
		emit(w.Sink, job, progress.Event{Kind: progress.Retry, Text: failure.Reason, Attempt: attempt + 1})
	}
	switch {
	case result.Err == nil && result.Cached:
		emit(w.Sink, job, progress.Event{Kind: progress.Cached, Dir: result.Dir, Text: stateOf(result.Manifest)})
	case result.Err == nil:
		w.experience.learn(job.Key, result.Manifest.Resources)
		emit(w.Sink, job, progress.Event{Kind: progress.Done, Dir: result.Dir, WallS: result.Manifest.Resources.WallS, Events: events(result.Manifest), Text: stateOf(result.Manifest)})
	case failure != nil:
		emit(w.Sink, job, failure.Event())
	default:
		emit(w.Sink, job, progress.Event{Kind: progress.Canceled})
	}
	return result
}

// attempt runs a job once, unless there is a valid result.
func (w *worker) attempt(ctx context.Context, job Job) (*store.Manifest, bool, error) {
	if ctx.Err() != nil { // a flow list takes long to write
		return nil, false, context.Cause(ctx)
	}
	m, wrong, err := find(job, w.Options)
	if err != nil {
		return nil, false, newFailure(job, err)
	}
	if m != nil {
		return m, true, nil
	}
	if wrong != nil {
		emit(w.Sink, job, progress.Event{Kind: progress.Warning, Text: wrong.Error()})
	}
	dir, err := w.Store.Begin(ctx, job.Key)
	if err != nil {
		return nil, false, failed(ctx, job, err)
	}
	// Another process may have made it while this one waited for the lock.
	m, _, err = find(job, w.Options)
	if m != nil || err != nil {
		if err := errors.Join(err, dir.Discard()); err != nil {
			return nil, false, failed(ctx, job, err)
		}
		return m, true, nil
	}
	m, err = w.make(ctx, job, dir.Dir())
	if err == nil {
		if err = dir.Complete(m); err != nil {
			return nil, false, failed(ctx, job, err)
		}
		w.same.note(job.Key, m)
		return m, m.SameAs != "", nil
	}
	if ctx.Err() != nil {
		return nil, false, errors.Join(context.Cause(ctx), dir.Discard())
	}
	if m != nil {
		m.Reason = err.Error()
	}
	kept, keepErr := dir.Keep(m)
	if keepErr != nil {
		return nil, false, failed(ctx, job, errors.Join(err, keepErr))
	}
	failure := newFailure(job, err)
	if log := filepath.Join(kept, logFile); file.Exists(log) {
		failure.Log = log
		args := job.Program.Args(filepath.Join(kept, scenarioFile), "/dev/null", "/dev/null", w.Every, 1)
		failure.Repeat = strings.Join(append([]string{job.Program.Path}, args...), " ")
	}
	return nil, false, failure
}

// make waits for memory and runs the job in a directory.
func (w worker) make(ctx context.Context, job Job, dir string) (*store.Manifest, error) {
	expected, _ := w.experience.expect(job.Key)
	seat, err := w.admission.enter(ctx, expected, func(why string) {
		emit(w.Sink, job, progress.Event{Kind: progress.Waiting, Text: why})
	})
	if err != nil {
		return nil, err
	}
	defer w.admission.leave(seat)
	if w.Threads == 0 {
		w.Threads = job.Threads
	}
	if w.Threads == 0 {
		w.Threads = w.cores.take(w.Jobs, job.Program.Threaded)
		defer w.cores.giveBack(w.Threads)
	}
	return execute(ctx, job, w.Options, w.same, dir, func(bytes int64) { w.admission.uses(seat, bytes) })
}

// find returns the manifest of a valid result, or nil and what is wrong with
// one that is there and not taken. It is an error if that cannot be said.
func find(job Job, opt Options) (m *store.Manifest, wrong, err error) {
	if opt.Again {
		return nil, nil, nil
	}
	m, wrong = opt.Store.Find(job.Key, job.Program.BuildID, opt.Verify)
	var damage *store.CorruptError
	switch {
	case errors.Is(wrong, store.ErrNoRun):
		return nil, nil, nil
	case errors.As(wrong, &damage):
		return nil, fmt.Errorf("the result in %s is damaged and made again: %w", damage.Dir, damage.Err), nil
	case wrong != nil:
		return nil, nil, fmt.Errorf("there is a result, but it cannot be looked at: %w; or make it anew with --again", wrong)
	}
	return m, nil, nil
}

func failed(ctx context.Context, job Job, err error) error {
	if ctx.Err() != nil {
		return errors.Join(context.Cause(ctx), err)
	}
	return newFailure(job, err)
}

func newFailure(job Job, err error) *Failure {
	reason := err.Error()
	if errors.Is(err, syscall.ENOSPC) {
		reason += "; free some space, record less (trace: in the experiment), or choose another results folder with --out"
	}
	return &Failure{Run: job.Title, Reason: reason, Err: err}
}

// Files of a run directory.
const (
	scenarioFile  = "scenario.json"
	effectiveFile = "effective.json"
	summaryFile   = "summary.json"
	logFile       = "log.txt"
)

// execute runs the job in a directory and returns the manifest to complete it
// with, beside an error where a check failed. uses is told how much memory the simulation has taken so far.
func execute(ctx context.Context, job Job, opt Options, same *others, dir string, uses func(bytes int64)) (*store.Manifest, error) {
	tally, names, err := job.Prepare(dir)
	if err != nil {
		return nil, fmt.Errorf("writing the engine's input: %w", err)
	}
	m := &store.Manifest{
		Tool: opt.Tool, Experiment: job.Key.Experiment, Labels: job.Labels, Scale: job.Scale, Reading: job.Reading, Sets: job.Sets, Command: job.Command,
		ScenarioHash: job.Key.ScenarioHash, Content: job.Content, Seed: job.Key.Seed,
		Engine: store.Engine{
			Name: job.Key.Engine, InsteadOf: job.InsteadOf, EngineVersion: job.Program.Version.EngineVersion, Compiler: job.Program.Version.Compiler,
			BuildType: job.Program.Version.BuildType, Flags: job.Program.Version.Flags, BuildID: job.Program.BuildID, Sources: job.Program.Used,
			Simulator: job.Program.Simulator, Libraries: job.Program.Version.Libraries,
		},
		Workload: tally, Inputs: map[string]store.File{}, Outputs: map[string]store.File{},
		State: store.StateOK, Started: time.Now().UTC(),
	}
	inputs, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("reading the engine's input: %w", err)
	}
	for _, input := range inputs {
		if m.Inputs[input.Name()], err = store.HashFile(filepath.Join(dir, input.Name())); err != nil {
			return nil, err
		}
	}
	same.share(dir, m.Inputs)
	if takeOver(job, opt, same, dir, m) {
		return m, nil
	}
	emit(opt.Sink, job, progress.Event{Kind: progress.Started})
	var derived []trace.Derived
	if job.Derived != nil {
		derived = job.Derived(tally, func(e progress.Event) { emit(opt.Sink, job, e) })
	}
	end, tables, warnings, err := simulate(ctx, job, opt, dir, names, derived, uses)
	if err != nil {
		removeTables(dir, m.Inputs)
		return nil, err
	}
	summary, raw, err := readSummary(filepath.Join(dir, summaryFile))
	if err != nil {
		removeTables(dir, m.Inputs)
		return nil, fmt.Errorf("the simulator ended well, but %w", err)
	}
	for _, w := range summary.Warnings[:min(len(summary.Warnings), maxWarnings)] {
		if !slices.Contains(warnings, w) {
			warnings = append(warnings, w)
			emit(opt.Sink, job, progress.Event{Kind: progress.Warning, Text: w})
		}
	}
	for _, d := range derived {
		load, ok := d.(*trace.Load)
		if !ok {
			continue
		}
		verdict := load.Steady()
		m.Steady = &verdict
		// The sweep tells of them together.
		if !verdict.Settled {
			warnings = append(warnings, verdict.String())
		}
		if verdict.Emptying > 0 {
			warnings = append(warnings, load.EmptyingText())
		}
	}
	for _, d := range derived {
		if c, checks := d.(trace.Checker); checks {
			var check Check
			check.Name, check.OK, check.Detail = c.Check()
			if raw, err = summary.add(check, raw); err != nil {
				return nil, err
			}
		}
	}
	broken := summary.violated()
	if len(broken) == 0 && end.exit == exitChecks {
		return nil, errors.New("the simulator says that a check failed (exit code 3), but its summary names none")
	}
	m.Summary, m.Warnings, m.ExitCode, m.Resources = raw, warnings, end.exit, end.resources
	for _, t := range tables {
		m.Outputs[t.Name] = store.File{Bytes: t.Bytes, SHA256: t.SHA256, Rows: &t.Rows}
	}
	for _, name := range []string{summaryFile, logFile} {
		if m.Outputs[name], err = store.HashFile(filepath.Join(dir, name)); err != nil {
			return nil, err
		}
	}
	if len(broken) > 0 {
		return m, &final{fmt.Errorf("a check failed: %s; its tables are complete and stay for a look", strings.Join(broken, "; "))}
	}
	return m, nil
}

// removeTables takes half-written tables away; a table among the inputs is
// complete. What stays is looked at by people only; nothing without a manifest
// is a result anyway.
func removeTables(dir string, inputs map[string]store.File) {
	for _, p := range file.Glob(dir, "*.parquet") {
		if _, input := inputs[filepath.Base(p)]; !input {
			_ = os.Remove(p)
		}
	}
}

// simulate runs the child and takes its trace in meanwhile.
func simulate(ctx context.Context, job Job, opt Options, dir string, names *trace.Names, derived []trace.Derived, uses func(bytes int64)) (ending, []trace.File, []string, error) {
	out, err := os.Create(filepath.Join(dir, logFile))
	if err != nil {
		return ending{}, nil, nil, fmt.Errorf("opening the log: %w", err)
	}
	defer out.Close()
	log := &capped{out: out, part: logPart}
	reading, writing, err := os.Pipe()
	if err != nil {
		return ending{}, nil, nil, fmt.Errorf("opening the trace pipe: %w", err)
	}
	defer reading.Close()
	defer writing.Close()
	widen(writing)

	var rows atomic.Uint64
	stream := &stream{pipe: reading, grace: opt.Grace}
	report := &reporter{job: job, sink: opt.Sink}
	c := &child{
		path: job.Program.Path, env: job.Program.Env, dir: dir,
		args: job.Program.Args(scenarioFile, "/dev/fd/3", summaryFile, opt.Every, opt.Threads),
		log:  log, trace: writing, stall: opt.StallTimeout, grace: opt.Grace, rows: &rows, update: report.message,
		duration: opt.TimeLimit, memory: opt.MemoryLimit, uses: uses,
	}
	fmt.Fprintf(log, "%s%s %s\n", logMark, c.path, strings.Join(c.args, " "))

	childCtx, endChild := context.WithCancel(ctx)
	defer endChild()
	var tables []trace.File
	var traceErr error
	ingested := make(chan struct{})
	go func() {
		defer close(ingested)
		tables, traceErr = trace.Ingest(ctx, stream, trace.Options{Dir: dir, Names: names, Rows: &rows, Derived: derived})
		if traceErr != nil {
			endChild()
		}
	}()
	end := c.run(childCtx)
	log.finish()
	// The reader sees the end of the stream only when no one can write to it.
	if err := writing.Close(); err != nil {
		return end, nil, nil, fmt.Errorf("closing the trace pipe: %w", err)
	}
	stream.end()
	<-ingested
	return end, tables, report.warnings, verdict(ctx, end, traceErr, filepath.Join(dir, logFile))
}

// stream is the reading end of the trace pipe. When the child has ended, no one
// is waited for who holds the other end open.
type stream struct {
	pipe  *os.File
	grace time.Duration
	ended atomic.Bool
}

// Read implements io.Reader.
func (s *stream) Read(b []byte) (int, error) {
	if s.ended.Load() {
		_ = s.pipe.SetReadDeadline(time.Now().Add(s.grace)) // it had one before
	}
	n, err := s.pipe.Read(b)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = io.EOF // nothing more has come
	}
	return n, err
}

func (s *stream) end() {
	s.ended.Store(true)
	_ = s.pipe.SetReadDeadline(time.Now().Add(s.grace)) // a pipe of os.Pipe takes one
}

// verdict says whether child and trace came to a good end, and if not, which
// of what went wrong is the cause.
func verdict(ctx context.Context, end ending, traceErr error, log string) error {
	var broken *trace.StreamError
	cutShort := errors.As(traceErr, &broken) && broken.Truncated
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case end.ended != nil:
		return end.ended
	case traceErr != nil && !cutShort:
		return traceErr
	case end.err != nil:
		return end.err
	case end.signal == 0 && end.exit == exitRefused:
		return &final{errors.New(describeExit(end.exit, end.signal, lastLine(log)))}
	case end.signal != 0, end.exit != exitOK && end.exit != exitChecks:
		return errors.New(describeExit(end.exit, end.signal, lastLine(log)))
	}
	return traceErr
}

// widen asks for a pipe of 1 MiB, for fewer switches between the processes;
// where that is not allowed the usual size does.
func widen(pipe *os.File) {
	const setPipeSize = 1031 // F_SETPIPE_SZ
	if raw, err := pipe.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) {
			_, _, _ = syscall.Syscall(syscall.SYS_FCNTL, fd, setPipeSize, 1<<20)
		})
	}
}

// maxWarnings is how many different warnings of a run are kept.
const maxWarnings = 100

// reporter turns a child's messages into events.
type reporter struct {
	job      Job
	sink     progress.Sink
	last     message
	speed    float64 // events per second
	pace     float64 // simulated picoseconds per second
	warnings []string
}

func (r *reporter) message(m message) {
	switch m.Event {
	case "progress":
		r.progress(m)
	case "warning":
		if m.Text = strings.TrimSpace(m.Text); len(m.Text) > 4<<10 {
			m.Text = strings.ToValidUTF8(m.Text[:4<<10], "") + "…"
		}
		if len(r.warnings) < maxWarnings && !slices.Contains(r.warnings, m.Text) {
			r.warnings = append(r.warnings, m.Text)
			emit(r.sink, r.job, progress.Event{Kind: progress.Warning, Text: m.Text})
		}
	}
}

func (r *reporter) progress(m message) {
	if dt := m.WallS - r.last.WallS; dt > 0 && m.Events >= r.last.Events {
		r.speed = smooth(r.speed, float64(m.Events-r.last.Events)/dt)
		r.pace = smooth(r.pace, float64(m.SimPS-r.last.SimPS)/dt)
	}
	r.last = m
	e := progress.Event{
		Kind: progress.Running, SimPS: m.SimPS, StopPS: m.StopPS, Events: m.Events, EventsPerSec: r.speed,
		FlowsDone: m.FlowsDone, FlowsTotal: m.FlowsTotal, WallS: m.WallS,
	}
	end := m.StopPS
	if w := r.job.WindowEndPs; w > 0 && w < end {
		// Behind the window arrivals go on until what was measured is done: nobody waits for all of them.
		end, e.FlowsTotal, e.Ends, e.WindowPS = w, 0, true, w
	}
	if r.pace > 0 && m.SimPS < end { // behind the window nothing tells
		e.ETAS = float64(end-m.SimPS) / r.pace
	}
	emit(r.sink, r.job, e)
}

// smooth averages over the last few reports.
func smooth(old, now float64) float64 {
	if old == 0 {
		return now
	}
	return float64(0.7*old) + float64(0.3*now)
}

func events(m *store.Manifest) uint64 {
	s, err := ParseSummary(m)
	if err != nil {
		return 0
	}
	return s.Events
}
