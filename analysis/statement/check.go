package statement

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"fabriclab/analysis/claims"
	"fabriclab/analysis/spec"
	"fabriclab/base/catalog"
)

// A Loose claim of a figure decides no statement, does not check the set-up and is
// not superseded.
type Loose struct {
	Figure string
	spec.Claim
}

// Check holds a paper's statements against its figures, by id. Every claim that a
// statement names has to be there, and loose claims are listed. References learn the
// range of their claims' numbers.
func (f *File) Check(figures map[string][]spec.Claim) ([]Loose, error) {
	var problems []error
	var loose []Loose
	decides := map[string]map[string]bool{}
	for _, s := range f.Statements {
		for i := range s.Claims {
			ref := &s.Claims[i]
			claim, err := find(*ref, figures)
			if err != nil {
				problems = append(problems, fmt.Errorf("%s:%d: statement %s: %w", f.Path, ref.Line, s.ID, err))
				continue
			}
			if claim.Expected != nil {
				limit := claims.Limit(claim)
				ref.Range = claims.Num(*claim.Expected-limit) + " to " + claims.Num(*claim.Expected+limit)
			}
			if decides[ref.Figure] == nil {
				decides[ref.Figure] = map[string]bool{}
			}
			decides[ref.Figure][claim.ID] = true
		}
	}
	for _, figure := range slices.Sorted(maps.Keys(figures)) {
		for _, c := range figures[figure] {
			if !decides[figure][c.ID] && c.Check == "" && c.Superseded == nil {
				loose = append(loose, Loose{figure, c})
			}
		}
	}
	return loose, errors.Join(problems...)
}

// find is the claim that a reference means.
func find(ref Reference, figures map[string][]spec.Claim) (spec.Claim, error) {
	list, known := figures[ref.Figure]
	if !known {
		return spec.Claim{}, fmt.Errorf("there is no figure %q%s", ref.Figure, catalog.Hint(ref.Figure, slices.Collect(maps.Keys(figures))))
	}
	var ids []string
	for _, c := range list {
		ids = append(ids, c.ID)
		rest, below := strings.CutPrefix(ref.Claim, c.ID)
		if !below || rest != "" && (rest[0] != '/' || strings.Count(rest, "/") != len(c.Each)) {
			continue
		}
		switch {
		case c.Superseded != nil:
			return c, fmt.Errorf("claim %s of %s is superseded and judged no more; name the one in its place", c.ID, ref.Figure)
		case c.Check != "":
			return c, fmt.Errorf("claim %s of %s is a check of the set-up and decides nothing", c.ID, ref.Figure)
		}
		return c, nil
	}
	return spec.Claim{}, fmt.Errorf("%s has no claim %q%s", ref.Figure, ref.Claim, catalog.Hint(ref.Claim, ids))
}
