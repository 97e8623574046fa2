package e2e

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	list "fabriclab/harness/engine/engines"
	"fabriclab/harness/engine/omnet"
	"fabriclab/harness/trace/tracetest"
)

// engines are those that are here.
func engines(t *testing.T) []string {
	t.Helper()
	var here []string
	for _, e := range list.All() {
		if _, err := e.Find(); err != nil {
			t.Logf("SKIPPED on %s: %v", e.Title(), err)
			continue
		}
		here = append(here, e.Name())
	}
	return here
}

// TestEveryNameOfANode: what validation takes for a name of a node can be
// simulated, the words of NED, too, and the name of the fabric's own object.
func TestEveryNameOfANode(t *testing.T) {
	var first string
	for _, engine := range engines(t) {
		dir := mustRun(t, nil, "testdata/names.yaml", "--engine", engine)[0]
		flows := tracetest.Table(t, dir, "flows")
		require.NotEmpty(t, flows)
		senders := map[string]bool{}
		text := ""
		for _, f := range flows {
			assert.Equal(t, "true", f["finished"], "%s on %s", f["src"], engine)
			senders[f["src"]] = true
			text += f["src"] + " " + f["fct_ps"] + "\n"
		}
		for _, name := range []string{"fabric", "network", "default", "Cable1", "true"} {
			assert.True(t, senders[name], name)
		}
		if first == "" {
			first = text
		}
		assert.Equal(t, first, text, engine)
	}
}

// TestAnyPathOfResults: a ; or a : separates paths in some places of OMNeT++.
func TestAnyPathOfResults(t *testing.T) {
	for _, engine := range engines(t) {
		out := filepath.Join(t.TempDir(), "a:b;c d", "results")
		_, stderr, err := fabriclab(t, nil, "run", "testdata/alone.yaml", "--engine", engine, "--out", out)
		require.NoError(t, err, stderr)
	}
}

// TestErrorsSayWhy: what OMNeT++ says before it ends is the reason of a failure.
func TestErrorsSayWhy(t *testing.T) {
	if _, err := (omnet.Engine{}).Find(); err != nil {
		t.Skipf("SKIPPED: %v", err)
	}
	_, stderr, err := fabriclab(t, []string{"OMNETPP_NED_PATH=/nowhere"}, "run", "testdata/alone.yaml", "--engine", "omnetpp", "--out", t.TempDir())
	require.Error(t, err)
	assert.Contains(t, stderr, "its last words: OMNeT++: Could not load NED sources from '/nowhere'")
}
