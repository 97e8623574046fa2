// Package agreement compares what the engines make of an experiment, with each
// other and with digests.
package agreement

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"fabriclab/base/units"
	"fabriclab/harness/lab"
	"fabriclab/harness/lab/plan"
	"fabriclab/harness/lab/sweeps"
	"fabriclab/harness/parity"
	"fabriclab/harness/run"
)

// Check runs experiments on all engines that are here and compares what comes
// out with each other and with the digests in a folder ("" is the checkout's),
// or renews the digests.
func Check(ctx context.Context, lab *lab.Lab, names []string, s plan.Selection, digests string, update bool) error {
	here, absent, err := lab.Here()
	if err == nil && digests == "" {
		digests, err = Digests(lab)
	}
	switch {
	case err != nil:
		return err
	case len(here) == 0:
		return fmt.Errorf("parity runs engines, and here is none: %w", absent)
	case update && len(here) == 1:
		return fmt.Errorf("digests are renewed where two engines agree, and here is only %s: %w", here[0], absent)
	}
	_, err = check(ctx, lab, here, absent, names, s, digests, update)
	return err
}

// CheckDigest runs an experiment, at the lab's scale, on one engine and compares what
// comes out with its digest. It returns the parts of the sources that the runs used,
// with their hashes.
func CheckDigest(ctx context.Context, lab *lab.Lab, engine, name string) (map[string]string, error) {
	digests, err := Digests(lab)
	if err != nil {
		return nil, err
	}
	all, err := check(ctx, lab, []string{engine}, nil, []string{name}, plan.Selection{}, digests, false)
	parts := map[string]string{}
	for _, runs := range all {
		for _, r := range runs.Results {
			maps.Copy(parts, r.Manifest.Engine.Sources)
		}
	}
	return parts, err
}

// check is Check on some engines; absent says why the others are not among them. It
// returns the runs if nothing differs.
func check(ctx context.Context, lab *lab.Lab, here []string, absent error, names []string, s plan.Selection, digests string, update bool) ([]sweeps.Runs, error) {
	lab.Set.Engines = here
	experiments, err := plan.Load(ctx, lab, names, s)
	if err != nil {
		return nil, err
	}
	known := map[string]*parity.Digest{}
	for _, e := range experiments {
		if len(s.Sets) > 0 && len(here) > 1 {
			continue // a digest is of the experiment as it is
		}
		if len(s.Sets) > 0 {
			return nil, fmt.Errorf("with --set engines are compared with each other, and here is only %s: %w", here[0], absent)
		}
		if known[e.Name], err = digest(lab, e, digests, update); err != nil {
			return nil, err
		}
	}
	plans, err := plan.Make(ctx, lab, experiments)
	if err != nil {
		return nil, err
	}
	all, err := sweeps.Tables(ctx, lab, plans)
	if err != nil {
		return nil, err
	}
	differ := false
	for _, runs := range all {
		same, err := sameOnAllEngines(lab, runs, known[runs.Name], digests, update)
		if err != nil {
			return nil, err
		}
		differ = differ || !same
	}
	if differ {
		return nil, errors.New("parity fails; see above")
	}
	return all, nil
}

// CheckAll does it with all experiments that have a digest, each at the scale
// of its digest.
func CheckAll(ctx context.Context, lab *lab.Lab, digests string, update bool) error {
	if digests == "" {
		var err error
		if digests, err = Digests(lab); err != nil {
			return err
		}
	}
	all, err := parity.Files(digests)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return fmt.Errorf("there are no digests in %s; make one with fabriclab parity FILE --update", digests)
	}
	byScale := map[string][]string{}
	for _, d := range all {
		byScale[d.Scale] = append(byScale[d.Scale], d.Experiment)
	}
	var problems []error
	for _, scale := range slices.Sorted(maps.Keys(byScale)) {
		lab.Set.Scale = scale
		if err := Check(ctx, lab, byScale[scale], plan.Selection{}, digests, update); err != nil {
			problems = append(problems, fmt.Errorf("scale %s: %w", scale, err))
		}
	}
	return errors.Join(problems...)
}

// Digests is the folder of the digests of the project, else of the checkout.
func Digests(lab *lab.Lab) (string, error) {
	home, err := lab.Home()
	return filepath.Join(home, "ci", "parity"), err
}

// digest is an experiment's digest. An experiment without one, as people's own
// are, is compared on the engines alone, if there are several.
func digest(lab *lab.Lab, e plan.Experiment, folder string, update bool) (*parity.Digest, error) {
	if update {
		return nil, nil
	}
	known, missing := parity.Load(folder, e.Name, e.Scale)
	if !errors.Is(missing, fs.ErrNotExist) {
		return known, missing
	}
	scales, err := parity.Scales(folder, e.Name)
	if err != nil {
		return nil, err
	}
	there := ""
	if len(scales) > 0 {
		there = "; there is one with --scale " + strings.Join(scales, " and --scale ")
	}
	if len(e.Engines) < 2 {
		return nil, fmt.Errorf("%s: there is nothing to compare with: %s is the only engine here, and %w%s", e.File, strings.Join(e.Engines, ""), missing, there)
	}
	fmt.Fprintf(lab.Err, "%s has no digest at scale %s: its tables are compared on %s alone%s\n", e.Name, e.Scale, strings.Join(e.Engines, " and "), there)
	return nil, nil
}

// sameOnAllEngines compares the runs of an experiment with each other and with
// its digest, if there is one, or renews the digest.
func sameOnAllEngines(lab *lab.Lab, d sweeps.Runs, known *parity.Digest, folder string, update bool) (same bool, err error) {
	if len(d.Results) != len(d.Points)*len(d.Engines)*len(d.Seeds) {
		return false, fmt.Errorf("%s: its matrix says on which engine a point runs, and parity compares points that run on all; take engine out of the matrix", d.File)
	}
	fresh := &parity.Digest{Experiment: d.Name, Scale: d.Scale, Engines: map[string]string{}}
	// Jobs are ordered by point, then engine, then seed.
	seeds, all, bad := len(d.Seeds), 0, 0
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
			fresh.Add(is)
			all++
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
	fmt.Fprintf(lab.Out, "%s: %d of %d runs are the same on %s\n", d.Name, all-bad, all, against(d.Engines, known))
	if known != nil {
		unmet := known.Unmet(fresh)
		for _, name := range unmet {
			fmt.Fprintf(lab.Out, "%s %s is in the digest, and no longer in the experiment\n", d.Name, name)
		}
		bad += len(unmet)
	}
	if update && bad == 0 {
		return renew(lab, fresh, folder)
	}
	return bad == 0, nil
}

// renew writes a digest, unless it could not tell points apart.
func renew(lab *lab.Lab, fresh *parity.Digest, folder string) (ok bool, err error) {
	if equal := fresh.Equal(); len(equal) > 0 {
		fmt.Fprintf(lab.Out, "%s: not renewed: these points have the same tables, so the digest could not tell them apart; make the scale %s longer, or leave all but one out of its matrix (exclude):\n", fresh.Experiment, fresh.Scale)
		for _, group := range equal {
			fmt.Fprintf(lab.Out, "  %s\n", strings.Join(group, " = "))
		}
		return false, nil
	}
	old, err := parity.Load(folder, fresh.Experiment, fresh.Scale)
	if errors.Is(err, fs.ErrNotExist) {
		old, err = &parity.Digest{}, nil
	}
	if err != nil {
		return false, err
	}
	moved := fresh.Keep(old)
	fmt.Fprintf(lab.Out, "%s: %s moved, came or went; there are %d\n", fresh.Experiment, units.Count(len(moved), "point"), len(fresh.Points))
	for _, point := range moved {
		fmt.Fprintf(lab.Out, "  %s\n", point)
	}
	return true, fresh.Save(folder)
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
