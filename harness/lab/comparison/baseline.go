package comparison

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"fabriclab/analysis/compare"
	"fabriclab/base/file"
	"fabriclab/base/units"
	"fabriclab/harness/lab"
	"fabriclab/harness/lab/sweeps"
)

// BaselinesDir is the folder of the baselines, by default the project's or the
// checkout's.
func BaselinesDir(lab *lab.Lab, given string) (string, error) {
	if given != "" {
		return given, nil
	}
	home, err := lab.Home()
	return filepath.Join(home, "ci", "baselines"), err
}

// regressionRules is the file that says what fails in a comparison with the
// baselines or a revision of the project or the checkout; "" if there is none.
func regressionRules(lab *lab.Lab) (string, error) {
	home, err := lab.Home()
	if err != nil {
		return "", err
	}
	if rules := filepath.Join(home, "ci", "regression.yaml"); file.Exists(rules) {
		return rules, nil
	}
	return "", nil
}

// WithoutBaseline are the experiments of the project that no baseline guards.
func WithoutBaseline(lab *lab.Lab, o Options) ([]string, error) {
	folder, err := BaselinesDir(lab, o.Baselines)
	if err != nil {
		return nil, err
	}
	names, err := lab.OwnExperiments()
	return slices.DeleteFunc(names, func(name string) bool { return file.Exists(compare.BaselineFile(folder, name)) }), err
}

// UpdateBaselines runs experiments and renews their baselines in a folder; dir
// is "" for the usual one. Without names it renews all that are there.
func UpdateBaselines(ctx context.Context, lab *lab.Lab, names []string, seeds []uint64, dir string) error {
	folder, err := BaselinesDir(lab, dir)
	if err != nil {
		return err
	}
	old, err := compare.LoadBaselines(folder)
	if err != nil {
		return err
	}
	todo, err := baselineTasks(lab, names, old, seeds, folder)
	if err != nil {
		return err
	}
	done, err := runTasks(ctx, lab, todo)
	if err != nil {
		return err
	}
	problems := []error{sweeps.Failures(done)}
	for _, d := range done {
		if sweeps.Failures([]sweeps.Runs{d}) == nil {
			problems = append(problems, updateBaseline(lab, d, old, folder))
		}
	}
	return errors.Join(problems...)
}

// baselineTasks are the experiments to be run for their baselines.
func baselineTasks(lab *lab.Lab, names []string, old []*compare.Baseline, seeds []uint64, folder string) ([]task, error) {
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
func updateBaseline(lab *lab.Lab, d sweeps.Runs, old []*compare.Baseline, folder string) error {
	runs, err := finishedRuns(lab, d)
	if err != nil {
		return err
	}
	fresh := &compare.Baseline{Experiment: d.Name, Scale: d.Scale, Runs: runs}
	if err := fresh.Save(folder); err != nil {
		return err
	}
	path := compare.BaselineFile(folder, d.Name)
	i := slices.IndexFunc(old, func(b *compare.Baseline) bool { return b.Experiment == d.Name })
	if i < 0 {
		fmt.Fprintf(lab.Out, "%s: a new baseline of %s in %s\n\n", d.Name, units.Count(len(runs), "run"), path)
		return nil
	}
	report, err := compare.Compare(compare.Set{Name: "the baseline", Runs: old[i].Runs}, compare.Set{Name: lab.HomeName(), Runs: runs}, compare.DefaultRules())
	if err != nil {
		return err
	}
	if err := report.Text(lab.Out, false); err != nil {
		return err
	}
	fmt.Fprintf(lab.Out, "%s: %s written to %s\n\n", d.Name, units.Count(len(runs), "run"), path)
	return nil
}
