package series

import (
	"fmt"

	"fabriclab/base/units"
)

// Recorded says of which time, ports, flows and classes a table has rows. Nil is all.
type Recorded struct {
	IntervalPs int64    `json:"interval_ps"` // of a sampled table
	FromPs     int64    `json:"from_ps"`
	ToPs       int64    `json:"to_ps"` // 0: to the run's end
	Ports      []string `json:"-"`
	Flows      []int64  `json:"flows"`
	Classes    []int64  `json:"classes"`
}

// Lacks says what of a time the table of a name does not have. A sampled one needs
// the last sample at the time's start or before, where counters and peaks begin.
func (r Recorded) Lacks(name string, w Window) error {
	from, to := max(w.From, 0), w.To
	if r.IntervalPs > 0 {
		from, to = from-from%r.IntervalPs, to-to%r.IntervalPs
	}
	switch {
	case r.FromPs > from:
		return fmt.Errorf("the table %s is needed from %s, and begins at %s; write trace.%s.from: %s or earlier", name, w, units.FormatTime(r.FromPs), name, units.FormatTime(from))
	case r.ToPs > 0 && r.ToPs < to:
		return fmt.Errorf("the table %s is needed from %s, and ends at %s; write trace.%s.to: %s or later", name, w, units.FormatTime(r.ToPs), name, units.FormatTime(to))
	}
	return nil
}

// Splits says that a window begins or ends between two samples of the table of a name.
// What the table counts since a sample is not known there.
func (r Recorded) Splits(name string, w Window) error {
	if r.IntervalPs == 0 || w.From%r.IntervalPs == 0 && w.To%r.IntervalPs == 0 {
		return nil
	}
	return fmt.Errorf("the table %s has no sample at both ends of the window %s, as it has one every %s; write a window of whole intervals, or a trace.%s.interval that divides both ends", name, w, units.FormatTime(r.IntervalPs), name)
}
