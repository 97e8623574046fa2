package figure_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/analysis/figure"
	"fabriclab/base/steady"
)

// TestLoads: each point of which a load is asked has a row that says what became
// of it; a figure without such points has no table.
func TestLoads(t *testing.T) {
	f, err := decode(t, fctHead+"measures: {small: {kind: fct_slowdown, stat: mean, max_size: 10KB, unit: \"1\", text: small}}\n")
	require.NoError(t, err)
	loads := []figure.Load{
		{
			Labels: map[string]string{"preset": "hpcc", "workload.load": "0.5"}, Engine: "ns3", WindowPs: 60e9,
			Steady:  steady.Verdict{Settled: true, WarmupPs: 12_500_000_000, Asked: 0.5, Offered: 0.51, Carried: 0.5},
			Offered: []float64{0.5, 0.51, 0.52}, Carried: []float64{0.49, 0.5, 0.51},
		},
		{
			Labels: map[string]string{"preset": "hpcc", "workload.load": "0.8"}, Engine: "ns3", WindowPs: 60e9,
			Steady:  steady.Verdict{Reason: "it takes 70ms to settle, and the window begins after 60ms", WarmupPs: 70e9, Asked: 0.8, Offered: 0.81, Carried: 0.79},
			Offered: []float64{0.8, 0.82}, Carried: []float64{0.78, 0.8},
		},
		{
			Labels: map[string]string{"preset": "fncc", "workload.load": "0.8"}, Engine: "ns3", WindowPs: 60e9,
			Steady:  steady.Verdict{Reason: "flows gather | drift", WarmupPs: -1, Asked: 0.8, Offered: 0.8123456, Carried: 0.7},
			Offered: []float64{0.8123456}, Carried: []float64{0.7},
		},
	}
	in := figure.Input{ID: "test/load", Title: "Load", Scale: "quick", Command: "make figure", Figure: f, Runs: fctRuns(t, 1), Loads: loads}
	out, err := figure.Evaluate(in, t.TempDir())
	require.NoError(t, err)
	_, section, found := strings.Cut(string(contents(t, out.Dir)["summary.md"]), "\n## Load and steady state\n\n")
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n## Measures\n")
	assert.Equal(t, figure.LoadText+`

| point | engine | seeds | target load | offered | carried | settled | settles after | window begins after |
|---|---|---|---|---|---|---|---|---|
| HPCC, workload.load=0.5 | ns3 | 3 | 0.5 | 0.51 ± 0.025 | 0.5 ± 0.025 | yes | 12.5ms | 60ms |
| HPCC, workload.load=0.8 | ns3 | 2 | 0.8 | 0.81 | 0.79 | no: it takes 70ms to settle, and the window begins after 60ms | 70ms | 60ms |
| FNCC, workload.load=0.8 | ns3 | 1 | 0.8 | 0.8123 | 0.7 | no: flows gather \| drift | – | 60ms |
`, section)
	assert.Equal(t, loads, read(t, out.Dir).Loads, "for the report")

	in.Loads = nil
	out, err = figure.Evaluate(in, t.TempDir())
	require.NoError(t, err)
	files := contents(t, out.Dir)
	assert.NotContains(t, string(files["summary.md"]), "steady state")
	assert.NotContains(t, string(files["figure.json"]), "loads")
}
