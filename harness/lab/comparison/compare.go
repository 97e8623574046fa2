// Package comparison compares results with other results, with baselines and
// with other revisions of the sources.
package comparison

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"fabriclab/analysis/collect"
	"fabriclab/analysis/compare"
	"fabriclab/harness/lab"
	"fabriclab/harness/lab/collected"
	"fabriclab/harness/lab/plan"
	"fabriclab/harness/lab/sweeps"
	"fabriclab/harness/store"
)

// Options are what the flags of compare choose.
type Options struct {
	// Rev: the sides are git revisions, of the project or the checkout; with
	// Fabriclab always of the checkout.
	Rev, Fabriclab        bool
	Experiments           []string
	Seeds                 []uint64
	Thresholds, Baselines string
}

// Compare compares two sets of results. Without arguments these are the baselines
// of the project or the checkout and it as it is, by its rules. These rules judge
// revisions, too.
func Compare(ctx context.Context, lab *lab.Lab, args []string, o Options) (*compare.Report, error) {
	rules := compare.DefaultRules()
	var err error
	usual := o.Rev
	switch {
	case len(args) > 0:
	case o.Rev:
		return nil, errors.New("--rev compares with a revision; name it, such as HEAD~1")
	default:
		dir, err := BaselinesDir(lab, o.Baselines)
		if err != nil {
			return nil, err
		}
		args, usual = []string{dir}, true
	}
	if usual && o.Thresholds == "" {
		if o.Thresholds, err = regressionRules(lab); err != nil {
			return nil, err
		}
	}
	if o.Thresholds != "" {
		if rules, err = compare.ReadRules(o.Thresholds); err != nil {
			return nil, err
		}
	}
	var base, head compare.Set
	if o.Rev {
		base, head, err = revisions(ctx, lab, args, o)
	} else {
		base, head, err = sides(ctx, lab, args, o)
	}
	if err != nil {
		return nil, err
	}
	return compare.Compare(base, head, rules)
}

// sides reads BASE, and reads or runs HEAD.
func sides(ctx context.Context, lab *lab.Lab, args []string, o Options) (base, head compare.Set, err error) {
	if len(o.Seeds) > 0 {
		return base, head, errors.New("--seed is for --rev; results are compared with the seeds they have")
	}
	base, todo, err := side(lab, args[0])
	if err != nil {
		return base, head, err
	}
	if len(o.Experiments) > 0 {
		todo = slices.DeleteFunc(todo, func(t task) bool { return !slices.Contains(o.Experiments, t.experiment) })
		only(&base, o.Experiments)
	}
	if len(base.Runs) == 0 {
		return base, head, fmt.Errorf("%s has no results of %s", base.Name, strings.Join(o.Experiments, ", "))
	}
	if len(args) == 1 {
		head, err = present(ctx, lab, todo)
		return base, head, err
	}
	if head, _, err = side(lab, args[1]); err == nil && len(o.Experiments) > 0 {
		only(&head, o.Experiments)
	}
	return base, head, err
}

func only(s *compare.Set, experiments []string) {
	s.Runs = slices.DeleteFunc(s.Runs, func(r collect.Run) bool { return !slices.Contains(experiments, r.Experiment) })
}

// A task is the runs of one experiment that have to be made, so that they can
// be compared with those of another set.
type task struct {
	experiment, scale string
	sets, readings    []string
	seeds             []uint64 // nil: the experiment's
	engines           []string
}

// like says whether tasks are made in one go: all but the experiment is the same.
func (t task) like(o task) bool {
	return t.under(o) && slices.Equal(t.seeds, o.seeds) && slices.Equal(t.engines, o.engines)
}

func (t task) under(o task) bool {
	return t.scale == o.scale && slices.Equal(t.sets, o.sets) && slices.Equal(t.readings, o.readings)
}

// side reads results or baselines.
func side(lab *lab.Lab, path string) (compare.Set, []task, error) {
	if _, err := os.Stat(path); err != nil {
		return compare.Set{}, nil, fmt.Errorf("%s: %w; give a folder of results or of baselines, or --rev with a git revision", path, err)
	}
	s := compare.Set{Name: path}
	if dirs, err := store.Runs(path); err == nil && len(dirs) > 0 {
		s.Runs, err = collected.Folder(lab, path, false, collected.MeasureRun)
		return s, tasks(s.Runs, lab.Set.Scale), err
	}
	baselines, err := compare.LoadBaselines(path)
	if err != nil {
		return s, nil, err
	}
	if len(baselines) == 0 {
		return s, nil, fmt.Errorf("%s has neither results (%s) nor baselines (.json); make a baseline with: fabriclab baseline update", path, store.ManifestFile)
	}
	var todo []task
	for _, b := range baselines {
		s.Runs = append(s.Runs, b.Runs...)
		todo = append(todo, tasks(b.Runs, b.Scale)...)
	}
	return s, todo, nil
}

// tasks are what the runs were made by; scale is that of runs which do not say theirs.
func tasks(runs []collect.Run, scale string) []task {
	var todo []task
	for _, r := range runs {
		is := task{experiment: r.Experiment, scale: cmp.Or(r.Scale, scale)}
		for _, s := range r.Sets {
			is.sets = append(is.sets, s.Path+"="+s.Value)
		}
		if r.Reading != "" && r.Reading != collect.DefaultReading {
			is.readings = strings.Split(r.Reading, ",")
		}
		i := slices.IndexFunc(todo, func(t task) bool { return t.experiment == r.Experiment && t.under(is) })
		if i < 0 {
			i = len(todo)
			todo = append(todo, is)
		}
		if t := &todo[i]; !slices.Contains(t.seeds, r.Seed) {
			t.seeds = append(t.seeds, r.Seed)
		}
		if t := &todo[i]; !slices.Contains(t.engines, r.Engine) {
			t.engines = append(t.engines, r.Engine)
		}
	}
	return todo
}

// present runs tasks with the checkout as it is, those together that differ in nothing
// but the experiment. Runs that fail are told of and left out.
func present(ctx context.Context, lab *lab.Lab, todo []task) (compare.Set, error) {
	s := compare.Set{Name: lab.HomeName()}
	done, err := runTasks(ctx, lab, todo)
	if err != nil {
		return s, err
	}
	made := map[string]bool{} // readings and --set may leave a point as it is
	for _, d := range done {
		runs, err := finishedRuns(lab, d)
		if err != nil {
			return s, err
		}
		for _, r := range runs {
			if is := fmt.Sprint(r.Experiment, r.Scenario, r.Engine, r.Seed, r.Point()); !made[is] {
				made[is] = true
				s.Runs = append(s.Runs, r)
			}
		}
	}
	if err := sweeps.Failures(done); err != nil {
		fmt.Fprintln(lab.Err, err)
	}
	return s, nil
}

func runTasks(ctx context.Context, lab *lab.Lab, todo []task) ([]sweeps.Runs, error) {
	saved := lab.Set
	defer func() { lab.Set = saved }()
	var done []sweeps.Runs
	for len(todo) > 0 {
		first := todo[0]
		var names []string
		var later []task
		for _, t := range todo {
			if t.like(first) {
				names = append(names, t.experiment)
			} else {
				later = append(later, t)
			}
		}
		lab.Set.Scale, lab.Set.Engines = first.scale, first.engines
		some, err := sweeps.Make(ctx, lab, names, plan.Selection{Sets: first.sets, Readings: first.readings, Seeds: first.seeds})
		if err != nil {
			return nil, err
		}
		done, todo = append(done, some...), later
	}
	return done, nil
}

// finishedRuns measures the runs of an experiment that did not fail.
func finishedRuns(lab *lab.Lab, d sweeps.Runs) ([]collect.Run, error) {
	var runs []collect.Run
	for _, r := range d.Results {
		if r.Err != nil {
			continue
		}
		m := *r.Manifest // which may have been made under others
		m.Scale, m.Reading, m.Sets = r.Job.Scale, r.Job.Reading, r.Job.Sets
		run, err := collected.MeasureRun(r.Dir, &m, r.Job.Labels, d.Spec, lab.Depth())
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	slices.SortFunc(runs, collect.Compare)
	return runs, nil
}
