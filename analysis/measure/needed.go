package measure

import (
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"fabriclab/analysis/series"
	"fabriclab/analysis/spec"
	"fabriclab/analysis/table"
	"fabriclab/base/reader"
	"fabriclab/base/units"
)

// needed is the time of which a measure needs its tables, and the key that says so.
// A window that only chooses events may be longer than the run, which ends at end.
func needed(f *spec.Figure, m spec.Measure, judged series.Window, end int64) (w series.Window, key string, ok bool) {
	k := kinds[m.Kind]
	switch {
	case m.Event != nil:
		at := int64(*m.Event)
		return series.Window{From: at - k.Before, To: at + k.After}, "event", true
	case m.Window != nil:
		w, err := f.Span(*m.Window, judged)
		if k.Events {
			w.To = min(w.To, end)
		}
		return w, "window", err == nil // an unknown name is said already
	}
	return series.Window{To: end}, "kind", k.Events
}

// short says what of the time that a measure needs a point's runs will not have.
func short(f *spec.Figure, m spec.Measure, from []string, setup spec.Setup) error {
	w, key, ok := needed(f, m, setup.Judged, setup.EndPs)
	if !ok {
		return nil
	}
	if setup.EndPs > 0 && w.To > setup.EndPs {
		return reader.At(key, fmt.Errorf("%s is beyond the end of the run at %s; write an earlier time, or a longer %s", endOf(m, w), units.FormatTime(setup.EndPs), setup.Ends))
	}
	for _, name := range tablesOf(from) {
		if err := atHand(m, setup.Tables[name], name, w); err != nil {
			return reader.At(key, err)
		}
	}
	return nil
}

// atHand says what of the time that a measure needs the table of a name does not have.
func atHand(m spec.Measure, recorded spec.Recorded, name string, w series.Window) error {
	if err := recorded.Lacks(name, w); err != nil {
		return err
	}
	if m.Window != nil && (kinds[m.Kind].Counts || m.Stat == "growth") {
		return recorded.Splits(name, w)
	}
	return nil
}

// endOf is the end of the time that a measure needs, in words.
func endOf(m spec.Measure, w series.Window) string {
	if m.Event == nil {
		return fmt.Sprintf("the window's end, %s,", units.FormatTime(w.To))
	}
	text := "the event at " + units.FormatTime(int64(*m.Event))
	if after := kinds[m.Kind].After; after > 0 {
		text += fmt.Sprintf(" with the %s after it", units.FormatTime(after))
	}
	return text
}

// ran is what is known of a run: its scenario and its summary.
type ran struct {
	dir     string
	network *table.Network
	summary summary
	setup   spec.Setup // what it records
}

// ranOf reads them. What is computed has none.
func ranOf(dir string) (r ran, err error) {
	r.dir = dir
	if r.network, err = table.ReadNetwork(dir); err == nil {
		err = table.Summary(dir, &r.summary)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return ran{dir: dir, network: &table.Network{}}, nil
	}
	if err == nil {
		r.setup = spec.Setup{
			Tables: r.network.Recorded, Classes: int(r.network.Classes), FlowCount: r.summary.Flows.Total,
			Ports: sync.OnceValue(r.network.Ports), SwitchPorts: sync.OnceValue(r.network.SwitchPorts),
		}
	}
	return r, err
}

// idle says whether the run ended because its flows had finished, so that nothing
// happens after it.
func (r ran) idle() bool {
	return r.network.EndsWithFlows && r.summary.Flows.Started == r.summary.Flows.Finished
}

// lacks says what of a time the run's table of a name does not have.
func (r ran) lacks(name string, w series.Window) error {
	return inRun(r.dir, r.network.Recorded[name].Lacks(name, w))
}

// recorded says what of that which a measure is over a run does not have.
func (t *Taker) recorded(m spec.Measure, port string, run spec.Run) error {
	k := kinds[m.Kind]
	if t.ran.dir != run.Dir {
		r, err := ranOf(run.Dir)
		if err != nil {
			return err
		}
		t.ran = r
	}
	r, end := t.ran, t.ran.summary.SimPs
	for _, name := range tablesOf(k.from(m)) {
		if err := leftOut(m, port, name, r.setup); err != nil {
			return inRun(run.Dir, err)
		}
	}
	w, _, ok := needed(t.f, m, run.Judged, end)
	if !ok {
		return nil
	}
	for _, name := range tablesOf(k.from(m)) {
		if err := atHand(m, r.setup.Tables[name], name, w); err != nil {
			return inRun(run.Dir, err)
		}
	}
	complete := k.Complete || m.Table != "" && (m.Stat == "growth" || r.network.Recorded[m.Table].IntervalPs == 0)
	if end > 0 && w.To > end && (!complete || !r.idle()) {
		return inRun(run.Dir, fmt.Errorf("%s is beyond the end of the run at %s; write an earlier time, or let the run go on", endOf(m, w), units.FormatTime(end)))
	}
	return nil
}
