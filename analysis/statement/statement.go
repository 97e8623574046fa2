// Package statement says what a paper states, once each, which claims of which
// figures decide it, and what the records of those figures come to: the verdicts
// (docs/claims.md, Statements).
package statement

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"fabriclab/base/catalog"
	"fabriclab/base/yamlfile"
)

// A File is what a paper states: configs/<paper>/statements.yaml.
type File struct {
	Path       string
	Paper      string
	Statements []Statement
}

// A Statement is one thing that a paper says.
type Statement struct {
	ID     string
	Fact   string // in our words
	Number string // the paper's, if it has one
	Source string // section and figure
	// Claims decide it: all of them have to hold. None: no figure has it yet.
	Claims []Reference
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
}

// Read reads a file strictly.
func Read(path string) (*File, error) {
	root, err := yamlfile.Read(path)
	if err != nil {
		return nil, err
	}
	return decode(path, root)
}

func decode(path string, root *yaml.Node) (*File, error) {
	r := reader{path}
	if root == nil {
		return nil, fmt.Errorf("%s:1:1: the file is empty; it has paper and statements", path)
	}
	f := &File{Path: path}
	err := r.mapping(root, func(key, value *yaml.Node) error {
		switch key.Value {
		case "paper":
			return r.text(value, &f.Paper)
		case "statements":
			if value.Kind != yaml.SequenceNode {
				return r.at(value, "statements is a list")
			}
			for _, n := range value.Content {
				s, err := r.statement(n)
				if err != nil {
					return err
				}
				if i := slices.IndexFunc(f.Statements, func(o Statement) bool { return o.ID == s.ID }); i >= 0 {
					return r.at(n, "the statement %s is there twice, first in line %d", s.ID, f.Statements[i].Line)
				}
				f.Statements = append(f.Statements, s)
			}
			return nil
		}
		return r.unknown(key, "paper", "statements")
	})
	if err == nil && (f.Paper == "" || len(f.Statements) == 0) {
		err = r.at(root, "paper and statements are needed")
	}
	return f, err
}

type reader struct{ path string }

func (r reader) statement(n *yaml.Node) (Statement, error) {
	s := Statement{Line: n.Line}
	texts := map[string]*string{
		"id": &s.ID, "fact": &s.Fact, "number": &s.Number, "source": &s.Source, "lacks": &s.Lacks, "untestable": &s.Untestable, "cause": &s.Cause,
	}
	err := r.mapping(n, func(key, value *yaml.Node) error {
		if to := texts[key.Value]; to != nil {
			return r.text(value, to)
		}
		switch key.Value {
		case "recalled":
			if value.Tag != "!!bool" {
				return r.at(value, "recalled is true or false, not %q", value.Value)
			}
			s.Recalled = value.Value == "true"
			return nil
		case "claims":
			return r.claims(value, &s)
		}
		return r.unknown(key, "id", "fact", "number", "source", "claims", "lacks", "untestable", "recalled", "cause")
	})
	switch {
	case err != nil:
	case s.ID == "" || s.Fact == "" || s.Source == "":
		err = r.at(n, "a statement needs id, fact and source")
	case s.Untestable != "" && len(s.Claims) > 0:
		err = r.at(n, "%s cannot be tested, and has claims; take one of them out", s.ID)
	case s.Lacks != "" && len(s.Claims) == 0:
		err = r.at(n, "%s lacks a part, and has no claims at all; lacks belongs to claims", s.ID)
	}
	return s, err
}

func (r reader) claims(n *yaml.Node, s *Statement) error {
	return r.mapping(n, func(figure, list *yaml.Node) error {
		if list.Kind != yaml.SequenceNode || len(list.Content) == 0 {
			return r.at(list, "claims names a figure with a list of its claims, such as {fncc/fig10: [first-to-slow]}")
		}
		for _, c := range list.Content {
			ref := Reference{Figure: figure.Value, Line: c.Line}
			if err := r.text(c, &ref.Claim); err != nil {
				return err
			}
			s.Claims = append(s.Claims, ref)
		}
		return nil
	})
}

func (r reader) mapping(n *yaml.Node, each func(key, value *yaml.Node) error) error {
	if n.Kind != yaml.MappingNode {
		return r.at(n, "a mapping of keys to values is due here")
	}
	seen := map[string]bool{}
	for i := 0; i < len(n.Content); i += 2 {
		key := n.Content[i]
		if seen[key.Value] {
			return r.at(key, "the key %q is here twice; keep one", key.Value)
		}
		seen[key.Value] = true
		if err := each(key, n.Content[i+1]); err != nil {
			return err
		}
	}
	return nil
}

func (r reader) text(n *yaml.Node, to *string) error {
	if n.Kind != yaml.ScalarNode || n.Value == "" {
		return r.at(n, "a text is due here")
	}
	*to = n.Value
	return nil
}

func (r reader) unknown(key *yaml.Node, known ...string) error {
	return r.at(key, "unknown key %q%s", key.Value, catalog.Hint(key.Value, known))
}

func (r reader) at(n *yaml.Node, format string, args ...any) error {
	return fmt.Errorf("%s:%d:%d: %s", r.path, n.Line, n.Column, fmt.Sprintf(format, args...))
}
