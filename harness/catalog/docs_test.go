package catalog_test

import (
	"context"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/harness/build"
	"fabriclab/harness/catalog"
)

// make docs sets it.
var update = flag.Bool("update", false, "write the generated parts of the pages under docs/ and the catalog of other tests")

// The tables of parameters in docs/ are what fabric-describe says, and every
// component has its page.
func TestDocsSayWhatTheMechanismsSay(t *testing.T) {
	root, err := build.FindRoot(".")
	require.NoError(t, err)
	described, err := build.New(root, build.Release, os.Stderr).Describe(context.Background())
	require.NoError(t, err)
	c, err := catalog.Load(described)
	require.NoError(t, err)

	documented := map[string]bool{}
	err = filepath.WalkDir(filepath.Join(root, "docs"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".md" {
			return err
		}
		page, err := os.ReadFile(path)
		require.NoError(t, err)
		filled, err := c.FillMarkdown(string(page))
		require.NoError(t, err, path)
		for _, name := range c.Names("") {
			if strings.Contains(filled, "<!-- params:"+name+" -->") {
				documented[name] = true
			}
		}
		if *update && filled != string(page) {
			return os.WriteFile(path, []byte(filled), 0o644)
		}
		assert.Equal(t, filled, string(page), "%s is out of date; run: make docs", path)
		return nil
	})
	require.NoError(t, err)
	for _, name := range c.Names("") {
		assert.True(t, documented[name], "no page under docs/mechanisms has the block <!-- params:%s -->; write one (docs/how-to/adding-a-mechanism.md)", name)
	}
}

// Tests without a build work on a catalog in a file; it is what fabric-describe
// says.
func TestCatalogOfTheTestsIsUpToDate(t *testing.T) {
	const file = "testdata/catalog.json"
	root, err := build.FindRoot(".")
	require.NoError(t, err)
	described, err := build.New(root, build.Release, os.Stderr).Describe(context.Background())
	require.NoError(t, err)
	if *update {
		require.NoError(t, os.WriteFile(file, described, 0o644))
	}
	kept, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(described), string(kept), "%s is out of date; run: make docs", file)
}

func TestMarkdownIsCompleteAndCompact(t *testing.T) {
	data, err := os.ReadFile("testdata/catalog.json")
	require.NoError(t, err)
	c, err := catalog.Load(data)
	require.NoError(t, err)

	text := c.Markdown(c.Component("dcqcn"))
	assert.Contains(t, text, "| `dcqcn.g` | 0.00390625 | 1e-06 to 1 | yes | gain of the congestion estimate alpha | DCQCN section 5.2: 1/256 |")
	assert.Contains(t, text, "| `dcqcn.byte_counter` | 10MB | ≥ 0B | yes |")
	assert.NotContains(t, text, "9007199254740992", "a bound that only guards the arithmetic is left out")

	page := "# X\n<!-- params:dcqcn -->\nold\n<!-- /params -->\nend\n"
	filled, err := c.FillMarkdown(page)
	require.NoError(t, err)
	assert.Equal(t, "# X\n<!-- params:dcqcn -->\n"+text+"<!-- /params -->\nend\n", filled)
	again, err := c.FillMarkdown(filled)
	require.NoError(t, err)
	assert.Equal(t, filled, again)

	slots, err := c.FillMarkdown("<!-- slots -->\nold\n<!-- /slots -->\n")
	require.NoError(t, err)
	assert.Contains(t, slots, "| `queues` | queue | one for each class of each switch port | `fifo` | order, drops and marks | `fifo`, `red` |\n")
	assert.Contains(t, slots, "| `utility` | utility | one at each host | none |")
	assert.NotContains(t, slots, "old")

	_, err = c.FillMarkdown("<!-- params:dcqnc -->\n<!-- /params -->")
	require.ErrorContains(t, err, `did you mean "dcqcn"?`)
	_, err = c.FillMarkdown("<!-- table:queue -->\n<!-- /table -->")
	assert.ErrorContains(t, err, `no trace table "queue"`)
}
