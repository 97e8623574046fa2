package figure

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"fabriclab/analysis/chart"
	"fabriclab/analysis/measure"
	"fabriclab/analysis/spec"
	"fabriclab/base/reader"
)

func init() {
	register(plotKind{
		name: "time", title: "series over time", marksX: true, logX: true,
		read: func(s *reader.Section, p *spec.Plot, f *spec.Figure) {
			own := timePlot{}
			p.Lines = s.Str("lines")
			own.window = spec.ReadWindow(s, "window", f)
			s.Need("unit", "us")
			own.unit = spec.ReadChoice(s, "unit", measure.Units(measure.Time))
			s.Need("series", "[{kind: queue, port: \"s1->s2\", class: 1, unit: KB}]")
			for i, at := range s.Sections("series") {
				one := measure.ReadSeries(at, f)
				own.series = append(own.series, one)
				if i > 0 && one.Unit != own.series[0].Unit {
					at.Fail(reader.At("unit", fmt.Errorf("it is in %s, the first series in %s; a plot has one unit", one.Unit, own.series[0].Unit)))
				}
				if len(s.Items("series")) > 1 {
					at.Need("name", "switch 1")
				}
			}
			p.Own = own
		},
		labels: func(x *painter) {
			own := x.p.Own.(timePlot)
			x.c.XUnit, x.c.YUnit = own.unit, own.series[0].Unit
			x.c.XLabel = withUnit("time", own.unit)
			kind := own.series[0].Kind
			if kind == "queue_max" {
				kind = "queue"
			}
			x.c.YLabel = withUnit(strings.ReplaceAll(kind, "_", " "), x.c.YUnit)
		},
		panel: (*painter).overTime,
	})
}

// A timePlot is what a plot over time has of its own.
type timePlot struct {
	window *spec.Window
	unit   string
	series []spec.Series
}

// time is a time in the unit of the axis.
func (x *painter) time(ps int64) float64 {
	scale, err := measure.Scale(measure.Time, x.c.XUnit)
	if err != nil {
		return math.NaN() // refused when decoding
	}
	return float64(ps) / scale
}

func (x *painter) overTime(panel *chart.Panel, at spot) {
	own := x.p.Own.(timePlot)
	var parts []part
	for _, s := range own.series {
		parts = append(parts, part{s.Name, s.Name})
	}
	x.lines(panel, at.where, parts, func(line *chart.Line, part int, found []int) {
		run := x.runs[slices.MinFunc(found, func(a, b int) int { return cmp.Compare(x.runs[a].Seed, x.runs[b].Seed) })]
		window := measure.Whole
		if own.window != nil {
			w, err := x.f.Span(*own.window, run.Judged)
			if err != nil { // a run may have no measuring window
				x.miss(panel, line.Name, err)
				return
			}
			window = w
			from, to := x.time(w.From), x.time(w.To)
			if panel.ToX > panel.FromX { // each line has its own, where it is the measuring window
				from, to = min(from, panel.FromX), max(to, panel.ToX)
			}
			panel.FromX, panel.ToX = from, to
		}
		data, err := measure.Series(x.f, own.series[part], window, run)
		if err != nil {
			x.miss(panel, line.Name, err)
		}
		line.Seed = &run.Seed
		for _, p := range data {
			line.Points = append(line.Points, chart.Point{X: x.time(p.Time), Y: p.Value})
		}
	})
}
