package measure

import (
	"slices"

	"fabriclab/analysis/fct"
	"fabriclab/analysis/spec"
)

// Measure is one number of a run. The standard ones are taken of every run,
// whatever it is a run of: the columns of a sweep's table and what two sets of
// results are compared by (docs/how-to/sweep-results.md).
type Measure struct {
	Name string
	// Unit is a base unit (B, s, 1, with an SI prefix when it is shown), or
	// that of a measure in a figure section (us, KB, %, …).
	Unit   string
	Help   string
	Better Better
	// Volatile measures depend on the machine and on what else it does; all
	// others are the same bytes whenever the same run is made again.
	Volatile bool
}

// A Value is what a measure came to in a run.
type Value struct {
	Measure *Measure
	// Value is Never for a time that does not come.
	Value float64
	// Err says why there is no value, if there is none: the measure is not
	// defined for the run, or its table was not recorded.
	Err error
}

// standard is a measure with how it is taken.
type standard struct {
	Measure
	take func(*tables) (float64, error)
}

var standards = slices.Concat(standardSlowdowns(), []standard{
	{Measure{"flows_finished", "1", "measured flows of limited size that finished", Higher, false}, flowsFinished},
	{Measure{"flows_unfinished", "1", "measured flows of limited size that started and did not finish", Lower, false}, flowsUnfinished},
	{Measure{deliveredBytes, "B", "payload that arrived, of all flows", Higher, false}, counter("data_bytes_delivered")},
	{Measure{"retransmitted_bytes", "B", "payload that was sent again", Lower, false}, counter("retransmitted_bytes")},
	{Measure{"queue_mean", "B", "mean length of the recorded queue whose mean is longest", Lower, false}, ofQueues(func(q queueStats) float64 { return q.mean })},
	{Measure{"queue_p99", "B", "length that 99 % of the samples do not exceed, of the recorded queue where it is longest", Lower, false}, ofQueues(func(q queueStats) float64 { return q.p99 })},
	{Measure{"queue_max", "B", "longest that any recorded queue ever was", Lower, false}, ofQueues(func(q queueStats) float64 { return q.max })},
	{Measure{"link_utilisation", "1", "wire bytes over what the link could carry, from the start to the end of the run, of the busiest recorded port", Higher, false}, ofLinks(func(l linkStats) float64 { return l.utilisation })},
	{Measure{"link_goodput", "1", "payload over what the link could carry, from the start to the end of the run, of the recorded port with the most", Higher, false}, ofLinks(func(l linkStats) float64 { return l.goodput })},
	{Measure{"link_paused", "s", "how long the recorded port that was paused longest was paused", Lower, false}, ofLinks(func(l linkStats) float64 { return l.paused })},
	{Measure{"pause_frames", "1", "PFC XOFF frames sent in the whole network", Lower, false}, counter("xoff_sent")},
	{Measure{"drops", "1", "dropped packets", Lower, false}, counter("drops")},
	{Measure{"marks", "1", "packets marked by ECN", Neither, false}, counter("marks")},
	{Measure{"fairness", "1", "Jain's index of what the flows had acknowledged while all of them were active", Higher, false}, fairnessIndex},
	{Measure{"convergence_time", "s", "from the start of the last flow until all rates stay within 10 % of the fair share for 50 us, where all flows go to one host", Lower, false}, convergenceTime},
	{Measure{"simulated_time", "s", "simulated time at the end of the run", Neither, false}, func(t *tables) (float64, error) { return float64(t.summary.SimPs) / 1e12, nil }},
	{Measure{"packet_hops", "1", "frames that arrived at a node", Neither, false}, func(t *tables) (float64, error) { return float64(t.summary.PacketHops), nil }},
	{Measure{"events", "1", "events the engine ran; engines differ", Neither, false}, func(t *tables) (float64, error) { return float64(t.summary.Events), nil }},
	{Measure{"wall_time", "s", "time the simulator took", Lower, true}, func(t *tables) (float64, error) { return t.summary.Resources.WallS, nil }},
	{Measure{"cpu_time", "s", "CPU time the simulator took, user and system", Lower, true}, func(t *tables) (float64, error) {
		return t.summary.Resources.CPUUserS + t.summary.Resources.CPUSysS, nil
	}},
	{Measure{"peak_memory", "B", "most memory the simulator held", Lower, true}, func(t *tables) (float64, error) {
		return t.summary.Resources.PeakRSSBytes, nil
	}},
})

const deliveredBytes = "delivered_bytes"

// deliveredAtTheEnd is delivered_bytes of a run that ends when its flows have
// finished: less is delivered of the other ones the sooner that is, which is no
// loss.
var deliveredAtTheEnd = Measure{deliveredBytes, "B", "payload that arrived, of all flows", Neither, false}

// standardSlowdowns has a measure for every statistic of the completion times.
func standardSlowdowns() []standard {
	var list []standard
	for _, name := range fct.Names {
		m := Measure{"fct_slowdown_" + name, "1", name + " of the measured flows' completion time over the ideal one", Lower, false}
		list = append(list, standard{m, func(t *tables) (float64, error) { return t.slowdown(name) }})
	}
	return list
}

// Standard lists the measures there are for every run.
func Standard() []*Measure {
	list := make([]*Measure, len(standards))
	for i := range standards {
		list[i] = &standards[i].Measure
	}
	return list
}

// figurePrefix is before the names of the measures of a figure section.
const figurePrefix = "figure."

// OfFigure lists the measures of a figure section as measures.
func OfFigure(f *spec.Figure) []*Measure {
	var list []*Measure
	for _, name := range f.Measures.Names {
		m := f.Measures.Items[name]
		list = append(list, &Measure{Name: figurePrefix + name, Unit: m.Unit, Help: m.Text, Better: BetterOf(m.Kind)})
	}
	return list
}
