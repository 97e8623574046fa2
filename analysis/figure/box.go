package figure

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"fabriclab/analysis/chart"
	"fabriclab/analysis/measure"
	"fabriclab/analysis/spec"
	"fabriclab/analysis/stats"
	"fabriclab/base/reader"
)

func init() {
	register(plotKind{
		name: "box", title: "the distribution of a measure of flows by their sizes, as boxes", named: true,
		read: func(s *reader.Section, p *spec.Plot, f *spec.Figure) {
			p.Lines = s.Str("lines")
			s.Need("measure", "slowdown")
			p.Measure = readMeasure(s, f, "measure")
			s.Need("edges", "[1B, 10KB, 1MB]")
			p.Edges = readEdges(s)
			switch m, known := f.Measures.Items[p.Measure]; {
			case !known: // said already
			case !measure.OfFlows(m.Kind):
				s.Fail(reader.At("measure", fmt.Errorf("%s is not one value for each flow; box takes %s", m.Kind, strings.Join(slices.DeleteFunc(measure.Kinds(), func(k string) bool { return !measure.OfFlows(k) }), ", "))))
			case m.MinSize != 0 || m.MaxSize != 0:
				s.Fail(reader.At("measure", errors.New("its edges are the sizes; leave min_size and max_size of the measure out")))
			}
		},
		labels: func(x *painter) {
			m := x.f.Measures.Items[x.p.Measure]
			x.d.xUnit, x.d.yUnit = "B", m.Unit
			x.d.figure.XLabel, x.d.figure.YLabel = "flow size", withUnit(m.Text, m.Unit)
		},
		panel: (*painter).boxes,
	})
}

// whisker is how far the whiskers of a box reach at most, in lengths of the
// box; what lies further out is not drawn.
const whisker = 1.5

// boxOf are the lower whisker, the quartiles and the upper whisker.
func boxOf(values []float64) [5]float64 {
	slices.Sort(values)
	q := stats.Quantiles(values, []float64{0.25, 0.5, 0.75})
	if math.IsInf(q[0], 0) || math.IsInf(q[2], 0) {
		return [5]float64{values[0], q[0], q[1], q[2], values[len(values)-1]}
	}
	reach := float64(whisker * (q[2] - q[0]))
	low, _ := slices.BinarySearch(values, q[0]-reach)
	high, found := slices.BinarySearch(values, q[2]+reach)
	for found && high < len(values) && values[high] == q[2]+reach {
		high++
	}
	return [5]float64{min(values[low], q[0]), q[0], q[1], q[2], max(values[high-1], q[2])}
}

// boxes draws the distribution of a measure's values between each two sizes:
// a box for each line, the mean over the seeds of its five numbers.
func (x *painter) boxes(panel *chart.Panel, where map[string]string, here *place) {
	m := x.f.Measures.Items[x.p.Measure]
	for i, edge := range x.p.Edges[:len(x.p.Edges)-1] {
		panel.Names = append(panel.Names, sizeRange(int64(edge), int64(x.p.Edges[i+1])))
		here.at = append(here.at, float64(edge))
	}
	values := x.values(x.p.Lines)
	beside, width := 0.8/float64(len(values)*len(x.engines)), 0.6/float64(len(values)*len(x.engines))
	for v, value := range values {
		for e, engine := range x.engines {
			shown := ""
			if x.p.Lines != "" {
				shown = x.f.Dimensions.Items[x.p.Lines].Name(value)
			}
			line := chart.Line{Name: x.name(shown, x.engine(engine)), Dots: true, Boxes: width}
			line.Style = x.style(line.Name)
			at := float64(beside * (float64(v*len(x.engines)+e) - float64(float64(len(values)*len(x.engines)-1)/2)))
			found := x.at(with(where, x.p.Lines, value), engine)
			for i, edge := range x.p.Edges[:len(x.p.Edges)-1] {
				bin := m
				bin.MinSize, bin.MaxSize = edge, x.p.Edges[i+1]
				box, err := x.box(bin, found)
				if err != nil {
					x.miss(panel, x.name(line.Name, panel.Names[i]), err)
					continue
				}
				if len(found) == 0 {
					continue
				}
				for _, y := range box {
					line.XY = append(line.XY, chart.Point{X: float64(i) + at, Y: y})
					x.d.points = append(x.d.points, point{here.row, here.column, value, engine, "", float64(edge), y, 0})
				}
			}
			panel.Lines = append(panel.Lines, line)
			here.lines = append(here.lines, lineKey{value, engine})
		}
	}
}

// box is the mean over runs of the five numbers.
func (x *painter) box(m spec.Measure, runs []int) (mean [5]float64, err error) {
	for _, i := range runs {
		values, err := x.taker.Spread(m, x.runs[i])
		if err != nil {
			return mean, err
		}
		box := boxOf(values)
		if math.IsInf(box[1], 0) || math.IsInf(box[3], 0) {
			return mean, fmt.Errorf("a quartile falls on a flow that did not finish")
		}
		for k, v := range box {
			mean[k] += v / float64(len(runs))
		}
	}
	return mean, nil
}
