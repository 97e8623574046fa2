package sweeps

import (
	"context"
	"errors"
	"fmt"
	"io"

	"fabriclab/base/columns"
	"fabriclab/base/units"
	"fabriclab/harness/lab"
	"fabriclab/harness/lab/plan"
	"fabriclab/harness/progress"
	"fabriclab/harness/run"
	"fabriclab/harness/store"
)

// DryRun prints what run would do, and runs nothing. Programs that are stale
// are built: which results are valid depends on the build.
func DryRun(ctx context.Context, lab *lab.Lab, names []string, s plan.Selection) error {
	plans, err := plan.Of(ctx, lab, names, s)
	if err != nil {
		return err
	}
	opt, err := Options(lab)
	if err != nil {
		return err
	}
	events := progress.NewJSON(lab.Out)
	var total forecast
	seen := map[store.Key]bool{}
	for _, p := range plans {
		f := foresee(p, opt, seen)
		total.valid, total.toRun = total.valid+f.valid, total.toRun+f.toRun
		if lab.Set.JSON {
			for _, e := range f.events {
				events.Event(e)
			}
			continue
		}
		if err := f.show(lab.Out, p); err != nil {
			return err
		}
	}
	if lab.Set.JSON {
		return nil
	}
	_, err = fmt.Fprintf(lab.Out, "%s: %d valid, %d to run\n", units.Count(total.valid+total.toRun, "run"), total.valid, total.toRun)
	return err
}

// forecast is what run would do with the jobs of an experiment.
type forecast struct {
	valid, toRun int
	events       []progress.Event
	rows         []*forecastRow
	damaged      []error
}

// forecastRow is a point on an engine, with the seeds that have a valid result
// and those that have none.
type forecastRow struct {
	point, engine, hash string
	valid, toRun        []uint64
}

// foresee looks for the results of jobs; seen are those of which one was the
// same as one before.
func foresee(p plan.Plan, opt run.Options, seen map[store.Key]bool) *forecast {
	f := &forecast{}
	var row *forecastRow
	for i, j := range p.Jobs {
		point := plan.PointName(p.PointOf[i])
		if row == nil || row.point != point || row.engine != j.Key.Engine || row.hash != j.Key.ScenarioHash {
			row = &forecastRow{point: point, engine: j.Key.Engine, hash: j.Key.ScenarioHash}
			f.rows = append(f.rows, row)
		}
		err := store.ErrNoRun
		if !opt.Again {
			_, err = opt.Store.Find(j.Key, j.Program.BuildID, opt.Verify)
		}
		event := j.Queued()
		if err == nil {
			row.valid = append(row.valid, j.Key.Seed)
			event.Kind, event.Dir = progress.Cached, opt.Store.Dir(j.Key)
		} else {
			row.toRun = append(row.toRun, j.Key.Seed)
		}
		if seen[j.Key] {
			continue
		}
		seen[j.Key] = true
		f.events = append(f.events, event)
		switch {
		case err == nil:
			f.valid++
		case !errors.Is(err, store.ErrNoRun):
			f.damaged = append(f.damaged, err)
			fallthrough
		default:
			f.toRun++
		}
	}
	return f
}

func (f *forecast) show(out io.Writer, p plan.Plan) error {
	if err := plan.ShowHead(out, p.Experiment); err != nil {
		return err
	}
	w := columns.New(out)
	fmt.Fprintln(w, "  point\tengine\tscenario\tvalid seeds\tseeds to run")
	for _, r := range f.rows {
		fmt.Fprintf(w, "  %s\t%s\t%s\t%s\t%s\n", r.point, r.engine, r.hash, plan.SeedRanges(r.valid), plan.SeedRanges(r.toRun))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, err := range f.damaged {
		fmt.Fprintf(out, "warning: %v\n", err)
	}
	return nil
}
