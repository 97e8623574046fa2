package fct

import (
	"fmt"
	"math"
	"slices"
)

// Times are the completion times in ps of the flows with from <= size < to,
// and the ideal ones of the same flows. Unfinished flows, or none at all, are
// an error.
func (f *Flows) Times(from, to int64) (took, ideal []float64, err error) {
	s := Stats{From: from, To: to}
	for i, size := range f.Size {
		switch {
		case size < from || size >= to:
		case math.IsNaN(f.Slowdown[i]):
			s.Unfinished++
		default:
			took, ideal = append(took, float64(f.FCT[i])), append(ideal, float64(f.Ideal[i]))
		}
	}
	s.Flows = len(took)
	return took, ideal, s.check()
}

// Normalised is the overall average completion time normalised to optimal: the
// sum of the flows' completion times over the sum of their ideal ones. It is
// not the mean of the flows' slowdowns, in which every flow counts the same
// however long it takes.
func (f *Flows) Normalised(from, to int64) (float64, error) {
	took, ideal, err := f.Times(from, to)
	if err != nil {
		return 0, err
	}
	return sum(took) / sum(ideal), nil
}

// Time is a statistic of the completion times, in ps.
func (f *Flows) Time(from, to int64, stat string) (float64, error) {
	took, _, err := f.Times(from, to)
	if err != nil {
		return 0, err
	}
	return Stat(took, stat)
}

// Stat is a statistic of values by its name; they are sorted by it. A
// percentile is the smallest value that the share of them does not exceed.
func Stat(values []float64, name string) (float64, error) {
	if len(values) == 0 {
		return math.NaN(), nil
	}
	slices.Sort(values)
	switch name {
	case "mean":
		return sum(values) / float64(len(values)), nil
	case "median":
		return quantile(values, 0.5), nil
	case "p95":
		return quantile(values, 0.95), nil
	case "p99":
		return quantile(values, 0.99), nil
	case "p99.9":
		return quantile(values, 0.999), nil
	}
	return 0, fmt.Errorf("%q is not a statistic; there are %v", name, Names)
}

func sum(values []float64) float64 {
	total := 0.0
	for _, v := range values {
		total += v
	}
	return total
}
