package measure_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/analysis/measure"
	"fabriclab/analysis/spec"
	"fabriclab/analysis/table/tabletest"
)

const late = `
measures:
  slow:   {kind: slowdown_time, flow: 0, event: 300us, unit: us}
  fair:   {kind: fair_time, flows: [0], port: "a->s1", event: 300us, unit: us}
  rec:    {kind: recovery_time, flows: [0], port: "a->s1", event: 300us, unit: us}
  peak:   {kind: queue_peak, port: "a->s1", class: 1, window: [100us, 400us], unit: KB}
  mean:   {kind: queue_mean, port: "a->s1", class: 1, window: [100us, 400us], unit: KB}
  ports:  {kind: queue_ports, ports: ["a->*"], class: 1, stat: mean, window: [100us, 400us], unit: KB}
  p1:     {kind: queue_percentile, percentile: 1, port: "a->s1", class: 1, window: [100us, 400us], unit: KB}
  used:   {kind: utilisation, port: "a->s1", count: wire, window: [100us, 400us], unit: "%"}
  uneven: {kind: imbalance, ports: ["a->s1", "s1->s2"], count: wire, window: [100us, 400us], interval: 10us, stat: mean, unit: "1"}
  thr:    {kind: throughput, flows: [0], stat: mean, window: [100us, 400us], unit: Gbps}
  share:  {kind: rate_share, flows: [0, 1], port: "a->s1", window: [100us, 400us], unit: "1"}
  jitter: {kind: jitter, flows: [0, 1], window: [100us, 400us], unit: "1"}
  apart:  {kind: share_deviation, flows: [0, 1], window: [100us, 400us], interval: 10us, stat: mean, unit: "1"}
  rows:   {kind: table, table: queues, column: bytes, window: [100us, 400us], stat: mean, unit: KB}
  drops:  {kind: drops, window: [100us, 400us], unit: "1"}
  xoffs:  {kind: pauses, node: s1, class: 1, window: [100us, 400us], unit: "1"}
  paused: {kind: paused_time, port: "a->s1", window: [100us, 400us], unit: us}
  jain:   {kind: jain, flows: [0, 1], window: [100us, 400us], unit: "1"}
  grown:  {kind: table, table: links, column: sent_bytes, where: {link: "a->s1"}, window: [100us, 400us], stat: growth, unit: KB}
  rowed:  {kind: table, table: drops, window: [100us, 400us], stat: count, unit: "1"}
`

// recorded writes a run of which all is sampled until 250 us, though it is to go on
// until 400 us.
func recorded(t *testing.T, scenario, summary string) spec.Run {
	t.Helper()
	dir := t.TempDir()
	tabletest.Scenario(t, dir, 400e6, 100e9, "a", "s1", "s2")
	tabletest.Change(t, dir, scenario)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "summary.json"), []byte(summary), 0o600))
	var rates []tabletest.Rate
	var queues []tabletest.Queue
	var links []tabletest.Link
	var arrivals []tabletest.Arrival
	for i := int64(1); i <= 250; i++ {
		for flow := range uint32(2) {
			rates = append(rates, tabletest.Rate{TimePs: i * 1e6, Flow: flow, RateBps: 100e9, AckedBytes: uint64(i) * 12500})
		}
		queues = append(queues, tabletest.Queue{TimePs: i * 1e6, Link: "a->s1", Class: 1, Bytes: 1000, MaxBytes: 1000})
		for _, link := range []string{"a->s1", "s1->s2"} {
			links = append(links, tabletest.Link{TimePs: i * 1e6, Link: link, SentBytes: uint64(i) * 12500, PausedPs: i * 1e6})
		}
		arrivals = append(arrivals, tabletest.Arrival{TimePs: i * 1e6, Flow: 0, Bytes: uint64(i) * 12500, Packets: uint64(i), LastPs: i * 1e6})
	}
	tabletest.Write(t, dir, "rates", rates)
	tabletest.Write(t, dir, "queues", queues)
	tabletest.Write(t, dir, "links", links)
	tabletest.Write(t, dir, "arrivals", arrivals)
	tabletest.Write(t, dir, "drops", []tabletest.Drop{{TimePs: 110e6, Node: "s1"}})
	tabletest.Write(t, dir, "pauses", []tabletest.Pause{{TimePs: 110e6, Node: "s1", Link: "s1->a", Class: 1, Xoff: true, Sent: true}})
	return spec.Run{Dir: dir}
}

const sampled = `{"trace": {"tables": {"queues": {"interval_ps": 1000000%[1]s}, "links": {"interval_ps": 1000000%[1]s}, ` +
	`"rates": {"interval_ps": 1000000%[1]s}, "arrivals": {"interval_ps": 1000000%[1]s}, "drops": {"from_ps": 0%[1]s}, "pauses": {"from_ps": 0%[1]s}}}, "stop_when_flows_finish": %[2]t}`

// A measure needs its tables over all of its window, or it has no value.
func TestTablesThatEndBeforeTheWindow(t *testing.T) {
	f := figure(t, late)
	run := recorded(t, fmt.Sprintf(sampled, `, "to_ps": 250000000`, false), `{"sim_ps": 400000000, "flows": {"started": 2, "finished": 0}}`)
	taker := measure.NewTaker(f)
	for _, name := range f.Measures.Names {
		_, err := taker.Take(f.Measures.Items[name], run)
		require.ErrorContains(t, err, ", and ends at 250us; write trace.", name)
		require.ErrorContains(t, err, run.Dir, name)
	}
	run = recorded(t, fmt.Sprintf(sampled, `, "from_ps": 299000000`, false), `{"sim_ps": 400000000, "flows": {"started": 2, "finished": 0}}`)
	for _, name := range f.Measures.Names {
		if name == "fair" || name == "rec" {
			continue // need nothing before the event
		}
		_, err := taker.Take(f.Measures.Items[name], run)
		require.ErrorContains(t, err, ", and begins at 299us; write trace.", name)
	}
}

// A run that ended before the window's end has no value; where it ended with its
// flows, what is counted is complete.
func TestRunsThatEndBeforeTheWindow(t *testing.T) {
	f := figure(t, late)
	taker := measure.NewTaker(f)
	cut := recorded(t, fmt.Sprintf(sampled, "", true), `{"sim_ps": 250000000, "flows": {"started": 3, "finished": 2}}`)
	for _, name := range f.Measures.Names {
		_, err := taker.Take(f.Measures.Items[name], cut)
		require.ErrorContains(t, err, "is beyond the end of the run at 250us; write an earlier time, or let the run go on", name)
	}

	over := recorded(t, fmt.Sprintf(sampled, "", true), `{"sim_ps": 250000000, "flows": {"started": 2, "finished": 2}}`)
	complete := map[string]float64{"drops": 1, "xoffs": 1, "paused": 150, "jain": 1, "grown": 150 * 12.5, "rowed": 1}
	for _, name := range f.Measures.Names {
		got, err := taker.Take(f.Measures.Items[name], over)
		if want, has := complete[name]; has {
			require.NoError(t, err, name)
			assert.InDelta(t, want, got, 1e-9, name)
		} else {
			require.ErrorContains(t, err, "is beyond the end of the run at 250us", name)
		}
	}
}

// That something comes never is known of a table that goes to the run's end only,
// and of a sum of rates that it stays up while there are rates.
func TestTimesThatDoNotCome(t *testing.T) {
	f := figure(t, `
measures:
  slow: {kind: slowdown_time, flow: 0, event: 150us, unit: us}
  fair: {kind: fair_time, flows: [0, 1], port: "a->s1", event: 150us, unit: us}
  rec:  {kind: recovery_time, flows: [0], port: "a->s1", event: 150us, unit: us}
  at:   {kind: fair_time, flows: [0], port: "a->s1", event: 150us, unit: us}
  soon: {kind: recovery_time, flows: [0], port: "a->s1", event: 210us, unit: us}
`)
	taker := measure.NewTaker(f)
	const summary = `{"sim_ps": 400000000, "flows": {"started": 2, "finished": 0}}`
	narrow := recorded(t, fmt.Sprintf(sampled, `, "to_ps": 260000000`, false), summary)
	for _, name := range []string{"slow", "fair", "rec"} {
		_, err := taker.Take(f.Measures.Items[name], narrow)
		require.ErrorContains(t, err, "the table rates is needed from 150us to 400us, and ends at 260us; write trace.rates.to: 400us or later", name)
	}
	got, err := taker.Take(f.Measures.Items["at"], narrow)
	require.NoError(t, err)
	assert.InDelta(t, 151.0, got, 0, "comes in time")

	whole := recorded(t, fmt.Sprintf(sampled, "", false), summary)
	for name, want := range map[string]float64{"slow": measure.Never, "fair": measure.Never, "rec": 150} {
		got, err := taker.Take(f.Measures.Items[name], whole)
		require.NoError(t, err, name)
		assert.Equal(t, want, got, name)
	}
	_, err = taker.Take(f.Measures.Items["soon"], whole)
	assert.ErrorContains(t, err, "no rate sample of the flows 50us after the event at 210us")
}

// So it is of events that a table of narrower time does not follow to the next one.
func TestEventsThatAreNotFollowed(t *testing.T) {
	run := joins(t)
	f := figure(t, `
measures:
  first: {kind: join_time, node: s2, port: "s1->s2", stat: median, window: [100us, 300us], unit: us}
  third: {kind: join_time, node: s2, port: "s1->s2", stat: median, window: [900us, 1020us], unit: us}
  all:   {kind: join_time, node: s2, port: "s1->s2", stat: median, unit: us}
`)
	tabletest.Change(t, run.Dir, `{"trace": {"tables": {"rates": {"interval_ps": 1000000, "to_ps": 1040000000}}}}`)
	taker := measure.NewTaker(f)
	got, err := taker.Take(f.Measures.Items["first"], run)
	require.NoError(t, err)
	assert.InDelta(t, 20.0, got, 0)
	_, err = taker.Take(f.Measures.Items["third"], run)
	require.ErrorContains(t, err, "the table rates is needed from 1ms to 1.08ms, and ends at 1.04ms")
	_, err = taker.Take(f.Measures.Items["all"], run)
	require.ErrorContains(t, err, "the table rates is needed from 0ps to 2ms, and ends at 1.04ms")
}

// What a table counts is known at its samples only: here 500 us of 10 Gb/s would be those
// of a window of 20 us.
func TestCountersBetweenSamples(t *testing.T) {
	const text = `
windows: {around: [490us, 510us], after: [500us, 1010us], whole: [500us, 1ms]}
measures:
  used:   {kind: utilisation, port: "a->s1", count: wire, window: %[1]s, unit: "1"}
  paused: {kind: paused_time, port: "a->s1", window: %[1]s, unit: us}
  grown:  {kind: table, table: links, column: sent_bytes, where: {link: "a->s1"}, window: %[1]s, stat: growth, unit: KB}
  thr:    {kind: throughput, flows: [0], stat: mean, window: %[1]s, unit: Gbps}
  jain:   {kind: jain, flows: [0, 1], window: %[1]s, unit: "1"}
  peak:   {kind: queue_peak, port: "a->s1", class: 1, window: %[1]s, unit: KB}
  uneven: {kind: imbalance, ports: ["a->s1", "s1->s2"], count: wire, window: %[1]s, interval: 500us, stat: mean, unit: "1"}
  apart:  {kind: share_deviation, flows: [0, 1], window: %[1]s, interval: 500us, stat: mean, unit: "1"}
  mean:   {kind: queue_mean, port: "a->s1", class: 1, window: %[1]s, unit: KB}
  last:   {kind: table, table: links, column: sent_bytes, where: {link: "a->s1"}, window: %[1]s, stat: last, unit: KB}
`
	dir := t.TempDir()
	tabletest.Scenario(t, dir, 2e9, 10e9, "a", "s1", "s2")
	tabletest.Change(t, dir, `{"trace": {"tables": {"queues": {"interval_ps": 500000000}, "links": {"interval_ps": 500000000}, "rates": {"interval_ps": 500000000}, "arrivals": {"interval_ps": 500000000}}}}`)
	tabletest.Ended(t, dir, 2e9)
	var rates []tabletest.Rate
	var queues []tabletest.Queue
	var links []tabletest.Link
	var arrivals []tabletest.Arrival
	for i := int64(1); i <= 4; i++ {
		now, bytes := i*500e6, uint64(i)*625000
		rates = append(rates, tabletest.Rate{TimePs: now, Flow: 0, AckedBytes: bytes}, tabletest.Rate{TimePs: now, Flow: 1, AckedBytes: bytes})
		queues = append(queues, tabletest.Queue{TimePs: now, Link: "a->s1", Class: 1, Bytes: 1000, MaxBytes: 2000})
		links = append(links, tabletest.Link{TimePs: now, Link: "a->s1", SentBytes: bytes, PausedPs: i * 100e6}, tabletest.Link{TimePs: now, Link: "s1->s2", SentBytes: bytes})
		arrivals = append(arrivals, tabletest.Arrival{TimePs: now, Flow: 0, Bytes: bytes, Packets: uint64(i), LastPs: now})
	}
	tabletest.Write(t, dir, "rates", rates)
	tabletest.Write(t, dir, "queues", queues)
	tabletest.Write(t, dir, "links", links)
	tabletest.Write(t, dir, "arrivals", arrivals)

	whole := map[string]float64{"used": 1, "paused": 100, "grown": 625, "thr": 10, "jain": 1, "peak": 2, "uneven": 0, "apart": 0, "mean": 1, "last": 1250}
	for _, window := range []string{"around", "after", "whole"} {
		f := figure(t, fmt.Sprintf(text, window))
		taker := measure.NewTaker(f)
		for _, name := range f.Measures.Names {
			got, err := taker.Take(f.Measures.Items[name], spec.Run{Dir: dir})
			switch {
			case window == "whole":
				require.NoError(t, err, name)
				assert.InDelta(t, whole[name], got, 1e-9, name)
			case name == "mean" || name == "last":
				require.NoError(t, err, name)
			default:
				require.ErrorContains(t, err, "has no sample at both ends of the window", name)
			}
		}
	}
}
