// Package fct measures flow completion times from the `flows` table: the time
// from a flow's start to its last payload byte at the receiver, and its
// slowdown, that time over the ideal one of the same flow alone.
package fct

import (
	"fmt"
	"math"
	"slices"

	"fabriclab/analysis/table"
)

// Flows are flows by columns, as there may be ten million of them.
type Flows struct {
	Size     []int64   // payload bytes
	Slowdown []float64 // NaN = unfinished
	FCT      []int64   // ps; of an unfinished flow, how long it had taken when the run ended, at least its ideal time
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
		{Name: "fct_ps", Type: table.Int}, {Name: "ideal_fct_ps", Type: table.Int}, {Name: "start_ps", Type: table.Int},
	}
	end := int64(-1) // of the run; only unfinished flows ask for it
	err := table.Scan(dir, "flows", columns, func(r *table.Rows) (err error) {
		for i := range r.N {
			size := r.Int(2, i)
			if size == 0 || !all && !r.Bool(0, i) {
				continue
			}
			slowdown := math.NaN()
			var took int64
			if r.Bool(1, i) && !r.Null(3, i) {
				slowdown, took = r.Float(3, i), r.Int(4, i)
			} else {
				if end < 0 {
					if end, err = table.RunEnd(dir); err != nil {
						return err
					}
				}
				took = r.Int(5, i) // as one that waits for other messages, and has not started
				if start := r.Int(6, i); start >= 0 {
					took = max(end-start, took)
				}
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
	values     []float64 // by Names
	errs       []error
}

// Names of the statistics, as `stat` in the figure section and on plots.
var Names = []string{"mean", "median", "p95", "p99", "p99.9"}

// Get is a statistic by its name. Where unfinished flows leave none, that is
// an error; a mean among them is a *Bound, and the value is the bound.
func (s Stats) Get(name string) (float64, error) {
	i := slices.Index(Names, name)
	if i < 0 {
		return 0, fmt.Errorf("%q is not a statistic; there are %v", name, Names)
	}
	return s.values[i], s.errs[i]
}

// Bins gives the statistics of the flows between each pair of neighbouring
// edges (bytes, ascending).
func (f *Flows) Bins(edges []int64) []Stats {
	bins := make([]Stats, len(edges)-1)
	samples := make([]Sample, len(bins))
	each := func(do func(bin, flow int)) {
		for i, size := range f.Size {
			bin, found := slices.BinarySearch(edges, size)
			if !found {
				bin--
			}
			if bin >= 0 && bin < len(bins) {
				do(bin, i)
			}
		}
	}
	each(func(bin, flow int) {
		if math.IsNaN(f.Slowdown[flow]) {
			bins[bin].Unfinished++
		} else {
			bins[bin].Flows++
		}
	})
	for i := range bins {
		bins[i].From, bins[i].To = edges[i], edges[i+1]
		samples[i] = NewSample(edges[i], edges[i+1], false)
		samples[i].Values = make([]float64, 0, bins[i].Flows)
	}
	each(func(bin, flow int) { samples[bin].add(f, flow, f.slowdown) })
	for i := range bins {
		for _, name := range Names {
			v, err := samples[i].Of(name)
			bins[i].values, bins[i].errs = append(bins[i].values, v), append(bins[i].errs, err)
		}
	}
	return bins
}

// slowdown is a flow's slowdown; of an unfinished one, what it is at least.
func (f *Flows) slowdown(i int) float64 {
	if math.IsNaN(f.Slowdown[i]) {
		return float64(f.FCT[i]) / float64(f.Ideal[i])
	}
	return f.Slowdown[i]
}

// Slowdowns are those of the flows with from <= size < to.
func (f *Flows) Slowdowns(from, to int64) Sample { return f.sample(from, to, false, f.slowdown) }

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
