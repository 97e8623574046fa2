package figure

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"fabriclab/analysis/chart"
	"fabriclab/analysis/claims"
	"fabriclab/analysis/measure"
	"fabriclab/analysis/spec"
	"fabriclab/analysis/stats"
	"fabriclab/base/reader"
)

func init() {
	register(plotKind{
		name: "cdf", title: "distribution of the FCT slowdown of measured flows, or of a measure's values", logX: true,
		read: func(s *reader.Section, p *spec.Plot, f *spec.Figure) {
			p.Lines = s.Str("lines")
			p.LogX = s.Boolean("log", false) || p.LogX
			readMeasures(s, p, f, false)
			own := spec.Measure{Kind: "fct_slowdown", Unit: "1", MinSize: spec.ReadSize(s, "min_size"), MaxSize: spec.ReadSize(s, "max_size")}
			p.Own = own
			if s.Get("max_size") != nil && own.MaxSize <= own.MinSize {
				s.Fail(reader.At("max_size", errors.New("max_size is not above min_size")))
			}
			if len(p.Measures) == 0 {
				return
			}
			for _, key := range []string{"min_size", "max_size"} {
				if s.Get(key) != nil {
					s.Fail(reader.At(key, fmt.Errorf("%s is the measure's own where there is one", key)))
				}
			}
			first := f.Measures.Items[p.Measures[0]]
			for _, name := range p.Measures {
				switch m, known := f.Measures.Items[name]; {
				case !known: // said already
				case !measure.Spreads(m.Kind):
					s.Fail(fmt.Errorf("%s is one value, without a distribution; a cdf takes measures of the kinds %s", m.Kind, strings.Join(measure.Spreading(), ", ")))
				case m.Kind != first.Kind || m.Unit != first.Unit:
					s.Fail(reader.At("measures", fmt.Errorf("%s is a %s in %s, %s a %s in %s; the measures of a cdf are of one kind and unit", p.Measures[0], first.Kind, first.Unit, name, m.Kind, m.Unit)))
				}
			}
		},
		from: func(p spec.Plot) []string {
			if len(p.Measures) > 0 {
				return nil // they have said so
			}
			return measure.KindOf(p.Own.(spec.Measure).Kind).From
		},
		labels: func(x *painter) {
			c, first := x.c, x.cdfMeasure(0)
			c.XUnit, c.YUnit, c.XLabel, c.YLabel = first.Unit, "1", "FCT slowdown", "share of the flows"
			if len(x.p.Measures) > 0 {
				label := first.Text
				if len(x.p.Measures) > 1 { // their texts tell the lines from each other
					label = strings.ReplaceAll(first.Kind, "_", " ")
				}
				c.XLabel, c.YLabel = withUnit(label, c.XUnit), "cumulative share"
			}
			if least := measure.Least(first.Kind, first.Unit); least > 0 {
				c.LeastX = &least
			}
		},
		panel: (*painter).cdf,
	})
}

// cdfMeasure is a measure whose values a cdf shows: one it names, else the slowdown
// of the flows of its sizes.
func (x *painter) cdfMeasure(i int) spec.Measure {
	if len(x.p.Measures) == 0 {
		return x.p.Own.(spec.Measure)
	}
	return x.f.Measures.Items[x.p.Measures[i]]
}

// cdf draws the distribution of measures' values: for a share of them, the
// mean over the seeds of the value which it does not exceed.
func (x *painter) cdf(panel *chart.Panel, at spot) {
	var shares []float64
	for i := range 201 {
		shares = append(shares, float64(i)/200)
	}
	shares = slices.Insert(shares, 200, 0.9975, 0.999)
	x.lines(panel, at.where, x.measured(), func(line *chart.Line, part int, found []int) {
		quantiles, err := x.quantiles(x.cdfMeasure(part), shares, found)
		if err != nil {
			x.miss(panel, line.Name, err)
			return
		}
		below := 0 // flows that did not finish, where that makes a value low
		for k, share := range shares {
			if math.IsInf(quantiles[k], 1) { // the line ends where the others never come
				x.miss(panel, line.Name, fmt.Errorf("the line ends where values never come: the highest %s %%", claims.Num(100*(1-shares[max(0, k-1)]))))
				break
			}
			if math.IsInf(quantiles[k], -1) {
				below = k
				continue
			}
			line.Points = append(line.Points, chart.Point{X: quantiles[k], Y: share})
		}
		if below > 0 {
			x.miss(panel, line.Name, fmt.Errorf("the line begins above flows that did not finish: the lowest %s %%", claims.Num(100*shares[below])))
		}
	})
}

// quantiles are the means over runs of a measure's quantiles.
func (x *painter) quantiles(m spec.Measure, shares []float64, runs []int) ([]float64, error) {
	means := make([]float64, len(shares))
	for _, i := range runs {
		values, err := x.taker.Spread(m, x.runs[i])
		if err != nil {
			return nil, err
		}
		for k, q := range stats.Quantiles(values, shares) {
			means[k] += q / float64(len(runs))
		}
	}
	return means, nil
}
