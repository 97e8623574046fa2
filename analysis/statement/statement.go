// Package statement says what a paper states, once each, which claims of which
// figures decide it, and what the records of those figures come to: the verdicts
// (docs/claims.md, Statements).
package statement

import (
	"errors"
	"fmt"
	"slices"

	"fabriclab/base/reader"
)

// A File is what a paper states: configs/<paper>/statements.yaml.
type File struct {
	Path       string
	Paper      string
	Statements []Statement
	Choices    []Choice
}

// A Choice is what the text leaves open, and no reading tries: no other value can
// decide a statement, or none can be run.
type Choice struct {
	Name   string
	Source string // where the text leaves it open
	Chosen string
	Why    string // there is no reading, in one sentence
}

// A Statement is one thing that a paper says.
type Statement struct {
	ID     string
	Fact   string // in our words
	Number string // the paper's, if it has one
	Source string // section and figure
	// Claims decide it: all of them have to hold. None: no figure has it yet.
	Claims References
	// Lacks says what of the statement no claim decides yet, so it cannot hold.
	Lacks string
	// Untestable says why it cannot be tested.
	Untestable string
	// Recalled: from memory, as the text at hand has lost it; it counts apart.
	Recalled bool
	// Cause says in one sentence why it does not hold as it stands.
	Cause string
	Line  int
}

// A Reference is a claim of a figure, at all of its places or, with /VALUE behind
// its id, at one.
type Reference struct {
	Figure, Claim string
	Line          int
	// Range is from where to where the number may be, by Check; "" of other claims.
	Range string
}

// References are a mapping of figures to lists of claims.
type References []Reference

// Read reads a file strictly. The error is of type reader.Problems where the file
// is at fault: all that is wrong.
func Read(path string) (*File, error) {
	s, err := reader.Read(path)
	if err != nil {
		return nil, err
	}
	s.Need("paper", "FNCC")
	s.Need("statements", "[{id: F01, fact: …, source: …}]")
	f := &File{Path: path, Paper: s.Str("paper")}
	lines := map[string]int{}
	for _, at := range s.Sections("statements") {
		one := readStatement(at)
		if first := lines[one.ID]; first != 0 && one.ID != "" {
			at.Fail(fmt.Errorf("the statement %s is there twice, first in line %d", one.ID, first))
		}
		lines[one.ID] = one.Line
		f.Statements = append(f.Statements, one)
	}
	f.Choices = readChoices(s)
	s.Done()
	return f, s.F.Err()
}

func readChoices(s *reader.Section) []Choice {
	var all []Choice
	for _, at := range s.Sections("choices") {
		one := Choice{Name: at.Str("name"), Source: at.Str("source"), Chosen: at.Str("chosen"), Why: at.Str("why")}
		switch {
		case one.Name == "" || one.Source == "" || one.Chosen == "" || one.Why == "":
			at.Fail(errors.New("a choice needs name, source, chosen and why"))
		case slices.ContainsFunc(all, func(c Choice) bool { return c.Name == one.Name }):
			at.Fail(fmt.Errorf("the choice %s is there twice", one.Name))
		}
		at.Done()
		all = append(all, one)
	}
	return all
}

func readStatement(s *reader.Section) Statement {
	one := Statement{
		ID: s.Str("id"), Fact: s.Str("fact"), Number: s.Str("number"), Source: s.Str("source"), Claims: readClaims(s), Lacks: s.Str("lacks"),
		Untestable: s.Str("untestable"), Recalled: s.Boolean("recalled", false), Cause: s.Str("cause"), Line: s.Node.Line,
	}
	if problem := one.problem(); problem != "" {
		s.Fail(errors.New(problem))
	}
	s.Done()
	return one
}

// readClaims keeps the order and the lines.
func readClaims(s *reader.Section) References {
	var all References
	figures := s.Sub("claims")
	for _, e := range s.Entries("claims") {
		texts, nodes := figures.Texts(e.Key.Value)
		for i, text := range texts {
			all = append(all, Reference{Figure: e.Key.Value, Claim: text, Line: nodes[i].Line})
		}
	}
	return all
}

// problem is what is wrong with a statement by itself, "" if nothing is.
func (s Statement) problem() string {
	switch {
	case s.ID == "" || s.Fact == "" || s.Source == "":
		return "a statement needs id, fact and source"
	case s.Untestable != "" && len(s.Claims) > 0:
		return s.ID + " cannot be tested, and has claims; take one of them out"
	case s.Lacks != "" && len(s.Claims) == 0:
		return s.ID + " lacks a part, and has no claims at all; lacks belongs to claims"
	}
	return ""
}
