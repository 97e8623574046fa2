package e2e

import (
	"bytes"
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
	"fabriclab/harness/engine/omnet"
)

// Nodes that run one behind the other (docs/architecture.md), and lanes of them
// on any number of threads, give the very trace that all events in the order of
// time give: with every table, under mechanisms with timers at hosts, ports and
// switches, with losses, with a link that fails and with flows that wait for
// others, up to the last flow's end.
func TestTheOrderInWhichNodesRunDoesNotShow(t *testing.T) {
	t.Parallel()
	dirs := mustRun(t, nil, "testdata/orders.yaml", "testdata/orders-waiting.yaml")
	engines := []engine.Engine{ns3.Engine{}, list.Everywhere()}
	if _, err := (omnet.Engine{}).Find(); err == nil {
		engines = append(engines, omnet.Engine{})
	} else {
		t.Log("SKIPPED on OMNeT++, which is not installed")
	}
	for _, e := range engines {
		program, err := build.New(lab.root, build.Release, os.Stderr).Program(t.Context(), e)
		require.NoError(t, err)
		for _, dir := range dirs {
			t.Run(fmt.Sprintf("%s/%s", e.Name(), filepath.Base(filepath.Dir(dir))), func(t *testing.T) {
				trace := func(args ...string) []byte {
					stream := filepath.Join(t.TempDir(), "trace")
					args = append([]string{"--scenario", "scenario.json", "--trace", stream, "--summary", stream + ".json", "--progress-ms", "0"}, args...)
					cmd := exec.CommandContext(t.Context(), program.Path, args...)
					cmd.Dir = dir
					cmd.Env = append(append(cmd.Environ(), program.Env...), alwaysShared)
					out, err := cmd.CombinedOutput()
					require.NoError(t, err, string(out))
					rows, err := os.ReadFile(stream)
					require.NoError(t, err)
					return rows
				}
				want := trace("--order", "time")
				assert.Greater(t, len(want), 100_000)
				assert.True(t, bytes.Equal(want, trace("--order", "node")), "the traces differ")
				if e.Name() == (omnet.Engine{}).Name() {
					return // it has one thread
				}
				for _, threads := range []string{"2", "3", "5", "8"} {
					assert.True(t, bytes.Equal(want, trace("--threads", threads)), "the traces of %s threads differ", threads)
				}
			})
		}
	}
}
