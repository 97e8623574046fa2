package experiment

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"fabriclab/base/yamlfile"
)

// Problem is one thing that is wrong in an experiment.
type Problem struct {
	Position string // file:line:column, or the flag
	Text     string
}

// Problems are all things found wrong, in the order in which they were found.
type Problems []Problem

func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, problem := range p {
		lines[i] = problem.Position + ": " + problem.Text
	}
	return strings.Join(lines, "\n")
}

// source is where a part of a tree comes from.
type source struct {
	where  string // a file, or a whole flag
	line   int    // 0 for a flag
	column int
	origin string // as recorded in the effective configuration; "" = file:LINE
}

func (s source) position() string {
	if s.line == 0 {
		return s.where
	}
	return fmt.Sprintf("%s:%d:%d", s.where, s.line, s.column)
}

// forest holds the YAML trees of an experiment: its file, its presets and its
// flags. Trees are not changed once they are read; set and merge make new
// ones that share what is equal, so a node's source stays known.
type forest struct {
	sources  map[*yaml.Node]source
	problems Problems
	reported map[Problem]bool
	found    int // problems met, those already reported included
	recorder *recorder
}

func newForest() *forest {
	return &forest{sources: map[*yaml.Node]source{}, reported: map[Problem]bool{}}
}

// problem records what is wrong at a node, once.
func (f *forest) problem(at *yaml.Node, format string, args ...any) {
	f.report(Problem{f.sources[at].position(), fmt.Sprintf(format, args...)})
}

func (f *forest) report(p Problem) {
	f.found++
	if !f.reported[p] {
		f.reported[p] = true
		f.problems = append(f.problems, p)
	}
}

// origin is where a value comes from, for the effective configuration.
func (f *forest) origin(n *yaml.Node) string {
	s := f.sources[n]
	if s.origin != "" {
		return s.origin
	}
	return "file:" + strconv.Itoa(s.line)
}

// readFile reads a YAML file whose root is a mapping.
func (f *forest) readFile(file, origin string) (*yaml.Node, error) {
	root, err := yamlfile.Read(file)
	var wrong *yamlfile.Error
	switch {
	case errors.As(err, &wrong):
		return nil, Problems{{wrong.Position(), wrong.Text}}
	case err != nil:
		return nil, err
	case root == nil:
		return nil, Problems{{file + ":1:1", "the file is empty; see docs/experiments.md for what an experiment looks like"}}
	case root.Kind != yaml.MappingNode:
		return nil, Problems{{source{where: file, line: root.Line, column: root.Column}.position(),
			"not a mapping of keys to values; see docs/experiments.md for what an experiment looks like"}}
	}
	before := f.found
	f.adopt(root, func(n *yaml.Node) source { return source{file, n.Line, n.Column, origin} }, map[*yaml.Node]bool{})
	if f.found > before {
		return nil, f.problems
	}
	return root, nil
}

// parseFlag reads the value of a flag.
func (f *forest) parseFlag(flag, value string) (*yaml.Node, error) {
	root, err := yamlfile.Parse(flag, []byte(value))
	var wrong *yamlfile.Error
	switch {
	case errors.As(err, &wrong):
		return nil, Problems{{flag, wrong.Text + "; the value is YAML, quote what has special characters"}}
	case err != nil:
		return nil, err
	case root == nil:
		return nil, Problems{{flag, "the value is empty; write path=value"}}
	}
	before := f.found
	f.adopt(root, func(*yaml.Node) source { return source{where: flag, origin: "flag"} }, map[*yaml.Node]bool{})
	if f.found > before {
		return nil, f.problems
	}
	return root, nil
}

// adopt records the sources of a tree and replaces aliases by what they stand
// for. It refuses what YAML allows but an experiment has no use for.
func (f *forest) adopt(n *yaml.Node, from func(*yaml.Node) source, above map[*yaml.Node]bool) {
	if _, done := f.sources[n]; done {
		return
	}
	f.sources[n] = from(n)
	if i := strings.IndexFunc(n.Value, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }); n.Kind == yaml.ScalarNode && i >= 0 {
		f.problem(n, "the control character %q has no place in a name or value; take it out", []rune(n.Value[i:])[0])
	}
	above[n] = true
	defer delete(above, n)
	keys := map[string]bool{}
	for i, child := range n.Content {
		if child.Kind == yaml.AliasNode {
			f.sources[child] = from(child)
			if above[child.Alias] {
				f.problem(child, "the alias *%s stands for a value that contains it; write the value out", child.Value)
				continue
			}
			child = child.Alias
			n.Content[i] = child
		}
		f.adopt(child, from, above)
		if n.Kind != yaml.MappingNode || i%2 != 0 {
			continue
		}
		switch {
		case child.Kind != yaml.ScalarNode || child.Tag == "!!merge":
			f.problem(child, "a key is a plain word; merge keys (<<) and keys with a structure are not used here")
		case keys[child.Value]:
			f.problem(child, "the key %q is here twice; keep one", child.Value)
		}
		keys[child.Value] = true
	}
}

// mark gives a whole tree another origin.
func (f *forest) mark(n *yaml.Node, origin string) {
	s := f.sources[n]
	s.origin = origin
	f.sources[n] = s
	for _, child := range n.Content {
		f.mark(child, origin)
	}
}

// isNull says whether a node is missing or holds nothing.
func isNull(n *yaml.Node) bool {
	return n == nil || n.Kind == yaml.ScalarNode && n.Tag == "!!null"
}

// child finds a mapping's value (and its key) or a sequence's item.
func child(n *yaml.Node, name string) (key, value *yaml.Node) {
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i < len(n.Content); i += 2 {
			if n.Content[i].Value == name {
				return n.Content[i], n.Content[i+1]
			}
		}
	case yaml.SequenceNode:
		if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(n.Content) {
			return n.Content[i], n.Content[i]
		}
	}
	return nil, nil
}

// nearest is the deepest node on a path that exists.
func nearest(n *yaml.Node, path string) *yaml.Node {
	for _, name := range strings.Split(path, ".") {
		_, next := child(n, name)
		if next == nil {
			break
		}
		n = next
	}
	return n
}

// set gives the tree that has value at a path. at is the node that asks for
// it, and the source of what has to be made on the way.
func (f *forest) set(root *yaml.Node, path []string, value, at *yaml.Node) *yaml.Node {
	if len(path) == 0 {
		return value
	}
	if isNull(root) {
		root = f.mapping(at)
	}
	made := *root
	made.Content = slices.Clone(root.Content)
	f.sources[&made] = f.sources[root]
	switch root.Kind {
	case yaml.MappingNode:
		for i := 0; i < len(root.Content); i += 2 {
			if root.Content[i].Value == path[0] {
				made.Content[i+1] = f.set(root.Content[i+1], path[1:], value, at)
				return &made
			}
		}
		key := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: path[0]}
		f.sources[key] = f.sources[at]
		made.Content = append(made.Content, key, f.set(nil, path[1:], value, at))
		return &made
	case yaml.SequenceNode:
		if i, err := strconv.Atoi(path[0]); err == nil && i >= 0 && i < len(root.Content) {
			made.Content[i] = f.set(root.Content[i], path[1:], value, at)
			return &made
		}
		f.problem(at, "%q is no item of this list; its %d items are numbered from 0", path[0], len(root.Content))
	default:
		f.problem(at, "there is nothing below the value %q, so %q cannot be set there; see docs/experiments.md for the keys there are", root.Value, path[0])
	}
	return root
}

func (f *forest) mapping(at *yaml.Node) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	f.sources[n] = f.sources[at]
	return n
}

// merge lays a tree over another, key by key; what is not a mapping in both
// is replaced.
func (f *forest) merge(base, over *yaml.Node) *yaml.Node {
	if isNull(base) || base.Kind != yaml.MappingNode || over.Kind != yaml.MappingNode {
		if isNull(over) && base != nil {
			return base
		}
		return over
	}
	made := *base
	made.Content = slices.Clone(base.Content)
	f.sources[&made] = f.sources[base]
	for i := 0; i < len(over.Content); i += 2 {
		key, value := over.Content[i], over.Content[i+1]
		j := 0
		for j < len(made.Content) && made.Content[j].Value != key.Value {
			j += 2
		}
		if j < len(made.Content) {
			made.Content[j], made.Content[j+1] = key, f.merge(made.Content[j+1], value)
		} else {
			made.Content = append(made.Content, key, value)
		}
	}
	return &made
}
