package random_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"

	"fabriclab/base/random"
)

// exact is e^x by its series in numbers of 300 bits: (e^(x/2^12))^(2^12).
func exact(x float64) *big.Float {
	const bits, halvings = 300, 12
	y := new(big.Float).SetPrec(bits).SetMantExp(new(big.Float).SetPrec(bits).SetFloat64(x), -halvings)
	sum := new(big.Float).SetPrec(bits).SetInt64(1)
	term := new(big.Float).SetPrec(bits).SetInt64(1)
	for n := int64(1); n < 60; n++ {
		term.Mul(term, y)
		term.Quo(term, new(big.Float).SetPrec(bits).SetInt64(n))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}

// TestExp compares with a long series.
func TestExp(t *testing.T) {
	s := random.New(3, "exp", 0)
	worst := 0.0
	for i := range 10_000 {
		x := 1416*s.Uniform() - 708 // results are normal numbers
		if i%2 == 0 {
			x = s.Uniform() - 0.5
		}
		want := exact(x)
		near, _ := want.Float64()
		off := new(big.Float).Sub(want, new(big.Float).SetFloat64(random.Exp(x)))
		distance, _ := off.Float64()
		worst = max(worst, math.Abs(distance)/(math.Nextafter(near, math.Inf(1))-near))
	}
	t.Logf("at most %.3f units in the last place", worst)
	assert.LessOrEqual(t, worst, 1.)
}

func TestExpEnds(t *testing.T) {
	assert.InDelta(t, 1, random.Exp(0), 0)
	assert.InDelta(t, 1, random.Exp(-1e-300), 0)
	assert.True(t, math.IsInf(random.Exp(709.79), 1))
	assert.True(t, math.IsInf(random.Exp(math.Inf(1)), 1))
	assert.False(t, math.IsInf(random.Exp(709.78), 1))
	assert.Zero(t, random.Exp(-746))
	assert.Zero(t, random.Exp(math.Inf(-1)))
	assert.Positive(t, random.Exp(-745))
	assert.True(t, math.IsNaN(random.Exp(math.NaN())))
	for _, x := range []float64{-744.5, -740, -720.25, -709} { // results below the normal numbers
		near, _ := exact(x).Float64()
		assert.InDelta(t, random.Exp(x), near, 2*math.SmallestNonzeroFloat64)
	}
}

// TestExpBits pins results to the bit: they must not depend on the machine.
func TestExpBits(t *testing.T) {
	for x, want := range map[float64]uint64{1: 0x4005bf0a8b14576a, -1: 0x3fd78b56362cef38, 0.3: 0x3ff599058c8c1a96, -700: 0xd14f2b0fb9307f, 300.7: 0x5b0c3714f17ae742} {
		assert.Equal(t, want, math.Float64bits(random.Exp(x)), "e^%g", x)
	}
}
