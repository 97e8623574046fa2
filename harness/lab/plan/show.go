package plan

import (
	"fmt"
	"io"
	"strings"

	"fabriclab/base/columns"
	"fabriclab/base/units"
	"fabriclab/harness/experiment"
)

// Show prints what is to be run and its effective configuration: what is
// not default, or all of it.
func Show(out io.Writer, e Experiment, verbose bool) error {
	if err := ShowHead(out, e); err != nil {
		return err
	}
	for _, r := range e.Readings {
		value := r.Values[0]
		if chosen, other := e.Reading[r.Name]; other {
			value = chosen
		}
		fmt.Fprintf(out, "reading %s=%s (of %s): %s\n", r.Name, value, strings.Join(r.Values, ", "), r.Source)
	}
	if verbose {
		for _, point := range e.Points {
			fmt.Fprintf(out, "\neffective configuration of %s\n%s", PointName(point), point.Effective.Table())
		}
		return nil
	}
	fmt.Fprintln(out, "effective configuration where it is not default (all of it: --verbose, or effective.json beside each result)")
	w := columns.New(out)
	fmt.Fprintln(w, "  place\tparameter\tvalue\torigin\tpoints")
	for _, row := range changed(e.Points) {
		s := row.setting
		fmt.Fprintf(w, "  %s\t%s.%s\t%s\t%s\t%s\n", s.Where(), s.Component, s.Param, s.Value, s.Origin, where(row.points, e.Points))
	}
	return w.Flush()
}

// ShowHead says what an experiment is and how many runs it has.
func ShowHead(out io.Writer, e Experiment) error {
	title := e.Name
	if e.Title != "" {
		title += ": " + e.Title
	}
	if len(e.Reading) > 0 {
		title += " (reading " + ReadingText(e.Reading) + ")"
	}
	fmt.Fprintln(out, title)
	_, err := fmt.Fprintf(out, "scale %s, %s, seeds %s, engines %s: %s\n", e.Scale, units.Count(len(e.Points), "point"),
		SeedRanges(e.Seeds), strings.Join(e.Engines, ", "), units.Count(e.Runs(), "run"))
	for _, w := range e.Warnings {
		fmt.Fprintf(out, "warning: %s\n", w)
	}
	return err
}

// PointName names a point of an experiment.
func PointName(p *experiment.Point) string {
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
			k := key{s.Where(), s.Component, s.Param, s.Value, s.Origin}
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

// SeedRanges writes seeds as --seed takes them: 1-3,7; a dash for none.
func SeedRanges(seeds []uint64) string {
	var parts []string
	for i := 0; i < len(seeds); {
		j := i
		for j+1 < len(seeds) && seeds[j+1] == seeds[j]+1 {
			j++
		}
		switch j {
		case i:
			parts = append(parts, fmt.Sprint(seeds[i]))
		case i + 1:
			parts = append(parts, fmt.Sprint(seeds[i]), fmt.Sprint(seeds[j]))
		default:
			parts = append(parts, fmt.Sprintf("%d-%d", seeds[i], seeds[j]))
		}
		i = j + 1
	}
	if len(parts) == 0 {
		return "-"
	}
	return strings.Join(parts, ",")
}
