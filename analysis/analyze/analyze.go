// Package analyze sums up the tables of one run as text: flows, completion
// times, queues, links, pauses and drops.
package analyze

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"fabriclab/analysis/claims"
	"fabriclab/analysis/fct"
	"fabriclab/analysis/measure"
	"fabriclab/analysis/series"
	"fabriclab/analysis/table"
	"fabriclab/base/columns"
	"fabriclab/base/units"
)

// flowRows is how many flows are listed one by one.
const flowRows = 20

// bins are the edges of the flow sizes, in bytes.
var bins = []int64{0, 10e3, 100e3, 1e6, 10e6, math.MaxInt64}

// Run sums up the run in dir. A table that was not recorded is said to be
// missing; a damaged one is an error.
func Run(dir string) (string, error) {
	network, err := table.ReadNetwork(dir)
	if err != nil {
		return "", err
	}
	r := &report{dir: dir, network: network}
	for _, part := range []func() error{r.flows, r.slowdowns, r.groups, r.queues, r.links, r.pauses, r.drops} {
		err := part()
		switch {
		case errors.Is(err, table.ErrMissing):
			r.printf("  not recorded\n")
		case err != nil:
			return "", err
		}
	}
	return r.b.String(), nil
}

type report struct {
	dir     string
	network *table.Network
	b       strings.Builder
}

func (r *report) printf(format string, args ...any) { fmt.Fprintf(&r.b, format, args...) }

// section starts a part of the report.
func (r *report) section(title string) { r.printf("\n%s\n", title) }

// rows writes a table; cells of a row are separated by tabs.
func (r *report) rows(head string, rows []string) error {
	w := columns.Right(&r.b)
	fmt.Fprintf(w, "  %s\t\n", head)
	for _, row := range rows {
		fmt.Fprintf(w, "  %s\t\n", row)
	}
	return w.Flush()
}

func (r *report) flows() error {
	r.section("Flows")
	columns := append(table.Ints("flow", "size_bytes", "start_ps", "fct_ps", "delivered_bytes", "retransmitted_bytes"),
		table.Column{Name: "finished", Type: table.Bool}, table.Column{Name: "src", Type: table.String},
		table.Column{Name: "dst", Type: table.String}, table.Column{Name: "slowdown", Type: table.Float})
	var total, finished, unlimited, delivered int64
	var rows []string
	err := table.Scan(r.dir, "flows", columns, func(t *table.Rows) error {
		for i := range t.N {
			total++
			delivered += t.Int(4, i)
			size, took, slowdown := units.FormatBytes(t.Int(1, i)), "unfinished", ""
			if t.Int(1, i) == 0 {
				unlimited++
				size, took = "unlimited", ""
			}
			if t.Bool(6, i) {
				finished++
				if !t.Null(3, i) {
					took = shortTime(t.Int(3, i))
				}
				if !t.Null(9, i) {
					slowdown = fmt.Sprintf("%.3f", t.Float(9, i))
				}
			}
			start := "waits"
			if t.Int(2, i) >= 0 {
				start = shortTime(t.Int(2, i))
			}
			if len(rows) < flowRows {
				rows = append(rows, fmt.Sprintf("%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s", t.Int(0, i), t.String(7, i), t.String(8, i), size,
					start, took, slowdown, shortBytes(t.Int(4, i)), shortBytes(t.Int(5, i))))
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	r.printf("  %d flows, %d finished, %d unlimited; %s of payload delivered\n", total, finished, unlimited, shortBytes(delivered))
	if err := r.rows("flow\tfrom\tto\tsize\tstart\tFCT\tslowdown\tdelivered\tretransmitted", rows); err != nil {
		return err
	}
	if total > flowRows {
		r.printf("  … and %d more\n", total-flowRows)
	}
	return nil
}

func (r *report) slowdowns() error {
	flows, err := fct.Read(r.dir, true)
	if errors.Is(err, table.ErrMissing) || err == nil && flows.Len() == 0 {
		return nil // said under Flows
	}
	if err != nil {
		return err
	}
	r.section("FCT slowdown by flow size")
	var rows []string
	for _, s := range flows.Bins(bins) {
		if s.Flows+s.Unfinished == 0 {
			continue
		}
		to := "and more"
		if s.To != math.MaxInt64 {
			to = "to " + units.FormatBytes(s.To)
		}
		row := fmt.Sprintf("%s %s\t%d\t%d", units.FormatBytes(s.From), to, s.Flows, s.Unfinished)
		for _, name := range fct.Names {
			v, err := s.Get(name)
			switch {
			case measure.IsBound(err):
				row += fmt.Sprintf("\t≥ %.3f", v)
			case err != nil:
				row += "\t–"
			default:
				row += fmt.Sprintf("\t%.3f", v)
			}
		}
		rows = append(rows, row)
	}
	return r.rows("size\tfinished\tunfinished\tmean\tmedian\tp95\tp99\tp99.9", rows)
}

// groups are jobs, incasts, and the iterations of collectives: whether one begins
// before the one before it is over, and who has its bytes last.
func (r *report) groups() error {
	groups, err := measure.Groups(r.dir)
	if errors.Is(err, table.ErrMissing) || err == nil && len(groups) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	listed, err := measure.Collectives(r.dir, groups[:min(len(groups), flowRows)])
	if err != nil {
		return err
	}
	r.section("Groups of flows: jobs, incasts, iterations of collectives")
	var rows []string
	for i, c := range listed {
		start, took, overlap, last := "waits", "unfinished", "", "\t"
		if c.Start >= 0 {
			start = shortTime(c.Start)
		}
		if i+1 < len(groups) && c.Start < groups[i+1].Start && groups[i+1].Start < c.End {
			overlap = shortTime(c.End - groups[i+1].Start)
		}
		if ps, err := c.Time(); err == nil {
			host, behind, err := c.Straggler()
			if err != nil {
				return err
			}
			took, last = shortTime(ps), host+"\t"+shortTime(int64(behind))
		}
		rows = append(rows, fmt.Sprintf("%d\t%d\t%s\t%s\t%s\t%s", c.ID, c.Flows, start, took, overlap, last))
	}
	if err := r.rows("group\tflows\tstart\ttime\toverlaps the next by\tlast receiver\tbehind the median by", rows); err != nil {
		return err
	}
	if more := len(groups) - len(listed); more > 0 {
		r.printf("  … and %d more\n", more)
	}
	return nil
}

func (r *report) queues() error {
	r.section("Queues")
	type key struct {
		port  string
		class int64
	}
	type sum struct{ peak, at, total, n int64 }
	queues := map[key]*sum{}
	columns := append(table.Ints("time_ps", "class", "bytes", "max_bytes"), table.Column{Name: "link", Type: table.String})
	err := table.Scan(r.dir, "queues", columns, func(t *table.Rows) error {
		for i := range t.N {
			k := key{t.String(4, i), t.Int(1, i)}
			s := queues[k]
			if s == nil {
				s = &sum{}
				queues[k] = s
			}
			if peak := t.Int(3, i); peak > s.peak {
				s.peak, s.at = peak, t.Int(0, i)
			}
			s.total += t.Int(2, i)
			s.n++
		}
		return nil
	})
	if err != nil {
		return err
	}
	keys := make([]key, 0, len(queues))
	for k, s := range queues {
		if s.peak > 0 {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(a, b key) int {
		if c := strings.Compare(a.port, b.port); c != 0 {
			return c
		}
		return int(a.class - b.class)
	})
	var rows []string
	for _, k := range keys {
		s := queues[k]
		rows = append(rows, fmt.Sprintf("%s\t%d\t%s\t%s\t%s", k.port, k.class, shortBytes(s.peak), shortTime(s.at), shortBytes(s.total/s.n)))
	}
	return r.listed(fmt.Sprintf("%d sampled, all empty", len(queues)), "port\tclass\tpeak\tby\tmean", rows)
}

// listed writes a table, or that nothing happened.
func (r *report) listed(nothing, head string, rows []string) error {
	if len(rows) == 0 {
		r.printf("  %s\n", nothing)
		return nil
	}
	return r.rows(head, rows)
}

func (r *report) links() error {
	r.section("Links")
	type sum struct{ time, sent, data, paused int64 }
	links := map[string]*sum{}
	columns := append(table.Ints("time_ps", "sent_bytes", "data_bytes", "paused_ps"), table.Column{Name: "link", Type: table.String})
	err := table.Scan(r.dir, "links", columns, func(t *table.Rows) error {
		for i := range t.N {
			name := t.String(4, i)
			if links[name] == nil {
				links[name] = &sum{}
			}
			*links[name] = sum{t.Int(0, i), t.Int(1, i), t.Int(2, i), t.Int(3, i)}
		}
		return nil
	})
	if err != nil {
		return err
	}
	names := make([]string, 0, len(links))
	for name, s := range links {
		if s.sent > 0 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var rows []string
	for _, name := range names {
		s := links[name]
		rate, err := r.network.MeanRate(name, 0, s.time)
		if err != nil {
			return err
		}
		capacity := rate / 8 * float64(s.time) / 1e12
		rows = append(rows, fmt.Sprintf("%s\t%s\t%.2f %%\t%.2f %%\t%s", name, units.FormatRate(int64(rate)),
			100*float64(s.sent)/capacity, 100*float64(s.data)/capacity, shortTime(s.paused)))
	}
	return r.listed(fmt.Sprintf("%d sampled, all silent", len(links)), "port\trate\tall bytes\tpayload\tpaused", rows)
}

func (r *report) pauses() error {
	r.section("Pause frames sent")
	counts, err := measure.PausesSent(r.dir, series.Window{From: -1, To: math.MaxInt64})
	if err != nil {
		return err
	}
	keys := make([]measure.PauseKey, 0, len(counts))
	for k := range counts {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b measure.PauseKey) int {
		if c := strings.Compare(a.Port, b.Port); c != 0 {
			return c
		}
		return int(a.Class - b.Class)
	})
	var rows []string
	for _, k := range keys {
		rows = append(rows, fmt.Sprintf("%s\t%d\t%d\t%d", k.Port, k.Class, counts[k].Xoff, counts[k].Xon))
	}
	return r.listed("none", "port\tclass\tXOFF\tXON", rows)
}

func (r *report) drops() error {
	r.section("Drops")
	type key struct{ port, reason string }
	counts := map[key]int{}
	columns := []table.Column{{Name: "link", Type: table.String}, {Name: "reason", Type: table.String}}
	err := table.Scan(r.dir, "drops", columns, func(t *table.Rows) error {
		for i := range t.N {
			counts[key{t.String(0, i), t.String(1, i)}]++
		}
		return nil
	})
	if err != nil {
		return err
	}
	var rows []string
	for k, n := range counts {
		rows = append(rows, fmt.Sprintf("%s\t%s\t%d", k.port, k.reason, n))
	}
	slices.Sort(rows)
	return r.listed("none", "port\treason\tpackets", rows)
}

// shortTime and shortBytes write with four significant digits.
func shortTime(ps int64) string {
	return short(float64(ps), []string{"ps", "ns", "us", "ms", "s"})
}

func shortBytes(n int64) string { return short(float64(n), []string{"B", "KB", "MB", "GB", "TB"}) }

func short(v float64, names []string) string {
	i := 0
	for ; i < len(names)-1 && math.Abs(v) >= 1000; i++ {
		v /= 1000
	}
	return claims.Num(v) + names[i]
}
