package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"fabriclab/analysis/spec"
	"fabriclab/harness/build"
	"fabriclab/harness/catalog"
	"fabriclab/harness/engine"
	"fabriclab/harness/engine/engines"
	"fabriclab/harness/engine/ns3"
	"fabriclab/harness/engine/omnet"
	"fabriclab/harness/experiment"
	"fabriclab/harness/run"
	"fabriclab/harness/store"
	"fabriclab/harness/workload"
)

// selection is what the flags of run, figure and validate choose.
type selection struct {
	sets   []string
	seeds  []uint64
	figure bool // experiments have to have a figure
	// computed experiments will do where nothing is simulated
	computed bool
}

// loadAll reads experiments and checks them, all before anything runs. The
// settings for engines and seeds are laid over theirs.
func (a *app) loadAll(c *catalog.Catalog, names []string, s selection) ([]loaded, error) {
	var all []loaded
	var problems []error
	for _, name := range names {
		l, err := a.loadOne(c, name, s)
		all, problems = append(all, l), append(problems, err)
	}
	return all, errors.Join(problems...)
}

// loaded is an experiment with its figure section, if it has one.
type loaded struct {
	*experiment.Experiment
	figure *spec.Figure
}

func (a *app) loadOne(c *catalog.Catalog, name string, s selection) (loaded, error) {
	file, err := a.experimentFile(name)
	if err != nil {
		return loaded{}, err
	}
	dir, err := a.configDir(file)
	if err != nil {
		return loaded{}, err
	}
	e, err := experiment.Load(file, experiment.Options{Catalog: c, Scale: a.set.scale, Sets: s.sets, ConfigDir: dir})
	if err != nil {
		return loaded{}, err
	}
	if err := onlySimulated(e, s); err != nil {
		return loaded{}, err
	}
	if len(s.seeds) > 0 {
		e.Seeds = s.seeds
	}
	if len(a.set.engines) > 0 && !e.Computed() {
		if err := e.OnEngines(a.set.engines); err != nil {
			return loaded{}, err
		}
	}
	f, err := decodeFigure(e, s)
	return loaded{e, f}, err
}

// configDir is where an experiment's presets are: in the nearest folder above
// it that has presets/, else in the checkout.
func (a *app) configDir(file string) (string, error) {
	full, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}
	for dir := filepath.Dir(full); ; dir = filepath.Dir(dir) {
		if info, err := os.Stat(filepath.Join(dir, "presets")); err == nil && info.IsDir() {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return a.configs()
		}
	}
}

// plan is what is to be run for an experiment.
type plan struct {
	loaded
	jobs   []run.Job
	points []*experiment.Point // of each job
}

// plans makes the jobs of experiments: every point on every engine with every
// seed. The runners are built if they are stale.
func (a *app) plans(ctx context.Context, b *build.Builder, all []loaded) ([]plan, error) {
	programs := map[string]*engine.Program{}
	var plans []plan
	for _, e := range all {
		p := plan{loaded: e}
		for _, name := range e.Engines {
			if programs[name] != nil || name == experiment.FluidEngine {
				continue
			}
			simulator, err := engines.ByName(name)
			if err != nil {
				return nil, err
			}
			if programs[name], err = b.Program(ctx, simulator); err != nil {
				return nil, err
			}
			if a.set.nsLog != "" && name == (ns3.Engine{}).Name() {
				programs[name].Env = append(programs[name].Env, "NS_LOG="+a.set.nsLog)
			}
			if a.set.omnetResults && name == (omnet.Engine{}).Name() {
				programs[name].Extra = []string{"--omnet-results", "omnet-results"}
			}
		}
		for _, point := range e.Points {
			hash, err := point.Hash()
			if err != nil {
				return nil, err
			}
			for _, name := range point.Engines {
				for _, seed := range e.Seeds {
					p.jobs = append(p.jobs, job(e.Experiment, point, hash, name, seed, programs[name]))
					p.points = append(p.points, point)
				}
			}
		}
		plans = append(plans, p)
	}
	return plans, nil
}

func job(e *experiment.Experiment, point *experiment.Point, hash, engineName string, seed uint64, program *engine.Program) run.Job {
	labels := map[string]string{}
	for _, l := range point.Labels {
		labels[l.Path] = l.Value
	}
	title := strings.Join(strings.Fields(fmt.Sprintf("%s %s %s seed %d", e.Name, point, engineName, seed)), " ")
	return run.Job{
		Key:   store.Key{Experiment: e.Name, ScenarioHash: hash, Engine: engineName, Seed: seed},
		Title: title, Labels: labels, Program: program, EndsWithFlows: point.Scenario.StopWhenFlowsFinish,
		Prepare: func(dir string) (*workload.Tally, error) { return point.WriteInputs(dir, seed) },
		IdealFCT: func(src, dst uint32, size uint64) (int64, bool) {
			ps, err := point.IdealFCT(src, dst, size)
			return ps, err == nil // an unlimited flow has none
		},
	}
}

// showPlan prints what is to be run and its effective configuration: what is
// not default, or all of it.
func showPlan(out io.Writer, e *experiment.Experiment, verbose bool) error {
	if err := showHead(out, e); err != nil {
		return err
	}
	if verbose {
		for _, point := range e.Points {
			fmt.Fprintf(out, "\neffective configuration of %s\n%s", pointName(point), point.Effective.Table())
		}
		return nil
	}
	fmt.Fprintln(out, "effective configuration where it is not default (all of it: --verbose, or effective.json beside each result)")
	w := tabwriter.NewWriter(out, 2, 0, 2, ' ', 0)
	fmt.Fprintln(w, "  place\tparameter\tvalue\torigin\tpoints")
	for _, row := range changed(e.Points) {
		s := row.setting
		fmt.Fprintf(w, "  %s\t%s.%s\t%s\t%s\t%s\n", s.Place, s.Component, s.Param, s.Value, s.Origin, where(row.points, e.Points))
	}
	return w.Flush()
}

// showHead says what an experiment is and how many runs it has.
func showHead(out io.Writer, e *experiment.Experiment) error {
	title := e.Name
	if e.Title != "" {
		title += ": " + e.Title
	}
	fmt.Fprintln(out, title)
	_, err := fmt.Fprintf(out, "scale %s, %d points, seeds %s, engines %s: %d runs\n", e.Scale, len(e.Points),
		seedRanges(e.Seeds), strings.Join(e.Engines, ", "), e.Runs())
	for _, w := range e.Warnings {
		fmt.Fprintf(out, "warning: %s\n", w)
	}
	return err
}

func pointName(p *experiment.Point) string {
	if len(p.Labels) == 0 {
		return "the only point"
	}
	return p.String()
}

// setting is a setting that is not default, and the points that have it.
type setting struct {
	setting experiment.Setting
	points  []*experiment.Point
}

// changed gathers the settings that are not default, equal ones together, in
// the order of their first occurrence.
func changed(points []*experiment.Point) []setting {
	type key struct{ place, component, param, value, origin string }
	index := map[key]int{}
	var rows []setting
	for _, p := range points {
		for _, s := range p.Effective {
			if s.Origin == "default" {
				continue
			}
			k := key{s.Place, s.Component, s.Param, s.Value, s.Origin}
			i, known := index[k]
			if !known {
				i = len(rows)
				index[k] = i
				rows = append(rows, setting{setting: s})
			}
			rows[i].points = append(rows[i].points, p)
		}
	}
	return rows
}

// where names some of the points: by the label that singles them out, if one
// does.
func where(some, all []*experiment.Point) string {
	switch {
	case len(some) == len(all):
		return "all"
	case len(some) == 1:
		return some[0].String()
	}
	for i, label := range some[0].Labels {
		has := func(points []*experiment.Point) (n int) {
			for _, p := range points {
				if i < len(p.Labels) && p.Labels[i] == label {
					n++
				}
			}
			return n
		}
		if has(some) == len(some) && has(all) == len(some) {
			return label.Name + "=" + label.Value
		}
	}
	return fmt.Sprintf("%d of %d", len(some), len(all))
}
