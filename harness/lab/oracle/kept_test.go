package oracle

import (
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/analysis/num"
)

// TestKept: those used last are kept, of 10 flows at most; more than that are
// not kept at all, and no error is.
func TestKept(t *testing.T) {
	s := &Shared{most: 10}
	computed := 0
	get := func(key string, flows int) bool {
		before := computed
		done, err := s.completions(key, func() ([]num.Completion, error) {
			computed++
			return make([]num.Completion, flows), nil
		})
		require.NoError(t, err)
		require.Len(t, done, flows)
		return computed == before
	}
	assert.False(t, get("a", 4))
	assert.False(t, get("b", 4))
	assert.True(t, get("a", 4))
	assert.False(t, get("c", 4), "b goes")
	assert.True(t, get("a", 4))
	assert.True(t, get("c", 4))
	assert.False(t, get("b", 4), "a goes")
	assert.False(t, get("a", 4))
	assert.False(t, get("large", 11))
	assert.False(t, get("large", 11))

	failed := errors.New("failed")
	_, err := s.completions("d", func() ([]num.Completion, error) { return nil, failed })
	require.ErrorIs(t, err, failed)
	assert.False(t, get("d", 1))
}

// TestKeptAtOnce: those who come while one computes wait for it.
func TestKeptAtOnce(t *testing.T) {
	s := NewShared()
	var all sync.WaitGroup
	computed := 0 // by one at a time
	for range 8 {
		all.Go(func() {
			done, err := s.completions("a", func() ([]num.Completion, error) {
				computed++
				return make([]num.Completion, 3), nil
			})
			if assert.NoError(t, err) {
				assert.Len(t, done, 3)
			}
		})
	}
	all.Wait()
	assert.Equal(t, 1, computed)
}
