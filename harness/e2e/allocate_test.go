package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/harness/topology"
	"fabriclab/harness/trace/tracetest"
)

const allocateExperiment = `name: alone
topology:
  type: leaf-spine
  leaves: 3
  spines: 4
  hosts_per_leaf: 2
  host_rate: 10Gbps
  fabric_rate: 40Gbps
  delay: 1us
workload:
  type: list
  flows:
    - {name: a, src: host0, dst: host2, start: 0us, size: unlimited}
    - {name: b, src: host1, dst: host2, start: 0us, size: unlimited}
    - {name: c, src: host0, dst: host4, start: 0us, size: unlimited, stop: 1ms}
preset: tcp
run: {stop: 2ms}
trace: {flows: {}}
`

func allocateIn(t *testing.T) (experiment string) {
	t.Helper()
	experiment = filepath.Join(t.TempDir(), "alone.yaml")
	require.NoError(t, os.WriteFile(experiment, []byte(allocateExperiment), 0o644))
	return experiment
}

// The allocator's rates settle at the optimum, which is known here: a shares
// host0's link with c and host2's with b.
func TestAllocateAlone(t *testing.T) {
	experiment, dir := allocateIn(t), filepath.Join(t.TempDir(), "allocation")
	out, stderr, err := fabriclab(t, nil, "allocate", experiment, "--to", dir, "--tables", "iterations,allocations,prices", "--optimum")
	require.NoError(t, err, stderr)
	assert.Contains(t, out, "201 iterations, 3 flows, 1 of them ended")

	rates := map[string]map[int]float64{}
	for _, row := range tracetest.Table(t, dir, "allocations") {
		i, err := strconv.Atoi(row["iteration"])
		require.NoError(t, err)
		if rates[row["flow"]] == nil {
			rates[row["flow"]] = map[int]float64{}
		}
		rates[row["flow"]][i] = tracetest.Number(t, row, "allocated_bps")
	}
	assert.InEpsilon(t, 10e9/3, rates["0"][99], 1e-6)
	assert.InEpsilon(t, 20e9/3, rates["1"][99], 1e-6)
	assert.InEpsilon(t, 20e9/3, rates["2"][99], 1e-6)
	assert.InEpsilon(t, 5e9, rates["0"][200], 1e-6)
	assert.InEpsilon(t, 5e9, rates["1"][200], 1e-6)
	assert.NotContains(t, rates["2"], 100, "stopped")

	// Flows take the links that they take in a simulation.
	loaded := map[string]bool{}
	for _, row := range tracetest.Table(t, dir, "prices") {
		if row["iteration"] == "200" && tracetest.Number(t, row, "load_bps") > 0 {
			loaded[row["link"]] = true
		}
	}
	want := map[string]bool{"host0->leaf0": true, "host1->leaf0": true, "leaf1->host2": true}
	named, err := topology.Star{Hosts: 3, Cabling: topology.Cabling{HostRate: 1}}.Build()
	require.NoError(t, err)
	for id, src := range []uint32{0, 1} {
		hash := named.FlowHash(src, 2, uint16(49152+id), 4791, true)
		spine := "spine" + strconv.Itoa(topology.Choose(hash.Switch, leafSalt(t, dir), 4))
		want["leaf0->"+spine], want[spine+"->leaf1"] = true, true
	}
	assert.Equal(t, want, loaded)

	// The same again is the same, bytes included; another algorithm is not.
	before, err := os.ReadFile(filepath.Join(dir, "allocation.json"))
	require.NoError(t, err)
	_, stderr, err = fabriclab(t, nil, "allocate", experiment, "--to", dir, "--tables", "iterations,allocations,prices", "--optimum")
	require.NoError(t, err, stderr)
	after, err := os.ReadFile(filepath.Join(dir, "allocation.json"))
	require.NoError(t, err)
	assert.Equal(t, string(before), string(after))
	_, stderr, err = fabriclab(t, nil, "allocate", experiment, "--to", dir, "--tables", "iterations,allocations,prices", "--algorithm", "gradient")
	require.NoError(t, err, stderr)
	after, err = os.ReadFile(filepath.Join(dir, "allocation.json"))
	require.NoError(t, err)
	assert.NotEqual(t, string(before), string(after))
}

// leafSalt is the hash salt of the first leaf.
func leafSalt(t *testing.T, dir string) uint64 {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "scenario.json"))
	require.NoError(t, err)
	var s struct {
		Nodes []struct {
			Name string `json:"name"`
			Salt uint64 `json:"hash_salt"`
		} `json:"nodes"`
	}
	require.NoError(t, json.Unmarshal(text, &s))
	for _, n := range s.Nodes {
		if n.Name == "leaf0" {
			return n.Salt
		}
	}
	t.Fatal("no leaf0")
	return 0
}

func TestAllocateRefuses(t *testing.T) {
	experiment := allocateIn(t)
	taken := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(taken, "mine"), []byte("x"), 0o644))
	dir := filepath.Join(t.TempDir(), "none")
	for _, c := range []struct {
		why  string
		args []string
	}{
		{"choose another folder", []string{"--to", taken}},
		{"must be one of fgm, gradient, ned, newton-like", []string{"--to", dir, "--algorithm", "newton"}},
		{"trace table 'rate' is not known", []string{"--to", dir, "--tables", "rate"}},
		{"at least 1", []string{"--to", dir, "--interval", "0us"}},
		{"gamma", []string{"--to", dir, "--gamma", "-1"}},
	} {
		_, stderr, err := fabriclab(t, nil, append([]string{"allocate", experiment}, c.args...)...)
		require.Error(t, err, c.why)
		assert.Contains(t, stderr, c.why)
	}
	assert.FileExists(t, filepath.Join(taken, "mine"))
	assert.NoDirExists(t, dir)
}
