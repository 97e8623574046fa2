package lab

import (
	"context"
	"errors"
	"fmt"

	"fabriclab/analysis/figure"
	"fabriclab/analysis/spec"
)

// An Outcome is what a figure came to.
type Outcome struct {
	ID, Scale, Command string
	Seeds              []uint64
	*figure.Outcome
}

// Figures is the road of figures, given by file or id. What could be evaluated
// is returned beside an error.
func (lab *Lab) Figures(ctx context.Context, names []string, s Selection) ([]*Outcome, error) {
	s.Figure = true
	experiments, err := lab.Load(ctx, names, s) // YAML to points, all of it checked
	if err != nil {
		return nil, err
	}
	plans, err := lab.Plan(ctx, experiments) // a job for each point, engine and seed
	if err != nil {
		return nil, err
	}
	runs, err := lab.Run(ctx, plans, s) // a folder with tables for each job
	if err != nil {
		return nil, err
	}
	outcomes, err := lab.Evaluate(runs, s) // tables to measures, claims and plots
	return outcomes, errors.Join(err, Failures(runs))
}

// Evaluate measures the runs of figures, judges their claims and draws them.
func (lab *Lab) Evaluate(all []Runs, s Selection) ([]*Outcome, error) {
	var outcomes []*Outcome
	var problems []error
	for _, r := range all {
		o, err := lab.evaluate(r, s)
		if err == nil {
			outcomes = append(outcomes, o)
		}
		problems = append(problems, err)
	}
	return outcomes, errors.Join(problems...)
}

// evaluate measures the runs of a figure, judges its claims and draws it.
func (lab *Lab) evaluate(r Runs, s Selection) (*Outcome, error) {
	in, err := lab.input(r, s)
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
	return &Outcome{ID: in.ID, Scale: in.Scale, Command: in.Command, Seeds: r.Seeds, Outcome: outcome}, nil
}

// input is what a figure is made from.
func (lab *Lab) input(r Runs, s Selection) (figure.Input, error) {
	in := figure.Input{
		ID: r.Name, Reading: ReadingText(r.Reading), Title: r.Title, Source: r.Source,
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
