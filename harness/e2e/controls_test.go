package e2e

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The claims of the quick figures fail for their controls, so they can fail.
func TestClaimsOfQuickFiguresFailForTheirControls(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	figures := []string{"fncc/fig1", "fncc/fig10", "fncc/fig13", "dart/fig15", "numfabric/fig10"}
	_, stderr, err := fabriclab(t, nil, append([]string{"run", "--out", out}, figures...)...)
	require.NoError(t, err, stderr)
	stdout, stderr, err := fabriclab(t, nil, append([]string{"figure", "--controls", "--out", out}, figures...)...)
	require.NoError(t, err, stdout+stderr)
	assert.Contains(t, stdout, "fails, as it has to")
	assert.NotContains(t, stdout, "STILL HOLDS")
}
