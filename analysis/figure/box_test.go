package figure

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestBoxOf(t *testing.T) {
	// Quartiles 2, 4 and 6: whiskers reach to 6 above and below, and end at the last value there.
	assert.Equal(t, [5]float64{1, 2, 4, 6, 12}, boxOf([]float64{12.5, 3, 2, 1, 5, 4, 6, 12}))
	assert.Equal(t, [5]float64{7, 7, 7, 7, 7}, boxOf([]float64{7}))
	assert.Equal(t, [5]float64{-2, -2, 0, 0, 2}, boxOf([]float64{-9, -2, 0, 0, 0, 0, 1, 2}))
}
