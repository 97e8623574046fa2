package experiment

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/base/catalog"
	"fabriclab/base/reader"
	"fabriclab/harness/scenario"
	"fabriclab/harness/workload"
)

var update = flag.Bool("update", false, "write the golden files anew")

// theCatalog is read once: nothing that is loaded changes it.
var theCatalog = sync.OnceValues(func() (*catalog.Catalog, error) {
	data, err := os.ReadFile("../../base/catalog/testdata/catalog.json")
	if err != nil {
		return nil, err
	}
	return catalog.Load(data)
})

func testCatalog(t testing.TB) *catalog.Catalog {
	t.Helper()
	c, err := theCatalog()
	require.NoError(t, err)
	return c
}

func loadFile(t *testing.T, file, scale string, sets ...string) (*Experiment, error) {
	t.Helper()
	return Load(file, Options{Catalog: testCatalog(t), Scale: scale, Sets: sets, ConfigDir: "../../configs", Checks: model(t)})
}

// write makes an experiment in a temporary directory.
func write(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "exp.yaml")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	return file
}

// base is a small experiment for the tests to change.
const base = `
topology: {type: star, hosts: 3, rate: 100Gbps, delay: 1us}
workload:
  type: list
  flows:
    - {src: host0, dst: host2, start: 0us, size: 1MB}
preset: hpcc
run: {stop: 1ms}
trace: {flows: {}}
`

func labels(e *Experiment) []string {
	var all []string
	for _, p := range e.Points {
		all = append(all, p.String())
	}
	return all
}

func setting(t *testing.T, p *Point, place, param string) Setting {
	t.Helper()
	i := slices.IndexFunc(p.Effective, func(s Setting) bool { return s.Place == place && s.Param == param })
	require.GreaterOrEqual(t, i, 0, "%s %s", place, param)
	return p.Effective[i]
}

// TestShipped: everything under configs/ loads at every scale it has, and under
// every reading.
func TestShipped(t *testing.T) {
	files, err := filepath.Glob("../../configs/*/*.yaml")
	require.NoError(t, err)
	for _, file := range files {
		if dir := filepath.Base(filepath.Dir(file)); dir == "presets" || dir == "workloads" || filepath.Base(file) == "statements.yaml" {
			continue
		}
		var readings []Reading
		for _, scale := range []string{"quick", "paper"} {
			e, err := Load(file, Options{Catalog: testCatalog(t), Scale: scale, Checks: model(t)})
			if err != nil && strings.Contains(err.Error(), `there is no scale "paper"`) {
				continue
			}
			require.NoError(t, err, file)
			readings = e.Readings
			assert.NotEmpty(t, e.Points, file)
			for _, w := range e.Warnings { // what the papers' authors chose
				assert.Regexp(t, `(expresspass\.timeout|tcp\.message_m(in|ax)_rto) is .*, less than twice the base RTT`, w, file)
			}
		}
		for nth := 1; ; nth++ { // the nth value of each reading that has so many, together
			chosen := map[string]string{}
			for _, r := range readings {
				if nth < len(r.Values) {
					chosen[r.Name] = r.Values[nth]
				}
			}
			if len(chosen) == 0 {
				break
			}
			_, err := Load(file, Options{Catalog: testCatalog(t), Readings: chosen, Checks: model(t)})
			if err == nil || !strings.Contains(err.Error(), "each otherwise") {
				require.NoError(t, err, "%s, %v", file, chosen)
				continue
			}
			for name, value := range chosen { // two that do not go together: each alone
				_, err := Load(file, Options{Catalog: testCatalog(t), Readings: map[string]string{name: value}, Checks: model(t)})
				require.NoError(t, err, "%s, %s=%s", file, name, value)
			}
		}
	}
}

// besidePreset is what an experiment adds to a preset that is not whole by
// itself.
var besidePreset = map[string][]string{"flowtune": {"nodes.host1.applications=[flowtune_allocator]"}}

// TestPresets: every preset loads, and the parameters come from where they
// should.
func TestPresets(t *testing.T) {
	presets, err := filepath.Glob("../../configs/presets/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, presets)
	for _, file := range presets {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		sets := append([]string{"preset=" + name}, besidePreset[name]...)
		_, err := loadFile(t, write(t, base), "", sets...)
		require.NoError(t, err, name)
	}
	e, err := loadFile(t, write(t, base), "", "preset=dcqcn-hpcc")
	require.NoError(t, err)
	p := e.Points[0]
	assert.Equal(t, []string{"fifo", "red"}, []string{p.Scenario.Components["queues"].List[0].Type, p.Scenario.Components["queues"].List[1].Type})
	assert.Equal(t, int64(25e9), p.Scenario.Components["queues"].List[1].Params["per_rate"])
	assert.Equal(t, "preset:dcqcn-hpcc", setting(t, p, "queues[1]", "kmin").Origin)
	assert.Equal(t, "preset:dcqcn", setting(t, p, "congestion_control", "rate_ai").Origin)
	assert.Empty(t, p.Scenario.Components["port_agents"].List)
	assert.NotNil(t, p.Scenario.Components["port_agents"].List, "an empty list, not null")
}

func TestGolden(t *testing.T) {
	e, err := loadFile(t, "testdata/dumbbell.yaml", "")
	require.NoError(t, err)
	assert.Equal(t, "dumbbell", e.Name)
	assert.Equal(t, "Two flows meet at a switch", e.Title)
	assert.Equal(t, "quick", e.Scale)
	assert.Equal(t, []string{"ns3"}, e.Engines)
	assert.Equal(t, []uint64{1}, e.Seeds)
	assert.NotNil(t, e.Figure)
	assert.Equal(t, []string{"preset=fncc pfc=true", "preset=fncc pfc=false", "preset=dcqcn-hpcc pfc=true", "preset=dcqcn-hpcc pfc=false"}, labels(e))
	assert.Equal(t, []Label{{"preset", "preset", "fncc"}, {"port.pfc", "pfc", "true"}}, e.Points[0].Labels)

	dir := t.TempDir()
	tally, err := e.Points[1].WriteInputs(dir, 7)
	require.NoError(t, err)
	assert.EqualExportedValues(t, workload.Tally{Flows: 2, Bytes: 1_000_000, MeasuredFlows: 1, Unlimited: 1}, *tally)
	for _, name := range []string{scenario.File, EffectiveFile} {
		got, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		golden := filepath.Join("testdata", "dumbbell."+name)
		if *update {
			require.NoError(t, os.WriteFile(golden, got, 0o644))
		}
		want, err := os.ReadFile(golden)
		require.NoError(t, err)
		assert.Equal(t, string(want), string(got), name)
	}
	flows, err := os.Open(filepath.Join(dir, scenario.FlowsFile))
	require.NoError(t, err)
	defer flows.Close()
	var got []scenario.Flow
	for f, err := range scenario.ReadFlows(flows) {
		require.NoError(t, err)
		got = append(got, f)
	}
	assert.Equal(t, []scenario.Flow{
		{ID: 0, Src: 0, Dst: 2, StopPs: -1, SrcPort: 49152, DstPort: 4791, Class: 1, Measured: true, Weight: 1},
		{ID: 1, Src: 1, Dst: 2, Group: 3, Size: 1e6, StartPs: 30e6, StopPs: 60e6, SrcPort: 49153, DstPort: 4791, Class: 1, Weight: 1},
	}, got)
	assert.Equal(t, []string{"first", "second"}, e.Points[0].Flows.Names())
}

func TestHash(t *testing.T) {
	hashes := map[string]string{}
	for _, sets := range [][]string{
		nil, {"hpcc.eta=0.9"}, {"topology.delay=2us"}, {"workload.flows.0.size=2MB"}, {"workload.flows.0.dst=host1"}, {"trace.pauses={}"}, {"run.stop=2ms"},
		{"ecmp.salt=1"},
	} {
		e, err := loadFile(t, write(t, base), "", sets...)
		require.NoError(t, err)
		hash, err := e.Points[0].Hash()
		require.NoError(t, err)
		assert.NotContains(t, hashes, hash, "%v", sets)
		hashes[hash] = strings.Join(sets, " ")
	}
	for _, same := range []string{"seeds=[1, 2]", "engines=[omnetpp]", "title=another", "hpcc.eta=0.95", "ecmp.salt=0"} {
		e, err := loadFile(t, write(t, base), "", same)
		require.NoError(t, err)
		hash, err := e.Points[0].Hash()
		require.NoError(t, err)
		assert.Contains(t, hashes, hash, same)
	}
}

func TestOrigins(t *testing.T) {
	file := write(t, base+`
params:
  host: {ack_every: 2}
  hpcc: {eta: 0.9}
matrix:
  hpcc.max_stage: [0, 5]
scales:
  quick: {params: {port: {pfc_xoff: 300KB}}}
`)
	e, err := loadFile(t, file, "", "hpcc.w_ai=40B", "params.port.pfc=false")
	require.NoError(t, err)
	p := e.Points[0]
	for _, tt := range []struct{ place, param, value, origin string }{
		{"host", "mtu", "1518B", "default"},
		{"host", "ack_every", "2", "file:12"},
		{"host", "base_rtt", "4.25344us", "derived"},
		{"host", "classes", "2", "derived"},
		{"port", "pfc_xoff", "300KB", "scale:quick"},
		{"port", "pfc", "false", "flag"},
		{"path_selector", "symmetric", "true", "preset:hpcc"},
		{"congestion_control", "eta", "0.9", "file:13"},
		{"congestion_control", "max_stage", "0", "matrix"},
		{"congestion_control", "w_ai", "40B", "flag"},
	} {
		got := setting(t, p, tt.place, tt.param)
		assert.Equal(t, tt.value, got.Value, tt.param)
		assert.Equal(t, tt.origin, got.Origin, tt.param)
	}
	assert.Equal(t, int64(0), p.Scenario.Components.Param("congestion_control", "max_stage"))
	assert.Contains(t, p.Effective.Table(), "congestion_control  hpcc.eta                 0.9        file:13\n")

	e, err = loadFile(t, file, "", "host.base_rtt=20us")
	require.NoError(t, err)
	assert.Equal(t, "flag", setting(t, e.Points[0], "host", "base_rtt").Origin, "a given base RTT stays")
}

func TestMechanisms(t *testing.T) {
	file := write(t, base+`
queues: [fifo, {type: red, params: {kmin: 7KB}}, {type: red, params: {kmin: 8KB}}]
port_agents: []
receiver_agents: []
congestion_control: none
params:
  red: {kmax: 300KB}
`)
	e, err := loadFile(t, file, "")
	require.NoError(t, err)
	c := e.Points[0].Scenario.Components
	queues := c["queues"].List
	require.Len(t, queues, 3)
	assert.Equal(t, int64(7e3), queues[1].Params["kmin"])
	assert.Equal(t, int64(8e3), queues[2].Params["kmin"])
	assert.Equal(t, int64(300e3), queues[2].Params["kmax"])
	assert.Equal(t, int64(3), c.Param("host", "classes"))
	assert.Empty(t, c["port_agents"].List)
	assert.Equal(t, "none", c["congestion_control"].One.Type)
}

// A scenario over the default transport does not name it, so that its hash is what it was.
func TestTransport(t *testing.T) {
	encoded := func(e *Experiment, err error) string {
		require.NoError(t, err)
		text, err := e.Points[0].Scenario.Encode()
		require.NoError(t, err)
		return string(text)
	}
	plain := encoded(loadFile(t, write(t, base), ""))
	assert.NotContains(t, plain, "transport")
	assert.Equal(t, plain, encoded(loadFile(t, write(t, base+"transport: go_back_n\n"), "")))

	e, err := loadFile(t, write(t, base+"transport: tcp\nparams: {tcp: {min_rto: 1ms}}\n"), "")
	assert.Contains(t, encoded(e, err), `"type": "tcp"`)
	assert.Equal(t, int64(1e9), e.Points[0].Scenario.Components.Param("transport", "min_rto"))
	assert.Equal(t, "file:11", setting(t, e.Points[0], "transport", "min_rto").Origin)
}

func TestPresetBesideExperiment(t *testing.T) {
	file := write(t, base)
	own := filepath.Join(filepath.Dir(file), "mine.yaml")
	require.NoError(t, os.WriteFile(own, []byte("preset: mine\nextends: hpcc\nparams: {hpcc: {eta: 0.8}}\n"), 0o644))
	e, err := loadFile(t, file, "", "preset=./mine.yaml")
	require.NoError(t, err)
	assert.Equal(t, "preset:mine", setting(t, e.Points[0], "congestion_control", "eta").Origin)
}

func TestMatrix(t *testing.T) {
	tests := []struct {
		name, matrix string
		sets         []string
		want         []string
	}{
		{"none", "", nil, []string{""}},
		{"grid", "{preset: [hpcc, fncc], topology.rate: [1Gbps, 2Gbps]}", nil,
			[]string{"preset=hpcc rate=1Gbps", "preset=hpcc rate=2Gbps", "preset=fncc rate=1Gbps", "preset=fncc rate=2Gbps"}},
		{"named", "{where: {near: {workload.flows.0.dst: host1, run.stop: 2ms}, far: {workload.flows.0.dst: host2}}}", nil,
			[]string{"where=near", "where=far"}},
		{"zip", "{preset: [hpcc, fncc], zip: [{topology.rate: [1Gbps, 2Gbps], run.stop: [1ms, 2ms]}]}", nil,
			[]string{"preset=hpcc rate=1Gbps stop=1ms", "preset=hpcc rate=2Gbps stop=2ms", "preset=fncc rate=1Gbps stop=1ms", "preset=fncc rate=2Gbps stop=2ms"}},
		{"exclude", "{preset: [hpcc, fncc], topology.rate: [1Gbps, 2Gbps], exclude: [{preset: fncc, topology.rate: 1Gbps}]}", nil,
			[]string{"preset=hpcc rate=1Gbps", "preset=hpcc rate=2Gbps", "preset=fncc rate=2Gbps"}},
		{"include", "{preset: [hpcc], include: [{preset: none, run.stop: 2ms}]}", nil,
			[]string{"preset=hpcc", "preset=none stop=2ms"}},
		{"named in exclude and include", "{where: {near: {workload.flows.0.dst: host1}, far: {workload.flows.0.dst: host2}}, topology.rate: [1Gbps, 2Gbps], exclude: [{where: near, topology.rate: 1Gbps}, {where: far}], include: [{where: far, preset: none}]}", nil,
			[]string{"where=near rate=2Gbps", "where=far preset=none"}},
		{"flag for an axis", "{preset: [hpcc, fncc], topology.rate: [1Gbps, 2Gbps], include: [{preset: none}]}", []string{"preset=[fncc, dcqcn]", "topology.rate=5Gbps"},
			[]string{"preset=fncc rate=5Gbps", "preset=dcqcn rate=5Gbps"}},
		{"flag picks a name", "{where: {near: {workload.flows.0.dst: host1}, far: {workload.flows.0.dst: host2}}}", []string{"where=far"},
			[]string{"where=far"}},
		{"steps", "{topology.rate: {from: 500Mbps, to: 2.2Gbps, step: 0.5Gbps}}", nil,
			[]string{"rate=500Mbps", "rate=1000Mbps", "rate=1500Mbps", "rate=2000Mbps"}},
		{"exact steps", "{hpcc.eta: {from: 0.1, to: 0.7, step: 0.2}}", nil, []string{"eta=0.1", "eta=0.3", "eta=0.5", "eta=0.7"}},
		{"from 0", "{workload.flows.0.start: {from: 0, to: 2us, step: 1us}}", nil, []string{"start=0us", "start=1us", "start=2us"}},
		{"counted", "{run.stop: {from: 1us, to: 4us, count: 5}}", nil, []string{"stop=1us", "stop=1.75us", "stop=2.5us", "stop=3.25us", "stop=4us"}},
		{"counted and rounded", "{hpcc.eta: {from: 0.8, to: 0.9, count: 4, digits: 2}}", nil, []string{"eta=0.8", "eta=0.83", "eta=0.87", "eta=0.9"}},
		{"factor", "{hpcc.w_ai: {from: 1KiB, to: 5KiB, factor: 2}}", nil, []string{"w_ai=1KiB", "w_ai=2KiB", "w_ai=4KiB"}},
		{"log", "{run.stop: {from: 1us, to: 100us, count: 5, scale: log}}", nil, []string{"stop=1us", "stop=3.16us", "stop=10us", "stop=31.6us", "stop=100us"}},
		{"log, exact where it can be", "{hpcc.w_ai: {from: 1024B, to: 4096B, count: 5, scale: log}}", nil, []string{"w_ai=1024B", "w_ai=1450B", "w_ai=2048B", "w_ai=2900B", "w_ai=4096B"}},
		{"log digits", "{hpcc.eta: {from: 1e-1, to: 1, count: 4, scale: log, digits: 6}}", nil, []string{"eta=0.1", "eta=0.215443", "eta=0.464159", "eta=1"}},
		{"range in zip and exclude", "{zip: {topology.rate: {from: 1Gbps, to: 3Gbps, step: 1Gbps}, run.stop: [1ms, 2ms, 3ms]}, exclude: [{topology.rate: 2Gbps}]}", nil,
			[]string{"rate=1Gbps stop=1ms", "rate=3Gbps stop=3ms"}},
		{"flag with a range", "{topology.rate: [1Gbps]}", []string{"topology.rate={from: 4Gbps, to: 8Gbps, step: 4Gbps}"}, []string{"rate=4Gbps", "rate=8Gbps"}},
		{"flag for a range", "{topology.rate: {from: 4Gbps, to: 8Gbps, step: 4Gbps}}", []string{"topology.rate=1Gbps"}, []string{"rate=1Gbps"}},
		{"engines are no labels", "{engine: [ns3, omnetpp], preset: [hpcc, fncc]}", nil, []string{"preset=hpcc", "preset=fncc"}},
		{"short path", "{hpcc.eta: [0.9, 0.95]}", []string{"params.hpcc.eta=0.8"}, []string{"eta=0.8"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e, err := loadFile(t, write(t, base+"matrix: "+tt.matrix+"\n"), "", tt.sets...)
			require.NoError(t, err)
			assert.Equal(t, tt.want, labels(e))
		})
	}
}

func TestEngineAxis(t *testing.T) {
	tests := []struct {
		name, text string
		flag       []string
		want       map[string][]string
		runs       int
	}{
		{"engines of all points", "engines: [omnetpp, ns3]\nmatrix: {preset: [hpcc, fncc]}", nil,
			map[string][]string{"preset=hpcc": {"omnetpp", "ns3"}, "preset=fncc": {"omnetpp", "ns3"}}, 8},
		{"excluded", "matrix: {preset: [hpcc, fncc], engine: [ns3, omnetpp], exclude: [{preset: fncc, engine: omnetpp}]}", nil,
			map[string][]string{"preset=hpcc": {"ns3", "omnetpp"}, "preset=fncc": {"ns3"}}, 6},
		{"zipped", "matrix: {zip: {preset: [hpcc, fncc], engine: [ns3, omnetpp]}}", nil,
			map[string][]string{"preset=hpcc": {"ns3"}, "preset=fncc": {"omnetpp"}}, 4},
		{"in named sets", "matrix: {what: {small: {preset: hpcc, engine: omnetpp}, large: {preset: fncc, engine: ns3}}}", nil,
			map[string][]string{"what=small": {"omnetpp"}, "what=large": {"ns3"}}, 4},
		{"included", "engines: [omnetpp]\nmatrix: {preset: [hpcc], include: [{preset: fncc, engine: ns3}]}", nil,
			map[string][]string{"preset=hpcc": {"omnetpp"}, "preset=fncc": {"ns3"}}, 4},
		{"flag instead", "matrix: {preset: [hpcc]}", []string{"omnetpp"}, map[string][]string{"preset=hpcc": {"omnetpp"}}, 2},
		{"flag chooses", "matrix: {zip: {preset: [hpcc, fncc], engine: [ns3, omnetpp]}}", []string{"ns3"},
			map[string][]string{"preset=hpcc": {"ns3"}, "preset=fncc": {}}, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e, err := loadFile(t, write(t, base+"seeds: [3, 7]\n"+tt.text+"\n"), "")
			require.NoError(t, err)
			if tt.flag != nil {
				require.NoError(t, e.OnEngines(tt.flag))
			}
			got := map[string][]string{}
			for _, p := range e.Points {
				got[p.String()] = p.Engines
			}
			assert.Equal(t, tt.want, got)
			assert.Equal(t, tt.runs, e.Runs())
		})
	}
	e, err := loadFile(t, write(t, base+"matrix: {engine: [ns3]}\n"), "")
	require.NoError(t, err)
	require.ErrorContains(t, e.OnEngines([]string{"omnetpp"}), "no point runs on omnetpp")
}

// TestRangeHashes: a point of a range is the same scenario as when its value
// is written out.
func TestRangeHashes(t *testing.T) {
	var hashes [2][]string
	for i, matrix := range []string{"{hpcc.eta: {from: 0.1, to: 0.7, step: 0.2}}", "{hpcc.eta: [0.1, 0.3, 0.5, 0.7]}"} {
		e, err := loadFile(t, write(t, base+"matrix: "+matrix+"\n"), "")
		require.NoError(t, err)
		for _, p := range e.Points {
			hash, err := p.Hash()
			require.NoError(t, err)
			hashes[i] = append(hashes[i], hash)
			assert.Equal(t, "matrix", setting(t, p, "congestion_control", "eta").Origin)
		}
	}
	assert.Equal(t, hashes[1], hashes[0])
}

func TestSeeds(t *testing.T) {
	for text, want := range map[string][]uint64{"7": {7}, "2-4": {2, 3, 4}, "[9, 1-3, 5]": {9, 1, 2, 3, 5}} {
		e, err := loadFile(t, write(t, base+"seeds: "+text+"\n"), "")
		require.NoError(t, err)
		assert.Equal(t, want, e.Seeds)
	}
}

func TestMatrixSets(t *testing.T) {
	e, err := loadFile(t, write(t, base+"matrix: {topology.rate: [1Gbps, 2Gbps], where: {near: {workload.flows.0.dst: host1}, far: {workload.flows.0.dst: host2}}}\n"), "")
	require.NoError(t, err)
	require.Len(t, e.Points, 4)
	assert.Equal(t, int64(2e9), e.Points[3].Scenario.Links[0].RateBps)
	assert.Equal(t, map[uint32]uint32{0: 1}, maps.Collect(e.Points[2].Flows.Pairs()))
	assert.Equal(t, map[uint32]uint32{0: 2}, maps.Collect(e.Points[3].Flows.Pairs()))
	assert.Same(t, e.Points[0].Topology, e.Points[1].Topology, "the same network is built once")
}

// TestAPointMaySetNothing: it is the file as it is, with a label.
func TestAPointMaySetNothing(t *testing.T) {
	plain, err := loadFile(t, write(t, base), "")
	require.NoError(t, err)
	e, err := loadFile(t, write(t, base+"matrix: {eta: {base: {}, low: {hpcc.eta: 0.9}}}\n"), "")
	require.NoError(t, err)
	require.Len(t, e.Points, 2)
	assert.Equal(t, "base", e.Points[0].Labels[0].Value)
	was, err := plain.Points[0].Hash()
	require.NoError(t, err)
	is, err := e.Points[0].Hash()
	require.NoError(t, err)
	assert.Equal(t, was, is)
	assert.NotEqual(t, e.Points[0].Scenario, e.Points[1].Scenario)
}

func TestScale(t *testing.T) {
	text := base + "matrix: {topology.rate: [1Gbps, 2Gbps]}\nscales: {paper: {seeds: [1, 2, 3], run: {stop: 5ms}, matrix: {topology.rate: [4Gbps]}}}\n"
	e, err := loadFile(t, write(t, text), "paper")
	require.NoError(t, err)
	assert.Equal(t, []uint64{1, 2, 3}, e.Seeds)
	assert.Equal(t, []string{"rate=4Gbps"}, labels(e))
	assert.Equal(t, int64(5e9), e.Points[0].Scenario.StopPs)
	e, err = loadFile(t, write(t, text), "")
	require.NoError(t, err)
	assert.Equal(t, []string{"rate=1Gbps", "rate=2Gbps"}, labels(e))
	_, err = loadFile(t, write(t, text), "papr")
	assert.ErrorContains(t, err, `exp.yaml:11:1: scales: there is no scale "papr"; did you mean "paper"? (known: paper, quick)`)
}

// TestFlagsGoOverScales: what --set says stands, whatever the scale says; the rest of the scale stays.
func TestFlagsGoOverScales(t *testing.T) {
	text := base + "params: {hpcc: {eta: 0.9}}\nscales: {paper: {seeds: [1, 2, 3], run: {stop: 5ms}, params: {hpcc: {eta: 0.8}}}}\n"
	e, err := loadFile(t, write(t, text), "paper", "run.stop=7ms", "hpcc.eta=0.7")
	require.NoError(t, err)
	assert.Equal(t, int64(7e9), e.Points[0].Scenario.StopPs)
	assert.Equal(t, 0.7, e.Points[0].Scenario.Components.Param("congestion_control", "eta"))
	assert.Equal(t, []uint64{1, 2, 3}, e.Seeds)
	e, err = loadFile(t, write(t, base+"matrix: {topology.rate: [1Gbps]}\nscales: {paper: {matrix: {topology.rate: [4Gbps]}}}\n"), "paper", "topology.rate=9Gbps")
	require.NoError(t, err)
	assert.Equal(t, []string{"rate=9Gbps"}, labels(e))
}

// TestShortTimeouts: the star's base RTT is 4.26 us and some ns for headers.
func TestShortTimeouts(t *testing.T) {
	for _, tt := range []struct{ preset, params, want string }{
		{"expresspass", "{expresspass: {timeout: 8us}}", "exp.yaml:11:33: expresspass.timeout is 8us, less than twice the base RTT, 4.2"},
		{"expresspass", "{expresspass: {timeout: 9us}}", ""},
		{"hpcc", "{host: {retransmit_timeout: 5us}}", "exp.yaml:11:37: host.retransmit_timeout is 5us, less than"},
		{"hpcc", "{host: {retransmit_timeout: 0us}}", ""},
		{"tcp", "{host: {retransmit_timeout: 5us}}", ""}, // it is not asked
		{"tcp", "{tcp: {min_rto: 5us}}", "exp.yaml:11:25: tcp.min_rto is 5us, less than"},
		{"pfabric", "{pfabric: {rto: 5us}}", "exp.yaml:11:25: pfabric.rto is 5us, less than"},
		{"conga", "{conga: {flowlet_timeout: 5us}}", ""}, // no answer is waited for
	} {
		text := strings.Replace(base, "preset: hpcc", "preset: "+tt.preset, 1) + "matrix: {topology.rate: [100Gbps, 99Gbps]}\nparams: " + tt.params + "\n"
		e, err := loadFile(t, write(t, text), "")
		require.NoError(t, err, tt.params)
		if tt.want == "" {
			assert.Empty(t, e.Warnings, tt.params)
			continue
		}
		require.Len(t, e.Warnings, 1, "%s: two base RTTs, one cause", tt.params)
		assert.Contains(t, e.Warnings[0], tt.want)
		assert.Contains(t, e.Warnings[0], "make it longer")
	}
	long := strings.Replace(base, "delay: 1us", "delay: 20us", 1)
	e, err := loadFile(t, write(t, strings.Replace(long, "preset: hpcc", "preset: expresspass", 1)), "")
	require.NoError(t, err)
	require.Len(t, e.Warnings, 1)
	assert.Contains(t, e.Warnings[0], "expresspass.timeout is 100us, less than twice the base RTT, 8", "the default")
}

func TestTopologies(t *testing.T) {
	tests := []struct {
		name, topology string
		flow           string
		hosts, links   int
	}{
		{"chain", "{type: chain, switches: 3, hosts: {a: s1, b: s2, c: s3}, rate: 1Gbps, delay: 1us}", "src: a, dst: c", 3, 5},
		{"leaf-spine", "{type: leaf-spine, leaves: 2, spines: 2, hosts_per_leaf: 4, parallel_links: 2, host_rate: 10Gbps, fabric_rate: 40Gbps, delay: 1us, host_delay: 2us, failed: [\"leaf1->spine1#1\"], overrides: [{link: \"spine0->leaf0\", rate: 20Gbps, delay: 3us}]}", "src: host0, dst: host7", 8, 15},
		{"fat-tree", "{type: fat-tree, k: 4, rate: 100Gbps, delay: 1us}", "src: host0, dst: host15", 16, 48},
		{"custom", "{type: custom, hosts: [a, b], switches: [s, {name: t, tier: 1}], rate: 10Gbps, links: [{a: a, b: s, delay: 1us}, {a: b, b: t, delay: 2us}, {a: s, b: t, rate: 1Gbps, delay: 3us}]}", "src: a, dst: b", 2, 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e, err := loadFile(t, write(t, "topology: "+tt.topology+"\nworkload: {type: list, flows: [{"+tt.flow+", size: 1MB}]}\npreset: hpcc\nrun: {stop: 1ms}\n"), "")
			require.NoError(t, err)
			topo := e.Points[0].Topology
			assert.Len(t, topo.HostNames(), tt.hosts)
			assert.Len(t, topo.Links, tt.links)
			switch tt.name {
			case "leaf-spine":
				ref, err := topo.Port("leaf0->spine0")
				require.NoError(t, err)
				assert.Equal(t, int64(20e9), topo.Link(ref).RateBps)
				assert.Equal(t, int64(3e6), topo.Link(ref).DelayPs)
				assert.Equal(t, scenario.Link{ID: 0, A: 0, B: 8, RateBps: 10e9, DelayPs: 2e6}, topo.Links[0])
			case "custom":
				assert.Equal(t, uint32(1), *topo.Nodes[3].HashSalt)
				assert.Equal(t, []int64{10e9, 10e9, 1e9}, []int64{topo.Links[0].RateBps, topo.Links[1].RateBps, topo.Links[2].RateBps})
			}
		})
	}
}

func TestFlowFile(t *testing.T) {
	text, _, _ := strings.Cut(base, "workload")
	text += "workload: {type: file, path: flows.csv}\npreset: hpcc\nrun: {warmup: 5us, measure: 1ms, drain: 1ms}\n"
	file := write(t, text)
	csv := filepath.Join(filepath.Dir(file), "flows.csv")
	require.NoError(t, os.WriteFile(csv, []byte("src,dst,size_bytes,start_ps\nhost0,host2,1000,0\nhost1,host2,unlimited,5000000\n"), 0o644))
	e, err := loadFile(t, file, "")
	require.NoError(t, err)
	var got []scenario.Flow
	for f, err := range e.Points[0].Flows.Flows(1) {
		require.NoError(t, err)
		got = append(got, f)
	}
	assert.Equal(t, []scenario.Flow{
		{ID: 0, Src: 0, Dst: 2, Size: 1000, StopPs: -1, SrcPort: 49152, DstPort: 4791, Class: 1, Weight: 1},
		{ID: 1, Src: 1, Dst: 2, StartPs: 5e6, StopPs: -1, SrcPort: 49153, DstPort: 4791, Class: 1, Weight: 1, Measured: true},
	}, got)

	// Hosts by number, and values with their units.
	require.NoError(t, os.WriteFile(csv, []byte("src,dst,size,start\n1,2,1KB,5us\n"), 0o644))
	e, err = loadFile(t, file, "")
	require.NoError(t, err)
	for f, err := range e.Points[0].Flows.Flows(1) {
		require.NoError(t, err)
		assert.Equal(t, []any{uint32(1), uint32(2), uint64(1000), int64(5e6)}, []any{f.Src, f.Dst, f.Size, f.StartPs})
	}
	require.NoError(t, os.WriteFile(csv, []byte("src,dst,size,start\n1,3,1KB,5us\n"), 0o644))
	_, err = loadFile(t, file, "")
	require.ErrorContains(t, err, "flows.csv:2:3: dst: there is no host 3; the 3 hosts have the numbers 0 to 2")

	require.NoError(t, os.WriteFile(csv, []byte("src,dst,size_bytes,start_ps\nhost0,host9,1000,0\n"), 0o644))
	_, err = loadFile(t, file, "")
	require.ErrorContains(t, err, `exp.yaml:3:30: workload.path: `)
	assert.ErrorContains(t, err, `flows.csv:2:7: dst: there is no host "host9" in this topology`)
}

func TestIdealFCT(t *testing.T) {
	e, err := loadFile(t, write(t, base), "", "preset=none")
	require.NoError(t, err)
	got, err := e.Points[0].IdealFCT(0, 2, 1456)
	require.NoError(t, err)
	assert.Equal(t, int64(2*(1_000_000+121_440)), got, "one full packet over two hops of 1 us at 100 Gb/s")
}

// TestRefuses: each change to the small experiment is refused at its place.
func TestRefuses(t *testing.T) {
	tests := []struct {
		name      string
		old, new  string
		want      string
		alsoWants string
	}{
		{"unknown key", "preset: hpcc", "presets: hpcc", `exp.yaml:7:1: there is no key "presets" here; did you mean "preset"?`, `exp.yaml:2:1: needs the key preset, such as preset: none`},
		{"parameter as a key", "preset: hpcc", "preset: hpcc\npfc: true", `exp.yaml:8:1: there is no key "pfc" here; it is a parameter, written as params: {port: {pfc: true}} or network: lossless`, ""},
		{"unknown key below", "hosts: 3", "host: 3", `exp.yaml:2:24: there is no key "host" in topology; did you mean "hosts"?`, `exp.yaml:2:11: topology needs the key hosts`},
		{"wrong unit", "delay: 1us", "delay: 1Gbps", `exp.yaml:2:56: topology.delay: "1Gbps" has the unit "Gbps"; a time has one of ps, ns, us, ms, s, such as 1.5us`, ""},
		{"no unit", "delay: 1us", "delay: 1", `exp.yaml:2:56: topology.delay: "1" has no unit`, ""},
		{"negative rate", "100Gbps", "-100Gbps", `exp.yaml:2:40: topology.rate: "-100Gbps" is negative; a rate is 0 or more`, ""},
		{"rate 0", "100Gbps", "0bps", `topology.rate: "0bps" is no rate for a link`, ""},
		{"no rate", "rate: 100Gbps, ", "", "topology needs the key rate, such as rate: 100Gbps (or both host_rate and fabric_rate)", ""},
		{"topology type", "type: star", "type: ring", `exp.yaml:2:18: topology.type: there is no topology "ring" (known: chain, custom, dumbbell, fat-tree, leaf-spine, star)`, ""},
		{"no type", "type: star, ", "", "topology needs the key type, such as type: dumbbell", ""},
		{"number", "hosts: 3", "hosts: 3.5", `exp.yaml:2:31: topology.hosts: "3.5" is not a whole number`, ""},
		{"too few", "hosts: 3", "hosts: 1", `exp.yaml:2:31: topology hosts: 1 is out of range; allowed: from 2`, ""},
		{"failed link", "delay: 1us", `delay: 1us, failed: ["s1->host9"]`, `exp.yaml:2:70: topology failed.0: there is no link "s1->host9" in this topology; did you mean "s1->host0"?`, ""},
		{"override", "delay: 1us", `delay: 1us, overrides: [{link: "s1->host1", rat: 1Gbps}]`, `there is no key "rat" in topology.overrides.0; did you mean "rate"?`, ""},
		{"workload type", "type: list", "type: lst", `exp.yaml:4:9: workload.type: there is no workload "lst"; did you mean "list"?`, ""},
		{"unknown host", "dst: host2", "dst: host3", `exp.yaml:6:25: workload.flows.0.dst: there is no host "host3" in this topology; did you mean "host0"?`, ""},
		{"a switch", "dst: host2", "dst: s1", `workload.flows.0.dst: "s1" is a switch, not a host`, ""},
		{"to itself", "dst: host2", "dst: host0", `exp.yaml:6:25: workload.flows.0.dst: source and destination are the same host`, ""},
		{"start after the run", "start: 0us", "start: 2ms", `exp.yaml:6:39: workload.flows.0.start: the flow starts at 2ms, but the run stops at 1ms`, ""},
		{"stop before start", "start: 0us", "start: 5us, stop: 4us", `exp.yaml:6:50: workload.flows.0.stop: the flow stops at 4us, but starts at 5us`, ""},
		{"no size", ", size: 1MB", "", "exp.yaml:6:7: workload.flows.0 needs the key size, such as size: 1MB (or unlimited)", ""},
		{"size 0", "size: 1MB", "size: 0", `a flow of "0" has nothing to send`, ""},
		{"class", "size: 1MB", "size: 1MB, class: 2", `exp.yaml:6:62: workload.flows.0.class: 2 is out of range; allowed: from 0 to 1`, ""},
		{"same name", "size: 1MB}", "size: 1MB, name: x}\n    - {name: x, src: host1, dst: host2, size: 1MB}", `exp.yaml:7:7: workload.flows.1: two flows have the name "x"`, ""},
		{"not a list", "flows:\n    - {src: host0, dst: host2, start: 0us, size: 1MB}", "flows: {src: host0}", `exp.yaml:5:10: workload.flows is a list, such as [a, b], not a mapping`, ""},
		{"preset", "preset: hpcc", "preset: hpc", `exp.yaml:7:9: there is no preset "hpc" (../../configs/presets/hpc.yaml); did you mean "hpcc"?`, ""},
		{"component", "preset: hpcc", "preset: hpcc\nparams: {hppc: {eta: 1}}", `exp.yaml:8:10: params: there is no component "hppc"; did you mean "hpcc"?`, ""},
		{"parameter", "preset: hpcc", "preset: hpcc\nparams: {hpcc: {etta: 1}}", `exp.yaml:8:17: params.hpcc: hpcc has no parameter "etta"; did you mean "eta"? (known: eta, header_bytes, max_stage, min_rate, u_initial, w_ai, window)`, ""},
		{"parameter of an unused component", "preset: hpcc", "preset: hpcc\nparams: {fncc: {betta: 1}}", `exp.yaml:8:17: params.fncc: fncc has no parameter "betta"; did you mean "beta"?`, ""},
		{"out of range", "preset: hpcc", "preset: hpcc\nparams: {hpcc: {eta: 1.5}}", `exp.yaml:8:22: params.hpcc.eta: 1.5 is out of range; allowed: from 0.01 to 1`, ""},
		{"params list", "preset: hpcc", "preset: hpcc\nparams: {hpcc: [eta]}", `exp.yaml:8:16: params.hpcc maps parameters to values, as in {eta: 0.95}; this is a list`, ""},
		{"params scalar", "preset: hpcc", "preset: hpcc\nparams: hpcc", `exp.yaml:8:9: params maps components to their parameters`, ""},
		{"mechanism", "preset: hpcc", "preset: hpcc\ncongestion_control: hpc", `exp.yaml:8:21: congestion_control: there is no congestion control "hpc"; did you mean "hpcc"?`, ""},
		{"transport", "preset: hpcc", "preset: hpcc\ntransport: tpc", `exp.yaml:8:12: transport: there is no transport "tpc"; did you mean "tcp"?`, ""},
		{"wrong kind", "preset: hpcc", "preset: hpcc\npath_selector: hpcc", `path_selector: hpcc is a congestion control, not a path selector`, ""},
		{"partner", "preset: hpcc", "preset: hpcc\nport_agents: []", `exp.yaml:8:14: hpcc needs the port agent hpcc_int, which is not there; add hpcc_int to nic_agents or port_agents`, ""},
		{"partner replaced", "preset: hpcc", "preset: rcp\nport_agents: [dre]", `exp.yaml:8:14: rcp needs the port agent rcp_rate, which is not there`, ""},
		{"partner taken out of one of two lists", "preset: hpcc", "preset: rcp\nnic_agents: [dre]\nport_agents: []", `exp.yaml:8:13: rcp needs the port agent rcp_rate, which is not there`, ""},
		{"partner at NICs", "preset: hpcc", "preset: dart\nnic_agents: []", `exp.yaml:8:13: iofd needs the port agent iofd_tokens, which is not there`, ""},
		{"partner of a default", "preset: hpcc", "preset: dcqcn\nreceiver_agents: []", `exp.yaml:8:18: dcqcn.notice: cnp needs the receiver agent cnp_generator, which is not there; add cnp_generator to receiver_agents`, ""},
		{"partner of a default, without preset", "preset: hpcc", "preset: none\ncongestion_control: dcqcn", `exp.yaml:8:21: dcqcn.notice: cnp needs the receiver agent cnp_generator`, ""},
		{"partner of what is below", "preset: hpcc", "preset: dasr\nreceiver_agents: [dasr_receiver]", `exp.yaml:8:18: dasr.notice: cnp needs the receiver agent cnp_generator`, ""},
		{"partner of a value", "preset: hpcc", "preset: infiniband\nparams: {ib_cc: {notice: cnp}}", `exp.yaml:8:26: ib_cc.notice: cnp needs the receiver agent cnp_generator`, ""},
		{"slot key", "preset: hpcc", "preset: hpcc\nqueue: [fifo]", `there is no key "queue" here; did you mean "queues"?`, ""},
		{"ack class", "preset: hpcc", "preset: hpcc\nparams: {host: {ack_class: 2}}", `exp.yaml:8:28: host.ack_class is 2, and there are 2 classes, numbered from 0`, ""},
		{"no escape lane", "preset: hpcc", "preset: dart\nparams: {iofd: {escape_class: 3}}", `exp.yaml:8:31: iofd.escape_class is 3, and switches have 3 classes, numbered from 0`, ""},
		{"escape lane of data", "preset: hpcc", "preset: dart\nparams: {iofd: {escape_class: 2}}", `exp.yaml:8:31: iofd.escape_class is 2, as is iofd.data_class; the escape lane is a class of its own`, ""},
		{"data in the escape lane", "preset: hpcc", "preset: dart\nparams: {iofd: {data_class: 1}}", `exp.yaml:8:29: iofd.escape_class is 1, as is iofd.data_class`, ""},
		{"other classes than the preset's", "preset: hpcc", "preset: dart\nqueues: [fifo, red]", `exp.yaml:8:10: queues has 2 items and nic_queues has 3 (../../configs/presets/dart.yaml:7:14), one for each class`, ""},
		{"other classes of NICs than the preset's", "preset: hpcc", "preset: dart\nnic_queues: [fifo, red]", `exp.yaml:8:14: nic_queues has 2 items and queues has 3 (../../configs/presets/dart.yaml:6:10), one for each class`, ""},
		{"other classes of NICs than of switches", "preset: hpcc", "preset: hpcc\nqueues: [fifo, red]\nnic_queues: [fifo]", `exp.yaml:8:10: queues has 2 items and nic_queues has 1, one for each class`, ""},
		{"a table beyond its format", "preset: hpcc", "preset: infiniband\nparams: {ib_cc: {cct_curve: linear, cct_step: 20, cct_shift: 3}}", `exp.yaml:8:47: ib_cc.ccti_limit * ib_cc.cct_step * 2^ib_cc.cct_shift is 20320, and it stays below 16384 with ib_cc.cct_curve: linear, as the last entry of the table has its multiplier in 14 bits; make one of them smaller`, ""},
		{"a square table beyond its format", "preset: hpcc", "preset: infiniband\nparams: {ib_cc: {cct_step: 1.1}}", `exp.yaml:8:28: ib_cc.ccti_limit * ib_cc.ccti_limit * ib_cc.cct_step * 2^ib_cc.cct_shift is 17741.9`, ""},
		{"class of credits", "dst: host2, start: 0us, size: 1MB}\npreset: hpcc", "dst: host2, start: 0us, size: 1MB, class: 0}\npreset: expresspass", `exp.yaml:6:62: the class of a flow is 0, which is host.cnp_class, and with expresspass credits have it for themselves; give the flow another one`, ""},
		{"class of credits, of flows that are made", "type: list\n  flows:\n    - {src: host0, dst: host2, start: 0us, size: 1MB}\npreset: hpcc", "type: permutation\n  size: 1MB\n  class: 0\npreset: expresspass", `exp.yaml:6:10: the class of a flow is 0, which is host.cnp_class`, ""},
		{"class of credits, which is the flows' where they say nothing", "preset: hpcc", "preset: expresspass\nparams: {host: {cnp_class: 1}}", `exp.yaml:6:7: the class of a flow is 1, which is host.cnp_class`, ""},
		{"above", "preset: hpcc", "preset: dcqcn\nparams: {red: {kmin: 300KB}}", `exp.yaml:8:22: red.kmin is 300KB, above red.kmax, which is 200KB; marks begin where none is certain yet`, ""},
		{"above by the other", "preset: hpcc", "preset: dcqcn\nparams: {red: {kmax: 4KB}}", `exp.yaml:8:22: red.kmin is 5KB, above red.kmax, which is 4KB`, ""},
		{"above in one class", "preset: hpcc", "preset: dcqcn\nqueues: [fifo, {type: red, params: {kmin: 300KB}}]", `exp.yaml:8:43: red.kmin is 300KB, above red.kmax`, ""},
		{"order of a list", "preset: hpcc", "preset: dasr\nreceiver_agents: [cnp_generator, dasr_receiver]", `exp.yaml:8:19: receiver_agents has cnp_generator before dasr_receiver, and it would see marks that dasr_receiver takes away; put dasr_receiver first`, ""},
		{"order of a list of nodes", "preset: hpcc", "preset: dasr\nnodes:\n  host0: {receiver_agents: [cnp_generator, dasr_receiver]}", `exp.yaml:9:29: receiver_agents has cnp_generator before dasr_receiver`, ""},
		{"alpha of senders", "preset: hpcc", "preset: rcp-star\nparams: {rcp_star: {alpha: 2}}", `exp.yaml:8:28: rcp_star_rate.alpha is 1, and rcp_star.alpha is 2: the sender undoes the power of its path's links; give both the same value`, ""},
		{"alpha of links", "preset: hpcc", "preset: rcp-star\nparams: {rcp_star_rate: {alpha: 2}}", `exp.yaml:8:33: rcp_star_rate.alpha is 2, and rcp_star.alpha is 1`, ""},
		{"alpha of the utility", "preset: hpcc", "preset: rcp-star\nparams: {alpha_fair: {alpha: 2}}", `exp.yaml:8:30: rcp_star.alpha is 1, and alpha_fair.alpha is 2: these rates are optimal for no other utility; give both the same value`, ""},
		{"data that credits make no room for", "preset: hpcc", "preset: expresspass\nparams: {host: {mtu: 9038B}}", `exp.yaml:8:22: credit_queue.data_bytes is 1538B, and host.mtu is 9038B: credits make room for data packets of that size; give both the same value`, ""},
		{"credits that never leave", "preset: hpcc", "preset: expresspass\nparams: {expresspass: {credit_most: 200B}}", `exp.yaml:8:37: expresspass.credit_most is 200B, above credit_queue.burst, which is 168B`, ""},
		{"a bucket in which no credit fits", "preset: hpcc", "preset: expresspass\nparams: {credit_queue: {burst: 84B}}", `exp.yaml:8:32: expresspass.credit_most is 92B, above credit_queue.burst, which is 84B`, ""},
		{"alpha of one port", "preset: hpcc", "preset: rcp-star\nport_agents: [{type: rcp_star_rate, params: {alpha: 2}}]", `exp.yaml:8:53: rcp_star_rate.alpha is 2, and rcp_star.alpha is 1`, ""},
		{"alpha of some hosts", "preset: hpcc", "preset: rcp-star\nnodes: {host0: {params: {rcp_star: {alpha: 2}}}}", `exp.yaml:8:44: rcp_star_rate.alpha is 1, and rcp_star.alpha is 2`, ""},
		{"utility that RCP* has not", "preset: hpcc", "preset: rcp-star\nutility: fct_min", `exp.yaml:8:10: rcp_star needs the utility alpha_fair, which is not there; add alpha_fair to utility`, ""},
		{"no utility", "preset: hpcc", "preset: none\ncongestion_control: dgd\nport_agents: [dgd_price]\nreceiver_agents: [num_echo]", `exp.yaml:8:21: dgd needs a utility, and a host has none; add one, such as utility: alpha_fair`, ""},
		{"weights without utility", "preset: hpcc", "preset: none\ncongestion_control: numfabric\nqueues: [stfq]\nport_agents: [xwi]\nreceiver_agents: [num_echo]", `exp.yaml:8:21: numfabric.weights is price, and a host has no utility to compute weights from; add one, such as utility: alpha_fair`, ""},
		{"weights without prices", "preset: hpcc", "preset: none\ncongestion_control: numfabric\nqueues: [stfq]\nutility: alpha_fair\nreceiver_agents: [num_echo]\nparams: {numfabric: {weights: price}}", `exp.yaml:12:31: numfabric.weights: price needs the port agent xwi, which is not there; add xwi to nic_agents or port_agents`, ""},
		{"congestion control over pFabric", "preset: hpcc", "preset: pfabric\ncongestion_control: dctcp", `exp.yaml:8:21: pfabric has a window of its own, and the congestion control is dctcp; leave congestion_control out or say none`, ""},
		{"deflection without entries", "preset: hpcc", "preset: dart\nparams: {iofd: {entries: 0}}", `exp.yaml:8:26: params.iofd.entries: 0 is out of range; allowed: from 1 to 1024`, ""},
		{"classes", "preset: hpcc", "preset: hpcc\nparams: {host: {classes: 3}}", `exp.yaml:8:26: host.classes is 3, but there are 2 queues`, ""},
		{"no payload", "preset: hpcc", "preset: hpcc\nparams: {host: {mtu: 64B, header_bytes: 64B}}", `host.mtu is 64 B and host.header_bytes 64 B, which leaves no payload`, ""},
		{"no stop", "run: {stop: 1ms}", "run: {}", "run needs the key stop, such as stop: 700us (or measure and drain)", ""},
		{"no drain", "stop: 1ms", "measure: 1ms", "run needs the key drain, such as drain: 20ms", ""},
		{"stop and measure", "stop: 1ms", "stop: 1ms, measure: 1ms, drain: 1ms", "exp.yaml:8:13: run.stop and run.measure exclude each other", ""},
		{"drain without a window", "stop: 1ms", "stop: 1ms, drain: 1ms", "run.drain stands before or behind the measuring window, and there is none", ""},
		{"measure 0", "stop: 1ms", "measure: 0, drain: 1ms", "run.measure is 0", ""},
		{"measure too long", "stop: 1ms", "measure: 8000000s, drain: 1000000s", "warmup, measure and drain together are longer than 100 days", ""},
		{"stop 0", "stop: 1ms", "stop: 0", "run.stop is 0", ""},
		{"what a deadlock does", "stop: 1ms", "stop: 1ms, on_deadlock: end", `exp.yaml:8:31: run.on_deadlock: "end" is not among the choices (known: report, stop)`, ""},
		{"not a truth value", "stop: 1ms", "stop: 1ms, stop_when_flows_finish: yes", `run.stop_when_flows_finish: "yes" is not a truth value; write true or false`, ""},
		{"derived table", "trace: {flows: {}}", "trace: {optimal_rates: {utility: max_min, alpha: 2}}", `exp.yaml:9:50: trace.optimal_rates.alpha is of utility: alpha_fair; give that, too, or leave alpha out`, ""},
		{"derived alpha", "trace: {flows: {}}", "trace: {optimal_rates: {utility: alpha_fair, alpha: 0}}", `exp.yaml:9:53: trace.optimal_rates.alpha: 0 is out of range; allowed: from 0.05 to 16`, ""},
		{"derived epsilon", "trace: {flows: {}}", "trace: {optimal_flows: {utility: fct_min, epsilon: 0}}", `exp.yaml:9:52: trace.optimal_flows.epsilon: 0 is out of range; allowed: from 0.05 to 0.95`, ""},
		{"derived of what", "trace: {flows: {}}", "trace: {optimal_rates: {utility: log}}", `exp.yaml:9:34: trace.optimal_rates.utility: "log" is not among the choices (known: alpha_fair, fct_min, max_min, own)`, ""},
		{"table", "trace: {flows: {}}", "trace: {flow: {}}", `exp.yaml:9:9: trace: there is no table "flow"; did you mean "flows"?`, ""},
		{"no interval", "{flows: {}}", "{queues: {}}", `exp.yaml:9:17: trace.queues needs the key interval, such as interval: 1us (the table is sampled)`, ""},
		{"interval of an event table", "{flows: {}}", "{pauses: {interval: 1us}}", `trace.pauses has no interval: it records every event`, ""},
		{"port", "{flows: {}}", `{queues: {interval: 1us, ports: ["s1->s2"]}}`, `exp.yaml:9:41: trace.queues.ports: there is no port "s1->s2" in this topology; did you mean "s1->host2"?`, ""},
		{"empty filter", "{flows: {}}", `{pauses: {ports: []}}`, `trace.pauses.ports is an empty list; leave the key out`, ""},
		{"traced flow", "{flows: {}}", `{packets: {flows: [flow7]}}`, `trace.packets.flows: there is no flow "flow7"; did you mean "flow0"?`, ""},
		{"traced class", "{flows: {}}", `{packets: {classes: [5]}}`, `trace.packets.classes: 5 is out of range; allowed: from 0 to 1`, ""},
		{"window", "{flows: {}}", `{pauses: {from: 5us, to: 5us}}`, `trace.pauses ends at 5us, not after its beginning at 5us`, ""},
		{"time of a table of ends", "{flows: {}}", "{flows: {from: 5us}}", `exp.yaml:9:23: trace.flows.from: the table flows has no such filter; it has flows; take the key out`, ""},
		{"class of drops", "{flows: {}}", "{drops: {classes: [1]}}", `trace.drops.classes: the table drops has no such filter; it has from, to, ports, flows; take the key out`, ""},
		{"ports of flows", "{flows: {}}", `{rates: {interval: 1us, ports: ["s1->host2"]}}`, `trace.rates.ports: the table rates has no such filter; it has from, to, flows; take the key out`, ""},
		{"window behind the end", "{flows: {}}", `{pauses: {from: 1ms}}`, `exp.yaml:9:24: trace.pauses begins at 1ms, but the run stops at 1ms`, ""},
		{"a failure behind the end", "delay: 1us}", "delay: 1us, failures: [{host: host0, at: 2us}, {host: host1, at: 1ms}]}", `exp.yaml:2:114: topology failures.1.at: the host host1 fails at 1ms, but the run stops at 1ms; let it happen before that`, ""},
		{"a rate behind the end", "topology: {type: star, hosts: 3, rate: 100Gbps, delay: 1us}", "topology: {type: leaf-spine, leaves: 2, spines: 1, hosts_per_leaf: 2, rate: 100Gbps, delay: 1us, capacity_changes: [{link: leaf0->spine0, at: 5ms, rate: 1Gbps}]}", `topology capacity_changes.0.at: the link "leaf0->spine0" changes its rate at 5ms, but the run stops at 1ms`, ""},
		{"a rate twice", "delay: 1us}", `delay: 1us, overrides: [{link: "s1->host0", rate: 1Gbps}, {link: "host0->s1", delay: 2us}, {link: "host0->s1", rate: 2Gbps}]}`, `topology overrides.2: the link "host0->s1" is overridden twice`, ""},
		{"twice", "preset: hpcc", "preset: hpcc\npreset: fncc", `exp.yaml:8:1: the key "preset" is here twice; keep one`, ""},
		{"merge key", "preset: hpcc", "preset: hpcc\nparams: {<<: {hpcc: {}}}", `merge keys (<<) and keys with a structure are not used here`, ""},
		{"circle", "preset: hpcc", "preset: hpcc\nparams: &p {hpcc: *p}", `the alias *p stands for a value that contains it`, ""},
		{"syntax", "preset: hpcc", "preset: [hpcc", `correct the YAML syntax`, ""},
		{"two documents", "preset: hpcc", "preset: hpcc\n---\na: 1", "a second YAML document begins here", ""},
		{"seed", "preset: hpcc", "preset: hpcc\nseeds: [1, 1, -2]", `exp.yaml:8:12: seeds: 1 is here twice`, `exp.yaml:8:15: seeds: "-2" is not a seed`},
		{"seed range", "preset: hpcc", "preset: hpcc\nseeds: 9-3", `exp.yaml:8:8: seeds: "9-3" is not a range of at most 100000 seeds`, ""},
		{"seed in a range", "preset: hpcc", "preset: hpcc\nseeds: [1-5, 4]", `exp.yaml:8:14: seeds: 4 is here twice`, ""},
		{"engine", "preset: hpcc", "preset: hpcc\nengines: [ns2]", `engines: there is no engine "ns2"; did you mean "ns3"? (known: ns3, omnetpp, plain)`, ""},
		{"name", "preset: hpcc", "preset: hpcc\nname: ../x", `exp.yaml:8:7: name: "../x" is no name of an experiment`, ""},
		{"scale changes the name", "preset: hpcc", "preset: hpcc\nscales: {quick: {name: x}}", `exp.yaml:8:18: scales.quick: a scale does not change "name"`, ""},
		{"matrix path", "preset: hpcc", "preset: hpcc\nmatrix: {topologie.rate: [1Gbps]}", `exp.yaml:8:10: matrix.topologie.rate: a matrix changes the keys of points, and "topologie" is none of them; did you mean "topology"?`, ""},
		{"matrix key", "preset: hpcc", "preset: hpcc\nmatrix: {topology.rat: [1Gbps]}", `exp.yaml:8:10: there is no key "rat" in topology; did you mean "rate"?`, ""},
		{"matrix value", "preset: hpcc", "preset: hpcc\nmatrix: {topology.rate: [1Gbps, 1us]}", `exp.yaml:8:33: topology.rate: "1us" has the unit "us"`, ""},
		{"matrix scalar", "preset: hpcc", "preset: hpcc\nmatrix: {topology.rate: 1Gbps}", `exp.yaml:8:25: matrix.topology.rate is a list of values`, ""},
		{"matrix twice", "preset: hpcc", "preset: hpcc\nmatrix: {topology.rate: [1Gbps, 1Gbps]}", `matrix.topology.rate has the value 1Gbps twice`, ""},
		{"matrix below a value", "preset: hpcc", "preset: hpcc\nmatrix: {topology.rate.x: [1Gbps]}", `there is nothing below the value "100Gbps", so "x" cannot be set there`, ""},
		{"matrix item", "preset: hpcc", "preset: hpcc\nmatrix: {workload.flows.3.size: [1KB]}", `"3" is no item of this list; its 1 items are numbered from 0`, ""},
		{"zip", "preset: hpcc", "preset: hpcc\nmatrix: {zip: [{topology.rate: [1Gbps, 2Gbps], run.stop: [1ms]}]}", `matrix.zip.run.stop has 1 values, the first list has 2`, ""},
		{"exclude", "preset: hpcc", "preset: hpcc\nmatrix: {topology.rate: [1Gbps], exclude: [{topology.rate: 2Gbps}]}", `matrix.exclude: no point has these values`, ""},
		{"include", "preset: hpcc", "preset: hpcc\nmatrix: {topology.rate: [1Gbps], include: [{topology.rate: 1Gbps}]}", `matrix.include: this point is there already`, ""},
		{"include no such name", "preset: hpcc", "preset: hpcc\nmatrix: {where: {near: {run.stop: 2ms}}, include: [{where: neer}]}", `matrix.include.where has no value "neer"; did you mean "near"?`, ""},
		{"range without end", "preset: hpcc", "preset: hpcc\nmatrix: {topology.rate: {from: 1Gbps, step: 1Gbps}}", `exp.yaml:8:25: matrix.topology.rate needs the key to, such as to: 100Gbps`, ""},
		{"range key", "preset: hpcc", "preset: hpcc\nmatrix: {topology.rate: {from: 1Gbps, to: 2Gbps, step: 1Gbps, stop: 1}}", `exp.yaml:8:63: there is no key "stop" in matrix.topology.rate; did you mean "step"?`, ""},
		{"range without a way", "preset: hpcc", "preset: hpcc\nmatrix: {topology.rate: {from: 1Gbps, to: 2Gbps}}", `exp.yaml:8:25: matrix.topology.rate needs exactly one of step, factor and count`, ""},
		{"range with two ways", "preset: hpcc", "preset: hpcc\nmatrix: {topology.rate: {from: 1Gbps, to: 2Gbps, step: 1Gbps, count: 2}}", `needs exactly one of step, factor and count`, ""},
		{"range downwards", "preset: hpcc", "preset: hpcc\nmatrix: {topology.rate: {from: 2Gbps, to: 1Gbps, step: 1Gbps}}", `exp.yaml:8:43: matrix.topology.rate.to is not above from`, ""},
		{"range of two kinds", "preset: hpcc", "preset: hpcc\nmatrix: {topology.rate: {from: 2Gbps, to: 3us, step: 1Gbps}}", `exp.yaml:8:25: matrix.topology.rate: 3us and 2Gbps are not of the same kind`, ""},
		{"range of another kind", "preset: hpcc", "preset: hpcc\nmatrix: {topology.rate: {from: 1us, to: 2us, step: 1us}}", `topology.rate: "1us" has the unit "us"; a rate has one of`, `topology.rate: "2us" has the unit "us"`},
		{"range step kind", "preset: hpcc", "preset: hpcc\nmatrix: {topology.rate: {from: 2Gbps, to: 3Gbps, step: 1}}", `exp.yaml:8:56: matrix.topology.rate.step: 1 and 2Gbps are not of the same kind`, ""},
		{"range step 0", "preset: hpcc", "preset: hpcc\nmatrix: {topology.rate: {from: 2Gbps, to: 3Gbps, step: 0}}", `exp.yaml:8:56: matrix.topology.rate.step is not above 0`, ""},
		{"range too fine", "preset: hpcc", "preset: hpcc\nmatrix: {topology.rate: {from: 2Gbps, to: 3Gbps, step: 1bps}}", `exp.yaml:8:25: matrix.topology.rate has more than 10000 values`, ""},
		{"range no number", "preset: hpcc", "preset: hpcc\nmatrix: {topology.rate: {from: slow, to: 3Gbps, step: 1bps}}", `exp.yaml:8:32: matrix.topology.rate.from: "slow" is not a number`, ""},
		{"range unit", "preset: hpcc", "preset: hpcc\nmatrix: {topology.rate: {from: 1Gbs, to: 3Gbps, step: 1bps}}", `exp.yaml:8:32: matrix.topology.rate.from: "1Gbs" has the unit "Gbs"; units are ps, ns, us, ms, s, bps`, ""},
		{"range no decimal", "preset: hpcc", "preset: hpcc\nmatrix: {hpcc.eta: {from: 0.8, to: 0.9, count: 4}}", `exp.yaml:8:48: matrix.hpcc.eta: 4 values from 0.8 to 0.9 are no decimal numbers (0.8333…)`, ""},
		{"range factor", "preset: hpcc", "preset: hpcc\nmatrix: {topology.rate: {from: 1Gbps, to: 3Gbps, factor: 1}}", `exp.yaml:8:58: matrix.topology.rate.factor is a number above 1`, ""},
		{"range log from 0", "preset: hpcc", "preset: hpcc\nmatrix: {run.stop: {from: 0us, to: 3us, count: 3, scale: log}}", `exp.yaml:8:27: matrix.run.stop.from is not above 0, where a log scale begins`, ""},
		{"range log step", "preset: hpcc", "preset: hpcc\nmatrix: {run.stop: {from: 1us, to: 3us, step: 1us, scale: log}}", `exp.yaml:8:47: matrix.run.stop.step adds, which is no log scale`, ""},
		{"range scale", "preset: hpcc", "preset: hpcc\nmatrix: {run.stop: {from: 1us, to: 3us, count: 3, scale: lin}}", `exp.yaml:8:58: matrix.run.stop.scale is linear or log, not "lin"`, ""},
		{"range too close", "preset: hpcc", "preset: hpcc\nmatrix: {run.stop: {from: 100us, to: 101us, count: 5, scale: log}}", `exp.yaml:8:20: matrix.run.stop: two values are 100us when rounded`, ""},
		{"zip range", "preset: hpcc", "preset: hpcc\nmatrix: {zip: {topology.rate: {from: 1Gbps, to: 3Gbps, step: 1Gbps}, run.stop: [1ms]}}", `matrix.zip.run.stop has 1 values, the first list has 3`, ""},
		{"engine axis", "preset: hpcc", "preset: hpcc\nmatrix: {engine: [ns3, ns4]}", `exp.yaml:8:24: matrix.engine: there is no engine "ns4"; did you mean "ns3"?`, ""},
		{"engine twice", "preset: hpcc", "preset: hpcc\nengines: [ns3]\nmatrix: {engine: [ns3]}", `exp.yaml:8:10: engines has no effect: the matrix says of every point on which engine it runs`, ""},
		{"all excluded", "preset: hpcc", "preset: hpcc\nmatrix: {topology.rate: [1Gbps], exclude: [{topology.rate: 1Gbps}]}", `matrix: no point is left`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			require.Contains(t, base, tt.old)
			_, err := loadFile(t, write(t, strings.Replace(base, tt.old, tt.new, 1)), "")
			var problems reader.Problems
			require.ErrorAs(t, err, &problems)
			require.ErrorContains(t, err, tt.want)
			require.ErrorContains(t, err, tt.alsoWants)
			if tt.alsoWants == "" {
				assert.Len(t, problems, 1, "one mistake, one message: %v", err)
			}
		})
	}
}

// TestPartnersThatAreNotNeeded: what a parameter does without is not asked for.
func TestPartnersThatAreNotNeeded(t *testing.T) {
	for _, preset := range []string{
		"dcqcn\nreceiver_agents: []\nparams: {dcqcn: {notice: ack}}",
		"dasr\nreceiver_agents: [dasr_receiver]\nparams: {dasr: {notice: ack}}",
		"infiniband\nreceiver_agents: [cnp_generator]\nparams: {ib_cc: {notice: cnp}}",
	} {
		_, err := loadFile(t, write(t, strings.Replace(base, "preset: hpcc", "preset: "+preset, 1)), "")
		assert.NoError(t, err, preset)
	}
}

func TestAllProblemsAtOnce(t *testing.T) {
	text := strings.NewReplacer("dst: host2", "dst: host9", "stop: 1ms", "stop: 1", "flows: {}}", "flow: {}}").Replace(base)
	_, err := loadFile(t, write(t, text+"matrix: {preset: [hpcc, fncc, none]}\n"), "")
	var problems reader.Problems
	require.ErrorAs(t, err, &problems)
	assert.Len(t, problems, 3, "each once, not once per point: %v", err)
}

func TestFlagsRefused(t *testing.T) {
	matrix := base + "matrix: {topology.rate: [1Gbps], where: {near: {workload.flows.0.dst: host1}, far: {workload.flows.0.dst: host2}}}\n"
	tests := []struct{ set, want string }{
		{"hpcc.eta", `--set hpcc.eta: this is not path=value, such as topology.rate=200Gbps`},
		{"=1", `this is not path=value`},
		{"run.stop=", `--set run.stop=: the value is empty`},
		{"run.stop=[", `--set run.stop=[: `},
		{"port_agents=[]", `--set port_agents=[]: hpcc needs the port agent hpcc_int, which is not there`},
		{"hpcc.eta=2", `--set hpcc.eta=2: params.hpcc.eta: 2 is out of range; allowed: from 0.01 to 1`},
		{"hpcc.etta=2", `--set hpcc.etta=2: params.hpcc: hpcc has no parameter "etta"; did you mean "eta"?`},
		{"fncc.eta=0.9", `--set fncc.eta=0.9: params.fncc has no effect: no point uses fncc`},
		{"topologie.rate=1Gbps", `--set topologie.rate=1Gbps: there is no key "topologie" here; did you mean "topology"?`},
		{"where=middle", `--set where=middle: matrix.where has no value "middle" (known: far, near)`},
		{"topology.rate=1us", `--set topology.rate=1us: topology.rate: "1us" has the unit "us"`},
		{"topology={type: star}", `--set topology={type: star}: the matrix sets topology.rate itself (`},
		{"workload.flows.0.dst=host1", `the matrix sets workload.flows.0.dst itself (`},
	}
	for _, tt := range tests {
		t.Run(tt.set, func(t *testing.T) {
			_, err := loadFile(t, write(t, matrix), "", tt.set)
			assert.ErrorContains(t, err, tt.want)
		})
	}
}

func TestPresetRefused(t *testing.T) {
	const mechanisms = "path_selector: ecmp\nqueues: [fifo, fifo]\ncongestion_control: hpcc\n"
	tests := []struct{ name, text, want string }{
		{"name", "preset: other\n" + mechanisms, `mine.yaml:1:9: the preset calls itself "other", but its file is mine.yaml`},
		{"key", "preset: mine\nqueue: [fifo]\n" + mechanisms, `mine.yaml:2:1: there is no key "queue" here; did you mean "queues"?`},
		{"no queues", "preset: mine\nqueues: []\n", `mine.yaml:2:9: queues is an empty list; name one for each class`},
		{"unused", "preset: mine\nparams: {fncc: {eta: 0.9}}\n" + mechanisms, `mine.yaml:2:10: params: the preset does not use fncc`},
		{"no such base", "preset: mine\nextends: hpc\n", `mine.yaml:2:10: there is no preset "hpc"`},
		{"circle", "preset: mine\nextends: ./mine.yaml\n", `mine.yaml:2:10: the preset "./mine.yaml" extends itself`},
		{"not a mapping", "- a\n", `mine.yaml:1:1: not a mapping`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			file := write(t, strings.Replace(base, "preset: hpcc", "preset: ./mine.yaml", 1))
			require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(file), "mine.yaml"), []byte(tt.text), 0o644))
			_, err := loadFile(t, file, "")
			assert.ErrorContains(t, err, tt.want)
		})
	}
}

func TestUnusedParamsWarn(t *testing.T) {
	e, err := loadFile(t, write(t, base+"params: {fncc: {eta: 0.9}, hpcc: {eta: 0.9}}\n"), "")
	require.NoError(t, err)
	require.Len(t, e.Warnings, 1)
	assert.Contains(t, e.Warnings[0], "exp.yaml:10:10: params.fncc has no effect: no point uses fncc")
}

func TestName(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(filepath.Join(dir, "presets"), os.DirFS("../../configs/presets")))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "fncc"), 0o755))
	file := filepath.Join(dir, "fncc", "fig99.yaml")
	options := Options{Catalog: testCatalog(t)}

	require.NoError(t, os.WriteFile(file, []byte(base), 0o644))
	e, err := Load(file, options)
	require.NoError(t, err)
	assert.Equal(t, "fncc/fig99", e.Name)
	assert.Equal(t, "fncc/fig99", e.Points[0].Scenario.Name)

	require.NoError(t, os.WriteFile(file, []byte("name: fncc/fig98\n"+base), 0o644))
	_, err = Load(file, options)
	require.ErrorContains(t, err, `fig99.yaml:1:7: name is "fncc/fig98", but by its place below`)

	_, err = Load(filepath.Join(dir, "missing.yaml"), options)
	assert.ErrorIs(t, err, os.ErrNotExist)
}

// TestOracleTables are no tables of the simulator, but a run without them is
// another run.
func TestOracleTables(t *testing.T) {
	load := func(trace string) *Point {
		e, err := loadFile(t, write(t, strings.Replace(base, "trace: {flows: {}}", trace, 1)), "")
		require.NoError(t, err)
		return e.Points[0]
	}
	plain, with := load("trace: {flows: {}}"), load("trace: {flows: {}, optimal_rates: {utility: alpha_fair}}")
	assert.Equal(t, plain.Scenario.Trace, with.Scenario.Trace)
	assert.Equal(t, []OracleTable{{Table: "optimal_rates", Utility: "alpha_fair", Alpha: 1}}, with.Oracle)
	a, err := plain.Hash()
	require.NoError(t, err)
	b, err := with.Hash()
	require.NoError(t, err)
	assert.NotEqual(t, a, b)

	a, err = plain.Content()
	require.NoError(t, err)
	b, err = with.Content()
	require.NoError(t, err)
	assert.NotEqual(t, a, b, "nor does one stand for the other")
}

// Experiments of two names may have one content.
func TestContentHasNoName(t *testing.T) {
	load := func(text string) (hash, content string) {
		e, err := loadFile(t, write(t, text), "")
		require.NoError(t, err)
		hash, err = e.Points[0].Hash()
		require.NoError(t, err)
		content, err = e.Points[0].Content()
		require.NoError(t, err)
		return hash, content
	}
	hash, content := load("name: a/one\n" + base)
	otherHash, otherContent := load("name: a/two\n" + base)
	assert.NotEqual(t, hash, otherHash)
	assert.Equal(t, content, otherContent)
}

// Flow lists that agree for seed 0 are no reason for one run of all seeds.
func TestHashesOfRandomLists(t *testing.T) {
	hash := func(workload string) string {
		e, err := loadFile(t, write(t, "topology: {type: star, hosts: 4, rate: 100Gbps, delay: 1us}\nworkload: "+workload+"\npreset: hpcc\nrun: {stop: 10ms}\ntrace: {flows: {}}\n"), "")
		require.NoError(t, err)
		h, err := e.Points[0].Hash()
		require.NoError(t, err)
		return h
	}
	const collective = "{type: collective, operation: pipeline, size: 100KB, placement: "
	assert.NotEqual(t, hash(collective+"listed}"), hash(collective+"random}"))
	const incast = "{type: incast, senders: 2, size: 100KB, sources: [host0, host1], receivers: "
	assert.NotEqual(t, hash(incast+"[host2]}"), hash(incast+"[host2, host3]}"))
	const poisson = "{type: poisson, sizes: web-search, load: "
	assert.NotEqual(t, hash(poisson+"0.1, to: 100us}"), hash(poisson+"0.1, to: 300us}"), "none with seed 0")
	assert.Equal(t, hash(poisson+"0.1, to: 100us}"), hash(poisson+"0.10, to: 100us}"))
	window := func(run string) string {
		e, err := loadFile(t, write(t, "topology: {type: star, hosts: 4, rate: 100Gbps, delay: 1us}\nworkload: "+poisson+"0.1, to: 100us}\npreset: hpcc\nrun: "+run+"\ntrace: {flows: {}}\n"), "")
		require.NoError(t, err)
		h, err := e.Points[0].Content()
		require.NoError(t, err)
		return h
	}
	assert.NotEqual(t, window("{warmup: 10us, measure: 50us, drain: 1ms}"), window("{warmup: 20us, measure: 40us, drain: 1ms}"), "no flow is measured with seed 0")
	const list = "{type: list, flows: [{src: host0, dst: host1, size: "
	assert.Equal(t, hash(list+"1MB}]}"), hash(list+"1000KB}]}"))
}
