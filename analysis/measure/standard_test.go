package measure_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/analysis/measure"
	"fabriclab/analysis/spec"
	"fabriclab/analysis/table/tabletest"
)

const summary = `{"status":"ok","sim_ps":400000000,"events":77,"packet_hops":55,
"flows":{"total":3,"started":3,"finished":1,"measured":3,"measured_finished":1},
"counters":{"data_bytes_delivered":9000,"retransmitted_bytes":10,"xoff_sent":3,"drops":2,"marks":4},
"resources":{"wall_s":1.5,"cpu_user_s":1,"cpu_sys_s":0.25,"peak_rss_bytes":1000}}`

func write(t *testing.T, dir string) {
	t.Helper()
	tabletest.Scenario(t, dir, 400e6, 100e9, "s1", "s2", "r")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "summary.json"), []byte(summary), 0o644))
}

// ofRun is 400 us of two endless flows to r: 100 Gb/s alone, 50 Gb/s each
// from 250 us, the second one begins at 200 us.
func ofRun(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write(t, dir)
	var rates []tabletest.Rate
	var queues []tabletest.Queue
	var links []tabletest.Link
	for i := int64(1); i <= 400; i++ {
		bps := int64(100e9)
		if i >= 250 {
			bps = 50e9
		}
		rates = append(rates, tabletest.Rate{TimePs: i * 1e6, Flow: 0, RateBps: bps, AckedBytes: uint64(i) * 100})
		if i > 200 {
			rates = append(rates, tabletest.Rate{TimePs: i * 1e6, Flow: 1, RateBps: bps, AckedBytes: uint64(i-200) * 300})
		}
		queues = append(queues,
			tabletest.Queue{TimePs: i * 1e6, Link: "s1->s2", Class: 1, Bytes: uint64(i), MaxBytes: uint64(i) + 7},
			tabletest.Queue{TimePs: i * 1e6, Link: "s1->s2", Class: 0, Bytes: 100, MaxBytes: 900})
		links = append(links, tabletest.Link{TimePs: i * 1e6, Link: "s1->s2", SentBytes: uint64(i) * 6250, DataBytes: uint64(i) * 3125, PausedPs: i * 1e5})
	}
	tabletest.Write(t, dir, "rates", rates)
	tabletest.Write(t, dir, "queues", queues)
	tabletest.Write(t, dir, "links", links)
	tabletest.Write(t, dir, "flows", []tabletest.Flow{
		{Flow: 0, Dst: "r", Measured: true, SenderEndPs: -1}, {Flow: 1, Dst: "r", StartPs: 200e6, Measured: true, SenderEndPs: -1},
	})
	return dir
}

func byName(t *testing.T, run spec.Run, f *spec.Figure) map[string]measure.Value {
	t.Helper()
	values, err := measure.All(run, f)
	require.NoError(t, err)
	found := map[string]measure.Value{}
	for _, v := range values {
		require.NotContains(t, found, v.Measure.Name)
		found[v.Measure.Name] = v
	}
	return found
}

func TestStandard(t *testing.T) {
	got := byName(t, spec.Run{Dir: ofRun(t)}, nil)
	for name, want := range map[string]float64{
		"flows_finished": 1, "flows_unfinished": 2, "delivered_bytes": 9000, "retransmitted_bytes": 10,
		"queue_mean":       200.5,                     // of class 1; that of class 0 is 100
		"queue_p99":        396.01,                    // of 1 to 400
		"queue_max":        900,                       // of class 0
		"link_utilisation": 0.5, "link_goodput": 0.25, // 6250 B per us of 12500
		"link_paused": 40e-6, "pause_frames": 3, "drops": 2, "marks": 4,
		"fairness":         0.8, // 100 to 300: 400² / (2 (100² + 300²))
		"convergence_time": 50e-6,
		"simulated_time":   400e-6, "packet_hops": 55, "events": 77, "wall_time": 1.5, "cpu_time": 1.25, "peak_memory": 1000,
	} {
		require.NoError(t, got[name].Err, name)
		assert.InDelta(t, want, got[name].Value, 1e-12, name)
		delete(got, name)
	}
	for name, v := range got {
		require.EqualError(t, v.Err, "there are no measured flows of any size", name)
	}
	assert.Len(t, got, 5) // the slowdowns
}

// What was not recorded or does not apply has no value and says why; what is
// damaged is an error.
func TestStandardWithout(t *testing.T) {
	dir := t.TempDir()
	write(t, dir)
	got := byName(t, spec.Run{Dir: dir}, nil)
	require.EqualError(t, got["queue_max"].Err, "the table queues was not recorded")
	require.EqualError(t, got["fct_slowdown_p99"].Err, "the table flows was not recorded")
	require.EqualError(t, got["fairness"].Err, "the table flows was not recorded")

	fct, slow := int64(2e6), 3.0
	finished := tabletest.Flow{Flow: 0, Dst: "r", SizeBytes: 1000, Measured: true, Finished: true, FctPs: &fct, Slowdown: &slow, SenderEndPs: 3e6}
	tabletest.Write(t, dir, "flows", []tabletest.Flow{finished, {Flow: 1, Dst: "q", SizeBytes: 1000, Measured: true, IdealFctPs: &fct, SenderEndPs: -1}})
	got = byName(t, spec.Run{Dir: dir}, nil)
	require.EqualError(t, got["fct_slowdown_p99"].Err, "the p99 falls on a flow that did not finish: 1 of 2 flows of any size did not finish")
	require.EqualError(t, got["fct_slowdown_median"].Err, "the median falls on a flow that did not finish: 1 of 2 flows of any size did not finish")
	require.EqualError(t, got["fct_slowdown_mean"].Err, "the mean is a lower bound: 1 of 2 flows of any size did not finish")
	assert.InDelta(t, (3+200)/2., got["fct_slowdown_mean"].Value, 1e-12, "200 times its ideal time when the run ended")
	require.EqualError(t, got["fairness"].Err, "the flows are not active together for 50 us")

	finished.SenderEndPs = 300e6
	tabletest.Write(t, dir, "flows", []tabletest.Flow{finished, {Flow: 1, Dst: "q", SenderEndPs: -1}})
	got = byName(t, spec.Run{Dir: dir}, nil)
	assert.InDelta(t, 3, got["fct_slowdown_p99"].Value, 0)
	require.EqualError(t, got["fairness"].Err, "the table rates was not recorded")
	require.EqualError(t, got["convergence_time"].Err, "the flows go to several hosts, so that there is no common fair share")

	dir = ofRun(t)
	tabletest.Change(t, dir, `{"trace": {"tables": {"rates": {"interval_ps": 1000000, "to_ps": 300000000}}}}`)
	got = byName(t, spec.Run{Dir: dir}, nil)
	for _, name := range []string{"fairness", "convergence_time"} {
		require.EqualError(t, got[name].Err, "the table rates is needed from 200us to 400us, and ends at 300us; write trace.rates.to: 400us or later", name)
	}

	require.NoError(t, os.WriteFile(filepath.Join(dir, "queues.parquet"), []byte("no table"), 0o644))
	_, err := measure.All(spec.Run{Dir: dir}, nil)
	assert.ErrorContains(t, err, "queues.parquet is corrupt")
}

func TestFigure(t *testing.T) {
	f := figure(t, `
measures:
  peak: {kind: queue_peak, port: "s1->s2", class: 1, window: [0us, 400us], unit: KB, text: highest queue}
  gone: {kind: queue_peak, port: "s1->s2", class: 5, window: [0us, 400us], unit: KB}
  full: {kind: utilisation, port: "s1->s2", count: wire, window: [0us, 400us], unit: "%"}`)
	dir := ofRun(t)
	got := byName(t, spec.Run{Dir: dir}, f)
	assert.InDelta(t, 0.407, got["figure.peak"].Value, 1e-12)
	assert.Equal(t, &measure.Measure{Name: "figure.peak", Unit: "KB", Help: "highest queue", Better: measure.Lower}, got["figure.peak"].Measure)
	assert.Equal(t, measure.Higher, got["figure.full"].Measure.Better)
	require.ErrorContains(t, got["figure.gone"].Err, "no sample of s1->s2 class 5")
	assert.NotContains(t, got["figure.gone"].Err.Error(), dir)
}

// A run that ends with its flows delivers less of the others the sooner they
// are done, which is no loss.
func TestDeliveredBytesOfARunThatEndsWithItsFlows(t *testing.T) {
	dir := t.TempDir()
	write(t, dir)
	assert.Equal(t, measure.Higher, byName(t, spec.Run{Dir: dir}, nil)["delivered_bytes"].Measure.Better)
	path := filepath.Join(dir, "scenario.json")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, bytes.Replace(text, []byte(`{`), []byte(`{"stop_when_flows_finish":true,`), 1), 0o644))
	assert.Equal(t, measure.Neither, byName(t, spec.Run{Dir: dir}, nil)["delivered_bytes"].Measure.Better)
}
