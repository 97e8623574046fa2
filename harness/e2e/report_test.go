package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/harness/store"
)

// TestReportDrawsHowBusyTheLinksWere: the networks of the first three points
// are drawn from the runs' own tables, of the others the page says that they
// are not, and the page of one run has its own.
func TestReportDrawsHowBusyTheLinksWere(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	_, stderr, err := fabriclab(t, nil, "run", "--out", out, "testdata/incast.yaml")
	require.NoError(t, err, stderr)
	page := filepath.Join(t.TempDir(), "page.html")
	report := func(args ...string) string {
		t.Helper()
		_, stderr, err := fabriclab(t, nil, append([]string{"report", "--out", out, "-o", page}, args...)...)
		require.NoError(t, err, stderr)
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		return string(text)
	}
	all := report()
	assert.Equal(t, 3, strings.Count(all, `<figure class="map"`))
	assert.Contains(t, all, "Not drawn: how busy the links were in 5 more runs")
	assert.Contains(t, all, "<summary>preset=dcqcn, seed 1</summary>")

	dirs, err := store.Runs(out)
	require.NoError(t, err)
	require.Len(t, dirs, 8)
	one := report(dirs[7])
	assert.Equal(t, 1, strings.Count(one, `<figure class="map"`))
	// The ports of switches are recorded: of five links two of s1->s2 and one of
	// each host's.
	assert.Equal(t, 6, strings.Count(one, "<path data-port="))
	assert.Equal(t, 4, strings.Count(one, ": not recorded</title>"))
	assert.NotContains(t, one, "Not drawn: how busy")
	assert.Regexp(t, `Busiest: <span class="busiest">s1-&gt;s2 \d`, one, "where the senders meet; s2->receiver0 has the same less the last step")

	require.NoError(t, os.WriteFile(filepath.Join(dirs[7], "links.parquet"), []byte("no table"), 0o644))
	assert.NotContains(t, report(dirs[7]), `<figure class="map"`)
}
