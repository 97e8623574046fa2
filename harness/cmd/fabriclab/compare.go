package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"fabriclab/analysis/collect"
	"fabriclab/analysis/compare"
	"fabriclab/harness/file"
	"fabriclab/harness/store"
)

// errRegression is returned where results got worse.
var errRegression = errors.New("the comparison failed: what fails is in capitals in the report")

func (a *app) compareCommand() *cobra.Command {
	var o comparison
	cmd := &cobra.Command{
		Use:   "compare BASE [HEAD]",
		Short: "say what changed between two sets of results, exactly and by a test over seeds",
		Long: `Compares results metric by metric. BASE and HEAD are folders of results or saved baselines, or
with --rev revisions of the checkout, which are checked out, built and run. Without HEAD the
experiments of BASE are run with the checkout as it is (what has a valid result is not run again).

Exit status 1: something got worse beyond its threshold, or is missing. What "worse" is and what
else fails is set in YAML (--thresholds; docs/how-to/regression.md).`,
		Example: `  fabriclab compare ci/baselines --thresholds ci/regression.yaml
  fabriclab compare --rev main --experiment fncc/fig14 -o comment.md -o junit.xml
  fabriclab compare before/results after/results --all`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			asJSON := a.set.json
			a.set.json = false // progress goes to standard error, the report is the only JSON
			report, err := a.compareSides(cmd.Context(), args, o)
			if err != nil {
				return err
			}
			if err := writeReports(report, o.outputs, o.all); err != nil {
				return err
			}
			if asJSON {
				err = a.print(report)
			} else {
				err = report.Text(a.out, o.all)
			}
			if err == nil && report.Failed {
				err = errRegression
			}
			return err
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.rev, "rev", false, "BASE and HEAD are git revisions; without HEAD: the checkout as it is")
	f.StringArrayVar(&o.experiments, "experiment", nil, "compare this experiment only; may be repeated (default: all of BASE; with --rev those with a baseline)")
	f.Var(&seedsValue{&o.seeds}, "seed", "seeds to run, instead of the experiment's (with --rev)")
	f.StringVar(&o.thresholds, "thresholds", "", "YAML file that says what counts and what fails")
	f.StringVar(&o.baselines, "baselines", "", "folder of the baselines (default: ci/baselines in the checkout)")
	f.StringArrayVarP(&o.outputs, "output", "o", nil, "write the report to a file, too: .txt, .md (for a pull request), .xml (JUnit) or .json; may be repeated")
	f.BoolVar(&o.all, "all", false, "print metrics that did not change, too")
	return cmd
}

// comparison is what the flags of compare choose.
type comparison struct {
	rev, all              bool
	experiments, outputs  []string
	seeds                 []uint64
	thresholds, baselines string
}

func (a *app) compareSides(ctx context.Context, args []string, o comparison) (*compare.Report, error) {
	rules := compare.DefaultRules()
	var err error
	if o.thresholds != "" {
		if rules, err = compare.ReadRules(o.thresholds); err != nil {
			return nil, err
		}
	}
	for _, path := range o.outputs {
		if _, err := reportWriter(path); err != nil {
			return nil, err
		}
	}
	var base, head compare.Set
	if o.rev {
		base, head, err = a.revisions(ctx, args, o)
	} else {
		base, head, err = a.sides(ctx, args, o)
	}
	if err != nil {
		return nil, err
	}
	return compare.Compare(base, head, rules)
}

// sides reads BASE, and reads or runs HEAD.
func (a *app) sides(ctx context.Context, args []string, o comparison) (base, head compare.Set, err error) {
	if len(o.seeds) > 0 {
		return base, head, errors.New("--seed is for --rev; results are compared with the seeds they have")
	}
	base, todo, err := a.side(args[0])
	if err != nil {
		return base, head, err
	}
	if len(o.experiments) > 0 {
		todo = slices.DeleteFunc(todo, func(t task) bool { return !slices.Contains(o.experiments, t.experiment) })
		only(&base, o.experiments)
	}
	if len(base.Runs) == 0 {
		return base, head, fmt.Errorf("%s has no results of %s", base.Name, strings.Join(o.experiments, ", "))
	}
	if len(args) == 1 {
		head, err = a.present(ctx, todo)
		return base, head, err
	}
	if head, _, err = a.side(args[1]); err == nil && len(o.experiments) > 0 {
		only(&head, o.experiments)
	}
	return base, head, err
}

func only(s *compare.Set, experiments []string) {
	s.Runs = slices.DeleteFunc(s.Runs, func(r collect.Run) bool { return !slices.Contains(experiments, r.Experiment) })
}

// A task is what has to be run for one experiment to have the runs of another
// set.
type task struct {
	experiment, scale string
	seeds             []uint64 // nil: the experiment's
	engines           []string
}

// side reads results or baselines.
func (a *app) side(path string) (compare.Set, []task, error) {
	if _, err := os.Stat(path); err != nil {
		return compare.Set{}, nil, fmt.Errorf("%s: %w; give a folder of results or of baselines, or --rev with a git revision", path, err)
	}
	s := compare.Set{Name: path}
	if dirs, err := store.Runs(path); err == nil && len(dirs) > 0 {
		s.Runs, err = a.folder(path, nil)
		return s, tasks(s.Runs, a.set.scale), err
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

// tasks are what the runs were made by.
func tasks(runs []collect.Run, scale string) []task {
	var todo []task
	for _, r := range runs {
		i := slices.IndexFunc(todo, func(t task) bool { return t.experiment == r.Experiment })
		if i < 0 {
			i = len(todo)
			todo = append(todo, task{experiment: r.Experiment, scale: scale})
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

// present runs tasks with the checkout as it is; those that agree in scale,
// seeds and engines together. Runs that fail are told of and left out.
func (a *app) present(ctx context.Context, todo []task) (compare.Set, error) {
	s := compare.Set{Name: "the checkout"}
	done, err := a.runTasks(ctx, todo)
	if err != nil {
		return s, err
	}
	for _, d := range done {
		runs, err := a.finishedRuns(d)
		if err != nil {
			return s, err
		}
		s.Runs = append(s.Runs, runs...)
	}
	if err := failures(done); err != nil {
		fmt.Fprintln(a.err, err)
	}
	return s, nil
}

func (a *app) runTasks(ctx context.Context, todo []task) ([]finished, error) {
	saved := a.set
	defer func() { a.set = saved }()
	var done []finished
	for len(todo) > 0 {
		first := todo[0]
		var names []string
		var later []task
		for _, t := range todo {
			if t.scale == first.scale && slices.Equal(t.seeds, first.seeds) && slices.Equal(t.engines, first.engines) {
				names = append(names, t.experiment)
			} else {
				later = append(later, t)
			}
		}
		a.set.scale, a.set.engines = first.scale, first.engines
		some, err := a.runAll(ctx, names, selection{seeds: first.seeds})
		if err != nil {
			return nil, err
		}
		done, todo = append(done, some...), later
	}
	return done, nil
}

// finishedRuns measures the runs of an experiment that did not fail.
func (a *app) finishedRuns(d finished) ([]collect.Run, error) {
	var runs []collect.Run
	for _, r := range d.results {
		if r.Err != nil {
			continue
		}
		run, err := a.measured(r.Dir, r.Manifest, r.Job.Labels, d.figure)
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	slices.SortFunc(runs, collect.Compare)
	return runs, nil
}

// reportWriter is how a report is written to a file of this name.
func reportWriter(path string) (func(*compare.Report, io.Writer, bool) error, error) {
	switch filepath.Ext(path) {
	case ".txt":
		return (*compare.Report).Text, nil
	case ".md":
		return func(r *compare.Report, out io.Writer, _ bool) error { return r.Markdown(out) }, nil
	case ".xml":
		return func(r *compare.Report, out io.Writer, _ bool) error { return r.JUnit(out) }, nil
	case ".json":
		return func(r *compare.Report, out io.Writer, _ bool) error { return r.JSON(out) }, nil
	}
	return nil, fmt.Errorf("%s: a report is written as .txt, .md, .xml or .json; give the file one of these endings", path)
}

func writeReports(r *compare.Report, paths []string, all bool) error {
	for _, path := range paths {
		write, err := reportWriter(path)
		if err != nil {
			return err
		}
		var b strings.Builder
		if err := write(r, &b, all); err != nil {
			return fmt.Errorf("writing %s: %w", path, err)
		}
		if err := file.Write(path, []byte(b.String()), 0o644); err != nil {
			return fmt.Errorf("writing a report: %w", err)
		}
	}
	return nil
}
