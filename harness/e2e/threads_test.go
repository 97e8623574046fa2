package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/harness/build"
	"fabriclab/harness/engine"
	list "fabriclab/harness/engine/engines"
	"fabriclab/harness/engine/ns3"
)

// ThreadSanitizer finds no race where three threads share the networks of the
// orders test. It takes minutes, so `make test-threads` asks for it.
func TestThreadsDoNotRace(t *testing.T) {
	if os.Getenv("FABRICLAB_TEST_THREADS") == "" {
		t.Skip("SKIPPED: make test-threads runs it")
	}
	t.Parallel()
	dirs := mustRun(t, nil, "testdata/orders.yaml", "testdata/orders-waiting.yaml")
	for _, e := range []engine.Engine{ns3.Engine{}, list.Everywhere()} {
		program, err := build.New(lab.root, build.TSan, os.Stderr).Program(t.Context(), e)
		require.NoError(t, err)
		for _, dir := range dirs {
			t.Run(fmt.Sprintf("%s/%s", e.Name(), filepath.Base(filepath.Dir(dir))), func(t *testing.T) {
				cmd := exec.CommandContext(t.Context(), program.Path, "--scenario", "scenario.json", "--trace", "/dev/null",
					"--summary", filepath.Join(t.TempDir(), "summary.json"), "--progress-ms", "0", "--threads", "3")
				cmd.Dir = dir
				cmd.Env = append(append(cmd.Environ(), program.Env...), alwaysShared, "TSAN_OPTIONS=halt_on_error=1")
				out, err := cmd.CombinedOutput()
				require.NoError(t, err, string(out))
				assert.NotContains(t, string(out), "ThreadSanitizer")
			})
		}
	}
}
