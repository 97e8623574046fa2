package fct

import (
	"fabriclab/analysis/stats"
	"fabriclab/base/random"
)

// Times are the completion times in ps of the flows with from <= size < to,
// and the ideal ones of the same flows. Unfinished flows, or none at all, are
// an error.
func (f *Flows) Times(from, to int64) (took, ideal []float64, err error) {
	took, err = f.take(from, to, func(i int) float64 { return float64(f.FCT[i]) })
	if err != nil {
		return nil, nil, err
	}
	ideal, err = f.take(from, to, func(i int) float64 { return float64(f.Ideal[i]) })
	return took, ideal, err
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
	return stats.Sum(took) / stats.Sum(ideal), nil
}

// LogRates are the logarithms to base 2 of the rates of the flows with
// from <= size < to, in bit/s: a flow's size over its completion time. A flow
// with twice the rate has one more.
func (f *Flows) LogRates(from, to int64) ([]float64, error) {
	return f.take(from, to, func(i int) float64 {
		return random.Log(float64(f.Size[i])*8e12/float64(f.FCT[i])) / random.Log(2)
	})
}
