package e2e

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	list "fabriclab/harness/engine/engines"
	"fabriclab/harness/store"
)

// arm64Tools are what the comparison needs, and the Debian packages that have it.
var arm64Tools = []struct{ name, debian string }{
	{"aarch64-linux-gnu-g++", "g++-aarch64-linux-gnu"},
	{"qemu-aarch64-static", "qemu-user-static"},
	{"/usr/lib/aarch64-linux-gnu/libz.a", "zlib1g-dev:arm64, after dpkg --add-architecture arm64 && apt-get update"},
}

// forARM64 is for tests that are asked for: make arm64. They compile everything
// once more.
func forARM64(t *testing.T) {
	t.Helper()
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
}

// TestARM64GivesTheSameBytes: the plain runner, compiled for ARM64 and run by
// qemu, writes the same traces as the one of this machine, for every family of
// mechanisms.
func TestARM64GivesTheSameBytes(t *testing.T) {
	forARM64(t)
	dirs := mustRun(t, nil, "testdata/families.yaml", "--engine", list.Everywhere().Name())
	require.NotEmpty(t, dirs)
	build := filepath.Join(lab.root, "build", "arm64")
	for _, args := range [][]string{
		{"cmake", "-G", "Ninja", "-S", lab.root, "-B", build, "-DCMAKE_TOOLCHAIN_FILE=" + filepath.Join(lab.root, "ci", "arm64.cmake"),
			"-DCMAKE_BUILD_TYPE=Release", "-DFABRIC_NS3=OFF", "-DFABRIC_OMNET=OFF", "-DFABRIC_TESTS=OFF"},
		{"cmake", "--build", build, "--target", list.Everywhere().Binary()},
	} {
		out, err := exec.CommandContext(t.Context(), args[0], args[1:]...).CombinedOutput()
		require.NoError(t, err, string(out))
	}
	here := filepath.Join(lab.root, "build", "release", "bin", list.Everywhere().Binary())
	there := filepath.Join(build, "bin", list.Everywhere().Binary())
	for _, dir := range dirs {
		m, err := store.Read(dir)
		require.NoError(t, err)
		trace := func(program ...string) []byte {
			file := filepath.Join(t.TempDir(), "trace")
			args := append(slices.Clone(program[1:]), "--scenario", filepath.Join(dir, "scenario.json"), "--trace", file)
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

// products are what Go fuses into sums on ARM64 (and on x86-64 where GOAMD64=v3
// is set), which rounds once where other machines round twice.
var products = regexp.MustCompile(`^\s*(\S+:\d+)\s.*\sFN?M(?:ADD|SUB)[DS] `)

// drawings are the packages whose numbers are places on paper.
var drawings = regexp.MustCompile(`^fabriclab/(analysis/(chart|plot|report)|harness/topology/svg)\.`)

// TestARM64GivesTheSameTables: the harness, compiled for ARM64, makes the same
// scenarios and tables. No sum takes in a product that was not rounded before:
// float64(a*b) + c.
func TestARM64GivesTheSameTables(t *testing.T) {
	forARM64(t)
	program := filepath.Join(t.TempDir(), "fabriclab")
	build := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-o", program, "./harness/cmd/fabriclab")
	build.Dir = lab.root
	build.Env = append(os.Environ(), "GOARCH=arm64", "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))

	code, err := exec.CommandContext(t.Context(), "go", "tool", "objdump", "-s", "^fabriclab/", program).Output()
	require.NoError(t, err)
	function, fused, functions := "", map[string][]string{}, 0
	for line := range strings.Lines(string(code)) {
		if name, ok := strings.CutPrefix(line, "TEXT "); ok {
			function, _, _ = strings.Cut(name, "(SB)")
			functions++
		} else if m := products.FindStringSubmatch(line); m != nil && !drawings.MatchString(function) &&
			!strings.HasPrefix(m[1], "norm.go:") { // gonum's, inlined, whose summand is 0
			fused[function] = append(fused[function], m[1])
		}
	}
	assert.Greater(t, functions, 1000)
	assert.Empty(t, fused, "products that a sum takes in unrounded: write float64(a*b) + c")

	tables := func(dirs []string) map[string]string {
		found := map[string]string{}
		for _, dir := range dirs {
			m, err := store.Read(dir)
			require.NoError(t, err)
			files, err := filepath.Glob(filepath.Join(dir, "*.parquet"))
			require.NoError(t, err)
			for _, file := range append(files, filepath.Join(dir, "scenario.json")) {
				text, err := os.ReadFile(file)
				require.NoError(t, err)
				found[m.Labels["family"]+"/"+filepath.Base(file)] = fmt.Sprintf("%x", sha256.Sum256(text))
			}
		}
		return found
	}
	here := tables(mustRun(t, nil, "testdata/families.yaml", "--engine", list.Everywhere().Name()))
	there := t.TempDir()
	out, err = exec.CommandContext(t.Context(), "qemu-aarch64-static", program, "run", "testdata/families.yaml",
		"--engine", list.Everywhere().Name(), "--out", there, "--root", lab.root).CombinedOutput()
	require.NoError(t, err, string(out))
	dirs, err := store.Runs(there)
	require.NoError(t, err)
	assert.Equal(t, here, tables(dirs))
}
