package figure

import (
	"fmt"
	"strings"

	"fabriclab/analysis/stats"
	"fabriclab/base/steady"
	"fabriclab/base/units"
)

// A Load is what a point of which a load is asked made of it on an engine.
type Load struct {
	Labels map[string]string `json:"labels"`
	Engine string            `json:"engine"`
	// Steady is the verdict on the mean of the seeds.
	Steady steady.Verdict `json:"steady"`
	// WindowPs is when the measuring window begins, after the first arrival.
	WindowPs int64 `json:"window_ps"`
	// Offered and Carried are those of each seed, as shares of the capacity.
	Offered []float64 `json:"offered"`
	Carried []float64 `json:"carried"`
}

// LoadText says what LoadTable shows.
const LoadText = "Loads are shares of the capacity of which the workload asks for one, in the measuring window: means over the seeds, with three or more ± the 95 % confidence interval. Whether the network had settled there is judged by the mean of the seeds (docs/experiments.md, Steady state); times count from the first arrival. Of points that have not settled claims are judged only where they name them as beyond saturation by design."

// LoadTable has a row for each point of which a load is asked.
func LoadTable(dimensions []Dimension, loads []Load) (head []string, rows [][]string) {
	head = []string{"point", "engine", "seeds", "target load", "offered", "carried", "settled", "settles after", "window begins after"}
	over := func(seeds []float64) string {
		mean, half := stats.Mean95(seeds)
		return seedMean(mean, half, len(seeds))
	}
	for _, l := range loads {
		settled, after := "yes", "–"
		if !l.Steady.Settled {
			settled = "no: " + l.Steady.Reason
		}
		if l.Steady.WarmupPs >= 0 {
			after = units.FormatTime(l.Steady.WarmupPs)
		}
		rows = append(rows, []string{
			PointName(l.Labels, dimensions), l.Engine, fmt.Sprint(len(l.Carried)), shortNumber(l.Steady.Asked),
			over(l.Offered), over(l.Carried), settled, after, units.FormatTime(l.WindowPs),
		})
	}
	return head, rows
}

// loadsOf is the section of summary.md.
func loadsOf(b *strings.Builder, in Input) {
	if len(in.Loads) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## Load and steady state\n\n%s\n\n", LoadText)
	head, rows := LoadTable(dimensionsOf(in.Figure), in.Loads)
	row(b, head...)
	rule(b, len(head))
	for _, cells := range rows {
		row(b, cells...)
	}
}
