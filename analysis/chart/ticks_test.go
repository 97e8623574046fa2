package chart

import (
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

// TestTicksHaveTheirOwnNumbers: a label is the value of its tick, and an axis has two
// of them or more, wherever it is.
func TestTicksHaveTheirOwnNumbers(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		log       bool
		first     string
	}{
		{0, 1, false, "0"}, {0, 3e6, false, "0"}, {1234567.1, 1234567.9, false, "1234567.2"}, {9999990, 10000010, false, "9.99999e+06"}, {-0.3, 0.3, false, "-0.3"},
		{1, 1e6, true, "1"}, {2.2, 4.8, true, "2.5"}, {1e9, 1.00001e9, true, "1e+09"},
	} {
		room := up(3 * vg.Inch)
		ticks := room.linear
		if c.log {
			ticks = room.logarithmic
		}
		list := slices.DeleteFunc(ticks(c.low, c.high), func(k plot.Tick) bool { return k.Label == "" })
		require.GreaterOrEqual(t, len(list), 2, "%+v", c)
		assert.Equal(t, c.first, list[0].Label, "%+v", c)
		for _, k := range list {
			is, err := strconv.ParseFloat(k.Label, 64)
			require.NoError(t, err)
			assert.InDelta(t, k.Value, is, 1e-3*(c.high-c.low), "%+v", c)
		}
	}
}
