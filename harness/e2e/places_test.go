package e2e

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestHostsOfDifferentTransportsHaveNoFlow: what a flow's two ends make of each
// other's packets would be nonsense. It is refused before anything runs.
func TestHostsOfDifferentTransportsHaveNoFlow(t *testing.T) {
	for _, transport := range []string{"tcp", "mptcp"} {
		for _, host := range []string{"sender0", "receiver0"} {
			_, stderr, err := fabriclab(t, nil, "validate", "testdata/alone.yaml", "--set", "nodes."+host+".transport="+transport)
			require.Error(t, err, "%s at %s", transport, host)
			assert.Contains(t, stderr, "there are flows from hosts that use the transport ")
			assert.Contains(t, stderr, "give both the same; at sender0\n")
		}
	}
}
