package measure_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/analysis/measure"
	"fabriclab/analysis/series"
	"fabriclab/analysis/spec"
	"fabriclab/base/reader"
)

// setup is of runs of 1 ms with a port and two classes.
func setup(tables map[string]spec.Recorded) spec.Setup {
	return spec.Setup{
		Labels: map[string]string{"hop": "first"}, Tables: tables, Classes: 2, EndPs: 1e9, Ends: "run.stop", Flows: []string{"short", "long"}, FlowCount: 2,
		Port: func(name string) error {
			if strings.HasPrefix(name, "s") {
				return nil
			}
			return fmt.Errorf("there is no port %q", name)
		},
		Ports:       func() []string { return []string{"s1->s2", "s2->s3", "a->s1"} },
		SwitchPorts: func() []string { return []string{"s1->s2", "s2->s3"} },
	}
}

func check(t *testing.T, text string, narrowed bool, setups ...spec.Setup) (*spec.Figure, string) {
	t.Helper()
	s, err := reader.Parse("x.yaml", []byte("dimensions: {hop: {path: hop}}\nwindows: {late: [200us, 4ms]}\n"+text))
	require.NoError(t, err)
	f := spec.Read(s)
	f.Known = spec.Known{Setups: setups, Narrowed: narrowed, Add: map[string]string{"links": "links: {interval: 1us}"}}
	measure.Read(s, f)
	for _, at := range s.Sections("series") {
		measure.ReadSeries(at, f)
	}
	if err := s.F.Err(); err != nil {
		return f, err.Error()
	}
	return f, ""
}

// A measuring window is of runs whose workload has a load.
func TestMeasuredWindow(t *testing.T) {
	const text = `measures: {x: {kind: table, table: links, column: sent_bytes, window: measuring, stat: last, unit: B, text: sent}}`
	loaded := setup(nil)
	loaded.Judged = series.Window{From: 1e6, To: 2e6}
	f, fault := check(t, text, false, loaded)
	assert.Empty(t, fault)
	assert.Equal(t, spec.Measuring, f.Measures.Items["x"].Window.Name)

	_, fault = check(t, text, false, loaded, setup(nil))
	assert.Contains(t, fault, "measures.x.window: window: measuring is for runs whose workload has a load")
	_, fault = check(t, "measures: {}", false)
	assert.Empty(t, fault)
	s, err := reader.Parse("x.yaml", []byte("windows: {measuring: [1us, 2us]}"))
	require.NoError(t, err)
	spec.Read(s)
	assert.ErrorContains(t, s.F.Err(), "measuring is the run's own measuring window; choose another name")
}

// What no run will have is said before anything runs.
func TestMeasuresThatNoRunHas(t *testing.T) {
	all := map[string]spec.Recorded{"links": {}, "queues": {}, "rates": {}, "drops": {}}
	few := map[string]spec.Recorded{"queues": {Ports: []string{"s1->s2"}, Classes: []int64{1}}, "rates": {Flows: []int64{0}}}
	middle := map[string]spec.Recorded{}
	for _, name := range []string{"queues", "links", "rates", "drops", "arrivals", "optimal_rates"} {
		middle[name] = spec.Recorded{IntervalPs: 1e6, FromPs: 200e6, ToPs: 700e6}
	}
	for _, c := range []struct {
		text   string
		tables map[string]spec.Recorded
		want   string // "" = nothing is wrong
	}{
		{`x: {kind: utilisation, port: "s1->s2", count: wire, window: [0us, 1ms], unit: "%"}`, all, ""},
		{`x: {kind: utilisation, port: "s1->s2", count: wire, window: [0us, 1ms], unit: "%"}`, few,
			`x.yaml:4:13: measures.x: utilisation is taken from the table links, which these runs do not have; write trace: {links: {interval: 1us}}`},
		{`x: {kind: table, table: links, column: sent_bytes, stat: last, unit: B}`, few, "table is taken from the table links, which these runs do not have"},
		{`x: {kind: carried_share, window: [0us, 1ms], unit: "1"}`, all, "the table load, which these runs do not have; it is there where the workload asks for a load"},
		{`x: {kind: queue_mean, port: "s2->s3", class: 1, window: [0us, 1ms], unit: KB}`, few, `x.yaml:4:31: measures.x: trace.queues.ports leaves s2->s3 out; add it there`},
		{`x: {kind: queue_mean, port: "a->s1", class: 1, window: [0us, 1ms], unit: KB}`, all, `there is no port "a->s1"`},
		{`x: {kind: queue_mean, port_by: {hop: {first: "s2->s3"}}, class: 1, window: [0us, 1ms], unit: KB}`, few, "trace.queues.ports leaves s2->s3 out"},
		{`x: {kind: queue_mean, port_by: {hop: {first: "s1->s2"}}, class: data, window: [0us, 1ms], unit: KB}`, few, ""},
		{`x: {kind: queue_ports, ports: ["s*->s2"], class: 1, stat: mean, window: [0us, 1ms], unit: KB}`, few, ""},
		{`x: {kind: queue_ports, ports: ["s*->s3"], class: 1, stat: mean, window: [0us, 1ms], unit: KB}`, few, "trace.queues.ports has no port that matches s*->s3"},
		{`x: {kind: queue_mean, port: "s1->s2", class: 3, window: [0us, 1ms], unit: KB}`, all, "there is no class 3 in these runs; write 0 to 1, or data"},
		{`x: {kind: queue_mean, port: "s1->s2", class: 0, window: [0us, 1ms], unit: KB}`, few, "trace.queues.classes leaves class 0 out"},
		{`x: {kind: rate_share, port: "s1->s2", flows: [0, 1], window: [0us, 1ms], unit: "1"}`, few, "trace.rates.flows leaves flow 1 out"},
		{`x: {kind: slowdown_time, flow: 2, event: 300us, unit: us}`, all, "there is no flow 2; the flows are 0 to 1"},
		{`x: {kind: slowdown_time, flow: 1, event: 2ms, unit: us}`, all, "the event at 2ms is beyond the end of the run at 1ms"},
		{`x: {kind: drops, window: late, unit: "1"}`, all, `x.yaml:4:28: measures.x: the window's end, 4ms, is beyond the end of the run at 1ms; write an earlier time, or a longer run.stop`},
		{`x: {kind: drops, window: [200us, 700us], unit: "1"}`, middle, ""},
		{`x: {kind: drops, window: [199us, 700us], unit: "1"}`, middle,
			`x.yaml:4:28: measures.x: the table drops is needed from 199us to 700us, and begins at 200us; write trace.drops.from: 199us or earlier`},
		{`x: {kind: queue_peak, port: "s1->s2", class: 1, window: [300us, 701us], unit: KB}`, middle,
			`x.yaml:4:59: measures.x: the table queues is needed from 300us to 701us, and ends at 700us; write trace.queues.to: 701us or later`},
		{`x: {kind: table, table: links, column: sent_bytes, window: [0us, 500us], stat: growth, unit: B}`, middle, "write trace.links.from: 0ps or earlier"},
		{`x: {kind: table, table: links, column: sent_bytes, window: [300us, 500500ns], stat: growth, unit: B}`, middle,
			`x.yaml:4:62: measures.x: the table links has no sample at both ends of the window 300us to 500.5us, as it has one every 1us; write a window of whole intervals, or a trace.links.interval that divides both ends`},
		{`x: {kind: table, table: links, column: sent_bytes, window: [300us, 500500ns], stat: last, unit: B}`, middle, ""},
		{`x: {kind: slowdown_time, flow: 1, event: 220us, unit: us}`, middle, "measures.x: the table rates is needed from 170us to 220us, and begins at 200us"},
		{`x: {kind: recovery_time, flows: [1], port: "s1->s2", event: 660us, unit: us}`, middle, "the table rates is needed from 660us to 710us, and ends at 700us; write trace.rates.to: 710us or later"},
		{`x: {kind: fair_time, flows: [1], port: "s1->s2", event: 960us, unit: us}`, all, "the event at 960us with the 50us after it is beyond the end of the run at 1ms"},
		{`x: {kind: converged, window: [300us, 600us], unit: "%"}`, middle, ""},
		{`x: {kind: converged, window: [300us, 800us], unit: "%"}`, middle, "the table arrivals is needed from 300us to 800us, and ends at 700us"},
		{`x: {kind: converged, unit: "%"}`, middle, "x.yaml:4:13: measures.x: the table arrivals is needed from 0ps to 1ms, and begins at 200us"},
	} {
		_, said := check(t, "measures:\n  "+c.text, false, setup(c.tables))
		if c.want == "" {
			assert.Empty(t, said, c.text)
		} else {
			assert.Contains(t, said, c.want, c.text)
		}
	}
	of := func(classes ...int64) spec.Setup {
		s := setup(all)
		s.Classes, s.FlowClasses, s.Tables = 3, classes, map[string]spec.Recorded{"queues": {Classes: []int64{2}}}
		return s
	}
	const data = `measures: {x: {kind: queue_mean, port: "s1->s2", class: data, window: [0us, 1ms], unit: KB, text: q}}`
	for want, runs := range map[string]spec.Setup{
		"": of(2), "trace.queues.classes leaves class 1 out": of(1),
		"x.yaml:3:57: measures.x: the flows are of the classes 1 2; write one of them instead of data": of(1, 2),
	} {
		_, said := check(t, data, false, runs)
		assert.Contains(t, said, want)
		assert.Equal(t, want == "", said == "")
	}
	_, said := check(t, `series: [{kind: utilisation, port: "s1->s2", count: wire, unit: "%"}]`, false, setup(few))
	assert.Contains(t, said, "utilisation is taken from the table links")
}

// A measure of some points is none of the others; a window beyond the end is said
// of any, as its value would not show it.
func TestMeasuresOfSomeRuns(t *testing.T) {
	one := setup(map[string]spec.Recorded{"drops": {}})
	other := setup(map[string]spec.Recorded{})
	other.Labels = map[string]string{"hop": "last"}
	_, said := check(t, `measures: {x: {kind: drops, window: [0us, 1ms], unit: "1"}}`, false, one, other)
	assert.Empty(t, said)
	short := one
	short.EndPs = 5e8
	_, said = check(t, `measures: {x: {kind: drops, window: [0us, 1ms], unit: "1"}}`, false, one, short)
	assert.Contains(t, said, "beyond the end of the run at 500us")
}

// Of an experiment that a flag has changed it is a warning.
func TestMeasuresOfNarrowedExperiments(t *testing.T) {
	f, said := check(t, `measures: {x: {kind: drops, window: late, unit: "1"}}`, true, setup(map[string]spec.Recorded{"drops": {}}))
	assert.Empty(t, said)
	require.Len(t, f.Warnings, 1)
	assert.Contains(t, f.Warnings[0], "x.yaml:3:37: measures.x: the window's end, 4ms,")
}

// Flows may be named as trace names them.
func TestFlowsByName(t *testing.T) {
	tables := map[string]spec.Recorded{"rates": {}}
	f, said := check(t, `measures: {x: {kind: slowdown_time, flow: long, event: 300us, unit: us}, y: {kind: jain, flows: [long, short], window: [0us, 1ms], unit: "1"}}`, false, setup(tables))
	require.Empty(t, said)
	assert.Equal(t, int64(1), *f.Measures.Items["x"].Flow)
	assert.Equal(t, []int64{1, 0}, f.Measures.Items["y"].Flows)

	_, said = check(t, `measures: {x: {kind: slowdown_time, flow: lung, event: 300us, unit: us}}`, false, setup(tables))
	assert.Contains(t, said, `there is no flow "lung"; did you mean "long"?`)
	turned := setup(tables)
	turned.Flows = []string{"long", "short"}
	_, said = check(t, `measures: {x: {kind: slowdown_time, flow: long, event: 300us, unit: us}}`, false, setup(tables), turned)
	assert.Contains(t, said, "is number 1 at one point and 0 at another; write the number")
	nameless := setup(tables)
	nameless.Flows = nil
	_, said = check(t, `measures: {x: {kind: slowdown_time, flow: long, event: 300us, unit: us}}`, false, nameless)
	assert.Contains(t, said, "these flows have no names")
}

// Every kind says what it is taken from.
func TestKindsSayWhatTheyAreTakenFrom(t *testing.T) {
	for _, name := range measure.Kinds() {
		k := measure.KindOf(name)
		assert.Equal(t, name == "table", k.From == nil, name)
		assert.False(t, slices.ContainsFunc(k.From, func(text string) bool { return strings.ContainsAny(text, "` ") }), name)
	}
}
