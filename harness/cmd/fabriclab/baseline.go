package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"fabriclab/analysis/compare"
)

func (a *app) baselinesDir(given string) (string, error) {
	if given != "" {
		return given, nil
	}
	root, err := a.findRoot()
	if err != nil {
		return "", err
	}
	return filepath.Join(root, "ci", "baselines"), nil
}

func (a *app) baselineCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "baseline", Short: "results that later ones are compared with"}
	var dir string
	var seeds []uint64
	update := &cobra.Command{
		Use:   "update [EXPERIMENT…]",
		Short: "renew baselines from the checkout as it is, and say what changes",
		Long: `Runs the experiments (what has a valid result is not run again) and saves what their
deterministic measures came to. Without EXPERIMENT all baselines are renewed; an experiment that
has none yet gets one. Scale, seeds and engines stay as they are in the baseline, unless flags say
otherwise. What changes is printed, for the message of the commit.`,
		ValidArgsFunction: a.completeExperiments(false),
		RunE: func(cmd *cobra.Command, args []string) error {
			folder, err := a.baselinesDir(dir)
			if err != nil {
				return err
			}
			old, err := compare.LoadBaselines(folder)
			if err != nil {
				return err
			}
			todo, err := a.baselineTasks(args, old, seeds, folder)
			if err != nil {
				return err
			}
			done, err := a.runTasks(cmd.Context(), todo)
			if err != nil {
				return err
			}
			problems := []error{failures(done)}
			for _, d := range done {
				if failures([]finished{d}) == nil {
					problems = append(problems, a.updateBaseline(d, old, folder))
				}
			}
			return errors.Join(problems...)
		},
	}
	update.Flags().StringVar(&dir, "baselines", "", "folder of the baselines (default: ci/baselines in the checkout)")
	update.Flags().Var(&seedsValue{&seeds}, "seed", "seeds, instead of the baseline's or the experiment's")
	cmd.AddCommand(update)
	return cmd
}

// baselineTasks are the experiments to be run for their baselines.
func (a *app) baselineTasks(names []string, old []*compare.Baseline, seeds []uint64, folder string) ([]task, error) {
	if len(names) == 0 {
		for _, b := range old {
			names = append(names, b.Experiment)
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("there is no baseline in %s; name the experiments that get one", folder)
	}
	var todo []task
	for _, name := range names {
		t := task{experiment: name}
		if i := slices.IndexFunc(old, func(b *compare.Baseline) bool { return b.Experiment == name }); i >= 0 {
			t = tasks(old[i].Runs, old[i].Scale)[0]
		}
		if len(seeds) > 0 {
			t.seeds = seeds
		}
		if a.set.scale != "" {
			t.scale = a.set.scale
		}
		if len(a.set.engines) > 0 {
			t.engines = a.set.engines
		}
		todo = append(todo, t)
	}
	return todo, nil
}

// updateBaseline says what changes and saves the baseline.
func (a *app) updateBaseline(d finished, old []*compare.Baseline, folder string) error {
	runs, err := a.finishedRuns(d)
	if err != nil {
		return err
	}
	fresh := &compare.Baseline{Experiment: d.Name, Scale: d.Scale, Runs: runs}
	i := slices.IndexFunc(old, func(b *compare.Baseline) bool { return b.Experiment == d.Name })
	if i < 0 {
		fmt.Fprintf(a.out, "%s: a new baseline of %d runs\n\n", d.Name, len(runs))
		return fresh.Save(folder)
	}
	report, err := compare.Compare(compare.Set{Name: "the baseline", Runs: old[i].Runs}, compare.Set{Name: "the checkout", Runs: runs}, compare.DefaultRules())
	if err != nil {
		return err
	}
	if err := report.Text(a.out, false); err != nil {
		return err
	}
	fmt.Fprintln(a.out)
	return fresh.Save(folder)
}
