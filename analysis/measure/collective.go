package measure

import (
	"fmt"
	"maps"
	"slices"

	"fabriclab/analysis/stats"
	"fabriclab/analysis/table"
)

func init() {
	register(Kind{
		Name: "collective_time", Quantity: Time, Better: Lower,
		Title: "`stat` over the groups (or one `group`) of first start to last payload byte ([workloads.md](workloads.md#collectives))",
		From:  []string{"flows"},
		Needs: []string{"stat"}, Allows: []string{"group"},
		Take: statOf(collectiveTimes), Spread: collectiveTimes,
	})
	register(Kind{
		Name: "iteration_time", Quantity: Time, Better: Lower,
		Title: "`stat` of the time from a group's first start to that of the next group; in a mix of jobs, name the group",
		From:  []string{"flows"},
		Needs: []string{"stat"}, Allows: []string{"group"},
		Take: statOf(iterationTimes), Spread: iterationTimes,
	})
	register(Kind{
		Name: "bus_bandwidth", Quantity: Rate, Better: Higher,
		Title: "`stat` of payload / (senders × time of the group): NCCL's bus bandwidth, for a ring all-reduce 2(n - 1)/n × size / time; hosts count, not ranks",
		From:  []string{"flows"},
		Needs: []string{"stat"}, Allows: []string{"group"},
		Take: statOf(busBandwidths), Spread: busBandwidths,
	})
	register(Kind{
		Name: "bus_share", Quantity: Share, Better: Higher,
		Title: "bus bandwidth over the mean rate of the senders' links",
		From:  []string{"flows"},
		Needs: []string{"stat"}, Allows: []string{"group"},
		Take: statOf(busShares), Spread: busShares,
	})
	register(Kind{
		Name: "straggler_delay", Quantity: Time, Better: Lower,
		Title: "`stat` of how much later the last receiver has everything than the median one",
		From:  []string{"flows"},
		Needs: []string{"stat"}, Allows: []string{"group"},
		Take: statOf(stragglerDelays), Spread: stragglerDelays,
	})
}

// A Collective is a group's messages: an iteration of a collective operation.
type Collective struct {
	Group
	senders []string
	got     map[string]int64 // by receiver: when it had all, ps
}

// collectives are the groups that the measure is over.
func collectives(x in) ([]Collective, error) {
	groups, err := groupsOf(x)
	if err != nil {
		return nil, err
	}
	for _, g := range groups {
		if _, err := g.Time(); err != nil {
			return nil, inRun(x.dir, err)
		}
	}
	return Collectives(x.dir, groups)
}

// Collectives reads who takes part in groups of a run.
func Collectives(dir string, groups []Group) ([]Collective, error) {
	list, place := make([]Collective, len(groups)), map[int64]int{}
	senders := make([]map[string]bool, len(groups))
	for i, g := range groups {
		list[i] = Collective{Group: g, got: map[string]int64{}}
		senders[i], place[g.ID] = map[string]bool{}, i
	}
	columns := append(table.Ints("group", "end_ps"), table.Column{Name: "src", Type: table.String}, table.Column{Name: "dst", Type: table.String})
	err := table.Scan(dir, "flows", columns, func(r *table.Rows) error {
		for row := range r.N {
			i, wanted := place[r.Int(0, row)]
			if !wanted {
				continue
			}
			senders[i][r.String(2, row)] = true
			dst := r.String(3, row)
			list[i].got[dst] = max(list[i].got[dst], r.Int(1, row))
		}
		return nil
	})
	for i := range list {
		list[i].senders = slices.Sorted(maps.Keys(senders[i]))
	}
	return list, err
}

// Straggler is the receiver that has all of its bytes last, and how much later that
// is than for the median one, in ps.
func (c Collective) Straggler() (host string, behind float64, err error) {
	var ends []float64
	for _, receiver := range slices.Sorted(maps.Keys(c.got)) {
		ends = append(ends, float64(c.got[receiver]-c.Start))
		if host == "" || c.got[receiver] > c.got[host] {
			host = receiver
		}
	}
	median, err := stats.Of(ends, "median")
	return host, slices.Max(ends) - median, err
}

// ofCollectives takes a value of each.
func ofCollectives(value func(Collective) (float64, error)) func(in) ([]float64, error) {
	return func(x in) ([]float64, error) {
		list, err := collectives(x)
		if err != nil {
			return nil, err
		}
		values := make([]float64, len(list))
		for i, c := range list {
			if values[i], err = value(c); err != nil {
				return nil, inRun(x.dir, err)
			}
		}
		return values, nil
	}
}

// collectiveTimes are from the first start to the last byte.
var collectiveTimes = ofCollectives(func(c Collective) (float64, error) {
	ps, err := c.Time()
	return float64(ps), err
})

// stragglerDelays are how much later the last receiver has all than the median
// one.
var stragglerDelays = ofCollectives(func(c Collective) (float64, error) {
	_, behind, err := c.Straggler()
	return behind, err
})

// busBandwidth is what a sender sends over the time, the mean of all senders:
// for the operations of NCCL what its tests call the bus bandwidth.
func (c Collective) busBandwidth() (float64, error) {
	bps, err := c.Throughput()
	return bps / float64(len(c.senders)), err
}

var busBandwidths = ofCollectives(Collective.busBandwidth)

// busShares are the bus bandwidths over the mean rate of the senders' links
// meanwhile.
func busShares(x in) ([]float64, error) {
	network, err := table.ReadNetwork(x.dir)
	if err != nil {
		return nil, err
	}
	return ofCollectives(func(c Collective) (float64, error) {
		sum := 0.0
		for _, host := range c.senders {
			rate, err := network.AccessRate(host, c.Start, c.End)
			if err != nil {
				return 0, err
			}
			sum += rate
		}
		bps, err := c.busBandwidth()
		return bps / (sum / float64(len(c.senders))), err
	})(x)
}

// iterationTimes are from the first start of a group to that of the group with
// the next number: of all measured ones that have a next one, or of the one that
// the measure names.
func iterationTimes(x in) ([]float64, error) {
	groups, err := Groups(x.dir)
	if err != nil {
		return nil, err
	}
	var values []float64
	for i := 1; i < len(groups); i++ {
		this, next := groups[i-1], groups[i]
		if this.Start < 0 || next.Start < 0 || next.ID != this.ID+1 {
			continue
		}
		if named := x.m.Group != nil; named && *x.m.Group != this.ID || !named && !this.Measured {
			continue
		}
		if next.Start <= this.Start {
			return nil, inRun(x.dir, fmt.Errorf("group %d does not start after group %d, so they are no iterations of one job; name the group of an iteration", next.ID, this.ID))
		}
		values = append(values, float64(next.Start-this.Start))
	}
	if len(values) == 0 {
		return nil, inRun(x.dir, fmt.Errorf("there are no two groups of numbers that follow each other and have started, the first of them in the measuring window: one iteration alone has no time to the next one"))
	}
	return values, nil
}
