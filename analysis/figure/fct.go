package figure

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"fabriclab/analysis/chart"
	"fabriclab/analysis/claims"
	"fabriclab/analysis/fct"
	"fabriclab/analysis/measure"
	"fabriclab/analysis/spec"
	"fabriclab/analysis/stats"
	"fabriclab/base/catalog"
	"fabriclab/base/reader"
	"fabriclab/base/units"
)

func init() {
	register(plotKind{
		name: "fct", title: "statistics of the slowdown by flow size, a panel each", named: true, alone: true,
		read: func(s *reader.Section, p *spec.Plot, f *spec.Figure) {
			p.Lines, p.Baseline, p.Log = s.Str("lines"), s.Str("baseline"), s.Boolean("log", false)
			s.Need("stats", "[mean, p99]")
			texts, nodes := s.Texts("stats")
			for i, text := range texts {
				if !slices.Contains(fct.Names, text) {
					s.F.Problem(nodes[i], "%s: unknown statistic %q%s", s.Name("stats"), text, catalog.Hint(text, fct.Names))
				}
			}
			p.Stats, p.Edges, p.Bins = texts, readEdges(s), int(s.Integer("bins", 0, 1, 1<<16))
			if (s.Get("edges") == nil) == (s.Get("bins") == nil) {
				s.Fail(errors.New("fct needs either edges, a list of sizes, or bins, a number of bins with as many flows each"))
			}
			if p.Baseline != "" && p.Lines == "" {
				s.Fail(reader.At("baseline", errors.New("baseline is one of the lines, and there is none; write lines")))
			}
		},
		labels: func(x *painter) {
			x.d.xUnit, x.d.yUnit = "B", "1"
			x.d.figure.XLabel, x.d.figure.YLabel, x.d.figure.LogY = "flow size up to", "FCT slowdown", x.p.Log
		},
		whole: (*painter).fct,
	})
}

// A fctLine is a line of an fct plot: the statistics by bin and seed.
type fctLine struct {
	value, name, engine string
	bySeed              [][]fct.Stats // by seed, then bin
}

// fct draws a panel for every statistic: its mean over the seeds, by flow
// size.
func (x *painter) fct() {
	lines, edges := x.fctLines()
	names := make([]string, max(0, len(edges)-1))
	for i := range names {
		names[i] = units.FormatBytes(edges[i+1])
		if edges[i+1] == math.MaxInt64 {
			names[i] = "more"
		}
	}
	columns := len(x.p.Stats)
	if columns == 4 {
		columns = 2
	}
	for i, stat := range x.p.Stats {
		if i%columns == 0 {
			x.d.figure.Panels = append(x.d.figure.Panels, nil)
			x.d.places = append(x.d.places, nil)
		}
		here := place{column: stat}
		for bin := range names {
			here.at = append(here.at, float64(edges[bin+1]))
		}
		panel := chart.Panel{Title: stat, Names: names}
		for n, l := range lines {
			beside := float64(0.1 * (float64(n) - float64(float64(len(lines)-1)/2))) // so that error bars do not cover each other
			line := chart.Line{Name: l.name, Style: x.style(l.name), Dots: true}
			for bin := range names {
				mean, half, err := l.stat(stat, bin)
				if err != nil {
					continue // said below
				}
				line.XY = append(line.XY, chart.Point{X: float64(bin) + beside, Y: mean, Error: half})
				x.d.points = append(x.d.points, point{column: stat, line: l.value, engine: l.engine, x: float64(edges[bin+1]), y: mean, half: half})
			}
			panel.Lines = append(panel.Lines, line)
			here.lines = append(here.lines, lineKey{l.value, l.engine})
		}
		last := len(x.d.figure.Panels) - 1
		x.d.figure.Panels[last] = append(x.d.figure.Panels[last], panel)
		x.d.places[last] = append(x.d.places[last], here)
	}
	for _, l := range lines {
		for bin := range names {
			for _, stat := range x.p.Stats {
				if v, _, err := l.stat(stat, bin); err != nil && !errors.Is(err, errNoData) {
					x.d.missing = append(x.d.missing, x.name(x.p.ID, stat, l.name)+": "+bounded(v, err))
				}
			}
		}
	}
	x.d.tables = x.fctTables(lines, edges, names)
}

// fctLines reads the runs of every line. The edges of equal-count bins are
// those of the first line's flows: the flow lists of the others are the same.
func (x *painter) fctLines() (lines []fctLine, edges []int64) {
	for _, edge := range x.p.Edges {
		edges = append(edges, int64(edge))
	}
	for _, value := range x.values(x.p.Lines) {
		for _, engine := range x.engines {
			shown := ""
			if x.p.Lines != "" {
				shown = x.f.Dimensions.Items[x.p.Lines].Name(value)
			}
			l := fctLine{value: value, engine: engine, name: x.name(shown, x.engine(engine))}
			found := x.at(with(nil, x.p.Lines, value), engine)
			if edges == nil {
				edges = x.equalCounts(found)
			}
			for _, i := range found {
				flows, err := readFlows(x.runs[i])
				if err != nil || len(edges) == 0 {
					if err == nil {
						err = fmt.Errorf("there are no measured flows")
					}
					x.d.missing = append(x.d.missing, x.name(x.p.ID, l.name)+": "+err.Error())
					l.bySeed = nil
					break
				}
				l.bySeed = append(l.bySeed, flows.Bins(edges))
			}
			if len(found) > 0 {
				lines = append(lines, l)
			}
		}
	}
	return lines, edges
}

// equalCounts are the edges of bins with about as many flows of the runs each.
func (x *painter) equalCounts(runs []int) []int64 {
	var sizes []int64
	for _, i := range runs {
		if flows, err := readFlows(x.runs[i]); err == nil { // an error is met again, and said
			sizes = append(sizes, flows.Size...)
		}
	}
	return fct.EqualCounts(sizes, x.p.Bins)
}

func readFlows(r spec.Run) (*fct.Flows, error) {
	if err := r.Failure(); err != nil {
		return nil, err
	}
	return fct.Read(r.Dir, false)
}

// seedsOf is how many seeds the lines have that have any, at least and at most.
func seedsOf(lines []fctLine) (fewest, most int) {
	for _, l := range lines {
		n := len(l.bySeed)
		if n > 0 && (fewest == 0 || n < fewest) {
			fewest = n
		}
		most = max(most, n)
	}
	return fewest, most
}

// meanOf says what a table's numbers are over the seeds.
func meanOf(lines []fctLine) string {
	fewest, most := seedsOf(lines)
	if most <= 1 {
		return ""
	}
	seeds := fmt.Sprintf("mean of %d seeds", most)
	if fewest < most {
		seeds = fmt.Sprintf("mean of %d to %d seeds", fewest, most)
	}
	switch {
	case most < fewSeeds:
		return " (" + seeds + ")"
	case fewest < fewSeeds:
		return fmt.Sprintf(" (%s, with %d and more ± 95 %% confidence interval)", seeds, fewSeeds)
	}
	return " (" + seeds + " ± 95 % confidence interval)"
}

// stat is a statistic's mean over the seeds and half the width of its
// confidence interval; a mean of bounds is one.
func (l fctLine) stat(name string, bin int) (mean, half float64, err error) {
	if len(l.bySeed) == 0 {
		return 0, 0, errNoData
	}
	var values []float64
	var bound error
	for _, bins := range l.bySeed {
		v, err := bins[bin].Get(name)
		if measure.IsBound(err) {
			bound = cmp.Or(bound, err)
		} else if err != nil {
			return 0, 0, err
		}
		values = append(values, v)
	}
	mean, half = stats.Mean95(values)
	if math.IsNaN(half) {
		half = 0
	}
	return mean, half, bound
}

// errNoData is that no run of a line could be read, which is said by itself.
var errNoData = errors.New("no data")

// bounded is an error, and what the value that it is about is at least.
func bounded(v float64, err error) string {
	if measure.IsBound(err) {
		return err.Error() + "; it is " + atLeast(v, err)
	}
	return err.Error()
}

// atLeast writes a bound as such.
func atLeast(v float64, err error) string {
	var b *fct.Bound
	if errors.As(err, &b) && b.Upper {
		return "≤ " + claims.Num(v)
	}
	return "≥ " + claims.Num(v)
}

// flows are the smallest and largest number of finished flows in a bin, and
// all its unfinished ones, over the seeds.
func (l fctLine) flows(bin int) (least, most, unfinished int) {
	least = math.MaxInt
	for _, bins := range l.bySeed {
		least, most = min(least, bins[bin].Flows), max(most, bins[bin].Flows)
		unfinished += bins[bin].Unfinished
	}
	return least, most, unfinished
}

// fctTables has a table for each statistic, with the change against the
// baseline in per cent.
func (x *painter) fctTables(lines []fctLine, edges []int64, names []string) string {
	var b strings.Builder
	if _, most := seedsOf(lines); most == 0 {
		return ""
	}
	for _, stat := range x.p.Stats {
		fmt.Fprintf(&b, "\nFCT slowdown, %s", stat)
		if x.p.Baseline != "" {
			fmt.Fprintf(&b, ", and its change against %s", x.f.Dimensions.Items[x.p.Lines].Name(x.p.Baseline))
		}
		b.WriteString(meanOf(lines) + "\n\n")
		head := []string{"flow size", "flows per seed"}
		for _, l := range lines {
			head = append(head, l.name)
		}
		row(&b, head...)
		rule(&b, len(head))
		for bin := range names {
			row(&b, append([]string{sizeRange(edges[bin], edges[bin+1]), counted(lines, bin)}, x.fctCells(lines, stat, bin)...)...)
		}
	}
	return b.String()
}

// fctCells are a statistic's values for all lines, – where there is none.
func (x *painter) fctCells(lines []fctLine, stat string, bin int) []string {
	cells := make([]string, len(lines))
	for i, l := range lines {
		mean, half, err := l.stat(stat, bin)
		if measure.IsBound(err) {
			cells[i] = atLeast(mean, err)
			continue
		}
		if err != nil {
			cells[i] = "–"
			continue
		}
		cells[i] = seedMean(mean, half, len(l.bySeed))
		at := slices.IndexFunc(lines, func(o fctLine) bool { return o.value == x.p.Baseline && o.engine == l.engine })
		if x.p.Baseline == "" || at < 0 || at == i {
			continue
		}
		if base, _, err := lines[at].stat(stat, bin); err == nil {
			cells[i] += fmt.Sprintf(" (%+.1f %%)", 100*(mean-base)/base)
		}
	}
	return cells
}

// counted says how many flows a bin has, and how many of them are unfinished
// in some line.
func counted(lines []fctLine, bin int) string {
	least, most := math.MaxInt, 0
	unfinished := ""
	for _, l := range lines {
		if len(l.bySeed) == 0 {
			continue
		}
		low, high, u := l.flows(bin)
		least, most = min(least, low), max(most, high)
		if u > 0 {
			unfinished += fmt.Sprintf("; %s: %d unfinished", l.name, u)
			if len(l.bySeed) > 1 {
				unfinished += " in all seeds"
			}
		}
	}
	text := fmt.Sprint(least)
	if most > least {
		text += fmt.Sprintf(" to %d", most)
	}
	return text + unfinished
}

func sizeRange(from, to int64) string {
	if to == math.MaxInt64 {
		return units.FormatBytes(from) + " and more"
	}
	return units.FormatBytes(from) + " to " + units.FormatBytes(to)
}
