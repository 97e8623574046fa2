package experiment

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// withMore has all that the tests of null take away, at lines 2 to 5.
const withMore = `
topology: {type: star, hosts: 3, rate: 100Gbps, delay: 1us, failures: [{host: host1, at: 1us}]}
params: {hpcc: {eta: 0.5}}
trace: {flows: {}, queues: {interval: 1us}}
workload: {type: list, flows: [{src: host0, dst: host2, start: 0us, size: 1MB}]}
preset: hpcc
run: {stop: 1ms}
`

// TestNullTakesAway: a null takes away what lies below, wherever it is laid over
// something.
func TestNullTakesAway(t *testing.T) {
	nulls := "topology: {failures: null}\nparams: {hpcc: null}\ntrace: {queues: null}\n"
	for name, c := range map[string]struct {
		files map[string]string
		sets  []string
	}{
		"scale":   {map[string]string{"exp.yaml": withMore + "scales:\n  quick:\n    " + strings.ReplaceAll(nulls, "\n", "\n    ")}, nil},
		"include": {map[string]string{"exp.yaml": "include: a.yaml\n" + nulls, "a.yaml": withMore}, nil},
		"flags":   {map[string]string{"exp.yaml": withMore}, []string{"topology.failures=null", "hpcc=null", "trace.queues=null"}},
		"matrix":  {map[string]string{"exp.yaml": withMore + "matrix: {less: {yes: {topology.failures: null, params.hpcc: null, trace.queues: null, path_selector: null}}}\n"}, nil},
		"reading": {map[string]string{"exp.yaml": withMore + "readings: {less: {source: none, yes: {topology.failures: null, params.hpcc: null, trace.queues: null}, no: {}}}\n"}, nil},
		"a scale of what is included": {map[string]string{
			"exp.yaml": "include: a.yaml\n" + "scales: {quick: {topology: {failures: null}, params: null, trace: {queues: null}}}\n",
			"a.yaml":   withMore + "scales: {quick: {topology: {rate: 100Gbps}, params: {hpcc: {eta: 0.6}}}}\n",
		}, nil},
		"a reading of what is included": {map[string]string{
			"exp.yaml": "include: a.yaml\n" + "readings: {less: {yes: {params.hpcc: null, trace.queues: null}, gone: null}}\n",
			"a.yaml":   withMore + "readings: {less: {source: none, yes: {topology.failures: null, params.hpcc: {eta: 0.6}}, no: {}, gone: {}}}\n",
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			e, err := loadFile(t, writeAll(t, c.files), "", c.sets...)
			require.NoError(t, err)
			p := e.Points[0]
			assert.Empty(t, p.Scenario.HostEvents)
			assert.Equal(t, "0.95", setting(t, p, "congestion_control", "eta").Value)
			assert.Contains(t, p.Scenario.Trace.Tables, "flows")
			assert.NotContains(t, p.Scenario.Trace.Tables, "queues")
			if e.Readings != nil {
				assert.Equal(t, []string{"yes", "no"}, e.Readings[0].Values)
			}
		})
	}
}

// TestNullThatTakesNothingAway is refused: what was meant stays.
func TestNullThatTakesNothingAway(t *testing.T) {
	for _, c := range []struct {
		more string
		sets []string
		want string
	}{
		{"scales: {quick: {params: {host: null}}}\n", nil, "exp.yaml:8:27: host: null takes away what it is laid over, which has no host; leave the key out"},
		{"include: a.yaml\nseeds: null\n", nil, "exp.yaml:9:1: seeds: null takes away what it is laid over, which has no seeds"},
		{"", []string{"topology.failed=null"}, "--set topology.failed=null: null takes away what the file says of topology.failed, which is nothing"},
		{"", []string{"workload.flows.0=null"}, "--set workload.flows.0=null: null takes no item out of a list"},
		{"readings: {a: {source: s, x: {hpcc.w_ai: null}, y: {}}}\n", nil, "exp.yaml:8:31: null takes away what the file says of params.hpcc.w_ai, which is nothing"},
		{"port_agents: null\n", nil, "exp.yaml:8:1: port_agents: null takes nothing away here: what a preset has stays"},
		{"nodes: {host1: {params: {host: null}}}\n", nil, "exp.yaml:8:26: nodes.host1.params.host: null takes nothing away here"},
	} {
		_, err := loadFile(t, writeAll(t, map[string]string{"exp.yaml": withMore + c.more, "a.yaml": "run: {stop: 2ms}\n"}), "", c.sets...)
		require.ErrorContains(t, err, c.want, c.more)
	}
	_, err := loadFile(t, write(t, strings.Replace(withMore, "flows: {}", "flows: null", 1)), "")
	require.ErrorContains(t, err, "exp.yaml:4:9: trace.flows: null takes nothing away here: write {} for the whole table")
}
