package lab

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"fabriclab/analysis/compare"
)

// baselinesDir is the folder of the baselines, by default the checkout's.
func (lab *Lab) baselinesDir(given string) (string, error) {
	if given != "" {
		return given, nil
	}
	root, err := lab.Root()
	if err != nil {
		return "", err
	}
	return filepath.Join(root, "ci", "baselines"), nil
}

// UpdateBaselines runs experiments and renews their baselines in a folder; dir
// is "" for the checkout's. Without names it renews all that are there.
func (lab *Lab) UpdateBaselines(ctx context.Context, names []string, seeds []uint64, dir string) error {
	folder, err := lab.baselinesDir(dir)
	if err != nil {
		return err
	}
	old, err := compare.LoadBaselines(folder)
	if err != nil {
		return err
	}
	todo, err := lab.baselineTasks(names, old, seeds, folder)
	if err != nil {
		return err
	}
	done, err := lab.runTasks(ctx, todo)
	if err != nil {
		return err
	}
	problems := []error{Failures(done)}
	for _, d := range done {
		if Failures([]Runs{d}) == nil {
			problems = append(problems, lab.updateBaseline(d, old, folder))
		}
	}
	return errors.Join(problems...)
}

// baselineTasks are the experiments to be run for their baselines.
func (lab *Lab) baselineTasks(names []string, old []*compare.Baseline, seeds []uint64, folder string) ([]task, error) {
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
		if lab.Set.Scale != "" {
			t.scale = lab.Set.Scale
		}
		if len(lab.Set.Engines) > 0 {
			t.engines = lab.Set.Engines
		}
		todo = append(todo, t)
	}
	return todo, nil
}

// updateBaseline says what changes and saves the baseline.
func (lab *Lab) updateBaseline(d Runs, old []*compare.Baseline, folder string) error {
	runs, err := lab.finishedRuns(d)
	if err != nil {
		return err
	}
	fresh := &compare.Baseline{Experiment: d.Name, Scale: d.Scale, Runs: runs}
	i := slices.IndexFunc(old, func(b *compare.Baseline) bool { return b.Experiment == d.Name })
	if i < 0 {
		fmt.Fprintf(lab.Out, "%s: a new baseline of %d runs\n\n", d.Name, len(runs))
		return fresh.Save(folder)
	}
	report, err := compare.Compare(compare.Set{Name: "the baseline", Runs: old[i].Runs}, compare.Set{Name: "the checkout", Runs: runs}, compare.DefaultRules())
	if err != nil {
		return err
	}
	if err := report.Text(lab.Out, false); err != nil {
		return err
	}
	fmt.Fprintln(lab.Out)
	return fresh.Save(folder)
}
