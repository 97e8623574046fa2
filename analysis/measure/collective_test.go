package measure_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/analysis/measure"
	"fabriclab/analysis/spec"
	"fabriclab/analysis/table/tabletest"
)

// collectiveRun has two iterations of a ring of three hosts at 100 Gb/s, of which
// each sends the next one 100 KB; group 0 is none of it.
func collectiveRun(t *testing.T, flows ...tabletest.Flow) spec.Run {
	dir := t.TempDir()
	tabletest.Scenario(t, dir, 1e9, 100e9, "a", "b", "c")
	message := func(group uint32, src, dst string, start, end int64) tabletest.Flow {
		return tabletest.Flow{Group: group, Src: src, Dst: dst, SizeBytes: 100_000, StartPs: start * 1e6, EndPs: end * 1e6, Finished: true, Measured: true}
	}
	flows = append(flows,
		message(1, "a", "b", 0, 10), message(1, "b", "c", 1, 12), message(1, "c", "a", 0, 20),
		message(2, "a", "b", 25, 40), message(2, "b", "c", 30, 50), message(2, "c", "a", 25, 45), message(2, "c", "a", 25, 35),
		message(0, "a", "b", 0, 900))
	for i := range flows {
		flows[i].Flow = uint32(i)
	}
	tabletest.Write(t, dir, "flows", flows)
	return spec.Run{Dir: dir, Labels: map[string]string{"hop": "first"}}
}

func TestCollectives(t *testing.T) {
	f := figure(t, `
dimensions:
  hop: {path: hop}
measures:
  mean:      {kind: collective_time, stat: mean, unit: us}
  second:    {kind: collective_time, group: 2, stat: max, unit: us}
  iteration: {kind: iteration_time, stat: mean, unit: us}
  bus:       {kind: bus_bandwidth, group: 1, stat: mean, unit: Gbps}
  ideal:     {kind: bus_share, stat: mean, unit: "%"}
  straggler: {kind: straggler_delay, group: 1, stat: max, unit: us}
  late:      {kind: straggler_delay, stat: max, unit: us}
`)
	// The links of a, b and c carry 100, 200 and 100 Gb/s: b has two of the chain.
	link := (100 + 200 + 100) / 3.
	want := map[string]float64{
		"mean": (20 + 25) / 2., "second": 25, "iteration": 25,
		"bus":       2400. / 20 / 3,                             // 2.4 Mbit in 20 us by three senders
		"ideal":     (2400./20/3 + 3200./25/3) / 2 / link * 100, //
		"straggler": 8, "late": 8,                               // 20 against 10, 12; 50 against 40, 45
	}
	run := collectiveRun(t)
	taker := measure.NewTaker(f)
	for name, value := range want {
		got, err := taker.Take(f.Measures.Items[name], run)
		require.NoError(t, err, name)
		assert.InDelta(t, value, got, 1e-9, name)
	}

	early := collectiveRun(t, tabletest.Flow{Group: 2, Src: "a", Dst: "b", SizeBytes: 1, StartPs: 30e6, EndPs: 40e6, Finished: true})
	got, err := taker.Take(f.Measures.Items["mean"], early)
	require.NoError(t, err)
	require.InDelta(t, 20, got, 1e-9, "a flow of the second group is not measured")
	got, err = taker.Take(f.Measures.Items["second"], early)
	require.NoError(t, err)
	require.InDelta(t, 25, got, 1e-9, "its name is enough")
	none := collectiveRun(t, tabletest.Flow{Group: 1, SizeBytes: 1, EndPs: 1, Finished: true}, tabletest.Flow{Group: 2, SizeBytes: 1, EndPs: 1, Finished: true})
	for _, name := range []string{"mean", "iteration"} {
		_, err = taker.Take(f.Measures.Items[name], none)
		require.ErrorContains(t, err, "in the measuring window", name)
	}

	unfinished := collectiveRun(t, tabletest.Flow{Group: 2, Src: "a", Dst: "b", SizeBytes: 1, EndPs: -1, Measured: true})
	_, err = taker.Take(f.Measures.Items["mean"], unfinished)
	require.ErrorContains(t, err, "1 of 5 flows of group 2 did not finish")
	side := collectiveRun(t, tabletest.Flow{Group: 3, Src: "a", Dst: "b", SizeBytes: 1, EndPs: 5e6, Finished: true, Measured: true})
	_, err = taker.Take(f.Measures.Items["iteration"], side)
	require.ErrorContains(t, err, "group 3 does not start after group 2, so they are no iterations of one job")
	waiting := collectiveRun(t, tabletest.Flow{Group: 3, Src: "a", Dst: "b", SizeBytes: 1, StartPs: -1, EndPs: -1, Measured: true})
	got, err = taker.Take(f.Measures.Items["iteration"], waiting)
	require.NoError(t, err)
	require.InDelta(t, 25, got, 1e-9, "the third iteration has not started")
	empty := spec.Run{Dir: t.TempDir()}
	tabletest.Write(t, empty.Dir, "flows", []tabletest.Flow{{SizeBytes: 1, EndPs: 5, Finished: true}})
	_, err = taker.Take(f.Measures.Items["mean"], empty)
	require.ErrorContains(t, err, "no flow is of a group")
	_, err = taker.Take(f.Measures.Items["iteration"], empty)
	assert.ErrorContains(t, err, "there are no two groups")
}
