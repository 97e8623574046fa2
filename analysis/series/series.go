// Package series has the time series and windows that the measures share.
package series

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"fabriclab/analysis/stats"
	"fabriclab/base/units"
)

// A Window is a span of simulated time in picoseconds, (From, To]: a sample
// stands for what came before it, so the one at From does not count.
type Window struct{ From, To int64 }

// Contains says whether a sample taken at t is in the window.
func (w Window) Contains(t int64) bool { return t > w.From && t <= w.To }

func (w Window) String() string {
	return fmt.Sprintf("%s to %s", units.FormatTime(w.From), units.FormatTime(w.To))
}

// A Point is a value at a time in picoseconds.
type Point struct {
	Time  int64
	Value float64
}

// A Series is points in the order of time.
type Series []Point

// In is the part of the series in the window.
func (s Series) In(w Window) Series {
	from := sort.Search(len(s), func(i int) bool { return s[i].Time > w.From })
	to := sort.Search(len(s), func(i int) bool { return s[i].Time > w.To })
	return s[from:max(from, to)]
}

// Values are the points' values, in their order.
func (s Series) Values() []float64 {
	values := make([]float64, len(s))
	for i, p := range s {
		values[i] = p.Value
	}
	return values
}

// Mean is the mean of the points' values; NaN without points.
func (s Series) Mean() float64 { return stats.Mean(s.Values()) }

// At is the last point at or before t.
func (s Series) At(t int64) (Point, bool) {
	i := sort.Search(len(s), func(i int) bool { return s[i].Time > t })
	if i == 0 {
		return Point{}, false
	}
	return s[i-1], true
}

// PerSecond turns a counter that starts at 0 at time 0 into its growth per
// second over steps of at least interval picoseconds (0: from sample to
// sample), each at the end of its step. A step's start is the sample at or
// before the window's start, or the counter's own start.
func (s Series) PerSecond(w Window, interval int64) Series {
	last, ok := s.At(w.From)
	if !ok {
		last = Point{Time: w.From}
	}
	var out Series
	for _, p := range s.In(w) {
		step := p.Time - last.Time
		if step < max(interval, 1) {
			continue
		}
		out = append(out, Point{p.Time, (p.Value - last.Value) / (float64(step) / 1e12)})
		last = p
	}
	return out
}

// Growth is how much a counter that starts at 0 grew over the window.
func (s Series) Growth(w Window) float64 {
	end, _ := s.At(w.To)
	start, _ := s.At(w.From)
	return end.Value - start.Value
}

// Grid lays several series over the times at which any of them has a point;
// a value is NaN where a series has none.
func Grid(list []Series) (times []int64, values [][]float64) {
	for _, s := range list {
		for _, p := range s {
			times = append(times, p.Time)
		}
	}
	slices.Sort(times)
	times = slices.Compact(times)
	for _, s := range list {
		column := make([]float64, len(times))
		i := 0
		for k, t := range times {
			column[k] = math.NaN()
			if i < len(s) && s[i].Time == t {
				column[k] = s[i].Value
				i++
			}
		}
		values = append(values, column)
	}
	return times, values
}
