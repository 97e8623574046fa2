package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"fabriclab/base/columns"
	"fabriclab/harness/lab/papers"
	"fabriclab/harness/lab/plan"
	"fabriclab/harness/lab/sweeps"
	"fabriclab/harness/run"
)

func (a *app) setFlag(cmd *cobra.Command, s *plan.Selection) {
	cmd.Flags().StringArrayVar(&s.Sets, "set", nil, "set a value of the experiment: path=value, such as topology.rate=200Gbps or hpcc.eta=0.9")
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("set", a.completing(a.completeSet)))
}

func (a *app) selectionFlags(cmd *cobra.Command, s *plan.Selection) {
	a.setFlag(cmd, s)
	readingFlag(cmd, s)
	cmd.Flags().VarP(&seedsValue{&s.Seeds}, "seed", "", "seeds, instead of the experiment's")
}

func readingFlag(cmd *cobra.Command, s *plan.Selection) {
	cmd.Flags().StringArrayVar(&s.Readings, "reading", nil, "take what the paper leaves open otherwise: NAME=VALUE, such as table=every-2us; all: the default and every other value, one at a time")
}

// oneReadingFlag is that of commands that look at one network or flow list.
func oneReadingFlag(cmd *cobra.Command, s *plan.Selection) {
	cmd.Flags().StringArrayVar(&s.Readings, "reading", nil, "take what the paper leaves open otherwise: NAME=VALUE, such as table=every-2us")
}

func (a *app) runCommand() *cobra.Command {
	var s plan.Selection
	var dryRun, noWait bool
	cmd := &cobra.Command{
		Use:   "run EXPERIMENT…",
		Short: "run experiments, given by file or id",
		Long: `Runs every point of the experiments' matrix with every seed on every engine. A run that has a
valid result is not made again, so a call that was interrupted goes on where it was. Results are in
results/<experiment>/<scenario>/<engine>-seed<n>. What is wrong with an experiment is said before
anything runs.`,
		Example: `  fabriclab run fncc/fig10
  fabriclab run fncc/fig10 --set 'preset=[hpcc,fncc]' --set hpcc.eta=0.9 --seed 1-5
  fabriclab run my/sweep.yaml --dry-run
  fabriclab run my/sweep --executor slurm --slurm-partition short --slurm-time 2h`,
		Args: cobra.MinimumNArgs(1), ValidArgsFunction: a.completeExperiments(false),
		RunE: func(cmd *cobra.Command, args []string) error {
			if dryRun {
				return sweeps.DryRun(cmd.Context(), a.Lab, args, s)
			}
			if noWait {
				return sweeps.Submit(cmd.Context(), a.Lab, args, s)
			}
			done, err := sweeps.Make(cmd.Context(), a.Lab, args, s)
			if err != nil {
				return err
			}
			return a.report(done)
		},
	}
	a.selectionFlags(cmd, &s)
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "print the points, which runs have a valid result and which would be made, and run nothing")
	cmd.Flags().BoolVar(&noWait, "no-wait", false, "with --executor slurm: submit and return; see fabriclab status")
	return cmd
}

func (a *app) validateCommand() *cobra.Command {
	var s plan.Selection
	cmd := &cobra.Command{
		Use:   "validate EXPERIMENT…",
		Short: "check experiments and print their effective configuration, run nothing",
		Args:  cobra.MinimumNArgs(1), ValidArgsFunction: a.completeExperiments(false),
		RunE: func(cmd *cobra.Command, args []string) error {
			s.Computed = true
			all, err := plan.Load(cmd.Context(), a.Lab, args, s)
			if err != nil {
				return err
			}
			var names []string
			for _, e := range all {
				names = append(names, e.Name)
			}
			papers.Warn(a.Lab, names)
			for _, e := range all {
				if a.Set.JSON {
					for _, p := range e.Points {
						hash, err := p.Hash()
						if err != nil {
							return err
						}
						if err := a.Print(map[string]any{"experiment": e.Name, "point": p.String(), "scenario_hash": hash, "effective": p.Effective}); err != nil {
							return err
						}
					}
					continue
				}
				if err := plan.Show(a.Out, e, a.Set.Verbose); err != nil {
					return err
				}
				fmt.Fprintln(a.Out, "valid")
			}
			return nil
		},
	}
	a.selectionFlags(cmd, &s)
	return cmd
}

// report prints where the results are and why runs failed.
func (a *app) report(done []sweeps.Runs) error {
	if !a.Set.JSON {
		w := columns.New(a.Out)
		for _, d := range done {
			for _, r := range d.Results {
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
	return sweeps.Failures(done)
}
