package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"fabriclab/harness/experiment"
	"fabriclab/harness/fluid"
	"fabriclab/harness/run"
	"fabriclab/harness/store"
)

// compute makes the runs of an experiment that is computed in a fluid model,
// here and now: it takes seconds, so results that are there are made anew.
func (a *app) compute(ctx context.Context, p plan, s *store.Store) ([]run.Result, error) {
	var results []run.Result
	for i, job := range p.jobs {
		r := run.Result{Job: job}
		begin := time.Now()
		one, err := s.Begin(ctx, job.Key)
		if err != nil {
			return nil, err
		}
		rows, err := p.points[i].Game.Write(one.Dir(), job.Key.Seed, func() error { return context.Cause(ctx) })
		if err != nil {
			return nil, joined(err, one.Discard())
		}
		file, err := store.HashFile(filepath.Join(one.Dir(), fluid.TableFile))
		if err != nil {
			return nil, joined(err, one.Discard())
		}
		count := uint64(rows)
		file.Rows = &count
		r.Manifest = &store.Manifest{
			Tool: tool(), Experiment: job.Key.Experiment, Labels: job.Labels, ScenarioHash: job.Key.ScenarioHash, Seed: job.Key.Seed,
			Engine: store.Engine{Name: experiment.FluidEngine, EngineVersion: tool().Version, BuildID: tool().Version},
			Inputs: map[string]store.File{}, Outputs: map[string]store.File{fluid.TableFile: file},
			State: store.StateOK, Started: begin.UTC(), Resources: store.Resources{WallS: time.Since(begin).Seconds()},
		}
		r.Dir = s.Dir(job.Key)
		if err := one.Complete(r.Manifest); err != nil {
			return nil, err
		}
		results = append(results, r)
	}
	return results, nil
}

func joined(err, other error) error {
	if other != nil {
		return fmt.Errorf("%w; %w", err, other)
	}
	return err
}

// onlySimulated refuses experiments that are computed where a simulation is
// needed.
func onlySimulated(e *experiment.Experiment, s selection) error {
	if !e.Computed() || s.computed || s.figure {
		return nil
	}
	return fmt.Errorf("%s: %s is computed, not simulated; make it with: fabriclab figure %s", e.File, e.Name, strings.TrimSpace(e.Name))
}
