package random

import "math"

// Beyond these arguments Exp is infinite, or 0.
const (
	expLargest  = 709.782712893384
	expSmallest = -745.133219101941
)

// Exp is e^x within one unit in the last place (two for results below the
// normal numbers), made as Log is: the same bits on every machine.
//
// With x = k log 2 + r, e^x = 2^k e^r, and the series of e^r ends at r^14,
// as r is at most half of log 2.
func Exp(x float64) float64 {
	switch {
	case x != x:
		return x
	case x > expLargest:
		return math.Inf(1)
	case x < expSmallest:
		return 0
	}
	k := math.Floor(float64(x*(1/math.Ln2)) + 0.5)
	r := (x - float64(k*ln2High)) - float64(k*ln2Low)
	sum := 0.0
	for _, c := range factorials {
		sum = float64(sum*r) + c
	}
	e := 1 + (r + float64(float64(r*r)*sum))
	// 2^k in two factors: for results below the normal numbers it is none.
	half := int(k) / 2
	return e * power2(half) * power2(int(k)-half)
}

// power2 is 2^k for the exponents of normal numbers.
func power2(k int) float64 { return math.Float64frombits(uint64(k+1023) << 52) }

// factorials are 1/14!, 1/13!, …, 1/2!.
var factorials = [...]float64{
	1. / 87178291200, 1. / 6227020800, 1. / 479001600, 1. / 39916800, 1. / 3628800, 1. / 362880, 1. / 40320, 1. / 5040,
	1. / 720, 1. / 120, 1. / 24, 1. / 6, 1. / 2,
}
