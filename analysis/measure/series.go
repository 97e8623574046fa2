package measure

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"fabriclab/analysis/series"
	"fabriclab/analysis/spec"
)

// seriesKinds are what a time plot can show.
var seriesKinds = map[string]struct {
	quantity Quantity
	needs    string
}{
	"queue":        {Bytes, "port and class"},
	"queue_max":    {Bytes, "port and class"},
	"rate":         {Rate, "flow"},
	"goodput":      {Rate, "flow"},
	"utilisation":  {Share, "port and count"},
	"arrival_rate": {Rate, "flow"},
	"optimal_rate": {Rate, "flow"},
	"table":        {Any, "table and column"},
}

// SeriesKinds lists what a time plot can show, with the units.
func SeriesKinds() map[string][]string {
	list := map[string][]string{}
	for name, k := range seriesKinds {
		if list[name] = Units(k.quantity); k.quantity == Any {
			list[name] = nil
		}
	}
	return list
}

// CheckSeries says what is wrong with a plotted series, before any run.
func CheckSeries(f *spec.Figure, s spec.Series) error {
	k, ok := seriesKinds[s.Kind]
	if !ok {
		return unknown("kind of series", s.Kind, slices.Sorted(maps.Keys(seriesKinds)))
	}
	if _, err := Scale(k.quantity, s.Unit); err != nil {
		return fmt.Errorf("unit: %w", err)
	}
	port := s.Port != "" || s.PortBy != nil
	for _, have := range []struct {
		key         string
		given, used bool
	}{
		{"table", s.Table != "", s.Kind == "table"},
		{"column", s.Column.Column != "", s.Kind == "table"},
		{"port", port, strings.HasPrefix(k.needs, "port")},
		{"class", s.Class != nil, k.needs == "port and class"},
		{"count", s.Count != "", k.needs == "port and count"},
		{"flow", s.Flow != nil, k.needs == "flow"},
	} {
		if have.used && !have.given {
			return fmt.Errorf("%s needs %s", s.Kind, k.needs)
		}
		if have.given && !have.used && (have.key != "port" || s.Kind != "table") {
			return fmt.Errorf("%s does not take %s", s.Kind, have.key)
		}
	}
	if s.Interval != 0 && s.Kind != "goodput" && s.Kind != "utilisation" {
		return fmt.Errorf("%s does not take interval", s.Kind)
	}
	if s.Where != nil && s.Kind != "table" {
		return fmt.Errorf("%s does not take where", s.Kind)
	}
	if s.Kind == "table" {
		if err := checkColumn(f, s.Column, s.Unit, true); err != nil {
			return err
		}
	}
	return checkSource(f, s.Source)
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
