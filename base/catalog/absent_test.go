package catalog_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/base/catalog"
)

// TestAbsent: a well-known scheme that is absent is no misspelling of another one;
// other names are, or are not on the path. The README names all of them.
func TestAbsent(t *testing.T) {
	data, err := os.ReadFile("testdata/catalog.json")
	require.NoError(t, err)
	c, err := catalog.Load(data)
	require.NoError(t, err)
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	for _, s := range catalog.Absent {
		assert.Nil(t, c.Component(s.Name), "it is there")
		assert.NotNil(t, c.Component(s.Nearest), s.Nearest)
		name, _, _ := strings.Cut(s.Title, " (") // without where it was published
		assert.Contains(t, string(readme), name)
		hint := catalog.HintMechanism(s.Name, c.Names(""))
		assert.Contains(t, hint, "is not implemented")
		assert.NotContains(t, hint, "did you mean")
	}
	assert.Contains(t, catalog.HintMechanism("Power-TCP", c.Names("")), "PowerTCP (NSDI 2022) is not implemented")
	hint := catalog.HintMechanism("hpc", c.Names(""))
	assert.Contains(t, hint, `did you mean "hpcc"?`)
	assert.Contains(t, hint, "mechanism_path")
}
