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
	// Deviations from the mean: the squares of large values that differ by little are all rounding.
	mean := 0.0
	for _, v := range x {
		mean += v / float64(len(x))
	}
	rounding := float64(1e-12*mean) * float64(1e-12*mean) // a variance below it is none
	var sum, squares float64                              // of what remains behind each cut
	best := math.Inf(1)
	for i := len(x) - 1; i >= 0; i-- {
		off := x[i] - mean
		sum += off
		squares += float64(off * off)
		if i > most {
			continue
		}
		left := float64(len(x) - i)
		variance := (squares - float64(sum*sum)/left) / left
		if variance < rounding {
			variance = 0
		}
		// A tie goes to the longer rest; rounding is no difference.
		if error2 := variance / left; error2 <= best*(1+1e-12) {
			best, cut = error2, i
		}
	}
	return cut
}

// batches is how many means of batches a line goes through. Ten are usual, and
// batches of a tenth of a record are longer than most correlations.
const batches = 10

// Growth is how much a series grows from its beginning to its end, as a share of
// its mean and in standard errors, by the line of least squares through the
// means of ten batches.
func Growth(x []float64) (share, errors float64) {
	size := len(x) / batches
	if size == 0 {
		return 0, 0
	}
	x = x[len(x)-size*batches:]
	var means [batches]float64
	mean := 0.0
	for b := range means {
		for _, v := range x[b*size : (b+1)*size] {
			means[b] += v / float64(size)
		}
		mean += means[b] / batches
	}
	const middle, spread = (batches - 1) / 2., batches * (batches*batches - 1) / 12. // of the numbers of the batches
	slope := 0.0
	for b, m := range means {
		slope += float64((float64(b) - middle) * (m - mean) / spread)
	}
	rest := 0.0
	for b, m := range means {
		off := m - mean - float64(slope*(float64(b)-middle))
		rest += float64(off * off)
	}
	if !(mean > 0) {
		return 0, 0
	}
	return slope * batches / mean, slope / math.Sqrt(rest/(batches-2)/spread)
}
