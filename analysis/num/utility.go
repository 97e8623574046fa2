package num

import (
	"errors"
	"fmt"
	"math"

	"fabriclab/base/random"
)

// Alphas outside of this are refused: rates as powers of prices would leave
// the range of numbers. NUMFabric has 0.125 to 8.
const (
	MinAlpha = 0.05
	MaxAlpha = 16
)

// Weights and sizes outside of this are refused for the same reason.
const (
	minFactor = 1e-15
	maxFactor = 1e15
)

// A Utility is the worth of a rate x to a flow: increasing and strictly concave.
type Utility interface {
	check() error
	// curve is the utility for rates in units of scale, which is in units of
	// Problem.UnitBps; unit is that unit in bit/s.
	curve(scale, unit float64) curve
}

// AlphaFair is w^a x^(1-a) / (1-a), and w log x for a = 1. U' = (w/x)^a.
type AlphaFair struct {
	Alpha  float64
	Weight float64 // 0 is 1
}

func (u AlphaFair) weight() float64 { return orOne(u.Weight) }

// orOne is a weight; without one it is 1.
func orOne(weight float64) float64 {
	if weight == 0 {
		return 1
	}
	return weight
}

func (u AlphaFair) check() error {
	if err := checkAlpha("alpha", u.Alpha); err != nil {
		return err
	}
	return checkFactor("weight", u.weight())
}

func (u AlphaFair) curve(scale, _ float64) curve {
	return power(u.Alpha, u.Alpha*random.Log(u.weight()), scale)
}

// MinFCT is w/s x^(1-e): flows with a small size s come first, the more so the
// smaller e. U' = (1-e) w/s x^-e.
type MinFCT struct {
	Size    float64 // in any unit, the same for all flows
	Epsilon float64 // 0 is NUMFabric's 0.125
	Weight  float64 // 0 is 1
}

func (u MinFCT) epsilon() float64 {
	if u.Epsilon == 0 {
		return 0.125
	}
	return u.Epsilon
}

func (u MinFCT) check() error {
	if err := checkAlpha("epsilon", u.epsilon()); err != nil {
		return err
	}
	if u.epsilon() >= 1 {
		return fmt.Errorf("epsilon is %g; it must be below 1, as in NUMFabric's 0.125", u.epsilon())
	}
	if err := checkFactor("weight", orOne(u.Weight)); err != nil {
		return err
	}
	return checkFactor("size", u.Size)
}

func (u MinFCT) curve(scale, _ float64) curve {
	return power(u.epsilon(), random.Log((1-u.epsilon())*orOne(u.Weight)/u.Size), scale)
}

// Share is a point of a bandwidth function: the rate that belongs to a fair
// share.
type Share struct{ Fair, Bps float64 }

// BandwidthFunction is the integral of F^-alpha, F the inverse of the
// bandwidth function w B. B is piecewise linear from 0, 0 through the points,
// and beyond the last one continues as before it. U' = F^-alpha. With large alpha
// the optimum is max-min fair in the fair shares.
type BandwidthFunction struct {
	Alpha  float64 // 0 is NUMFabric's 5
	Points []Share
	Weight float64 // 0 is 1
}

// points begin with 0, 0.
func (u BandwidthFunction) points() []Share {
	if len(u.Points) > 0 && u.Points[0] == (Share{}) {
		return u.Points
	}
	return append([]Share{{}}, u.Points...)
}

func (u BandwidthFunction) alpha() float64 {
	if u.Alpha == 0 {
		return 5
	}
	return u.Alpha
}

func (u BandwidthFunction) check() error {
	if err := checkAlpha("alpha", u.alpha()); err != nil {
		return err
	}
	if err := checkFactor("weight", orOne(u.Weight)); err != nil {
		return err
	}
	points := u.points()
	if len(points) < 2 {
		return errors.New("the bandwidth function has no point; give it one behind 0:0")
	}
	for i, p := range points[1:] {
		before := points[i]
		if !(p.Fair > before.Fair && p.Bps > before.Bps) || math.IsInf(p.Fair, 1) || math.IsInf(p.Bps, 1) {
			return fmt.Errorf("the bandwidth function goes from %g:%g to %g:%g bit/s; it must increase strictly, in fair share and in rate",
				before.Fair, before.Bps, p.Fair, p.Bps)
		}
	}
	return nil
}

func (u BandwidthFunction) curve(scale, unit float64) curve {
	c := curve{alpha: u.alpha(), inverse: 1 / u.alpha(), logScale: random.Log(scale)}
	for _, p := range u.points() {
		c.fair = append(c.fair, p.Fair)
		c.rate = append(c.rate, p.Bps*orOne(u.Weight)/(scale*unit))
	}
	return c
}

func checkAlpha(what string, alpha float64) error {
	if !(alpha >= MinAlpha && alpha <= MaxAlpha) {
		return fmt.Errorf("%s is %g; it must be between %g and %g", what, alpha, MinAlpha, float64(MaxAlpha))
	}
	return nil
}

func checkFactor(what string, v float64) error {
	if !(v >= minFactor && v <= maxFactor) {
		return fmt.Errorf("the %s is %g; it must be between %g and %g", what, v, minFactor, maxFactor)
	}
	return nil
}

// curve is a utility as the solver needs it: the rate at a price and the price
// at a rate, in the solver's units.
type curve struct {
	alpha, inverse float64 // and 1/alpha
	// A power: price = e^logFactor rate^-alpha, rate = e^shift price^(-1/alpha).
	logFactor, shift float64
	// A bandwidth function: price = e^logScale F(rate)^-alpha.
	fair, rate []float64
	logScale   float64
}

// power is U' = e^logK X^-a, of the rate X in units of which scale are one of
// the solver's: the price there is scale U'(scale x).
func power(alpha, logK, scale float64) curve {
	c := curve{alpha: alpha, inverse: 1 / alpha}
	s := random.Log(scale)
	c.logFactor = logK + s - float64(alpha*s)
	c.shift = c.logFactor / alpha
	return c
}

// farthest limits the logarithm of a rate relative to the largest capacity, for
// prices that are far off on the way to the optimum.
const farthest = 300

// demand is the rate with U' = price, and its elasticity: the relative fall of
// the rate per relative rise of the price.
func (c *curve) demand(price float64) (rate, elasticity float64) {
	if c.fair == nil {
		exponent := c.shift - float64(c.inverse*random.Log(price))
		return random.Exp(max(-farthest, min(exponent, farthest))), c.inverse
	}
	f := random.Exp((c.logScale - random.Log(price)) * c.inverse)
	i := 1
	for i < len(c.fair)-1 && f > c.fair[i] {
		i++
	}
	slope := (c.rate[i] - c.rate[i-1]) / (c.fair[i] - c.fair[i-1])
	rate = c.rate[i-1] + float64(slope*(f-c.fair[i-1]))
	return rate, f * slope / rate * c.inverse
}

// price is U' at a rate.
func (c *curve) price(rate float64) float64 {
	if c.fair == nil {
		return random.Exp(c.logFactor - float64(c.alpha*random.Log(rate)))
	}
	i := 1
	for i < len(c.rate)-1 && rate > c.rate[i] {
		i++
	}
	f := c.fair[i-1] + float64((rate-c.rate[i-1])*(c.fair[i]-c.fair[i-1])/(c.rate[i]-c.rate[i-1]))
	return random.Exp(c.logScale - float64(c.alpha*random.Log(f)))
}
