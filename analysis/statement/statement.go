// Package statement says what a paper states, once each, which claims of which
// figures decide it, and what the records of those figures come to: the verdicts
// (docs/claims.md, Statements).
package statement

import (
	"errors"
	"fmt"

	"go.yaml.in/yaml/v3"

	"fabriclab/analysis/spec"
	"fabriclab/base/yamlfile"
)

// A File is what a paper states: configs/<paper>/statements.yaml.
type File struct {
	Path       string      `yaml:"-"`
	Paper      string      `yaml:"paper"`
	Statements []Statement `yaml:"statements"`
}

// A Statement is one thing that a paper says.
type Statement struct {
	ID     string `yaml:"id"`
	Fact   string `yaml:"fact"`   // in our words
	Number string `yaml:"number"` // the paper's, if it has one
	Source string `yaml:"source"` // section and figure
	// Claims decide it: all of them have to hold. None: no figure has it yet.
	Claims References `yaml:"claims"`
	// Lacks says what of the statement no claim decides yet, so it cannot hold.
	Lacks string `yaml:"lacks"`
	// Untestable says why it cannot be tested.
	Untestable string `yaml:"untestable"`
	// Recalled: from memory, as the text at hand has lost it; it counts apart.
	Recalled bool `yaml:"recalled"`
	// Cause says in one sentence why it does not hold as it stands.
	Cause string `yaml:"cause"`
	Line  int    `yaml:"-"`
}

// A Reference is a claim of a figure, at all of its places or, with /VALUE behind
// its id, at one.
type Reference struct {
	Figure, Claim string
	Line          int
}

// References are a mapping of figures to lists of claims.
type References []Reference

// UnmarshalYAML keeps the order and the lines.
func (r *References) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind != yaml.MappingNode {
		return notClaims(node)
	}
	for i := 0; i < len(node.Content); i += 2 {
		figure, list := node.Content[i], node.Content[i+1]
		if list.Kind != yaml.SequenceNode || len(list.Content) == 0 {
			return notClaims(list)
		}
		for _, c := range list.Content {
			if c.Kind != yaml.ScalarNode || c.Value == "" {
				return notClaims(c)
			}
			*r = append(*r, Reference{figure.Value, c.Value, c.Line})
		}
	}
	return nil
}

func notClaims(node *yaml.Node) error {
	return &spec.LineError{Line: node.Line, Err: errors.New("claims names figures, each with a list of its claims, such as {fncc/fig10: [first-to-slow]}")}
}

// Read reads a file strictly.
func Read(path string) (*File, error) {
	root, err := yamlfile.Read(path)
	if err != nil {
		return nil, err
	}
	if root == nil {
		return nil, fmt.Errorf("%s:1: the file is empty; it has paper and statements", path)
	}
	f := &File{Path: path}
	if err := spec.DecodeStrict(path, root, f); err != nil {
		return nil, err
	}
	if f.Paper == "" || len(f.Statements) == 0 {
		return nil, fmt.Errorf("%s:1: paper and statements are needed", path)
	}
	for i := 0; i < len(root.Content); i += 2 {
		if root.Content[i].Value == "statements" {
			for k, n := range root.Content[i+1].Content {
				f.Statements[k].Line = n.Line
			}
		}
	}
	lines := map[string]int{}
	for _, s := range f.Statements {
		problem := s.problem()
		if first := lines[s.ID]; first != 0 {
			problem = fmt.Sprintf("the statement %s is there twice, first in line %d", s.ID, first)
		}
		if problem != "" {
			return nil, fmt.Errorf("%s:%d: %s", path, s.Line, problem)
		}
		lines[s.ID] = s.Line
	}
	return f, nil
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
