package e2e

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/harness/doctor"
	list "fabriclab/harness/engine/engines"
	"fabriclab/harness/engine/ns3"
	"fabriclab/harness/store"
)

// TestWithoutNS3: where there is no ns-3, experiments that name no engine run on
// plain, terminal, manifest and report say so, and sweeps are read.
func TestWithoutNS3(t *testing.T) {
	installed, err := ns3.Engine{}.Find()
	require.NoError(t, err)
	// In a mount namespace of its own, the folder of ns-3's headers is empty.
	headers := filepath.Join(installed.Path, "include", "ns3")
	require.DirExists(t, headers)
	hidden := func(args ...string) (string, error) {
		script := `mount -t tmpfs none "$0" && exec "$@"`
		cmd := exec.CommandContext(t.Context(), "unshare", append([]string{"-m", "sh", "-c", script, headers}, args...)...)
		cmd.Dir = lab.root
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := hidden("true"); err != nil {
		t.Skipf("SKIPPED: ns-3 cannot be hidden here: %v: %s", err, out)
	}
	// The program is built before, so that the build folder stays as it is.
	_, stderr, err := fabriclab(t, nil, "run", "testdata/alone.yaml", "--engine", list.Everywhere().Name(), "--out", t.TempDir())
	require.NoError(t, err, stderr)

	out := t.TempDir()
	fabriclab := func(args ...string) string {
		text, err := hidden(append([]string{lab.program, "--root", lab.root}, args...)...)
		require.NoError(t, err, text)
		return text
	}
	experiment := filepath.Join(lab.root, "harness", "e2e", "testdata", "alone.yaml")
	text := fabriclab("run", experiment, "--out", out)
	assert.Contains(t, text, "no include/ns3/core-module.h")
	assert.Contains(t, text, "running on plain, the engine that needs no simulator, in its place")
	dirs, err := store.Runs(out)
	require.NoError(t, err)
	require.Len(t, dirs, 1)
	m, err := store.Read(dirs[0])
	require.NoError(t, err)
	assert.Equal(t, "plain", m.Engine.Name)
	assert.Equal(t, "ns-3", m.Engine.InsteadOf)

	measures := filepath.Join(t.TempDir(), "measures.csv")
	assert.Contains(t, fabriclab("collect", experiment, "--out", out, "-o", measures), "1 run")
	assert.FileExists(t, measures)
	picture := filepath.Join(t.TempDir(), "picture.svg")
	fabriclab("plot", experiment, "--out", out, "--table", "flows", "-x", "size_bytes", "-y", "fct_ps", "-o", picture)
	assert.FileExists(t, picture)

	// A point whose matrix names plain stands in for nothing.
	text = fabriclab("run", experiment, "--set", "matrix={engine: [plain]}", "--out", t.TempDir())
	assert.NotContains(t, text, "in its place")

	fabriclab("report", "--out", out)
	page, err := os.ReadFile(filepath.Join(out, "report.html"))
	require.NoError(t, err)
	assert.Contains(t, string(page), "plain instead of ns-3, which was not on that machine")

	assert.Contains(t, fabriclab("validate", experiment), "plain")
	var findings []doctor.Finding
	require.NoError(t, json.Unmarshal([]byte(fabriclab("doctor", "--json")), &findings))
	for _, f := range findings {
		if f.Name == (ns3.Engine{}).Title() {
			assert.False(t, f.OK || f.Required)
			assert.Contains(t, f.Advice, "plain, which needs no simulator, stands in for it")
		}
	}

	text, err = hidden(lab.program, "--root", lab.root, "run", experiment, "--engine", "ns3", "--out", out)
	require.Error(t, err)
	assert.Contains(t, text, "without it: --engine plain, which needs no simulator")
}

// TestPlainIsLikeTheOthers: the same command line, and refusals with the same
// exit code.
func TestPlainIsLikeTheOthers(t *testing.T) {
	dir := mustRun(t, nil, "testdata/alone.yaml", "--engine", "plain")[0]
	runner := filepath.Join(lab.root, "build", "release", "bin", list.Everywhere().Binary())
	scenario := filepath.Join(dir, "scenario.json")
	trace := func(program string, more ...string) string {
		file := filepath.Join(t.TempDir(), "trace")
		out, err := exec.CommandContext(context.Background(), program, append([]string{"--scenario", scenario, "--trace", file}, more...)...).CombinedOutput()
		require.NoError(t, err, string(out))
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		return string(text)
	}
	want := trace(lab.runner)
	assert.NotEmpty(t, want)
	assert.Equal(t, want, trace(runner))
	assert.Equal(t, want, trace(runner, "--order", "time"))

	for _, program := range []string{lab.runner, runner} {
		out, err := exec.CommandContext(context.Background(), program, "--scenario", "/nowhere").CombinedOutput()
		var exit *exec.ExitError
		require.ErrorAs(t, err, &exit)
		assert.Equal(t, 2, exit.ExitCode())
		assert.Equal(t, "/nowhere: cannot be opened\n", string(out))
	}
}
