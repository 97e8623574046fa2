package figures

import (
	"fmt"

	"fabriclab/analysis/figure"
	"fabriclab/analysis/series"
	"fabriclab/analysis/table"
	"fabriclab/base/steady"
	"fabriclab/harness/experiment"
	"fabriclab/harness/lab/sweeps"
	"fabriclab/harness/trace"
)

// judged is the measuring window of a result whose point carries a load.
type judged struct {
	window    series.Window
	unsettled string // why it is not in steady state; "": it is
}

// judge judges every result; those without a load stay zero. The runs of one
// point that differ in their seeds only are judged as one: what starts empty is
// the same in all of them, and chance is not. The loads are those of the points,
// in the order of their first results.
func judge(r sweeps.Runs) (all []judged, loads []figure.Load, err error) {
	type ensemble struct {
		point  *experiment.Point
		engine string
	}
	of := func(i int) ensemble { return ensemble{r.PointOf[i], r.Results[i].Job.Key.Engine} }
	dirs := map[ensemble][]string{}
	var first []int // result of each
	for i, result := range r.Results {
		if result.Manifest != nil && result.Manifest.Steady != nil {
			if dirs[of(i)] == nil {
				first = append(first, i)
			}
			dirs[of(i)] = append(dirs[of(i)], result.Dir)
		}
	}
	found := map[ensemble]judged{}
	for _, i := range first {
		key := of(i)
		window, _ := key.point.LoadWindow()
		span := series.Window{From: window.FromPs, To: window.ToPs}
		if window.Partial { // there is no table load
			found[key] = judged{span, trace.NotAllFlows}
			continue
		}
		load, err := carriedBy(window, dirs[key])
		if err != nil {
			return nil, nil, err
		}
		load.Labels, load.Engine = r.Results[i].Job.Labels, key.engine
		loads = append(loads, load)
		found[key] = judged{span, load.Steady.Reason}
	}
	all = make([]judged, len(r.Results))
	for i := range all {
		all[i] = found[of(i)]
	}
	return all, loads, nil
}

// carriedBy reads what runs carried in their tables load, and judges their mean.
func carriedBy(w trace.LoadWindow, dirs []string) (figure.Load, error) {
	load := figure.Load{WindowPs: w.FromPs - w.BeginPs}
	records := make([]steady.Record, len(dirs))
	for i, dir := range dirs {
		var err error
		if records[i], err = readLoad(dir, w.BeginPs); err != nil {
			return load, fmt.Errorf("whether the run was in steady state: %w", err)
		}
		v := records[i].Judge(w.FromPs, w.Asked, w.CapacityBps)
		load.Offered, load.Carried = append(load.Offered, v.Offered), append(load.Carried, v.Carried)
	}
	load.Steady = steady.Mean(records).Judge(w.FromPs, w.Asked, w.CapacityBps)
	load.Steady.FromPs, load.Steady.ToPs = w.FromPs, w.ToPs
	return load, nil
}

// readLoad reads a run's table load, whose first bin begins at beginPs.
func readLoad(dir string, beginPs int64) (steady.Record, error) {
	record := steady.Record{BeginPs: beginPs}
	columns := []table.Column{
		{Name: "time_ps", Type: table.Int}, {Name: "offered_bps", Type: table.Float},
		{Name: "carried_bps", Type: table.Float}, {Name: "active_flows", Type: table.Float},
	}
	err := table.Scan(dir, trace.LoadTable.Name, columns, func(rows *table.Rows) error {
		for i := range rows.N {
			if record.BinPs == 0 {
				record.BinPs = rows.Int(0, i) - beginPs
			}
			bytes := float64(record.BinPs) / 8e12 // for each bit/s
			record.OfferedBytes = append(record.OfferedBytes, rows.Float(1, i)*bytes)
			record.CarriedBytes = append(record.CarriedBytes, rows.Float(2, i)*bytes)
			record.ActiveFlows = append(record.ActiveFlows, rows.Float(3, i))
		}
		return nil
	})
	return record, err
}
