// Package optima computes rates of flows without a simulation: the oracle's and
// those of Flowtune's allocator.
package optima

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"fabriclab/base/file"
	"fabriclab/harness/lab"
	"fabriclab/harness/lab/oracle"
	"fabriclab/harness/lab/plan"
	"fabriclab/harness/progress"
	"fabriclab/harness/store"
)

// OracleFile says in a folder of optimal rates what they are of.
const OracleFile = "oracle.json"

// Optimum is what the oracle made.
type Optimum struct {
	Tool         store.Tool     `json:"tool"`
	Experiment   string         `json:"experiment"`
	Scale        string         `json:"scale"`
	Point        string         `json:"point"`
	ScenarioHash string         `json:"scenario_hash"`
	Seed         uint64         `json:"seed"`
	Utility      oracle.Utility `json:"utility"`
	oracle.Summary
	Dir string `json:"-"`
}

// Compute computes the optimal rates of an experiment's first point, for each of
// its seeds, and keeps them in the results folder or, if it is given, in a
// folder to. What was there before is replaced.
func Compute(ctx context.Context, lab *lab.Lab, name string, s plan.Selection, u oracle.Utility, to string) ([]Optimum, error) {
	s.Computed = true // refused with a better reason
	e, err := plan.LoadOne(ctx, lab, name, s)
	if err != nil {
		return nil, err
	}
	point := e.Points[0]
	o, err := oracle.New(point, u)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.File, err)
	}
	hash, err := point.Hash()
	if err != nil {
		return nil, err
	}
	if to != "" && len(e.Seeds) > 1 {
		return nil, fmt.Errorf("%d seeds do not go into one folder; choose one with --seed, or leave --to out", len(e.Seeds))
	}
	var all []Optimum
	for _, seed := range e.Seeds {
		one := Optimum{
			Tool: lab.Tool, Experiment: e.Name, Scale: e.Scale, Point: plan.PointName(point), ScenarioHash: hash, Seed: seed, Utility: u, Dir: to,
		}
		if to == "" {
			results, err := lab.ResultsDir()
			if err != nil {
				return nil, err
			}
			one.Dir = filepath.Join(results, "oracle", filepath.FromSlash(e.Name), hash, fmt.Sprintf("%s-seed%d", u, seed))
		}
		err := replace(one.Dir, "oracle", OracleFile, func(dir string) error {
			tell, end := computing(lab, fmt.Sprintf("%s seed %d", e.Name, seed))
			one.Summary, err = o.Write(ctx, dir, seed, tell)
			end()
			if err != nil {
				return fmt.Errorf("%s, seed %d: %w", e.File, seed, err)
			}
			text, err := json.MarshalIndent(one, "", "  ")
			if err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(dir, OracleFile), append(text, '\n'), 0o666)
		})
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

// computing shows how far something is that is no run of a simulator, until its
// end.
func computing(lab *lab.Lab, name string) (tell func(progress.Event), end func()) {
	display := progress.Show(lab.Err)
	tell = func(e progress.Event) {
		e.Time, e.Run = time.Now(), name
		display.Event(e)
	}
	tell(progress.Event{Kind: progress.Queued})
	return tell, display.Close
}

// replace makes a folder anew, all of it or nothing. What is in its place is only
// replaced if it is empty or has the file by which its kind is known.
func replace(dir, kind, mark string, write func(dir string) error) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, mark)); len(entries) > 0 && err != nil {
		return fmt.Errorf("%s holds something else than an %s (it has no %s); choose another folder with --to", dir, kind, mark)
	}
	return file.ReplaceFolder(dir, write)
}
