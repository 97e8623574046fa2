// Package fct measures flow completion times from the `flows` table: the time
// from a flow's start to its last payload byte at the receiver, and its
// slowdown, that time over the ideal one of the same flow alone.
package fct

import (
	"fmt"
	"math"
	"slices"

	"fabriclab/analysis/stats"
	"fabriclab/analysis/table"
	"fabriclab/base/units"
)

// Flows are flows by columns, as there may be ten million of them.
type Flows struct {
	Size     []int64   // payload bytes
	Slowdown []float64 // NaN = unfinished
	FCT      []int64   // ps; 0 = unfinished
	Ideal    []int64   // ps
}

// Len is how many flows there are.
func (f *Flows) Len() int { return len(f.Size) }

// Read reads the measured flows of a run; with all, the others too. Flows of
// unlimited size have no completion time and are left out.
func Read(dir string, all bool) (*Flows, error) {
	f := &Flows{}
	columns := []table.Column{
		{Name: "measured", Type: table.Bool}, {Name: "finished", Type: table.Bool},
		{Name: "size_bytes", Type: table.Int}, {Name: "slowdown", Type: table.Float},
		{Name: "fct_ps", Type: table.Int}, {Name: "ideal_fct_ps", Type: table.Int},
	}
	err := table.Scan(dir, "flows", columns, func(r *table.Rows) error {
		for i := range r.N {
			size := r.Int(2, i)
			if size == 0 || !all && !r.Bool(0, i) {
				continue
			}
			slowdown := math.NaN()
			var took int64
			if r.Bool(1, i) && !r.Null(3, i) {
				slowdown, took = r.Float(3, i), r.Int(4, i)
			}
			f.Size = append(f.Size, size)
			f.Slowdown = append(f.Slowdown, slowdown)
			f.FCT = append(f.FCT, took)
			f.Ideal = append(f.Ideal, r.Int(5, i))
		}
		return nil
	})
	return f, err
}

// Stats are the statistics of the slowdowns of flows of one size range.
type Stats struct {
	From, To   int64 // bytes, From <= size < To
	Flows      int   // finished
	Unfinished int
	Mean       float64
	Median     float64
	P95        float64
	P99        float64
	P999       float64
}

// Names of the statistics, as `stat` in the figure section and on plots.
var Names = []string{"mean", "median", "p95", "p99", "p99.9"}

// check says why the flows have no statistics: unfinished ones among them, or
// none at all. A statistic of those that finished would flatter.
func (s Stats) check() error {
	switch {
	case s.Unfinished > 0:
		return fmt.Errorf("%d of %d flows %s did not finish", s.Unfinished, s.Flows+s.Unfinished, s.sizes())
	case s.Flows == 0:
		return fmt.Errorf("there are no measured flows %s", s.sizes())
	}
	return nil
}

// Get is a statistic by its name; unfinished flows, or none at all, are an
// error.
func (s Stats) Get(name string) (float64, error) {
	if err := s.check(); err != nil {
		return 0, err
	}
	switch name {
	case "mean":
		return s.Mean, nil
	case "median":
		return s.Median, nil
	case "p95":
		return s.P95, nil
	case "p99":
		return s.P99, nil
	case "p99.9":
		return s.P999, nil
	}
	return 0, fmt.Errorf("%q is not a statistic; there are %v", name, Names)
}

func (s Stats) sizes() string {
	switch {
	case s.To == math.MaxInt64 && s.From == 0:
		return "of any size"
	case s.To == math.MaxInt64:
		return "of " + units.FormatBytes(s.From) + " and more"
	}
	return fmt.Sprintf("of %s to %s", units.FormatBytes(s.From), units.FormatBytes(s.To))
}

// Bins gives the statistics of the flows between each pair of neighbouring
// edges (bytes, ascending). Percentiles are empirical: the smallest slowdown
// that the given share of the flows does not exceed.
func (f *Flows) Bins(edges []int64) []Stats {
	stats := make([]Stats, len(edges)-1)
	slowdowns := make([][]float64, len(stats))
	for i := range stats {
		stats[i].From, stats[i].To = edges[i], edges[i+1]
	}
	each := func(do func(bin int, slowdown float64)) {
		for i, size := range f.Size {
			bin, found := slices.BinarySearch(edges, size)
			if !found {
				bin--
			}
			if bin >= 0 && bin < len(stats) {
				do(bin, f.Slowdown[i])
			}
		}
	}
	each(func(bin int, slowdown float64) {
		if math.IsNaN(slowdown) {
			stats[bin].Unfinished++
		} else {
			stats[bin].Flows++
		}
	})
	for i := range stats {
		slowdowns[i] = make([]float64, 0, stats[i].Flows)
	}
	each(func(bin int, slowdown float64) {
		if !math.IsNaN(slowdown) {
			slowdowns[bin] = append(slowdowns[bin], slowdown)
		}
	})
	for i, x := range slowdowns {
		stats[i].summarise(x)
	}
	return stats
}

// summarise sorts the slowdowns and takes their statistics.
func (s *Stats) summarise(x []float64) {
	if len(x) == 0 {
		return
	}
	slices.Sort(x)
	s.Mean = stats.Mean(x)
	s.Median, s.P95, s.P99, s.P999 = stats.Quantile(x, 0.5), stats.Quantile(x, 0.95), stats.Quantile(x, 0.99), stats.Quantile(x, 0.999)
}

// Slowdowns are those of the flows with from <= size < to. Unfinished flows, or
// none at all, are an error.
func (f *Flows) Slowdowns(from, to int64) ([]float64, error) {
	return f.take(from, to, func(i int) float64 { return f.Slowdown[i] })
}

// take has a value of each flow with from <= size < to. Unfinished flows, or
// none at all, are an error.
func (f *Flows) take(from, to int64, value func(i int) float64) ([]float64, error) {
	s := Stats{From: from, To: to}
	var x []float64
	for i, size := range f.Size {
		switch {
		case size < from || size >= to:
		case math.IsNaN(f.Slowdown[i]):
			s.Unfinished++
		default:
			x = append(x, value(i))
		}
	}
	s.Flows = len(x)
	return x, s.check()
}

// EqualCounts are the edges of bins that have about as many of the flow sizes
// each, fewer than n where many sizes are the same. The last edge is just
// above the largest size.
func EqualCounts(sizes []int64, n int) []int64 {
	if len(sizes) == 0 {
		return nil
	}
	sorted := slices.Clone(sizes)
	slices.Sort(sorted)
	var edges []int64
	for i := range n {
		edges = append(edges, sorted[i*len(sorted)/n])
	}
	return slices.Compact(append(edges, sorted[len(sorted)-1]+1))
}
