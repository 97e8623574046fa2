package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestWhatOneCheckoutCompiledServesTheNext: a worktree, a clone or a project
// of one's own does not compile what another folder has compiled.
func TestWhatOneCheckoutCompiledServesTheNext(t *testing.T) {
	t.Parallel()
	cache := t.TempDir()
	// Without a configuration of the user's own, which may have a base directory.
	settings := filepath.Join(cache, "ccache.conf")
	require.NoError(t, os.WriteFile(settings, nil, 0o600))
	run := func(name string, args ...string) string {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		cmd := exec.CommandContext(ctx, name, args...)
		cmd.Env = append(os.Environ(), "CCACHE_DIR="+cache, "CCACHE_CONFIGPATH="+settings)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		return string(out)
	}
	for range 2 {
		root := t.TempDir()
		require.NoError(t, os.CopyFS(filepath.Join(root, "mechanisms"), os.DirFS(filepath.Join(lab.root, "mechanisms"))))
		top, err := os.ReadFile(filepath.Join(lab.root, "CMakeLists.txt"))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(root, "CMakeLists.txt"), top, 0o600))
		run("cmake", "-G", "Ninja", "-S", root, "-B", filepath.Join(root, "build"), "-DCMAKE_BUILD_TYPE=Release", "-DFABRIC_NS3=OFF", "-DFABRIC_OMNET=OFF")
		run("ninja", "-C", filepath.Join(root, "build"), "mechanisms/CMakeFiles/fabric_mechanisms.dir/core/flow.cc.o")
	}
	counts := map[string]string{}
	for line := range strings.Lines(run("ccache", "--print-stats")) {
		if key, count, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			counts[key] = count
		}
	}
	assert.Equal(t, "1", counts["cache_miss"], counts)
	assert.Equal(t, "1", counts["direct_cache_hit"], counts)
}
