package fct

import (
	"fmt"
	"math"
	"slices"

	"fabriclab/analysis/stats"
	"fabriclab/base/units"
)

// A Sample is a number of each of some flows, such as their slowdowns. What a
// flow that did not finish would have come to is not known; that it is more
// than that of all others (of rates, less) is what its statistics build on. So
// the median of a hundred flows stands if forty of them did not finish.
type Sample struct {
	Values []float64 // of the flows that finished
	// Bounds are of those that did not: their number, if they had finished when
	// the run ended.
	Bounds  []float64
	Falling bool // the number falls the longer a flow takes
	sizes   string
}

// A Bound is why a mean is not one: some flows did not finish, and the value is
// what it is at least (of rates, at most).
type Bound struct {
	Upper bool
	why   string
}

func (b *Bound) Error() string {
	if b.Upper {
		return "the mean is an upper bound: " + b.why
	}
	return "the mean is a lower bound: " + b.why
}

// NewSample is a sample of the flows with from <= size < to; it has none yet.
func NewSample(from, to int64, falling bool) Sample {
	return Sample{Falling: falling, sizes: sizes(from, to)}
}

func (f *Flows) sample(from, to int64, falling bool, value func(i int) float64) Sample {
	s := NewSample(from, to, falling)
	for i, size := range f.Size {
		if size >= from && size < to {
			s.add(f, i, value)
		}
	}
	return s
}

func (s *Sample) add(f *Flows, flow int, value func(i int) float64) {
	if math.IsNaN(f.Slowdown[flow]) {
		s.Bounds = append(s.Bounds, value(flow))
	} else {
		s.Values = append(s.Values, value(flow))
	}
}

// All are the values with those of unfinished flows beyond all others: +Inf, or
// -Inf where the number falls. There being none is an error.
func (s Sample) All() ([]float64, error) {
	if len(s.Values)+len(s.Bounds) == 0 {
		return nil, fmt.Errorf("there are no measured flows %s", s.sizes)
	}
	beyond := math.Inf(1)
	if s.Falling {
		beyond = math.Inf(-1)
	}
	return append(slices.Clone(s.Values), slices.Repeat([]float64{beyond}, len(s.Bounds))...), nil
}

// Unfinished says how many flows did not finish.
func (s Sample) Unfinished() string {
	return fmt.Sprintf("%d of %d flows %s did not finish", len(s.Bounds), len(s.Values)+len(s.Bounds), s.sizes)
}

// Of is a statistic of package stats by its name; the values are sorted by it. Where it falls on a flow that
// did not finish there is none, which is an error; the mean of flows some of
// which did not is a *Bound, and the value is the bound.
func (s Sample) Of(stat string) (float64, error) {
	if len(s.Bounds) == 0 && len(s.Values) > 0 {
		return stats.Of(s.Values, stat)
	}
	all, err := s.All()
	if err != nil {
		return 0, err
	}
	if stat == "mean" && len(s.Bounds) > 0 {
		mean := stats.Mean(append(sorted(s.Values), sorted(s.Bounds)...))
		return mean, &Bound{s.Falling, s.Unfinished()}
	}
	v, err := stats.Of(all, stat)
	if err == nil && math.IsInf(v, 0) {
		return 0, fmt.Errorf("the %s falls on a flow that did not finish: %s", stat, s.Unfinished())
	}
	return v, err
}

func sorted(values []float64) []float64 { return slices.Sorted(slices.Values(values)) }

func sizes(from, to int64) string {
	switch {
	case to == math.MaxInt64 && from == 0:
		return "of any size"
	case to == math.MaxInt64:
		return "of " + units.FormatBytes(from) + " and more"
	}
	return fmt.Sprintf("of %s to %s", units.FormatBytes(from), units.FormatBytes(to))
}
