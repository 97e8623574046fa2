package measure

import (
	"errors"
	"fmt"

	"fabriclab/analysis/series"
	"fabriclab/analysis/spec"
	"fabriclab/base/reader"
)

func init() {
	register(Kind{
		Name: "jain", Quantity: Share, Better: Higher,
		Title: "Jain's index (Σx)² / (n Σx²) of payload bytes acknowledged in the window",
		From:  []string{"rates.acked_bytes"},
		Needs: []string{"flows", "window"},
		Read: func(s *reader.Section, m *spec.Measure, _ *spec.Figure) {
			least(s, "flows", len(m.Flows), "jain needs two flows or more: of one flow it is always 1")
		},
		Take: func(x in) (float64, error) {
			return JainOfAcked(x.dir, x.m.Flows, x.window)
		},
	})
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
