package steady

import (
	"fmt"

	"fabriclab/base/units"
)

// A Record is what a network did in equal bins, from BeginPs on.
type Record struct {
	BeginPs, BinPs int64
	OfferedBytes   []float64 // payload of the flows that started
	CarriedBytes   []float64 // payload delivered
	ActiveFlows    []float64 // mean
}

// lacking is the share of the load that may be missing from what is carried.
// More than that, and the window measures how queues fill.
const lacking = 0.1

// Active flows grow if they do by more than a tenth, and by so many standard
// errors that chance does it four times in a thousand: the quantile of Student's
// distribution with eight degrees of freedom, ten batches less two.
const (
	growing = 0.1
	certain = 3.5
)

// A Verdict says whether a window was in steady state. Loads are shares of the
// capacity that the workload's load is a share of.
type Verdict struct {
	// FromPs and ToPs are the window.
	FromPs  int64  `json:"from_ps,omitempty"`
	ToPs    int64  `json:"to_ps,omitempty"`
	Settled bool   `json:"settled"`
	Reason  string `json:"reason,omitempty"`
	// WarmupPs is the warm-up that the record asks for, -1 where it asks for
	// half of the record or more, or active flows go on growing.
	WarmupPs    int64   `json:"warmup_ps"`
	Asked       float64 `json:"asked"`
	Offered     float64 `json:"offered"`
	Carried     float64 `json:"carried"`
	ActiveFlows float64 `json:"active_flows"` // mean over the window
	// Emptying is the share of the measured flows' time after the last arrival;
	// 0 where it is next to nothing.
	Emptying float64 `json:"emptying,omitempty"`
}

// Mean is the mean of records of one system in the same bins, as several seeds
// give them. What starting empty does is the same in all of them, what chance
// does is not (Welch's method: A. M. Law, Simulation Modeling and Analysis,
// section 9.5.1).
func Mean(records []Record) Record {
	mean := Record{BeginPs: records[0].BeginPs, BinPs: records[0].BinPs}
	of := func(series func(Record) []float64) []float64 {
		sums := make([]float64, len(series(records[0])))
		for _, r := range records {
			for i, v := range series(r) {
				sums[i] += v / float64(len(records))
			}
		}
		return sums
	}
	mean.OfferedBytes = of(func(r Record) []float64 { return r.OfferedBytes })
	mean.CarriedBytes = of(func(r Record) []float64 { return r.CarriedBytes })
	mean.ActiveFlows = of(func(r Record) []float64 { return r.ActiveFlows })
	return mean
}

// Judge judges the window from fromPs to the end of the record.
func (r Record) Judge(fromPs int64, asked, capacityBps float64) Verdict {
	n := len(r.ActiveFlows)
	first := min(int((fromPs-r.BeginPs+r.BinPs-1)/r.BinPs), n-1)
	v := Verdict{Asked: asked}
	bits := capacityBps * float64(n-first) * float64(r.BinPs) / 1e12
	for i := first; i < n; i++ {
		v.Offered += r.OfferedBytes[i] * 8 / bits
		v.Carried += r.CarriedBytes[i] * 8 / bits
		v.ActiveFlows += r.ActiveFlows[i] / float64(n-first)
	}
	most := n / 2
	cut := max(Truncation(r.ActiveFlows, most), Truncation(r.CarriedBytes, most))
	v.WarmupPs = int64(cut) * r.BinPs
	share, errors := Growth(r.ActiveFlows[cut:])
	switch {
	// What asks for all that may be cut off would ask for more (White, 1997).
	case cut == most:
		v.WarmupPs = -1
		v.Reason = "active flows or the carried load drift up to the end of the window"
	case cut > first:
		v.Reason = fmt.Sprintf("it takes %s to settle, and the window begins after %s", units.FormatTime(v.WarmupPs), units.FormatTime(fromPs-r.BeginPs))
	case share > growing && errors > certain:
		v.WarmupPs = -1
		v.Reason = fmt.Sprintf("active flows grow by %.0f %% from %s to the end of the window", 100*share, units.FormatTime(int64(cut)*r.BinPs))
	// Of few large flows more may start than the target load has; that they
	// stay for a while is no sign of a transient.
	case v.Carried < (1-lacking)*min(v.Asked, v.Offered):
		v.Reason = fmt.Sprintf("%.0f %% of the load in the window stays in the network", 100*(1-v.Carried/min(v.Asked, v.Offered)))
	default:
		v.Settled = true
	}
	return v
}

func (v Verdict) String() string {
	text := fmt.Sprintf("target load %.2f, %.2f offered, %.2f carried in the window; %.4g active flows", v.Asked, v.Offered, v.Carried, v.ActiveFlows)
	if v.Offered == 0 && v.Carried == 0 { // of flows that were not recorded
		text = fmt.Sprintf("target load %.2f", v.Asked)
	}
	if v.Settled {
		return "settled: " + text
	}
	return "not settled: " + v.Reason + " (" + text + ")"
}
