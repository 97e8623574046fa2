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
		name: "box", title: "distribution by flow size: quartiles, and whiskers to the last value within 1.5 box lengths; no outliers", named: true,
		read: func(s *reader.Section, p *spec.Plot, f *spec.Figure) {
			p.Lines = s.Str("lines")
			m := readOneMeasure(s, p, f, "slowdown")
			s.Need("edges", "[1B, 10KB, 1MB]")
			p.Own = boxPlot{readEdges(s), readPackets(s)}
			switch {
			case m.Kind == "": // said already
			case !measure.OfFlows(m.Kind):
				s.Fail(reader.At("measure", fmt.Errorf("%s is not one value for each flow; box takes %s", m.Kind, strings.Join(slices.DeleteFunc(measure.Kinds(), func(k string) bool { return !measure.OfFlows(k) }), ", "))))
			case m.MinSize != 0 || m.MaxSize != 0:
				s.Fail(reader.At("measure", errors.New("its edges are the sizes; leave min_size and max_size of the measure out")))
			}
		},
		labels: func(x *painter) {
			labelsOfMeasures(x)
			x.c.XUnit, x.c.XLabel = "B", x.p.Own.(boxPlot).in.label("flow size")
		},
		panel: (*painter).boxes,
	})
}

// A boxPlot is what a plot of boxes has of its own.
type boxPlot struct {
	edges []spec.Size
	in    packets
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
func (x *painter) boxes(panel *chart.Panel, at spot) {
	own := x.p.Own.(boxPlot)
	for i, edge := range own.edges[:len(own.edges)-1] {
		panel.Names = append(panel.Names, own.in.between(int64(edge), int64(own.edges[i+1])))
		panel.At = append(panel.At, float64(edge))
	}
	x.lines(panel, at.where, nil, func(line *chart.Line, _ int, found []int) {
		line.Shape = chart.Boxes
		for i, name := range panel.Names {
			bin := x.f.Measures.Items[x.p.Measures[0]]
			bin.MinSize, bin.MaxSize = own.edges[i], own.edges[i+1]
			box, err := x.box(bin, found)
			if err != nil {
				x.miss(panel, x.name(line.Name, name), err)
				continue
			}
			for _, y := range box {
				line.Points = append(line.Points, chart.Point{X: panel.At[i], Y: y})
			}
		}
	})
	for i := range panel.Lines {
		panel.Lines[i].Width, panel.Lines[i].Beside = beside(i, len(panel.Lines), 0.8)
		panel.Lines[i].Width *= 0.75
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
