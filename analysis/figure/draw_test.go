package figure

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"fabriclab/analysis/spec"
)

func TestBoxOf(t *testing.T) {
	// Quartiles 2.75, 4.5 and 7.5: whiskers reach to 7.125 above and below, and end at the last value there.
	assert.Equal(t, [5]float64{1, 2.75, 4.5, 7.5, 12}, boxOf([]float64{15, 3, 2, 1, 5, 4, 6, 12}))
	assert.Equal(t, [5]float64{7, 7, 7, 7, 7}, boxOf([]float64{7}))
	assert.Equal(t, [5]float64{-0.5, -0.5, 0, 0.25, 1}, boxOf([]float64{-9, -2, 0, 0, 0, 0, 1, 2}), "no whisker ends within the box")
}

// A number in a legend says what it is of; a name does not.
func TestNumbersInLegends(t *testing.T) {
	d := spec.Dimension{Path: "workload.load", Names: map[string]string{"0.8": "high load"}}
	assert.Equal(t, "load 0.4", inLegend(d, "load", "0.4"))
	assert.Equal(t, "high load", inLegend(d, "load", "0.8"))
	assert.Equal(t, "hpcc", inLegend(d, "mechanism", "hpcc"))
}
