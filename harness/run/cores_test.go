package run

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestCoresAreDealt(t *testing.T) {
	alone := &cores{free: 8, left: 1}
	assert.Equal(t, 8, alone.takeOf(8, 8, true), "one simulation has all cores")

	pair := &cores{free: 8, left: 2}
	assert.Equal(t, 4, pair.takeOf(8, 8, true))
	assert.Equal(t, 4, pair.takeOf(8, 8, true))

	sweep := &cores{free: 8, left: 100}
	for range 8 {
		assert.Equal(t, 1, sweep.takeOf(8, 8, true))
	}
	assert.Equal(t, 1, sweep.takeOf(8, 8, true), "at least one")
	sweep.giveBack(1)
	assert.Equal(t, 0, sweep.free)
	assert.Equal(t, 1, (&cores{free: 8, left: 1}).takeOf(8, 8, false), "others can use no more")

	few := &cores{free: 8, left: 100}
	assert.Equal(t, 4, few.takeOf(2, 8, true), "--jobs 2 leaves cores")
	for range 99 {
		few.ended()
	}
	assert.Equal(t, 4, few.takeOf(2, 8, true), "the last one has what is free")
	assert.Equal(t, 0, few.free)
}
