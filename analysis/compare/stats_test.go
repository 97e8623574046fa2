package compare

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"fabriclab/base/random"
)

// TestFalseAlarms draws differences whose mean is 0 and counts how often the
// interval of 95 % does not hold it: about one time in twenty, for symmetric
// and for skewed differences.
func TestFalseAlarms(t *testing.T) {
	const trials = 300
	normal := func(s *random.Stream) float64 { // by Box and Muller
		return math.Sqrt(2*s.Exponential()) * math.Cos(2*math.Pi*s.Uniform())
	}
	for name, c := range map[string]struct {
		draw func(*random.Stream) float64
		n    int
		most float64
	}{
		"normal, 6 seeds":  {normal, 6, 0.08},
		"normal, 20 seeds": {normal, 20, 0.08},
		"skewed, 20 seeds": {func(s *random.Stream) float64 { return s.Exponential() - 1 }, 20, 0.12},
	} {
		alarms := 0
		for i := range trials {
			stream := random.New(7, name, uint64(i))
			differences := make([]float64, c.n)
			for k := range differences {
				differences[k] = c.draw(&stream)
			}
			if low, high := interval(differences, 0.95, 1000, fmt.Sprint(name, i)); low > 0 || high < 0 {
				alarms++
			}
		}
		share := float64(alarms) / trials
		t.Logf("%s: %.3f", name, share)
		assert.LessOrEqual(t, share, c.most, name)
		assert.GreaterOrEqual(t, share, 0.01, "%s: the interval is too wide to find anything", name)
	}
}

// TestPower finds a shift of two standard deviations of the differences in
// most draws.
func TestPower(t *testing.T) {
	found := 0
	for i := range 100 {
		stream := random.New(8, "power", uint64(i))
		differences := make([]float64, 8)
		for k := range differences {
			differences[k] = math.Sqrt(2*stream.Exponential())*math.Cos(2*math.Pi*stream.Uniform()) + 2
		}
		if low, _ := interval(differences, 0.95, 1000, fmt.Sprint(i)); low > 0 {
			found++
		}
	}
	assert.Greater(t, found, 90)
}

func TestIntervalIsTheSameAlways(t *testing.T) {
	low, high := interval([]float64{1, 2, 4, 8, 16, 32}, 0.95, draws, "x")
	low2, high2 := interval([]float64{1, 2, 4, 8, 16, 32}, 0.95, draws, "x")
	assert.Equal(t, [2]float64{low, high}, [2]float64{low2, high2})
	low3, _ := interval([]float64{1, 2, 4, 8, 16, 32}, 0.99, draws, "x")
	assert.Less(t, low3, low)
}
