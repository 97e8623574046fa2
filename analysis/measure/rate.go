package measure

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"fabriclab/analysis/series"
	"fabriclab/analysis/table"
	"fabriclab/base/units"
)

func init() {
	register(Kind{
		Name: "utilisation", Quantity: Share, Better: Higher,
		Title: "bits sent / what the link could carry in the window; `count: wire` counts whole frames, `count: payload` payload of data packets",
		From:  []string{"links.sent_bytes", "links.data_bytes"},
		Needs: []string{"port", "window", "count"}, Counts: true,
		Take: utilisation,
	})
	register(Kind{
		Name: "jitter", Quantity: Share, Better: Lower,
		Title: "standard deviation / mean of each flow's sampled rate, mean over the flows; `method: range`: (highest - lowest) / mean",
		From:  []string{"rates.rate_bps"},
		Needs: []string{"flows", "window"}, Allows: []string{"method"},
		Methods: []string{"variation", "range"},
		Take:    jitter,
	})
	register(Kind{
		Name: "rate_share", Quantity: Share, Better: Neither,
		Title: "mean sampled rate of the flows over the fair rate (link rate / number of flows)",
		From:  []string{"rates.rate_bps"},
		Needs: []string{"flows", "port", "window"},
		Take:  rateShare,
	})
	register(Kind{
		Name: "imbalance", Quantity: Share, Better: Lower,
		Title: "(largest - smallest) / mean of the bytes that each of the `ports` (patterns such as `leaf0->spine*` too) sent in an `interval`, then `stat` over the intervals; intervals without bytes do not count",
		From:  []string{"links"},
		Needs: []string{"ports", "window", "interval", "count", "stat"}, Counts: true,
		Ports: 2,
		Take:  statOf(imbalance), Spread: imbalance,
	})
}

// RateColumn selects a column of `rates`.
type RateColumn string

// The columns.
const (
	Pacing RateColumn = "rate_bps"    // the sender's pacing rate, bit/s
	Acked  RateColumn = "acked_bytes" // payload bytes acknowledged since the start
)

// FlowRates reads a column of the rates table for the given flows, over the whole
// run. A flow without a sample is an error.
func FlowRates(dir string, what RateColumn, flows []int64) ([]series.Series, error) {
	position := map[int64]int{}
	for i, f := range flows {
		position[f] = i
	}
	out := make([]series.Series, len(flows))
	err := table.Scan(dir, "rates", table.Ints("time_ps", "flow", string(what)), func(r *table.Rows) error {
		for i := range r.N {
			if k, ok := position[r.Int(1, i)]; ok {
				out[k] = append(out[k], series.Point{Time: r.Int(0, i), Value: float64(r.Int(2, i))})
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i, s := range out {
		if len(s) == 0 {
			return nil, fmt.Errorf("run %s: rates has no sample of flow %d; flows are numbered from 0 in the order of the flow list", dir, flows[i])
		}
	}
	return out, nil
}

// Goodput is the rate at which each flow's payload was acknowledged, over
// steps of at least interval picoseconds.
func Goodput(dir string, flows []int64, w series.Window, interval int64) ([]series.Series, error) {
	counters, err := FlowRates(dir, Acked, flows)
	if err != nil {
		return nil, err
	}
	for i := range counters {
		counters[i] = bits(counters[i].PerSecond(w, interval))
	}
	return counters, nil
}

// ByteCount says which bytes of a link count.
type ByteCount string

// RateColumn may count.
const (
	Wire    ByteCount = "wire"    // all bytes of all frames
	Payload ByteCount = "payload" // the payload of data packets
)

// LinkBytes reads a port's byte counter over the whole run, in bytes since the
// start. What it was at from has to be known.
func LinkBytes(dir, port string, count ByteCount, from int64) (series.Series, error) {
	column := "sent_bytes"
	if count == Payload {
		column = "data_bytes"
	}
	return linkCounter(dir, port, column, from)
}

// Imbalance is how uneven the loads of the ports that match a pattern are: for every
// full interval of the window, (largest - smallest) / mean of the bytes they sent in
// it. Intervals in which none of them sent anything have no value.
func Imbalance(dir string, patterns []string, count ByteCount, w series.Window, interval int64) ([]float64, error) {
	ports, err := linksOf(dir, patterns)
	if err == nil && len(ports) < 2 {
		err = fmt.Errorf("only %s matches %s, and imbalance is of several ports: of one it is always 0", strings.Join(ports, ", "), strings.Join(patterns, ", "))
	}
	if err != nil {
		return nil, err
	}
	counters := make([]series.Series, len(ports))
	for i, port := range ports {
		var err error
		if counters[i], err = LinkBytes(dir, port, count, w.From); err != nil {
			return nil, err
		}
	}
	var out []float64
	err = eachInterval(counters, w, interval, "links", func(i int) string { return ports[i] }, func(_ int64, sent []float64) error {
		if sum := total(sent); sum > 0 {
			out = append(out, (slices.Max(sent)-slices.Min(sent))/(sum/float64(len(ports))))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("there is no interval of %s from %s in which one of the ports sent anything", units.FormatTime(interval), w)
	}
	return out, nil
}

// eachInterval visits what counters grew by in each full interval of the window, as
// far as all were sampled. what names the i-th of the table's.
func eachInterval(counters []series.Series, w series.Window, interval int64, table string, what func(i int) string, visit func(from int64, grown []float64) error) error {
	end := w.To
	for _, c := range counters {
		end = min(end, c[len(c)-1].Time)
	}
	grown := make([]float64, len(counters))
	for from := w.From; from <= end-interval; from += interval {
		for i, c := range counters {
			if to, ok := c.At(from + interval); !ok || to.Time != from+interval {
				return fmt.Errorf("%s has no sample of %s at %s; sample it at times that divide the interval %s", table, what(i), units.FormatTime(from+interval), units.FormatTime(interval))
			}
			grown[i] = c.Growth(series.Window{From: from, To: from + interval})
		}
		if err := visit(from, grown); err != nil {
			return err
		}
	}
	return nil
}

func total(values []float64) float64 {
	sum := 0.0
	for _, x := range values {
		sum += x
	}
	return sum
}

// PausedTime reads how long a port has been paused since the start, in picoseconds.
func PausedTime(dir, port string, from int64) (series.Series, error) {
	return linkCounter(dir, port, "paused_ps", from)
}

// linksOf are the sampled links whose names match a pattern, in the order of the names.
func linksOf(dir string, patterns []string) ([]string, error) {
	ports := newMatcher(patterns)
	var links []string
	err := table.Scan(dir, "links", []table.Column{{Name: "link", Type: table.String}}, func(r *table.Rows) error {
		for i := range r.N {
			if name := r.String(0, i); ports.wants(name) && !slices.Contains(links, name) {
				links = append(links, name)
			}
		}
		return nil
	})
	if err == nil && len(ports.unmatched) > 0 {
		err = fmt.Errorf("links has no sample of %s; name the port under trace.links.ports", strings.Join(ports.unmatched, ", "))
	}
	slices.Sort(links)
	return links, err
}

func linkCounter(dir, port, column string, from int64) (series.Series, error) {
	var s series.Series
	columns := append(table.Ints("time_ps", column), table.Column{Name: "link", Type: table.String})
	err := table.Scan(dir, "links", columns, func(r *table.Rows) error {
		for i := range r.N {
			if r.Is(2, i, port) {
				s = append(s, series.Point{Time: r.Int(0, i), Value: float64(r.Int(1, i))})
			}
		}
		return nil
	})
	switch {
	case err != nil:
	case len(s) == 0:
		err = fmt.Errorf("links has no sample of %s; name the port under trace.links.ports", port)
	case from > 0 && s[0].Time > from && s[0].Value > 0: // at 0 it is 0
		err = fmt.Errorf("links has no sample of %s before %s, so what it had sent at %s is not known; record it from then on or earlier (trace.links.from)",
			port, units.FormatTime(s[0].Time), units.FormatTime(from))
	}
	return s, err
}

// MeanRate is what a link could carry over a time, in bit/s.
type MeanRate func(fromPs, toPs int64) float64

// Utilisation is the share (0 to 1) of a link that the counter of bytes filled
// in the window, from the first to the last sample at hand.
func Utilisation(counter series.Series, rate MeanRate, w series.Window) (float64, error) {
	steps := counter.PerSecond(w, 0)
	if len(steps) == 0 {
		return math.NaN(), fmt.Errorf("links has no sample from %s", w)
	}
	// One step over all samples of the window.
	first, ok := counter.At(w.From)
	if !ok {
		first.Time = w.From
	}
	last := steps[len(steps)-1].Time
	return 8 * counter.Growth(w) / (rate(first.Time, last) * float64(last-first.Time) / 1e12), nil
}

// UtilisationSeries is the share over steps of at least interval picoseconds.
func UtilisationSeries(counter series.Series, rate MeanRate, w series.Window, interval int64) series.Series {
	s := bits(counter.PerSecond(w, interval))
	since := w.From
	if first, ok := counter.At(w.From); ok {
		since = first.Time
	}
	for i := range s {
		s[i].Value /= rate(since, s[i].Time)
		since = s[i].Time
	}
	return s
}

func bits(s series.Series) series.Series {
	for i := range s {
		s[i].Value *= 8
	}
	return s
}

func utilisation(x in) (float64, error) {
	counter, err := LinkBytes(x.dir, x.port, ByteCount(x.m.Count), x.window.From)
	if err != nil {
		return 0, inRun(x.dir, err)
	}
	rate, err := meanRate(x.dir, x.port)
	if err != nil {
		return 0, err
	}
	u, err := Utilisation(counter, rate, x.window)
	return u, inRun(x.dir, err)
}

func jitter(x in) (float64, error) {
	of := Variation
	if x.m.Method == "range" {
		of = Range
	}
	return meanOver(x, of)
}

func rateShare(x in) (float64, error) {
	link, err := linkRate(x.dir, x.port)
	if err != nil {
		return 0, err
	}
	fair := link / float64(len(x.m.Flows))
	return meanOver(x, func(s series.Series) (float64, error) {
		if len(s) == 0 {
			return 0, fmt.Errorf("no rate sample in the window")
		}
		return s.Mean() / fair, nil
	})
}

// meanOver is the mean over the flows of what each one's rate in the window is.
func meanOver(x in, of func(series.Series) (float64, error)) (float64, error) {
	list, err := FlowRates(x.dir, Pacing, x.m.Flows)
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for i, s := range list {
		v, err := of(s.In(x.window))
		if err != nil {
			return 0, fmt.Errorf("run %s: flow %d, %s: %w", x.dir, x.m.Flows[i], x.window, err)
		}
		sum += v
	}
	return sum / float64(len(list)), nil
}

func imbalance(x in) ([]float64, error) {
	values, err := Imbalance(x.dir, x.m.Ports, ByteCount(x.m.Count), x.window, int64(x.m.Interval))
	return values, inRun(x.dir, err)
}
