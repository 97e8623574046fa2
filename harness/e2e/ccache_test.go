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
	const objects = "mechanisms/CMakeFiles/fabric_mechanisms.dir"
	compile := func(sources, object string) {
		build := filepath.Join(sources, "build")
		run("cmake", "-G", "Ninja", "-S", sources, "-B", build, "-DCMAKE_BUILD_TYPE=Release", "-DFABRIC_NS3=OFF", "-DFABRIC_OMNET=OFF")
		run("ninja", "-C", build, object)
	}
	// checkout makes the part of a checkout that is compiled.
	checkout := func(root string) {
		require.NoError(t, os.CopyFS(filepath.Join(root, "mechanisms"), os.DirFS(filepath.Join(lab.root, "mechanisms"))))
		top, err := os.ReadFile(filepath.Join(lab.root, "CMakeLists.txt"))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(root, "CMakeLists.txt"), top, 0o600))
	}
	// study makes a project that has a checkout as a subdirectory.
	study := func(dir, checkout string) {
		require.NoError(t, os.MkdirAll(dir, 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "CMakeLists.txt"), []byte(
			"cmake_minimum_required(VERSION 3.20)\nproject(study CXX)\nadd_subdirectory("+checkout+" fabriclab)\n"), 0o600))
		compile(dir, filepath.Join("fabriclab", objects, "core/flow.cc.o"))
	}
	expect := func(misses, hits string) {
		t.Helper()
		counts := map[string]string{}
		for line := range strings.Lines(run("ccache", "--print-stats")) {
			if key, count, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
				counts[key] = count
			}
		}
		assert.Equal(t, misses, counts["cache_miss"], counts)
		assert.Equal(t, hits, counts["direct_cache_hit"], counts)
	}
	first, second := t.TempDir(), t.TempDir()
	for _, root := range []string{first, second} {
		checkout(root)
		compile(root, filepath.Join(objects, "together/none.cc.o"))
	}
	expect("2", "2") // the precompiled headers, too
	// A header that differs by a comment only is another one to what was compiled with it.
	other := t.TempDir()
	checkout(other)
	header := filepath.Join(other, "mechanisms", "core", "host.h")
	text, err := os.ReadFile(header)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(header, append(text, "// another comment\n"...), 0o600))
	compile(other, filepath.Join(objects, "core/host.cc.o"))
	expect("4", "2")
	studies := t.TempDir()
	study(filepath.Join(studies, "one"), first)
	study(filepath.Join(studies, "deeper", "below", "two"), first)
	expect("5", "3")
	for _, clone := range []string{"clone", "deeper/clone"} {
		checkout(filepath.Join(studies, clone, "fabriclab"))
		study(filepath.Join(studies, clone), "fabriclab")
	}
	expect("6", "4")
}
