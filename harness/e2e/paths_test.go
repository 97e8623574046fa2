package e2e

import (
	"fmt"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/base/catalog"
	"fabriclab/harness/build"
	yaml "fabriclab/harness/experiment" // experiment is a function here
	"fabriclab/harness/trace/tracetest"
)

// The paths that the harness computes for ECMP, and the ports of MPTCP's
// sub-flows, are those that data packets take: fabriclab oracle relies on it.
func TestDataTakesThePathsOfTheHarness(t *testing.T) {
	data, err := build.New(lab.root, build.Release, os.Stderr).Describe(t.Context())
	require.NoError(t, err)
	c, err := catalog.Load(data)
	require.NoError(t, err)
	const file = "testdata/paths.yaml"
	for _, run := range []struct {
		preset   string
		subflows uint16
		salt     uint64 // ecmp.salt
	}{{"tcp", 1, 0}, {"mptcp", 8, 0}, {"tcp", 1, 7}, {"mptcp", 8, 7}} {
		preset, subflows := run.preset, run.subflows
		sets := []string{"preset=" + preset, fmt.Sprintf("ecmp.salt=%d", run.salt)}
		e, err := yaml.Load(file, yaml.Options{Catalog: c, Sets: sets, ConfigDir: lab.root + "/configs"})
		require.NoError(t, err)
		point := e.Points[0]
		want := map[string]map[string]bool{} // by flow: the ports on its paths
		for f, err := range point.Flows.Flows(1) {
			require.NoError(t, err)
			links := map[string]bool{}
			for i := range subflows {
				hash := point.Topology.FlowHash(f.Src, f.Dst, f.SrcPort+i, f.DstPort+i, true)
				for _, port := range point.Topology.Path(f.Src, f.Dst, hash, run.salt) {
					links[point.Topology.PortName(port)] = true
				}
			}
			want[strconv.Itoa(int(f.ID))] = links
		}
		dirs := mustRun(t, nil, file, "--set", sets[0], "--set", sets[1])
		require.Len(t, dirs, 1)
		got := map[string]map[string]bool{}
		for _, row := range tracetest.Table(t, dirs[0], "packets") {
			if row["event"] == "dequeue" && row["kind"] == "data" {
				if got[row["flow"]] == nil {
					got[row["flow"]] = map[string]bool{}
				}
				got[row["flow"]][row["link"]] = true
			}
		}
		require.Len(t, got, len(want))
		for flow, links := range got {
			if subflows == 1 {
				require.Equal(t, want[flow], links, "flow %s, salt %d", flow, run.salt)
			}
			for link := range links { // a sub-flow may have had nothing to send
				assert.Contains(t, want[flow], link, "flow %s of %s, salt %d", flow, preset, run.salt)
			}
			if subflows > 1 && len(want[flow]) > 4 {
				assert.Greater(t, len(links), 3, "flow %s uses several of its paths", flow)
			}
		}
	}
}

// TestNoFlowBeatsItsIdealAcrossAFailure: at a, s and x the packet goes by the
// routes before, at w by those after, over three short links.
func TestNoFlowBeatsItsIdealAcrossAFailure(t *testing.T) {
	dir := mustRun(t, nil, "testdata/mixed-paths.yaml")[0]
	row := tracetest.Table(t, dir, "flows")[0]
	assert.GreaterOrEqual(t, tracetest.Number(t, row, "slowdown"), 1.0)
	assert.Less(t, tracetest.Number(t, row, "fct_ps"), 10e6, "the short way")
}
