package steady_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"fabriclab/base/steady"
)

// queue is the mean number of customers of an M/M/1 queue that begins empty, in
// equal bins; times are in service times. It settles within some relaxation
// times 1 / (1 - sqrt(load))^2 (Cohen, The Single Server Queue, 1969).
func queue(seed uint64, load float64, bins int, bin float64) []float64 {
	random := rand.New(rand.NewPCG(seed, 1))
	means := make([]float64, bins)
	customers, now := 0, 0.0
	for i := range means {
		for end := float64(i+1) * bin; now < end; {
			rate := load
			if customers > 0 {
				rate++
			}
			next := min(now+random.ExpFloat64()/rate, end)
			means[i] += float64(customers) * (next - now) / bin
			if now = next; now == end {
				break // without memory: what comes next is drawn anew
			}
			if random.Float64()*rate < load {
				customers++
			} else {
				customers--
			}
		}
	}
	return means
}

// TestAgainstAQueue: a window that begins with an empty queue is told from one
// that begins after ten relaxation times.
func TestAgainstAQueue(t *testing.T) {
	const load = 0.8
	relaxation := 1 / math.Pow(1-math.Sqrt(load), 2)
	const runs = 200
	early, late := 0, 0
	for seed := range uint64(runs) {
		// Many queues side by side, as a network has many links.
		sum := make([]float64, 200)
		for side := range uint64(50) {
			for i, v := range queue(seed*1000+side, load, len(sum), relaxation/20) {
				sum[i] += v
			}
		}
		cut := steady.Truncation(sum, len(sum)/2)
		if cut > 5 { // a quarter of the relaxation time
			early++
		}
		if steady.Truncation(sum, 150) <= 100 {
			late++
		}
	}
	assert.Greater(t, early, runs*4/5, "a cold start is seen")
	assert.Greater(t, late, runs*9/10, "and is over after five relaxation times")
}

func TestTruncation(t *testing.T) {
	flat := make([]float64, 40)
	for i := range flat {
		flat[i] = 3 + float64(i%2)
	}
	assert.LessOrEqual(t, steady.Truncation(flat, 20), 1)

	for _, value := range []float64{0, 0.1, 19.7, 1e9 / 3} {
		constant := make([]float64, 200)
		for i := range constant {
			constant[i] = value
			if i%3 == 0 {
				constant[i] = math.Nextafter(value, math.Inf(1))
			}
		}
		assert.LessOrEqual(t, steady.Truncation(constant, 100), 2, "what is constant but for the last bits does not drift")
	}

	step := append([]float64{9, 9, 9, 9, 9}, flat...)
	assert.Equal(t, 5, steady.Truncation(step, 20))
	assert.Equal(t, 3, steady.Truncation(step, 3))

	ramp := make([]float64, 40)
	for i := range ramp {
		ramp[i] = float64(i)
	}
	assert.Equal(t, 20, steady.Truncation(ramp, 20), "it grows for ever")
}

func TestGrowth(t *testing.T) {
	level := make([]float64, 103)
	for i := range level {
		level[i] = 3 + float64(i%2)
	}
	share, errors := steady.Growth(level)
	assert.Less(t, share, 0.05)
	assert.Less(t, errors, 3.5)

	line := make([]float64, 103)
	for i := range line {
		line[i] = 100 + float64(i) + float64(i%2)
	}
	share, errors = steady.Growth(line)
	assert.InDelta(t, 100/152., share, 0.01, "by 100 of the 152 that the last 100 have in the mean")
	assert.Greater(t, errors, 100.)

	share, errors = steady.Growth(make([]float64, 103))
	assert.Zero(t, share)
	assert.Zero(t, errors)
	share, errors = steady.Growth([]float64{1, 2, 3})
	assert.Zero(t, share)
	assert.Zero(t, errors)
}

// TestGathering: behind a level stretch flows begin to gather. What is thrown
// away at the head tells nothing of that.
func TestGathering(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	found := func(rise float64) (gathering int) {
		for range 200 {
			r := chance(random, 1)
			for i := 120; i < 200; i++ {
				r.ActiveFlows[i] += rise * float64(i-120) / 80
			}
			v := r.Judge(100e6, 0, 1e9)
			if strings.HasPrefix(v.Reason, "flows gather: ") {
				assert.EqualValues(t, -1, v.WarmupPs)
			}
			if !v.Settled {
				gathering++
			}
		}
		return gathering
	}
	assert.LessOrEqual(t, found(0), 2)
	assert.GreaterOrEqual(t, found(12), 170, "20 flows become 32")
}

// chance is a record of 200 bins that chance moves, with a correlation of 0.9
// from bin to bin, and that approaches its mean, 5 standard deviations above
// where it begins, with a time constant of tau bins.
func chance(random *rand.Rand, tau float64) steady.Record {
	const correlation = 0.9
	series := func() []float64 {
		x, v := make([]float64, 200), random.NormFloat64()
		for i := range x {
			x[i] = 20 + v - 5*math.Exp(-float64(i)/tau)
			v = correlation*v + math.Sqrt(1-correlation*correlation)*random.NormFloat64()
		}
		return x
	}
	return steady.Record{BinPs: 1e6, OfferedBytes: make([]float64, 200), CarriedBytes: series(), ActiveFlows: series()}
}

// TestChance: chance is seldom taken for a transient where the warm-up is half of
// the record, and the mean of several seeds shows a transient that one hides.
func TestChance(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	found := func(tau float64, seeds int) (unsettled int) {
		for range 400 {
			records := make([]steady.Record, seeds)
			for i := range records {
				records[i] = chance(random, tau)
			}
			if !steady.Mean(records).Judge(100e6, 0, 1e9).Settled {
				unsettled++
			}
		}
		return unsettled
	}
	assert.Less(t, found(1, 1), 20, "a twentieth")
	assert.Less(t, found(1, 5), 20)
	assert.Greater(t, found(60, 5), 2*found(60, 1))
}

// record is one of 100 bins of a microsecond, after which a network is full.
func record(carried, active func(bin int) float64) steady.Record {
	r := steady.Record{BinPs: 1e6}
	for i := range 100 {
		r.OfferedBytes = append(r.OfferedBytes, 800)
		r.CarriedBytes = append(r.CarriedBytes, carried(i))
		r.ActiveFlows = append(r.ActiveFlows, active(i))
	}
	return r
}

func TestJudge(t *testing.T) {
	const capacity = 8e9 // 1000 B per us
	full := func(from int, value float64) func(int) float64 {
		return func(bin int) float64 { return value*min(1, float64(bin+1)/float64(from+1)) + float64(bin%2) }
	}
	v := record(full(20, 800), full(20, 50)).Judge(30e6, 0.8, capacity)
	assert.True(t, v.Settled, v.Reason)
	assert.InDelta(t, 20e6, v.WarmupPs, 2e6)
	assert.InDelta(t, 0.8, v.Offered, 1e-9)
	assert.InDelta(t, 0.8, v.Carried, 0.001)
	assert.InDelta(t, 50.5, v.ActiveFlows, 0.01)

	v = record(full(20, 800), full(20, 50)).Judge(10e6, 0.8, capacity)
	assert.False(t, v.Settled)
	assert.Regexp(t, `^it takes \d+us to settle, and the window begins after 10us$`, v.Reason)

	v = record(full(20, 800), full(90, 50)).Judge(50e6, 0.8, capacity)
	assert.False(t, v.Settled)
	assert.Contains(t, v.Reason, "drift up to the end of the window")
	assert.Equal(t, int64(-1), v.WarmupPs)

	v = record(full(20, 600), full(20, 50)).Judge(30e6, 0.8, capacity)
	assert.False(t, v.Settled)
	assert.Equal(t, "25 % of the load in the window stays in the network", v.Reason)
	assert.Contains(t, v.String(), "not settled: 25 %")

	// More was offered than asked for: a large flow has just started.
	v = record(full(20, 600), full(20, 50)).Judge(30e6, 0.6, capacity)
	assert.True(t, v.Settled, v.Reason)
}
