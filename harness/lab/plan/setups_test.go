package plan

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/analysis/figure"
	"fabriclab/base/catalog"
	_ "fabriclab/harness/allocation" // kinds of computed experiments
	"fabriclab/harness/experiment"
	_ "fabriclab/harness/game"
	"fabriclab/harness/lab/oracle"
)

// load reads an experiment with its figure section.
func load(t *testing.T, file, scale string, sets ...string) (*experiment.Experiment, error) {
	t.Helper()
	data, err := os.ReadFile("../../../base/catalog/testdata/catalog.json")
	require.NoError(t, err)
	c, err := catalog.Load(data)
	require.NoError(t, err)
	opt := experiment.Options{Catalog: c, Scale: scale, ConfigDir: "../../../configs", Sets: sets, Oracle: oracle.Check}
	opt.Figure = func(e *experiment.Experiment, broken bool) {
		f, _ := figure.Decode(e.Figure, known(e, c, broken, len(sets) > 0))
		e.Warnings = f.Warnings
	}
	return experiment.Load(file, opt)
}

// What every figure under configs/ measures is there, at every scale.
func TestShippedFiguresMeasureWhatIsThere(t *testing.T) {
	files, err := filepath.Glob("../../../configs/*/*.yaml")
	require.NoError(t, err)
	for _, file := range files {
		if dir := filepath.Base(filepath.Dir(file)); dir == "presets" || dir == "workloads" || filepath.Base(file) == "statements.yaml" {
			continue
		}
		for _, scale := range []string{"quick", "paper"} {
			e, err := load(t, file, scale)
			if err != nil && strings.Contains(err.Error(), "there is no scale") {
				continue
			}
			require.NoError(t, err, file)
			assert.Empty(t, e.Warnings, file)
		}
	}
}

const twoFlows = `
topology: {type: star, hosts: 3, rate: 100Gbps, delay: 1us}
workload:
  type: list
  flows:
    - {name: short, src: host0, dst: host2, start: 0us, size: 1MB}
    - {name: long, src: host1, dst: host2, start: 0us, size: 10MB}
preset: hpcc
run: {stop: 1ms}
trace:
  flows: {}
  queues: {interval: 1us, ports: ["s1->host2"]}
  rates: {interval: 1us, flows: [long]}
  drops: {from: 300us, to: 700us}
  pauses: {ports: ["s1->host2"]}
figure:
  measures:
`

// Whoever measures what the runs will not have is told with line and remedy; of an
// experiment that --set has changed it is a warning.
func TestFiguresMeasureWhatIsThere(t *testing.T) {
	for measure, want := range map[string]string{
		`{kind: queue_mean, port: "s1->host2", class: 1, window: [0us, 1ms], unit: KB}`:                "",
		`{kind: slowdown_time, flow: long, event: 300us, unit: us}`:                                    "",
		`{kind: utilisation, port: "s1->host2", count: wire, window: [0us, 1ms], unit: "%"}`:           ":18:15: figure.measures.x: utilisation is taken from the table links, which these runs do not have; write trace: {links: {interval: 1us}}",
		`{kind: queue_mean, port: "host0->s1", class: 1, window: [0us, 1ms], unit: KB}`:                "trace.queues.ports leaves host0->s1 out",
		`{kind: queue_mean, port: "s1->host2", class: 3, window: [0us, 1ms], unit: KB}`:                "there is no class 3 in these runs; write 0 to 1, or data",
		`{kind: queue_mean, port: "s1->host2", class: data, window: [200us, 4ms], unit: KB}`:           "the window's end, 4ms, is beyond the end of the run at 1ms; write an earlier time, or a longer run.stop",
		`{kind: drops, window: [300us, 700us], unit: "1"}`:                                             "",
		`{kind: drops, window: [300us, 1ms], unit: "1"}`:                                               "figure.measures.x: the table drops is needed from 300us to 1ms, and ends at 700us; write trace.drops.to: 1ms or later",
		`{kind: pauses, node: s1, class: 1, window: [0us, 1ms], unit: "1"}`:                            "trace.pauses.ports leaves s1->host0 out; add it there",
		`{kind: pauses, node: s1, port: "s1->host2", class: 1, window: [0us, 1ms], unit: "1"}`:         "",
		`{kind: fct, stat: mean, unit: us}`:                                                            "",
		`{kind: carried_share, window: [0us, 1ms], unit: "1"}`:                                         "it is there where the workload asks for a load and trace.flows is {}",
		`{kind: slowdown_time, flow: short, event: 300us, unit: us}`:                                   "trace.rates.flows leaves flow 0 out",
		`{kind: queue_ports, ports: ["host*->s1"], class: 1, window: [0us, 1ms], stat: max, unit: KB}`: "trace.queues.ports has no port that matches host*->s1",
	} {
		file := filepath.Join(t.TempDir(), "mine.yaml")
		require.NoError(t, os.WriteFile(file, []byte(twoFlows+"    x: "+measure+"\n"), 0o600))
		_, err := load(t, file, "")
		if want == "" {
			require.NoError(t, err, measure)
			continue
		}
		require.ErrorContains(t, err, want, measure)
		e, err := load(t, file, "", "hpcc.eta=0.9")
		require.NoError(t, err)
		assert.Len(t, e.Warnings, 1)
	}
}
