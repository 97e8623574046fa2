package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSeedsOfAFlag: as those of an experiment, each is there once.
func TestSeedsOfAFlag(t *testing.T) {
	var seeds []uint64
	v := seedsValue{&seeds}
	require.NoError(t, v.Set("1-3,7"))
	require.NoError(t, v.Set("5"))
	assert.Equal(t, []uint64{1, 2, 3, 7, 5}, seeds)
	for _, text := range []string{"9,9", "9-11,10", "3"} {
		assert.ErrorContains(t, v.Set(text), "is here twice; keep one")
	}
}
