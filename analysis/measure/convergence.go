package measure

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"

	"fabriclab/analysis/series"
	"fabriclab/base/units"
)

func init() {
	register(Kind{
		Name: "slowdown_time", Quantity: Time, Better: Lower,
		Title: "first time after `event` at which the flow's rate is below 90 % (or `share`) of its mean over the 50 us before",
		From:  []string{"rates.rate_bps"},
		Needs: []string{"flow", "event"}, Allows: []string{"share"}, Before: Before,
		Take: slowdownTime,
	})
	register(Kind{
		Name: "fair_time", Quantity: Time, Better: Lower,
		Title: "first time after `event` from which all flows' rates stay within 10 % of the target for 50 us. Target: link rate / number of flows, or `share` × link rate",
		From:  []string{"rates.rate_bps"},
		Needs: []string{"flows", "port", "event"}, Allows: []string{"share"}, After: Hold,
		Take: fairTime,
	})
	register(Kind{
		Name: "recovery_time", Quantity: Time, Better: Lower,
		Title: "first time after `event` from which the sum of the rates stays at 90 % of the link rate for 50 us; `event` itself if the sum never falls",
		From:  []string{"rates.rate_bps"},
		Needs: []string{"flows", "port", "event"}, After: Hold,
		Take: recoveryTime,
	})
}

// The definitions of docs/claims.md.
const (
	Before = 50 * units.Microsecond // over which the rate before an event is averaged
	Hold   = 50 * units.Microsecond // how long rates must stay where they are to have settled
	Slow   = 0.9                    // of the rate before: slower than this is slowed down, where no share is given
	Within = 0.1                    // of the target: nearer than this is at the target
	Full   = 0.9                    // of the link: flows that ask for this use it
)

// Never is the time of what does not happen.
var Never = math.Inf(1)

// SlowdownTime is the first time after the event at which the rate is below a
// share of its mean over the 50 us before.
func SlowdownTime(rate series.Series, event int64, share float64) (float64, error) {
	before := rate.In(series.Window{From: event - Before, To: event})
	if len(before) == 0 {
		return 0, fmt.Errorf("no rate sample in the %s before %s", units.FormatTime(Before), units.FormatTime(event))
	}
	limit := share * before.Mean()
	for _, p := range rate.In(series.Window{From: event, To: math.MaxInt64}) {
		if p.Value < limit {
			return float64(p.Time), nil
		}
	}
	return Never, nil
}

// FairTime is the first time after the event from which all rates are within
// 10 % of the target and stay there for 50 us.
func FairTime(rates []series.Series, target float64, event int64) float64 {
	return fairTimeFor(rates, target, event, Hold)
}

// fairTimeFor is the same for rates that stay there for hold.
func fairTimeFor(rates []series.Series, target float64, event, hold int64) float64 {
	times, values := series.Grid(rates)
	return settled(times, event, hold, func(i int) bool {
		for _, v := range values {
			if !(math.Abs(v[i]-target) <= Within*target) { // false for a missing sample, too
				return false
			}
		}
		return true
	})
}

// RecoveryTime is the first time from which the rates together are at 90 % of
// the link or more and stay there for 50 us, once they have fallen below it
// after the event; the event itself if they never fall.
func RecoveryTime(rates []series.Series, link float64, event int64) float64 {
	times, values := series.Grid(rates)
	full := func(i int) bool {
		sum := 0.0
		for _, v := range values {
			if !math.IsNaN(v[i]) {
				sum += v[i]
			}
		}
		return sum >= Full*link
	}
	for i, t := range times {
		if t > event && !full(i) {
			return settled(times, t, Hold, full)
		}
	}
	return float64(event)
}

// settled is the first of the times after `after` from which holds is true at
// every time of the hold that follows, all of it recorded.
func settled(times []int64, after, hold int64, holds func(i int) bool) float64 {
	start := -1
	for i, t := range times {
		if t <= after {
			continue
		}
		if !holds(i) {
			start = -1
			continue
		}
		if start < 0 {
			start = i
		}
		if t-times[start] >= hold {
			return float64(times[start])
		}
	}
	return Never
}

// Variation is the standard deviation of the values over their mean.
func Variation(s series.Series) (float64, error) {
	values, err := valuesOf(s)
	if err != nil {
		return 0, err
	}
	mean, deviation := stat.PopMeanStdDev(values, nil)
	return deviation / mean, nil
}

// Range is the highest less the lowest value, over the mean.
func Range(s series.Series) (float64, error) {
	values, err := valuesOf(s)
	if err != nil {
		return 0, err
	}
	low, high := values[0], values[0]
	for _, v := range values {
		low, high = min(low, v), max(high, v)
	}
	return (high - low) / s.Mean(), nil
}

func valuesOf(s series.Series) ([]float64, error) {
	if len(s) == 0 {
		return nil, fmt.Errorf("no rate sample in the window")
	}
	values := make([]float64, len(s))
	sum := 0.0
	for i, p := range s {
		values[i] = p.Value
		sum += p.Value
	}
	if sum == 0 {
		return nil, fmt.Errorf("the rate is 0 in the whole window")
	}
	return values, nil
}

func slowdownTime(x in) (float64, error) {
	s, err := FlowRates(x.dir, Pacing, []int64{*x.m.Flow})
	if err != nil {
		return 0, err
	}
	share := Slow
	if x.m.Share != nil {
		share = *x.m.Share
	}
	t, err := SlowdownTime(s[0], int64(*x.m.Event), share)
	if err != nil {
		return 0, inRun(x.dir, err)
	}
	return x.toTheEnd(t)
}

func fairTime(x in) (float64, error) {
	s, err := FlowRates(x.dir, Pacing, x.m.Flows)
	if err != nil {
		return 0, err
	}
	link, err := linkRate(x.dir, x.port)
	if err != nil {
		return 0, err
	}
	target := link / float64(len(x.m.Flows))
	if x.m.Share != nil {
		target = link * *x.m.Share
	}
	return x.toTheEnd(FairTime(s, target, int64(*x.m.Event)))
}

func recoveryTime(x in) (float64, error) {
	s, err := FlowRates(x.dir, Pacing, x.m.Flows)
	if err != nil {
		return 0, err
	}
	link, err := linkRate(x.dir, x.port)
	if err != nil {
		return 0, err
	}
	last := int64(0)
	for _, one := range s {
		last = max(last, one[len(one)-1].Time)
	}
	event := int64(*x.m.Event)
	if last < event+Hold {
		return 0, inRun(x.dir, fmt.Errorf("no rate sample of the flows %s after the event at %s", units.FormatTime(Hold), units.FormatTime(event)))
	}
	return x.toTheEnd(RecoveryTime(s, link, event))
}

// toTheEnd is a time found in the table rates. That something comes never, or that
// the rates never fall, is known only of a table that goes to the run's end.
func (x in) toTheEnd(t float64) (float64, error) {
	event := int64(*x.m.Event)
	if t != Never && t != float64(event) {
		return t, nil
	}
	return t, x.t.ran.lacks("rates", series.Window{From: event, To: x.t.ran.summary.SimPs})
}
