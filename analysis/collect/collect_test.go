package collect_test

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/analysis/collect"
	"fabriclab/analysis/measure"
	"fabriclab/analysis/sheet"
)

var (
	queue = &measure.Measure{Name: "queue_max", Unit: "B", Better: measure.Lower}
	wall  = &measure.Measure{Name: "wall_time", Unit: "s", Better: measure.Lower, Volatile: true}
)

func run(preset, rate string, seed uint64, values ...measure.Value) collect.Run {
	return collect.Run{
		Experiment: "a/b", Scenario: "00ff", Engine: "ns3", Seed: seed, Values: values,
		Labels: []collect.Label{{Path: "preset", Value: preset}, {Path: "topology.rate", Value: rate}, {Path: "hpcc.eta", Value: "0.9"}, {Path: "seed", Value: "x"}},
	}
}

func TestTable(t *testing.T) {
	runs := []collect.Run{
		run("fncc", "1Tbps", 1, measure.Value{Measure: queue, Value: 5}, measure.Value{Measure: wall, Value: 0.5}),
		run("fncc", "400Gbps", 10, measure.Value{Measure: queue, Err: errors.New("not recorded")}),
		run("fncc", "400Gbps", 9, measure.Value{Measure: queue, Value: math.Inf(1)}),
		{Experiment: "a/c", Engine: "omnetpp", Seed: 1, Values: []measure.Value{{Measure: queue, Value: 0.1}}},
	}
	slices.SortFunc(runs, collect.Compare)
	path := filepath.Join(t.TempDir(), "t.csv")
	require.NoError(t, collect.Table(runs, true).WriteFile(path))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	const head = "experiment,scenario,preset,topology.rate,topology.rate_bps,hpcc.eta,matrix.seed,engine,seed,measure,unit,better,deterministic,value,note\n"
	assert.Equal(t, head+`a/b,00ff,fncc,400Gbps,4e+11,0.9,x,ns3,9,queue_max,B,lower,true,inf,
a/b,00ff,fncc,400Gbps,4e+11,0.9,x,ns3,10,queue_max,B,lower,true,,not recorded
a/b,00ff,fncc,1Tbps,1e+12,0.9,x,ns3,1,queue_max,B,lower,true,5,
a/b,00ff,fncc,1Tbps,1e+12,0.9,x,ns3,1,wall_time,s,lower,false,0.5,
a/c,,,,,,,omnetpp,1,queue_max,B,lower,true,0.1,
`, string(text))
	assert.Len(t, collect.Table(runs, false).Rows, 4)

	require.NoError(t, collect.Table(runs, true).WriteFile(filepath.Join(t.TempDir(), "t.parquet")))
	err = collect.Table(runs, true).WriteFile(filepath.Join(t.TempDir(), "t.xlsx"))
	assert.ErrorContains(t, err, ".parquet or .csv")
}

func TestDiffering(t *testing.T) {
	one, two := run("fncc", "1Tbps", 1), run("hpcc", "1Tbps", 1)
	one.Params = []collect.Label{{Path: "port.pfc_xoff", Value: "500KB"}, {Path: "host.mtu", Value: "1518B"}, {Path: "hpcc.eta", Value: "0.9"}, {Path: "flow", Value: "x"}}
	two.Params = []collect.Label{{Path: "port.pfc_xoff", Value: "1MB"}, {Path: "host.mtu", Value: "1518B"}, {Path: "hpcc.eta", Value: "0.8"}, {Path: "flow", Value: "y"}, {Path: "hpcc.stages", Value: "5"}}
	runs := []collect.Run{one, two}
	collect.Differing(runs)
	assert.Equal(t, []collect.Label{{Path: "port.pfc_xoff", Value: "1MB"}, {Path: "flow", Value: "y"}}, runs[1].Params,
		"not what is equal, a label already, or in one of the runs only")
	columns, cells := collect.Places(runs, []string{"flow"})
	var names []string
	for _, c := range columns {
		names = append(names, c.Name)
	}
	assert.Equal(t, []string{"experiment", "scenario", "preset", "topology.rate", "topology.rate_bps", "hpcc.eta", "matrix.seed", "port.pfc_xoff", "port.pfc_xoff_bytes", "matrix.flow", "engine", "seed"}, names)
	assert.Equal(t, []any{"a/b", "00ff", "hpcc", "1Tbps", 1e12, 0.9, "x", "1MB", 1e6, "y", "ns3", uint64(1)}, cells(runs[1]))
}

// What --set has changed tells runs of one point apart.
func TestApart(t *testing.T) {
	params := func(eta, rtt string) []collect.Label {
		return []collect.Label{{Path: "hpcc.max_stage", Value: eta}, {Path: "host.base_rtt", Value: rtt}}
	}
	runs := []collect.Run{run("hpcc", "1Tbps", 1), run("hpcc", "1Tbps", 1), run("hpcc", "400Gbps", 1)}
	runs[0].Params, runs[1].Params, runs[2].Params = params("5", "8us"), params("3", "8us"), params("5", "9us")
	collect.Apart(runs)
	for i, want := range []string{"5", "3", "5"} {
		assert.Equal(t, []collect.Label{{Path: "hpcc.max_stage", Value: want}}, runs[i].Params, "the base RTT follows from the point")
	}
}

// Scale and reading are told where runs differ by them, whatever the point and the
// seed; of runs that do not say they are not known.
func TestUnder(t *testing.T) {
	for _, keep := range []func([]collect.Run){collect.Apart, collect.Differing} {
		runs := []collect.Run{run("hpcc", "1Tbps", 1), run("hpcc", "1Tbps", 2), run("hpcc", "1Tbps", 3)}
		runs[0].Scale, runs[0].Reading = "quick", collect.DefaultReading
		runs[1].Scale, runs[1].Reading = "quick", "table=late"
		keep(runs)
		assert.Equal(t, []collect.Label{{Path: "reading", Value: "default"}}, runs[0].Params, "the scale is the same")
		assert.Equal(t, []collect.Label{{Path: "reading", Value: "table=late"}}, runs[1].Params)
		assert.Empty(t, runs[2].Params)
	}
}

// So does what --set gave the network or the workload, which is no parameter.
func TestApartBySets(t *testing.T) {
	runs := []collect.Run{run("hpcc", "1Tbps", 1), run("hpcc", "1Tbps", 1), run("fncc", "1Tbps", 1)}
	runs[0].Params = []collect.Label{{Path: "hpcc.stages", Value: "5"}}
	runs[1].Params = runs[0].Params
	runs[0].Sets = []collect.Label{{Path: "topology.delay", Value: "2us"}, {Path: "hpcc.stages", Value: "5"}, {Path: "params.hpcc.eta", Value: "1"}, {Path: "run.stop", Value: "1ms"}}
	runs[1].Sets = []collect.Label{{Path: "run.stop", Value: "1ms"}}
	delay := []collect.Label{{Path: "topology.delay", Value: "2us"}}
	apart := slices.Clone(runs)
	collect.Apart(apart)
	assert.Equal(t, delay, apart[0].Params, "no parameter, no label, and not what both have")
	assert.Empty(t, apart[1].Params)
	columns, cells := collect.Places(apart, nil)
	assert.Contains(t, columns, sheet.Column{Name: "topology.delay_ps", Kind: sheet.Number})
	assert.Contains(t, cells(apart[0]), 2e6)
	assert.Contains(t, cells(apart[1]), nil, "not given")

	collect.Differing(runs)
	assert.Equal(t, append(delay, collect.Label{Path: "run.stop", Value: "1ms"}), runs[0].Params, "the third has neither")
}

// A value of a failed run says so, whatever else there is to say of it.
func TestFailedRunsSaySo(t *testing.T) {
	failed := run("fncc", "1Tbps", 1, measure.Value{Measure: queue, Value: 5}, measure.Value{Measure: queue, Err: errors.New("not recorded")})
	failed.Failed = "a check"
	s := collect.Table([]collect.Run{failed}, true)
	note := s.Index(collect.Note)
	assert.Equal(t, "the run failed: a check", s.Rows[0][note])
	assert.Equal(t, "the run failed: a check; not recorded", s.Rows[1][note])
}
