package claims

import (
	"fmt"
	"math"

	"fabriclab/analysis/stats"
)

// The verdicts.
const (
	Reproduced   = "reproduced"
	Deviates     = "deviates"
	Inconclusive = "inconclusive"
	NotEvaluated = "not-evaluated"
)

// Verdicts are all of them, the best first.
var Verdicts = []string{Reproduced, Deviates, Inconclusive, NotEvaluated}

// Means are those that mean_over may take, the one it takes by itself first.
var Means = []string{"arithmetic", Geometric, Largest}

// Geometric is the n-th root of the product of n numbers; Largest is no mean, but
// what a paper has that says "up to".
const (
	Geometric = "geometric"
	Largest   = "largest"
)

// overall is the verdict of a claim whose engines have these: the worst that
// can be said.
func overall(verdicts []string) string {
	for _, v := range []string{Deviates, Inconclusive} {
		for _, found := range verdicts {
			if found == v {
				return v
			}
		}
	}
	return Reproduced
}

// ofNumber judges a number by its mean over seeds. A confidence interval that
// reaches across an edge of the tolerance supports neither verdict, and no more
// does a time that comes in some seeds only. One seed has no interval.
func ofNumber(seeds []float64, expected, limit float64) string {
	if nevers := never(seeds); nevers > 0 {
		return ofSeeds(len(seeds)-nevers, len(seeds))
	}
	mean, half := stats.Mean95(seeds)
	if math.IsNaN(half) {
		half = 0
	}
	off := math.Abs(mean - expected)
	switch {
	case off+half <= limit:
		return Reproduced
	case off-half > limit:
		return Deviates
	}
	return Inconclusive
}

// belowZero judges by the mean over seeds whether differences are below 0. Where some
// are infinite there is no mean.
func belowZero(differences []float64) string {
	switch mean, half := stats.Mean95(differences); {
	case mean+half < 0:
		return Reproduced
	case mean-half > 0:
		return Deviates
	}
	return Inconclusive
}

// never is the number of seeds in which a time does not come.
func never(seeds []float64) (n int) {
	for _, v := range seeds {
		if math.IsInf(v, 1) {
			n++
		}
	}
	return n
}

// ofSeeds judges what holds or does not in each seed.
func ofSeeds(held, seeds int) string {
	switch held {
	case seeds:
		return Reproduced
	case 0:
		return Deviates
	}
	return Inconclusive
}

// Tally counts claims by verdict. Checks of the set-up are counted apart.
type Tally struct{ Reproduced, Deviates, Inconclusive, NotEvaluated, Checks int }

// Add counts a claim.
func (t *Tally) Add(r Result) {
	if r.Check != "" {
		t.Checks++
		return
	}
	switch r.Verdict {
	case Reproduced:
		t.Reproduced++
	case Deviates:
		t.Deviates++
	case Inconclusive:
		t.Inconclusive++
	default:
		t.NotEvaluated++
	}
}

// Merge counts what another tally has counted.
func (t *Tally) Merge(o Tally) {
	t.Reproduced += o.Reproduced
	t.Deviates += o.Deviates
	t.Inconclusive += o.Inconclusive
	t.NotEvaluated += o.NotEvaluated
	t.Checks += o.Checks
}

// Total is the number of claims, checks of the set-up left out.
func (t Tally) Total() int { return t.Reproduced + t.Deviates + t.Inconclusive + t.NotEvaluated }

func (t Tally) String() string {
	text := fmt.Sprintf("%d reproduced, %d deviates, %d inconclusive, %d not-evaluated", t.Reproduced, t.Deviates, t.Inconclusive, t.NotEvaluated)
	if t.Checks > 0 {
		text += fmt.Sprintf("; %d of the set-up", t.Checks)
	}
	return text
}

// Count counts claims.
func Count(results []Result) (t Tally) {
	for _, r := range results {
		t.Add(r)
	}
	return t
}
