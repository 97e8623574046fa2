package claims

import (
	"fmt"
	"slices"

	"fabriclab/analysis/spec"
	"fabriclab/base/catalog"
)

// checkRole checks what a claim says of its part: a check of the set-up,
// superseded, and its control.
func checkRole(f *spec.Figure, c spec.Claim, matrix Matrix) error {
	if s := c.Superseded; s != nil {
		ids := make([]string, len(f.Claims))
		for i, other := range f.Claims {
			ids[i] = other.ID
		}
		switch {
		case s.Reason == "" || s.Last == "":
			return fmt.Errorf("superseded needs reason, what was wrong with the claim, and last, what it came to")
		case s.By == c.ID:
			return fmt.Errorf("superseded by itself; name the claim in its place")
		case s.By != "" && !slices.Contains(ids, s.By):
			return fmt.Errorf("superseded by %q, which is no claim of this figure%s", s.By, catalog.Hint(s.By, ids))
		}
	}
	if c.Control != nil {
		if err := checkControl(f, c, matrix); err != nil {
			return fmt.Errorf("control: %w", err)
		}
	}
	return nil
}
