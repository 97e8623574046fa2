package collected

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"fabriclab/harness/engine"
	"fabriclab/harness/engine/engines"
	"fabriclab/harness/lab"
	"fabriclab/harness/store"
)

// madeBy says what the runs of experiments were made from.
type madeBy map[simulated]*made

// simulated are the runs of an experiment on an engine.
type simulated struct{ experiment, engine string }

// made are runs, and how many of them are from which version of each part of
// the sources. Runs of one build have different parts, but of none several
// versions.
type made struct {
	runs  []*store.Manifest
	parts map[string]map[string]int
}

// simulatorPart stands for what a build depends on beside its sources.
const simulatorPart = "compiler, flags and simulator"

// madeFrom are the versions of all that a run depends on. Runs of an earlier
// fabriclab name but one build.
func madeFrom(m *store.Manifest) map[string]string {
	e := m.Engine
	if len(e.Sources) == 0 {
		return map[string]string{engine.Base: e.BuildID}
	}
	parts := maps.Clone(e.Sources)
	parts[simulatorPart] = versionText(engine.Version{Engine: e.Name, EngineVersion: e.EngineVersion, Compiler: e.Compiler, BuildType: e.BuildType, Flags: e.Flags, Libraries: e.Libraries})
	return parts
}

func versionText(v engine.Version) string { return engine.BuildID(nil, v) }

func (b madeBy) add(m *store.Manifest) {
	of := simulated{m.Experiment, m.Engine.Name}
	if b[of] == nil {
		b[of] = &made{parts: map[string]map[string]int{}}
	}
	b[of].runs = append(b[of].runs, m)
	for part, version := range madeFrom(m) {
		if b[of].parts[part] == nil {
			b[of].parts[part] = map[string]int{}
		}
		b[of].parts[part][version]++
	}
}

// sorted are all experiments and engines.
func (b madeBy) sorted() []simulated {
	return slices.SortedFunc(maps.Keys(b), func(x, y simulated) int {
		return cmp.Or(cmp.Compare(x.experiment, y.experiment), cmp.Compare(x.engine, y.engine))
	})
}

// mixed are those whose runs were made from several versions of a part.
func (b madeBy) mixed() []simulated {
	return slices.DeleteFunc(b.sorted(), func(of simulated) bool { return len(b[of].several()) == 0 })
}

func (m *made) several() []string {
	var parts []string
	for _, part := range slices.Sorted(maps.Keys(m.parts)) {
		if len(m.parts[part]) > 1 {
			parts = append(parts, part)
		}
	}
	return parts
}

// text says which versions the runs were made from.
func (b madeBy) text(of simulated) string {
	var parts []string
	for _, part := range b[of].several() {
		var versions []string
		for _, version := range slices.Sorted(maps.Keys(b[of].parts[part])) {
			versions = append(versions, fmt.Sprintf("%d of %.12s", b[of].parts[part][version], version))
		}
		parts = append(parts, part+": "+strings.Join(versions, ", "))
	}
	return fmt.Sprintf("the runs of %s on %s were made by several builds (runs by version of the sources: %s), whose results may differ", of.experiment, of.engine, strings.Join(parts, "; "))
}

// stale are the parts that are not those of a program, and how many runs use
// one of them.
func (m *made) stale(p *engine.Program) (parts []string, runs int) {
	present := maps.Clone(p.Sources.Hash)
	present[simulatorPart] = versionText(p.Version)
	for _, one := range m.runs {
		other := 0
		for part, version := range madeFrom(one) {
			if present[part] != version {
				other++
				parts = append(parts, part)
			}
		}
		runs += min(other, 1)
	}
	slices.Sort(parts)
	return slices.Compact(parts), runs
}

// checkBuilds refuses runs of an experiment that several builds have made, and
// warns where they are not of the checkout's build. Nothing is built for that:
// where the checkout's build is not known, it says so.
func checkBuilds(ctx context.Context, lab *lab.Lab, all madeBy, experiment string, mixed bool) error {
	for _, of := range all.mixed() {
		if !mixed {
			return fmt.Errorf("%s; make those of other builds anew with: fabriclab run %s; or take them as they are with --mixed-builds", all.text(of), experiment)
		}
		fmt.Fprintf(lab.Err, "warning: %s\n", all.text(of))
	}
	b, err := lab.Builder()
	if err != nil {
		return err
	}
	for _, of := range all.sorted() {
		e, err := engines.ByName(of.engine)
		if err != nil {
			return err
		}
		present, err := b.Present(ctx, e)
		if err != nil {
			fmt.Fprintf(lab.Err, "note: not checked whether the runs on %s are of the checkout's build: %v\n", of.engine, err)
			continue
		}
		if parts, runs := all[of].stale(present); runs > 0 {
			fmt.Fprintf(lab.Err, "warning: %d of %d runs of %s on %s are not of the checkout's build: %s changed since; fabriclab run %[3]s makes them anew\n", runs, len(all[of].runs), experiment, of.engine, strings.Join(parts, ", "))
		}
	}
	return nil
}
