package page

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"fabriclab/analysis/figure"
	"fabriclab/analysis/measure"
	"fabriclab/analysis/report"
	"fabriclab/analysis/spec"
	"fabriclab/base/catalog"
	"fabriclab/harness/experiment"
	"fabriclab/harness/progress"
	"fabriclab/harness/run"
	"fabriclab/harness/store"
)

// A storedRun is a run as a report finds it.
type storedRun struct {
	dir      string
	manifest *store.Manifest // nil if there is no result
	labels   map[string]string
	engine   string
	seed     uint64
	failure  string
}

// name is what tells a run from others but its seed.
func (r storedRun) name(dimensions []figure.Dimension) string {
	return figure.PointName(r.labels, dimensions)
}

func pageRuns(runs []storedRun, dimensions []figure.Dimension) []report.Run {
	var out []report.Run
	for _, r := range runs {
		one := report.Run{Name: r.name(dimensions), Engine: r.engine, Seed: r.seed, Error: r.failure}
		if r.manifest != nil {
			describeRun(&one, r)
		}
		out = append(out, one)
	}
	return out
}

func describeRun(one *report.Run, r storedRun) {
	m := r.manifest
	one.Dir, one.ScenarioHash, one.Warnings = r.dir, m.ScenarioHash, m.Warnings
	one.Made = m.Started.UTC().Format("2006-01-02")
	one.Tool = m.Tool.Name + " " + m.Tool.Version
	one.Build = m.Engine.BuiltBy()
	if s, err := run.ParseSummary(m); err == nil {
		one.Simulated = progress.SimTime(s.SimPS)
		one.Flows = fmt.Sprintf("%d of %d", s.Flows.Finished, s.Flows.Total)
	}
	var files []string
	for name, f := range m.Outputs {
		if f.Rows != nil && strings.HasSuffix(name, ".parquet") {
			files = append(files, name)
		}
	}
	slices.Sort(files)
	for _, name := range files {
		one.Tables = append(one.Tables, report.Table{File: name, Rows: *m.Outputs[name].Rows})
	}
}

// runMeasures are the numbers there are of every run (analysis/measure); those that
// no run has, or that only say how fast this machine is, are left out.
func runMeasures(runs []storedRun) []report.Measured {
	var columns []report.Measured
	for _, m := range measure.Standard() {
		if m.Volatile {
			continue
		}
		values := make([]float64, len(runs))
		for i := range values {
			values[i] = math.NaN()
		}
		columns = append(columns, report.Measured{Name: m.Name, Text: m.Help, Unit: m.Unit, Values: values})
	}
	has := map[string]bool{}
	for i, r := range runs {
		taken, err := measure.All(spec.Run{Dir: r.dir, Labels: r.labels, Engine: r.engine, Seed: r.seed}, nil)
		if err != nil {
			continue // its table of runs still has it
		}
		for _, v := range taken {
			at := slices.IndexFunc(columns, func(c report.Measured) bool { return c.Name == v.Measure.Name })
			if at >= 0 && v.Err == nil {
				columns[at].Values[i] = v.Value
				has[v.Measure.Name] = true
			}
		}
	}
	return slices.DeleteFunc(columns, func(c report.Measured) bool { return !has[c.Name] })
}

// parameters gathers the effective configurations of runs, in the order of their
// first occurrence.
func parameters(runs []storedRun, dimensions []figure.Dimension, described *catalog.Catalog) []report.Param {
	type key struct{ place, component, param, value, origin string }
	index := map[key]int{}
	var rows []report.Param
	var having [][]int // runs, by row
	var all []int
	for i, r := range runs {
		if r.manifest == nil {
			continue
		}
		settings, err := experiment.ReadEffective(r.dir)
		if err != nil {
			continue
		}
		all = append(all, i)
		for _, s := range settings {
			k := key{s.Where(), s.Component, s.Param, s.Value, s.Origin}
			at, known := index[k]
			if !known {
				at = len(rows)
				index[k] = at
				p := report.Param{Name: s.Component + "." + s.Param, Place: s.Where(), Value: s.Value, Origin: s.Origin, Default: s.Origin == "default"}
				describeParam(&p, s, described)
				rows, having = append(rows, p), append(having, nil)
			}
			having[at] = append(having[at], i)
		}
	}
	first := map[[2]string]int{} // values of the same parameter stand together
	for i := range rows {
		rows[i].Runs = whichRuns(runs, dimensions, having[i], all)
		if at := [2]string{rows[i].Place, rows[i].Name}; first[at] == 0 {
			first[at] = i + 1
		}
	}
	slices.SortStableFunc(rows, func(x, y report.Param) int {
		return first[[2]string{x.Place, x.Name}] - first[[2]string{y.Place, y.Name}]
	})
	return rows
}

func describeParam(p *report.Param, s experiment.Setting, described *catalog.Catalog) {
	if described == nil {
		return
	}
	c := described.Component(s.Component)
	if c == nil {
		return
	}
	for _, param := range c.Params {
		if param.Name != s.Param {
			continue
		}
		p.Help, p.Source = param.Help, param.Source
		if param.WithoutUnit() {
			p.Value += " " + param.Unit
		}
	}
}

// whichRuns names some of the runs: by the values of the one label that tells
// them from the rest, if one does.
func whichRuns(runs []storedRun, dimensions []figure.Dimension, some, all []int) string {
	if len(some) == len(all) {
		return "all"
	}
	var paths []string
	for _, i := range all {
		for path := range runs[i].labels {
			if !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		}
	}
	slices.Sort(paths)
	for _, path := range paths {
		var values []string
		for _, i := range some {
			if v := runs[i].labels[path]; !slices.Contains(values, v) {
				values = append(values, v)
			}
		}
		n := 0
		for _, i := range all {
			if slices.Contains(values, runs[i].labels[path]) {
				n++
			}
		}
		if n != len(some) {
			continue
		}
		name := path
		for _, d := range dimensions {
			if d.Path == path {
				name = d.Name
				for k, v := range values {
					values[k] = d.Shown(v)
				}
			}
		}
		return name + ": " + strings.Join(values, ", ")
	}
	return fmt.Sprintf("%d of %d", len(some), len(all))
}
