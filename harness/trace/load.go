package trace

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/parquet-go/parquet-go"

	"fabriclab/base/steady"
	"fabriclab/base/units"
)

// loadBins is how many rows the table load has.
const loadBins = 200

// A LoadWindow is what Load needs to know of an experiment whose workload asks
// for a load.
type LoadWindow struct {
	BeginPs      int64 // when flows begin to arrive
	FromPs, ToPs int64 // the measuring window
	LastPs       int64 // when flows cease to arrive
	Asked        float64
	CapacityBps  float64 // of which the load is a share
	Partial      bool    // not all flows are recorded, so nothing is known
	// Counts says which flows are of the load, by their numbers; nil: all are.
	Counts func(flow uint32) bool
}

// Load derives the table load of the table flows: what was offered, carried and
// active over time. From it follows whether the measuring window is in steady
// state.
//
// A flow's bytes are spread evenly over its life, because no table has the
// bytes of every flow over time. That is exact for the sum over each life.
type Load struct {
	window          LoadWindow
	record          steady.Record
	carried, active spread
	last            int64 // end of a flow so far
	open            []openFlow
	verdict         steady.Verdict
	// Of the flows of the window: how long they lasted together, and how long of
	// that after the last arrival.
	life, emptying float64
}

// openFlow is a flow that did not finish: its bytes go up to the end of the
// run, which is known to be no earlier than that of the last flow that ended.
type openFlow struct {
	start     int64
	delivered float64
	counts    bool // it is of the load
}

// NewLoad makes one for a run.
func NewLoad(w LoadWindow) *Load {
	bin := (w.ToPs - w.BeginPs + loadBins - 1) / loadBins
	bin = max(bin, 1)
	l := &Load{window: w, record: steady.Record{BeginPs: w.BeginPs, BinPs: bin, OfferedBytes: make([]float64, loadBins)}}
	l.carried, l.active = newSpread(w.BeginPs, bin), newSpread(w.BeginPs, bin)
	return l
}

// From implements Derived, as do the others.
func (*Load) From() string { return "flows" }

// Needs are the columns that it reads.
func (*Load) Needs() []Column {
	return []Column{{Name: "size_bytes", Type: "u64"}, {Name: "start_ps", Type: "i64"}, {Name: "end_ps", Type: "i64"}, {Name: "delivered_bytes", Type: "u64"}, {Name: "sender_end_ps", Type: "i64"}, {Name: "flow", Type: "u32"}}
}

// Columns are none.
func (*Load) Columns() []Column { return nil }

// Row takes a flow in.
func (l *Load) Row(r Row, _ []parquet.Value) {
	size, start, end := r.Uint64(0), r.Int64(1), r.Int64(2)
	if start < 0 {
		return // it waits for other messages
	}
	counts := l.window.Counts == nil || l.window.Counts(r.Uint32(5))
	if i := (start - l.record.BeginPs) / l.record.BinPs; counts && start >= l.record.BeginPs && i < loadBins {
		l.record.OfferedBytes[i] += float64(size)
	}
	bytes := float64(min(size, r.Uint64(3))) // none without a size: such a flow offers none either
	if end < 0 {
		end = r.Int64(4) // it was stopped
	} else {
		bytes = float64(size)
	}
	if end < 0 {
		l.open = append(l.open, openFlow{start, bytes, counts})
		return
	}
	l.last = max(l.last, end)
	l.add(start, end, bytes, counts)
}

func (l *Load) add(start, end int64, bytes float64, counts bool) {
	l.lasted(start, end)
	if !counts {
		return
	}
	l.carried.add(start, end, bytes)
	l.active.add(start, end, float64(end-start))
}

func (l *Load) lasted(start, end int64) {
	if start < l.window.FromPs || start >= l.window.ToPs {
		return
	}
	l.life += float64(end - start)
	l.emptying += float64(max(0, end-l.window.LastPs))
}

// LoadTable is the table load.
var LoadTable = Table{Name: "load", Title: "load and active flows over time, up to the end of the measuring window; only where the workload asks for a load, and of a mix only the parts that ask for one", Columns: []Column{
	{Name: "time_ps", Type: "i64", Unit: "ps", Help: "end of the bin"},
	{Name: "offered_bps", Type: "f64", Unit: "bit/s", Help: "payload of the flows that started in the bin"},
	{Name: "carried_bps", Type: "f64", Unit: "bit/s", Help: "payload of flows with a size that was delivered in the bin, each flow's spread evenly over its life"},
	{Name: "active_flows", Type: "f64", Unit: "1", Help: "flows that had started and not ended, mean over the bin"},
}}

// Tables are its own.
func (*Load) Tables() []Table { return []Table{LoadTable} }

// NotAllFlows is why nothing is known of a Partial window.
const NotAllFlows = "not all flows were recorded, by which it would be checked; trace: {flows: {}}"

// Finish writes the table and judges the window. Of some flows there is no table,
// and no window is in steady state.
func (l *Load) Finish(create func(Table) (*TableWriter, error)) error {
	if l.window.Partial {
		l.verdict = steady.Verdict{Asked: l.window.Asked, WarmupPs: -1, Reason: NotAllFlows}
		return nil
	}
	l.last = max(l.last, l.window.ToPs)
	for _, f := range l.open {
		l.add(f.start, l.last, f.delivered, f.counts)
	}
	bin := float64(l.record.BinPs)
	l.record.CarriedBytes, l.record.ActiveFlows = l.carried.bins(), l.active.bins()
	for i := range l.record.ActiveFlows {
		l.record.ActiveFlows[i] /= bin
	}
	l.verdict = l.record.Judge(l.window.FromPs, l.window.Asked, l.window.CapacityBps)
	if l.emptying > mostEmptying*l.life {
		l.verdict.Emptying = l.emptying / l.life
	}

	w, err := create(LoadTable)
	if err != nil {
		return err
	}
	le := binary.LittleEndian
	var payload []byte
	for i := range loadBins {
		payload = le.AppendUint64(payload, uint64(l.record.BeginPs+int64(i+1)*l.record.BinPs))
	}
	for _, column := range [][]float64{l.record.OfferedBytes, l.record.CarriedBytes} {
		for _, bytes := range column {
			payload = le.AppendUint64(payload, math.Float64bits(bytes*8e12/bin))
		}
	}
	for _, flows := range l.record.ActiveFlows {
		payload = le.AppendUint64(payload, math.Float64bits(flows))
	}
	if err := w.WriteRows(payload, loadBins); err != nil {
		return err
	}
	_, err = w.Finish()
	return err
}

// Steady says whether the window was in steady state, after Finish.
func (l *Load) Steady() steady.Verdict {
	v := l.verdict
	v.FromPs, v.ToPs = l.window.FromPs, l.window.ToPs
	return v
}

// mostEmptying is the share of the measured flows' time that a network which
// empties may see without a warning (chosen).
const mostEmptying = 0.01

// EmptyingText says, after Finish, that measured flows went on when no others
// arrived any more.
func (l *Load) EmptyingText() string {
	return fmt.Sprintf("%.0f %% of the measured flows' time is after %s, when the last flow arrived, in a network that empties; let arrivals go on for longer (workload.to; without it they go on all the time)",
		100*l.verdict.Emptying, units.FormatTime(l.window.LastPs))
}

// A spread adds amounts that are spread evenly over spans of time, and has their
// sum in each bin. It takes the same time however long a span is.
type spread struct {
	begin, bin int64
	part       []float64 // in bins that a span begins or ends in
	change     []float64 // of the amount by bin, where spans cover whole bins
}

func newSpread(begin, bin int64) spread {
	return spread{begin: begin, bin: bin, part: make([]float64, loadBins), change: make([]float64, loadBins+1)}
}

func (s *spread) add(from, to int64, amount float64) {
	limit := s.begin + loadBins*s.bin
	if to <= from { // at once
		if from >= s.begin && from < limit {
			s.part[(from-s.begin)/s.bin] += amount
		}
		return
	}
	rate := amount / float64(to-from)
	from, to = max(from, s.begin), min(to, limit)
	if from >= to {
		return
	}
	first, last := (from-s.begin)/s.bin, (to-1-s.begin)/s.bin
	if first == last {
		s.part[first] += float64(rate * float64(to-from))
		return
	}
	s.part[first] += float64(rate * float64(s.begin+(first+1)*s.bin-from))
	s.part[last] += float64(rate * float64(to-s.begin-last*s.bin))
	s.change[first+1] += float64(rate * float64(s.bin))
	s.change[last] -= float64(rate * float64(s.bin))
}

func (s *spread) bins() []float64 {
	sums := make([]float64, loadBins)
	whole := 0.0
	for i := range sums {
		whole += s.change[i]
		sums[i] = s.part[i] + whole
	}
	return sums
}
