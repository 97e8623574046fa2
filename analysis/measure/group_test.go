package measure_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/analysis/measure"
	"fabriclab/analysis/table/tabletest"
)

func TestGroups(t *testing.T) {
	dir := t.TempDir()
	tabletest.Write(t, dir, "flows", []tabletest.Flow{
		{Flow: 0, Group: 2, Dst: "c", SizeBytes: 6000, StartPs: 5e6, EndPs: 9e6, Finished: true, Measured: true},
		{Flow: 1, Group: 1, Dst: "a", SizeBytes: 1000, StartPs: 1e6, EndPs: 3e6, Finished: true, Measured: true},
		{Flow: 2, Group: 2, Dst: "c", SizeBytes: 4000, StartPs: 4e6, EndPs: 8e6, Finished: true, Measured: true},
		{Flow: 3, Group: 0, Dst: "a", SizeBytes: 9999, StartPs: 1e6, EndPs: 99e6, Finished: true, Measured: true},
		{Flow: 4, Group: 1, Dst: "b", SizeBytes: 1000, StartPs: 2e6, EndPs: -1},
		{Flow: 5, Group: 2, Dst: "c", SizeBytes: 1000, StartPs: -1, EndPs: -1, Measured: true}, // waits for others
		{Flow: 6, Group: 3, Dst: "c", SizeBytes: 1000, StartPs: -1, EndPs: -1, Measured: true},
	})
	groups, err := measure.Groups(dir)
	require.NoError(t, err)
	assert.Equal(t, []measure.Group{
		{ID: 1, Flows: 2, Unfinished: 1, Bytes: 2000, Start: 1e6, End: 3e6},
		{ID: 2, Flows: 3, Unfinished: 1, Measured: true, Receiver: "c", Bytes: 11000, Start: 4e6, End: 9e6},
		{ID: 3, Flows: 1, Unfinished: 1, Measured: true, Receiver: "c", Bytes: 1000, Start: -1, End: -1},
	}, groups)
	groups[1].Flows, groups[1].Unfinished, groups[1].Bytes = 2, 0, 10000
	took, err := groups[1].Time()
	require.NoError(t, err)
	assert.Equal(t, int64(5e6), took)
	throughput, err := groups[1].Throughput()
	require.NoError(t, err)
	assert.InDelta(t, 16e9, throughput, 1) // 80 kbit in 5 us
	_, err = groups[0].Throughput()
	require.ErrorContains(t, err, "1 of 2 flows of group 1 did not finish")
	_, err = measure.OneGroup(groups, 4)
	assert.ErrorContains(t, err, "no flow of group 4")
}
