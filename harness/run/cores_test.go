package run

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestCoresAreDealt(t *testing.T) {
	alone := &cores{free: 8, left: 1}
	assert.Equal(t, 8, alone.takeOf(8, 8), "one simulation has all cores")

	pair := &cores{free: 8, left: 2}
	assert.Equal(t, 4, pair.takeOf(8, 8))
	assert.Equal(t, 4, pair.takeOf(8, 8))

	sweep := &cores{free: 8, left: 100}
	for range 8 {
		assert.Equal(t, 1, sweep.takeOf(8, 8))
	}
	assert.Equal(t, 1, sweep.takeOf(8, 8), "at least one")
	sweep.giveBack(1)
	assert.Equal(t, 0, sweep.free)

	few := &cores{free: 8, left: 100}
	assert.Equal(t, 4, few.takeOf(2, 8), "--jobs 2 leaves cores")
	for range 99 {
		few.ended()
	}
	assert.Equal(t, 4, few.takeOf(2, 8), "the last one has what is free")
	assert.Equal(t, 0, few.free)
}
