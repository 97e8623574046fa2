package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/harness/engine/plain"
	"fabriclab/harness/store"
)

// arm64Tools are what the comparison needs, and the Debian packages that have it.
var arm64Tools = []struct{ name, debian string }{
	{"aarch64-linux-gnu-g++", "g++-aarch64-linux-gnu"},
	{"qemu-aarch64-static", "qemu-user-static"},
	{"/usr/lib/aarch64-linux-gnu/libz.a", "zlib1g-dev:arm64, after dpkg --add-architecture arm64 && apt-get update"},
}

// TestARM64GivesTheSameBytes: the plain runner, compiled for ARM64 and run by
// qemu, writes the same traces as the one of this machine, for every family of
// mechanisms. It compiles everything once more, so it is asked for: make arm64.
func TestARM64GivesTheSameBytes(t *testing.T) {
	if os.Getenv("FABRICLAB_TEST_ARM64") == "" {
		t.Skip("SKIPPED: whether ARM64 gives the same bytes is tried by make arm64")
	}
	var missing []string
	for _, tool := range arm64Tools {
		_, err := exec.LookPath(tool.name)
		if filepath.IsAbs(tool.name) {
			_, err = os.Stat(tool.name)
		}
		if err != nil {
			missing = append(missing, fmt.Sprintf("%s (Debian: apt-get install %s)", tool.name, tool.debian))
		}
	}
	require.Empty(t, missing, "missing for ARM64:\n%s", strings.Join(missing, "\n"))

	dirs := mustRun(t, nil, "testdata/families.yaml", "--engine", plain.Engine{}.Name())
	require.NotEmpty(t, dirs)
	build := filepath.Join(lab.root, "build", "arm64")
	for _, args := range [][]string{
		{"cmake", "-G", "Ninja", "-S", lab.root, "-B", build, "-DCMAKE_TOOLCHAIN_FILE=" + filepath.Join(lab.root, "ci", "arm64.cmake"),
			"-DCMAKE_BUILD_TYPE=Release", "-DFABRIC_NS3=OFF", "-DFABRIC_OMNET=OFF", "-DFABRIC_TESTS=OFF"},
		{"cmake", "--build", build, "--target", plain.Engine{}.Binary()},
	} {
		out, err := exec.CommandContext(t.Context(), args[0], args[1:]...).CombinedOutput()
		require.NoError(t, err, string(out))
	}
	here := filepath.Join(lab.root, "build", "release", "bin", plain.Engine{}.Binary())
	there := filepath.Join(build, "bin", plain.Engine{}.Binary())
	for _, dir := range dirs {
		m, err := store.Read(dir)
		require.NoError(t, err)
		trace := func(program ...string) []byte {
			file := filepath.Join(t.TempDir(), "trace")
			args := append(program[1:], "--scenario", filepath.Join(dir, "scenario.json"), "--trace", file)
			out, err := exec.CommandContext(t.Context(), program[0], args...).CombinedOutput()
			require.NoError(t, err, string(out))
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			require.NotEmpty(t, text)
			return text
		}
		same := assert.ObjectsAreEqual(trace(here), trace("qemu-aarch64-static", there))
		assert.True(t, same, "%s: another trace on ARM64", m.Labels["family"])
	}
}
