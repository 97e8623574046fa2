package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/harness/engine/omnet"
	"fabriclab/harness/parity"
)

// Every experiment that has a digest gives it, on every engine that is here.
func TestAllEnginesGiveTheSameTables(t *testing.T) {
	t.Parallel()
	if _, err := (omnet.Engine{}).Find(); err != nil {
		t.Logf("SKIPPED on OMNeT++, which is not installed: ns-3 and plain are checked against each other and the digests")
	}
	files, err := filepath.Glob(filepath.Join(lab.root, "ci", "parity", "*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	byScale := map[string][]string{} // experiments
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var d parity.Digest
		require.NoError(t, json.Unmarshal(text, &d))
		require.GreaterOrEqual(t, len(d.Engines), 2, "%s: two engines or more have agreed on a digest", file)
		byScale[d.Scale] = append(byScale[d.Scale], d.Experiment)
	}
	for scale, experiments := range byScale {
		args := append([]string{"parity", "--out", t.TempDir(), "--scale", scale}, experiments...)
		stdout, stderr, err := fabriclabAt(t, lab.root, 3*patience, nil, args...) // some 900 runs
		require.NoError(t, err, stdout+stderr)
		assert.Equal(t, len(experiments), strings.Count(stdout, "are the same on "), stdout)
		assert.NotContains(t, stdout, "differs")
	}
}
