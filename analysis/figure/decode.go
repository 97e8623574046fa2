// Package figure evaluates the `figure:` section of an experiment
// (docs/claims.md): it measures the runs, judges the claims, draws the plots
// and writes all of it into one directory.
package figure

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"fabriclab/analysis/claims"
	"fabriclab/analysis/fct"
	"fabriclab/analysis/measure"
	"fabriclab/analysis/spec"
	"fabriclab/base/catalog"
)

// Decode reads and checks a figure section. Errors name file. matrix has the
// values of each matrix path; with nil, dimensions are not checked against it,
// since a flag may have narrowed the matrix. tables are those that the runs can
// have; with nil, measures and series are not checked against them.
func Decode(file string, node *yaml.Node, matrix claims.Matrix, tables spec.Tables) (*spec.Figure, error) {
	f, err := spec.Decode(file, node)
	if err != nil {
		return nil, err
	}
	f.Tables = tables
	for _, name := range f.Dimensions.Names {
		d := f.Dimensions.Items[name]
		if err := checkDimension(d, matrix); err != nil {
			return nil, spec.At(file, d.Line, fmt.Errorf("dimension %s: %w", name, err))
		}
	}
	for _, name := range f.Measures.Names {
		m := f.Measures.Items[name]
		err := checkName(name)
		if err == nil {
			err = measure.Check(f, m)
		}
		if err != nil {
			return nil, spec.At(file, m.Line, fmt.Errorf("measure %s: %w", name, err))
		}
	}
	seen := map[string]bool{}
	for _, c := range f.Claims {
		err := claims.Check(f, c, matrix)
		if err == nil && seen[c.ID] {
			err = fmt.Errorf("another claim has this id")
		}
		seen[c.ID] = true
		if err != nil {
			return nil, spec.At(file, c.Line, fmt.Errorf("claim %s: %w", c.ID, err))
		}
	}
	seen = map[string]bool{"measures": true, "claims": true, "summary": true, "figure": true} // the other files
	for _, p := range f.Plots {
		err := checkPlot(f, p, matrix)
		if err == nil && seen[p.ID] {
			err = fmt.Errorf("another plot or file has this id")
		}
		seen[p.ID] = true
		if err != nil {
			return nil, spec.At(file, p.Line, fmt.Errorf("plot %s: %w", p.ID, err))
		}
	}
	return f, nil
}

var (
	identifier = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	fileName   = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*$`)
)

func checkName(name string) error {
	if !identifier.MatchString(name) || name == "never" {
		return fmt.Errorf("a measure's name is used in expressions: write letters a-z, digits and _, such as queue_peak")
	}
	return nil
}

func checkDimension(d spec.Dimension, matrix claims.Matrix) error {
	if d.Path == "" {
		return fmt.Errorf("it needs path, a path of the matrix")
	}
	if matrix == nil {
		return nil
	}
	values, ok := matrix[d.Path]
	if !ok {
		known := make([]string, 0, len(matrix))
		for path := range matrix {
			known = append(known, path)
		}
		return fmt.Errorf("the matrix has no %q%s", d.Path, catalog.Hint(d.Path, known))
	}
	for value := range d.Names {
		if !slices.Contains(values, value) {
			return fmt.Errorf("names: the matrix has no value %q%s", value, catalog.Hint(value, values))
		}
	}
	return nil
}

// Kinds of plots.
const (
	kindTime  = "time"
	kindBars  = "bars"
	kindSweep = "sweep"
	kindFCT   = "fct"
	kindCDF   = "cdf"
	kindBox   = "box"
)

var plotKinds = []string{kindTime, kindBars, kindSweep, kindFCT, kindCDF, kindBox}

func checkPlot(f *spec.Figure, p spec.Plot, matrix claims.Matrix) error {
	if !fileName.MatchString(p.ID) {
		return fmt.Errorf("the id becomes a file name: write letters a-z, digits, - and _")
	}
	if !slices.Contains(plotKinds, p.Kind) {
		return fmt.Errorf("unknown kind of plot %q%s", p.Kind, catalog.Hint(p.Kind, plotKinds))
	}
	if err := claims.CheckPlace(f, matrix, p.Where, p.Rows, p.Columns, p.Lines, p.X); err != nil {
		return err
	}
	for _, m := range p.Marks {
		if (m.X == nil) == (m.Y == nil) || m.X != nil && p.Kind != kindTime {
			return fmt.Errorf("a mark has either y or, in a time plot, x")
		}
		for d := range m.Where {
			if d == "" || d != p.Rows && d != p.Columns {
				return fmt.Errorf("a mark is for some values of %q, which is neither rows nor columns", d)
			}
		}
	}
	if p.LogX && p.Kind != kindTime && p.Kind != kindSweep && p.Kind != kindCDF {
		return fmt.Errorf("log_x belongs to time, sweep and cdf; names stand along the x axis of %s", p.Kind)
	}
	switch p.Kind {
	case kindFCT:
		return checkFCT(p, matrix[f.Dimensions.Items[p.Lines].Path])
	case kindCDF:
		return checkCDF(f, p)
	case kindBox:
		return checkBox(f, p)
	}
	if p.Measures != nil && p.Kind != kindSweep {
		return fmt.Errorf("measures belongs to cdf and sweep; %s takes one measure", p.Kind)
	}
	if p.Stats != nil || p.Edges != nil || p.Bins != 0 || p.Baseline != "" || p.MinSize != 0 || p.MaxSize != 0 || p.Log {
		return fmt.Errorf("stats, edges, bins, baseline, min_size, max_size and log belong to fct and cdf; write log_x or log_y")
	}
	if p.Kind == kindTime {
		return checkTime(f, p)
	}
	switch {
	case len(p.Series) > 0 || p.Window != nil || p.Unit != "":
		return fmt.Errorf("series, window and unit belong to time plots")
	case p.X == "":
		return fmt.Errorf("%s needs x, the dimension along the axis", p.Kind)
	case p.Kind == kindBars && p.Lines != "":
		return fmt.Errorf("bars does not take lines; use rows and columns")
	}
	return checkSweep(f, p)
}

func checkSweep(f *spec.Figure, p spec.Plot) error {
	switch {
	case p.Measure != "" && p.Measures != nil:
		return fmt.Errorf("measure and measures exclude each other")
	case p.Measures != nil && len(p.Measures) == 0:
		return fmt.Errorf("measures is empty")
	}
	names := shownMeasures(p)
	for _, name := range names {
		m, err := f.Measures.Get("measure", name)
		if err != nil {
			return err
		}
		if first := f.Measures.Items[names[0]]; m.Unit != first.Unit {
			return fmt.Errorf("%s is in %s, %s in %s; the measures of a sweep have one unit", names[0], first.Unit, name, m.Unit)
		}
	}
	return nil
}

// shownMeasures are the names of the measures that a plot shows.
func shownMeasures(p spec.Plot) []string {
	if p.Measures != nil {
		return p.Measures
	}
	return []string{p.Measure}
}

func checkTime(f *spec.Figure, p spec.Plot) error {
	if p.X != "" || p.Measure != "" {
		return fmt.Errorf("x and measure belong to bars and sweep")
	}
	if _, err := measure.Scale(measure.Time, p.Unit); err != nil {
		return fmt.Errorf("unit: %w", err)
	}
	if p.Window != nil {
		if _, err := f.Span(*p.Window); err != nil {
			return err
		}
	}
	if len(p.Series) == 0 {
		return fmt.Errorf("a time plot needs series")
	}
	for i, s := range p.Series {
		if err := measure.CheckSeries(f, s); err != nil {
			return fmt.Errorf("series %d: %w", i+1, err)
		}
		if s.Unit != p.Series[0].Unit {
			return fmt.Errorf("series %d is in %s, the first in %s; a plot has one unit", i+1, s.Unit, p.Series[0].Unit)
		}
		if len(p.Series) > 1 && s.Name == "" {
			return fmt.Errorf("series %d needs a name", i+1)
		}
	}
	return nil
}

func checkCDF(f *spec.Figure, p spec.Plot) error {
	switch {
	case p.X != "" || len(p.Series) > 0 || p.Window != nil || p.Unit != "":
		return fmt.Errorf("x, series, window and unit belong to other kinds of plots")
	case p.Stats != nil || p.Edges != nil || p.Bins != 0 || p.Baseline != "":
		return fmt.Errorf("stats, edges, bins and baseline belong to fct")
	case p.MaxSize != 0 && p.MaxSize <= p.MinSize:
		return fmt.Errorf("max_size is not above min_size")
	case p.Measure != "" && p.Measures != nil:
		return fmt.Errorf("measure and measures exclude each other")
	case p.Measures != nil && len(p.Measures) == 0:
		return fmt.Errorf("measures is empty")
	case p.Measure == "" && p.Measures == nil:
		return nil
	case p.MinSize != 0 || p.MaxSize != 0:
		return fmt.Errorf("min_size and max_size are the measure's own where there is one")
	}
	names := p.Measures
	if p.Measure != "" {
		names = []string{p.Measure}
	}
	var first spec.Measure
	for i, name := range names {
		m, err := f.Measures.Get("measure", name)
		if err != nil {
			return err
		}
		if i == 0 {
			first = m
		}
		switch {
		case !measure.Spreads(m.Kind):
			return fmt.Errorf("%s is one value, without a distribution; a cdf takes measures of the kinds %s", m.Kind, strings.Join(measure.Spreading(), ", "))
		case m.Kind != first.Kind || m.Unit != first.Unit:
			return fmt.Errorf("%s is a %s in %s, %s a %s in %s; the measures of a cdf are of one kind and unit", names[0], first.Kind, first.Unit, name, m.Kind, m.Unit)
		}
	}
	return nil
}

func checkBox(f *spec.Figure, p spec.Plot) error {
	switch {
	case p.X != "" || p.Measures != nil || len(p.Series) > 0 || p.Window != nil || p.Unit != "":
		return fmt.Errorf("x, measures, series, window and unit belong to other kinds of plots")
	case p.Stats != nil || p.Bins != 0 || p.Baseline != "" || p.MinSize != 0 || p.MaxSize != 0 || p.Log:
		return fmt.Errorf("stats, bins, baseline, min_size, max_size and log belong to fct and cdf")
	case len(p.Edges) < 2:
		return fmt.Errorf("box needs edges, the sizes between which flows make a box, such as [1B, 10KB, 1MB]")
	}
	m, err := f.Measures.Get("measure", p.Measure)
	switch {
	case err != nil:
		return err
	case !measure.OfFlows(m.Kind):
		return fmt.Errorf("%s is not one value for each flow; box takes rate_deviation, fct_slowdown, fct and log_rate", m.Kind)
	case m.MinSize != 0 || m.MaxSize != 0:
		return fmt.Errorf("its edges are the sizes; leave min_size and max_size of the measure out")
	}
	return checkEdges(p.Edges)
}

// checkFCT checks a plot of completion times; values are those of its lines.
func checkFCT(p spec.Plot, values []string) error {
	switch {
	case p.X != "" || p.Measure != "" || p.Measures != nil || len(p.Series) > 0 || p.Window != nil || p.Unit != "":
		return fmt.Errorf("x, measure, series, window and unit belong to other kinds of plots")
	case p.Rows != "" || p.Columns != "" || len(p.Marks) > 0:
		return fmt.Errorf("fct has a panel for each of stats; it takes no rows, columns and marks")
	case p.MinSize != 0 || p.MaxSize != 0:
		return fmt.Errorf("min_size and max_size belong to cdf; fct takes edges or bins")
	case len(p.Stats) == 0:
		return fmt.Errorf("fct needs stats, such as [mean, p99]; there are %v", fct.Names)
	case (p.Edges == nil) == (p.Bins == 0):
		return fmt.Errorf("fct needs either edges, a list of sizes, or bins, a number of bins with as many flows each")
	case p.Bins < 0 || p.Edges != nil && len(p.Edges) < 2:
		return fmt.Errorf("bins is above 0, and there are two edges or more")
	case p.Baseline != "" && p.Lines == "":
		return fmt.Errorf("baseline is one of the lines, and there is none; write lines")
	case p.Baseline != "" && values != nil && !slices.Contains(values, p.Baseline):
		return fmt.Errorf("baseline: the matrix has no %s = %q%s", p.Lines, p.Baseline, catalog.Hint(p.Baseline, values))
	}
	for _, s := range p.Stats {
		if !slices.Contains(fct.Names, s) {
			return fmt.Errorf("unknown statistic %q%s", s, catalog.Hint(s, fct.Names))
		}
	}
	return checkEdges(p.Edges)
}

func checkEdges(edges []spec.Size) error {
	for i, edge := range edges {
		if i > 0 && edge <= edges[i-1] {
			return fmt.Errorf("edges only grow; %d B does not", edge)
		}
	}
	return nil
}
