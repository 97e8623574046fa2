package oracle

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/parquet-go/parquet-go"

	"fabriclab/harness/experiment"
	"fabriclab/harness/progress"
	"fabriclab/harness/scenario"
	"fabriclab/harness/trace"
)

// Derive makes what a run asks of the oracle, from its experiment alone. Tables
// of the same utility are made together; optimal_flows by itself, whose rates at
// every moment nobody asks for, is computed once for all runs that share it.
// What it returns makes the tables of one attempt at the run and tells how far
// they are.
func Derive(ctx context.Context, point *experiment.Point, seed uint64, shared *Shared) (func(tell func(progress.Event)) []trace.Derived, error) {
	var all []derived
	var of []Utility
	for _, d := range point.Oracle {
		u := utilityOf(d)
		if i := slices.Index(of, u); i >= 0 {
			all[i].names = append(all[i].names, d.Table)
			continue
		}
		o, err := New(point, u)
		if err != nil {
			return nil, fmt.Errorf("trace.%s: %w", d.Table, err)
		}
		of, all = append(of, u), append(all, derived{oracle: o, ctx: ctx, seed: seed, shared: shared, names: []string{d.Table}})
	}
	return func(tell func(progress.Event)) []trace.Derived {
		var tables []trace.Derived
		for _, d := range all {
			d.tell = tell
			tables = append(tables, &d)
		}
		return tables
	}, nil
}

func utilityOf(t experiment.OracleTable) Utility {
	return Utility{Name: t.Utility, Alpha: t.Alpha, Epsilon: t.Epsilon, AckShare: t.AckShare}
}

type derived struct {
	oracle *Oracle
	ctx    context.Context // of the whole sweep
	seed   uint64
	shared *Shared
	names  []string
	tell   func(progress.Event)
}

// From implements trace.Derived, as do the others: no table is read.
func (*derived) From() string                   { return "" }
func (*derived) Needs() []trace.Column          { return nil }
func (*derived) Columns() []trace.Column        { return nil }
func (*derived) Row(trace.Row, []parquet.Value) {}

func (d *derived) Tables() []trace.Table {
	var tables []trace.Table
	for _, name := range d.names {
		tables = append(tables, tableOf(name, d.oracle.paths.links))
	}
	return tables
}

func (d *derived) Finish(create func(trace.Table) (*trace.TableWriter, error)) error {
	var err error
	watch := d.oracle.watch(d.ctx, d.tell)
	if slices.Equal(d.names, []string{FlowsTable}) {
		err = d.oracle.completions(d.seed, d.shared, watch, create)
	} else {
		_, err = d.oracle.compute(d.seed, d.names, watch, create)
	}
	if err != nil {
		return fmt.Errorf("optimal rates: %w", err)
	}
	return nil
}

// latency is what a flow of this size takes in the empty network on the path of
// its first sub-flow, beyond its bytes at the rate of the slowest link there.
func (o *Oracle) latency(f *scenario.Flow) (int64, error) {
	paths, err := o.paths.of(f)
	if err != nil {
		return 0, err
	}
	rate := math.Inf(1)
	var path []uint32
	for _, l := range paths[0] {
		link := uint32(l / 2)
		_, fastest := o.point.Topology.Rates(link) // as in the completion time alone
		path, rate = append(path, link), min(rate, float64(fastest))
	}
	frame := o.point.Framing()
	sending := float64(frame.WireBytes(f.Size)) * 8e12 / rate
	return max(0, o.point.Topology.PathFCT(path, f.Size, frame)-int64(math.Round(sending))), nil
}
