// Package queue measures egress queues from the `queues` table. Sizes are
// bytes.
package queue

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/stat"

	"fabriclab/analysis/series"
	"fabriclab/analysis/table"
)

// Samples are one queue's samples: its length at each, and its highest length
// since the one before.
type Samples struct {
	Bytes    series.Series
	MaxBytes series.Series
}

// Read reads the samples of the queue of a class at a port in the window. No
// sample at all is an error.
func Read(dir, port string, class int64, w series.Window) (Samples, error) {
	var s Samples
	columns := append(table.Ints("time_ps", "class", "bytes", "max_bytes"), table.Column{Name: "link", Type: table.String})
	err := table.Scan(dir, "queues", columns, func(r *table.Rows) error {
		for i := range r.N {
			if t := r.Int(0, i); w.Contains(t) && r.Int(1, i) == class && r.Is(4, i, port) {
				s.Bytes = append(s.Bytes, series.Point{Time: t, Value: float64(r.Int(2, i))})
				s.MaxBytes = append(s.MaxBytes, series.Point{Time: t, Value: float64(r.Int(3, i))})
			}
		}
		return nil
	})
	if err == nil && len(s.Bytes) == 0 {
		err = fmt.Errorf("run %s: queues has no sample of %s class %d from %s; name the port under trace.queues.ports", dir, port, class, w)
	}
	return s, err
}

// Peak is the highest length, between samples too.
func (s Samples) Peak() float64 {
	return slices.MaxFunc(s.MaxBytes, func(a, b series.Point) int {
		switch {
		case a.Value < b.Value:
			return -1
		case a.Value > b.Value:
			return 1
		}
		return 0
	}).Value
}

// Mean is the mean of the sampled lengths.
func (s Samples) Mean() float64 { return s.Bytes.Mean() }

// Percentile is the sampled length that p per cent of the samples do not
// exceed (the empirical quantile, 0 < p <= 100).
func (s Samples) Percentile(p float64) float64 {
	values := make([]float64, len(s.Bytes))
	for i, point := range s.Bytes {
		values[i] = point.Value
	}
	slices.Sort(values)
	return stat.Quantile(p/100, stat.Empirical, values, nil)
}
