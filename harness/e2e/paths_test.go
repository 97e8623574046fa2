package e2e

import (
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/base/catalog"
	"fabriclab/harness/build"
	yaml "fabriclab/harness/experiment" // experiment is a function here
	"fabriclab/harness/topology"
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
	for preset, subflows := range map[string]uint16{"tcp": 1, "mptcp": 8} {
		set := "preset=" + preset
		e, err := yaml.Load(file, yaml.Options{Catalog: c, Sets: []string{set}, ConfigDir: lab.root + "/configs"})
		require.NoError(t, err)
		point := e.Points[0]
		want := map[string]map[string]bool{} // by flow: the ports on its paths
		for f, err := range point.Flows.Flows(1) {
			require.NoError(t, err)
			links := map[string]bool{}
			for i := range subflows {
				hash := topology.FlowHash(f.Src, f.Dst, f.SrcPort+i, f.DstPort+i, true)
				for _, port := range point.Topology.Path(f.Src, f.Dst, hash) {
					links[point.Topology.PortName(port)] = true
				}
			}
			want[strconv.Itoa(int(f.ID))] = links
		}
		dirs := mustRun(t, nil, file, "--set", set)
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
				require.Equal(t, want[flow], links, "flow %s", flow)
			}
			for link := range links { // a sub-flow may have had nothing to send
				assert.Contains(t, want[flow], link, "flow %s of %s", flow, preset)
			}
			if subflows > 1 && len(want[flow]) > 4 {
				assert.Greater(t, len(links), 3, "flow %s uses several of its paths", flow)
			}
		}
	}
}
