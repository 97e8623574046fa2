package lab

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"fabriclab/analysis/collect"
	"fabriclab/analysis/measure"
	"fabriclab/analysis/spec"
	"fabriclab/harness/experiment"
	"fabriclab/harness/store"
)

// Taking says what is taken of a sweep that is not as run would leave it.
type Taking struct {
	Partial     bool // some runs are missing
	MixedBuilds bool // several builds made them
	DataClass   bool // with the class of each run's data packets, in collect.DataClass
}

// A taker says what a run is, and what is wanted of it. Points that differ in
// nothing but their labels have one run, whose manifest has the labels of the
// first; so they are given.
type taker func(dir string, m *store.Manifest, labels map[string]string, figure *spec.Figure) (collect.Run, error)

// Sweep measures the runs of an experiment or of a results folder.
func (lab *Lab) Sweep(ctx context.Context, name string, s Selection, take Taking) ([]collect.Run, error) {
	return lab.sweep(ctx, name, s, take, lab.measured)
}

func (lab *Lab) sweep(ctx context.Context, name string, s Selection, take Taking, of taker) ([]collect.Run, error) {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		if len(s.Sets) > 0 || len(s.Seeds) > 0 || lab.Set.Scale != "" {
			return nil, fmt.Errorf("%s is a folder of results, all of which are taken; --set, --seed and --scale choose among the runs of an experiment, which is named by its id or file", name)
		}
		return lab.folder(name, nil, of)
	}
	return lab.experimentRuns(ctx, name, s, take, of)
}

// folder takes all runs below a folder. figures gives an experiment's figure
// section; nil stands for none.
func (lab *Lab) folder(dir string, figures func(experiment string) *spec.Figure, of taker) ([]collect.Run, error) {
	dirs, err := store.Runs(dir)
	if err != nil {
		return nil, err
	}
	return lab.take(dirs, dir, figures, of)
}

// take takes runs, which are in a folder.
func (lab *Lab) take(dirs []string, dir string, figures func(experiment string) *spec.Figure, of taker) ([]collect.Run, error) {
	var runs []collect.Run
	made := madeBy{}
	known := map[string]*spec.Figure{}
	for _, d := range dirs {
		m, err := store.Read(d)
		if err != nil {
			return nil, err
		}
		if len(lab.Set.Engines) > 0 && !slices.Contains(lab.Set.Engines, m.Engine.Name) {
			continue
		}
		if _, asked := known[m.Experiment]; !asked && figures != nil {
			known[m.Experiment] = figures(m.Experiment)
		}
		run, err := of(d, m, m.Labels, known[m.Experiment])
		if err != nil {
			return nil, err
		}
		run.Sets = sortedLabels(m.Sets)
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
			fmt.Fprintf(lab.Err, "warning: %s %s is there with several scenarios (other scales, --set, or an older experiment); the column scenario tells them apart, and the experiment's id in place of the folder chooses\n", y.Experiment, y.Point())
			break
		}
	}
	return runs, nil
}

// experimentRuns takes the runs of an experiment as it is now.
func (lab *Lab) experimentRuns(ctx context.Context, name string, s Selection, take Taking, of taker) ([]collect.Run, error) {
	loaded, err := lab.Load(ctx, []string{name}, s)
	if err != nil {
		return nil, err
	}
	e := loaded[0]
	dir, err := lab.ResultsDir()
	if err != nil {
		return nil, err
	}
	results := store.New(dir)
	made := madeBy{}
	var runs []collect.Run
	var missing []string
	for _, point := range e.Points {
		hash, err := point.Hash()
		if err != nil {
			return nil, err
		}
		for _, engine := range point.Engines {
			for _, seed := range e.Seeds {
				key := store.Key{Experiment: e.Name, ScenarioHash: hash, Engine: engine, Seed: seed}
				m, err := results.Get(key)
				if errors.Is(err, store.ErrNoRun) {
					missing = append(missing, job(e, point, hash, engine, seed, nil).Title)
					continue
				}
				if err != nil {
					return nil, err
				}
				made.add(m)
				run, err := of(results.Dir(key), m, job(e, point, hash, engine, seed, nil).Labels, e.Spec)
				if err != nil {
					return nil, err
				}
				runs = append(runs, run)
			}
		}
	}
	if err := lab.checkBuilds(ctx, made, e.Name, take.MixedBuilds); err != nil {
		return nil, err
	}
	if len(missing) == 0 || take.Partial && len(runs) > 0 {
		for _, title := range missing {
			fmt.Fprintf(lab.Err, "warning: missing: %s\n", title)
		}
		return runs, nil
	}
	const show = 5
	if more := len(missing) - show; more > 0 {
		missing = append(missing[:show], fmt.Sprintf("and %d more", more))
	}
	return nil, fmt.Errorf("runs of %s at scale %s have no result in %s:\n  %s\nmake them with: fabriclab run %s; or take what there is with --partial",
		e.Name, e.Scale, dir, strings.Join(missing, "\n  "), name)
}

// measured verifies a run and measures it.
func (lab *Lab) measured(dir string, m *store.Manifest, labels map[string]string, figure *spec.Figure) (collect.Run, error) {
	run, err := lab.verified(dir, m, labels)
	if err != nil {
		return run, err
	}
	run.Values, err = measure.All(spec.Run{Dir: dir, Labels: labels, Engine: m.Engine.Name, Seed: m.Seed}, figure)
	return run, err
}

func (lab *Lab) verified(dir string, m *store.Manifest, labels map[string]string) (collect.Run, error) {
	run := collect.Run{Experiment: m.Experiment, Scenario: m.ScenarioHash, Labels: sortedLabels(labels), Engine: m.Engine.Name, Seed: m.Seed}
	if err := m.Verify(dir, lab.Depth()); err != nil {
		return run, err
	}
	if _, has := m.Outputs[experiment.EffectiveFile]; !has {
		if _, has := m.Inputs[experiment.EffectiveFile]; !has {
			return run, nil
		}
	}
	settings, err := effective(storedRun{dir: dir, manifest: m})
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

func sortedLabels(of map[string]string) []collect.Label {
	var labels []collect.Label
	for _, path := range slices.Sorted(maps.Keys(of)) {
		labels = append(labels, collect.Label{Path: path, Value: of[path]})
	}
	return labels
}
