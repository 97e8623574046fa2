package measure

import (
	"math"
	"slices"

	"fabriclab/analysis/series"
	"fabriclab/analysis/spec"
	"fabriclab/analysis/table"
)

// Whole is the span of a run.
var Whole = series.Window{From: 0, To: math.MaxInt64}

// Span is the time that a measure is of in a run. It is not timed where
// the kind takes no window: such measures are of measured flows, or of groups
// and events that the measure names.
func Span(f *spec.Figure, m spec.Measure, run spec.Run) (w series.Window, timed bool, err error) {
	if m.Window != nil {
		w, err = f.Span(*m.Window, run.Judged)
		return w, true, err
	}
	rows := m.Table
	switch {
	case m.Kind == "flowlet_size":
		rows = "packets" // all of them
	case m.Kind != "table":
		return Whole, slices.Contains(kinds[m.Kind].Allows, "window"), nil
	}
	described, known := f.Tables[rows]
	if !known || described.Column(timeColumn) == nil {
		return w, false, nil
	}
	w = series.Window{From: math.MaxInt64, To: math.MinInt64}
	err = table.Scan(run.Dir, rows, table.Ints(timeColumn), func(r *table.Rows) error {
		for i := range r.N {
			w.From, w.To = min(w.From, r.Int(0, i)), max(w.To, r.Int(0, i))
		}
		return nil
	})
	return w, w.From <= w.To, err
}
