package experiment

import "math/big"

// Roots are taken in integer arithmetic, where every machine agrees to the
// last digit.

func power(v *big.Rat, n int) *big.Rat {
	e := big.NewInt(int64(n))
	return new(big.Rat).SetFrac(new(big.Int).Exp(v.Num(), e, nil), new(big.Int).Exp(v.Denom(), e, nil))
}

// exactRoot is the root-th root of a positive number, if it is rational.
func exactRoot(v *big.Rat, root int) (*big.Rat, bool) {
	num, ok := exactIntRoot(v.Num(), root)
	if !ok {
		return nil, false
	}
	den, ok := exactIntRoot(v.Denom(), root)
	if !ok {
		return nil, false
	}
	return new(big.Rat).SetFrac(num, den), true
}

func exactIntRoot(n *big.Int, root int) (*big.Int, bool) {
	high := new(big.Int).Lsh(big.NewInt(1), uint(n.BitLen()/root+1))
	r := largest(big.NewInt(0), high, func(m *big.Int) bool {
		return new(big.Int).Exp(m, big.NewInt(int64(root)), nil).Cmp(n) <= 0
	})
	return r, new(big.Int).Exp(r, big.NewInt(int64(root)), nil).Cmp(n) == 0
}

// rounded is the root-th root of a positive number to some significant digits,
// ties up.
func rounded(v *big.Rat, root, digits int) *big.Rat {
	ten := big.NewRat(10, 1)
	low, high := power(ten, digits-1), power(ten, digits)
	// scaled is the power of root of the result in units of its last digit.
	scaled, unit := new(big.Rat).Set(v), big.NewRat(1, 1)
	up, atLeast, below := power(ten, root), power(low, root), power(high, root)
	for scaled.Cmp(atLeast) < 0 {
		scaled.Mul(scaled, up)
		unit.Quo(unit, ten)
	}
	for scaled.Cmp(below) >= 0 {
		scaled.Quo(scaled, up)
		unit.Mul(unit, ten)
	}
	// The largest m with (m - 1/2)^root <= scaled.
	bound := new(big.Int).Lsh(scaled.Num(), uint(root))
	m := largest(low.Num(), new(big.Int).Add(high.Num(), big.NewInt(1)), func(m *big.Int) bool {
		twice := new(big.Int).Sub(new(big.Int).Lsh(m, 1), big.NewInt(1))
		twice.Exp(twice, big.NewInt(int64(root)), nil)
		return twice.Mul(twice, scaled.Denom()).Cmp(bound) <= 0
	})
	return unit.Mul(unit, new(big.Rat).SetInt(m))
}

// largest finds the largest number in [low, high) for which holds returns
// true, by bisection. holds(low) has to be true, and once it is false it stays
// false for all larger numbers.
func largest(low, high *big.Int, holds func(*big.Int) bool) *big.Int {
	low, high = new(big.Int).Set(low), new(big.Int).Set(high)
	one := big.NewInt(1)
	for new(big.Int).Sub(high, low).Cmp(one) > 0 {
		middle := new(big.Int).Add(low, high)
		middle.Rsh(middle, 1)
		if holds(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}
