package e2e

import (
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
	digests, err := parity.Files(filepath.Join(lab.root, "ci", "parity"))
	require.NoError(t, err)
	require.NotEmpty(t, digests)
	for _, d := range digests {
		require.GreaterOrEqual(t, len(d.Engines), 2, "%s: a digest is made with several engines", d.Experiment)
		assert.Empty(t, d.Equal(), "%s: points that the digest cannot tell apart", d.Experiment)
	}
	stdout, stderr, err := fabriclabAt(t, lab.root, 6*patience, nil, "parity", "--out", t.TempDir(), "--all")
	require.NoError(t, err, stdout+stderr)
	assert.Equal(t, len(digests), strings.Count(stdout, "are the same on "), stdout)
	assert.NotContains(t, stdout, "differs")
}
