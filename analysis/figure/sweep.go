package figure

import (
	"fmt"

	"fabriclab/analysis/chart"
	"fabriclab/analysis/spec"
	"fabriclab/base/reader"
)

func init() {
	register(plotKind{
		name: "sweep", title: "measures over a dimension whose values are numbers", logX: true,
		read: func(s *reader.Section, p *spec.Plot, f *spec.Figure) {
			s.Need("x", "load")
			p.X, p.Lines = s.Str("x"), s.Str("lines")
			readMeasures(s, p, f, true)
			names := shownMeasures(*p)
			for _, name := range names {
				if first, m := f.Measures.Items[names[0]], f.Measures.Items[name]; m.Unit != first.Unit {
					s.Fail(reader.At("measures", fmt.Errorf("%s is in %s, %s in %s; the measures of a sweep have one unit", names[0], first.Unit, name, m.Unit)))
				}
			}
		},
		labels: labelsOfMeasures,
		panel:  (*painter).sweep,
	})
}

func (x *painter) sweep(panel *chart.Panel, where map[string]string, here *place) {
	values := inOrder(x.values(x.p.X))
	numbers, unit, err := x.numbers(x.p.X, values)
	if err != nil {
		x.miss(panel, x.p.X, err)
		return
	}
	x.d.xUnit = unit
	x.d.figure.XLabel = withUnit(x.p.X, unit)
	names := shownMeasures(x.p)
	for _, lineValue := range x.values(x.p.Lines) {
		shown := ""
		if x.p.Lines != "" {
			shown = x.f.Dimensions.Items[x.p.Lines].Name(lineValue)
		}
		for _, name := range names {
			text, key := "", lineValue
			if len(names) > 1 {
				text, key = x.f.Measures.Items[name].Text, x.name(lineValue, name)
			}
			for _, engine := range x.engines {
				line := chart.Line{Name: x.name(shown, text, x.engine(engine)), Dots: true}
				line.Style = x.style(line.Name)
				place := with(where, x.p.Lines, lineValue)
				for i, value := range values {
					at := x.name(line.Name, x.p.X+" "+x.f.Dimensions.Items[x.p.X].Name(value))
					mean, half, ok := x.mean(panel, at, name, x.at(with(place, x.p.X, value), engine))
					if !ok {
						continue
					}
					line.XY = append(line.XY, chart.Point{X: numbers[i], Y: mean, Error: half})
					x.d.points = append(x.d.points, point{here.row, here.column, key, engine, "", numbers[i], mean, half})
				}
				panel.Lines = append(panel.Lines, line)
				here.lines = append(here.lines, lineKey{key, engine})
			}
		}
	}
}

// numbers are those of the values as they are shown, such as 384 servers for
// 8 racks, where all of these are numbers.
func (x *painter) numbers(dimension string, values []string) (numbers []float64, unit string, err error) {
	shown := make([]string, len(values))
	for i, v := range values {
		shown[i] = x.f.Dimensions.Items[dimension].Name(v)
	}
	if numbers, unit, err = numbersOf(shown); err == nil {
		return numbers, unit, nil
	}
	return numbersOf(values)
}
