package fct

import (
	"fabriclab/analysis/stats"
	"fabriclab/base/random"
)

// Times are the completion times in ps of the flows with from <= size < to.
func (f *Flows) Times(from, to int64) Sample {
	return f.sample(from, to, false, func(i int) float64 { return float64(f.FCT[i]) })
}

// Normalised is the overall average completion time normalised to optimal: the
// sum of the flows' completion times over the sum of their ideal ones. It is
// not the mean of the flows' slowdowns, in which every flow counts the same
// however long it takes. Where some did not finish it is a *Bound.
func (f *Flows) Normalised(from, to int64) (float64, error) {
	took := f.Times(from, to)
	ideal := f.sample(from, to, false, func(i int) float64 { return float64(f.Ideal[i]) })
	if _, err := took.All(); err != nil {
		return 0, err
	}
	ratio := (stats.Sum(took.Values) + stats.Sum(took.Bounds)) / (stats.Sum(ideal.Values) + stats.Sum(ideal.Bounds))
	if len(took.Bounds) > 0 {
		return ratio, &Bound{why: took.Unfinished()}
	}
	return ratio, nil
}

// LogRates are the logarithms to base 2 of the rates of the flows with
// from <= size < to, in bit/s: a flow's size over its completion time. A flow
// with twice the rate has one more.
func (f *Flows) LogRates(from, to int64) Sample {
	return f.sample(from, to, true, func(i int) float64 {
		return random.Log(float64(f.Size[i])*8e12/float64(f.FCT[i])) / random.Log(2)
	})
}
