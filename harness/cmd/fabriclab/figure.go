package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"fabriclab/harness/lab/figures"
	"fabriclab/harness/lab/papers"
	"fabriclab/harness/lab/plan"
)

func (a *app) figureCommand() *cobra.Command {
	var s plan.Selection
	var all, controls bool
	cmd := &cobra.Command{
		Use:   "figure ID|FOLDER…",
		Short: "run the experiments of figures, check their claims and draw them",
		Long: `Runs experiments that have a figure section (what has a valid result is not run again), judges
their claims, and writes plots, tables and summary.md to results/figures/<id>. A folder, such as
fncc, is all of its experiments that have one.`,
		Example: `  fabriclab figure fncc/fig10
  fabriclab figure fncc/fig10 fncc/fig13 --jobs 4
  fabriclab figure fncc                          # all figures of a paper
  fabriclab figure fncc/fig10 --controls         # each claim with its control, for which it has to fail
  fabriclab figure --all --scale paper`,
		ValidArgsFunction: a.completeExperiments(true),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkWidth(s.Width); err != nil {
				return err
			}
			ids, err := a.figureIDs(args, all)
			if err != nil {
				return err
			}
			if controls {
				a.Compiles = false
				return a.controls(cmd.Context(), ids, s)
			}
			outcomes, err := figures.Make(cmd.Context(), a.Lab, ids, s)
			judged := papers.VerdictsOf(a.Lab, papers.MadeOf(outcomes))
			if len(outcomes) > 1 && !a.Set.JSON {
				err = errors.Join(err, a.showVerdicts(judged))
			}
			for _, o := range outcomes {
				if show := a.showFigure(o); show != nil {
					return show
				}
			}
			return err
		},
	}
	a.selectionFlags(cmd, &s)
	cmd.Flags().BoolVar(&all, "all", false, "all figures there are")
	cmd.Flags().BoolVar(&controls, "controls", false, "judge each claim with its control, for which it has to fail, on the runs that are there; run nothing")
	paperFlags(cmd, &s.Width, &s.Bare)
	return cmd
}

// figureIDs are the figures to make.
func (a *app) figureIDs(args []string, all bool) ([]string, error) {
	switch {
	case all && len(args) > 0:
		return nil, fmt.Errorf("--all is every figure; leave out %s", strings.Join(args, " "))
	case all:
		entries, err := a.Experiments(true)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			args = append(args, e.Name)
		}
		return args, nil
	case len(args) == 0:
		return nil, fmt.Errorf("name the figures to make, such as fncc/fig10 or all of fncc, or write --all; see: fabriclab list figures")
	}
	ids, skipped, err := a.Figures(args)
	for _, text := range skipped {
		fmt.Fprintf(a.Err, "skipped: %s\n", text)
	}
	return ids, err
}

func (a *app) showFigure(o *figures.Outcome) error {
	if a.Set.JSON {
		return a.Print(map[string]any{"figure": o.ID, "scale": o.Scale, "dir": o.Dir, "claims": o.Claims, "missing": o.Missing})
	}
	_, err := fmt.Fprintln(a.Out, o.Outcome)
	return err
}
