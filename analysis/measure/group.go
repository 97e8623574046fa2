package measure

import (
	"fmt"
	"maps"
	"slices"

	"fabriclab/analysis/table"
	"fabriclab/base/units"
)

func init() {
	register(Kind{
		Name: "group_time", Quantity: Time, Better: Lower,
		Title: "first start to last payload byte of the flows of `group`: completion time of a job",
		From:  []string{"flows"},
		Needs: []string{"group"},
		Take:  groupTime,
	})
	register(Kind{
		Name: "group_throughput", Quantity: Share, Better: Higher,
		Title:  "payload of a group / (its time × mean rate of the receiver's link): throughput of an incast round; mean over the groups, or one `group`",
		From:   []string{"flows"},
		Allows: []string{"group"},
		Take:   groupThroughput,
	})
}

// A Group is the flows of one group. Group 0, which is none, is left out.
type Group struct {
	ID         int64
	Flows      int
	Unfinished int
	Measured   bool   // all of them start inside the measuring window
	Receiver   string // "" where they have several
	Bytes      int64  // payload
	Start, End int64  // ps: the first start, -1 where none has started; the last end of those that finished
}

// Groups reads the groups of a run by their number.
func Groups(dir string) ([]Group, error) {
	found := map[int64]*Group{}
	columns := append(table.Ints("group", "size_bytes", "start_ps", "end_ps"),
		table.Column{Name: "finished", Type: table.Bool}, table.Column{Name: "measured", Type: table.Bool},
		table.Column{Name: "dst", Type: table.String})
	err := table.Scan(dir, "flows", columns, func(r *table.Rows) error {
		for i := range r.N {
			id := r.Int(0, i)
			if id == 0 {
				continue
			}
			g := found[id]
			if g == nil {
				g = &Group{ID: id, Start: -1, End: r.Int(3, i), Measured: true, Receiver: r.String(6, i)}
				found[id] = g
			}
			g.Flows++
			g.Bytes += r.Int(1, i)
			if start := r.Int(2, i); start >= 0 && (g.Start < 0 || start < g.Start) {
				g.Start = start
			}
			g.End = max(g.End, r.Int(3, i))
			g.Measured = g.Measured && r.Bool(5, i)
			if !r.Bool(4, i) {
				g.Unfinished++
			}
			if !r.Is(6, i, g.Receiver) {
				g.Receiver = ""
			}
		}
		return nil
	})
	var groups []Group
	for _, id := range slices.Sorted(maps.Keys(found)) {
		groups = append(groups, *found[id])
	}
	return groups, err
}

// Time is how long the group took, in ps, from its first start to its last
// payload byte at a receiver. A group of which a flow did not finish has none.
func (g Group) Time() (int64, error) {
	if g.Unfinished > 0 {
		return 0, fmt.Errorf("%d of %d flows of group %d did not finish", g.Unfinished, g.Flows, g.ID)
	}
	if g.End <= g.Start {
		return 0, fmt.Errorf("group %d takes no time", g.ID)
	}
	return g.End - g.Start, nil
}

// Throughput is the payload of the group over its time, in bit/s.
func (g Group) Throughput() (float64, error) {
	ps, err := g.Time()
	if err != nil {
		return 0, err
	}
	return float64(g.Bytes) * 8 / (float64(ps) / float64(units.Second)), nil
}

// OneGroup is a group by its number.
func OneGroup(groups []Group, id int64) (Group, error) {
	for _, g := range groups {
		if g.ID == id {
			return g, nil
		}
	}
	return Group{}, fmt.Errorf("there is no flow of group %d; the groups are numbered from 1 (docs/workloads.md)", id)
}

// groupsOf are the groups that the measure is over: those of which all flows are
// measured, or the one that it names.
func groupsOf(x in) ([]Group, error) {
	groups, err := Groups(x.dir)
	if err != nil {
		return nil, err
	}
	if x.m.Group != nil {
		one, err := OneGroup(groups, *x.m.Group)
		return []Group{one}, inRun(x.dir, err)
	}
	if len(groups) == 0 {
		return nil, inRun(x.dir, fmt.Errorf("no flow is of a group; incasts, jobs and collectives have them (docs/workloads.md)"))
	}
	measured := slices.DeleteFunc(groups, func(g Group) bool { return !g.Measured })
	if len(measured) == 0 {
		return nil, inRun(x.dir, fmt.Errorf("there is no group whose flows all start in the measuring window; lengthen run.measure, or name a group"))
	}
	return measured, nil
}

func groupTime(x in) (float64, error) {
	groups, err := Groups(x.dir)
	if err != nil {
		return 0, err
	}
	g, err := OneGroup(groups, *x.m.Group)
	if err != nil {
		return 0, inRun(x.dir, err)
	}
	took, err := g.Time()
	return float64(took), inRun(x.dir, err)
}

// groupThroughput is over the rate of the receiver's own link, the mean over
// the groups.
func groupThroughput(x in) (float64, error) {
	groups, err := groupsOf(x)
	if err != nil {
		return 0, err
	}
	network, err := table.ReadNetwork(x.dir)
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for _, g := range groups {
		throughput, err := g.Throughput()
		if err != nil {
			return 0, inRun(x.dir, err)
		}
		link, err := network.AccessRate(g.Receiver, g.Start, g.End)
		if err != nil {
			return 0, inRun(x.dir, fmt.Errorf("group %d: %w", g.ID, err))
		}
		sum += throughput / link
	}
	return sum / float64(len(groups)), nil
}
