package measure

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"fabriclab/analysis/series"
	"fabriclab/analysis/table"
)

func init() {
	register(Kind{
		Name: "join_time", Quantity: Time, Better: Lower, Events: true,
		Title: "events: new flows to the host `node` while others run. `stat` over the events of the time until all flows to `node` stay within 10 % of an equal share of `port`'s link for `hold` (50 us). Never if another flow starts or one ends before",
		From:  []string{"rates.rate_bps", "flows"},
		Needs: []string{"node", "port", "stat"}, Allows: []string{"window", "hold"},
		Take: statOf(joinTimes), Spread: joinTimes,
	})
}

// A joining is a time at which flows to a host start beside others.
type joining struct {
	at, until int64   // until the next start or the first end
	flows     []int64 // all that are active then
}

// joinings are those in the window, in the order of time.
func joinings(dir, host string, w series.Window) ([]joining, error) {
	end, err := table.RunEnd(dir)
	if err != nil {
		return nil, err
	}
	var to []flow
	err = eachFlow(dir, end, func(f flow) bool {
		if f.dst == host {
			to = append(to, f)
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(to, func(a, b flow) int { return cmp.Compare(a.start, b.start) })
	var list []joining
	var active []flow
	for i := 0; i < len(to); {
		at := to[i].start
		active = slices.DeleteFunc(active, func(f flow) bool { return f.end <= at })
		for ; i < len(to) && to[i].start == at; i++ {
			active = append(active, to[i])
		}
		if len(active) < 2 || w != (series.Window{}) && (at < w.From || at >= w.To) {
			continue
		}
		j := joining{at: at, until: end}
		if i < len(to) {
			j.until = to[i].start
		}
		for _, f := range active {
			j.flows, j.until = append(j.flows, f.id), min(j.until, f.end)
		}
		list = append(list, j)
	}
	return list, nil
}

// JoinTimes are how long after each start in the window all flows to the host
// take until their rates are within 10 % of an equal share of the link and stay
// so for hold; Never where the next start or an end comes before. Starts beside
// no other flow are left out.
func JoinTimes(dir, host string, link float64, w series.Window, hold int64) ([]float64, error) {
	list, err := joinings(dir, host, w)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, inRun(dir, fmt.Errorf("no flow to %q starts beside another one in the window", host))
	}
	var ids []int64
	for _, j := range list {
		ids = append(ids, j.flows...)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	rates, err := FlowRates(dir, Pacing, ids)
	if err != nil {
		return nil, err
	}
	r, err := ranOf(dir)
	if err != nil {
		return nil, err
	}
	times := make([]float64, 0, len(list))
	for _, j := range list {
		together := make([]series.Series, len(j.flows))
		for i, id := range j.flows {
			at, _ := slices.BinarySearch(ids, id)
			together[i] = rates[at].In(series.Window{From: j.at, To: j.until})
		}
		at := fairTimeFor(together, link/float64(len(j.flows)), j.at, hold)
		if err := r.lacks("rates", series.Window{From: j.at, To: j.until}); at == Never && err != nil {
			return nil, err
		}
		times = append(times, math.Max(0, at-float64(j.at)))
	}
	return times, nil
}

// joinTimes are the values of join_time.
func joinTimes(x in) ([]float64, error) {
	link, err := linkRate(x.dir, x.port)
	if err != nil {
		return nil, err
	}
	return JoinTimes(x.dir, x.m.Node, link, x.window, x.hold(Hold))
}
