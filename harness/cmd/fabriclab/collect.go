package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"fabriclab/analysis/collect"
	"fabriclab/analysis/metric"
	"fabriclab/analysis/sheet"
	"fabriclab/analysis/spec"
	"fabriclab/harness/store"
)

func (a *app) collectCommand() *cobra.Command {
	var s selection
	var take taking
	var to string
	var deterministic bool
	cmd := &cobra.Command{
		Use:   "collect SWEEP -o FILE",
		Short: "write the results of a sweep as one tidy table: a row for each run and metric",
		Long: `Measures every run of a sweep and writes one table, a row for each run and metric, with the
parameters as columns. SWEEP is an experiment (its runs at the scale and with the --set, --seed and
--engine it was run with), or a folder of results (every run in it).

The files of every run are compared with its manifest (--verify). Of an experiment's runs it is checked,
too, that each is the run in whose place it lies, and that one build made all runs of an engine; there is
a warning if that is not the checkout's. The runs of a folder say themselves what they are: it is not
checked whether they are those of an experiment as it is now, and several builds are a warning.`,
		Example: `  fabriclab collect fncc/fig10 -o sweep.parquet
  fabriclab collect results/fncc -o sweep.csv --deterministic`,
		Args: cobra.ExactArgs(1), ValidArgsFunction: a.completeExperiments(false),
		RunE: func(cmd *cobra.Command, args []string) error {
			if to != "" {
				if err := sheet.CheckName(to); err != nil {
					return err
				}
			}
			runs, err := a.sweep(cmd.Context(), args[0], s, take)
			if err != nil {
				return err
			}
			table := collect.Table(runs, !deterministic)
			if to == "" {
				return table.WriteCSV(a.out)
			}
			if err := table.WriteFile(to); err != nil {
				return err
			}
			fmt.Fprintf(a.err, "%s: %d rows, %d runs\n", to, len(table.Rows), len(runs))
			return nil
		},
	}
	s.flags(cmd)
	cmd.Flags().StringVarP(&to, "output", "o", "", "file to write: .parquet or .csv (default: CSV to standard output)")
	take.flags(cmd)
	cmd.Flags().BoolVar(&deterministic, "deterministic", false, "leave out wall time, CPU time and memory: the same runs then give the same bytes")
	return cmd
}

// taking says what is taken of a sweep that is not as run would leave it.
type taking struct {
	partial bool // some runs are missing
	mixed   bool // several builds made them
}

func (t *taking) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&t.partial, "partial", false, "take what there is where runs of the sweep are missing")
	cmd.Flags().BoolVar(&t.mixed, "mixed-builds", false, "take runs of an experiment that several builds have made")
}

// sweep measures the runs of an experiment or of a results folder.
func (a *app) sweep(ctx context.Context, name string, s selection, take taking) ([]collect.Run, error) {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		if len(s.sets) > 0 || len(s.seeds) > 0 || a.set.scale != "" {
			return nil, fmt.Errorf("%s is a folder of results, all of which are taken; --set, --seed and --scale choose among the runs of an experiment, which is named by its id or file", name)
		}
		return a.folder(name, nil)
	}
	return a.experimentRuns(ctx, name, s, take)
}

// folder measures all runs below a folder. figures gives an experiment's figure
// section; nil stands for none.
func (a *app) folder(dir string, figures func(experiment string) *spec.Figure) ([]collect.Run, error) {
	dirs, err := store.Runs(dir)
	if err != nil {
		return nil, err
	}
	var runs []collect.Run
	made := madeBy{}
	known := map[string]*spec.Figure{}
	for _, d := range dirs {
		m, err := store.Read(d)
		if err != nil {
			return nil, err
		}
		if len(a.set.engines) > 0 && !slices.Contains(a.set.engines, m.Engine.Name) {
			continue
		}
		if _, asked := known[m.Experiment]; !asked && figures != nil {
			known[m.Experiment] = figures(m.Experiment)
		}
		run, err := a.measured(d, m, m.Labels, known[m.Experiment])
		if err != nil {
			return nil, err
		}
		made.add(m)
		runs = append(runs, run)
	}
	if len(runs) == 0 {
		return nil, fmt.Errorf("%w in %s; give a folder below results/, or the id of an experiment", store.ErrNoRun, dir)
	}
	for _, of := range made.mixed() {
		fmt.Fprintf(a.err, "warning: %s\n", made.text(of))
	}
	slices.SortFunc(runs, collect.Compare)
	for i := 1; i < len(runs); i++ {
		if x, y := runs[i-1], runs[i]; x.Experiment == y.Experiment && x.Point() == y.Point() && x.Scenario != y.Scenario {
			fmt.Fprintf(a.err, "warning: %s %s is there with several scenarios (other scales, --set, or an older experiment); the column scenario tells them apart, and the experiment's id in place of the folder chooses\n", y.Experiment, y.Point())
			break
		}
	}
	return runs, nil
}

// experimentRuns measures the runs of an experiment as it is now.
func (a *app) experimentRuns(ctx context.Context, name string, s selection, take taking) ([]collect.Run, error) {
	c, err := a.catalog(ctx)
	if err != nil {
		return nil, err
	}
	e, err := a.loadOne(c, name, s)
	if err != nil {
		return nil, err
	}
	dir, err := a.resultsDir()
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
					missing = append(missing, job(e.Experiment, point, hash, engine, seed, nil).Title)
					continue
				}
				if err != nil {
					return nil, err
				}
				made.add(m)
				run, err := a.measured(results.Dir(key), m, job(e.Experiment, point, hash, engine, seed, nil).Labels, e.figure)
				if err != nil {
					return nil, err
				}
				runs = append(runs, run)
			}
		}
	}
	if err := a.checkBuilds(ctx, made, e.Name, take.mixed); err != nil {
		return nil, err
	}
	if len(missing) == 0 || take.partial && len(runs) > 0 {
		for _, title := range missing {
			fmt.Fprintf(a.err, "warning: missing: %s\n", title)
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

// measured verifies a run and measures it. Points that differ in nothing but
// their labels have one run, whose manifest has the labels of the first; so
// they are given.
func (a *app) measured(dir string, m *store.Manifest, labels map[string]string, figure *spec.Figure) (collect.Run, error) {
	if err := m.Verify(dir, a.depth()); err != nil {
		return collect.Run{}, err
	}
	run := collect.Run{Experiment: m.Experiment, Scenario: m.ScenarioHash, Labels: sortedLabels(labels), Engine: m.Engine.Name, Seed: m.Seed}
	var err error
	run.Values, err = metric.Take(spec.Run{Dir: dir, Labels: labels, Engine: m.Engine.Name, Seed: m.Seed}, figure)
	return run, err
}

func sortedLabels(of map[string]string) []collect.Label {
	var labels []collect.Label
	for _, path := range slices.Sorted(maps.Keys(of)) {
		labels = append(labels, collect.Label{Path: path, Value: of[path]})
	}
	return labels
}
