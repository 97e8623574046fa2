package measure_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/analysis/measure"
	"fabriclab/analysis/spec"
	"fabriclab/analysis/table/tabletest"
)

// A table that leaves out some of what a measure is over gives another value without a
// word, so no run is made for it.
func TestMeasuresOfTablesThatLeaveSomethingOut(t *testing.T) {
	ports, flows, classes := spec.Recorded{Ports: []string{"s2->s3"}}, spec.Recorded{Flows: []int64{1}}, spec.Recorded{Classes: []int64{1}}
	both := spec.Recorded{Flows: []int64{1, 0}, Classes: []int64{0, 1}, Ports: []string{"s1->s2", "s2->s3", "a->s1"}}
	for _, c := range []struct {
		text     string
		table    string
		recorded spec.Recorded
		want     string // "" = nothing is wrong
	}{
		{`{kind: pauses, node: s1, class: 1, window: [0us, 1ms], unit: "1"}`, "pauses", ports, `x.yaml:3:36: measures.x: trace.pauses.ports leaves s1->s2 out; add it there`},
		{`{kind: pauses, node: s2, class: 1, window: [0us, 1ms], unit: "1"}`, "pauses", ports, ""},
		{`{kind: pauses, node: s1, port: "s1->s2", class: 1, window: [0us, 1ms], unit: "1"}`, "pauses", ports, "trace.pauses.ports leaves s1->s2 out"},
		{`{kind: drops, window: [0us, 1ms], unit: "1"}`, "drops", ports, "x.yaml:3:22: measures.x: trace.drops.ports leaves ports out, and drops is of all; leave that key out, or take the kind table, which is of the rows there are"},
		{`{kind: drops, window: [0us, 1ms], unit: "1"}`, "drops", flows, "trace.drops.flows leaves flows out"},
		{`{kind: drops, window: [0us, 1ms], unit: "1"}`, "drops", classes, "trace.drops.classes leaves classes out"},
		{`{kind: drops, window: [0us, 1ms], unit: "1"}`, "drops", both, ""},
		{`{kind: queue_ports, ports: ["s*->s*"], class: 1, stat: max, window: [0us, 1ms], unit: KB}`, "queues", ports, "trace.queues.ports leaves s1->s2 out; add it there"},
		{`{kind: queue_ports, ports: ["*->s*"], class: 1, stat: max, window: [0us, 1ms], unit: KB}`, "queues", spec.Recorded{}, "the table queues has ports of hosts only where trace.queues.ports names them; write a->s1 there"},
		{`{kind: queue_ports, ports: ["*->s*"], class: 1, stat: max, window: [0us, 1ms], unit: KB}`, "queues", both, ""},
		{`{kind: imbalance, ports: ["s1->s2", "s2->s3"], count: wire, interval: 1us, stat: max, window: [0us, 1ms], unit: "1"}`, "links", ports, "trace.links.ports has no port that matches s1->s2"},
		{`{kind: imbalance, ports: ["s1->*"], count: wire, interval: 1us, stat: max, window: [0us, 1ms], unit: "1"}`, "links", both, "imbalance needs 2 ports or more, and s1->* is s1->s2"},
		{`{kind: group_time, group: 1, unit: us}`, "flows", flows, "trace.flows.flows leaves flows out, and group_time is of all"},
		{`{kind: fct, stat: mean, unit: us}`, "flows", flows, "trace.flows.flows leaves flows out"},
		{`{kind: reordering, unit: "1"}`, "flows", flows, "trace.flows.flows leaves flows out"},
		{`{kind: fct, stat: mean, unit: us}`, "flows", both, ""},
		{`{kind: throughput, window: [0us, 1ms], stat: mean, unit: Gbps}`, "arrivals", flows, "trace.arrivals.flows leaves flows out"},
		{`{kind: throughput, flows: [1], window: [0us, 1ms], stat: mean, unit: Gbps}`, "arrivals", flows, ""},
		{`{kind: jain, flows: [0, 1], window: [0us, 1ms], unit: "1"}`, "rates", flows, "trace.rates.flows leaves flow 0 out"},
		{`{kind: flowlet_size, gap: 1us, percentile: 50, unit: KB}`, "packets", classes, "trace.packets.classes leaves classes out"},
		{`{kind: table, table: drops, stat: count, unit: "1"}`, "drops", ports, ""},
		{`{kind: table, table: drops, where: {link: "s*->s2"}, stat: count, unit: "1"}`, "drops", ports, ""},
		{`{kind: table, table: drops, where: {link: "s1->s2"}, stat: count, unit: "1"}`, "drops", ports, "trace.drops.ports leaves s1->s2 out; add it there"},
		{`{kind: table, table: drops, where: {link: "!= s1->s2"}, stat: count, unit: "1"}`, "drops", ports, ""},
		{`{kind: table, table: drops, where: {flow: [1, 0]}, stat: count, unit: "1"}`, "drops", flows, "trace.drops.flows leaves flow 0 out; add it there"},
		{`{kind: table, table: drops, where: {class: 0}, stat: count, unit: "1"}`, "drops", classes, "trace.drops.classes leaves class 0 out; add it there"},
	} {
		_, said := check(t, "measures: {x: "+c.text+"}", false, setup(map[string]spec.Recorded{c.table: c.recorded}))
		if c.want == "" {
			assert.Empty(t, said, c.text)
		} else {
			assert.Contains(t, said, c.want, c.text)
		}
	}
	nameless := setup(map[string]spec.Recorded{"flows": {Flows: []int64{0, 1}}})
	nameless.FlowCount = 0
	_, said := check(t, `measures: {x: {kind: fct, stat: mean, unit: us}}`, false, nameless)
	assert.Contains(t, said, "trace.flows.flows leaves flows out", "nobody knows how many there are")
}

// Where it is known only when the measure is taken, it has no value.
func TestRunsThatLeaveSomethingOut(t *testing.T) {
	dir := t.TempDir()
	write(t, dir)
	f := figure(t, `
measures:
  xoffs: {kind: pauses, node: s2, class: 1, window: [0us, 400us], unit: "1"}
  other: {kind: pauses, node: r, class: 1, window: [0us, 400us], unit: "1"}
  wrong: {kind: pauses, node: r, port: "s2->r", class: 1, window: [0us, 400us], unit: "1"}
  drops: {kind: drops, window: [0us, 400us], unit: "1"}
  fct:   {kind: fct, stat: mean, unit: us}
  rows:  {kind: table, table: drops, stat: count, unit: "1"}
`)
	tabletest.Write(t, dir, "pauses", []tabletest.Pause{{TimePs: 1e6, Node: "s2", Link: "s2->r", Class: 1, Xoff: true, Sent: true}})
	tabletest.Write(t, dir, "drops", []tabletest.Drop{{TimePs: 1e6, Node: "s2"}})
	fct, slow := int64(2e6), 3.0
	tabletest.Write(t, dir, "flows", []tabletest.Flow{{Flow: 0, SizeBytes: 1000, Measured: true, Finished: true, FctPs: &fct, Slowdown: &slow, SenderEndPs: 300e6}, {Flow: 1, SenderEndPs: -1}})
	taker := measure.NewTaker(f)
	for _, name := range []string{"xoffs", "drops", "fct"} {
		_, err := taker.Take(f.Measures.Items[name], spec.Run{Dir: dir})
		require.NoError(t, err, name)
	}
	tabletest.Change(t, dir, `{"trace": {"tables": {"pauses": {"ports": [{"node": 1, "port": 0}, {"node": 2, "port": 0}]}, "drops": {"ports": [{"node": 0, "port": 0}]}, "flows": {"flows": [0]}}}}`)
	taker = measure.NewTaker(f)
	for name, want := range map[string]string{
		"xoffs": "trace.pauses.ports leaves s2->r out; add it there",
		"other": "", "rows": "",
		"wrong": "trace.pauses.ports leaves s2->r out; add it there",
		"drops": "trace.drops.ports leaves ports out",
		"fct":   "trace.flows.flows leaves flows out",
	} {
		_, err := taker.Take(f.Measures.Items[name], spec.Run{Dir: dir})
		if want == "" {
			require.NoError(t, err, name)
		} else {
			require.ErrorContains(t, err, "run "+dir+": "+want, name)
		}
	}
	got := byName(t, spec.Run{Dir: dir}, nil)
	require.ErrorContains(t, got["fct_slowdown_mean"].Err, "trace.flows.flows leaves flows out, and fct_slowdown is of all")
	require.ErrorContains(t, got["fairness"].Err, "trace.flows.flows leaves flows out")
	require.NoError(t, got["flows_finished"].Err)

	tabletest.Change(t, dir, `{"trace": {"tables": {"flows": {"flows": [0, 1, 2]}}}}`) // all that summary.json counts
	got = byName(t, spec.Run{Dir: dir}, nil)
	require.NoError(t, got["fct_slowdown_mean"].Err)
	_, err := measure.NewTaker(f).Take(f.Measures.Items["wrong"], spec.Run{Dir: dir})
	assert.ErrorContains(t, err, "s2->r is no port of r, whose frames are counted")
}
