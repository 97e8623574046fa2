package compare

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"fabriclab/analysis/stats"
	"fabriclab/base/random"
)

// draws is how often the differences are drawn anew.
const draws = 10_000

// FewestSeeds is how many seeds a verdict takes. By chance alone, all of n
// differences have the same sign with probability 2^(1-n), and no interval
// made of them holds 0 then: with fewer seeds the chance of a false alarm is
// above what the confidence promises.
func FewestSeeds(confidence float64) int {
	n := 1
	for math.Ldexp(1, 1-n) > 1-confidence {
		n++
	}
	return n
}

// interval is the confidence interval of the mean of the differences: the
// bootstrap's percentiles, expanded as Student's interval is wider than the
// normal one, for the bootstrap's distribution is too narrow for few values
// (Hesterberg, What Teachers Should Know About the Bootstrap, 2015, section
// 3.2). The draws depend on the name alone.
func interval(differences []float64, confidence float64, resamples int, name string) (low, high float64) {
	n := len(differences)
	stream := random.New(1, "compare:"+name, 0)
	means, drawn := make([]float64, resamples), make([]float64, n)
	for i := range means {
		for k := range drawn {
			drawn[k] = differences[stream.Below(uint32(n))]
		}
		means[i] = stats.Mean(drawn)
	}
	slices.Sort(means)
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 1)}.Quantile((1 - confidence) / 2)
	tail := distuv.UnitNormal.CDF(t * math.Sqrt(float64(n)/float64(n-1)))
	at := int(tail * float64(resamples))
	return means[at], means[resamples-1-at]
}
