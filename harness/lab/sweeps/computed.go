package sweeps

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"fabriclab/harness/computed"
	"fabriclab/harness/experiment"
	_ "fabriclab/harness/game" // a kind of computed experiment
	"fabriclab/harness/lab"
	"fabriclab/harness/lab/plan"
	"fabriclab/harness/run"
	"fabriclab/harness/store"
)

// compute makes the runs of an experiment that is computed, here and --jobs at
// a time; results that are there are made anew.
func compute(ctx context.Context, lab *lab.Lab, p plan.Plan, s *store.Store, out io.Writer) ([]run.Result, error) {
	results := make([]run.Result, len(p.Jobs))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(lab.Set.Jobs)
	if slices.ContainsFunc(p.PointOf, func(one *experiment.Point) bool { return one.Alone }) {
		group.SetLimit(1)
	}
	var done atomic.Int64
	for i, job := range p.Jobs {
		group.Go(func() error {
			r, err := computeOne(ctx, lab, job, p.PointOf[i].Model, s)
			if err != nil {
				return err
			}
			results[i] = r
			fmt.Fprintf(out, "[%d/%d] %s: computed in %.1fs\n", done.Add(1), len(p.Jobs), job.Title, r.Manifest.Resources.WallS)
			return nil
		})
	}
	return results, group.Wait()
}

func computeOne(ctx context.Context, lab *lab.Lab, job run.Job, m computed.Model, s *store.Store) (run.Result, error) {
	r := run.Result{Job: job}
	begin := time.Now()
	one, err := s.Begin(ctx, job.Key)
	if err != nil {
		return r, err
	}
	tables, err := m.Write(ctx, computed.Place{Seed: job.Key.Seed, Dir: one.Dir(), Tool: lab.Program})
	if err != nil {
		return r, joined(err, one.Discard())
	}
	outputs := map[string]store.File{}
	for _, t := range tables {
		outputs[t.Name] = store.File{Bytes: t.Bytes, SHA256: t.SHA256, Rows: &t.Rows}
	}
	r.Manifest = &store.Manifest{
		Tool: lab.Tool, Experiment: job.Key.Experiment, Labels: job.Labels, Scale: job.Scale, Reading: job.Reading, Sets: job.Sets, Command: job.Command,
		ScenarioHash: job.Key.ScenarioHash, Seed: job.Key.Seed,
		Engine: store.Engine{Name: experiment.ComputedEngine, EngineVersion: lab.Tool.Version, BuildID: lab.Tool.Version},
		Inputs: map[string]store.File{}, Outputs: outputs,
		State: store.StateOK, Started: begin.UTC(), Resources: store.Resources{WallS: time.Since(begin).Seconds()},
	}
	r.Dir = s.Dir(job.Key)
	return r, one.Complete(r.Manifest)
}

func joined(err, other error) error {
	if other != nil {
		return fmt.Errorf("%w; %w", err, other)
	}
	return err
}
