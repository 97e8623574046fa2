package e2e

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestHostsOfDifferentTransportsHaveNoFlow: what a flow's two ends make of each
// other's packets would be nonsense. Only the flow list says who talks to whom,
// so the engines refuse it, as a mistake in the experiment and no crash.
func TestHostsOfDifferentTransportsHaveNoFlow(t *testing.T) {
	for _, engine := range engines(t) {
		for _, transport := range []string{"tcp", "mptcp"} {
			for _, host := range []string{"sender0", "receiver0"} {
				_, stderr, err := fabriclab(t, nil, "run", "testdata/alone.yaml", "--engine", engine, "--out", t.TempDir(), "--set", "nodes."+host+".transport="+transport)
				require.Error(t, err, "%s at %s on %s", transport, host, engine)
				assert.Contains(t, stderr, "the simulator refused the scenario: flow 0: sender0 uses the transport ")
				assert.Contains(t, stderr, "give both hosts the same")
			}
		}
	}
}
