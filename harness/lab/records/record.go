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
// Without readings in the selection it is all of them.
func Write(ctx context.Context, lab *lab.Lab, names []string, s plan.Selection) ([]string, error) {
	s.Figure = true
	return writeEach(lab, names, func(_, name string) (*record.Record, error) { return recordOf(ctx, lab, name, s) })
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

// recordOf judges the runs of a figure under its readings.
func recordOf(ctx context.Context, lab *lab.Lab, name string, s plan.Selection) (*record.Record, error) {
	all, err := underReadings(ctx, lab, name, s)
	if err != nil {
		return nil, err
	}
	r := &record.Record{
		Figure: all[0].Name, Title: all[0].Title, Scale: all[0].Scale, Commit: lab.Tool.Version,
		Project: projectCommit(ctx, lab.Set.Project),
		Engines: map[string]string{}, Parts: map[string]string{}, Seeds: all[0].Seeds,
	}
	if r.Digests, _, err = digestsOf(lab, r.Figure); err != nil {
		return nil, err
	}
	for _, one := range all {
		judged, err := outcome(one, s)
		if err != nil {
			return nil, err
		}
		for _, result := range one.Results {
			r.Engines[result.Job.Key.Engine] = result.Manifest.Engine.EngineVersion
			maps.Copy(r.Parts, result.Manifest.Engine.Sources)
		}
		r.Outcomes = append(r.Outcomes, *judged)
	}
	return r, nil
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

// underReadings are the complete runs of an experiment under the default and the
// readings that are asked for, without any all of which the runs are there.
func underReadings(ctx context.Context, lab *lab.Lab, name string, s plan.Selection) ([]sweeps.Runs, error) {
	if len(s.Readings) == 0 {
		s.Readings = []string{plan.AllReadings}
		all, missing, err := runsOf(ctx, lab, name, s)
		if err != nil {
			return nil, err
		}
		if len(all) == 0 || len(all[0].Reading) > 0 { // the default is always there
			return nil, missingRuns(name, missing[:1])
		}
		for _, text := range missing {
			fmt.Fprintf(lab.Err, "%s: without a reading: %s\n", name, text)
		}
		return all, nil
	}
	if !slices.Contains(s.Readings, plan.AllReadings) { // the default is always there
		single := s
		var all []sweeps.Runs
		for _, readings := range append([][]string{nil}, one(s.Readings)...) {
			single.Readings = readings
			runs, err := complete(ctx, lab, name, single)
			if err != nil {
				return nil, err
			}
			all = append(all, runs...)
		}
		return onceEach(all), nil
	}
	return complete(ctx, lab, name, s)
}

// onceEach are the runs of each reading once: the default may be named, too.
func onceEach(all []sweeps.Runs) []sweeps.Runs {
	seen := map[string]bool{}
	return slices.DeleteFunc(all, func(r sweeps.Runs) bool {
		reading := plan.ReadingText(r.Reading)
		again := seen[reading]
		seen[reading] = true
		return again
	})
}

// one is each text alone.
func one(texts []string) (all [][]string) {
	for _, t := range texts {
		all = append(all, []string{t})
	}
	return all
}

// complete are the runs of an experiment, all of which have to be there.
func complete(ctx context.Context, lab *lab.Lab, name string, s plan.Selection) ([]sweeps.Runs, error) {
	all, missing, err := runsOf(ctx, lab, name, s)
	if err == nil && len(missing) > 0 {
		return nil, missingRuns(name, missing)
	}
	return all, err
}

func missingRuns(name string, missing []string) error {
	return fmt.Errorf("no record of %s, because runs are missing:\n%s", name, strings.Join(missing, "\n"))
}

// runsOf are the runs of an experiment under the readings of which they are all
// there, and what is missing of the others.
func runsOf(ctx context.Context, lab *lab.Lab, name string, s plan.Selection) (all []sweeps.Runs, missing []string, err error) {
	plans, err := plan.Of(ctx, lab, []string{name}, s)
	if err != nil {
		return nil, nil, err
	}
	opt, err := sweeps.Options(lab)
	if err != nil {
		return nil, nil, err
	}
	for _, p := range plans {
		runs := sweeps.Runs{Plan: p}
		lost := 0
		for _, j := range p.Jobs {
			m, err := found(opt, p, j)
			if err != nil {
				lost++
			}
			runs.Results = append(runs.Results, run.Result{Job: j, Dir: opt.Store.Dir(j.Key), Manifest: m, Cached: true, Err: err})
		}
		if lost > 0 {
			missing = append(missing, fmt.Sprintf("%d of %d runs of this build are missing%s at scale %s; make them with: %s", lost, len(p.Jobs), under(p.Reading), p.Scale, p.Command))
			continue
		}
		all = append(all, runs)
	}
	return all, missing, nil
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

// outcome judges the runs of one reading.
func outcome(r sweeps.Runs, s plan.Selection) (*record.Outcome, error) {
	in, err := figures.Input(r, s)
	if err != nil {
		return nil, err
	}
	judged, err := figure.Judge(in)
	if err != nil {
		return nil, err
	}
	o := &record.Outcome{Reading: in.Reading, Command: in.Command, Claims: []record.Claim{}, Points: points(r, in, judged.Lookup)}
	for _, c := range judged.Claims {
		o.Claims = append(o.Claims, record.ClaimOf(c))
	}
	return o, nil
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
		other := func(reading, value string) ([]spec.Run, claims.Lookup) {
			single := s
			single.Readings = []string{reading + "=" + value}
			runs, err := complete(ctx, lab, name, single)
			if err != nil { // the control says that there is no run for it
				return nil, judged.Lookup
			}
			under, err := figures.Input(runs[0], single)
			if err != nil {
				return nil, judged.Lookup
			}
			j, err := figure.Judge(under)
			if err != nil {
				return nil, judged.Lookup
			}
			return under.Runs, j.Lookup
		}
		if all[in.ID], err = claims.Controls(in.Figure, in.Runs, judged.Lookup, in.Scale, other); err != nil {
			return nil, err
		}
	}
	return all, nil
}
