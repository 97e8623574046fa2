package figure

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"fabriclab/analysis/fct"
)

func TestATableSaysOfHowManySeedsItIs(t *testing.T) {
	lines := func(seeds ...int) (all []fctLine) {
		for _, n := range seeds {
			all = append(all, fctLine{bySeed: make([][]fct.Stats, n)})
		}
		return all
	}
	assert.Empty(t, meanOf(lines(1, 1)))
	assert.Equal(t, " (mean of 2 seeds)", meanOf(lines(2, 2)))
	assert.Equal(t, " (mean of 5 seeds ± 95 % confidence interval)", meanOf(lines(5, 5)))
	assert.Equal(t, " (mean of 1 to 2 seeds)", meanOf(lines(2, 1)))
	assert.Equal(t, " (mean of 3 to 5 seeds ± 95 % confidence interval)", meanOf(lines(5, 3)))
	assert.Equal(t, " (mean of 3 seeds ± 95 % confidence interval)", meanOf(lines(3, 0)), "a line whose runs failed has none")
	assert.Equal(t, " (mean of 1 to 3 seeds, with 3 and more ± 95 % confidence interval)", meanOf(lines(3, 1)))
}
