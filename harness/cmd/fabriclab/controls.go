package main

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"fabriclab/analysis/claims"
	"fabriclab/base/columns"
	"fabriclab/harness/lab/plan"
	"fabriclab/harness/lab/records"
)

// controls prints what the claims of figures come to under their controls. It is
// an error that one still holds.
func (a *app) controls(ctx context.Context, ids []string, s plan.Selection) error {
	all, err := records.Controls(ctx, a.Lab, ids, s)
	if err != nil {
		return err
	}
	passing := 0
	w := columns.New(a.Out)
	for _, id := range slices.Sorted(maps.Keys(all)) {
		if a.Set.JSON {
			if err := a.Print(map[string]any{"figure": id, "controls": all[id]}); err != nil {
				return err
			}
		}
		for _, r := range all[id] {
			state := "fails, as it has to"
			switch {
			case r.Passes():
				state = "STILL HOLDS"
				passing++
			case r.Control == "":
				state, r.Control = "no control", r.Note
			case r.Under == claims.NotEvaluated:
				state = "not evaluated: " + r.Note
			case r.Verdict != claims.Reproduced:
				state = "the claim itself is " + r.Verdict
			case r.Under == claims.Inconclusive:
				state = "inconclusive: it holds in some seeds"
			}
			if !a.Set.JSON {
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", id, r.ID, r.Control, state)
			}
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if passing > 0 {
		return fmt.Errorf("%d claims hold with their control too, so they cannot fail; make them stricter, or mark them superseded", passing)
	}
	return nil
}
