package compare

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"fabriclab/analysis/stats"
	"fabriclab/base/random"
)

// draws of the bootstrap.
const draws = 10_000

// FewestSeeds is how many seeds a verdict takes. By chance alone, all n
// differences have the same sign with probability 2^(1-n), and then no interval
// holds 0. With fewer seeds false alarms are more likely than the confidence
// promises.
func FewestSeeds(confidence float64) int {
	n := 1
	for math.Ldexp(1, 1-n) > 1-confidence {
		n++
	}
	return n
}

// interval is the confidence interval of the mean of the differences, from the
// bootstrap's percentiles. For few values the bootstrap is too narrow, so it is
// widened by the ratio of Student's interval to the normal one (Hesterberg, What
// Teachers Should Know About the Bootstrap, 2015, section 3.2). The draws depend
// on the name alone.
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
