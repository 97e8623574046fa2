package workload

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/harness/scenario"
)

func TestList(t *testing.T) {
	list, err := NewList([]Entry{
		{Name: "late", Flow: scenario.Flow{Src: 0, Dst: 2, StartPs: 300, StopPs: -1, Class: 1, Weight: 1}, Count: 1},
		{Name: "incast", Flow: scenario.Flow{Src: 1, Dst: 2, Group: 5, Size: 1000, StopPs: -1, Weight: 1}, Count: 2},
		{Flow: scenario.Flow{Src: 1, Dst: 2, StartPs: 300, SrcPort: 7, DstPort: 8}, Count: 1},
	})
	require.NoError(t, err)
	assert.Equal(t, []string{"late", "incast-0", "incast-1", "flow3"}, list.Names())
	var got []scenario.Flow
	for f, err := range list.Flows(1) {
		require.NoError(t, err)
		got = append(got, f)
	}
	assert.Equal(t, []scenario.Flow{
		{ID: 1, Src: 1, Dst: 2, Group: 5, Size: 1000, StopPs: -1, SrcPort: 49153, DstPort: 4791, Weight: 1},
		{ID: 2, Src: 1, Dst: 2, Group: 5, Size: 1000, StopPs: -1, SrcPort: 49154, DstPort: 4791, Weight: 1},
		{ID: 0, Src: 0, Dst: 2, StartPs: 300, StopPs: -1, SrcPort: 49152, DstPort: 4791, Class: 1, Weight: 1},
		{ID: 3, Src: 1, Dst: 2, StartPs: 300, SrcPort: 7, DstPort: 8},
	}, got)
	var pairs [][2]uint32
	for src, dst := range list.Pairs() {
		pairs = append(pairs, [2]uint32{src, dst})
	}
	assert.Equal(t, [][2]uint32{{1, 2}, {0, 2}}, pairs)
}

func TestListRefusesSameName(t *testing.T) {
	_, err := NewList([]Entry{{Name: "flow1", Count: 1}, {Count: 1}})
	assert.ErrorContains(t, err, `flow list entry 1: two flows have the name "flow1"`)
}

func TestSrcPort(t *testing.T) {
	assert.Equal(t, uint16(49152), SrcPort(0))
	assert.Equal(t, uint16(65535), SrcPort(16383))
	assert.Equal(t, uint16(49152), SrcPort(16384))
}
