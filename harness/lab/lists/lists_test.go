package lists

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/harness/build"
)

// make docs sets it.
var update = flag.Bool("update", false, "write the lists of what is registered")

// Every list stands on one page, and says what there is.
func TestPagesListWhatThereIs(t *testing.T) {
	root, err := build.FindRoot(".")
	require.NoError(t, err)
	stands := map[string]int{}
	err = filepath.WalkDir(filepath.Join(root, "docs"), func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".md" {
			return err
		}
		page, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, found := range block.FindAllStringSubmatch(string(page), -1) {
			stands[found[2]]++
		}
		filled, err := Fill(string(page))
		require.NoError(t, err, path)
		if *update && filled != string(page) {
			return os.WriteFile(path, []byte(filled), 0o666)
		}
		assert.Equal(t, filled, string(page), "%s is out of date; run: make docs", path)
		return nil
	})
	require.NoError(t, err)
	for name, list := range lists {
		assert.Equal(t, 1, stands[name], name)
		for _, row := range strings.Split(strings.TrimSpace(list()), "\n") {
			assert.NotContains(t, row, "|  |", "%s: an empty cell; the kind's file says what stands there", name)
		}
	}
}

func TestFill(t *testing.T) {
	filled, err := Fill("a\n<!-- list:plots -->\nold\n<!-- /list -->\nb\n")
	require.NoError(t, err)
	assert.Contains(t, filled, "| kind | shows |\n| --- | --- |\n| `bars` |")
	assert.NotContains(t, filled, "old")
	_, err = Fill("<!-- list:plot -->\n<!-- /list -->")
	require.ErrorContains(t, err, `did you mean "plots"?`)
}
