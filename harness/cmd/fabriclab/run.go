package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"fabriclab/harness/progress"
	"fabriclab/harness/run"
	"fabriclab/harness/store"
)

func (s *selection) flags(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&s.sets, "set", nil, "set a value of the experiment: path=value, such as topology.rate=200Gbps or hpcc.eta=0.9")
	cmd.Flags().VarP(&seedsValue{&s.seeds}, "seed", "", "seeds, instead of the experiment's")
}

func (a *app) runCommand() *cobra.Command {
	var s selection
	var dryRun, noWait bool
	cmd := &cobra.Command{
		Use:   "run FILE…",
		Short: "run experiments, given by file or id",
		Args:  cobra.MinimumNArgs(1), ValidArgsFunction: a.completeExperiments(false),
		RunE: func(cmd *cobra.Command, args []string) error {
			if dryRun {
				return a.dryRun(cmd.Context(), args, s)
			}
			if noWait {
				return a.submit(cmd.Context(), args, s)
			}
			done, err := a.runAll(cmd.Context(), args, s)
			if err != nil {
				return err
			}
			return a.report(done)
		},
	}
	s.flags(cmd)
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "print the points, which runs have a valid result and which would be made, and run nothing")
	cmd.Flags().BoolVar(&noWait, "no-wait", false, "with --executor slurm: submit and return; see fabriclab status")
	return cmd
}

func (a *app) validateCommand() *cobra.Command {
	var s selection
	cmd := &cobra.Command{
		Use:   "validate FILE…",
		Short: "check experiments and print their effective configuration, run nothing",
		Args:  cobra.MinimumNArgs(1), ValidArgsFunction: a.completeExperiments(false),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.catalog(cmd.Context())
			if err != nil {
				return err
			}
			s.computed = true
			all, err := a.loadAll(c, args, s)
			if err != nil {
				return err
			}
			for _, e := range all {
				if a.set.json {
					for _, p := range e.Points {
						hash, err := p.Hash()
						if err != nil {
							return err
						}
						if err := a.print(map[string]any{"experiment": e.Name, "point": p.String(), "scenario_hash": hash, "effective": p.Effective}); err != nil {
							return err
						}
					}
					continue
				}
				if err := showPlan(a.out, e.Experiment, a.set.verbose); err != nil {
					return err
				}
				fmt.Fprintln(a.out, "valid")
			}
			return nil
		},
	}
	s.flags(cmd)
	return cmd
}

// finished are the runs of an experiment.
type finished struct {
	plan
	results []run.Result
}

// planAll builds what is stale and makes the jobs of experiments.
func (a *app) planAll(ctx context.Context, names []string, s selection) ([]plan, error) {
	b, err := a.builder()
	if err != nil {
		return nil, err
	}
	if !a.set.json {
		fmt.Fprintf(a.err, "building what is stale (%s)\n", b.Dir())
	}
	c, err := a.catalog(ctx)
	if err != nil {
		return nil, err
	}
	all, err := a.loadAll(c, names, s)
	if err != nil {
		return nil, err
	}
	return a.plans(ctx, b, all)
}

// runAll runs experiments and shows how it goes. The error is about what kept
// them from being run at all; failed runs are among the results.
func (a *app) runAll(ctx context.Context, names []string, s selection) ([]finished, error) {
	plans, err := a.planAll(ctx, names, s)
	if err != nil {
		return nil, err
	}
	opt, err := a.runOptions()
	if err != nil {
		return nil, err
	}
	display := a.display()
	defer display.Close()
	watch := newWatch(display)
	opt.Sink = watch
	var done []finished
	var jobs []run.Job
	for _, p := range plans {
		if err := showPlan(display, p.Experiment, a.set.verbose); err != nil {
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
			jobs = append(jobs, p.jobs...)
		}
	}
	executor, err := a.executor(ctx, opt, plans, s)
	if err != nil {
		return nil, err
	}
	results := executor.Run(ctx, jobs)
	watch.end()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	for _, p := range plans {
		if p.Computed() {
			computed, err := a.compute(ctx, p, opt.Store, display)
			if err != nil {
				return nil, fmt.Errorf("computing %s: %w", p.Name, err)
			}
			done = append(done, finished{plan: p, results: computed})
			continue
		}
		done = append(done, finished{plan: p, results: results[:len(p.jobs)]})
		results = results[len(p.jobs):]
	}
	return done, nil
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

func (a *app) display() progress.Display {
	if a.set.json {
		return progress.NewJSON(a.out)
	}
	if f, ok := a.err.(*os.File); ok {
		return progress.New(f)
	}
	return progress.NewLines(a.err)
}

// progressEvery is the time between two reports of a simulation.
const progressEvery = 500 * time.Millisecond

func (a *app) runOptions() (run.Options, error) {
	dir, err := a.resultsDir()
	if err != nil {
		return run.Options{}, err
	}
	return run.Options{
		Store: store.New(dir), Jobs: a.set.jobs, KeepGoing: a.set.keepGoing,
		Retry: a.set.retry, TimeLimit: a.set.timeLimit, MemoryLimit: a.set.memoryLimit, Again: a.set.again || a.set.omnetResults, Verify: a.depth(),
		StallTimeout: a.set.stallTimeout, Grace: a.set.grace, Every: progressEvery, Tool: tool(),
	}, nil
}

// depth is how closely results are looked at before they are taken.
func (a *app) depth() store.Depth {
	if a.set.verify == "sizes" {
		return store.Sizes
	}
	return store.Contents
}

// report prints where the results are and why runs failed.
func (a *app) report(done []finished) error {
	if !a.set.json {
		w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
		for _, d := range done {
			for _, r := range d.results {
				state, place := "done", r.Dir
				var failure *run.Failure
				switch {
				case errors.Is(r.Err, run.ErrSkipped):
					state, place = "not started", ""
				case errors.As(r.Err, &failure) && failure.Log != "":
					state, place = "FAILED", failure.Log
				case r.Err != nil:
					state, place = "FAILED", "see below"
				case r.Cached:
					state = "valid"
				}
				fmt.Fprintf(w, "%s\t%s\t%s\n", r.Job.Title, state, place)
			}
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	return failures(done)
}

// failures is an error that says of each failed run why, nil if none failed.
func failures(done []finished) error {
	var shown []error
	total, failed, skipped := 0, 0, 0
	told := map[string]bool{} // what kept several runs from being made is told once
	for _, d := range done {
		for _, r := range d.results {
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
