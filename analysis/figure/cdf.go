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
		name: "cdf", title: "the distribution of the slowdown of flows, or of measures", logX: true,
		read: func(s *reader.Section, p *spec.Plot, f *spec.Figure) {
			p.Lines, p.Log = s.Str("lines"), s.Boolean("log", false)
			readMeasures(s, p, f, false)
			p.MinSize, p.MaxSize = spec.ReadSize(s, "min_size"), spec.ReadSize(s, "max_size")
			if s.Get("max_size") != nil && p.MaxSize <= p.MinSize {
				s.Fail(reader.At("max_size", errors.New("max_size is not above min_size")))
			}
			names := shownMeasures(*p)
			if names[0] == "" {
				return
			}
			for _, key := range []string{"min_size", "max_size"} {
				if s.Get(key) != nil {
					s.Fail(reader.At(key, fmt.Errorf("%s is the measure's own where there is one", key)))
				}
			}
			first := f.Measures.Items[names[0]]
			for _, name := range names {
				switch m, known := f.Measures.Items[name]; {
				case !known: // said already
				case !measure.Spreads(m.Kind):
					s.Fail(fmt.Errorf("%s is one value, without a distribution; a cdf takes measures of the kinds %s", m.Kind, strings.Join(measure.Spreading(), ", ")))
				case m.Kind != first.Kind || m.Unit != first.Unit:
					s.Fail(reader.At("measures", fmt.Errorf("%s is a %s in %s, %s a %s in %s; the measures of a cdf are of one kind and unit", names[0], first.Kind, first.Unit, name, m.Kind, m.Unit)))
				}
			}
		},
		labels: func(x *painter) {
			d := x.d
			names, measures := x.cdfMeasures()
			d.xUnit, d.yUnit = measures[0].Unit, "1"
			d.figure.XLabel, d.figure.YLabel, d.figure.LogX = "FCT slowdown", "share of the flows", x.p.Log
			if names[0] != "" {
				label := measures[0].Text
				if len(measures) > 1 { // their texts tell the lines from each other
					label = strings.ReplaceAll(measures[0].Kind, "_", " ")
				}
				d.figure.XLabel, d.figure.YLabel = withUnit(label, d.xUnit), "cumulative share"
			}
		},
		panel: (*painter).cdf,
	})
}

// cdfMeasures are those whose values a cdf shows, by name: the ones it names,
// else the slowdown of the flows of its sizes.
func (x *painter) cdfMeasures() (names []string, measures []spec.Measure) {
	switch {
	case x.p.Measures != nil:
		names = x.p.Measures
	case x.p.Measure != "":
		names = []string{x.p.Measure}
	default:
		return []string{""}, []spec.Measure{{Kind: "fct_slowdown", Unit: "1", MinSize: x.p.MinSize, MaxSize: x.p.MaxSize}}
	}
	for _, name := range names {
		measures = append(measures, x.f.Measures.Items[name])
	}
	return names, measures
}

// cdf draws the distribution of measures' values: for a share of them, the
// mean over the seeds of the value which it does not exceed.
func (x *painter) cdf(panel *chart.Panel, where map[string]string, here *place) {
	var shares []float64
	for i := range 201 {
		shares = append(shares, float64(i)/200)
	}
	shares = slices.Insert(shares, 200, 0.9975, 0.999)
	names, measures := x.cdfMeasures()
	for _, value := range x.values(x.p.Lines) {
		shown := ""
		if x.p.Lines != "" {
			shown = x.f.Dimensions.Items[x.p.Lines].Name(value)
		}
		for i, m := range measures {
			text, key := "", value
			if len(measures) > 1 {
				text, key = m.Text, x.name(value, names[i])
			}
			for _, engine := range x.engines {
				line := chart.Line{Name: x.name(shown, text, x.engine(engine))}
				line.Style = x.style(line.Name)
				quantiles, err := x.quantiles(m, shares, x.at(with(where, x.p.Lines, value), engine))
				if err != nil {
					x.miss(panel, line.Name, err)
				}
				if quantiles == nil && err == nil {
					continue // the matrix has no such run
				}
				if quantiles == nil { // its name stays in the legend
					panel.Lines = append(panel.Lines, line)
					here.lines = append(here.lines, lineKey{key, engine})
					continue
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
					line.XY = append(line.XY, chart.Point{X: quantiles[k], Y: share})
					x.d.points = append(x.d.points, point{here.row, here.column, key, engine, "", quantiles[k], share, 0})
				}
				if below > 0 {
					x.miss(panel, line.Name, fmt.Errorf("the line begins above flows that did not finish: the lowest %s %%", claims.Num(100*shares[below])))
				}
				panel.Lines = append(panel.Lines, line)
				here.lines = append(here.lines, lineKey{key, engine})
			}
		}
	}
}

// quantiles are the means over runs of a measure's quantiles; nil without runs.
func (x *painter) quantiles(m spec.Measure, shares []float64, runs []int) ([]float64, error) {
	if len(runs) == 0 {
		return nil, nil
	}
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
