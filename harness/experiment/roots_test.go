package experiment

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRounded(t *testing.T) {
	tests := []struct {
		value        string
		root, digits int
		want         string
	}{
		{"2", 2, 3, "1.41"}, {"2", 2, 15, "1.41421356237310"}, {"10", 3, 4, "2.154"}, {"1/3", 1, 2, "0.33"},
		{"1.45", 1, 2, "1.5"}, {"1.44999", 1, 2, "1.4"}, {"9.99", 1, 2, "10"}, {"0.000123456", 1, 3, "0.000123"},
		{"123456", 1, 3, "123000"}, {"1", 5, 3, "1"}, {"81", 4, 1, "3"},
	}
	for _, tt := range tests {
		value, ok := new(big.Rat).SetString(tt.value)
		require.True(t, ok)
		want, ok := new(big.Rat).SetString(tt.want)
		require.True(t, ok)
		assert.Equal(t, want.RatString(), rounded(value, tt.root, tt.digits).RatString(), "%v", tt)
	}
}

func TestRootsAgreeWithFloatingPoint(t *testing.T) {
	for root := 1; root < 60; root += 7 {
		for v := int64(1); v < 1e12; v = v*7 + 3 {
			got, _ := rounded(new(big.Rat).SetInt64(v), root, 12).Float64()
			want := math.Pow(float64(v), 1/float64(root))
			assert.InEpsilon(t, want, got, 1e-11)
		}
	}
}

func TestExactRoot(t *testing.T) {
	root, ok := exactRoot(big.NewRat(1024*1024*1024, 27), 3)
	require.True(t, ok)
	assert.Equal(t, "1024/3", root.RatString())
	_, ok = exactRoot(big.NewRat(2, 1), 2)
	assert.False(t, ok)
}

// TestLongLogRange: the longest range is spread.
func TestLongLogRange(t *testing.T) {
	e, err := loadFile(t, write(t, base+"matrix: {run.stop: {from: 1.234567us, to: 98.76543ms, count: 200, scale: log, digits: 6}}\n"), "")
	require.NoError(t, err)
	assert.Len(t, e.Points, 200)
}
