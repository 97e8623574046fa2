// Package figure evaluates the `figure:` section of an experiment
// (docs/claims.md): it measures the runs, judges the claims, draws the plots
// and writes all of it into one directory.
package figure

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"

	"fabriclab/analysis/claims"
	"fabriclab/analysis/measure"
	"fabriclab/analysis/spec"
	"fabriclab/base/catalog"
	"fabriclab/base/reader"
)

// Decode reads and checks a figure section, as far as what it is about is known.
// The error is of type reader.Problems: all that is wrong.
func Decode(s *reader.Section, known spec.Known) (*spec.Figure, error) {
	f := spec.Read(s)
	f.Known = known
	matrix := claims.Matrix(known.Matrix)
	for _, e := range s.Entries("dimensions") {
		checkDimension(s.F.Section(e.Value, e.Key, e.Path), f.Dimensions.Items[e.Key.Value], matrix)
	}
	for _, e := range s.Entries("measures") {
		if !identifier.MatchString(e.Key.Value) || e.Key.Value == "never" {
			s.F.Problem(e.Key, "%s: a measure's name is used in expressions: write letters a-z, digits and _, such as queue_peak", e.Path)
		}
	}
	measure.Read(s, f)
	seen := map[string]bool{}
	all := spec.ReadClaims(s)
	for _, c := range all {
		f.Claims = append(f.Claims, c.Claim)
	}
	for _, c := range all {
		if c.ID == "" {
			continue // said already
		}
		values := matrix
		if !claims.AppliesAt(known.Scale, c.Scales) {
			values = nil // another scale's matrix may have more
		}
		c.At.Fail(claims.Check(f, c.Claim, values))
		if seen[c.ID] {
			c.At.Fail(reader.At("id", errors.New("another claim has this id")))
		}
		seen[c.ID] = true
	}
	seen = map[string]bool{"measures": true, "claims": true, "summary": true, "figure": true} // the other files
	for _, at := range s.Sections("plots") {
		p := readPlot(at, f, matrix)
		f.Plots = append(f.Plots, p)
		if seen[p.ID] {
			at.Fail(reader.At("id", errors.New("another plot or file has this id")))
		}
		seen[p.ID] = true
	}
	s.Done()
	return f, s.F.Err()
}

var (
	identifier = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	fileName   = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*$`)
)

func checkDimension(s *reader.Section, d spec.Dimension, matrix claims.Matrix) {
	if d.Path == "" || matrix == nil {
		return
	}
	values, ok := matrix[d.Path]
	if !ok {
		s.Fail(reader.At("path", fmt.Errorf("the matrix has no %q%s", d.Path, catalog.Hint(d.Path, slices.Sorted(maps.Keys(matrix))))))
		return
	}
	for _, e := range s.Entries("names") {
		if !slices.Contains(values, e.Key.Value) {
			s.F.Problem(e.Key, "%s: the matrix has no value %q%s", e.Path, e.Key.Value, catalog.Hint(e.Key.Value, values))
		}
	}
}

// ReadFile reads the figure section of an experiment's file alone, nil if it has
// none.
func ReadFile(path string) (*spec.Figure, error) {
	root, err := reader.Read(path)
	if err != nil {
		return nil, err
	}
	section := root.Part("figure")
	if section == nil {
		return nil, nil
	}
	return Decode(section, spec.Known{})
}
