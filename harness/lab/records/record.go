// Package records keeps what figures came to (docs/results), and says which of
// them are out of date.
package records

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os/exec"
	"slices"
	"strings"

	"fabriclab/analysis/claims"
	"fabriclab/analysis/figure"
	"fabriclab/analysis/record"
	"fabriclab/analysis/spec"
	"fabriclab/analysis/stats"
	"fabriclab/harness/lab"
	"fabriclab/harness/lab/figures"
	"fabriclab/harness/lab/plan"
	"fabriclab/harness/lab/sweeps"
	"fabriclab/harness/run"
	"fabriclab/harness/store"
)

// Write writes the records of figures from runs that are there; it makes none. One
// that cannot be written does not keep the others from it.
func Write(ctx context.Context, lab *lab.Lab, names []string) ([]string, error) {
	return writeEach(lab, names, func(dir, name string) (*record.Record, error) { return recordOf(ctx, lab, dir, name) })
}

// writeEach writes a record for each name of which there is one to write.
func writeEach(lab *lab.Lab, names []string, of func(dir, name string) (*record.Record, error)) ([]string, error) {
	dir, err := lab.RecordsDir()
	if err != nil {
		return nil, err
	}
	var paths []string
	var problems []error
	for _, name := range names {
		r, err := of(dir, name)
		if err != nil {
			problems = append(problems, err)
		}
		if err != nil || r == nil {
			continue
		}
		path, err := record.Write(dir, *r)
		if err != nil {
			return paths, err
		}
		paths = append(paths, path)
	}
	return paths, errors.Join(problems...)
}

// recordOf judges the runs of a figure under its readings. What the record before
// has of a reading without runs is kept, if that is what they would come to.
func recordOf(ctx context.Context, lab *lab.Lab, dir, name string) (*record.Record, error) {
	s := plan.Selection{Figure: true, Readings: []string{plan.AllReadings}}
	all, err := runsOf(ctx, lab, name, s)
	if err != nil {
		return nil, err
	}
	for _, one := range all {
		if err := freshSeeds(one.Spec.Claims, one.Seeds); err != nil {
			return nil, fmt.Errorf("%s%s: %w", name, under(one.Reading), err)
		}
	}
	before, err := stillValid(lab, dir, all[0])
	if err != nil {
		return nil, err
	}
	r := &record.Record{
		Figure: all[0].Name, Title: all[0].Title, Scale: all[0].Scale, Commit: lab.Tool.Version,
		Project: projectCommit(ctx, lab.Set.Project),
		Engines: before.Engines, Parts: before.Parts, Seeds: all[0].Seeds, Readings: plan.Declared(all[0].Experiment.Experiment),
	}
	if r.Digests, _, err = digestsOf(lab, r.Figure); err != nil {
		return nil, err
	}
	results, err := lab.ResultsDir()
	if err != nil {
		return nil, err
	}
	judged := 0
	for i, one := range all {
		if one.missing == "" {
			o, err := outcome(one.Runs, s, results)
			if err != nil {
				return nil, err
			}
			if !slices.Equal(one.Seeds, r.Seeds) {
				o.Seeds = one.Seeds
			}
			for _, result := range one.Results {
				r.Engines[result.Job.Key.Engine] = result.Manifest.Engine.EngineVersion
				maps.Copy(r.Parts, result.Manifest.Engine.Sources)
			}
			r.Outcomes = append(r.Outcomes, *o)
			judged++
			continue
		}
		kept, err := keep(before, one.Experiment)
		switch {
		case err != nil:
			return nil, err
		case kept != nil:
			r.Outcomes = append(r.Outcomes, *kept)
		case i == 0: // the default is always there
			return nil, missingRuns(name, one.missing)
		default:
			fmt.Fprintf(lab.Err, "%s: without a reading: %s\n", name, one.missing)
		}
	}
	switch {
	case judged > 0:
		return r, nil
	case slices.Equal(r.Readings, before.Readings):
		return nil, missingRuns(name, all[0].missing)
	}
	before.Readings, before.Outcomes = r.Readings, r.Outcomes // what was declared since has no runs
	return before, nil
}

// freshSeeds refuses seeds that judged a claim of the figure that another has taken the
// place of: whoever wrote the other one had seen what they come to.
func freshSeeds(list []spec.Claim, seeds []uint64) error {
	for _, c := range list {
		if c.Superseded == nil || c.Superseded.By == "" {
			continue
		}
		for _, seed := range seeds {
			if slices.Contains(c.Superseded.Seeds, seed) {
				return fmt.Errorf("seed %d has judged claim %s, which %s takes the place of: give the scale other seeds than those of superseded claims", seed, c.ID, c.Superseded.By)
			}
		}
	}
	return nil
}

// projectCommit is the commit of a project, "" without a project or a repository.
// Records and results are no changes: writing one would be the next one's.
func projectCommit(ctx context.Context, project string) string {
	git := func(args ...string) string {
		out, err := exec.CommandContext(ctx, "git", append([]string{"-C", project}, args...)...).Output()
		if err != nil {
			return ""
		}
		return strings.TrimSpace(string(out))
	}
	if project == "" {
		return ""
	}
	commit := git("rev-parse", "--short=12", "HEAD")
	if commit != "" && git("status", "--porcelain", "--", ".", ":(exclude)docs/results", ":(exclude)results") != "" {
		commit += " with changes"
	}
	return commit
}

// complete are the runs of an experiment, all of which have to be there.
func complete(ctx context.Context, lab *lab.Lab, name string, s plan.Selection) ([]sweeps.Runs, error) {
	all, err := runsOf(ctx, lab, name, s)
	if err != nil {
		return nil, err
	}
	var runs []sweeps.Runs
	var missing []string
	for _, one := range all {
		runs = append(runs, one.Runs)
		if one.missing != "" {
			missing = append(missing, one.missing)
		}
	}
	if len(missing) > 0 {
		return nil, missingRuns(name, missing...)
	}
	return runs, nil
}

func missingRuns(name string, missing ...string) error {
	return fmt.Errorf("no record of %s, because runs are missing:\n%s", name, strings.Join(missing, "\n"))
}

// The runs of a reading, and what is missing of them, "" if nothing is.
type runsUnder struct {
	sweeps.Runs
	missing string
}

// runsOf are the runs of an experiment under each reading.
func runsOf(ctx context.Context, lab *lab.Lab, name string, s plan.Selection) ([]runsUnder, error) {
	plans, err := plan.Of(ctx, lab, []string{name}, s)
	if err != nil {
		return nil, err
	}
	opt, err := sweeps.Options(lab)
	if err != nil {
		return nil, err
	}
	var all []runsUnder
	for _, p := range plans {
		runs := runsUnder{Runs: sweeps.Runs{Plan: p}}
		lost := 0
		for _, j := range p.Jobs {
			m, err := found(opt, p, j)
			if err != nil {
				lost++
			}
			runs.Results = append(runs.Results, run.Result{Job: j, Dir: opt.Store.Dir(j.Key), Manifest: m, Cached: true, Err: err})
		}
		if lost > 0 {
			runs.missing = fmt.Sprintf("%d of %d runs of this build are missing%s at scale %s; make them with: %s", lost, len(p.Jobs), under(p.Reading), p.Scale, p.Command)
		}
		all = append(all, runs)
	}
	return all, nil
}

// found is the manifest of a valid result. What is computed has no program.
func found(opt run.Options, p plan.Plan, j run.Job) (*store.Manifest, error) {
	if p.Computed() {
		return opt.Store.Get(j.Key)
	}
	return opt.Store.Find(j.Key, j.Program.BuildID, opt.Verify)
}

func under(reading map[string]string) string {
	if len(reading) == 0 {
		return ""
	}
	return " under " + plan.ReadingText(reading)
}

// relative are the words about a run without where this machine has its results.
func relative(text, results string) string { return strings.ReplaceAll(text, results+"/", "") }

// outcome judges the runs of one reading, which are in a folder of results.
func outcome(r sweeps.Runs, s plan.Selection, results string) (*record.Outcome, error) {
	in, err := figures.Input(r, s)
	if err != nil {
		return nil, err
	}
	judged, err := figure.Judge(in)
	if err != nil {
		return nil, err
	}
	rules, err := r.Spec.Judging()
	if err != nil {
		return nil, err
	}
	controls, err := r.Spec.Controls()
	if err != nil {
		return nil, err
	}
	o := &record.Outcome{Reading: in.Reading, Command: in.Command, Judged: rules, Controls: controls, Claims: []record.Claim{}, Points: points(r, in, judged.Lookup)}
	for _, c := range judged.Claims {
		of := record.ClaimOf(c)
		of.Why = relative(of.Why, results)
		o.Claims = append(o.Claims, of)
	}
	return o, nil
}

// elsewhere has the runs of a figure under other readings.
func elsewhere(ctx context.Context, lab *lab.Lab, name string, s plan.Selection) claims.Elsewhere {
	return func(reading, value string) ([]spec.Run, claims.Lookup, error) {
		single := s
		single.Readings = []string{reading + "=" + value}
		runs, err := complete(ctx, lab, name, single)
		if err != nil {
			return nil, nil, err
		}
		in, err := figures.Input(runs[0], single)
		if err != nil {
			return nil, nil, err
		}
		judged, err := figure.Judge(in)
		if err != nil {
			return nil, nil, err
		}
		return in.Runs, judged.Lookup, nil
	}
}

// points are the points of the matrix on each engine, with the means of their
// measures over the seeds.
func points(r sweeps.Runs, in figure.Input, lookup claims.Lookup) []record.Point {
	of := map[string][]int{} // results by scenario and engine
	var order []string
	for i, result := range r.Results {
		key := result.Job.Key.ScenarioHash + "/" + result.Job.Key.Engine + "/" + fmt.Sprint(result.Job.Labels)
		if of[key] == nil {
			order = append(order, key)
		}
		of[key] = append(of[key], i)
	}
	all := []record.Point{}
	for _, key := range order {
		first := r.Results[of[key][0]].Job
		p := record.Point{Labels: first.Labels, Engine: first.Key.Engine, Scenario: first.Key.ScenarioHash, Measures: map[string][2]any{}}
		for _, name := range in.Figure.Measures.Names {
			p.Measures[name] = meanOf(name, of[key], lookup)
		}
		all = append(all, p)
	}
	return all
}

// meanOf is a measure's mean over the runs of a point, and half the width of its
// confidence interval, nil where there is none.
func meanOf(name string, runs []int, lookup claims.Lookup) [2]any {
	var values []float64
	for _, i := range runs {
		v, err := lookup(name, i)
		if err != nil {
			return [2]any{nil, nil}
		}
		values = append(values, v)
	}
	mean, half := stats.Mean95(values)
	if math.IsNaN(half) || math.IsInf(half, 0) {
		return [2]any{claims.JSONNumber(mean), nil}
	}
	return [2]any{claims.JSONNumber(mean), claims.JSONNumber(half)}
}

// Controls judges the claims of figures under their controls, on the runs that are
// there.
func Controls(ctx context.Context, lab *lab.Lab, names []string, s plan.Selection) (map[string][]claims.ControlResult, error) {
	s.Figure = true
	all := map[string][]claims.ControlResult{}
	for _, name := range names {
		runs, err := complete(ctx, lab, name, s)
		if err != nil {
			return nil, err
		}
		in, err := figures.Input(runs[0], s)
		if err != nil {
			return nil, err
		}
		judged, err := figure.Judge(in)
		if err != nil {
			return nil, err
		}
		if all[in.ID], err = claims.Controls(in.Figure, in.Runs, judged.Lookup, in.Scale, elsewhere(ctx, lab, name, s)); err != nil {
			return nil, err
		}
	}
	return all, nil
}
