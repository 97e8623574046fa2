package measure

import (
	"maps"
	"slices"

	"fabriclab/analysis/series"
	"fabriclab/analysis/spec"
	"fabriclab/base/reader"
)

// A seriesKind is what a line of a time plot can show.
type seriesKind struct {
	quantity Quantity
	needs    []string // of keys
	interval bool     // it may say over what time it is the mean
	from     []string // the table; the kind table: any
	measure  string   // the measure of the same, "" if there is none
}

var seriesKinds = map[string]seriesKind{
	"queue":        {Bytes, []string{"port", "class"}, false, []string{"queues"}, "queue_mean"},
	"queue_max":    {Bytes, []string{"port", "class"}, false, []string{"queues"}, "queue_peak"},
	"rate":         {Rate, []string{"flow"}, false, []string{"rates"}, "rate_share"},
	"goodput":      {Rate, []string{"flow"}, true, []string{"rates"}, "utilisation"},
	"utilisation":  {Share, []string{"port", "count"}, true, []string{"links"}, "utilisation"},
	"arrival_rate": {Rate, []string{"flow"}, false, []string{"arrivals"}, "throughput"},
	"optimal_rate": {Rate, []string{"flow"}, false, []string{"optimal_rates"}, ""},
	"table":        {Any, nil, false, nil, "table"},
}

// SeriesKinds lists what a time plot can show.
func SeriesKinds() []string { return slices.Sorted(maps.Keys(seriesKinds)) }

// asMeasure is the measure of what a series shows, "" if there is none, and asSeries
// the series of a measure.
func asMeasure(series string) string { return seriesKinds[series].measure }

func asSeries(measure string) string {
	for _, name := range SeriesKinds() {
		if measure != "" && seriesKinds[name].measure == measure {
			return name
		}
	}
	return ""
}

// ReadSeries reads what a line of a time plot shows.
func ReadSeries(s *reader.Section, f *spec.Figure) spec.Series {
	kind, k, ok := spec.ReadKind(s, "series", "queue", seriesKinds, asSeries)
	one := spec.Series{Kind: kind, Name: s.Str("name")}
	if !ok {
		return one
	}
	one.Unit = readUnit(s, k.quantity)
	m := spec.Measure{} // has the keys that both have
	for _, name := range k.needs {
		if name == "port" {
			spec.ReadPort(s, f, &m.Source, true)
			continue
		}
		s.Need(name, keys[name].example)
		keys[name].read(at{s, &m, nil, f})
	}
	if k.interval {
		keys["interval"].read(at{s, &m, nil, f})
	}
	if k.quantity == Any {
		s.Need("table", "queues")
		s.Need("column", "bytes")
		ReadColumn(s, &m.Column)
		spec.ReadPort(s, f, &m.Source, false)
		if m.Table != "" && m.Column.Column != "" {
			s.Fail(checkColumn(f, m.Column, one.Unit, true))
		}
	}
	one.Source, one.Column, one.Interval = m.Source, m.Column, m.Interval
	m.Kind = kind
	from := k.from
	if m.Table != "" {
		from = []string{m.Table}
	}
	check(s, f, m, from)
	s.Done()
	return one
}

// Series reads what a line of a time plot shows in a run, in the series' unit.
func Series(f *spec.Figure, s spec.Series, w series.Window, run spec.Run) (series.Series, error) {
	if err := run.Failure(); err != nil {
		return nil, err
	}
	scale, err := Scale(seriesKinds[s.Kind].quantity, s.Unit)
	if err != nil {
		return nil, err
	}
	out, err := read(f, s, w, run)
	if err != nil {
		return nil, err
	}
	scaled := make(series.Series, len(out))
	for i, p := range out {
		scaled[i] = series.Point{Time: p.Time, Value: p.Value / scale}
	}
	return scaled, nil
}

func read(f *spec.Figure, s spec.Series, w series.Window, run spec.Run) (series.Series, error) {
	switch s.Kind {
	case "table":
		return columnSeries(f, s, w, run)
	case "rate":
		list, err := FlowRates(run.Dir, Pacing, []int64{*s.Flow})
		if err != nil {
			return nil, err
		}
		return list[0].In(w), nil
	case "arrival_rate":
		s, err := ArrivalRate(run.Dir, *s.Flow)
		return s.In(w), err
	case "optimal_rate":
		s, err := OptimalRate(run.Dir, *s.Flow)
		return s.In(w), err
	case "goodput":
		list, err := Goodput(run.Dir, []int64{*s.Flow}, w, int64(s.Interval))
		if err != nil {
			return nil, err
		}
		return list[0], nil
	}
	port, err := portOf(f, s.Source, run)
	if err != nil {
		return nil, err
	}
	if s.Kind == "utilisation" {
		counter, err := LinkBytes(run.Dir, port, ByteCount(s.Count), w.From)
		if err != nil {
			return nil, inRun(run.Dir, err)
		}
		rate, err := meanRate(run.Dir, port)
		if err != nil {
			return nil, err
		}
		return UtilisationSeries(counter, rate, w, int64(s.Interval)), nil
	}
	class, err := classOf(*s.Class, run.Dir)
	if err != nil {
		return nil, err
	}
	samples, err := Queue(run.Dir, port, class, w)
	if s.Kind == "queue_max" {
		return samples.MaxBytes, err
	}
	return samples.Bytes, err
}
