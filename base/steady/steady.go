// Package steady says whether a system that was started empty has settled: from
// when on its state no longer depends on how it began.
package steady

import "math"

// Truncation is the number of values at the head of a series that belong to the
// transient, by MSER: what remains has the least standard error of its mean
// (K. P. White, An Effective Truncation Heuristic for Bias Reduction in
// Simulation Output, Simulation 69(6), 1997). ok is false if the least lies in
// the last quarter of what may be cut off, which is the first half: such a
// series still drifts, or is too short to tell.
func Truncation(x []float64) (cut int, ok bool) {
	n := len(x)
	most := n / 2
	// From the end: sums of what remains behind each cut.
	var sum, squares float64
	best := math.Inf(1)
	for i := n - 1; i >= 0; i-- {
		sum += x[i]
		squares += x[i] * x[i]
		if i > most {
			continue
		}
		left := float64(n - i)
		// A tie goes to the longer rest; rounding is no difference.
		if error2 := (squares - sum*sum/left) / (left * left); error2 <= best*(1+1e-12) {
			best, cut = error2, i
		}
	}
	return cut, n >= 8 && 4*cut <= 3*most
}
