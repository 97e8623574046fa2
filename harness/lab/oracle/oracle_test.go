package oracle_test

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/analysis/num"
	"fabriclab/base/catalog"
	"fabriclab/harness/computed"
	"fabriclab/harness/experiment"
	"fabriclab/harness/lab/oracle"
	"fabriclab/harness/progress"
	"fabriclab/harness/scenario"
	"fabriclab/harness/topology"
	"fabriclab/harness/trace"
	"fabriclab/harness/trace/tracetest"
	"fabriclab/harness/workload"
)

var logarithm = oracle.Utility{Name: oracle.AlphaFair, Alpha: 1}

// point is flows on a leaf-spine network of 10 Gb/s links, two leaves with
// four hosts each, in frames of 1000 B with 960 B of payload.
func point(t *testing.T, spines int, flows ...scenario.Flow) *experiment.Point {
	t.Helper()
	topo, err := topology.LeafSpine{Leaves: 2, Spines: spines, HostsPerLeaf: 4, Parallel: 1, Cabling: topology.Cabling{
		HostRate: 10e9, HostDelay: 1e6, FabricRate: 10e9, FabricDelay: 1e6,
	}}.Build()
	require.NoError(t, err)
	var entries []workload.Entry
	for _, f := range flows {
		if f.Weight == 0 {
			f.Weight = 1
		}
		if f.StopPs == 0 {
			f.StopPs = -1
		}
		entries = append(entries, workload.Entry{Flow: f, Count: 1})
	}
	list, err := workload.NewList(entries)
	require.NoError(t, err)
	return &experiment.Point{
		Topology: topo, Flows: list,
		Scenario: scenario.Scenario{
			StopPs: 1e9, Nodes: topo.Nodes, Links: topo.Links,
			Components: scenario.Components{
				"host":          one("host", map[string]any{"mtu": int64(1000), "header_bytes": int64(40), "min_frame": int64(64)}),
				"path_selector": one("ecmp", map[string]any{"symmetric": true}),
			},
		},
	}
}

func one(name string, params map[string]any) scenario.Place {
	return scenario.Place{One: &scenario.Component{Type: name, Params: params}}
}

func write(t *testing.T, p *experiment.Point, u oracle.Utility) (string, oracle.Summary) {
	t.Helper()
	o, err := oracle.New(p, u)
	require.NoError(t, err)
	dir := t.TempDir()
	s, err := o.Write(context.Background(), dir, 1, progress.Discard{}.Event)
	require.NoError(t, err)
	return dir, s
}

// model is what stands instead of a scenario where runs are computed.
type model struct{ computed.Model }

// TestTables: by hand, 10 Gb/s into host 1. A flow of 10 full frames, 10 kB on
// the link, takes 8 us alone. An endless one of twice the weight comes at 4 us
// and is stopped at 40 us: the first one has a third of the link, so its
// second half takes 12 us.
func TestTables(t *testing.T) {
	p := point(t, 1, scenario.Flow{Src: 0, Dst: 1, Size: 9600, Measured: true}, scenario.Flow{Src: 2, Dst: 1, StartPs: 4e6, StopPs: 40e6, Weight: 2},
		scenario.Flow{Src: 0, Dst: 1, Size: 1, StartPs: 2e9})
	dir, s := write(t, p, logarithm)
	assert.Equal(t, 2, s.Flows, "the third one starts after the end")
	assert.Equal(t, 1, s.Finished)
	assert.Equal(t, 3, s.Intervals)
	assert.Less(t, s.Residual, 1e-9)
	assert.InDelta(t, 16e6, s.MeanFCT, 1)

	rates := tracetest.Table(t, dir, oracle.RatesTable)
	require.Len(t, rates, 4)
	for i, want := range [][]float64{{0, 4e6, 0, 10e9}, {4e6, 16e6, 0, 10e9 / 3}, {4e6, 16e6, 1, 20e9 / 3}, {16e6, 40e6, 1, 10e9}} {
		for k, column := range []string{"time_ps", "until_ps", "flow", "rate_bps"} {
			assert.InDelta(t, want[k], tracetest.Number(t, rates[i], column), 1, "row %d, %s", i, column)
		}
		assert.InDelta(t, want[3]*0.96, tracetest.Number(t, rates[i], "goodput_bps"), 1)
	}
	links := tracetest.Table(t, dir, oracle.LinksTable)
	for _, row := range links {
		if row["link"] == "leaf0->host1" && row["time_ps"] == "4000000" {
			assert.InEpsilon(t, 3./10e3, tracetest.Number(t, row, "price"), 1e-9, "three weights on 10 000 Mb/s")
		}
	}
	flows := tracetest.Table(t, dir, oracle.FlowsTable)
	require.Len(t, flows, 2)
	assert.Equal(t, "host0", flows[0]["src"])
	assert.Equal(t, "host1", flows[0]["dst"])
	assert.Equal(t, "true", flows[0]["measured"])
	assert.Equal(t, "16000000", flows[0]["end_ps"])
	assert.InDelta(t, 10e3, tracetest.Number(t, flows[0], "sent_bytes"), 1e-6)
	assert.Equal(t, "-1", flows[1]["end_ps"])
	assert.InDelta(t, 10e3+30e3, tracetest.Number(t, flows[1], "sent_bytes"), 1e-6)
}

// TestRateChanges: the only spine's link falls to half at 4 us and rises again at
// 8 us: two flows share it, and one of them ends.
func TestRateChanges(t *testing.T) {
	p := point(t, 1, scenario.Flow{Src: 0, Dst: 4, Size: 14400}, scenario.Flow{Src: 1, Dst: 5})
	cabling := topology.Cabling{HostRate: 10e9, HostDelay: 1e6, FabricRate: 10e9, FabricDelay: 1e6}
	cabling.CapacityChanges = []topology.CapacityChange{{Link: "leaf0->spine0", AtPs: 4e6, RateBps: 5e9}, {Link: "spine0->leaf0", AtPs: 8e6, RateBps: 20e9}}
	var err error
	p.Topology, err = topology.LeafSpine{Leaves: 2, Spines: 1, HostsPerLeaf: 4, Parallel: 1, Cabling: cabling}.Build()
	require.NoError(t, err)
	dir, s := write(t, p, logarithm)
	assert.Equal(t, 1, s.Finished)
	rates := tracetest.Table(t, dir, oracle.RatesTable)
	// 15 000 B on the link: 2500 B to 4 us, 1250 B more to 8 us, and 11 250 B at 5 Gb/s, where leaf1 is what is slow.
	for i, want := range [][]float64{{0, 4e6, 0, 5e9}, {0, 4e6, 1, 5e9}, {4e6, 8e6, 0, 2.5e9}, {4e6, 8e6, 1, 2.5e9}, {8e6, 26e6, 0, 5e9}, {8e6, 26e6, 1, 5e9}, {26e6, 1e9, 1, 10e9}} {
		for k, column := range []string{"time_ps", "until_ps", "flow", "rate_bps"} {
			assert.InDelta(t, want[k], tracetest.Number(t, rates[i], column), 1, "row %d, %s", i, column)
		}
	}
	require.Len(t, rates, 7)
}

// TestDerived has the tables of a run: those that it asks for and no others,
// the completion time of a flow alone being that of the empty network.
func TestDerived(t *testing.T) {
	p := point(t, 1, scenario.Flow{Src: 0, Dst: 1, Size: 9600, Measured: true}, scenario.Flow{Src: 2, Dst: 3, StartPs: 4e6})
	p.Oracle = []experiment.OracleTable{{Table: oracle.FlowsTable}, {Table: oracle.RatesTable, Utility: oracle.MaxMin}, {Table: oracle.LinksTable}}
	derive, err := oracle.Derive(context.Background(), p, 1, oracle.NewShared())
	require.NoError(t, err)
	var told []progress.Event
	all := derive(func(e progress.Event) { told = append(told, e) })
	require.Len(t, all, 2, "tables of one utility are made together")
	dir := t.TempDir()
	opt := trace.Options{Dir: dir, Names: trace.NodeNames(p.Topology.HostNames())}
	for _, d := range all {
		assert.Empty(t, d.From())
		var writers []*trace.TableWriter
		require.NoError(t, d.Finish(func(table trace.Table) (*trace.TableWriter, error) {
			w, err := trace.NewTableWriter(table, opt)
			writers = append(writers, w)
			return w, err
		}))
		assert.Len(t, writers, len(d.Tables()))
		for _, w := range writers {
			require.NoError(t, w.Close(), "they are whose who creates them")
		}
	}
	require.Len(t, told, 2, "each at its first interval, these being quick")
	assert.Equal(t, progress.Event{Kind: progress.Deriving, Text: "optimal rates", SimPS: told[0].SimPS, StopPS: p.Scenario.StopPs}, told[0])
	assert.Positive(t, told[0].SimPS)
	flows := tracetest.Table(t, dir, oracle.FlowsTable)
	alone, err := p.IdealFCT(0, 1, 9600)
	require.NoError(t, err)
	assert.InDelta(t, float64(alone), tracetest.Number(t, flows[0], "optimal_fct_ps"), 1)
	assert.Greater(t, alone, int64(8e6), "10 kB at 10 Gb/s, and the way")
	assert.Equal(t, "-1", flows[1]["optimal_fct_ps"])
	require.NotEmpty(t, tracetest.Table(t, dir, oracle.RatesTable))

	p.Scenario.LinkEvents = []scenario.LinkEvent{{AtPs: 1}}
	_, err = oracle.Derive(context.Background(), p, 1, oracle.NewShared())
	require.ErrorContains(t, err, "trace.optimal_flows: links or hosts fail")
}

// TestUtilities: two flows into one host, of 1 and 2 kB of payload and the
// weights 1 and 3.
func TestUtilities(t *testing.T) {
	for _, tt := range []struct {
		utility oracle.Utility
		share   float64 // of the first one
	}{
		{oracle.Utility{Name: oracle.MaxMin}, 0.25},
		{oracle.Utility{Name: oracle.AlphaFair, Alpha: 4}, 0.25},
		{oracle.Utility{Name: oracle.MinFCT, Epsilon: 0.5}, 4. / 13},
	} {
		p := point(t, 1, scenario.Flow{Src: 0, Dst: 1, Size: 1000}, scenario.Flow{Src: 2, Dst: 1, Size: 2000, Weight: 3})
		dir, _ := write(t, p, tt.utility)
		assert.InEpsilon(t, tt.share*10e9, tracetest.Number(t, tracetest.Table(t, dir, oracle.RatesTable)[0], "rate_bps"), 1e-9, "%v", tt.utility)
	}
}

// TestRanges: what an experiment may ask for can be computed.
func TestRanges(t *testing.T) {
	assert.Equal(t, float64(num.MinAlpha), float64(experiment.LeastAlpha))
	assert.Equal(t, float64(num.MaxAlpha), float64(experiment.MostAlpha))
	for _, u := range []oracle.Utility{
		{Name: oracle.AlphaFair, Alpha: experiment.LeastAlpha}, {Name: oracle.AlphaFair, Alpha: experiment.MostAlpha},
		{Name: oracle.MinFCT, Epsilon: experiment.LeastEpsilon}, {Name: oracle.MinFCT, Epsilon: experiment.MostEpsilon},
	} {
		_, s := write(t, point(t, 1, scenario.Flow{Src: 0, Dst: 1, Size: 1000}, scenario.Flow{Src: 2, Dst: 1, Size: 2000}), u)
		assert.Equal(t, 2, s.Finished, "%v", u)
		assert.Less(t, s.Residual, 1e-9, "%v", u)
	}
}

// TestPaths: flows from four hosts to four over two spines have the links
// that ECMP gives them; with the oracle's rates no link is above its capacity
// and every flow has a full one.
func TestPaths(t *testing.T) {
	var flows []scenario.Flow
	for i := range uint32(12) {
		flows = append(flows, scenario.Flow{Src: i % 4, Dst: 4 + i/4, Size: 1e9})
	}
	p := point(t, 2, flows...)
	dir, _ := write(t, p, logarithm)
	load := map[scenario.PortRef]float64{}
	paths := map[uint32][]scenario.PortRef{}
	first := tracetest.Table(t, dir, oracle.RatesTable)[:12]
	for f, err := range p.Flows.Flows(1) {
		require.NoError(t, err)
		paths[f.ID] = p.Topology.Path(f.Src, f.Dst, p.Topology.FlowHash(f.Src, f.Dst, f.SrcPort, f.DstPort, true), 0)
		for _, port := range paths[f.ID] {
			load[port] += tracetest.Number(t, first[f.ID], "rate_bps")
		}
	}
	for port, bps := range load {
		assert.LessOrEqual(t, bps, 10e9*(1+1e-9), p.Topology.PortName(port))
	}
	for f, path := range paths {
		full := false
		for _, port := range path {
			full = full || load[port] > 10e9*(1-1e-9)
		}
		assert.True(t, full, "flow %d", f)
	}
}

// TestSalt: the flows take the paths that ecmp.salt draws. By the model's own
// functions two flows share a spine with the salts 0 and 1, and have one each with
// 2 and 7.
func TestSalt(t *testing.T) {
	for salt, want := range map[int64]float64{0: 5e9, 1: 5e9, 2: 10e9, 7: 10e9} {
		p := point(t, 2, scenario.Flow{Src: 0, Dst: 4, SrcPort: 49152, DstPort: 4791, Size: 1e9}, scenario.Flow{Src: 1, Dst: 5, SrcPort: 49153, DstPort: 4791, Size: 1e9})
		if salt > 0 { // a scenario leaves it out at its default
			p.Scenario.Components["path_selector"] = one("ecmp", map[string]any{"symmetric": true, "salt": salt})
		}
		dir, _ := write(t, p, logarithm)
		for _, row := range tracetest.Table(t, dir, oracle.RatesTable)[:2] {
			assert.InEpsilon(t, want, tracetest.Number(t, row, "rate_bps"), 1e-9, "salt %d", salt)
		}
	}
}

// TestSubflows: MPTCP's sub-flows pool their paths; two of eight or more take
// different spines, so a flow is not held by one that another flow fills.
func TestSubflows(t *testing.T) {
	p := point(t, 2, scenario.Flow{Src: 0, Dst: 4, Size: 1e9}, scenario.Flow{Src: 1, Dst: 5, Size: 1e9})
	p.Scenario.Components["transport"] = one("mptcp", map[string]any{"subflows": int64(8)})
	dir, _ := write(t, p, logarithm)
	for _, row := range tracetest.Table(t, dir, oracle.RatesTable)[:2] {
		assert.InEpsilon(t, 10e9, tracetest.Number(t, row, "rate_bps"), 1e-9)
	}
}

// TestOwnUtilities: the utility is the sender's; of two bandwidth functions one
// has half the slope. Where the experiment has none, it is the sum of log x.
func TestOwnUtilities(t *testing.T) {
	flows := []scenario.Flow{{Src: 0, Dst: 1, Size: 1e6}, {Src: 2, Dst: 1}}
	share := func(p *experiment.Point) float64 {
		dir, _ := write(t, p, oracle.Utility{})
		return tracetest.Number(t, tracetest.Table(t, dir, oracle.RatesTable)[0], "rate_bps") / 10e9
	}
	p := point(t, 1, flows...)
	assert.InEpsilon(t, 0.5, share(p), 1e-9)
	p.Scenario.Components["utility"] = one("bandwidth_function", map[string]any{"alpha": 5., "curve": catalog.List{{0, 0}, {1, 10e9}}})
	assert.InEpsilon(t, 0.5, share(p), 1e-9)
	p.Scenario.Sets = []scenario.Set{{Nodes: []uint32{2}, Components: scenario.Components{
		"utility": one("bandwidth_function", map[string]any{"alpha": 5., "curve": catalog.List{{1, 5e9}}}),
	}}}
	assert.InEpsilon(t, 2./3, share(p), 1e-9)
	p.Scenario.Sets = nil
	p.Scenario.Components["utility"] = one("fct_min", map[string]any{"epsilon": 0.5})
	assert.InEpsilon(t, 1, share(p), 1e-9, "an unlimited flow counts as one of 1 PB")
	p.Scenario.Components["utility"] = one("alpha_fair", map[string]any{"alpha": 2.})
	assert.InEpsilon(t, 0.5, share(p), 1e-9)
}

func TestRefusals(t *testing.T) {
	flow := scenario.Flow{Src: 0, Dst: 4, Size: 1e6}
	tests := map[string]struct {
		change  func(*experiment.Point)
		flow    scenario.Flow
		utility oracle.Utility
		want    string
	}{
		"selector": {func(p *experiment.Point) { p.Scenario.Components["path_selector"] = one("letflow", nil) }, flow, logarithm,
			"flows from host0 to host4 have several paths, and letflow chooses one by what it meets during the run"},
		"failures": {func(p *experiment.Point) { p.Scenario.LinkEvents = []scenario.LinkEvent{{}} }, flow, logarithm, "links or hosts fail during its run"},
		"a host":   {func(p *experiment.Point) { p.Scenario.HostEvents = []scenario.HostEvent{{}} }, flow, logarithm, "links or hosts fail during its run"},
		"sub-flows": {func(p *experiment.Point) {
			p.Scenario.Components["transport"] = one("mptcp", map[string]any{"subflows": int64(8)})
		}, flow, oracle.Utility{Name: oracle.MaxMin},
			"flow 0 has 8 sub-flows, and max_min is for flows with one path"},
		"game":    {func(p *experiment.Point) { p.Model = model{} }, flow, logarithm, "its runs are computed"},
		"utility": {nil, flow, oracle.Utility{Name: "alpha-fair"}, `there is no utility "alpha-fair"; did you mean "alpha_fair"?`},
		"alpha":   {nil, flow, oracle.Utility{Name: oracle.AlphaFair}, "flow 0: alpha is 0; it must be between"},
		"ACKs":    {nil, flow, oracle.Utility{AckShare: 0.6}, "the ACKs' share is 0.6; it must be between 0 and 0.5"},
		"epsilon": {nil, flow, oracle.Utility{Name: oracle.MinFCT}, "epsilon is 0; it must be between 0.05 and 0.95"},
		"own selector": {func(p *experiment.Point) {
			p.Scenario.Sets = []scenario.Set{{Nodes: []uint32{8}, Components: scenario.Components{"path_selector": one("spray", nil)}}}
		}, flow, logarithm, "some of its nodes have a path selector, or parameters of one, of their own"},
		"own salt": {func(p *experiment.Point) {
			p.Scenario.Sets = []scenario.Set{{Nodes: []uint32{8}, Components: scenario.Components{"path_selector": one("ecmp", map[string]any{"symmetric": true, "salt": int64(1)})}}}
		}, flow, logarithm, "some of its nodes have a path selector, or parameters of one, of their own"},
		"own utility": {func(p *experiment.Point) { p.Scenario.Components["utility"] = one("step", nil) }, flow, oracle.Utility{},
			"flow 0: the oracle does not know the utility step"},
		"loop": {nil, scenario.Flow{Src: 0, Dst: 4, Size: 1, ClosedLoop: true}, logarithm, "flow 0 is a message in a closed loop"},
	}
	for title, tt := range tests {
		t.Run(title, func(t *testing.T) {
			p := point(t, 2, tt.flow)
			if tt.change != nil {
				tt.change(p)
			}
			o, err := oracle.New(p, tt.utility)
			if err == nil {
				_, err = o.Write(context.Background(), t.TempDir(), 1, progress.Discard{}.Event)
			}
			assert.ErrorContains(t, err, tt.want)
		})
	}
	// One spine leaves no choice: any selector will do.
	p := point(t, 1, flow)
	p.Scenario.Components["path_selector"] = one("letflow", nil)
	_, s := write(t, p, logarithm)
	assert.Equal(t, 1, s.Finished)
}

// TestEventsAreKnownOrRefused: what happens to a network during a run is followed, or refused.
func TestEventsAreKnownOrRefused(t *testing.T) {
	for i := range reflect.TypeFor[scenario.Scenario]().NumField() {
		field := reflect.TypeFor[scenario.Scenario]().Field(i)
		if !strings.HasSuffix(field.Name, "Events") || field.Name == "RateEvents" {
			continue
		}
		p := point(t, 1, scenario.Flow{Src: 0, Dst: 4, Size: 1e6})
		reflect.ValueOf(&p.Scenario).Elem().Field(i).Set(reflect.MakeSlice(field.Type, 1, 1))
		_, err := oracle.New(p, logarithm)
		assert.Error(t, err, field.Name)
	}
}

// TestExperimentsAreChecked: what the oracle cannot compute is refused with the experiment,
// not after its runs.
func TestExperimentsAreChecked(t *testing.T) {
	text, err := os.ReadFile("../../../base/catalog/testdata/catalog.json")
	require.NoError(t, err)
	c, err := catalog.Load(text)
	require.NoError(t, err)
	load := func(workload, table, rest string) error {
		dir := t.TempDir()
		file := filepath.Join(dir, "exp.yaml")
		require.NoError(t, os.WriteFile(filepath.Join(dir, "messages.csv"), []byte("id,src,dst,size,after\na,host0,host1,1MB,\nb,host1,host2,1MB,a\n"), 0o644))
		require.NoError(t, os.WriteFile(file, []byte("topology: {type: leaf-spine, leaves: 2, spines: 2, hosts_per_leaf: 2, rate: 10Gbps, delay: 1us"+rest+"\nworkload: "+workload+"\nrun: {stop: 1ms}\ntrace:\n  flows: {}\n  "+table+"\n"), 0o644))
		_, err := experiment.Load(file, experiment.Options{Catalog: c, ConfigDir: "../../../configs", Oracle: oracle.Check})
		return err
	}
	const (
		flow    = "{type: list, flows: [{src: host0, dst: host2, size: 1MB}]}"
		optimal = "optimal_flows: {}"
	)
	require.NoError(t, load(flow, optimal, "}\npreset: none"))
	for _, tt := range []struct{ workload, table, rest, want string }{
		{"{type: dag, path: messages.csv}", optimal, "}\npreset: none", "its flows wait for each other"},
		{"{type: mix, parts: [{type: permutation}, {type: collective, operation: all-reduce, size: 1MB}]}", optimal, "}\npreset: none", "its flows wait for each other"},
		{"{type: poisson, size: 1MB, load: 0.1, connections: 1, closed_loop: true}", optimal, "}\npreset: tcp", "flow 0 is a message in a closed loop"},
		{flow, "optimal_rates: {utility: max_min}", "}\npreset: mptcp", "sub-flows, and max_min is for flows with one path"},
		{"{type: list, flows: [{src: host0, dst: host1, size: 1MB}, {src: host0, dst: host2, size: 1MB, weight: 1e-20}]}", optimal, "}\npreset: none", "the weight is 1e-20; it must be between 1e-15 and 1e+15"},
		{flow, optimal, ", failures: [{host: host0, at: 1us}]}\npreset: none", "links or hosts fail during its run"},
		{flow, optimal, "}\npreset: none\npath_selector: spray", "flows from host0 to host2 have several paths, and spray chooses"},
	} {
		err := load(tt.workload, tt.table, tt.rest)
		require.ErrorContains(t, err, tt.want)
		assert.Regexp(t, `exp\.yaml:\d+:3: trace\.optimal_`, err.Error())
	}
}
