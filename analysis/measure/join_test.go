package measure_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/analysis/measure"
	"fabriclab/analysis/spec"
	"fabriclab/analysis/table/tabletest"
)

const joinMeasures = `
windows:
  early: [100us, 1300us]
  none: [1500us, 2ms]
measures:
  first:  {kind: join_time, node: s2, port: "s1->s2", stat: min, unit: us}
  median: {kind: join_time, node: s2, port: "s1->s2", stat: median, window: early, unit: us}
  last:   {kind: join_time, node: s2, port: "s1->s2", stat: max, unit: us}
  short:  {kind: join_time, node: s2, port: "s1->s2", stat: median, hold: 10us, unit: us}
  empty:  {kind: join_time, node: s2, port: "s1->s2", stat: max, window: none, unit: us}
`

// joins is a run in which flow 0 is there always, flows 1 to 4 join it for 150
// us, and flow 5 goes elsewhere. Flow 2 takes 30 us, flow 3 with flow 4 60 us,
// the others 20 us; flow 3 ends 20 us later.
func joins(t *testing.T) spec.Run {
	t.Helper()
	dir := t.TempDir()
	tabletest.Scenario(t, dir, 2000e6, 100e9, "a", "s1", "s2")
	type joiner struct{ from, to, slow, share int64 }
	joiners := map[uint32]joiner{
		1: {200, 350, 20, 50}, 2: {600, 750, 30, 50}, 3: {1000, 1080, 60, 33}, 4: {1000, 1150, 60, 33},
	}
	flows := []tabletest.Flow{{Flow: 0, Dst: "s2", SenderEndPs: -1}, {Flow: 5, Dst: "a", StartPs: 240e6, SenderEndPs: 260e6}}
	var rates []tabletest.Rate
	for us := int64(1); us <= 2000; us++ {
		alone := int64(100e9)
		for id := range uint32(5) {
			j, ok := joiners[id]
			if !ok || us <= j.from || us > j.to {
				continue
			}
			rate := int64(100e9)
			if us >= j.from+j.slow {
				rate = j.share * 1e9
				alone = rate
			}
			rates = append(rates, tabletest.Rate{TimePs: us * 1e6, Flow: id, RateBps: rate})
		}
		rates = append(rates, tabletest.Rate{TimePs: us * 1e6, Flow: 0, RateBps: alone})
	}
	for id, j := range joiners {
		flows = append(flows, tabletest.Flow{Flow: id, Dst: "s2", StartPs: j.from * 1e6, SenderEndPs: j.to * 1e6})
	}
	tabletest.Write(t, dir, "flows", flows)
	tabletest.Ended(t, dir, 2000e6)
	tabletest.Write(t, dir, "rates", rates)
	return spec.Run{Dir: dir}
}

func TestJoinTime(t *testing.T) {
	f := figure(t, joinMeasures)
	r := joins(t)
	for name, want := range map[string]float64{
		"first":  20,
		"median": 30,            // of 20, 30 and never
		"last":   measure.Never, // flow 3 ends before 50 us are over
		"short":  30,            // of 20, 30 and 60
	} {
		m := f.Measures.Items[name]
		got, err := measure.NewTaker(f).Take(m, r)
		require.NoError(t, err, name)
		assert.Equal(t, want, got, name)
	}
	spread, err := measure.NewTaker(f).Spread(f.Measures.Items["short"], r)
	require.NoError(t, err)
	assert.ElementsMatch(t, []float64{20, 30, 60}, spread)
	_, err = measure.NewTaker(f).Take(f.Measures.Items["empty"], r)
	require.ErrorContains(t, err, `no flow to "s2" starts beside another one in the window`)
	assert.ErrorContains(t, err, r.Dir, "names the run")
}

func TestCarriedShare(t *testing.T) {
	f := figure(t, `
measures:
  share: {kind: carried_share, window: [1us, 3us], unit: "%"}
  none:  {kind: carried_share, window: [7us, 9us], unit: "%"}
`)
	type load struct {
		TimePs     int64   `parquet:"time_ps"`
		OfferedBps float64 `parquet:"offered_bps"`
		CarriedBps float64 `parquet:"carried_bps"`
	}
	dir := t.TempDir()
	tabletest.Write(t, dir, "load", []load{{1e6, 50, 0}, {2e6, 60, 60}, {3e6, 40, 30}, {4e6, 10, 100}})
	got, err := measure.NewTaker(f).Take(f.Measures.Items["share"], spec.Run{Dir: dir})
	require.NoError(t, err)
	assert.InDelta(t, 90, got, 1e-9, "of the bins that end within the window")
	_, err = measure.NewTaker(f).Take(f.Measures.Items["none"], spec.Run{Dir: dir})
	require.ErrorContains(t, err, "no load was offered from 7us to 9us")
}
