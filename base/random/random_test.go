package random_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"fabriclab/base/random"
)

// The vectors of mechanisms/tests/random_test.cc: both must stay as they are.
func TestFixedVectors(t *testing.T) {
	assert.Equal(t, uint64(0xcbf29ce484222325), random.HashName(""))
	assert.Equal(t, uint64(0x85944171f73967e8), random.HashName("foobar"))
	tests := []struct {
		seed  uint64
		name  string
		index uint64
		want  [4]uint64
	}{
		{1, "red", 0, [4]uint64{0xb09f44714cf2714e, 0x3104f5b023c3fc07, 0x3e1692a8909bb32b, 0xdd60977c2e8bc417}},
		{1, "red", 7, [4]uint64{0x1d89940d53d57681, 0xe83d14571ff61caf, 0x05b1e6c789dcb74a, 0xe4900f377aaf289b}},
		{42, "arrivals", 0, [4]uint64{0x319febf0583fd234, 0x4a09e17262559a63, 0x2f791bb0dcdb5a79, 0xa8332b5e718a638c}},
		{math.MaxUint64, "", 0, [4]uint64{0xc62d010004f7d387, 0xd61abaf08229e5bb, 0x09b3fa8c48b68482, 0xf949b25c23928bbb}},
	}
	for _, tt := range tests {
		s := random.New(tt.seed, tt.name, tt.index)
		for _, want := range tt.want {
			assert.Equal(t, want, s.Next())
		}
	}
}

func TestUniformAndBelow(t *testing.T) {
	u := random.New(1, "uniform", 0)
	for _, want := range []float64{0.9953822406304074, 0.9015962755670929, 0.6387133648360825} {
		assert.InDelta(t, want, u.Uniform(), 0)
	}
	b := random.New(1, "below", 0)
	for _, want := range []uint32{6, 7, 3, 8, 5, 4, 1, 3, 1, 2, 7, 1} {
		assert.Equal(t, want, b.Below(10))
	}
}

// TestLog compares with math.Log: two units in the last place, one of them
// for math.Log itself.
func TestLog(t *testing.T) {
	assert.Zero(t, random.Log(1))
	worst := 0.0
	check := func(x float64) {
		want := math.Log(x)
		ulp := math.Nextafter(math.Abs(want), math.Inf(1)) - math.Abs(want)
		worst = max(worst, math.Abs(random.Log(x)-want)/ulp)
	}
	s := random.New(7, "log", 0)
	for range 300_000 {
		check(1 - s.Uniform())                                                       // what Exponential asks for
		check(math.Float64frombits(s.Next()%(2046<<52-1<<52) + 1<<52))               // any normal number
		check(math.Float64frombits(math.Float64bits(1) - 50_000 + s.Next()%100_000)) // close to 1
	}
	for _, x := range []float64{0x1p-1022, math.MaxFloat64, 0x1p-53, 1 - 0x1p-53, 1 + 0x1p-52, math.Sqrt2, 0.5, 2, 10} {
		check(x)
	}
	assert.LessOrEqual(t, worst, 2.0)
}

// TestLogBits pins results to the bit: they must not depend on the machine.
func TestLogBits(t *testing.T) {
	for x, want := range map[float64]uint64{2: 0x3fe62e42fefa39ef, 10: 0x40026bb1bbb55516, 0.3: 0xbff34378fcbda721, 0x1p-53: 0xc0425e4f7b2737fa} {
		assert.Equal(t, want, math.Float64bits(random.Log(x)), "log %g is %g", x, random.Log(x))
	}
}

func TestExponential(t *testing.T) {
	const n = 1_000_000
	s := random.New(1, "exponential", 0)
	var sum, squares, above float64
	for range n {
		x := s.Exponential()
		sum += x
		squares += x * x
		if x > 3 {
			above++
		}
	}
	assert.InDelta(t, 1, sum/n, 4/math.Sqrt(n), "mean, four standard errors")
	assert.InDelta(t, 2, squares/n, 4*math.Sqrt(20/float64(n)), "second moment")
	assert.InDelta(t, math.Exp(-3), above/n, 4*math.Sqrt(math.Exp(-3)/n), "tail")
}
