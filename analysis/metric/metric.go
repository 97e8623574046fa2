// Package metric is the list of what is measured of every run, whatever it is
// a run of: the columns of a sweep's table and what two sets of results are
// compared by (docs/how-to/sweep-results.md).
package metric

import (
	"slices"

	"fabriclab/analysis/fct"
	"fabriclab/analysis/measure"
	"fabriclab/analysis/spec"
)

// Metric is one number of every run.
type Metric struct {
	Name string
	// Unit is a base unit (B, s, 1, with a metric prefix when it is shown), or
	// that of a measure in a figure section (us, KB, %, …).
	Unit   string
	Help   string
	Better measure.Better
	// Volatile metrics depend on the machine and on what else it does; all
	// others are the same bytes whenever the same run is made again.
	Volatile bool
}

// A Value is what a metric came to in a run.
type Value struct {
	Metric *Metric
	// Value is measure.Never for a time that does not come.
	Value float64
	// Err says why there is no value, if there is none: the metric is not
	// defined for the run, or its table was not recorded.
	Err error
}

// entry is a metric with how it is taken.
type entry struct {
	Metric
	take func(*taker) (float64, error)
}

var registry = slices.Concat(slowdowns(), []entry{
	{Metric{"flows_finished", "1", "measured flows of limited size that finished", measure.Higher, false}, flowsFinished},
	{Metric{"flows_unfinished", "1", "measured flows of limited size that started and did not finish", measure.Lower, false}, flowsUnfinished},
	{Metric{"delivered_bytes", "B", "payload that arrived, of all flows", measure.Higher, false}, counter("data_bytes_delivered")},
	{Metric{"retransmitted_bytes", "B", "payload that was sent again", measure.Lower, false}, counter("retransmitted_bytes")},
	{Metric{"queue_mean", "B", "mean length of the recorded queue whose mean is longest", measure.Lower, false}, ofQueues(func(q queueStats) float64 { return q.mean })},
	{Metric{"queue_p99", "B", "length that 99 % of the samples do not exceed, of the recorded queue where it is longest", measure.Lower, false}, ofQueues(func(q queueStats) float64 { return q.p99 })},
	{Metric{"queue_max", "B", "longest that any recorded queue ever was", measure.Lower, false}, ofQueues(func(q queueStats) float64 { return q.max })},
	{Metric{"link_utilisation", "1", "wire bytes over what the link could carry, from the start to the end of the run, of the busiest recorded port", measure.Higher, false}, ofLinks(func(l linkStats) float64 { return l.utilisation })},
	{Metric{"link_goodput", "1", "payload over what the link could carry, from the start to the end of the run, of the recorded port with the most", measure.Higher, false}, ofLinks(func(l linkStats) float64 { return l.goodput })},
	{Metric{"link_paused", "s", "how long the recorded port that was paused longest was paused", measure.Lower, false}, ofLinks(func(l linkStats) float64 { return l.paused })},
	{Metric{"pause_frames", "1", "PFC XOFF frames sent in the whole network", measure.Lower, false}, counter("xoff_sent")},
	{Metric{"drops", "1", "dropped packets", measure.Lower, false}, counter("drops")},
	{Metric{"marks", "1", "packets marked by ECN", measure.Neither, false}, counter("marks")},
	{Metric{"fairness", "1", "Jain's index of what the flows had acknowledged while all of them were active", measure.Higher, false}, fairnessIndex},
	{Metric{"convergence_time", "s", "from the start of the last flow until all rates stay within 10 % of the fair share for 50 us, where all flows go to one host", measure.Lower, false}, convergenceTime},
	{Metric{"simulated_time", "s", "simulated time at the end of the run", measure.Neither, false}, func(t *taker) (float64, error) { return float64(t.summary.SimPs) / 1e12, nil }},
	{Metric{"packet_hops", "1", "frames that arrived at a node", measure.Neither, false}, func(t *taker) (float64, error) { return float64(t.summary.PacketHops), nil }},
	{Metric{"events", "1", "events the engine ran; engines differ", measure.Neither, false}, func(t *taker) (float64, error) { return float64(t.summary.Events), nil }},
	{Metric{"wall_time", "s", "time the simulator took", measure.Lower, true}, func(t *taker) (float64, error) { return t.summary.Resources.WallS, nil }},
	{Metric{"cpu_time", "s", "CPU time the simulator took, user and system", measure.Lower, true}, func(t *taker) (float64, error) {
		return t.summary.Resources.CPUUserS + t.summary.Resources.CPUSysS, nil
	}},
	{Metric{"peak_memory", "B", "most memory the simulator held", measure.Lower, true}, func(t *taker) (float64, error) {
		return t.summary.Resources.PeakRSSBytes, nil
	}},
})

// slowdowns has a metric for every statistic of the completion times.
func slowdowns() []entry {
	var list []entry
	for _, name := range fct.Names {
		m := Metric{"fct_slowdown_" + name, "1", name + " of the measured flows' completion time over the ideal one", measure.Lower, false}
		list = append(list, entry{m, func(t *taker) (float64, error) { return t.slowdown(name) }})
	}
	return list
}

// All lists the metrics there are for every run.
func All() []*Metric {
	list := make([]*Metric, len(registry))
	for i := range registry {
		list[i] = &registry[i].Metric
	}
	return list
}

// figurePrefix is before the names of the measures of a figure section.
const figurePrefix = "figure."

// Figure lists the measures of a figure section as metrics.
func Figure(f *spec.Figure) []*Metric {
	var list []*Metric
	for _, name := range f.Measures.Names {
		m := f.Measures.Items[name]
		list = append(list, &Metric{Name: figurePrefix + name, Unit: m.Unit, Help: m.Text, Better: measure.BetterOf(m.Kind)})
	}
	return list
}
