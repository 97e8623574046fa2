package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"fabriclab/harness/engine/engines"
	"fabriclab/harness/parity"
	"fabriclab/harness/run"
)

func (a *app) parityCommand() *cobra.Command {
	var update bool
	var digests string
	cmd := &cobra.Command{
		Use:   "parity FILE…",
		Short: "check that both engines give the same tables, to the picosecond and the byte",
		Long: `parity runs every point of the experiments on all engines that are installed and
compares their tables row by row, then with the digests in ci/parity, which were
made with all engines. On a machine without OMNeT++ the digests stand for it.`,
		Args: cobra.MinimumNArgs(1), ValidArgsFunction: a.completeExperiments(false),
		RunE: func(cmd *cobra.Command, args []string) error {
			if digests == "" {
				root, err := a.findRoot()
				if err != nil {
					return err
				}
				digests = filepath.Join(root, "ci", "parity")
			}
			a.set.engines = nil
			for _, e := range engines.All() {
				if _, err := e.Find(); err != nil {
					if update {
						return fmt.Errorf("digests are renewed with all engines only: %w", err)
					}
					fmt.Fprintf(a.err, "%s is not here; its digests stand for it\n", e.Title())
					continue
				}
				a.set.engines = append(a.set.engines, e.Name())
			}
			done, err := a.runAll(cmd.Context(), args, selection{})
			if err != nil {
				return err
			}
			differ := false
			for _, d := range done {
				same, err := a.compareEngines(d, digests, update)
				if err != nil {
					return err
				}
				differ = differ || !same
			}
			if differ {
				return errors.New("the tables are not the same on all engines")
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&update, "update", false, "renew the digests; needs all engines, and that they agree")
	cmd.Flags().StringVar(&digests, "digests", "", "folder of the digests (default: ci/parity in the checkout)")
	return cmd
}

// compareEngines compares the runs of an experiment with each other and with
// its digest, or renews the digest.
func (a *app) compareEngines(d finished, folder string, update bool) (same bool, err error) {
	if len(d.results) != len(d.Points)*len(d.Engines)*len(d.Seeds) {
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
		runs := d.results[i*len(d.Engines)*seeds : (i+1)*len(d.Engines)*seeds]
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
				fmt.Fprintf(a.out, "%s %s seed %d differs\n", d.Name, point, seed)
				for _, text := range differences {
					fmt.Fprintf(a.out, "  %s\n", text)
				}
			}
		}
	}
	fmt.Fprintf(a.out, "%s: %d of %d runs are the same on %s\n", d.Name, len(fresh.Runs)-bad, len(fresh.Runs), against(d.Engines, known))
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
