package lab

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"fabriclab/harness/engine/engines"
	"fabriclab/harness/store"
)

// madeBy counts the runs that each build has made.
type madeBy map[simulated]map[string]int

// simulated are the runs of an experiment on an engine.
type simulated struct{ experiment, engine string }

func (b madeBy) add(m *store.Manifest) {
	of := simulated{m.Experiment, m.Engine.Name}
	if b[of] == nil {
		b[of] = map[string]int{}
	}
	b[of][m.Engine.BuildID]++
}

// sorted are all experiments and engines.
func (b madeBy) sorted() []simulated {
	return slices.SortedFunc(maps.Keys(b), func(x, y simulated) int {
		return cmp.Or(cmp.Compare(x.experiment, y.experiment), cmp.Compare(x.engine, y.engine))
	})
}

// mixed are those whose runs several builds have made.
func (b madeBy) mixed() []simulated {
	return slices.DeleteFunc(b.sorted(), func(of simulated) bool { return len(b[of]) == 1 })
}

// text says which builds made the runs.
func (b madeBy) text(of simulated) string {
	var parts []string
	for _, id := range slices.Sorted(maps.Keys(b[of])) {
		parts = append(parts, fmt.Sprintf("%d of build %.12s", b[of][id], id))
	}
	return fmt.Sprintf("the runs of %s on %s were made by %d builds (%s), whose results may differ", of.experiment, of.engine, len(parts), strings.Join(parts, ", "))
}

// checkBuilds refuses runs of an experiment that several builds have made, and
// warns where the one build is not the checkout's. Nothing is built for that:
// where the checkout's build is not known, it says so.
func (lab *Lab) checkBuilds(ctx context.Context, made madeBy, experiment string, mixed bool) error {
	for _, of := range made.mixed() {
		if !mixed {
			return fmt.Errorf("%s; make those of other builds anew with: fabriclab run %s; or take them as they are with --mixed-builds", made.text(of), experiment)
		}
		fmt.Fprintf(lab.Err, "warning: %s\n", made.text(of))
	}
	b, err := lab.Builder()
	if err != nil {
		return err
	}
	for _, of := range made.sorted() {
		e, err := engines.ByName(of.engine)
		if err != nil {
			return err
		}
		present, err := b.Present(ctx, e)
		if err != nil {
			fmt.Fprintf(lab.Err, "note: not checked whether the runs on %s are of the checkout's build: %v\n", of.engine, err)
			continue
		}
		if made[of][present.BuildID] == 0 {
			fmt.Fprintf(lab.Err, "warning: no run of %s on %s is of the checkout's build %.12s; fabriclab run %[1]s makes them anew\n", experiment, of.engine, present.BuildID)
		}
	}
	return nil
}
