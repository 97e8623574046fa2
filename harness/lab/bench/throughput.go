package bench

import (
	"context"
	"fmt"
	"io"
	"time"

	"fabriclab/harness/lab"
	"fabriclab/harness/lab/plan"
	"fabriclab/harness/lab/sweeps"
	"fabriclab/harness/run"
)

// Sweep is the sweep that is measured when bench is called without files.
const Sweep = "bench/sweep"

// throughput is how many runs a sweep makes in a second, by the number that
// run at a time.
type throughput struct {
	Experiment string           `json:"experiment"`
	Engine     string           `json:"engine"`
	Runs       int              `json:"runs"`
	Steps      []throughputStep `json:"steps"`
	// Ratio is the runs per second of the last step over those of the first,
	// which has one run at a time. Runs share memory, caches and disk, so that
	// it is below the number of jobs.
	Ratio float64 `json:"ratio"`
}

type throughputStep struct {
	Jobs     int     `json:"jobs"`
	WallS    float64 `json:"wall_s"`
	RunsPerS float64 `json:"runs_per_s"`
}

// throughputs makes all runs of a sweep with one at a time, then with as many
// as --jobs says, on each of its engines.
func throughputs(ctx context.Context, lab *lab.Lab, name string) ([]throughput, error) {
	plans, err := plan.Of(ctx, lab, []string{name}, plan.Selection{})
	if err != nil {
		return nil, err
	}
	opt, err := sweeps.Options(lab)
	if err != nil {
		return nil, err
	}
	display := lab.Display()
	defer display.Close()
	opt.Again, opt.Sink = true, display
	var all []throughput
	for _, engineName := range plans[0].Engines {
		t := throughput{Experiment: plans[0].Name, Engine: engineName}
		var jobs []run.Job
		for _, j := range plans[0].Jobs {
			if j.Key.Engine == engineName {
				jobs = append(jobs, j)
			}
		}
		t.Runs = len(jobs)
		steps := []int{1}
		if lab.Set.Jobs > 1 {
			steps = append(steps, lab.Set.Jobs)
		}
		for _, n := range steps {
			opt.Jobs = n
			begin := time.Now()
			for _, r := range (run.Local{Options: opt}).Run(ctx, jobs) {
				if r.Err != nil {
					return nil, r.Err
				}
			}
			wall := time.Since(begin).Seconds()
			t.Steps = append(t.Steps, throughputStep{Jobs: n, WallS: wall, RunsPerS: float64(len(jobs)) / wall})
		}
		t.Ratio = t.Steps[len(t.Steps)-1].RunsPerS / t.Steps[0].RunsPerS
		all = append(all, t)
	}
	return all, nil
}

func (t *throughput) show(out io.Writer) error {
	fmt.Fprintf(out, "sweep of %d runs, %s on %s:", t.Runs, t.Experiment, t.Engine)
	for i, s := range t.Steps {
		if i > 0 {
			fmt.Fprint(out, ",")
		}
		fmt.Fprintf(out, " %.2f runs/s with --jobs %d", s.RunsPerS, s.Jobs)
	}
	if len(t.Steps) > 1 {
		fmt.Fprintf(out, ": %.2f times", t.Ratio)
	}
	_, err := fmt.Fprintln(out)
	return err
}
