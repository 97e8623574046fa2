package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"fabriclab/analysis/claims"
	"fabriclab/analysis/figure"
	"fabriclab/analysis/spec"
	"fabriclab/harness/experiment"
)

func (a *app) figureCommand() *cobra.Command {
	var s selection
	var all bool
	cmd := &cobra.Command{
		Use:               "figure ID…",
		Short:             "run the experiments of figures, check their claims and draw them",
		ValidArgsFunction: a.completeExperiments(true),
		RunE: func(cmd *cobra.Command, args []string) error {
			ids, err := a.figureIDs(args, all)
			if err != nil {
				return err
			}
			s.figure = true
			done, err := a.runAll(cmd.Context(), ids, s)
			if err != nil {
				return err
			}
			var problems []error
			for _, d := range done {
				problems = append(problems, a.evaluate(d, a.figureCommandLine(d.Name, d.Scale, s)))
			}
			return errors.Join(append(problems, failures(done))...)
		},
	}
	s.flags(cmd)
	cmd.Flags().BoolVar(&all, "all", false, "all figures there are")
	return cmd
}

// figureIDs are the figures to make.
func (a *app) figureIDs(args []string, all bool) ([]string, error) {
	switch {
	case all && len(args) > 0:
		return nil, fmt.Errorf("--all is every figure; leave out %s", strings.Join(args, " "))
	case all:
		entries, err := a.experiments(true)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			args = append(args, e.Name)
		}
	case len(args) == 0:
		return nil, fmt.Errorf("name the figures to make, such as fncc/fig10, or write --all; see: fabriclab list figures")
	}
	return args, nil
}

// decodeFigure reads and checks the figure section. With --set the matrix may
// be narrower than the section expects, and is not held against it.
func decodeFigure(e *experiment.Experiment, s selection) (*spec.Figure, error) {
	if e.Figure == nil {
		if s.figure {
			return nil, fmt.Errorf("%s: %s has no figure section; run it with: fabriclab run %s", e.File, e.Name, e.Name)
		}
		return nil, nil
	}
	var matrix claims.Matrix
	if len(s.sets) == 0 {
		matrix = claims.Matrix{}
		for _, p := range e.Points {
			for _, l := range p.Labels {
				if !slices.Contains(matrix[l.Path], l.Value) {
					matrix[l.Path] = append(matrix[l.Path], l.Value)
				}
			}
		}
	}
	return figure.Decode(e.File, e.Figure, matrix)
}

// figureCommandLine is what to type to make a figure again.
func (a *app) figureCommandLine(id, scale string, s selection) string {
	if len(a.set.engines) == 0 && len(s.seeds) == 0 && len(s.sets) == 0 {
		return fmt.Sprintf("make figure FIG=%s SCALE=%s", id, scale)
	}
	words := []string{"bin/fabriclab", "figure", id, "--scale", scale}
	if len(a.set.engines) > 0 {
		words = append(words, "--engine", strings.Join(a.set.engines, ","))
	}
	if len(s.seeds) > 0 {
		words = append(words, "--seed", strings.ReplaceAll((&seedsValue{&s.seeds}).String(), " ", ","))
	}
	for _, set := range s.sets {
		words = append(words, "--set", quoted(set))
	}
	return strings.Join(words, " ")
}

// quoted is a word as a shell reads it.
func quoted(word string) string {
	if strings.ContainsFunc(word, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=,@%+-", r)
	}) {
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return word
}

func (a *app) evaluate(d finished, command string) error {
	in := figure.Input{
		ID: d.Name, Title: d.Title, Source: d.Source,
		Scale: d.Scale, Command: command, Figure: d.figure,
	}
	for _, r := range d.results {
		one := spec.Run{Dir: r.Dir, Labels: r.Job.Labels, Engine: r.Job.Key.Engine, Seed: r.Job.Key.Seed, Err: r.Err}
		if r.Manifest != nil {
			one.Build = r.Manifest.Engine.BuildID
		}
		in.Runs = append(in.Runs, one)
	}
	dir, err := a.resultsDir()
	if err != nil {
		return err
	}
	outcome, err := figure.Evaluate(in, dir)
	if err != nil {
		return fmt.Errorf("evaluating figure %s: %w", in.ID, err)
	}
	if a.set.json {
		return a.print(map[string]any{"figure": in.ID, "scale": in.Scale, "dir": outcome.Dir, "claims": outcome.Claims, "missing": outcome.Missing})
	}
	_, err = fmt.Fprintln(a.out, outcome)
	return err
}
