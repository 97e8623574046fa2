package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// assertReproduced says whether all claims of a figure, so many, hold.
func assertReproduced(t *testing.T, results, figure string, claims int) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(elsewhere(t, filepath.Join(results, "figures"), figure), "claims.json"))
	require.NoError(t, err)
	var all []struct {
		ID, Verdict string
		Measured    any
	}
	require.NoError(t, json.Unmarshal(text, &all))
	require.Len(t, all, claims)
	for _, c := range all {
		assert.Equal(t, "reproduced", c.Verdict, "%s: %v", c.ID, c.Measured)
	}
}

// TestClaimOnAMechanismsOwnTable: no Go code knows of RoCC's table. The claim is
// made in testdata/own-table.yaml alone.
func TestClaimOnAMechanismsOwnTable(t *testing.T) {
	out := t.TempDir()
	stdout, stderr, err := fabriclab(t, nil, "figure", "testdata/own-table.yaml", "--out", out)
	require.NoError(t, err, stderr)
	assert.Contains(t, stdout, "reproduced")

	assertReproduced(t, out, "own-table", 2)
	assert.FileExists(t, filepath.Join(elsewhere(t, filepath.Join(out, "figures"), "own-table"), "fair_rate.svg"))

	// What the section says of the table is checked before anything runs.
	_, stderr, err = fabriclab(t, nil, "validate", "testdata/own-table.yaml", "--set", "figure.measures.fair_rate.column=fair_rate")
	require.Error(t, err)
	assert.Contains(t, stderr, `the table rocc_pi has no column "fair_rate"; did you mean "fair_rate_bps"?`)
}
