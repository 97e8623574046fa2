package statement

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"fabriclab/analysis/spec"
	"fabriclab/base/catalog"
)

// Check holds a paper's statements against its figures, by id. Every claim that a
// statement names has to be there, and every claim of a figure has to decide a
// statement, to check the set-up or to be superseded.
func (f *File) Check(figures map[string][]spec.Claim) error {
	var problems []error
	decides := map[string]map[string]bool{}
	for _, s := range f.Statements {
		for _, ref := range s.Claims {
			id, err := find(ref, figures)
			if err != nil {
				problems = append(problems, fmt.Errorf("%s:%d: statement %s: %w", f.Path, ref.Line, s.ID, err))
				continue
			}
			if decides[ref.Figure] == nil {
				decides[ref.Figure] = map[string]bool{}
			}
			decides[ref.Figure][id] = true
		}
	}
	for _, figure := range slices.Sorted(maps.Keys(figures)) {
		for _, c := range figures[figure] {
			if !decides[figure][c.ID] && c.Check == "" && c.Superseded == nil {
				problems = append(problems, fmt.Errorf("%s: claim %s (line %d) decides no statement of %s; name it there, mark it with check or superseded, or delete it", figure, c.ID, c.Line, f.Path))
			}
		}
	}
	return errors.Join(problems...)
}

// find is the id of the claim that a reference means.
func find(ref Reference, figures map[string][]spec.Claim) (string, error) {
	claims, known := figures[ref.Figure]
	if !known {
		return "", fmt.Errorf("there is no figure %q%s", ref.Figure, catalog.Hint(ref.Figure, slices.Collect(maps.Keys(figures))))
	}
	var ids []string
	for _, c := range claims {
		ids = append(ids, c.ID)
		rest, below := strings.CutPrefix(ref.Claim, c.ID)
		if !below || rest != "" && (rest[0] != '/' || strings.Count(rest, "/") != len(c.Each)) {
			continue
		}
		switch {
		case c.Superseded != nil:
			return "", fmt.Errorf("claim %s of %s is superseded and judged no more; name the one in its place", c.ID, ref.Figure)
		case c.Check != "":
			return "", fmt.Errorf("claim %s of %s is a check of the set-up and decides nothing", c.ID, ref.Figure)
		}
		return c.ID, nil
	}
	return "", fmt.Errorf("%s has no claim %q%s", ref.Figure, ref.Claim, catalog.Hint(ref.Claim, ids))
}
