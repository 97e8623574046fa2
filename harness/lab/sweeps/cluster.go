package sweeps

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"fabriclab/base/catalog"
	"fabriclab/harness/engine"
	"fabriclab/harness/engine/engines"
	"fabriclab/harness/experiment"
	"fabriclab/harness/lab"
	"fabriclab/harness/lab/oracle"
	"fabriclab/harness/lab/plan"
	"fabriclab/harness/progress"
	"fabriclab/harness/run"
	"fabriclab/harness/slurm"
	"fabriclab/harness/store"
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
	// Reading is what the paper leaves open and is not taken as by default.
	Reading map[string]string `json:"reading,omitempty"`
	Point   int               `json:"point"` // its place among those of the experiment

	Command string `json:"command"` // for the manifest
}

// remoteProgram is a runner on the shared file system.
type remoteProgram struct {
	Program *engine.Program `json:"program"`
	// Stamp tells whether it was built anew since the sweep was submitted.
	Stamp string `json:"stamp"`
}

// executor runs simulations on this machine or on a cluster, by the settings.
func executor(ctx context.Context, lab *lab.Lab, opt run.Options, plans []plan.Plan, s plan.Selection) (run.Executor, error) {
	if !lab.OnCluster() {
		return run.Local{Options: opt}, nil
	}
	return cluster(ctx, lab, opt, plans, s)
}

func cluster(ctx context.Context, lab *lab.Lab, opt run.Options, plans []plan.Plan, s plan.Selection) (*slurm.Executor, error) {
	x := &slurm.Executor{Options: opt, Settings: lab.Set.Slurm, Files: map[string][]byte{}, Poll: pollEvery}
	b, err := lab.Builder()
	if err != nil {
		return nil, err
	}
	if x.Files[catalogFile], err = b.Describe(ctx); err != nil {
		return nil, err
	}
	x.Command = []string{
		"run-one", "--root", b.Root(), "--project", lab.Set.Project, "--out", opt.Store.Root(), "--build-type", string(lab.Set.BuildType), "--verify", lab.Set.Verify,
		"--time-limit", lab.Set.TimeLimit.String(), "--memory-limit", fmt.Sprintf("%dB", lab.Set.MemoryLimit),
		"--stall-timeout", lab.Set.StallTimeout.String(), "--grace", lab.Set.Grace.String(),
	}
	for _, dir := range lab.Set.Mechanisms {
		full, err := filepath.Abs(dir)
		if err != nil {
			return nil, err
		}
		x.Command = append(x.Command, "--mechanisms", full)
	}
	if opt.Again {
		x.Command = append(x.Command, "--again")
	}
	specs := map[store.Key]remoteSpec{}
	programs := map[string]remoteProgram{}
	asked := 0 // threads, by an experiment
	for _, p := range plans {
		file, err := filepath.Abs(p.File)
		if err != nil {
			return nil, err
		}
		places := map[*experiment.Point]int{}
		for i, point := range p.Points {
			places[point] = i
		}
		for i, j := range p.Jobs {
			asked = max(asked, j.Threads)
			if _, twice := specs[j.Key]; !twice {
				specs[j.Key] = remoteSpec{File: file, Scale: p.Scale, Sets: s.Sets, Reading: p.Reading, Point: places[p.PointOf[i]], Command: j.Command}
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
	if x.Cores = lab.Set.Threads; x.Cores == 0 {
		x.Cores = asked
	}
	x.Files[programsFile], err = json.Marshal(programs)
	x.Spec = func(j run.Job) (json.RawMessage, error) { return json.Marshal(specs[j.Key]) }
	return x, err
}

// Submit submits experiments to the cluster and does not wait for them.
func Submit(ctx context.Context, lab *lab.Lab, names []string, s plan.Selection) error {
	if !lab.OnCluster() {
		return errors.New("--no-wait is for --executor slurm; a sweep on this machine ends with the command that runs it")
	}
	plans, err := plan.Of(ctx, lab, names, s)
	if err != nil {
		return err
	}
	opt, err := Options(lab)
	if err != nil {
		return err
	}
	opt.Sink = progress.Discard{}
	x, err := cluster(ctx, lab, opt, plans, s)
	if err != nil {
		return err
	}
	var jobs []run.Job
	for _, p := range plans {
		jobs = append(jobs, p.Jobs...)
	}
	f, err := x.Submit(ctx, jobs)
	switch {
	case err != nil:
		return err
	case f == nil:
		_, err = fmt.Fprintf(lab.Out, "all %d runs have a valid result; nothing is submitted\n", len(jobs))
		return err
	case lab.Set.JSON:
		return lab.Print(f.Submissions)
	}
	for _, submission := range f.Submissions {
		fmt.Fprintf(lab.Out, "Slurm job %s: %d runs\n", submission.Job, len(submission.Tasks))
	}
	_, err = fmt.Fprintf(lab.Out, "see how they do: fabriclab status %s\nwait for them: the same command without --no-wait\n", f.ID)
	return err
}

// RunOne makes one run of a sweep that was submitted to a cluster.
func RunOne(ctx context.Context, lab *lab.Lab, f *slurm.Folder, task slurm.Task, events io.Writer) error {
	sink := progress.NewJSON(events)
	j, err := remoteJob(ctx, lab, f, task)
	if err != nil {
		failure := &run.Failure{Run: task.Title, Reason: err.Error(), Err: err, Attempts: 1}
		sink.Event(failure.Event())
		return failure
	}
	opt, err := Options(lab)
	if err != nil {
		return err
	}
	opt.Sink, opt.Jobs, opt.Retry, opt.Every = sink, 1, 0, pollEvery
	if opt.Threads == 0 { // a node's other cores are others'
		given, _ := strconv.Atoi(os.Getenv("SLURM_CPUS_PER_TASK"))
		opt.Threads = max(1, given)
	}
	return run.One(ctx, j, opt).Err
}

// remoteJob makes the job of a task from what it was submitted with, and sees
// to it that it is still the same.
func remoteJob(ctx context.Context, lab *lab.Lab, f *slurm.Folder, task slurm.Task) (run.Job, error) {
	var spec remoteSpec
	if err := json.Unmarshal(task.Spec, &spec); err != nil {
		return run.Job{}, fmt.Errorf("the sweep's folder %s is damaged: %w; submit the sweep again", f.Dir, err)
	}
	program, err := runnerOf(lab, f, task.Key.Engine)
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
	opt, err := plan.LoadOptions(lab, spec.File, c)
	if err != nil {
		return run.Job{}, err
	}
	opt.Scale, opt.Sets, opt.Readings = spec.Scale, spec.Sets, spec.Reading
	e, err := experiment.Load(spec.File, opt)
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
			return plan.Experiment{Experiment: e, Command: spec.Command, Sets: spec.Sets, Reading: spec.Reading}.Job(ctx, plan.Run{Key: task.Key, Point: point}, program, oracle.NewShared())
		}
	}
	return run.Job{}, fmt.Errorf("%s, or a preset or file it uses, was changed since the sweep was submitted; submit it again", spec.File)
}

// runnerOf is the runner of an engine that the sweep was submitted with.
func runnerOf(lab *lab.Lab, f *slurm.Folder, name string) (*engine.Program, error) {
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
	b, err := lab.Builder()
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
