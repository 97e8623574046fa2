package figure

import (
	"fabriclab/analysis/chart"
	"fabriclab/analysis/spec"
	"fabriclab/base/reader"
)

func init() {
	register(plotKind{
		name: "bars", title: "a measure by name, as bars", named: true,
		read: func(s *reader.Section, p *spec.Plot, f *spec.Figure) {
			s.Need("x", "mechanism")
			p.X = s.Str("x")
			s.Need("measure", "queue_peak")
			p.Measure = readMeasure(s, f, "measure")
		},
		labels: labelsOfMeasures,
		panel:  (*painter).bars,
	})
}

func (x *painter) bars(panel *chart.Panel, where map[string]string, here *place) {
	for _, value := range x.values(x.p.X) {
		for _, engine := range x.engines {
			shown := x.f.Dimensions.Items[x.p.X].Name(value)
			name := x.name(shown, x.engine(engine))
			style := x.style(name)
			found := x.at(with(where, x.p.X, value), engine)
			mean, half, ok := x.mean(panel, name, x.p.Measure, found)
			if !ok {
				if len(found) > 0 {
					panel.Bars = append(panel.Bars, chart.Bar{Name: name, Style: style, Text: "no data", None: true})
					here.lines = append(here.lines, lineKey{value, engine})
				}
				continue
			}
			panel.Bars = append(panel.Bars, chart.Bar{Name: name, Style: style, Y: mean, Error: half, Text: shortNumber(mean)})
			x.d.points = append(x.d.points, point{here.row, here.column, value, engine, "", float64(len(panel.Bars) - 1), mean, half})
			here.lines = append(here.lines, lineKey{value, engine})
		}
	}
}
