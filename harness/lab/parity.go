package lab

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"fabriclab/harness/engine/engines"
	"fabriclab/harness/parity"
	"fabriclab/harness/run"
)

// Parity runs experiments on all engines that are here and compares what comes
// out with each other and with the digests in a folder ("" is the checkout's),
// or renews the digests.
func (lab *Lab) Parity(ctx context.Context, names []string, digests string, update bool) error {
	if digests == "" {
		root, err := lab.Root()
		if err != nil {
			return err
		}
		digests = filepath.Join(root, "ci", "parity")
	}
	lab.Set.Engines = nil
	for _, e := range engines.All() {
		if _, err := e.Find(); err != nil {
			if update {
				return fmt.Errorf("digests are renewed with all engines only: %w", err)
			}
			fmt.Fprintf(lab.Err, "%s is not here; its digests stand for it\n", e.Title())
			continue
		}
		lab.Set.Engines = append(lab.Set.Engines, e.Name())
	}
	all, err := lab.RunAll(ctx, names, Selection{})
	if err != nil {
		return err
	}
	differ := false
	for _, runs := range all {
		same, err := lab.sameOnAllEngines(runs, digests, update)
		if err != nil {
			return err
		}
		differ = differ || !same
	}
	if differ {
		return errors.New("the tables are not the same on all engines")
	}
	return nil
}

// sameOnAllEngines compares the runs of an experiment with each other and with
// its digest, or renews the digest.
func (lab *Lab) sameOnAllEngines(d Runs, folder string, update bool) (same bool, err error) {
	if len(d.Results) != len(d.Points)*len(d.Engines)*len(d.Seeds) {
		return false, fmt.Errorf("%s: its matrix says on which engine a point runs, and parity compares points that run on all; take engine out of the matrix", d.File)
	}
	var known *parity.Digest
	if !update {
		if known, err = parity.Load(folder, d.Name, d.Scale); err != nil {
			return false, err
		}
	}
	fresh := &parity.Digest{Experiment: d.Name, Scale: d.Scale, Engines: map[string]string{}}
	// Jobs are ordered by point, then engine, then seed.
	seeds, bad := len(d.Seeds), 0
	for i, point := range d.Points {
		runs := d.Results[i*len(d.Engines)*seeds : (i+1)*len(d.Engines)*seeds]
		for s, seed := range d.Seeds {
			var first run.Result
			var differences []string
			for e, name := range d.Engines {
				r := runs[e*seeds+s]
				if r.Err != nil {
					return false, r.Err
				}
				fresh.Engines[name] = r.Manifest.Engine.EngineVersion
				if e == 0 {
					first = r
					continue
				}
				found, err := parity.Compare(first.Dir, r.Dir)
				if err != nil {
					return false, err
				}
				for _, text := range found {
					differences = append(differences, d.Engines[0]+" and "+name+": "+text)
				}
			}
			tables, err := parity.Tables(first.Dir)
			if err != nil {
				return false, err
			}
			is := parity.Run{Point: point.String(), ScenarioHash: first.Job.Key.ScenarioHash, Seed: seed, Tables: tables}
			fresh.Runs = append(fresh.Runs, is)
			if known != nil {
				for _, text := range known.Check(is) {
					differences = append(differences, d.Engines[0]+" and the digest: "+text)
				}
			}
			if len(differences) > 0 {
				bad++
				fmt.Fprintf(lab.Out, "%s %s seed %d differs\n", d.Name, point, seed)
				for _, text := range differences {
					fmt.Fprintf(lab.Out, "  %s\n", text)
				}
			}
		}
	}
	fmt.Fprintf(lab.Out, "%s: %d of %d runs are the same on %s\n", d.Name, len(fresh.Runs)-bad, len(fresh.Runs), against(d.Engines, known))
	if update && bad == 0 {
		return true, fresh.Save(folder)
	}
	return bad == 0, nil
}

// against says what was compared.
func against(names []string, known *parity.Digest) string {
	text := ""
	for _, n := range names {
		if text != "" {
			text += ", "
		}
		text += n
	}
	if known != nil {
		text += " and in the digest"
	}
	return text
}
