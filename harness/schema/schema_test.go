package schema_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"fabriclab/analysis/figure"
	"fabriclab/analysis/spec"
	"fabriclab/base/catalog"
	_ "fabriclab/harness/allocation" // kinds of computed experiments
	"fabriclab/harness/experiment"
	_ "fabriclab/harness/game"
	"fabriclab/harness/schema"
)

const configs = "../../configs"

func known(t *testing.T) *catalog.Catalog {
	t.Helper()
	data, err := os.ReadFile("../../base/catalog/testdata/catalog.json")
	require.NoError(t, err)
	c, err := catalog.Load(data)
	require.NoError(t, err)
	return c
}

func compiled(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	s, err := schema.Make(name, known(t), figure.Schema())
	require.NoError(t, err)
	text, err := json.Marshal(s)
	require.NoError(t, err)
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	require.NoError(t, c.AddResource(name+".json", document))
	compiled, err := c.Compile(name + ".json")
	require.NoError(t, err)
	return compiled
}

// asJSON is YAML as a JSON Schema sees it.
func asJSON(t *testing.T, text []byte) any {
	t.Helper()
	var value any
	require.NoError(t, yaml.Unmarshal(text, &value))
	data, err := json.Marshal(texts(value))
	require.NoError(t, err)
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	require.NoError(t, err)
	return document
}

// texts makes texts of keys that are numbers, as editors do.
func texts(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key := range v {
			v[key] = texts(v[key])
		}
	case map[any]any:
		of := map[string]any{}
		for key := range v {
			of[fmt.Sprint(key)] = texts(v[key])
		}
		return of
	case []any:
		for i := range v {
			v[i] = texts(v[i])
		}
	}
	return value
}

// Every file in configs is as its schema says.
func TestConfigs(t *testing.T) {
	schemas := map[string]*jsonschema.Schema{}
	for _, name := range schema.Names {
		schemas[name] = compiled(t, name)
	}
	seen := map[string]int{}
	check := func(kind, path string) {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.NoError(t, schemas[kind].Validate(asJSON(t, text)), path)
		seen[kind]++
	}
	require.NoError(t, filepath.WalkDir(configs, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == "shared" {
			return fs.SkipDir // parts of experiments
		}
		if err != nil || d.IsDir() || filepath.Ext(path) != ".yaml" || d.Name() == "statements.yaml" {
			return err
		}
		kind := map[string]string{"presets": "preset", "workloads": "sizes"}[filepath.Base(filepath.Dir(path))]
		if kind == "" {
			kind = "experiment"
		}
		check(kind, path)
		return nil
	}))
	for _, name := range schema.Names {
		assert.Greater(t, seen[name], 4, name)
	}
}

// A value may be added to a reading of an included file; without one a reading is whole.
func TestReadingsMayBeOfAnIncludedFile(t *testing.T) {
	s := compiled(t, "experiment")
	const added = "readings: {table: {late: {fncc_int.refresh: 50us}}}\n"
	require.NoError(t, s.Validate(asJSON(t, []byte("include: other.yaml\n"+added))))
	require.Error(t, s.Validate(asJSON(t, []byte(good+added))))
	require.NoError(t, s.Validate(asJSON(t, []byte(good+"readings: {table: {source: section 1, live: {}, late: {fncc_int.refresh: 50us}}}\n"))))
}

// good is an experiment that both the schema and validation take.
const good = `topology: {type: star, hosts: 4, rate: 100Gbps, delay: 1us}
workload:
  type: list
  flows: [{src: host0, dst: host1, size: 1MB}]
preset: hpcc
params: {hpcc: {eta: 0.9}}
run: {stop: 1ms}
trace: {flows: {}, queues: {interval: 1us}}
`

// with is good with one line replaced, or one more line.
func with(key, line string) string {
	lines := strings.Split(good, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, key+":") {
			end := i + 1
			for end < len(lines) && strings.HasPrefix(lines[end], " ") {
				end++
			}
			rest := append([]string{line}, lines[end:]...)
			return strings.Join(append(lines[:i:i], rest...), "\n")
		}
	}
	return good + line + "\n"
}

// cases are experiments that are refused, and some that are taken.
var cases = []struct {
	text  string
	taken bool
}{
	{good, true},
	{with("topology", "topology: {type: star, hosts: 4, host_rate: 100Gbps, fabric_rate: 0bps, delay: 1us}"), false},
	{with("topology", "topology: {type: star, hosts: 4, rate: 100, delay: 1us}"), false},
	{with("topology", "topology: {type: star, hosts: 4, rate: 100Gbit, delay: 1us}"), false},
	{with("topology", "topology: {type: star, rate: 100Gbps, delay: 1us}"), false},
	{with("topology", "topology: {type: star, hosts: 0, rate: 100Gbps, delay: 1us}"), false},
	{with("topology", "topology: {type: star, hosts: many, rate: 100Gbps, delay: 1us}"), false},
	{with("topology", "topology: {type: star, hosts: 4, spines: 2, rate: 100Gbps, delay: 1us}"), false},
	{with("topology", "topology: {type: ring, hosts: 4, rate: 100Gbps, delay: 1us}"), false},
	{with("topology", "topology: {hosts: 4, rate: 100Gbps, delay: 1us}"), false},
	{with("topology", "topology: {type: chain, switches: 2, hosts: {host0: s1, host1: s2}, rate: 100Gbps, delay: 0}"), true},
	{with("topology", "topology: {type: chain, switches: 2, hosts: 4, rate: 100Gbps, delay: 0}"), false},
	{with("topology", "topology: {type: custom, hosts: [host0, host1], switches: [{name: s1, tier: 1}], rate: 1Gbps, delay: 1us, links: [{a: host0, b: s1}, {a: host1, b: s1}]}"), true},
	{with("topology", `topology: {type: custom, hosts: "host[0..1]", switches: s1, rate: 1Gbps, delay: 1us, links: [{a: "host*", b: s1}]}`), true},
	{with("topology", "topology: {type: custom, hosts: [host0, host1], switches: [{name: s1, tire: 1}], rate: 1Gbps, delay: 1us, links: [{a: host0, b: s1}, {a: host1, b: s1}]}"), false},
	{with("topology", "topology: {type: custom, hosts: [host0, host1], switches: [s1], rate: 1Gbps, delay: 1us, links: [{a: host0}, {a: host1, b: s1}]}"), false},
	{with("topology", "topology: {type: star, hosts: 4, rate: 100Gbps, delay: 1us, overrides: [{rate: 1Gbps}]}"), false},
	{with("topology", ""), false},
	{with("workload", "workload: {type: list, flows: [{src: host0, dst: host1}]}"), false},
	{with("workload", "workload: {type: list, flows: [{src: host0, dst: host1, size: 1MB, statr: 0}]}"), false},
	{with("workload", "workload: {type: list, flows: [{src: host0, dst: host1, size: 1MB, src_port: 70000}]}"), false},
	{with("workload", "workload: {type: list, flows: [{src: host0, dst: host1, size: 0B}]}"), false},
	{with("workload", "workload: {type: list}"), false},
	{with("workload", "workload: {type: poisson, size: 20KB}"), false},
	{with("workload", "workload: {type: poisson, size: 20KB, load: half}"), false},
	{with("workload", "workload: {type: poisson, size: 20KB, load: 0.5, senders: 3}"), false},
	{with("workload", "workload: {type: incast, size: 20KB, senders: 3, sources: [host0..host2], receivers: [host3]}"), true},
	{with("workload", "workload: {type: poem}"), false},
	{with("preset", "preset: [hpcc]"), false},
	{with("preset", ""), false},
	{with("params", "params: {hpcc: {etta: 0.9}}"), false},
	{with("params", "params: {hpc: {eta: 0.9}}"), false},
	{with("params", "params: {hpcc: {eta: 1.9}}"), false},
	{with("params", "params: {hpcc: {eta: high}}"), false},
	{with("params", "params: {hpcc: {max_stage: 2.5}}"), false},
	{with("params", "params: {port: {pfc: maybe}}"), false},
	{with("params", "params: {port: {pfc_xoff: 500}}"), false},
	{with("params", "params: {port: {pfc_xoff: 500us}}"), false},
	{with("params", "params: {port: {pfc: true, pfc_xoff: 0.5MB}}"), true},
	{with("run", "run: {stop: 1}"), false},
	{with("run", "run: {}"), false},
	{with("run", "run: {stop: 1ms, measure: 1ms, drain: 1ms}"), false},
	{with("run", "run: {measure: 1ms}"), false},
	{with("run", "run: {measure: 1ms, drain: 1ms, stop_when_flows_finish: false}"), true},
	{with("trace", "trace: {queues: {}}"), false},
	{with("trace", "trace: {flows: {interval: 1us}}"), false},
	{with("trace", "trace: {flows: {from: 1us}}"), false},
	{with("trace", "trace: {flows: {flows: [0]}, drops: {from: 1us, ports: [\"s1->host0\"]}}"), true},
	{with("trace", "trace: {queus: {interval: 1us}}"), false},
	{with("trace", "trace: {queues: {interval: 1us, port: [s1]}}"), false},
	{with("trace", "trace: {drops: {from: 1us, to: 2us}}"), true},
	{with("path_selector", "path_selector: fifo"), false},
	{with("path_selector", "path_selector: spray"), true},
	{with("path_selector", "path_selector: [spray]"), false},
	{with("flow_scheduler", "flow_scheduler: {type: round_robin}"), true},
	{with("utility", "utility: alpha_fair"), true},
	{with("utility", "utility: fifo"), false},
	{with("utility", "utility: {type: bandwidth_function, params: {curve: [[0, 0], [1, 10Gbps]]}}"), true},
	{with("utility", "utility: {type: bandwidth_function, params: {curve: [[0, 0], [1, 10]]}}"), false},
	{with("utility", "utility: {type: bandwidth_function, params: {curve: [[0, 0], [1]]}}"), false},
	{with("utility", "utility: {type: bandwidth_function, params: {curve: [[0, 0]]}}"), false},
	{with("utility", "utility: {type: bandwidth_function, params: {curve: 10Gbps}}"), false},
	{with("utility", "utility: {type: bandwidth_function, params: {curve: [1, 2]}}"), false},
	{with("utility", "utility: {type: bandwidth_function, params: {curve: [[0, 0], [1000001, 10Gbps]]}}"), false},
	{with("applications", "applications: []"), true},
	{with("applications", "applications: [ecmp]"), false},
	{with("nic_agents", "nic_agents: [hpcc_int, {type: dre, params: {bits: 4}}]"), true},
	{with("nic_agents", "nic_agents: [{type: dre, params: {bit: 4}}]"), false},
	{with("queues", "queues: [fifo, {type: red, params: {kmin: 7}}]"), false},
	{with("queues", "queues: [fifo, {type: red, params: {kmin: 7KB}}]"), true},
	{with("queues", "queues: []"), false},
	{with("queues", "queues: fifo"), false},
	{with("queue", "queue: [fifo]"), false},
	{with("nodes", "nodes: {host0: {congestion_control: none, params: {host: {ack_every: 2}}}, \"s*\": {port_agents: [hpcc_int, dre]}}"), true},
	{with("nodes", "nodes: {host0: {congestion_kontrol: none}}"), false},
	{with("nodes", "nodes: {host0: {params: {host: {ack_evry: 2}}}}"), false},
	{with("nodes", "nodes: {host0: {}}"), false},
	{with("nodes", "nodes: [host0]"), false},
	{with("topology", "topology: {type: star, hosts: 4, rate: 100Gbps, delay: 1us, extra_hosts: [{name: x, switches: s1}, {name: y, switches: [s1], rate: 1Gbps}]}"), true},
	{with("topology", "topology: {type: star, hosts: 4, rate: 100Gbps, delay: 1us, extra_hosts: [{name: x}]}"), false},
	{with("topology", "topology: {type: star, hosts: 4, rate: 100Gbps, delay: 1us, extra_hosts: [{name: x, switches: {}}]}"), false},
	{with("topology", "topology: {type: star, hosts: 4, rate: 100Gbps, delay: 1us, failures: [{host: host2, at: 5us}]}"), true},
	{with("topology", "topology: {type: star, hosts: 4, rate: 100Gbps, delay: 1us, failures: [{host: host2, at: 5us, detect: 1us}]}"), false},
	{with("topology", "topology: {type: star, hosts: 4, rate: 100Gbps, delay: 1us, failures: [{at: 5us}]}"), false},
	{with("topology", "topology: {type: star, hosts: 4, rate: 100Gbps, delay: 1us, failures: [{host: host2, link: \"s1->host2\", at: 5us}]}"), false},
	{with("topology", "topology: {type: leaf-spine, leaves: 2, spines: 1, hosts_per_leaf: 1, rate: 100Gbps, delay: 1us, capacity_changes: [{link: \"leaf0->spine0\", at: 5us, rate: 1Gbps}]}"), true},
	{with("topology", "topology: {type: leaf-spine, leaves: 2, spines: 1, hosts_per_leaf: 1, rate: 100Gbps, delay: 1us, capacity_changes: [{link: \"leaf0->spine0\", at: 5us}]}"), false},
	{with("seeds", "seeds: [1, 5-9]"), true},
	{with("seeds", "seeds: [-1]"), false},
	{with("seeds", "seeds: []"), false},
	{with("engines", "engines: [ns4]"), false},
	{with("engines", "engines: [ns3, omnetpp]"), true},
	{with("matrix", "matrix: {hpcc.eta: [0.9, 0.95], topology.rate: [10Gbps]}"), true},
	{with("matrix", "matrix: {hpcc.eta: [0.9, 1.95]}"), false},
	{with("matrix", "matrix: {hpcc.etta: [0.9]}"), false},
	{with("matrix", "matrix: {params.hpcc.eta: {from: 0.5, to: 0.9, step: 0.1}}"), true},
	{with("matrix", "matrix: {hpcc.eta: {from: 0.5, step: 0.1}}"), false},
	{with("matrix", "matrix: {hop: {first: {run.stop: 1ms}, last: {run.stop: 2ms}}}"), true},
	{with("matrix", "matrix: {topology.rate: []}"), false},
	{with("matrix", "matrix: {engine: [ns3, ns4]}"), false},
	{with("scales", "scales: {quick: {name: other}}"), false},
	{with("scales", "scales: {quick: {topology: {hosts: 3}}, paper: {}}"), true},
	{good + "scales: {quick: {params: {hpcc: null}, trace: {queues: null}, preset: dcqcn, run: {stop: null, measure: 1ms, drain: 1ms}}}\n", true},
	{with("topology", "topology: {type: star, hosts: 4, rate: 100Gbps, delay: 1us, failures: [{host: host2, at: 5us}]}") + "scales: {quick: {topology: {failures: null}, params: null}}\n", true},
	{with("trace", "trace: {flows: null}"), false},
	{with("readings", "readings: {r: {source: s, a: {}, b: {params.hpcc: null}, c: null}}"), true},
	{with("titel", "titel: x"), false},
	{with("figure", `figure: {measures: {m: {kind: queue_peak, port: "s1->host0", class: 1, window: [0us, 1us], unit: KB}}}`), true},
	{with("figure", `figure: {measures: {m: {kind: queue_peek, port: "s1->host0", class: 1, window: [0us, 1us], unit: KB}}}`), false},
	{with("figure", `figure: {measures: {m: {kind: queue_peak, class: 1, window: [0us, 1us], unit: KB}}}`), false},
	{with("figure", `figure: {measures: {m: {kind: queue_peak, port: "s1->host0", class: 1, window: [0us, 1us], unit: us}}}`), false},
	{with("figure", `figure: {measures: {m: {kind: queue_peak, port: "s1->host0", class: 1, flow: 0, window: [0us, 1us], unit: KB}}}`), false},
	{with("figure", `figure: {measures: {m: {kind: fct_slowdown, stat: p98, unit: "1"}}}`), false},
	{with("figure", `figure: {measures: {m: {kind: fct_slowdown, stat: p99, unit: "1"}}, claims: [{id: c, text: t, source: s, value: m}]}`), false},
	{with("figure", `figure: {measures: {m: {kind: fct_slowdown, stat: p99, unit: "1"}}, claims: [{id: c, text: t, source: s, holds: m < 3}]}`), true},
	{with("figure", `figure: {measures: {m: {kind: fct_slowdown, stat: p99, unit: "1"}}, claims: [{id: c, source: s, holds: m < 3}]}`), false},
	{with("figure", `figure: {measures: {m: {kind: table, table: rocc_pi, column: fair_rate_bps, where: {link: "s1->host0", time_ps: ["1us", "2us"], flows: "> 1"}, stat: mean, by: [link], across: max, unit: Gbps}}}`), true},
	{with("figure", `figure: {measures: {m: {kind: table, table: rocc_pi, where: {flows: 2}, stat: count, unit: "1"}}}`), true},
	{with("figure", `figure: {measures: {m: {kind: table, column: fair_rate_bps, stat: mean, unit: Gbps}}}`), false},
	{with("figure", `figure: {measures: {m: {kind: table, table: rocc_pi, column: fair_rate_bps, stat: midst, unit: Gbps}}}`), false},
	{with("figure", `figure: {measures: {m: {kind: table, table: rocc_pi, column: fair_rate_bps, where: {flows: []}, stat: mean, unit: Gbps}}}`), false},
	{with("figure", `figure: {measures: {m: {kind: fct_slowdown, stat: p99, unit: "1"}}, claims: [{for: [{n: 1}, {n: 2}], id: c/$n, text: t, source: s, value: m, expected: $n, tolerance: 5%}]}`), true},
	{with("figure", `figure: {measures: {m: {kind: fct_slowdown, stat: p99, unit: "1"}}, claims: [{id: c, text: t, source: s, value: m, expected: $n}]}`), false},
	{with("figure", `figure: {measures: {m: {kind: fct_slowdown, stat: p99, unit: "1"}}, claims: [{id: c, text: t, source: s, value: m, expected: many}]}`), false},
	{with("figure", `figure: {plots: [{id: p, kind: pie}]}`), false},
	{with("figure", `figure: {plots: [{id: p, kind: cdf, max_size: 1us}]}`), false},
	{with("figure", `figure: {windows: {w: [0us]}}`), false},
	{with("figure", `figure: {dimension: {}}`), false},
}

// The schema refuses what validation refuses, and takes what it takes.
func TestSchemaAndValidationAgree(t *testing.T) {
	s, c := compiled(t, "experiment"), known(t)
	for _, test := range cases {
		file := filepath.Join(t.TempDir(), "x.yaml")
		require.NoError(t, os.WriteFile(file, []byte(test.text), 0o644))
		e, err := experiment.Load(file, experiment.Options{Catalog: c, ConfigDir: configs})
		if err == nil && e.Figure != nil {
			_, err = figure.Decode(e.Figure, spec.Known{})
		}
		bySchema := s.Validate(asJSON(t, []byte(test.text)))
		if test.taken {
			require.NoError(t, err, "validation of\n%s", test.text)
			assert.NoError(t, bySchema, "schema of\n%s", test.text)
		} else {
			require.Error(t, err, "validation of\n%s", test.text)
			assert.Error(t, bySchema, "schema of\n%s", test.text)
		}
	}
}

// Every key says what it is.
func TestEveryKeyIsDescribed(t *testing.T) {
	for _, name := range schema.Names {
		s, err := schema.Make(name, known(t), figure.Schema())
		require.NoError(t, err)
		definitions, _ := s["definitions"].(map[string]any)
		for definition, d := range definitions {
			if strings.HasSuffix(definition, "-part") || !strings.HasPrefix(definition, "mechanism-") {
				described(t, definition, d)
			}
		}
		delete(s, "definitions")
		if properties := s["properties"].(map[string]any); properties["figure"] != nil {
			delete(properties, "figure") // docs/claims.md has its keys
		}
		delete(s["properties"].(map[string]any), "matrix")
		described(t, name, s["properties"])
	}
	_, err := schema.Make("experimant", known(t), figure.Schema())
	assert.ErrorContains(t, err, `did you mean "experiment"`)
}

// described looks at all properties within a schema.
func described(t *testing.T, path string, s any) {
	t.Helper()
	of, is := s.(map[string]any)
	if !is {
		return
	}
	properties, _ := of["properties"].(map[string]any)
	for key, p := range properties {
		property := p.(map[string]any)
		_, reference := property["$ref"]
		_, constant := property["const"]
		if !reference && !constant {
			assert.NotEmpty(t, property["description"], "%s.%s", path, key)
		}
		described(t, path+"."+key, p)
	}
	for _, part := range []string{"items", "then", "additionalProperties"} {
		described(t, path, of[part])
	}
	if list, is := of["allOf"].([]map[string]any); is {
		for _, l := range list {
			described(t, path, l)
		}
	}
}
