package workload

import (
	"fmt"

	"fabriclab/base/units"
	"fabriclab/harness/scenario"
)

// Rules are what a run asks of its flows. Times are in ps.
type Rules struct {
	StopPs       int64 // when the run stops; 0 = not known
	Classes      int   // number of priority classes
	FromPs, ToPs int64 // the measuring window, by start of flows; ToPs is outside
}

// DefaultClass is the class of flows that are not given one: 1, below the
// control packets in class 0, if there are so many.
func (r Rules) DefaultClass() uint8 { return uint8(min(1, r.Classes-1)) }

// Measured says whether a flow that starts then is measured.
func (r Rules) Measured(startPs int64) bool { return r.FromPs <= startPs && startPs < r.ToPs }

// checkEnd refuses arrivals behind the end of the run, which would count as offered.
func (r Rules) checkEnd(toPs int64) error {
	if r.StopPs > 0 && toPs > r.StopPs {
		return fmt.Errorf("arrivals go on to %s, but the run stops at %s; let them end before that, or let the run go on", units.FormatTime(toPs), units.FormatTime(r.StopPs))
	}
	return nil
}

// complete fills in what follows from a flow's number and start.
func (r Rules) complete(f scenario.Flow) scenario.Flow {
	f.SrcPort, f.DstPort = SrcPort(f.ID), DstPort
	f.Measured = r.Measured(f.StartPs)
	return f
}

// A FlowError says which field of a flow breaks the rules.
type FlowError struct {
	Field string // dst, start, stop, class or closed_loop
	Err   error
}

func (e *FlowError) Error() string { return e.Field + ": " + e.Err.Error() }
func (e *FlowError) Unwrap() error { return e.Err }

// Check looks for the first rule a flow breaks; the error is a *FlowError.
func (r Rules) Check(f scenario.Flow) error {
	broken := func(field, format string, args ...any) error {
		return &FlowError{field, fmt.Errorf(format, args...)}
	}
	switch {
	case f.Src == f.Dst:
		return broken("dst", "source and destination are the same host; a flow goes from one host to another")
	case f.StartPs < 0 || f.StartPs > units.MaxTime:
		return broken("start", "%d ps is not between 0 and 100 days", f.StartPs)
	case r.StopPs > 0 && f.StartPs >= r.StopPs:
		return broken("start", "the flow starts at %s, but the run stops at %s; start it before that or let the run go on", units.FormatTime(f.StartPs), units.FormatTime(r.StopPs))
	case f.StopPs != -1 && f.StopPs <= f.StartPs:
		return broken("stop", "the flow stops at %s, but starts at %s; it stops after its start", units.FormatTime(f.StopPs), units.FormatTime(f.StartPs))
	case f.ClosedLoop && (!f.Persistent || f.Size == 0 || f.StopPs != -1):
		return broken("closed_loop", "the flow is not a message on a persistent connection with a size and without a stop, which alone can wait for each other; make it one or leave closed_loop out")
	case int(f.Class) >= r.Classes:
		return broken("class", "%d is out of range; allowed: from 0 to %d", f.Class, r.Classes-1)
	}
	return nil
}
