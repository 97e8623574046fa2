// Package steady says whether a system that was started empty has settled: from
// when on its state no longer depends on how it began.
package steady

import "math"

// Truncation is the number of values at the head of a series that belong to the
// transient, by MSER: what remains has the least standard error of its mean
// (K. P. White, An Effective Truncation Heuristic for Bias Reduction in
// Simulation Output, Simulation 69(6), 1997). No more than most values are cut
// off, because the mean of a few last ones has a small error by chance; half of
// the series is usual, and a series that asks for it is too short.
func Truncation(x []float64, most int) (cut int) {
	var sum, squares float64 // of what remains behind each cut
	best := math.Inf(1)
	for i := len(x) - 1; i >= 0; i-- {
		sum += x[i]
		squares += x[i] * x[i]
		if i > most {
			continue
		}
		left := float64(len(x) - i)
		// A tie goes to the longer rest; rounding is no difference.
		if error2 := (squares - sum*sum/left) / (left * left); error2 <= best*(1+1e-12) {
			best, cut = error2, i
		}
	}
	return cut
}
