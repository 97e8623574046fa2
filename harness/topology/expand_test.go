package topology

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestExpand(t *testing.T) {
	for name, want := range map[string][]string{
		"a":               {"a"},
		"a[0..2]":         {"a0", "a1", "a2"},
		"a[9..10]b":       {"a9b", "a10b"},
		"p[0..1]-h[1..2]": {"p0-h1", "p0-h2", "p1-h1", "p1-h2"},
		"a[3..3]":         {"a3"},
		"a[0-2]":          {"a[0-2]"},
	} {
		got, err := Expand(name)
		require.NoError(t, err)
		assert.Equal(t, want, got, name)
	}
	for name, want := range map[string]string{
		"a[2..1]":                          "2 stands behind 1",
		"a[0..99999]":                      "more than 32768 names",
		"a[0..999]b[0..999]":               "more than 32768 names",
		"a[0..99999999999999999999999999]": "more than 32768 names",
	} {
		_, err := Expand(name)
		assert.ErrorContains(t, err, want, name)
	}
}
