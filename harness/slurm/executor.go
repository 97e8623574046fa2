package slurm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"fabriclab/harness/progress"
	"fabriclab/harness/run"
)

// Executor is the executor that submits runs to Slurm and waits for them.
type Executor struct {
	run.Options
	Settings
	// Command are the arguments of fabriclab that make a run, in front of the
	// sweep's folder and what tells the run.
	Command []string
	// Spec says what run-one has to know of a job beside its key.
	Spec func(run.Job) (json.RawMessage, error)
	// Files are further files of the sweep's folder.
	Files map[string][]byte
	// Poll is the time between two looks at the cluster.
	Poll time.Duration
}

// ListFlag and ElementFlag tell run-one which run to make.
const (
	ListFlag    = "list"
	ElementFlag = "element"
)

// script is what sbatch runs; the list's name is its argument.
func (x *Executor) script(dir string) string {
	words := slices.Concat([]string{filepath.Join(dir, toolFile)}, x.Command, []string{dir})
	for i, w := range words {
		words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
	}
	return "#!/bin/sh\nexec " + strings.Join(words, " ") + ` --` + ListFlag + ` "$1" --` + ElementFlag + ` "$SLURM_ARRAY_TASK_ID"` + "\n"
}

// Run implements run.Executor.
func (x *Executor) Run(ctx context.Context, jobs []run.Job) []run.Result {
	unique, spread := run.Unique(jobs)
	r := &running{Executor: x, jobs: unique, results: make([]run.Result, len(unique))}
	for i, job := range unique {
		r.results[i] = run.Result{Job: job, Dir: x.Store.Dir(job.Key)}
		x.Sink.Event(job.Queued())
	}
	if err := r.run(ctx); err != nil {
		for i := range r.results {
			if r.results[i].Manifest == nil && r.results[i].Err == nil {
				r.results[i].Err = &run.Failure{Run: unique[i].Title, Reason: err.Error(), Err: err}
				if ctx.Err() != nil {
					r.results[i].Err = context.Cause(ctx)
				}
				r.emit(i, progress.Event{Kind: progress.Canceled, Time: time.Now()})
			}
		}
	}
	return spread(r.results)
}

// Submit submits what has no valid result and returns without waiting; the
// folder is nil if there is nothing to submit.
func (x *Executor) Submit(ctx context.Context, jobs []run.Job) (*Folder, error) {
	unique, _ := run.Unique(jobs)
	r := &running{Executor: x, jobs: unique, results: make([]run.Result, len(unique))}
	r.lookUp()
	if err := r.begin(ctx); err != nil {
		return nil, err
	}
	return r.folder, nil
}

// running is one call of Run or Submit.
type running struct {
	*Executor
	jobs    []run.Job
	results []run.Result
	folder  *Folder
}

func (r *running) emit(i int, e progress.Event) {
	e.Run = r.jobs[i].Title
	r.Sink.Event(e)
}

// lookUp finds the jobs that have a valid result.
func (r *running) lookUp() {
	for i, job := range r.jobs {
		if r.Again {
			break
		}
		if m, err := r.Store.Find(job.Key, job.Program.BuildID, r.Verify); err == nil {
			r.results[i].Manifest, r.results[i].Cached = m, true
		}
	}
}

// begin submits the jobs that have no result, unless this sweep is on the
// cluster already.
func (r *running) begin(ctx context.Context) error {
	var open []int
	for i := range r.jobs {
		if r.results[i].Manifest == nil {
			open = append(open, i)
		}
	}
	if len(open) == 0 {
		return nil
	}
	sweep := Sweep{ID: identify(r.jobs), Created: time.Now().UTC(), Again: r.Again}
	dir := FolderOf(r.Store.Root(), sweep.ID)
	if f, err := Open(dir); err == nil {
		busy, err := f.busy(ctx)
		if err != nil {
			return err
		}
		if busy {
			for _, i := range open {
				if !f.has(i) {
					return fmt.Errorf("the sweep %s is on the cluster without %s, which had a result when it was submitted; wait for it or take it off with scancel, then give the command again", f.ID, r.jobs[i].Title)
				}
			}
			r.folder = f
			for _, s := range f.Submissions {
				r.tell(s, "was submitted before and is waited for")
			}
			return nil
		}
	}
	for _, job := range r.jobs {
		spec, err := r.Spec(job)
		if err != nil {
			return err
		}
		sweep.Tasks = append(sweep.Tasks, Task{Title: job.Title, Key: job.Key, BuildID: job.Program.BuildID, Spec: spec})
	}
	var err error
	if r.folder, err = create(dir, sweep, r.script(dir), r.Files); err != nil {
		return fmt.Errorf("making the folder of the sweep %s: %w", dir, err)
	}
	_, err = r.submit(ctx, open, 1)
	return err
}

// busy says whether Slurm has not ended all that was submitted.
func (f *Folder) busy(ctx context.Context) (bool, error) {
	var jobs []string
	for _, s := range f.Submissions {
		jobs = append(jobs, s.Job)
	}
	known, err := states(ctx, jobs)
	for _, s := range known {
		if s.waits() || s.runs() {
			return true, nil
		}
	}
	return false, err
}

// submit submits tasks, in as many arrays as their size takes.
func (r *running) submit(ctx context.Context, tasks []int, attempt int) ([]Submission, error) {
	most, err := largestArray(ctx)
	if err != nil {
		return nil, err
	}
	var made []Submission
	for part := range slices.Chunk(tasks, most) {
		s := Submission{Attempt: attempt, Tasks: part}
		list := r.folder.list()
		if err := writeJSON(filepath.Join(r.folder.Dir, list), s); err != nil {
			return made, err
		}
		if s.Job, err = submit(ctx, r.folder, r.Settings, list, len(part)); err != nil {
			return made, err
		}
		if err := r.folder.submitted(s); err != nil {
			return made, errors.Join(err, cancel(ctx, []string{s.Job}))
		}
		made = append(made, s)
		r.tell(s, "is submitted")
	}
	return made, nil
}

func (r *running) tell(s Submission, what string) {
	r.Sink.Event(progress.Event{
		Kind: progress.Submitted, Time: time.Now(), Run: r.folder.ID, Text: fmt.Sprintf("Slurm job %s with %d runs %s", s.Job, len(s.Tasks), what),
	})
}

func (r *running) run(ctx context.Context) error {
	r.lookUp()
	for i, result := range r.results {
		if result.Cached {
			r.emit(i, progress.Event{Kind: progress.Cached, Time: time.Now(), Dir: result.Dir})
		}
	}
	if err := r.begin(ctx); err != nil || r.folder == nil {
		return err
	}
	m := newMonitor(r.folder)
	for {
		ended, err := m.poll(ctx, r.forward)
		if ctx.Err() == nil && err != nil {
			// The controller may be down for a moment; the tasks go on.
			r.Sink.Event(progress.Event{Kind: progress.Warning, Time: time.Now(), Run: r.folder.ID, Text: err.Error()})
		}
		again := map[int][]int{} // attempt -> tasks
		for _, n := range ended {
			if t := &m.tasks[n]; r.collect(t) {
				again[t.attempt+1] = append(again[t.attempt+1], n)
			}
		}
		for _, attempt := range slices.Sorted(maps.Keys(again)) {
			made, err := r.submit(ctx, again[attempt], attempt)
			for _, s := range made {
				m.follow(s)
			}
			if err != nil {
				return errors.Join(err, r.giveUp(m))
			}
		}
		if len(m.open()) == 0 {
			return nil
		}
		if !r.KeepGoing && slices.ContainsFunc(r.results, func(result run.Result) bool { return result.Err != nil }) {
			r.skip(m)
			return r.giveUp(m)
		}
		select {
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx), r.giveUp(m))
		case <-time.After(r.Poll):
		}
	}
}

// forward passes on the events of a task that is at work. The event of its end
// is held back until its result has been seen.
func (r *running) forward(task int, e progress.Event) {
	switch e.Kind {
	case progress.Done, progress.Cached, progress.Failed:
	default:
		r.emit(task, e)
	}
}

// collect takes the result of a task that has ended, and says whether to
// submit it again.
func (r *running) collect(t *watched) (again bool) {
	job, result := r.jobs[t.task], &r.results[t.task]
	if result.Manifest != nil {
		return false
	}
	m, err := r.Store.Find(job.Key, job.Program.BuildID, r.Verify)
	if err == nil && t.made(r.Again) {
		result.Manifest = m
		e := progress.Event{Kind: progress.Done, Time: time.Now(), Dir: result.Dir, WallS: m.Resources.WallS, Events: t.last.Events}
		r.emit(t.task, e)
		return false
	}
	failure := &run.Failure{Run: job.Title, Attempts: t.attempt}
	switch t.last.Kind {
	case progress.Failed:
		failure.Reason, failure.Log, failure.Repeat = t.last.Text, t.last.Log, t.last.Repeat
	case progress.Done, progress.Cached:
		failure.Reason, failure.Err = fmt.Sprintf("its task ended well, but its result cannot be seen here (%v); the results folder has to be on a file system that is shared with the cluster", err), err
	default:
		failure.Reason, failure.Log = t.standing.ended(), r.folder.log(t.element.job, t.element.index)
		t.last.Final = t.standing.limited()
	}
	if !t.last.Final && t.attempt <= r.Retry {
		r.emit(t.task, progress.Event{Kind: progress.Retry, Time: time.Now(), Text: failure.Reason, Attempt: t.attempt + 1})
		return true
	}
	result.Err = failure
	e := failure.Event()
	e.Final = t.last.Final
	r.Sink.Event(e)
	return false
}

// skip marks the runs that are taken off the cluster because one has failed.
func (r *running) skip(m *monitor) {
	for _, t := range m.tasks {
		if t.state != Ended {
			r.results[t.task].Err = &run.Failure{Run: r.jobs[t.task].Title, Reason: run.ErrSkipped.Error(), Err: run.ErrSkipped}
			r.emit(t.task, progress.Event{Kind: progress.Canceled, Time: time.Now()})
		}
	}
}

// giveUp takes off the cluster what has not ended.
func (r *running) giveUp(m *monitor) error {
	ctx, done := context.WithTimeout(context.Background(), 30*time.Second)
	defer done()
	if jobs := m.open(); len(jobs) > 0 {
		return cancel(ctx, jobs)
	}
	return nil
}
