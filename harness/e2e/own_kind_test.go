package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/harness/parity"
	"fabriclab/harness/store"
)

// checkoutWith returns a checkout that is this one but for one more folder
// below mechanisms/. It consists of links. It stays in the build folder, so
// that a second test run compiles nothing.
func checkoutWith(t *testing.T, folder string) string {
	t.Helper()
	root := filepath.Join(lab.root, "build", "with-"+filepath.Base(folder))
	empty := func(dir string, keep ...string) {
		require.NoError(t, os.MkdirAll(dir, 0o755))
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		for _, e := range entries {
			if !slices.Contains(keep, e.Name()) {
				require.NoError(t, os.RemoveAll(filepath.Join(dir, e.Name())))
			}
		}
	}
	link := func(from, to string, leave ...string) {
		entries, err := os.ReadDir(from)
		require.NoError(t, err)
		for _, e := range entries {
			if !slices.Contains(leave, e.Name()) {
				require.NoError(t, os.Symlink(filepath.Join(from, e.Name()), filepath.Join(to, e.Name())))
			}
		}
	}
	empty(root, "build")
	link(lab.root, root, ".git", "build", "bin", "results", "mechanisms")
	mechanisms := filepath.Join(root, "mechanisms")
	empty(mechanisms)
	link(filepath.Join(lab.root, "mechanisms"), mechanisms)
	folder, err := filepath.Abs(folder)
	require.NoError(t, err)
	require.NoError(t, os.Symlink(folder, filepath.Join(mechanisms, filepath.Base(folder))))
	return root
}

// TestAKindOfOnesOwn: the kind "watcher", its slot, a mechanism of it with a
// curve for a parameter, and its table are in testdata/watcher and nowhere
// else, the claims in testdata/own-kind.yaml. All of it works on both engines
// and gives the same tables.
func TestAKindOfOnesOwn(t *testing.T) {
	t.Parallel()
	root, out := checkoutWith(t, "testdata/watcher"), t.TempDir()
	const forBuilds = 20 * time.Minute
	var first string
	for _, engine := range engines(t) {
		results := filepath.Join(out, engine)
		stdout, stderr, err := fabriclabAt(t, root, forBuilds, nil, "figure", "testdata/own-kind.yaml", "--engine", engine, "--out", results)
		require.NoError(t, err, stderr)
		assert.Contains(t, stdout, "reproduced")

		assertReproduced(t, results, "own-kind", 4)

		dirs, err := store.Runs(results)
		require.NoError(t, err)
		require.Len(t, dirs, 1)
		if first == "" {
			first = dirs[0]
		}
		differences, err := parity.Compare(first, dirs[0])
		require.NoError(t, err)
		assert.Empty(t, differences, engine)
	}

	// The checks know the slot, its kind and the parameter.
	for set, want := range map[string]string{
		"watchers=[fifo]":                                   "fifo is a queue, not a watcher (known: buffer_watcher)",
		"watchers=[buffer_watchman]":                        `did you mean "buffer_watcher"`,
		"nodes.receiver0.watchers=[buffer_watcher]":         "only switches have the slot watchers",
		"params.buffer_watcher.grades=[[20KB, 1]]":          "the list has 1 entries; allowed: from 2 to 10",
		"params.buffer_watcher.grades=[[20KB, 1], [1B, 2]]": "1B is not above 20KB",
		"figure.measures.grade.column=wurst_grade":          `did you mean "worst_grade"`,
	} {
		_, stderr, err := fabriclabAt(t, root, forBuilds, nil, "validate", "testdata/own-kind.yaml", "--set", set)
		require.Error(t, err, set)
		assert.Contains(t, stderr, want, set)
	}
}
