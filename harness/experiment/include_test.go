package experiment

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/harness/workload"
)

// writeAll writes files into a folder and returns the path of exp.yaml.
func writeAll(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	return filepath.Join(dir, "exp.yaml")
}

// TestInclude: several experiments share a network and its traffic. The file goes
// over what it includes, later files over earlier ones; paths are relative to the
// file that names them, and values keep file and line.
func TestInclude(t *testing.T) {
	file := writeAll(t, map[string]string{
		"exp.yaml":                 "include: [shared/network.yaml, shared/traffic.yaml]\ntopology: {rate: 200Gbps}\npreset: hpcc\nrun: {stop: 1ms}\n",
		"shared/network.yaml":      "topology: {type: star, hosts: 3, rate: 100Gbps, delay: 1us}\nparams:\n  hpcc: {eta: 0.9}\n  port: {pfc_xoff: 400KB}\n",
		"shared/traffic.yaml":      "include: below/params.yaml\nworkload: {type: file, path: flows.csv}\nseeds: 4-6\nscales: {quick: {}, paper: {seeds: 7}}\n" + "readings:\n  xoff: {source: none given, first: {}, high: {port.pfc_xoff: 500KB}}\n",
		"shared/flows.csv":         "src,dst,size,start\nhost0,host2,1MB,0us\n",
		"shared/below/params.yaml": "params:\n  hpcc: {eta: 0.93}\n",
	})
	e, err := loadFile(t, file, "")
	require.NoError(t, err)
	p := e.Points[0]
	assert.EqualValues(t, 200e9, p.Topology.Links[0].RateBps)
	eta, xoff := setting(t, p, "congestion_control", "eta"), setting(t, p, "port", "pfc_xoff")
	assert.Equal(t, "0.93", eta.Value)
	assert.Equal(t, "params.yaml:2", eta.Origin)
	assert.Equal(t, "network.yaml:4", xoff.Origin)
	assert.Equal(t, []uint64{4, 5, 6}, e.Seeds)
	e, err = Load(file, Options{Catalog: testCatalog(t), ConfigDir: "../../configs", Readings: map[string]string{"xoff": "high"}, Scale: "paper"})
	require.NoError(t, err)
	assert.Equal(t, "500KB", setting(t, e.Points[0], "port", "pfc_xoff").Value)
	assert.Equal(t, []uint64{7}, e.Seeds)

	for name, c := range map[string]struct {
		files map[string]string
		sets  []string
		want  string
	}{
		"missing":  {map[string]string{"exp.yaml": "include: nowhere.yaml\n" + base}, nil, "exp.yaml:1:10: include: there is no file "},
		"circle":   {map[string]string{"exp.yaml": "include: a.yaml\n" + base, "a.yaml": "include: exp.yaml\n"}, nil, "a.yaml:1:10: include: "},
		"key":      {map[string]string{"exp.yaml": "include: a.yaml\n" + base, "a.yaml": "figure: {}\n"}, nil, `a.yaml:1:1: an included file has no key "figure"`},
		"mistake":  {map[string]string{"exp.yaml": "include: a.yaml\n" + base, "a.yaml": "params:\n  port: {pfc_xof: 1KB}\n"}, nil, `a.yaml:2:10: params.port: port has no parameter "pfc_xof"; did you mean "pfc_xoff"?`},
		"by flag":  {map[string]string{"exp.yaml": base}, []string{"include=a.yaml"}, "an include is laid below the file"},
		"by scale": {map[string]string{"exp.yaml": base + "scales: {quick: {include: a.yaml}}\n"}, nil, `a scale does not change "include"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := loadFile(t, writeAll(t, c.files), "", c.sets...)
			require.Error(t, err)
			assert.Contains(t, err.Error(), c.want)
		})
	}
}

// TestPresetsDropComponents: null takes away what the preset has that is extended.
func TestPresetsDropComponents(t *testing.T) {
	const replaced = "preset: mine\ntitle: Mine\nsource: chosen\nextends: hpcc\ncongestion_control: dctcp\ntransport: tcp\nqueues: [red]\nport_agents: null\nreceiver_agents: null\n"
	with := func(preset string) map[string]string {
		return map[string]string{"exp.yaml": strings.Replace(base, "preset: hpcc", "preset: ./mine.yaml", 1), "mine.yaml": preset}
	}
	_, err := loadFile(t, writeAll(t, with(replaced)), "")
	require.Error(t, err)
	assert.Contains(t, err.Error(), "params: {hpcc: null} in the preset ")

	e, err := loadFile(t, writeAll(t, with(replaced+"params: {hpcc: null, red: {kmin: 1KB, kmax: 2KB}}\n")), "")
	require.NoError(t, err)
	assert.NotContains(t, e.Points[0].Uses, "hpcc")
	assert.NotContains(t, e.Points[0].Uses, "hpcc_int")
	assert.Contains(t, e.Points[0].Uses, "dctcp")

	_, err = loadFile(t, writeAll(t, with(replaced+"params: {hpcc: null, hpc: null}\n")), "")
	require.Error(t, err)
	assert.Contains(t, err.Error(), "mine.yaml:10:22: hpc: null takes away")
}

// TestAFlowListIsReadOnce: points that have a network in common share a list, but
// not flows and messages that are in one file.
func TestAFlowListIsReadOnce(t *testing.T) {
	e, err := loadFile(t, writeAll(t, map[string]string{
		"exp.yaml":  "topology: {type: star, hosts: 3, rate: 100Gbps, delay: 1us}\nworkload: {type: file, path: flows.csv}\nrun: {stop: 1ms}\nmatrix: {preset: [hpcc, dcqcn, none], include: [{preset: none, workload.type: dag}]}\n",
		"flows.csv": "flow,src,dst,size,start\n0,host0,host2,1MB,0us\n",
	}), "")
	require.NoError(t, err)
	require.Len(t, e.Points, 4)
	list := func(i int) any { return reflect.ValueOf(e.Points[i].Flows).Elem().FieldByName("Generator").Interface() }
	assert.Same(t, list(0), list(1))
	assert.Same(t, list(0), list(2))
	assert.IsType(t, &workload.DAG{}, list(3))
}
