package report

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"fabriclab/analysis/chart"
	"fabriclab/analysis/measure"
)

// mostPoints is how many points of a line are in the page at most, pagePoints
// of all lines together: about 16 bytes each.
const (
	mostPoints = 4000
	pagePoints = 100_000
)

// linePoints is how many points a line may have, so that all lines of the
// sections together have no more than pagePoints: short ones stay as they are.
func linePoints(sections []Section) int {
	var lengths []int
	for _, s := range sections {
		if s.Figure == nil {
			continue
		}
		for _, p := range s.Figure.Plots {
			p.All(func(_ *chart.Panel, l *chart.Line) { lengths = append(lengths, len(l.Points)) })
		}
	}
	slices.Sort(lengths)
	room := pagePoints
	for i, n := range lengths {
		if share := room / (len(lengths) - i); n > share {
			return min(mostPoints, max(share, chart.LeastPoints))
		}
		room -= n
	}
	return mostPoints
}

// chart is a plot for the page; dir is its figure's folder.
func (l links) chart(section, dir string, p chart.Figure) (chartView, error) {
	p, thinned, err := p.ForPage(l.points)
	if err != nil {
		return chartView{}, fmt.Errorf("plot %s: %w", p.ID, err)
	}
	v := chartView{Anchor: section + "-" + p.ID, Title: p.Title, Missing: p.Missing, Thinned: thinned}
	for _, ending := range []string{"parquet", "csv", "svg", "pdf", "png"} {
		v.Files = append(v.Files, link{p.ID + "." + ending, l.to(filepath.Join(dir, p.ID+"."+ending))})
	}
	p.Missing, p.XUnit, p.YUnit = nil, measure.Label(p.XUnit), measure.Label(p.YUnit)
	v.Data = page{p, strings.TrimSuffix(p.XLabel, " ("+p.XUnit+")")}
	return v, nil
}

// page is a chart with what the script shows beside it.
type page struct {
	chart.Figure
	XName string `json:"x_name"` // without the unit
}
