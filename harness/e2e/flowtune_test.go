package e2e

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/harness/run"
	"fabriclab/harness/store"
	"fabriclab/harness/trace/tracetest"
)

// flowtuneExperiment is Flowtune's network of three racks.
func flowtuneExperiment(t *testing.T, flows []string) string {
	t.Helper()
	text := `name: events
topology:
  type: leaf-spine
  leaves: 3
  spines: 2
  hosts_per_leaf: 4
  host_rate: 10Gbps
  fabric_rate: 40Gbps
  host_delay: 3.5us
  fabric_delay: 2us
  extra_hosts:
    - {name: allocator, switches: "spine*", rate: 40Gbps, delay: 3.5us}
workload:
  type: list
  flows:
` + strings.Join(flows, "") + `preset: flowtune
nodes:
  allocator: {applications: [flowtune_allocator]}
params:
  flowtune_allocator: {threshold: 0, optimum: true}
  flowtune_tcp: {initial_window: 10}
run: {stop: 2ms}
trace:
  flows: {}
  flowtune_allocator: {interval: 10us}
`
	file := filepath.Join(t.TempDir(), "events.yaml")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	return file
}

// The allocator in the network and the allocator alone are given the same
// starts and stops, and every iteration comes to the same: its own paths,
// messages and timers are all that the one in the network has besides. Flows
// start and stop 1 us behind an iteration; notices take 9 us, those of stops up
// to an ACK longer, so what servers tell it is there an iteration later. With a
// window of two segments some wait longer.
func TestTheAllocatorInTheNetworkIsTheOneAlone(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(17, 0))
	var flows []string
	for range 30 {
		src, start := random.IntN(12), 1+10*random.IntN(100)
		flows = append(flows, fmt.Sprintf("    - {src: host%d, dst: host%d, start: %dus, stop: %dus, size: unlimited, weight: %d}\n",
			src, (src+1+random.IntN(11))%12, start, start+10*(5+random.IntN(90)), 1+random.IntN(2)))
	}
	experiment := flowtuneExperiment(t, flows)
	alone := filepath.Join(t.TempDir(), "alone")
	_, stderr, err := fabriclab(t, nil, "allocate", experiment, "--to", alone, "--tables", "iterations", "--optimum")
	require.NoError(t, err, stderr)
	want := map[int]map[string]string{}
	for _, row := range tracetest.Table(t, alone, "iterations") {
		want[int(tracetest.Number(t, row, "time_ps"))] = row
	}

	const interval = 10e6
	compared := 0
	for _, row := range tracetest.Table(t, mustRun(t, nil, "--engine", "ns3", experiment)[0], "flowtune_allocator") {
		at := int(tracetest.Number(t, row, "time_ps"))
		w := want[at-interval]
		if w == nil || tracetest.Number(t, w, "flows") == 0 {
			continue
		}
		compared++
		require.Equal(t, w["flows"], row["flowlets"], "at %d ps", at)
		for _, column := range []string{"over_bps", "allocated_bps"} {
			assert.InDelta(t, tracetest.Number(t, w, column), tracetest.Number(t, row, column), 1, "%s at %d ps", column, at)
		}
		assert.InDelta(t, tracetest.Number(t, w, "rate_bps")/tracetest.Number(t, w, "fullest"), tracetest.Number(t, row, "u_norm_bps"), 1, "at %d ps", at)
		// Both stop at a residual of 1e-6.
		assert.InEpsilon(t, tracetest.Number(t, w, "optimum_bps"), tracetest.Number(t, row, "optimum_bps"), 1e-5, "at %d ps", at)
	}
	assert.Greater(t, compared, 150)
}

// The oracle finds the optimum by another method, in another language.
func TestTheAllocatorMeetsTheOracle(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(18, 0))
	var flows []string
	for range 200 {
		src := random.IntN(12)
		flows = append(flows, fmt.Sprintf("    - {src: host%d, dst: host%d, start: 0us, size: unlimited, weight: %.3f}\n",
			src, (src+1+random.IntN(11))%12, 0.2+5*random.Float64()))
	}
	experiment := flowtuneExperiment(t, flows)
	alone, optimum := filepath.Join(t.TempDir(), "alone"), filepath.Join(t.TempDir(), "optimum")
	_, stderr, err := fabriclab(t, nil, "allocate", experiment, "--to", alone, "--interval", "1us", "--set", "run.stop=3ms")
	require.NoError(t, err, stderr)
	_, stderr, err = fabriclab(t, nil, "oracle", experiment, "--to", optimum)
	require.NoError(t, err, stderr)
	best := map[string]float64{}
	for _, row := range tracetest.Table(t, optimum, "optimal_rates") {
		best[row["flow"]] = tracetest.Number(t, row, "rate_bps")
	}
	require.Len(t, best, 200)
	last := 0
	for _, row := range tracetest.Table(t, alone, "allocations") {
		if row["iteration"] == "3000" {
			last++
			assert.InEpsilon(t, best[row["flow"]], tracetest.Number(t, row, "allocated_bps"), 1e-6, "flow %s", row["flow"])
		}
	}
	assert.Equal(t, 200, last)
}

// The largest excess of a run, with faults and without, is in its manifest.
func TestTheManifestSaysTheLargestExcess(t *testing.T) {
	t.Parallel()
	dirs := mustRun(t, nil, "--engine", "ns3", "validation/flowtune")
	require.Len(t, dirs, 4)
	for _, dir := range dirs {
		m, err := store.Read(dir)
		require.NoError(t, err)
		summary, err := run.ParseSummary(m)
		require.NoError(t, err)
		found := false
		for _, c := range summary.Checks {
			if c.Name == "rates_within_capacity" {
				found = true
				assert.True(t, c.OK, m.Labels["fault"])
				assert.Regexp(t, `^handed out at most \d+\.\d{3} % of a link's capacity; in force at most \d+\.\d{3} % above one \(\S+->\S+\), for \d+\.\d{3} us at most`, c.Detail, m.Labels["fault"])
			}
		}
		assert.True(t, found, m.Labels["fault"])
	}
}
