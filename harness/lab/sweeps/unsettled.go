package sweeps

import (
	"fmt"
	"io"

	"fabriclab/base/columns"
	"fabriclab/base/steady"
	"fabriclab/harness/experiment"
	"fabriclab/harness/lab/plan"
)

// unsettled tells in one line, and a table, which runs of a sweep are not in steady
// state: a row for each point and engine, of its seeds.
func unsettled(out io.Writer, done []Runs) error {
	type key struct {
		point  *experiment.Point
		engine string
	}
	type row struct {
		name                    string
		runs, bad               int
		asked, offered, carried float64 // sums over the seeds
		why                     string  // of the first seed
	}
	rows := map[key]*row{}
	var order []key
	bad, all := 0, 0
	for _, d := range done {
		for i, r := range d.Results {
			if r.Manifest == nil || r.Manifest.Steady == nil {
				continue
			}
			v, k := r.Manifest.Steady, key{d.PointOf[i], r.Job.Key.Engine}
			if rows[k] == nil {
				rows[k] = &row{name: fmt.Sprintf("%s %s %s", d.Name, plan.PointName(k.point), k.engine)}
				order = append(order, k)
			}
			one := rows[k]
			one.runs, one.asked, one.offered, one.carried = one.runs+1, v.Asked, one.offered+v.Offered, one.carried+v.Carried
			all++
			if why := whyUnsettled(v); why != "" {
				one.bad++
				bad++
				if one.why == "" {
					one.why = why
				}
			}
		}
	}
	if bad == 0 {
		return nil
	}
	if _, err := fmt.Fprintf(out, "warning: %d of %d runs are not in steady state (docs/experiments.md, Steady state):\n", bad, all); err != nil {
		return err
	}
	w := columns.New(out)
	fmt.Fprintln(w, "  point\tseeds\ttarget load\toffered\tcarried\twhy")
	for _, k := range order {
		if one := rows[k]; one.bad > 0 {
			n := float64(one.runs)
			fmt.Fprintf(w, "  %s\t%d of %d\t%.2f\t%.2f\t%.2f\t%s\n", one.name, one.bad, one.runs, one.asked, one.offered/n, one.carried/n, one.why)
		}
	}
	return w.Flush()
}

// whyUnsettled says in a few words why a run is not in steady state; "" if it is.
func whyUnsettled(v *steady.Verdict) string {
	why := v.Reason
	if v.Emptying > 0 {
		if why != "" {
			why += "; "
		}
		why += fmt.Sprintf("%.0f %% of the measured flows' time is after the last arrival (workload.to)", 100*v.Emptying)
	}
	return why
}
