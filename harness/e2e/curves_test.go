package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/harness/engine/omnet"
	"fabriclab/harness/trace/tracetest"
)

// A parameter that is a list goes from YAML into both engines, which check it
// once more.
func TestEnginesTakeCurves(t *testing.T) {
	engines := []string{"ns3"}
	if _, err := (omnet.Engine{}).Find(); err == nil {
		engines = append(engines, omnet.Engine{}.Name())
	} else {
		t.Log("SKIPPED on OMNeT++, which is not installed")
	}
	for _, engine := range engines {
		dirs := mustRun(t, nil, "--engine", engine, "testdata/curves.yaml")
		assert.Len(t, tracetest.Table(t, dirs[0], "flows"), 2, engine)
		if engine != "ns3" {
			continue
		}
		scenario := filepath.Join(dirs[0], "scenario.json")
		text, err := os.ReadFile(scenario)
		require.NoError(t, err)
		require.Contains(t, string(text), "10333333333")
		require.NoError(t, os.WriteFile(scenario, []byte(strings.Replace(string(text), "10333333333", "1", 1)), 0o644))
		out, err := exec.CommandContext(t.Context(), lab.runner, "--scenario", scenario, "--trace", "/dev/null", "--summary", "/dev/null").CombinedOutput()
		var exit *exec.ExitError
		require.ErrorAs(t, err, &exit)
		assert.Equal(t, 2, exit.ExitCode())
		assert.Contains(t, string(out), "bandwidth_function.curve: entry 3: bandwidth 1 bit/s is not above 5e+08, the one before")
	}
}
