package figure

import (
	"fabriclab/analysis/chart"
	"fabriclab/analysis/spec"
	"fabriclab/base/reader"
)

func init() {
	register(plotKind{
		name: "bars", title: "a measure for each value of `x`; with `lines`, groups of bars", named: true,
		read: func(s *reader.Section, p *spec.Plot, f *spec.Figure) {
			s.Need("x", "mechanism")
			p.X, p.Lines = s.Str("x"), s.Str("lines")
			readOneMeasure(s, p, f, "queue_peak")
		},
		labels: labelsOfMeasures,
		panel:  (*painter).bars,
	})
}

// bars has one bar at each name or, with lines, one of each line.
func (x *painter) bars(panel *chart.Panel, at spot) {
	add := func(line *chart.Line, i int, what string, found []int) {
		line.Shape = chart.Bars
		if mean, half, ok := x.mean(panel, what, x.p.Measures[0], found); ok {
			line.Points = append(line.Points, chart.Point{X: float64(i), Y: mean, Error: half})
		}
	}
	dimension := x.f.Dimensions.Items[x.p.X]
	if x.p.Lines != "" {
		groups := inOrder(x.values(x.p.X))
		for _, value := range groups {
			panel.Names = append(panel.Names, dimension.Name(value))
		}
		x.lines(panel, at.where, nil, func(line *chart.Line, _ int, found []int) {
			for i, value := range groups {
				add(line, i, x.name(line.Name, panel.Names[i]), x.among(found, x.p.X, value))
			}
		})
		for i := range panel.Lines {
			panel.Lines[i].Width, panel.Lines[i].Beside = beside(i, len(panel.Lines), 0.8)
		}
		return
	}
	for _, value := range x.values(x.p.X) {
		for _, engine := range x.engines {
			found := x.at(with(at.where, x.p.X, value), engine)
			if len(found) == 0 {
				continue
			}
			name := x.name(dimension.Name(value), x.engine(engine))
			line := chart.Line{Name: name, Style: x.style(name), Width: chart.Alone, Key: value, Engine: engine}
			add(&line, len(panel.Names), name, found)
			panel.Names, panel.Lines = append(panel.Names, name), append(panel.Lines, line)
		}
	}
}

// beside is how wide one of n things at a name is, and how far right of it it
// stands, where they take a share of its room.
func beside(i, n int, share float64) (width, right float64) {
	width = share / float64(n)
	return width, float64(width * (float64(i) - float64(float64(n-1)/2)))
}
