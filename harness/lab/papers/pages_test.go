package papers

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// make docs sets it.
var update = flag.Bool("update", false, "write the parts of pages that are made from records")

// Pages say what the records say.
func TestPagesEqualRecords(t *testing.T) {
	l := checkout(t)
	pages, err := filepath.Glob(filepath.Join(l.Set.Root, "docs", "figures", "*.md"))
	require.NoError(t, err)
	blocks := 0
	for _, path := range append(pages, filepath.Join(l.Set.Root, "README.md")) {
		page, err := os.ReadFile(path)
		require.NoError(t, err)
		blocks += len(block.FindAllString(string(page), -1))
		filled, err := FillPage(l, string(page))
		require.NoError(t, err, path)
		if *update && filled != string(page) {
			require.NoError(t, os.WriteFile(path, []byte(filled), 0o666))
			continue
		}
		assert.Equal(t, filled, string(page), "%s is not what the records say; run: make docs", path)
	}
	assert.Equal(t, 16, blocks, "three tables for each of five papers, and the README's totals")
}

func TestFillPage(t *testing.T) {
	filled, err := FillPage(checkout(t), "a\n<!-- totals -->\nprevious\n<!-- /totals -->\nb\n")
	require.NoError(t, err)
	assert.Contains(t, filled, "a\n<!-- totals -->\n| paper | holds |")
	assert.Contains(t, filled, "| [FNCC](docs/figures/fncc.md) |")
	assert.NotContains(t, filled, "previous")
	_, err = FillPage(checkout(t), "<!-- verdicts:fnc -->\n<!-- /verdicts -->")
	require.ErrorContains(t, err, `did you mean "fncc"?`)
}
