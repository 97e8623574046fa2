package figure

import (
	"fmt"

	"fabriclab/analysis/chart"
	"fabriclab/analysis/spec"
	"fabriclab/base/reader"
)

func init() {
	register(plotKind{
		name: "sweep", title: "measures against the numbers of `x`", logX: true,
		read: func(s *reader.Section, p *spec.Plot, f *spec.Figure) {
			s.Need("x", "load")
			p.X, p.Lines = s.Str("x"), s.Str("lines")
			readMeasures(s, p, f, true)
			for _, name := range p.Measures {
				if first, m := f.Measures.Items[p.Measures[0]], f.Measures.Items[name]; m.Unit != first.Unit {
					s.Fail(reader.At("measures", fmt.Errorf("%s is in %s, %s in %s; the measures of a sweep have one unit", p.Measures[0], first.Unit, name, m.Unit)))
				}
			}
		},
		labels: labelsOfMeasures,
		panel:  (*painter).sweep,
	})
}

func (x *painter) sweep(panel *chart.Panel, at spot) {
	values := inOrder(x.values(x.p.X))
	numbers, unit, err := x.numbers(x.p.X, values)
	if err != nil {
		x.miss(panel, x.p.X, err)
		return
	}
	x.c.XUnit, x.c.XLabel = unit, withUnit(x.p.X, unit)
	x.lines(panel, at.where, x.measured(), func(line *chart.Line, part int, found []int) {
		line.Dots = true
		for i, value := range values {
			what := x.name(line.Name, x.p.X+" "+x.f.Dimensions.Items[x.p.X].Name(value))
			if mean, half, ok := x.mean(panel, what, x.p.Measures[part], x.among(found, x.p.X, value)); ok {
				line.Points = append(line.Points, chart.Point{X: numbers[i], Y: mean, Error: half})
			}
		}
	})
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
