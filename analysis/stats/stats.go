// Package stats has the statistics that measures, claims and plots share. A
// quantile is the default of numpy, pandas and R: linear between the two values
// beside it.
package stats

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"fabriclab/base/random"
)

// Names are the statistics of Of.
var Names = []string{"mean", "median", "p90", "p95", "p99", "p99.9", "min", "max"}

// Of is a statistic of values by its name; they are sorted by it. Without
// values it is NaN.
func Of(values []float64, name string) (float64, error) {
	if !slices.Contains(Names, name) {
		return 0, fmt.Errorf("%q is not a statistic; there are %v", name, Names)
	}
	if len(values) == 0 {
		return math.NaN(), nil
	}
	slices.Sort(values)
	switch name {
	case "mean":
		return Mean(values), nil
	case "min":
		return values[0], nil
	case "max":
		return values[len(values)-1], nil
	}
	return Quantile(values, shares[name]), nil
}

// shares are those of the values that the quantiles are not exceeded by.
var shares = map[string]float64{"median": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99, "p99.9": 0.999}

// Mean is the mean of values in their order; NaN without any. gonum's adds in
// the order of the machine's vector instructions, whose last digit is not the
// same everywhere.
func Mean(values []float64) float64 { return Sum(values) / float64(len(values)) }

// GeometricMean is the n-th root of the product of n values, none of which is
// negative, to some 15 digits, which are the same on every machine; NaN of 0 and
// infinity together. There is one value or more.
func GeometricMean(values []float64) float64 {
	sum, infinite, zero := 0.0, false, false
	for _, v := range values {
		switch {
		case v == 0:
			zero = true
		case math.IsInf(v, 1):
			infinite = true
		default:
			sum += random.Log(v)
		}
	}
	switch {
	case zero && infinite:
		return math.NaN()
	case zero:
		return 0
	case infinite:
		return math.Inf(1)
	}
	return random.Exp(sum / float64(len(values)))
}

// Sum adds values in their order.
func Sum(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum
}

// Quantile is at place p (n - 1) of n sorted values, counted from 0, linear
// between two of them, to the last digit as numpy.quantile has it. Between a
// number and infinity it is infinity. There is one value or more.
func Quantile(sorted []float64, p float64) float64 {
	place := float64(p * float64(len(sorted)-1))
	i := int(place)
	low, t := sorted[i], place-float64(i)
	if t == 0 || math.IsInf(low, 0) {
		return low
	}
	high := sorted[i+1]
	switch {
	case math.IsInf(high, 0):
		return high
	case t >= 0.5:
		return high - float64((high-low)*(1-t)) // float64: rounded on its own, on every machine
	}
	return low + float64((high-low)*t)
}

// Quantiles are the quantiles of the shares; the values are sorted by it.
// There is one value or more.
func Quantiles(values, shares []float64) []float64 {
	slices.Sort(values)
	out := make([]float64, len(shares))
	for i, p := range shares {
		out[i] = Quantile(values, p)
	}
	return out
}

// Mean95 is the mean of one value per seed and the half width of its 95 %
// confidence interval by Student's t; NaN with fewer than two seeds.
func Mean95(values []float64) (mean, half float64) {
	mean = Mean(values)
	n := float64(len(values))
	if n < 2 {
		return mean, math.NaN()
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(0.975)
	return mean, t * stat.StdDev(values, nil) / math.Sqrt(n)
}
