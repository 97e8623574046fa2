package trace

import (
	"fmt"

	"github.com/parquet-go/parquet-go"

	"fabriclab/base/units"
)

// IdealFCT derives the columns ideal_fct_ps, fct_ps and slowdown of the flows
// table, and checks that no flow beats its ideal. ideal is the completion time of
// a flow between two hosts in the empty network; false if it has none (unlimited
// flows).
func IdealFCT(ideal func(src, dst uint32, size uint64) (ps int64, ok bool)) Derived {
	return &idealFCT{ideal: ideal}
}

type idealFCT struct {
	ideal            func(src, dst uint32, size uint64) (ps int64, ok bool)
	compared, faster uint64 // finished flows, and those that beat it
	first            string // of these
}

// From implements Derived, as do the others.
func (*idealFCT) From() string { return "flows" }

func (*idealFCT) Needs() []Column {
	return []Column{{Name: "src", Type: "u32"}, {Name: "dst", Type: "u32"}, {Name: "size_bytes", Type: "u64"}, {Name: "start_ps", Type: "i64"}, {Name: "end_ps", Type: "i64"}, {Name: "flow", Type: "u32"}}
}

func (*idealFCT) Columns() []Column {
	return []Column{
		{Name: "ideal_fct_ps", Type: "i64", Unit: "ps", Nullable: true, Help: "flow completion time in the empty network over all equal-cost paths together: payload and base headers, store and forward, line rate; null for a flow without an end"},
		{Name: "fct_ps", Type: "i64", Unit: "ps", Nullable: true, Help: "flow completion time, end_ps - start_ps; null if unfinished"},
		{Name: "slowdown", Type: "f64", Unit: "1", Nullable: true, Help: "fct_ps / ideal_fct_ps, at least 1; null if unfinished"},
	}
}

func (d *idealFCT) Row(r Row, into []parquet.Value) {
	best, hasIdeal := d.ideal(r.Uint32(0), r.Uint32(1), r.Uint64(2))
	took, finished := r.Int64(4)-r.Int64(3), r.Int64(4) >= 0
	if hasIdeal {
		into[0] = parquet.Int64Value(best)
	}
	if finished {
		into[1] = parquet.Int64Value(took)
	}
	if hasIdeal && finished && best > 0 {
		into[2] = parquet.DoubleValue(float64(took) / float64(best))
		d.compared++
		if took < best {
			if d.faster++; d.first == "" {
				d.first = fmt.Sprintf("flow %d of %d B took %s and its ideal is %s", r.Uint32(5), r.Uint64(2), units.FormatTime(took), units.FormatTime(best))
			}
		}
	}
}

func (*idealFCT) Tables() []Table                                { return nil }
func (*idealFCT) Finish(func(Table) (*TableWriter, error)) error { return nil }

// Check implements Checker.
func (d *idealFCT) Check() (name string, ok bool, detail string) {
	name = "no_flow_beats_its_ideal"
	if d.faster == 0 {
		return name, true, fmt.Sprintf("%d finished flows have a slowdown of 1 or more", d.compared)
	}
	return name, false, fmt.Sprintf("%d of %d finished flows were faster than the empty network allows, the first: %s; so packets took a way that the ideal does not know, which is a fault of fabriclab: please report it with the experiment", d.faster, d.compared, d.first)
}
