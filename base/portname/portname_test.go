package portname_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/base/portname"
)

func TestNames(t *testing.T) {
	var names portname.Counter
	assert.Equal(t, "a->b", names.Next("a", "b"))
	assert.Equal(t, "b->a", names.Next("b", "a"))
	assert.Equal(t, "a->b#1", names.Next("a", "b"))
	assert.Equal(t, "a->b#2", names.Next("a", "b"))

	for _, name := range []string{"a->b", "a-1->b.c#12"} {
		node, neighbour, n, err := portname.Parse(name)
		require.NoError(t, err)
		assert.Equal(t, name, portname.Of(node, neighbour, n))
	}
	for _, name := range []string{"", "a", "a->", "->b", "a->b#", "a->b#0", "a->b#x"} {
		_, _, _, err := portname.Parse(name)
		assert.ErrorContains(t, err, "is not a port", name)
	}
}
