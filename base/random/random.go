// Package random is the project's own random numbers: the counter-based
// streams of mechanisms/core/random.h, value for value, and a logarithm and an
// exponential function that give the same bits on every machine.
package random

import "math"

// Golden is 2^64 divided by the golden ratio, the step of SplitMix64.
const Golden uint64 = 0x9e3779b97f4a7c15

// Mix is the finaliser of SplitMix64 (Steele, Lea, Flood: Fast Splittable
// Pseudorandom Number Generators, OOPSLA 2014).
func Mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

// HashName is FNV-1a, for the names of streams.
func HashName(name string) uint64 {
	h := uint64(0xcbf29ce484222325)
	for _, c := range []byte(name) {
		h = (h ^ uint64(c)) * 0x100000001b3
	}
	return h
}

// A Stream is a named stream: its n-th value depends on seed, name, index and
// n alone.
type Stream struct {
	key, count uint64
}

// New begins a stream.
func New(seed uint64, name string, index uint64) Stream {
	return Stream{key: Mix(Mix(seed+Golden) ^ (HashName(name) + index*Golden))}
}

// Next is the next value, any of 64 bits.
func (s *Stream) Next() uint64 {
	s.count++
	return Mix(s.key + s.count*Golden)
}

// Uniform is uniform in [0, 1), on a grid of 2^-53.
func (s *Stream) Uniform() float64 { return float64(float64(s.Next()>>11) * 0x1p-53) }

// Below is uniform in 0..n-1 by multiplication; the bias is below n / 2^32.
func (s *Stream) Below(n uint32) uint32 { return uint32(s.Next() >> 32 * uint64(n) >> 32) }

// Exponential is exponentially distributed with mean 1.
func (s *Stream) Exponential() float64 { return -Log(1 - s.Uniform()) }

// The natural logarithm of 2 in two parts; the upper one has 32 trailing zero
// bits, so that its products with exponents are exact.
const (
	ln2High = 0x1.62e42feep-1
	ln2Low  = 0x1.a39ef35793c76p-33
)

// Log is the natural logarithm of a positive, finite, normal number, within
// two units in the last place. It is made of sums, products and quotients
// only, each rounded for itself (a conversion keeps the compiler from fusing
// two of them), so it does not depend on the machine as math.Log does.
//
// With x = 2^k m and m within a factor of the square root of 2 of 1,
// log x = k log 2 + log m, and log m = 2 (s + s^3/3 + s^5/5 + …) with
// s = (m-1)/(m+1), at most 0.172.
func Log(x float64) float64 {
	bits := math.Float64bits(x)
	k := int(bits>>52) - 1023
	m := math.Float64frombits(bits&(1<<52-1) | 1023<<52)
	if m > math.Sqrt2 {
		m /= 2
		k++
	}
	s := (m - 1) / (m + 1)
	square := s * s
	sum := 0.0
	for _, c := range series {
		sum = float64(sum*square) + c
	}
	low := float64(2*s*square*sum) + float64(float64(k)*ln2Low)
	return float64(float64(k)*ln2High) + (2*s + low)
}

// series are the factors of s^3, s^5, …, the last ones first.
var series = [...]float64{1. / 25, 1. / 23, 1. / 21, 1. / 19, 1. / 17, 1. / 15, 1. / 13, 1. / 11, 1. / 9, 1. / 7, 1. / 5, 1. / 3}
