package measure_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/analysis/measure"
	"fabriclab/analysis/series"
	"fabriclab/analysis/spec"
	"fabriclab/analysis/table/tabletest"
)

const (
	ms    = 1000 * us
	frame = 1500 // bytes
	every = 10 * us
)

// A speed is a flow's rate from a time on; its packets are evenly spaced.
type speed struct {
	from int64
	bps  float64
}

type optimum struct {
	at, until int64
	rates     map[uint32]float64
}

// settling writes a run that ends at end: optimal rates, and packets that come
// as the speeds say, sampled every 10 us.
func settling(t *testing.T, end int64, optima []optimum, flows map[uint32][]speed) string {
	t.Helper()
	dir := t.TempDir()
	var rates []tabletest.OptimalRate
	for _, o := range optima {
		for flow := range uint32(len(o.rates)) {
			rates = append(rates, tabletest.OptimalRate{TimePs: o.at, UntilPs: o.until, Flow: flow, RateBps: o.rates[flow]})
		}
	}
	tabletest.Write(t, dir, "optimal_rates", rates)
	packets := make([][]int64, len(flows)) // times
	for flow, speeds := range flows {
		for i, s := range speeds {
			until := end
			if i+1 < len(speeds) {
				until = speeds[i+1].from
			}
			if s.bps == 0 {
				continue
			}
			gap := frame * 8 / s.bps * 1e12
			for k := 1; float64(s.from)+float64(k)*gap <= float64(until); k++ {
				packets[flow] = append(packets[flow], s.from+int64(math.Round(float64(k)*gap)))
			}
		}
	}
	var samples []tabletest.Arrival
	come := make([]int, len(flows))
	for at := int64(0); at <= end; at += every {
		for flow := range packets {
			for come[flow] < len(packets[flow]) && packets[flow][come[flow]] <= at {
				come[flow]++
			}
			last := int64(-1)
			if n := come[flow]; n > 0 {
				last = packets[flow][n-1]
			}
			samples = append(samples, tabletest.Arrival{TimePs: at, Flow: uint32(flow), Bytes: uint64(frame * come[flow]), Packets: uint64(come[flow]), LastPs: last})
		}
	}
	tabletest.Write(t, dir, "arrivals", samples)
	return dir
}

func same(n uint32, bps float64) map[uint32]float64 {
	rates := map[uint32]float64{}
	for i := range n {
		rates[i] = bps
	}
	return rates
}

// TestConvergence has rates that are steps. Filtered, a step from a to b is
// within 10 % of b after 80 us ln(10 |a-b| / b).
func TestConvergence(t *testing.T) {
	const hold = 5 * ms
	after := func(a, b float64) float64 { return 80 * us * math.Log(10*math.Abs(a-b)/b) }
	const rise = 185 * us
	twenty := func(wrong int) map[uint32][]speed {
		flows := map[uint32][]speed{}
		for i := range uint32(20) {
			flows[i] = []speed{{0, 1e9}}
			if int(i) < wrong {
				flows[i] = []speed{{0, 1.2e9}}
			}
		}
		return flows
	}
	one := []optimum{{0, 10 * ms, same(1, 1e9)}}
	for _, c := range []struct {
		name   string
		end    int64
		optima []optimum
		flows  map[uint32][]speed
		want   []float64
	}{
		{"at once: the filter's rise is no time", 10 * ms, one, map[uint32][]speed{0: {{0, 1e9}}}, []float64{0}},
		{"late", 10 * ms, one, map[uint32][]speed{0: {{300 * us, 1e9}}}, []float64{300*us + after(0, 1e9) - rise}},
		{"from ten times the rate", 20 * ms,
			[]optimum{{0, 10 * ms, same(1, 10e9)}, {10 * ms, 20 * ms, same(1, 1e9)}},
			map[uint32][]speed{0: {{0, 10e9}, {10*ms + 100*us, 1e9}}},
			[]float64{0, 100*us + after(10e9, 1e9) - rise}},
		// After two packets the filter is at 1 - exp(-240 us / 80 us) = 95 %, and does not ripple.
		{"a packet every 120 us", 20 * ms, []optimum{{0, 20 * ms, same(1, 1e8)}},
			map[uint32][]speed{0: {{0, 1e8}}}, []float64{240*us - rise}},
		{"away again and back", 20 * ms, []optimum{{0, 20 * ms, same(1, 1e9)}},
			map[uint32][]speed{0: {{0, 1e9}, {4 * ms, 2e9}, {6 * ms, 1e9}}}, []float64{6*ms + after(2e9, 1e9) - rise}},
		{"5 % are elsewhere", 10 * ms, []optimum{{0, 10 * ms, same(20, 1e9)}}, twenty(1), []float64{0}},
		{"10 % are", 10 * ms, []optimum{{0, 10 * ms, same(20, 1e9)}}, twenty(2), []float64{measure.Never}},
		{"9 % too fast is near enough", 10 * ms, one, map[uint32][]speed{0: {{0, 1.09e9}}}, []float64{0}},
		{"nothing comes any more", 10 * ms, one, map[uint32][]speed{0: {{0, 1e9}, {4 * ms, 0}}}, []float64{measure.Never}},
		{"the next event comes too early", 8 * ms,
			[]optimum{{0, 4 * ms, same(1, 1e9)}, {4 * ms, 8 * ms, same(1, 1e9)}},
			map[uint32][]speed{0: {{0, 1e9}}}, []float64{measure.Never, measure.Never}},
		{"the run ends too early", 4 * ms, one, map[uint32][]speed{0: {{0, 1e9}}}, []float64{measure.Never}},
	} {
		dir := settling(t, c.end, c.optima, c.flows)
		got, err := measure.Convergence(dir, series.Window{}, hold, 0.95)
		require.NoError(t, err, c.name)
		require.Len(t, got, len(c.want), c.name)
		for i, want := range c.want {
			if math.IsInf(want, 1) || math.IsInf(got[i], 1) {
				assert.Equal(t, want, got[i], "%s, event %d", c.name, i)
				continue
			}
			// Times are those of samples (every 10 us) and of packets (12 us at 1 Gb/s); a start takes one more.
			assert.InDelta(t, want, got[i], every+2*12*us, "%s, event %d", c.name, i)
		}
	}
}

// TestConvergenceOfAShare has a flow in ten at a wrong rate: 95 % of them never
// arrive, half of them at once.
func TestConvergenceOfAShare(t *testing.T) {
	f := figure(t, `
measures:
  all:  {kind: convergence_time, stat: max, unit: us}
  half: {kind: convergence_time, stat: max, share: 0.5, unit: us}
`)
	flows := map[uint32][]speed{}
	for i := range uint32(10) {
		flows[i] = []speed{{0, 1e9}}
	}
	flows[0] = []speed{{0, 1.2e9}}
	dir := settling(t, 10*ms, []optimum{{0, 10 * ms, same(10, 1e9)}}, flows)
	taker := measure.NewTaker(f)
	for name, want := range map[string]float64{"all": measure.Never, "half": 0} {
		got, err := taker.Take(f.Measures.Items[name], spec.Run{Dir: dir})
		require.NoError(t, err, name)
		if math.IsInf(want, 1) {
			assert.Equal(t, want, got, name)
		} else {
			assert.InDelta(t, want, got, 30, name)
		}
	}
}

func TestConvergenceMeasures(t *testing.T) {
	f := figure(t, `
windows:
  later: [10ms, 30ms]
measures:
  all:      {kind: convergence_time, stat: median, unit: us}
  p95:      {kind: convergence_time, stat: p95, unit: us}
  good:     {kind: convergence_time, method: converged, stat: max, unit: us}
  short:    {kind: convergence_time, stat: max, hold: 2ms, window: later, unit: us}
  missed:   {kind: unconverged, unit: "1"}
  share:    {kind: converged, unit: "%"}
  later:    {kind: converged, window: later, unit: "%"}
`)
	dir := settling(t, 30*ms,
		[]optimum{{0, 10 * ms, same(1, 1e9)}, {10 * ms, 20 * ms, same(1, 2e9)}, {20 * ms, 30 * ms, same(1, 1e9)}},
		map[uint32][]speed{0: {{0, 1e9}, {17 * ms, 2e9}, {20 * ms, 1e9}}})
	taker := measure.NewTaker(f)
	take := func(name string) float64 {
		m := f.Measures.Items[name]
		v, err := taker.Take(m, spec.Run{Dir: dir})
		require.NoError(t, err, name)
		return v
	}
	assert.InDelta(t, 0, take("all"), 30) // 2 of 3 converge at once
	assert.Equal(t, measure.Never, take("p95"))
	assert.InDelta(t, 0, take("good"), 30)
	assert.InDelta(t, 1, take("missed"), 0)
	assert.InDelta(t, 66.67, take("share"), 0.1)
	assert.InDelta(t, 50, take("later"), 0)
	// Held for 2 ms it is enough.
	assert.InDelta(t, 7000+80*math.Log(5)-185, take("short"), 30)

	rate, err := measure.ArrivalRate(dir, 0)
	require.NoError(t, err)
	at, _ := rate.At(9 * ms)
	assert.InDelta(t, 1e9, at.Value, 1e6)
	optimal, err := measure.OptimalRate(dir, 0)
	require.NoError(t, err)
	assert.Equal(t, series.Series{{Time: 0, Value: 1e9}, {Time: 10 * ms, Value: 1e9}, {Time: 10 * ms, Value: 2e9}, {Time: 20 * ms, Value: 2e9}, {Time: 20 * ms, Value: 1e9}, {Time: 30 * ms, Value: 1e9}}, optimal)
	_, err = measure.ArrivalRate(dir, 5)
	require.ErrorContains(t, err, "no flow 5")

	_, err = decode(t, `measures: {all: {kind: convergence_time, stat: mean, method: range, unit: us}}`, nil)
	require.ErrorContains(t, err, `unknown method "range"`)
}

func TestRateDeviation(t *testing.T) {
	dir := t.TempDir()
	fct := func(v int64) *int64 { return &v }
	tabletest.Write(t, dir, "flows", []tabletest.Flow{
		{Flow: 0, SizeBytes: 1000, Measured: true, FctPs: fct(50)},
		{Flow: 1, SizeBytes: 1000, Measured: true, FctPs: fct(200)},
		{Flow: 2, SizeBytes: 1000, FctPs: fct(1)},
		{Flow: 3, SizeBytes: 5000, Measured: true},
	})
	tabletest.Ended(t, dir, 400)
	tabletest.Write(t, dir, "optimal_flows", []tabletest.OptimalFlow{{Flow: 0, OptimalFctPs: 100}, {Flow: 1, OptimalFctPs: 100}, {Flow: 2, OptimalFctPs: 100}, {Flow: 3, OptimalFctPs: 100}})
	f := figure(t, `
measures:
  least: {kind: rate_deviation, stat: min, max_size: 2KB, unit: "1"}
  most:  {kind: rate_deviation, stat: max, max_size: 2KB, unit: "%"}
  all:   {kind: rate_deviation, stat: median, unit: "1"}
  mean:  {kind: rate_deviation, stat: mean, unit: "1"}
  low:   {kind: rate_deviation, stat: min, unit: "1"}
`)
	for name, want := range map[string]float64{"least": -0.5, "most": 100, "all": -0.5} {
		v, err := measure.NewTaker(f).Take(f.Measures.Items[name], spec.Run{Dir: dir})
		require.NoError(t, err)
		assert.InDelta(t, want, v, 1e-12, name)
	}
	_, err := measure.NewTaker(f).Take(f.Measures.Items["low"], spec.Run{Dir: dir})
	require.ErrorContains(t, err, "the min falls on a flow that did not finish: 1 of 3 flows")
	v, err := measure.NewTaker(f).Take(f.Measures.Items["mean"], spec.Run{Dir: dir})
	require.ErrorContains(t, err, "the mean is an upper bound: 1 of 3 flows")
	assert.InDelta(t, (1-0.5-0.75)/3, v, 1e-12, "a quarter of the optimal rate when the run ended")
}

func TestThroughput(t *testing.T) {
	dir := settling(t, 20*ms, []optimum{{0, 20 * ms, same(2, 1e9)}}, map[uint32][]speed{0: {{0, 9e9}, {10 * ms, 1e9}}, 1: {{15 * ms, 2e9}}})
	f := figure(t, `
measures:
  least: {kind: throughput, window: [10ms, 20ms], stat: min, unit: Gbps}
  mean:  {kind: throughput, window: [15ms, 20ms], stat: mean, unit: Gbps}
  one:   {kind: throughput, window: [15ms, 20ms], flows: [1], stat: mean, unit: Gbps}
  none:  {kind: throughput, window: [15ms, 20ms], flows: [7], stat: mean, unit: Gbps}
`)
	taker := measure.NewTaker(f)
	for name, want := range map[string]float64{"least": 1, "mean": 1.5, "one": 2} {
		v, err := taker.Take(f.Measures.Items[name], spec.Run{Dir: dir})
		require.NoError(t, err, name)
		assert.InDelta(t, want, v, 0.01, name)
	}
	_, err := taker.Take(f.Measures.Items["none"], spec.Run{Dir: dir})
	require.ErrorContains(t, err, "no sample of flow 7")
}
