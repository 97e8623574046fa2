// Package plan reads experiments with their figure sections and makes a job of
// every run: each point on each engine with each seed.
package plan

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fabriclab/analysis/figure"
	"fabriclab/analysis/spec"
	"fabriclab/base/catalog"
	"fabriclab/harness/computed"
	"fabriclab/harness/engine"
	"fabriclab/harness/engine/engines"
	"fabriclab/harness/experiment"
	"fabriclab/harness/lab"
	"fabriclab/harness/lab/oracle"
	"fabriclab/harness/progress"
	"fabriclab/harness/run"
	"fabriclab/harness/store"
	"fabriclab/harness/trace"
	"fabriclab/harness/workload"
)

// Selection is what the flags of run, figure and validate choose.
type Selection struct {
	Sets     []string // path=value
	Readings []string // NAME=VALUE, or all
	Seeds    []uint64
	Figure   bool // experiments have to have a figure
	// Width of a figure's pictures in inches, 0: as they come; Bare ones have no title.
	Width float64
	Bare  bool
	// Computed experiments will do where nothing is simulated.
	Computed bool
}

// Load reads experiments, given by file or id, and checks them, all before
// anything runs. The settings for engines and seeds are laid over theirs.
func Load(ctx context.Context, lab *lab.Lab, names []string, s Selection) ([]Experiment, error) {
	c, checks, err := lab.Model(ctx)
	if err != nil {
		return nil, err
	}
	var all []Experiment
	var problems []error
	for _, name := range names {
		l, err := loadAll(ctx, lab, c, checks, name, s)
		all, problems = append(all, l...), append(problems, err)
	}
	tellOnce(all)
	return all, errors.Join(errors.Join(problems...), checks.Close())
}

// tellOnce leaves a warning to the first of several experiments, as readings have most
// in common.
func tellOnce(all []Experiment) {
	told := map[string]bool{}
	for _, e := range all {
		if e.Experiment == nil { // refused
			continue
		}
		e.Warnings = slices.DeleteFunc(e.Warnings, func(w string) bool {
			seen := told[w]
			told[w] = true
			return seen
		})
	}
}

// LoadOne reads an experiment of which one network or flow list is wanted.
func LoadOne(ctx context.Context, lab *lab.Lab, name string, s Selection) (Experiment, error) {
	if slices.Contains(s.Readings, AllReadings) {
		return Experiment{}, fmt.Errorf("--reading %s: readings may differ in network and flows, and this is of one; choose one with --reading NAME=VALUE", AllReadings)
	}
	all, err := Load(ctx, lab, []string{name}, s)
	if err != nil {
		return Experiment{}, err
	}
	return all[0], nil
}

// Experiment is an experiment with its figure section, if it has one.
type Experiment struct {
	*experiment.Experiment
	Spec    *spec.Figure
	Command string   // makes its runs or figure again
	Why     error    // points run on another engine than the usual one; nil: none does
	Sets    []string // path=value, laid over the file
	// Reading is what the paper leaves open and is not taken as by default.
	Reading map[string]string
}

// loadAll reads an experiment under each reading that is asked for.
func loadAll(ctx context.Context, lab *lab.Lab, c *catalog.Catalog, checks experiment.Checks, name string, s Selection) ([]Experiment, error) {
	lists := experiment.FlowLists{}
	first, err := loadOne(ctx, lab, c, checks, name, s, nil, lists)
	if err != nil || len(s.Readings) == 0 {
		return []Experiment{first}, err
	}
	under, err := readings(s.Readings, first.Experiment)
	if err != nil {
		return nil, err
	}
	var all []Experiment
	for _, reading := range under {
		if len(reading) == 0 {
			all = append(all, first)
			continue
		}
		e, err := loadOne(ctx, lab, c, checks, name, s, reading, lists)
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	return all, nil
}

func loadOne(ctx context.Context, lab *lab.Lab, c *catalog.Catalog, checks experiment.Checks, name string, s Selection, reading map[string]string, lists experiment.FlowLists) (Experiment, error) {
	file, err := lab.ExperimentFile(name)
	if err != nil {
		return Experiment{}, err
	}
	opt, err := LoadOptions(lab, file, c)
	if err != nil {
		return Experiment{}, err
	}
	opt.Scale, opt.Sets, opt.Readings, opt.Context, opt.Tell = lab.Set.Scale, s.Sets, reading, ctx, lab.Tell
	usual, why := engines.Default()
	opt.Engine, opt.Checks, opt.Oracle, opt.FlowLists = usual.Name(), checks, oracle.Check, lists
	if why != nil {
		opt.InsteadOf = engines.All()[0].Title()
	}
	var section *spec.Figure
	opt.Figure = func(e *experiment.Experiment, broken bool) {
		section, _ = figure.Decode(e.Figure, known(e, c, broken, len(s.Sets) > 0)) // the section has told the experiment
		e.Warnings = append(e.Warnings, section.Warnings...)
	}
	e, err := experiment.Load(file, opt)
	if err != nil {
		return Experiment{}, err
	}
	if section == nil && s.Figure {
		return Experiment{}, fmt.Errorf("%s: %s has no figure section; run it with: fabriclab run %s", e.File, e.Name, e.Name)
	}
	if err := onlySimulated(e, s); err != nil {
		return Experiment{}, err
	}
	if len(s.Seeds) > 0 {
		e.Seeds = s.Seeds
	}
	if len(lab.Set.Engines) > 0 && !e.Computed() {
		if err := e.OnEngines(lab.Set.Engines); err != nil {
			return Experiment{}, err
		}
	}
	if err := e.CheckRuns(); err != nil {
		return Experiment{}, err
	}
	command, err := commandLine(lab, e, s, reading)
	loaded := Experiment{Experiment: e, Spec: section, Command: command, Sets: s.Sets, Reading: reading}
	if slices.ContainsFunc(e.Points, func(p *experiment.Point) bool { return p.InsteadOf != "" }) {
		loaded.Why = why
	}
	return loaded, err
}

// derived is all that is added to the tables of a point's run.
func derived(point *experiment.Point, tally *workload.Tally) []trace.Derived {
	all := always(point)
	if w, ok := point.LoadWindow(); ok {
		w.Counts = tally.OfLoad(point.Flows)
		all = append(all, trace.NewLoad(w))
	}
	return all
}

// always is what is added to the tables of every run.
func always(point *experiment.Point) []trace.Derived {
	return []trace.Derived{
		trace.IdealFCT(func(src, dst uint32, size uint64) (int64, bool) {
			ps, err := point.IdealFCT(src, dst, size)
			return ps, err == nil // an unlimited flow has none
		}),
	}
}

// storedTables are the tables that a run can have, as they are stored.
func storedTables(c *catalog.Catalog) spec.Tables {
	tables := spec.Tables{trace.LoadTable.Name: trace.Stored(trace.LoadTable)}
	for _, t := range c.Tables {
		tables[t.Name] = trace.Stored(t, always(nil)...)
	}
	for _, t := range experiment.OracleTables() {
		tables[t.Name] = trace.Stored(t)
	}
	for _, kind := range computed.Kinds() {
		for _, t := range kind.Tables {
			tables[t.Name] = trace.Stored(t)
		}
	}
	return tables
}

// LoadOptions say where what an experiment names is: in the nearest folder above
// it that has presets/, or is the configs/ of a project; then in the project's
// and the checkout's; then beside mechanisms of one's own.
func LoadOptions(lab *lab.Lab, file string, c *catalog.Catalog) (experiment.Options, error) {
	opt := experiment.Options{Catalog: c}
	full, err := filepath.Abs(file)
	if err != nil {
		return opt, err
	}
	dirs, err := lab.Configs()
	if err != nil {
		return opt, err
	}
	for dir := filepath.Dir(full); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if info, err := os.Stat(filepath.Join(dir, "presets")); slices.Contains(dirs, dir) || err == nil && info.IsDir() {
			opt.ConfigDir = dir
			break
		}
	}
	if !slices.Contains(dirs, opt.ConfigDir) {
		if opt.Home, err = lab.Home(); err != nil {
			return opt, err
		}
	}
	if opt.ConfigDir == "" {
		opt.ConfigDir = dirs[len(dirs)-1]
	}
	for _, dir := range dirs {
		if dir != opt.ConfigDir {
			opt.Further = append(opt.Further, dir)
		}
	}
	opt.Presets, err = lab.PresetFiles()
	return opt, err
}

// A Plan is what is to be run for an experiment.
type Plan struct {
	Experiment
	Jobs    []run.Job
	PointOf []*experiment.Point // by job
}

// Make makes the jobs of experiments: every point on every engine with every
// seed. The runners are built if they are stale.
func Make(ctx context.Context, lab *lab.Lab, all []Experiment) ([]Plan, error) {
	b, err := lab.Builder()
	if err != nil {
		return nil, err
	}
	if !lab.Set.JSON && lab.Compiles {
		fmt.Fprintf(lab.Err, "building what is stale (%s)\n", b.Dir())
	}
	programs := map[string]*engine.Program{}
	optima := oracle.NewShared()
	var plans []Plan
	told := false
	for _, e := range all {
		p := Plan{Experiment: e}
		if e.Why != nil && !told {
			told = true
			why, how, _ := strings.Cut(e.Why.Error(), "; ")
			fmt.Fprintf(lab.Err, "note: %s; running on %s, the engine that needs no simulator, in its place (for %s, %s)\n", why, engines.Everywhere().Name(), engines.All()[0].Title(), how)
		}
		for _, name := range e.Engines {
			if programs[name] != nil || name == experiment.ComputedEngine {
				continue
			}
			simulator, err := engines.ByName(name)
			if err != nil {
				return nil, err
			}
			if programs[name], err = b.Program(ctx, simulator); errors.Is(err, engine.ErrAbsent) {
				return nil, fmt.Errorf("%s runs on %s: %w\nwithout it: --engine %s, which needs no simulator", e.Name, simulator.Title(), err, engines.Everywhere().Name())
			}
			if err != nil {
				return nil, err
			}
			if adapter, has := simulator.(engine.Adapter); has {
				adapter.Adapt(programs[name], lab.Set.Options)
			}
		}
		for r, err := range e.Each() {
			if err != nil {
				return nil, err
			}
			j, err := e.Job(ctx, r, programs[r.Key.Engine], optima)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", e.File, err)
			}
			p.Jobs, p.PointOf = append(p.Jobs, j), append(p.PointOf, r.Point)
		}
		plans = append(plans, p)
	}
	return plans, nil
}

// Run is a run of an experiment.
type Run struct {
	Key   store.Key
	Point *experiment.Point
}

// Each goes over the runs of an experiment: every point on every engine that it runs on, with
// every seed.
func (e Experiment) Each() iter.Seq2[Run, error] {
	return func(yield func(Run, error) bool) {
		for _, point := range e.Points {
			hash, err := point.Hash()
			if err != nil {
				yield(Run{}, err)
				return
			}
			for _, name := range point.Engines {
				for _, seed := range e.Seeds {
					if !yield(Run{store.Key{Experiment: e.Name, ScenarioHash: hash, Engine: name, Seed: seed}, point}, nil) {
						return
					}
				}
			}
		}
	}
}

// Job makes a run, with all that is added to its tables.
func (e Experiment) Job(ctx context.Context, r Run, program *engine.Program, optima *oracle.Shared) (run.Job, error) {
	point := r.Point
	optimal, err := oracle.Derive(ctx, point, r.Key.Seed, optima)
	if err != nil {
		return run.Job{}, err
	}
	content, err := point.Content()
	return run.Job{
		Key: r.Key, Content: content, Title: r.Title(), Labels: LabelsOf(point), Scale: e.Scale, Reading: e.Reading, Sets: setsOf(e.Sets), Command: e.Command,
		Program: program.For(point.Uses), InsteadOf: point.InsteadOf, WindowEndPs: point.WindowEnd(), Threads: point.Threads,
		Prepare: func(dir string) (*workload.Tally, *trace.Names, error) {
			tally, err := point.WriteInputs(dir, r.Key.Seed)
			return tally, trace.NewNames(point.Scenario.Nodes, point.Scenario.Links), err
		},
		Derived: func(tally *workload.Tally, tell func(progress.Event)) []trace.Derived {
			return append(derived(point, tally), optimal(tell)...)
		},
	}, err
}

// Title names a run for people.
func (r Run) Title() string {
	return strings.Join(strings.Fields(fmt.Sprintf("%s %s %s seed %d", r.Key.Experiment, r.Point, r.Key.Engine, r.Key.Seed)), " ")
}

// LabelsOf are a point's, by path.
func LabelsOf(point *experiment.Point) map[string]string {
	all := map[string]string{}
	for _, l := range point.Labels {
		all[l.Path] = l.Value
	}
	return all
}

// setsOf are the values that --set gave, by path.
func setsOf(sets []string) map[string]string {
	values := map[string]string{}
	for _, set := range sets {
		path, value, _ := strings.Cut(set, "=")
		values[path] = value
	}
	return values
}

// onlySimulated refuses experiments that are computed where a simulation is
// needed.
func onlySimulated(e *experiment.Experiment, s Selection) error {
	if !e.Computed() || s.Computed || s.Figure {
		return nil
	}
	return fmt.Errorf("%s: %s is computed, not simulated; make it with: fabriclab figure %s", e.File, e.Name, strings.TrimSpace(e.Name))
}

// Of are the plans of experiments, given by file or id.
func Of(ctx context.Context, lab *lab.Lab, names []string, s Selection) ([]Plan, error) {
	experiments, err := Load(ctx, lab, names, s)
	if err != nil {
		return nil, err
	}
	return Make(ctx, lab, experiments)
}
