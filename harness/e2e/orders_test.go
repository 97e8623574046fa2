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
	"fabriclab/harness/engine/ns3"
	"fabriclab/harness/engine/omnet"
)

// Nodes that run one behind the other (docs/architecture.md) give the very
// trace that all events in the order of time give: with every table, under
// mechanisms with timers at hosts, ports and switches, with losses, with a
// link that fails and with flows that wait for others, up to the last flow's end.
func TestTheOrderInWhichNodesRunDoesNotShow(t *testing.T) {
	t.Parallel()
	dirs := mustRun(t, nil, "testdata/orders.yaml", "testdata/orders-waiting.yaml")
	engines := []engine.Engine{ns3.Engine{}}
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
				streams := map[string][]byte{}
				for _, order := range []string{"time", "node"} {
					stream := filepath.Join(t.TempDir(), order)
					args := []string{"--scenario", "scenario.json", "--trace", stream, "--summary", stream + ".json", "--progress-ms", "0", "--order", order}
					cmd := exec.CommandContext(t.Context(), program.Path, args...)
					cmd.Dir = dir
					cmd.Env = append(cmd.Environ(), program.Env...)
					out, err := cmd.CombinedOutput()
					require.NoError(t, err, string(out))
					streams[order], err = os.ReadFile(stream)
					require.NoError(t, err)
				}
				assert.Greater(t, len(streams["time"]), 100_000)
				assert.True(t, bytes.Equal(streams["time"], streams["node"]), "the traces differ")
			})
		}
	}
}
