package workload

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/harness/scenario"
)

func TestKinds(t *testing.T) {
	rules := Rules{StopPs: 1e9, ToPs: 1e9, Classes: 2}
	hosts := []uint32{0, 1, 2, 3}
	pattern, err := AnyToAny(hosts, hosts)
	require.NoError(t, err)
	one := make([]int, 4)
	incast := &Incast{Sources: hosts, Receivers: hosts, Senders: 3, Events: 2, Common: Common{Sizes: FixedSize(500), Flow: scenario.Flow{Class: 1}, Rules: rules}}
	poisson := &Poisson{Pattern: pattern, Sizes: FixedSize(1000), Load: 0.5, Capacity: []int64{1, 1, 1, 1}, ToPs: 1, Flow: scenario.Flow{Class: 1}, Rules: rules, Connections: Connections{PerPair: 1}}

	kinds, err := Kinds(&Mix{Parts: []Generator{incast, poisson}}, one)
	require.NoError(t, err)
	require.Len(t, kinds, 2)
	assert.Equal(t, []int{3, 0}, []int{kinds[0].Members, kinds[1].Members})
	assert.Equal(t, []int{0, 1}, []int{kinds[0].Part, kinds[1].Part})
	assert.Equal(t, []bool{false, true}, []bool{kinds[0].Flow.Persistent, kinds[1].Flow.Persistent})
	assert.Equal(t, uint64(500), kinds[0].Flow.Size)

	kinds, err = Kinds(poisson, []int{0, 0, 0, 1})
	require.NoError(t, err)
	assert.Len(t, kinds, 3, "among the first three, from and to the fourth")

	list, err := NewList([]Entry{
		{Flow: scenario.Flow{Src: 0, Dst: 1, Size: 7, StopPs: -1, Class: 1}, Count: 1},
		{Flow: scenario.Flow{Src: 0, Dst: 1, Size: 5, StopPs: -1, Class: 1, Group: 4}, Count: 3},
		{Flow: scenario.Flow{Src: 0, Dst: 1, StopPs: 9, Class: 1}, Count: 1},
	})
	require.NoError(t, err)
	kinds, err = Kinds(list, one)
	require.NoError(t, err)
	require.Len(t, kinds, 2)
	assert.Equal(t, []uint64{5, 0}, []uint64{kinds[0].Flow.Size, kinds[1].Flow.Size})
	assert.Equal(t, 3, kinds[0].Members)
}
