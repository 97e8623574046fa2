// Package sweeps makes the runs of experiments, here or on a cluster, and says
// what became of them.
package sweeps

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"fabriclab/harness/lab"
	"fabriclab/harness/lab/plan"
	"fabriclab/harness/progress"
	"fabriclab/harness/run"
	"fabriclab/harness/store"
)

// Runs are the runs of an experiment.
type Runs struct {
	plan.Plan
	Results []run.Result // by job
}

// Make runs experiments, given by file or id.
func Make(ctx context.Context, lab *lab.Lab, names []string, s plan.Selection) ([]Runs, error) {
	plans, err := plan.Of(ctx, lab, names, s)
	if err != nil {
		return nil, err
	}
	return Run(ctx, lab, plans, s)
}

// Run makes the planned runs, simulated or computed, shows their progress, and
// tells which are not in steady state. The error is about the sweep as a whole; a
// run that failed is among the results.
func Run(ctx context.Context, lab *lab.Lab, plans []plan.Plan, s plan.Selection) ([]Runs, error) {
	display := lab.Display()
	defer display.Close()
	done, err := all(ctx, lab, display, plans, s)
	if err != nil {
		return nil, err
	}
	return done, unsettled(display, done)
}

// Tables makes the planned runs where only their tables are looked at, whatever
// they measure.
func Tables(ctx context.Context, lab *lab.Lab, plans []plan.Plan) ([]Runs, error) {
	display := lab.Display()
	defer display.Close()
	return all(ctx, lab, display, plans, plan.Selection{})
}

func all(ctx context.Context, lab *lab.Lab, display progress.Display, plans []plan.Plan, s plan.Selection) ([]Runs, error) {
	opt, err := Options(lab)
	if err != nil {
		return nil, err
	}
	watch := newWatch(display)
	opt.Sink = watch
	var done []Runs
	var jobs []run.Job
	for _, p := range plans {
		show := plan.ShowHead
		if lab.Set.Verbose {
			show = func(out io.Writer, e plan.Experiment) error { return plan.Show(out, e, true) }
		}
		if err := show(display, p.Experiment); err != nil {
			return nil, err
		}
		leftovers, err := opt.Store.Clean(p.Name)
		if err != nil {
			return nil, err
		}
		for _, dir := range leftovers {
			fmt.Fprintf(display, "removed the leftover of a killed run: %s\n", dir)
		}
		if !p.Computed() {
			jobs = append(jobs, p.Jobs...)
		}
	}
	executor, err := executor(ctx, lab, opt, plans, s)
	if err != nil {
		return nil, err
	}
	once, at := distinct(jobs)
	made := executor.Run(ctx, once)
	results := make([]run.Result, len(at))
	for i, j := range at {
		results[i] = made[j]
		results[i].Job = jobs[i] // its own point
	}
	watch.end()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	for _, p := range plans {
		if p.Computed() {
			computed, err := compute(ctx, lab, p, opt.Store, display)
			if err != nil {
				return nil, fmt.Errorf("computing %s: %w", p.Name, err)
			}
			done = append(done, Runs{Plan: p, Results: computed})
			continue
		}
		done = append(done, Runs{Plan: p, Results: results[:len(p.Jobs)]})
		results = results[len(p.Jobs):]
	}
	return done, nil
}

// distinct are jobs without those that are there already, as points are that
// readings do not change, and where each of all jobs is among them.
func distinct(jobs []run.Job) (all []run.Job, at []int) {
	seen := map[store.Key]int{}
	for _, j := range jobs {
		i, known := seen[j.Key]
		if !known {
			i = len(all)
			seen[j.Key] = i
			all = append(all, j)
		}
		at = append(at, i)
	}
	return all, at
}

// watch passes the events of a sweep on and counts its runs.
type watch struct {
	sink     progress.Sink
	begin    time.Time
	mu       sync.Mutex
	overview *progress.Overview
}

func newWatch(sink progress.Sink) *watch {
	return &watch{sink: sink, begin: time.Now(), overview: progress.NewOverview()}
}

// Event implements progress.Sink.
func (w *watch) Event(e progress.Event) {
	w.mu.Lock()
	w.overview.Event(e)
	w.mu.Unlock()
	w.sink.Event(e)
}

// end says what became of the sweep.
func (w *watch) end() {
	counts, now := w.overview.Counts(), time.Now()
	w.sink.Event(progress.Event{Kind: progress.Summary, Time: now, WallS: now.Sub(w.begin).Seconds(), Counts: &counts})
}

// progressEvery is the time between two reports of a simulation.
const progressEvery = 500 * time.Millisecond

// Options are those of runs here.
func Options(lab *lab.Lab) (run.Options, error) {
	dir, err := lab.ResultsDir()
	if err != nil {
		return run.Options{}, err
	}
	opt := run.Options{Settings: lab.Set.Settings, Store: store.New(dir), Verify: lab.Depth(), Every: progressEvery, Tool: lab.Tool}
	opt.Again = opt.Again || lab.Set.OmnetResults
	return opt, nil
}

// Failures is an error that says of each failed run why, nil if none failed.
func Failures(done []Runs) error {
	var shown []error
	total, failed, skipped := 0, 0, 0
	told := map[string]bool{} // what kept several runs from being made is told once
	for _, d := range done {
		for _, r := range d.Results {
			total++
			switch {
			case r.Err == nil:
			case errors.Is(r.Err, run.ErrSkipped):
				skipped++
			default:
				failed++
				var failure *run.Failure
				if errors.As(r.Err, &failure) && failure.Log == "" {
					if told[failure.Reason] {
						continue
					}
					told[failure.Reason] = true
				}
				if len(shown) < shownFailures {
					shown = append(shown, r.Err)
				}
			}
		}
	}
	if failed == 0 {
		return nil
	}
	head := fmt.Sprintf("%d of %d runs failed", failed, total)
	if skipped > 0 {
		head += fmt.Sprintf(", and %d were %v", skipped, run.ErrSkipped)
	}
	text := errors.Join(shown...)
	if more := failed - len(shown); more > 0 {
		text = fmt.Errorf("%w\nand %d more: see the list above", text, more)
	}
	return fmt.Errorf("%s:\n%w", head, text)
}

// shownFailures is how many failures are shown with their logs.
const shownFailures = 10
