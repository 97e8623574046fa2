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
		name: "fct", title: "FCT slowdown of measured flows by flow size, a panel for each statistic", named: true,
		read: func(s *reader.Section, p *spec.Plot, _ *spec.Figure) {
			own := &fctPlot{}
			p.Lines, own.baseline = s.Str("lines"), s.Str("baseline")
			p.LogY = s.Boolean("log", false) || p.LogY
			s.Need("stats", "[mean, p99]")
			texts, nodes := s.Texts("stats")
			for i, text := range texts {
				if !slices.Contains(fct.Names, text) {
					s.F.Problem(nodes[i], "%s: unknown statistic %q%s", s.Name("stats"), text, catalog.Hint(text, fct.Names))
				}
			}
			own.stats, own.edges, own.bins, own.in = texts, readEdges(s), int(s.Integer("bins", 0, 1, 1<<16)), readPackets(s)
			if (s.Get("edges") == nil) == (s.Get("bins") == nil) {
				s.Fail(errors.New("fct needs either edges, a list of sizes, or bins, a number of bins with as many flows each"))
			}
			if own.baseline != "" && p.Lines == "" {
				s.Fail(reader.At("baseline", errors.New("baseline is one of the lines, and there is none; write lines")))
			}
			p.Own = own
		},
		from: func(spec.Plot) []string { return measure.KindOf("fct_slowdown").From },
		check: func(s *reader.Section, p spec.Plot, lines []string) {
			if own := p.Own.(*fctPlot); own.baseline != "" && lines != nil && !slices.Contains(lines, own.baseline) {
				s.Fail(reader.At("baseline", fmt.Errorf("baseline: the matrix has no %s = %q%s", p.Lines, own.baseline, catalog.Hint(own.baseline, lines))))
			}
		},
		labels: func(x *painter) {
			least := measure.Least("fct_slowdown", "1")
			x.c.XUnit, x.c.YUnit, x.c.LeastY = "B", "1", &least
			x.c.XLabel, x.c.YLabel = x.p.Own.(*fctPlot).in.label("flow size up to"), "FCT slowdown"
			x.own = map[string]fctFlows{}
		},
		sides: func(p spec.Plot) []string { return p.Own.(*fctPlot).stats },
		panel: (*painter).fct,
	})
}

// A fctPlot is what a plot of flow completion times has of its own.
type fctPlot struct {
	stats    []string
	edges    []spec.Size
	bins     int
	baseline string
	in       packets
}

// fctFlows are the flows of a panel's lines, which all statistics share.
type fctFlows struct {
	lines []fctLine
	edges []int64
}

// A fctLine is a line of an fct plot: the statistics by bin and seed.
type fctLine struct {
	chart.Line
	bySeed [][]fct.Stats // by seed, then bin
}

// fct draws a statistic: its mean over the seeds, by flow size.
func (x *painter) fct(panel *chart.Panel, at spot) {
	own := x.p.Own.(*fctPlot)
	flows := x.fctFlows(panel, at)
	for i := range max(0, len(flows.edges)-1) {
		panel.Names = append(panel.Names, own.in.upTo(flows.edges[i+1]))
		panel.At = append(panel.At, float64(flows.edges[i+1]))
	}
	// In widths of a bin, so that error bars do not cover each other: the fewer bins, the wider they are.
	step := min(0.1, float64(0.01*float64(len(panel.At))))
	for n, l := range flows.lines {
		l.Dots = true
		l.Beside = float64(step * (float64(n) - float64(float64(len(flows.lines)-1)/2)))
		for bin, edge := range panel.At {
			mean, half, err := l.stat(at.side, bin)
			if err == nil {
				l.Points = append(l.Points, chart.Point{X: edge, Y: mean, Error: half})
			} else if !errors.Is(err, errNoData) {
				x.miss(panel, l.Name, errors.New(bounded(mean, err)))
			}
		}
		panel.Lines = append(panel.Lines, l.Line)
	}
	x.fctTable(panel, at, flows)
}

// fctFlows reads the runs of every line. The edges of equal-count bins are those
// of the first line's flows: the flow lists of the others are the same.
func (x *painter) fctFlows(panel *chart.Panel, at spot) fctFlows {
	known, place := x.own.(map[string]fctFlows), fmt.Sprint(at.where)
	if flows, ok := known[place]; ok {
		return flows
	}
	own := x.p.Own.(*fctPlot)
	var all fctFlows
	for _, edge := range own.edges {
		all.edges = append(all.edges, int64(edge))
	}
	x.lines(&chart.Panel{}, at.where, nil, func(line *chart.Line, _ int, found []int) {
		l := fctLine{Line: *line}
		if all.edges == nil {
			all.edges = x.equalCounts(found, own.bins)
		}
		above := 0
		for _, i := range found {
			flows, err := readFlows(x.runs[i])
			if err == nil && len(all.edges) == 0 {
				err = errors.New("there are no measured flows")
			}
			if err != nil {
				x.miss(&chart.Panel{Title: strings.TrimSuffix(strings.TrimSuffix(panel.Title, at.side), ", ")}, l.Name, err)
				l.bySeed = nil
				break
			}
			l.bySeed = append(l.bySeed, flows.Bins(all.edges))
			for _, size := range flows.Size {
				if size >= all.edges[len(all.edges)-1] {
					above++
				}
			}
		}
		if above > 0 {
			x.miss(panel, l.Name, fmt.Errorf("%d flows of the last edge's size (%s) or more are not drawn", above, units.FormatBytes(all.edges[len(all.edges)-1])))
		}
		all.lines = append(all.lines, l)
	})
	known[place] = all
	return all
}

// equalCounts are the edges of bins with about as many flows of the runs each.
func (x *painter) equalCounts(runs []int, bins int) []int64 {
	var sizes []int64
	for _, i := range runs {
		if flows, err := readFlows(x.runs[i]); err == nil { // an error is met again, and said
			sizes = append(sizes, flows.Size...)
		}
	}
	return fct.EqualCounts(sizes, bins)
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

// fctTable is a table of a statistic, with the change against the baseline in per
// cent.
func (x *painter) fctTable(panel *chart.Panel, at spot, flows fctFlows) {
	if _, most := seedsOf(flows.lines); most == 0 {
		return
	}
	own := x.p.Own.(*fctPlot)
	fmt.Fprintf(&x.tables, "\nFCT slowdown, %s", panel.Title)
	if own.baseline != "" {
		fmt.Fprintf(&x.tables, ", and its change against %s", x.f.Dimensions.Items[x.p.Lines].Name(own.baseline))
	}
	x.tables.WriteString(meanOf(flows.lines) + "\n\n")
	head := []string{"flow size", "flows per seed"}
	for _, l := range flows.lines {
		head = append(head, l.Name)
	}
	row(&x.tables, head...)
	rule(&x.tables, len(head))
	for bin := range panel.Names {
		size := packets(0).between(flows.edges[bin], flows.edges[bin+1])
		row(&x.tables, append([]string{size, counted(flows.lines, bin)}, fctCells(flows.lines, own.baseline, at.side, bin)...)...)
	}
}

// fctCells are a statistic's values for all lines, – where there is none.
func fctCells(lines []fctLine, baseline, stat string, bin int) []string {
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
		at := slices.IndexFunc(lines, func(o fctLine) bool { return o.Key == baseline && o.Engine == l.Engine })
		if baseline == "" || at < 0 || at == i {
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
			unfinished += fmt.Sprintf("; %s: %d unfinished", l.Name, u)
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
