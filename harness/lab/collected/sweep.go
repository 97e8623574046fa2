// Package collected takes the runs of a sweep that are there: their measures, or
// one table of all.
package collected

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"fabriclab/analysis/collect"
	"fabriclab/analysis/measure"
	"fabriclab/analysis/series"
	"fabriclab/analysis/spec"
	"fabriclab/harness/experiment"
	"fabriclab/harness/lab"
	"fabriclab/harness/lab/plan"
	"fabriclab/harness/store"
)

// Taking says what is taken of a sweep that is not as run would leave it.
type Taking struct {
	Partial     bool // some runs are missing
	Failed      bool // some of which a check failed
	MixedBuilds bool // several builds made them
	DataClass   bool // with the class of each run's data packets, in collect.DataClass
}

// A taker says what a run is, and what is wanted of it. Points that differ in
// nothing but their labels have one run, whose manifest has the labels of the
// first; so they are given.
type taker func(dir string, m *store.Manifest, labels map[string]string, figure *spec.Figure, depth store.Depth) (collect.Run, error)

// Measure measures the runs of an experiment or of a results folder.
func Measure(ctx context.Context, lab *lab.Lab, name string, s plan.Selection, take Taking) ([]collect.Run, error) {
	return sweep(ctx, lab, name, s, take, MeasureRun)
}

func sweep(ctx context.Context, lab *lab.Lab, name string, s plan.Selection, take Taking, of taker) ([]collect.Run, error) {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		if len(s.Sets)+len(s.Readings)+len(s.Seeds) > 0 || lab.Set.Scale != "" {
			return nil, fmt.Errorf("%s is a folder of results, all of which are taken; --set, --reading, --seed and --scale choose among the runs of an experiment, which is named by its id or file", name)
		}
		return Folder(lab, name, take.Failed, of)
	}
	return experimentRuns(ctx, lab, name, s, take, of)
}

// Folder takes all runs below a folder, with those that have failed or without.
func Folder(lab *lab.Lab, dir string, withFailed bool, of taker) ([]collect.Run, error) {
	dirs, err := store.Runs(dir)
	if err == nil && withFailed {
		var failed []string
		failed, err = store.FailedRuns(dir)
		dirs = append(dirs, failed...)
	}
	if err != nil {
		return nil, err
	}
	return Take(lab, dirs, dir, nil, of)
}

// Take takes runs, which are in a folder. figures gives an experiment's figure
// section; nil stands for none.
func Take(lab *lab.Lab, dirs []string, dir string, figures func(experiment string) *spec.Figure, of taker) ([]collect.Run, error) {
	var runs []collect.Run
	made := madeBy{}
	known := map[string]*spec.Figure{}
	for _, d := range dirs {
		m, err := store.Read(d)
		if errors.Is(err, store.ErrNoRun) {
			m, err = store.ReadFailed(d)
		}
		if err != nil {
			return nil, err
		}
		if len(lab.Set.Engines) > 0 && !slices.Contains(lab.Set.Engines, m.Engine.Name) {
			continue
		}
		if _, asked := known[m.Experiment]; !asked && figures != nil {
			known[m.Experiment] = figures(m.Experiment)
		}
		run, err := of(d, m, m.Labels, known[m.Experiment], lab.Depth())
		if err != nil {
			return nil, err
		}
		run.Failed = m.Reason
		made.add(m)
		runs = append(runs, run)
	}
	if len(runs) == 0 {
		return nil, fmt.Errorf("%w in %s; give a folder below results/, or the id of an experiment", store.ErrNoRun, dir)
	}
	for _, of := range made.mixed() {
		fmt.Fprintf(lab.Err, "warning: %s\n", made.text(of))
	}
	slices.SortFunc(runs, collect.Compare)
	for i := 1; i < len(runs); i++ {
		if x, y := runs[i-1], runs[i]; x.Experiment == y.Experiment && x.Point() == y.Point() && x.Scenario != y.Scenario {
			fmt.Fprintf(lab.Err, "warning: %s %s is there with several scenarios (other scales, readings, --set, or an older experiment); the column scenario tells them apart, and the experiment's id instead of the folder chooses\n", y.Experiment, y.Point())
			break
		}
	}
	return runs, nil
}

// experimentRuns takes the runs of an experiment as it is now, under each reading that
// is asked for.
func experimentRuns(ctx context.Context, lab *lab.Lab, name string, s plan.Selection, take Taking, of taker) ([]collect.Run, error) {
	loaded, err := plan.Load(ctx, lab, []string{name}, s)
	if err != nil {
		return nil, err
	}
	dir, err := lab.ResultsDir()
	if err != nil {
		return nil, err
	}
	results := store.New(dir)
	made := madeBy{}
	counted := map[store.Key]bool{} // readings share runs
	var runs []collect.Run
	var missing, failed []string
	for _, e := range loaded {
		for r, err := range e.Each() {
			if err != nil {
				return nil, err
			}
			title := r.Title()
			if len(e.Reading) > 0 {
				title += " (reading " + plan.ReadingText(e.Reading) + ")"
			}
			dir, m, err := take.find(results, r.Key)
			switch {
			case errors.Is(err, errMissing):
				missing = append(missing, title)
				continue
			case errors.Is(err, errFailed):
				failed = append(failed, title+strings.TrimPrefix(err.Error(), errFailed.Error()))
				continue
			case err != nil:
				return nil, err
			}
			if !counted[r.Key] {
				counted[r.Key] = true
				made.add(m)
			}
			m.Scale, m.Reading, m.Sets = e.Scale, e.Reading, nil // all have the same sets
			run, err := of(dir, m, plan.LabelsOf(r.Point), e.Spec, lab.Depth())
			if err != nil {
				return nil, err
			}
			run.Failed = m.Reason
			runs = append(runs, run)
		}
	}
	e := loaded[0]
	if err := checkBuilds(ctx, lab, made, e.Name, take.MixedBuilds); err != nil {
		return nil, err
	}
	if len(missing)+len(failed) == 0 || take.Partial && len(runs) > 0 {
		for _, title := range missing {
			fmt.Fprintf(lab.Err, "warning: missing: %s\n", title)
		}
		for _, title := range failed {
			fmt.Fprintf(lab.Err, "warning: failed: %s\n", title)
		}
		return runs, nil
	}
	var problems []error
	if len(failed) > 0 {
		problems = append(problems, fmt.Errorf("runs of %s at scale %s have failed:\n  %s\ntake those of which a check failed with --failed, or the others with --partial",
			e.Name, e.Scale, few(failed)))
	}
	if len(missing) > 0 {
		problems = append(problems, fmt.Errorf("runs of %s at scale %s have no result in %s:\n  %s\nmake them with: fabriclab run %s; or take what there is with --partial",
			e.Name, e.Scale, dir, few(missing), strings.Join(append([]string{name}, s.Readings...), " --reading ")))
	}
	return nil, errors.Join(problems...)
}

var (
	errMissing = errors.New("missing")
	errFailed  = errors.New("failed")
)

// find is where a run of an experiment lies, and its manifest.
func (take Taking) find(results *store.Store, k store.Key) (dir string, m *store.Manifest, err error) {
	if m, err = results.Get(k); !errors.Is(err, store.ErrNoRun) {
		return results.Dir(k), m, err
	}
	dir = results.FailedDir(k)
	if _, gone := os.Stat(dir); gone != nil {
		return "", nil, errMissing
	}
	m, err = store.ReadFailed(dir)
	switch {
	case errors.Is(err, store.ErrNoRun):
		err = fmt.Errorf("%w (without complete tables)", errFailed)
	case err == nil && !take.Failed:
		err = errFailed
	}
	return dir, m, err
}

// few are the first of some titles.
func few(titles []string) string {
	const show = 5
	if more := len(titles) - show; more > 0 {
		titles = append(titles[:show:show], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(titles, "\n  ")
}

// MeasureRun verifies a run and measures it.
func MeasureRun(dir string, m *store.Manifest, labels map[string]string, figure *spec.Figure, depth store.Depth) (collect.Run, error) {
	run, err := verified(dir, m, labels, depth)
	if err != nil {
		return run, err
	}
	one := spec.Run{Dir: dir, Labels: labels, Engine: m.Engine.Name, Seed: m.Seed}
	if m.Steady != nil {
		one.Judged = series.Window{From: m.Steady.FromPs, To: m.Steady.ToPs}
	}
	run.Values, err = measure.All(one, figure)
	return run, err
}

func verified(dir string, m *store.Manifest, labels map[string]string, depth store.Depth) (collect.Run, error) {
	run := collect.Run{Experiment: m.Experiment, Scenario: m.ScenarioHash, Labels: sortedLabels(labels), Scale: m.Scale, Sets: sortedLabels(m.Sets), Engine: m.Engine.Name, Seed: m.Seed}
	if m.Scale != "" { // otherwise an earlier fabriclab made it, which kept neither
		run.Reading = readingOf(m.Reading)
	}
	if err := m.Verify(dir, depth); err != nil {
		return run, err
	}
	if _, has := m.Outputs[experiment.EffectiveFile]; !has {
		if _, has := m.Inputs[experiment.EffectiveFile]; !has {
			return run, nil
		}
	}
	settings, err := experiment.ReadEffective(dir)
	seen := map[string]bool{}
	for _, p := range settings {
		path := p.Component + "." + p.Param
		if seen[path] {
			path = p.Where() + " " + path // it stands in a second place
		}
		seen[path] = true
		run.Params = append(run.Params, collect.Label{Path: path, Value: p.Value})
	}
	return run, err
}

// readingOf is how a reading stands in a table.
func readingOf(chosen map[string]string) string {
	return cmp.Or(plan.ReadingText(chosen), collect.DefaultReading)
}

func sortedLabels(of map[string]string) []collect.Label {
	var labels []collect.Label
	for _, path := range slices.Sorted(maps.Keys(of)) {
		labels = append(labels, collect.Label{Path: path, Value: of[path]})
	}
	return labels
}
