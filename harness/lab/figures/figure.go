// Package figures makes figures: from YAML to runs, measures, claims and plots.
package figures

import (
	"context"
	"errors"
	"fmt"

	"fabriclab/analysis/figure"
	"fabriclab/analysis/spec"
	"fabriclab/harness/lab"
	"fabriclab/harness/lab/plan"
	"fabriclab/harness/lab/sweeps"
)

// An Outcome is what a figure came to.
type Outcome struct {
	ID, Scale, Command string
	Seeds              []uint64
	Readings           []string // that the experiment has beside the default
	*figure.Outcome
}

// Make is the road of figures, given by file or id. What could be evaluated
// is returned beside an error.
func Make(ctx context.Context, lab *lab.Lab, names []string, s plan.Selection) ([]*Outcome, error) {
	s.Figure = true
	experiments, err := plan.Load(ctx, lab, names, s) // YAML to points, all of it checked
	if err != nil {
		return nil, err
	}
	plans, err := plan.Make(ctx, lab, experiments) // a job for each point, engine and seed
	if err != nil {
		return nil, err
	}
	runs, err := sweeps.Run(ctx, lab, plans, s) // a folder with tables for each job
	if err != nil {
		return nil, err
	}
	outcomes, err := Evaluate(lab, runs, s) // tables to measures, claims and plots
	return outcomes, errors.Join(err, sweeps.Failures(runs))
}

// Evaluate measures the runs of figures, judges their claims and draws them.
func Evaluate(lab *lab.Lab, all []sweeps.Runs, s plan.Selection) ([]*Outcome, error) {
	var outcomes []*Outcome
	var problems []error
	for _, r := range all {
		o, err := evaluate(lab, r, s)
		if err == nil {
			outcomes = append(outcomes, o)
		}
		problems = append(problems, err)
	}
	return outcomes, errors.Join(problems...)
}

// evaluate measures the runs of a figure, judges its claims and draws it.
func evaluate(lab *lab.Lab, r sweeps.Runs, s plan.Selection) (*Outcome, error) {
	in, err := Input(r, s)
	if err != nil {
		return nil, err
	}
	dir, err := lab.ResultsDir()
	if err != nil {
		return nil, err
	}
	outcome, err := figure.Evaluate(in, dir)
	if err != nil {
		return nil, fmt.Errorf("evaluating figure %s: %w", in.ID, err)
	}
	return &Outcome{ID: in.ID, Scale: in.Scale, Command: in.Command, Seeds: r.Seeds, Readings: in.Readings, Outcome: outcome}, nil
}

// Input is what a figure is made from.
func Input(r sweeps.Runs, s plan.Selection) (figure.Input, error) {
	in := figure.Input{
		ID: r.Name, Reading: plan.ReadingText(r.Reading), Readings: plan.Declared(r.Experiment.Experiment), Sets: r.Sets, Title: r.Title, Source: r.Source,
		Scale: r.Scale, Command: r.Command, Figure: r.Spec, Width: s.Width, Bare: s.Bare,
	}
	all, loads, err := judge(r)
	if err != nil {
		return in, err
	}
	in.Loads = loads
	for i, result := range r.Results {
		one := spec.Run{Dir: result.Dir, Labels: result.Job.Labels, Engine: result.Job.Key.Engine, Seed: result.Job.Key.Seed, Err: result.Err, Judged: all[i].window, Unsettled: all[i].unsettled}
		if result.Manifest != nil {
			one.Build = result.Manifest.Engine.BuildID
		}
		in.Runs = append(in.Runs, one)
	}
	return in, nil
}
