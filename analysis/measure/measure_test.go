package measure_test

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/analysis/measure"
	"fabriclab/analysis/series"
	"fabriclab/analysis/spec"
	"fabriclab/analysis/table/tabletest"
	"fabriclab/base/reader"
)

func figure(t *testing.T, text string) *spec.Figure {
	t.Helper()
	f, err := decode(t, text, nil)
	require.NoError(t, err)
	return f
}

// decode reads measures and the series of plots.
func decode(t *testing.T, text string, tables spec.Tables) (*spec.Figure, error) {
	t.Helper()
	s, err := reader.Parse("x.yaml", []byte(text))
	require.NoError(t, err)
	f := spec.Read(s)
	f.Tables = tables
	measure.Read(s, f)
	for _, at := range s.Sections("plots") {
		var all []spec.Series
		for _, one := range at.Sections("series") {
			all = append(all, measure.ReadSeries(one, f))
		}
		f.Plots = append(f.Plots, spec.Plot{Own: all})
	}
	return f, s.F.Err()
}

// run writes a run of 400 us, sampled every us: flow 0 alone at 100 Gb/s,
// flow 1 from 300 us; both at 48 Gb/s from 320 us.
func run(t *testing.T) spec.Run {
	t.Helper()
	dir := t.TempDir()
	tabletest.Scenario(t, dir, 400e6, 100e9, "a", "s1", "s2")
	var rates []tabletest.Rate
	var queues []tabletest.Queue
	var links []tabletest.Link
	for i := int64(1); i <= 400; i++ {
		bps, length := int64(100e9), uint64(0)
		if i > 300 {
			length = uint64(min(i-300, 20)) * 12500
		}
		if i >= 320 {
			bps = 48e9
		}
		rates = append(rates, tabletest.Rate{TimePs: i * 1e6, Flow: 0, RateBps: bps, AckedBytes: uint64(i) * 3000})
		if i > 300 {
			rates = append(rates, tabletest.Rate{TimePs: i * 1e6, Flow: 1, RateBps: bps, AckedBytes: uint64(i-300) * 1000})
		}
		queues = append(queues, tabletest.Queue{TimePs: i * 1e6, Link: "s1->s2", Class: 1, Bytes: length, MaxBytes: length + 500})
		links = append(links, tabletest.Link{TimePs: i * 1e6, Link: "s2->s1", SentBytes: uint64(i) * 25000})
		links = append(links, tabletest.Link{TimePs: i * 1e6, Link: "s1->s2", SentBytes: uint64(i) * 12500, DataBytes: uint64(i) * 10000, PausedPs: i * 1e5})
	}
	tabletest.Write(t, dir, "rates", rates)
	tabletest.Write(t, dir, "queues", queues)
	tabletest.Write(t, dir, "links", links)
	tabletest.Write(t, dir, "pauses", []tabletest.Pause{
		{TimePs: 310e6, Node: "s1", Link: "s1->a", Class: 1, Xoff: true, Sent: true},
		{TimePs: 311e6, Node: "s1", Link: "s1->a", Class: 1, Xoff: false, Sent: true},
	})
	tabletest.Write(t, dir, "drops", []tabletest.Drop{{TimePs: 310e6, Node: "s1"}, {TimePs: 390e6, Node: "s1"}})
	fct, slow := int64(2e6), 2.0
	long, short, ideal, same := int64(80e6), int64(60e6), int64(40e6), 3.0
	tabletest.Write(t, dir, "flows", []tabletest.Flow{
		{Flow: 0, SizeBytes: 1000, Measured: true, Finished: true, FctPs: &fct, IdealFctPs: &fct, Slowdown: &slow},
		{Flow: 1, SizeBytes: 2000, Measured: true, IdealFctPs: &fct},
		{Flow: 2, Group: 1, Dst: "a", SizeBytes: 1000_000, StartPs: 5e6, EndPs: 85e6, Finished: true, Measured: true, FctPs: &long, IdealFctPs: &ideal, Slowdown: &same},
		{Flow: 3, Group: 1, Dst: "a", SizeBytes: 500_000, StartPs: 5e6, EndPs: 65e6, Finished: true, Measured: true, FctPs: &short, IdealFctPs: &ideal, Slowdown: &same},
		{Flow: 4, Group: 2, Dst: "a", SizeBytes: 500_000, StartPs: 100e6, EndPs: 200e6, Finished: true, FctPs: &long, IdealFctPs: &ideal, Slowdown: &same},
	})
	return spec.Run{Dir: dir, Labels: map[string]string{"hop": "first"}}
}

const measures = `
dimensions:
  hop: {path: hop}
windows:
  after: [300us, 400us]
  settled: [330us, 400us]
measures:
  peak:    {kind: queue_peak, port_by: {hop: {first: "s1->s2"}}, class: 1, window: after, unit: KB}
  mean:    {kind: queue_mean, port: "s1->s2", class: 1, window: settled, unit: KB}
  median:  {kind: queue_percentile, percentile: 1, port: "s1->s2", class: 1, window: after, unit: B}
  ports:   {kind: queue_ports, ports: ["s*->s2"], class: 1, window: settled, stat: mean, unit: KB}
  wire:    {kind: utilisation, port: "s1->s2", count: wire, window: after, unit: "%"}
  payload: {kind: utilisation, port: "s1->s2", count: payload, window: after, unit: "1"}
  slow:    {kind: slowdown_time, flow: 0, event: 300us, unit: us}
  fair:    {kind: fair_time, flows: [0, 1], port: "s1->s2", event: 300us, unit: us}
  beta:    {kind: fair_time, flows: [0, 1], port: "s1->s2", event: 300us, share: 0.3, unit: us}
  full:    {kind: recovery_time, flows: [0, 1], port: "s1->s2", event: 300us, unit: us}
  jitter:  {kind: jitter, flows: [0, 1], window: settled, unit: "%"}
  range:   {kind: jitter, method: range, flows: [0], window: after, unit: "1"}
  share:   {kind: rate_share, flows: [0, 1], port: "s1->s2", window: settled, unit: "1"}
  jain:    {kind: jain, flows: [0, 1], window: settled, unit: "1"}
  xoff:    {kind: pauses, node: s1, class: 1, window: after, unit: "1"}
  paused:  {kind: paused_time, port: "s1->s2", window: after, unit: us}
  drops:   {kind: drops, window: settled, unit: "1"}
  small:   {kind: fct_slowdown, stat: p99, max_size: 2KB, unit: "1"}
  mean_fct: {kind: fct, stat: mean, min_size: 100KB, unit: us}
  normal:  {kind: fct_normalised, min_size: 100KB, unit: "1"}
  score:   {kind: log_rate, stat: mean, min_size: 600KB, unit: "1"}
  uneven:  {kind: imbalance, ports: ["s1->s2", "s2->s1"], window: [0us, 400us], interval: 100us, count: wire, stat: mean, unit: "%"}
  job:     {kind: group_time, group: 2, unit: us}
  round:   {kind: group_throughput, unit: "%"}
  second:  {kind: group_throughput, group: 2, unit: "1"}
`

func TestTake(t *testing.T) {
	f := figure(t, measures)
	r := run(t)
	want := map[string]float64{
		"peak":    250.5,                        // 20 us at 12.5 KB/us, and 500 B between samples
		"mean":    250,                          //
		"median":  24875,                        // at place 0.99 of 100 samples: 12500, 25000, …
		"ports":   250,                          // the mean of the only port's mean
		"wire":    100,                          // 12500 B per us at 100 Gb/s
		"payload": 0.8,                          // 10000 of 12500
		"slow":    320,                          //
		"fair":    320,                          // 48 is within 10 % of 50
		"beta":    measure.Never,                // 48 is not near 30
		"full":    300,                          // 200 and 96 Gb/s are never below 90
		"jitter":  0,                            //
		"range":   52 / (19*100 + 81*48.) * 100, // (100-48) over the mean of 19 x 100 and 81 x 48
		"share":   0.96,                         // 48 of 50
		"jain":    16.0 / 20,                    // 3000 to 1000
		"xoff":    1,                            //
		"paused":  10,                           // 0.1 us per us over 100 us
		"drops":   1,                            //
		"small":   2,                            // the unfinished flow has 2 KB and is not below 2 KB

		"mean_fct": 70,                   // 80 and 60 us
		"normal":   140. / 80,            // over 40 us each
		"score":    math.Log2(1e11),      // 8 Mbit in 80 us
		"uneven":   200. / 3,             // 2500 and 5000 KB: 2500 over the mean of 3750 in every interval
		"job":      100,                  //
		"round":    150,                  // 12 Mbit in 80 us are 150 Gb/s of 100; group 2 is not measured
		"second":   4e6 / 100e-6 / 100e9, // 4 Mbit in 100 us
	}
	for _, name := range f.Measures.Names {
		m := f.Measures.Items[name]
		got, err := measure.NewTaker(f).Take(m, r)
		require.NoError(t, err, name)
		expected, ok := want[name]
		require.True(t, ok, name)
		if expected == measure.Never {
			assert.Equal(t, expected, got, name)
			continue
		}
		assert.InDelta(t, expected, got, 1e-9, name)
	}
}

func TestTakeErrors(t *testing.T) {
	r := run(t)
	for _, c := range []struct{ text, want string }{
		{`{kind: queue_peak, port: "s1->s2", class: 3, window: [0us, 1us], unit: KB}`, "no sample of s1->s2 class 3"},
		{`{kind: queue_peak, port: "s1->s9", class: 3, window: [0us, 1us], unit: KB}`, `no port "s1->s9"`},
		{`{kind: pauses, node: s9, class: 1, window: [0us, 1us], unit: "1"}`, `no node "s9"`},
		{`{kind: slowdown_time, flow: 5, event: 300us, unit: us}`, "no sample of flow 5"},
		{`{kind: utilisation, port: "s1->s2", count: wire, window: [1ms, 2ms], unit: "%"}`, "no sample from 1ms to 2ms"},
		{`{kind: jitter, flows: [1], window: [1us, 2us], unit: "%"}`, "flow 1, 1us to 2us: no rate sample"},
		{`{kind: fct_slowdown, stat: mean, unit: "1"}`, "1 of 4 flows of any size did not finish"},
		{`{kind: fct, stat: mean, unit: us}`, "1 of 4 flows of any size did not finish"},
		{`{kind: log_rate, stat: mean, unit: "1"}`, "1 of 4 flows of any size did not finish"},
		{`{kind: fct_normalised, unit: "1"}`, "1 of 4 flows of any size did not finish"},
		{`{kind: group_time, group: 7, unit: us}`, "no flow of group 7"},
		{`{kind: group_throughput, group: 7, unit: "%"}`, "no flow of group 7"},
		{`{kind: imbalance, ports: ["s1->s2", "s2->s9"], window: [0us, 400us], interval: 100us, count: wire, stat: mean, unit: "%"}`, "no sample of s2->s9"},
	} {
		f := figure(t, "measures:\n  x: "+c.text)
		_, err := measure.NewTaker(f).Take(f.Measures.Items["x"], r)
		require.ErrorContains(t, err, c.want, c.text)
		assert.ErrorContains(t, err, r.Dir, "names the run")
	}
}

// A value of 0 is there: it is not taken for a key that is absent.
func TestZeroIsNotAbsent(t *testing.T) {
	f := figure(t, `measures: {x: {kind: queue_percentile, unit: B, port: "s1->s2", class: 1, percentile: 0, window: [0us, 400us]}}`)
	_, err := measure.NewTaker(f).Take(f.Measures.Items["x"], run(t))
	require.NoError(t, err)
	_, err = decode(t, `measures: {x: {kind: flowlet_size, unit: B, gap: 0us, percentile: 50}}`, nil)
	assert.ErrorContains(t, err, "x.yaml:1:50: measures.x.gap is not above 0")
}

func TestCheck(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{kind: queue_peek, unit: KB}`, `unknown kind of measure "queue_peek"; did you mean "queue_peak"?`},
		{`{kind: queue_peak, unit: us}`, `"us" is not a unit of a size; write one of B, GB`},
		{`{kind: queue_peak, unit: KB, port: "a->b", window: [0us, 1us]}`, "x.yaml:2:6: measures.x: queue_peak needs the key class"},
		{`{kind: jain, unit: "1", flows: [0, 1], window: [0us, 1us], port: "a->b"}`, "jain does not take port"},
		{`{kind: jain, unit: "1", flows: [0], window: [0us, 1us]}`, "always 1"},
		{`{kind: jain, unit: "1", flows: [0, 1], window: late}`, `unknown window "late"`},
		{`{kind: jitter, unit: "1", flows: [], window: [0us, 1us]}`, "flows is an empty list"},
		{`{kind: jitter, unit: "1", flows: [0], window: [0us, 1us], method: rang}`, `did you mean "range"?`},
		{`{kind: imbalance, ports: ["a->b", "a->c"], window: [0us, 1us], count: wire, stat: mean, unit: "1"}`, "imbalance needs the key interval"},
		{`{kind: queue_max, unit: KB}`, `unknown kind of measure "queue_max"; did you mean "queue_peak"?`},
		{`{kind: group_time, unit: us}`, "group_time needs the key group"},
		{`{kind: fct_slowdown, unit: "1", stat: p50}`, `unknown stat "p50"`},
		{`{kind: utilisation, unit: "1", port: "a->b", window: [0us, 1us], count: wired}`, `did you mean "wire"?`},
		{`{kind: paused_time, unit: us, port: "a->b", port_by: {x: {}}, window: [0us, 1us]}`, "exclude each other"},
		{`{kind: paused_time, unit: us, port_by: {x: {}}, window: [0us, 1us]}`, `unknown dimension "x"`},
		{`{kind: queue_percentile, unit: B, port: "a->b", class: 1, percentile: 101, window: [0us, 1us]}`, "out of range; allowed: from 0 to 100"},
		{`{kind: fair_time, unit: us, port: "a->b", flows: [1], event: 1us, share: 2}`, "out of range; allowed: from 0 to 1"},
	} {
		_, err := decode(t, "measures:\n  x: "+c.text, nil)
		assert.ErrorContains(t, err, c.want, c.text)
	}
}

func TestSeries(t *testing.T) {
	f := figure(t, `
dimensions:
  hop: {path: hop}
plots:
  - id: p
    series:
      - {kind: queue, port: "s1->s2", class: 1, unit: KB}
      - {kind: queue_max, port_by: {hop: {first: "s1->s2"}}, class: 1, unit: B}
      - {kind: rate, flow: 0, unit: Gbps}
      - {kind: goodput, flow: 1, interval: 5us, unit: Gbps}
      - {kind: utilisation, port: "s1->s2", count: payload, interval: 10us, unit: "%"}
`)
	r := run(t)
	for i, want := range []struct {
		n    int
		last float64
	}{{20, 250}, {20, 250500}, {20, 48}, {4, 8}, {2, 80}} {
		s := f.Plots[0].Own.([]spec.Series)[i]
		got, err := measure.Series(f, s, series.Window{From: 310e6, To: 330e6}, r)
		require.NoError(t, err, s.Kind)
		require.Len(t, got, want.n, s.Kind)
		assert.InDelta(t, want.last, got[want.n-1].Value, 1e-9, s.Kind)
		assert.Equal(t, int64(330e6), got[want.n-1].Time, s.Kind)
	}
}

func TestCheckSeries(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{kind: rates, unit: Gbps}`, `did you mean "rate"?`},
		{`{kind: rate, unit: Gbps}`, "rate needs the key flow"},
		{`{kind: rate, flow: 1, unit: KB}`, "not a unit of a rate"},
		{`{kind: rate, flow: 1, class: 1, unit: Gbps}`, "rate does not take class"},
		{`{kind: rate, flow: 1, interval: 1us, unit: Gbps}`, "rate does not take interval"},
		{`{kind: queue_peak, port: "a->b", unit: KB}`, `unknown kind of series "queue_peak"; did you mean "queue_max"?`},
		{`{kind: queue, port: "a->b", unit: KB}`, "queue needs the key class"},
	} {
		_, err := decode(t, "plots:\n  - series: ["+c.text+"]", nil)
		assert.ErrorContains(t, err, c.want, c.text)
	}
}

func TestLabel(t *testing.T) {
	for unit, want := range map[string]string{"us": "µs", "Gbps": "Gb/s", "1": "", "%": "%", "KB": "KB"} {
		assert.Equal(t, want, measure.Label(unit))
	}
}

// TestClassOfTheData: data is the class of the flows; without a list class 1, or 0 where the
// transport has one class.
func TestClassOfTheData(t *testing.T) {
	f := figure(t, `measures:
  peak: {kind: queue_peak, port: "s1->s2", class: data, window: [0us, 400us], unit: KB}
  one:  {kind: queue_peak, port: "s1->s2", class: 1, window: [0us, 400us], unit: KB}
`)
	r := run(t)
	data, err := measure.NewTaker(f).Take(f.Measures.Items["peak"], r)
	require.NoError(t, err)
	one, err := measure.NewTaker(f).Take(f.Measures.Items["one"], r)
	require.NoError(t, err)
	assert.InDelta(t, one, data, 0)

	tabletest.Write(t, r.Dir, "queues", []tabletest.Queue{{TimePs: 1e6, Link: "s1->s2", Class: 0, MaxBytes: 7000}})
	path := filepath.Join(r.Dir, "scenario.json")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, bytes.Replace(text, []byte(`"classes":2`), []byte(`"classes":1`), 1), 0o644))
	data, err = measure.NewTaker(f).Take(f.Measures.Items["peak"], r)
	require.NoError(t, err)
	assert.InDelta(t, 7, data, 0)
	_, err = measure.NewTaker(f).Take(f.Measures.Items["one"], r)
	require.ErrorContains(t, err, "no sample of s1->s2 class 1")

	require.NoError(t, os.WriteFile(path, bytes.Replace(text, []byte(`"classes":2`), []byte(`"classes":0`), 1), 0o644))
	_, err = measure.NewTaker(f).Take(f.Measures.Items["peak"], r)
	require.ErrorContains(t, err, "does not say how many classes there are")

	// The flow list says more; its tasks send nothing.
	type flow struct {
		Src   string `parquet:"src"`
		Dst   string `parquet:"dst"`
		Class uint32 `parquet:"class"`
	}
	require.NoError(t, os.WriteFile(path, bytes.Replace(text, []byte(`"classes":2`), []byte(`"classes":3`), 1), 0o644))
	tabletest.Write(t, r.Dir, "queues", []tabletest.Queue{{TimePs: 1e6, Link: "s1->s2", Class: 1, MaxBytes: 7000}, {TimePs: 1e6, Link: "s1->s2", Class: 2, MaxBytes: 9000}})
	tabletest.Write(t, r.Dir, "flow-list", []flow{{"a", "b", 2}, {"a", "a", 1}, {"b", "a", 2}})
	data, err = measure.NewTaker(f).Take(f.Measures.Items["peak"], r)
	require.NoError(t, err)
	assert.InDelta(t, 9, data, 0)
	tabletest.Write(t, r.Dir, "flow-list", []flow{{"a", "b", 2}, {"a", "b", 1}})
	_, err = measure.NewTaker(f).Take(f.Measures.Items["peak"], r)
	assert.ErrorContains(t, err, "the flows are of the classes 1 2; write one of them instead of data")
}
