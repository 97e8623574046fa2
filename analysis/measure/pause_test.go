package measure_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/analysis/measure"
	"fabriclab/analysis/series"
	"fabriclab/analysis/table/tabletest"
)

func TestSent(t *testing.T) {
	dir := t.TempDir()
	tabletest.Write(t, dir, "pauses", []tabletest.Pause{
		{TimePs: 1e6, Node: "s1", Link: "s1->a", Class: 1, Xoff: true, Sent: true},
		{TimePs: 2e6, Node: "a", Link: "a->s1", Class: 1, Xoff: true, Sent: false},
		{TimePs: 3e6, Node: "s1", Link: "s1->a", Class: 1, Xoff: false, Sent: true},
		{TimePs: 4e6, Node: "s1", Link: "s1->b", Class: 1, Xoff: true, Sent: true},
		{TimePs: 5e6, Node: "s1", Link: "s1->b", Class: 0, Xoff: true, Sent: true},
		{TimePs: 9e6, Node: "s1", Link: "s1->b", Class: 1, Xoff: true, Sent: true},
	})
	counts, err := measure.PausesSent(dir, series.Window{From: 0, To: 8e6})
	require.NoError(t, err)
	assert.Equal(t, map[measure.PauseKey]measure.PauseCount{
		{Node: "s1", Port: "s1->a", Class: 1}: {Xoff: 1, Xon: 1},
		{Node: "s1", Port: "s1->b", Class: 1}: {Xoff: 1},
		{Node: "s1", Port: "s1->b", Class: 0}: {Xoff: 1},
	}, counts)
	assert.EqualValues(t, 2, measure.XoffSent(counts, "s1", "", 1))
	assert.EqualValues(t, 1, measure.XoffSent(counts, "s1", "s1->a", 1))
	assert.EqualValues(t, 0, measure.XoffSent(counts, "s2", "", 1))
}
