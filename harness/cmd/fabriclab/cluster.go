package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"fabriclab/base/catalog"
	"fabriclab/harness/engine"
	"fabriclab/harness/engine/engines"
	"fabriclab/harness/experiment"
	"fabriclab/harness/progress"
	"fabriclab/harness/run"
	"fabriclab/harness/slurm"
	"fabriclab/harness/store"
)

// The executors.
const (
	executorLocal = "local"
	executorSlurm = "slurm"
)

// Files of a sweep's folder that run-one reads.
const (
	catalogFile  = "catalog.json"
	programsFile = "programs.json"
)

// pollEvery is the time between two looks at the cluster.
const pollEvery = 2 * time.Second

// remoteSpec is what run-one has to know of a job beside its key.
type remoteSpec struct {
	File  string   `json:"file"`
	Scale string   `json:"scale"`
	Sets  []string `json:"sets,omitempty"`
	Point int      `json:"point"` // its place among those of the experiment
}

// remoteProgram is a runner on the shared file system.
type remoteProgram struct {
	Program *engine.Program `json:"program"`
	// Stamp tells whether it was built anew since the sweep was submitted.
	Stamp string `json:"stamp"`
}

// executor is the one that was asked for.
func (a *app) executor(ctx context.Context, opt run.Options, plans []plan, s selection) (run.Executor, error) {
	if a.set.executor == executorLocal {
		return run.Local{Options: opt}, nil
	}
	return a.cluster(ctx, opt, plans, s)
}

func (a *app) cluster(ctx context.Context, opt run.Options, plans []plan, s selection) (*slurm.Executor, error) {
	x := &slurm.Executor{Options: opt, Settings: a.set.slurm, Files: map[string][]byte{}, Poll: pollEvery}
	b, err := a.builder()
	if err != nil {
		return nil, err
	}
	if x.Files[catalogFile], err = b.Describe(ctx); err != nil {
		return nil, err
	}
	x.Command = []string{
		"run-one", "--root", b.Root(), "--out", opt.Store.Root(), "--build-type", string(a.set.buildType), "--verify", a.set.verify,
		"--time-limit", a.set.timeLimit.String(), "--memory-limit", fmt.Sprintf("%dB", a.set.memoryLimit),
		"--stall-timeout", a.set.stallTimeout.String(), "--grace", a.set.grace.String(),
	}
	if opt.Again {
		x.Command = append(x.Command, "--again")
	}
	specs := map[store.Key]remoteSpec{}
	programs := map[string]remoteProgram{}
	for _, p := range plans {
		file, err := filepath.Abs(p.File)
		if err != nil {
			return nil, err
		}
		places := map[*experiment.Point]int{}
		for i, point := range p.Points {
			places[point] = i
		}
		for i, j := range p.jobs {
			if _, twice := specs[j.Key]; !twice {
				specs[j.Key] = remoteSpec{File: file, Scale: p.Scale, Sets: s.sets, Point: places[p.points[i]]}
			}
			if _, known := programs[j.Key.Engine]; known {
				continue
			}
			simulator, err := engines.ByName(j.Key.Engine)
			if err != nil {
				return nil, err
			}
			stamp, err := b.Stamp(simulator)
			if err != nil {
				return nil, err
			}
			programs[j.Key.Engine] = remoteProgram{Program: j.Program, Stamp: stamp}
		}
	}
	x.Files[programsFile], err = json.Marshal(programs)
	x.Spec = func(j run.Job) (json.RawMessage, error) { return json.Marshal(specs[j.Key]) }
	return x, err
}

// submit submits experiments to the cluster and does not wait for them.
func (a *app) submit(ctx context.Context, names []string, s selection) error {
	if a.set.executor != executorSlurm {
		return errors.New("--no-wait is for --executor slurm; a sweep on this machine ends with the command that runs it")
	}
	plans, err := a.planAll(ctx, names, s)
	if err != nil {
		return err
	}
	opt, err := a.runOptions()
	if err != nil {
		return err
	}
	opt.Sink = progress.Discard{}
	x, err := a.cluster(ctx, opt, plans, s)
	if err != nil {
		return err
	}
	var jobs []run.Job
	for _, p := range plans {
		jobs = append(jobs, p.jobs...)
	}
	f, err := x.Submit(ctx, jobs)
	switch {
	case err != nil:
		return err
	case f == nil:
		_, err = fmt.Fprintf(a.out, "all %d runs have a valid result; nothing is submitted\n", len(jobs))
		return err
	case a.set.json:
		return a.print(f.Submissions)
	}
	for _, submission := range f.Submissions {
		fmt.Fprintf(a.out, "Slurm job %s: %d runs\n", submission.Job, len(submission.Tasks))
	}
	_, err = fmt.Fprintf(a.out, "see how they do: fabriclab status %s\nwait for them: the same command without --no-wait\n", f.ID)
	return err
}

func (a *app) runOneCommand() *cobra.Command {
	var list string
	var element int
	cmd := &cobra.Command{
		Use:    "run-one SWEEP",
		Short:  "make one run of a sweep that was submitted to a cluster",
		Hidden: true, // the batch script calls it
		Args:   cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			f, err := slurm.Open(args[0])
			if err != nil {
				return err
			}
			task, events, err := f.Mine(list, element)
			if err != nil {
				return err
			}
			defer events.Close()
			return a.runOne(cmd.Context(), f, task, events)
		},
	}
	cmd.Flags().StringVar(&list, slurm.ListFlag, "", "file in the sweep's folder that lists the runs of the array")
	cmd.Flags().IntVar(&element, slurm.ElementFlag, 0, "place in that list")
	return cmd
}

func (a *app) runOne(ctx context.Context, f *slurm.Folder, task slurm.Task, events io.Writer) error {
	sink := progress.NewJSON(events)
	j, err := a.remoteJob(f, task)
	if err != nil {
		failure := &run.Failure{Run: task.Title, Reason: err.Error(), Err: err, Attempts: 1}
		sink.Event(failure.Event())
		return failure
	}
	opt, err := a.runOptions()
	if err != nil {
		return err
	}
	opt.Sink, opt.Jobs, opt.Retry, opt.Every = sink, 1, 0, pollEvery
	return run.One(ctx, j, opt).Err
}

// remoteJob makes the job of a task from what it was submitted with, and sees
// to it that it is still the same.
func (a *app) remoteJob(f *slurm.Folder, task slurm.Task) (run.Job, error) {
	var spec remoteSpec
	if err := json.Unmarshal(task.Spec, &spec); err != nil {
		return run.Job{}, fmt.Errorf("the sweep's folder %s is damaged: %w; submit the sweep again", f.Dir, err)
	}
	program, err := a.remoteProgram(f, task.Key.Engine)
	if err != nil {
		return run.Job{}, err
	}
	text, err := os.ReadFile(filepath.Join(f.Dir, catalogFile))
	if err != nil {
		return run.Job{}, err
	}
	c, err := catalog.Load(text)
	if err != nil {
		return run.Job{}, err
	}
	dir, err := a.configDir(spec.File)
	if err != nil {
		return run.Job{}, err
	}
	e, err := experiment.Load(spec.File, experiment.Options{Catalog: c, Scale: spec.Scale, Sets: spec.Sets, ConfigDir: dir})
	if err != nil {
		return run.Job{}, err
	}
	if spec.Point < len(e.Points) {
		point := e.Points[spec.Point]
		hash, err := point.Hash()
		if err != nil {
			return run.Job{}, err
		}
		if hash == task.Key.ScenarioHash {
			return job(e, point, hash, task.Key.Engine, task.Key.Seed, program), nil
		}
	}
	return run.Job{}, fmt.Errorf("%s, or a preset or file it uses, was changed since the sweep was submitted; submit it again", spec.File)
}

func (a *app) remoteProgram(f *slurm.Folder, name string) (*engine.Program, error) {
	var programs map[string]remoteProgram
	text, err := os.ReadFile(filepath.Join(f.Dir, programsFile))
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &programs); err != nil || programs[name].Program == nil {
		return nil, fmt.Errorf("the sweep's folder %s does not say how to run %s; submit the sweep again", f.Dir, name)
	}
	simulator, err := engines.ByName(name)
	if err != nil {
		return nil, err
	}
	b, err := a.builder()
	if err != nil {
		return nil, err
	}
	stamp, err := b.Stamp(simulator)
	if err != nil {
		return nil, err
	}
	if stamp != programs[name].Stamp {
		return nil, fmt.Errorf("%s was built anew since the sweep was submitted; submit it again", simulator.Binary())
	}
	return programs[name].Program, nil
}

func (a *app) statusCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "status [SWEEP]",
		Short: "say how sweeps stand that were submitted to a cluster",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			results, err := a.resultsDir()
			if err != nil {
				return err
			}
			if len(args) == 1 {
				status, err := a.status(cmd.Context(), results, slurm.FolderOf(results, args[0]))
				if err != nil {
					return err
				}
				return a.showStatus(status)
			}
			dirs, err := slurm.Folders(results)
			if err != nil {
				return err
			}
			all := make([]*slurm.Status, len(dirs))
			for i, dir := range dirs {
				if all[i], err = a.status(cmd.Context(), results, dir); err != nil {
					return err
				}
			}
			if a.set.json {
				return a.print(all)
			}
			if len(all) == 0 {
				_, err = fmt.Fprintf(a.out, "no sweep was submitted with the results folder %s\n", results)
				return err
			}
			w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "sweep\tsubmitted\truns\tdone\trunning\tpending\tfailed\tSlurm jobs")
			for _, s := range all {
				c := s.Counts
				fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%s\n", s.ID, s.Created.Local().Format(time.DateTime), c.Runs, c.Done, c.Running, c.Pending, c.Failed, strings.Join(s.Jobs, " "))
			}
			return w.Flush()
		},
	}
}

func (a *app) status(ctx context.Context, results, dir string) (*slurm.Status, error) {
	f, err := slurm.Open(dir)
	if err != nil {
		return nil, err
	}
	return f.Look(ctx, store.New(results))
}

func (a *app) showStatus(s *slurm.Status) error {
	if a.set.json {
		return a.print(s)
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	for _, t := range s.Tasks {
		note := t.Dir
		switch {
		case t.Text != "":
			note = t.Text
		case t.StopPS > 0:
			note = fmt.Sprintf("%s of %s", progress.SimTime(t.SimPS), progress.SimTime(t.StopPS))
		}
		if t.State == "failed" && t.Log != "" {
			note += "; log: " + t.Log
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", t.Run, t.State, note)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	c := s.Counts
	_, err := fmt.Fprintf(a.out, "%d runs: %d done, %d running, %d pending, %d failed (Slurm jobs %s)\n", c.Runs, c.Done, c.Running, c.Pending, c.Failed, strings.Join(s.Jobs, ", "))
	return err
}
