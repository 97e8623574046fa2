package figure

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"fabriclab/analysis/chart"
	"fabriclab/analysis/measure"
	"fabriclab/analysis/series"
	"fabriclab/analysis/spec"
	"fabriclab/base/reader"
)

func init() {
	register(plotKind{
		name: "time", title: "series over time", marksX: true, logX: true,
		read: func(s *reader.Section, p *spec.Plot, f *spec.Figure) {
			p.Lines = s.Str("lines")
			p.Window = spec.ReadWindow(s, "window", f)
			p.Unit = readTimeUnit(s)
			s.Need("series", "[{kind: queue, port: \"s1->s2\", class: 1, unit: KB}]")
			for i, at := range s.Sections("series") {
				one := measure.ReadSeries(at, f)
				p.Series = append(p.Series, one)
				if i > 0 && one.Unit != p.Series[0].Unit {
					at.Fail(reader.At("unit", fmt.Errorf("it is in %s, the first series in %s; a plot has one unit", one.Unit, p.Series[0].Unit)))
				}
				if len(s.Items("series")) > 1 {
					at.Need("name", "switch 1")
				}
			}
		},
		labels: func(x *painter) {
			d, first := x.d, x.p.Series[0]
			d.xUnit, d.yUnit = x.p.Unit, first.Unit
			d.figure.XLabel = withUnit("time", x.p.Unit)
			kind := first.Kind
			if kind == "queue_max" {
				kind = "queue"
			}
			d.figure.YLabel = withUnit(strings.ReplaceAll(kind, "_", " "), d.yUnit)
		},
		panel: (*painter).overTime,
	})
}

func readTimeUnit(s *reader.Section) string {
	s.Need("unit", "us")
	return spec.ReadChoice(s, "unit", measure.Units(measure.Time))
}

// time is a time in the unit of the axis.
func (x *painter) time(ps int64) float64 {
	scale, err := measure.Scale(measure.Time, x.p.Unit)
	if err != nil {
		return math.NaN() // refused when decoding
	}
	return float64(ps) / scale
}

func (x *painter) overTime(panel *chart.Panel, where map[string]string, here *place) {
	window := series.Window{From: 0, To: math.MaxInt64}
	if x.p.Window != nil {
		if w, err := x.f.Span(*x.p.Window); err == nil { // checked when decoding
			window = w
			panel.FromX, panel.ToX = x.time(w.From), x.time(w.To)
		}
	}
	for _, value := range x.values(x.p.Lines) {
		place := with(where, x.p.Lines, value)
		for _, s := range x.p.Series {
			for _, engine := range x.engines {
				shown := ""
				if x.p.Lines != "" {
					shown = x.f.Dimensions.Items[x.p.Lines].Name(value)
				}
				line := chart.Line{Name: x.name(shown, s.Name, x.engine(engine))}
				line.Style = x.style(line.Name)
				found := x.at(place, engine)
				if len(found) == 0 {
					continue
				}
				run := x.runs[slices.MinFunc(found, func(a, b int) int { return cmp.Compare(x.runs[a].Seed, x.runs[b].Seed) })]
				data, err := measure.Series(x.f, s, window, run)
				if err != nil {
					x.miss(panel, line.Name, err)
				}
				for _, p := range data {
					xy := chart.Point{X: x.time(p.Time), Y: p.Value}
					line.XY = append(line.XY, xy)
					x.d.points = append(x.d.points, point{here.row, here.column, x.name(value, s.Name), engine, strconv.FormatUint(run.Seed, 10), xy.X, xy.Y, 0})
				}
				panel.Lines = append(panel.Lines, line)
				here.lines = append(here.lines, lineKey{x.name(value, s.Name), engine})
			}
		}
	}
}
