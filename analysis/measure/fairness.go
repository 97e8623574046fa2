package measure

import (
	"errors"
	"fmt"
	"math"

	"fabriclab/analysis/series"
	"fabriclab/analysis/spec"
	"fabriclab/base/reader"
	"fabriclab/base/units"
)

func init() {
	register(Kind{
		Name: "jain", Quantity: Share, Better: Higher,
		Title: "Jain's index (Σx)² / (n Σx²) of payload bytes acknowledged in the window",
		From:  []string{"rates.acked_bytes"},
		Needs: []string{"flows", "window"}, Complete: true, Counts: true,
		Read: func(s *reader.Section, m *spec.Measure, _ *spec.Figure) {
			least(s, "flows", len(m.Flows), "jain needs two flows or more: of one flow it is always 1")
		},
		Take: func(x in) (float64, error) {
			return JainOfAcked(x.dir, x.m.Flows, x.window)
		},
	})
	register(Kind{
		Name: "share_deviation", Quantity: Share, Better: Lower,
		Title: "largest |x - mean| / mean of the payload bytes x that the flows had acknowledged in an `interval`, then `stat` over the intervals",
		From:  []string{"rates.acked_bytes"},
		Needs: []string{"flows", "window", "interval", "stat"}, Counts: true,
		Read: func(s *reader.Section, m *spec.Measure, _ *spec.Figure) {
			least(s, "flows", len(m.Flows), "share_deviation needs two flows or more: of one flow it is always 0")
		},
		Take: statOf(shareDeviation), Spread: shareDeviation,
	})
}

func shareDeviation(x in) ([]float64, error) {
	return ShareDeviation(x.dir, x.m.Flows, x.window, int64(x.m.Interval))
}

// ShareDeviation is, for each full interval of the window, how far the flow that is
// farthest from an equal share of the payload acknowledged in it is from that share.
func ShareDeviation(dir string, flows []int64, w series.Window, interval int64) ([]float64, error) {
	counters, err := FlowRates(dir, Acked, flows)
	if err != nil {
		return nil, err
	}
	var out []float64
	err = eachInterval(counters, w, interval, "rates", func(i int) string { return fmt.Sprint("flow ", flows[i]) }, func(from int64, acked []float64) error {
		equal, farthest := total(acked)/float64(len(flows)), 0.0
		if equal == 0 {
			return fmt.Errorf("no flow had anything acknowledged from %s to %s", units.FormatTime(from), units.FormatTime(from+interval))
		}
		for _, x := range acked {
			farthest = max(farthest, math.Abs(x-equal)/equal)
		}
		out = append(out, farthest)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", dir, err)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("run %s: there is no interval of %s from %s in which all flows were sampled", dir, units.FormatTime(interval), w)
	}
	return out, nil
}

// Jain is Jain's index of the shares, (Σx)² / (n Σx²): 1 when all are equal,
// 1/n when one has everything.
func Jain(shares []float64) (float64, error) {
	var sum, squares float64
	for _, x := range shares {
		if x < 0 {
			return 0, fmt.Errorf("a share of %g is negative", x)
		}
		sum += x
		squares += float64(x * x)
	}
	if squares == 0 {
		return 0, errors.New("all shares are 0")
	}
	return sum * sum / (float64(len(shares)) * squares), nil
}

// JainOfAcked is Jain's index of the payload that the flows of the run in dir had
// acknowledged within the window.
func JainOfAcked(dir string, flows []int64, w series.Window) (float64, error) {
	counters, err := FlowRates(dir, Acked, flows)
	if err != nil {
		return 0, err
	}
	shares := make([]float64, len(flows))
	for i, c := range counters {
		if len(c.In(w)) == 0 {
			return 0, fmt.Errorf("run %s: flow %d has no rate sample from %s", dir, flows[i], w)
		}
		shares[i] = c.Growth(w)
	}
	index, err := Jain(shares)
	if err != nil {
		return 0, fmt.Errorf("run %s, %s: acknowledged bytes: %w", dir, w, err)
	}
	return index, nil
}
