// Package reader reads YAML files by sections: every reader asks a section for
// its keys, all that is wrong is reported with its place, and what readers ask
// for is the JSON Schema.
package reader

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"fabriclab/base/yamlfile"
)

// Problem is one thing that is wrong.
type Problem struct {
	Position string // file:line:column, or the flag
	Text     string
}

// Problems are all things found wrong, in the order in which they were found.
type Problems []Problem

// Error is a line for each.
func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, problem := range p {
		lines[i] = problem.Position + ": " + problem.Text
	}
	return strings.Join(lines, "\n")
}

// Source is where a part of a tree comes from.
type Source struct {
	where  string // a file, or a whole flag
	line   int    // 0 for a flag
	column int
	Origin string // as recorded in the effective configuration; "" = file:LINE
}

// Position is the place as file:line:column, or the flag.
func (s Source) Position() string {
	if s.line == 0 {
		return s.where
	}
	return fmt.Sprintf("%s:%d:%d", s.where, s.line, s.column)
}

// Forest holds the YAML trees of an experiment: its file, its presets and its
// flags. Trees are not changed once they are read; set and merge make new
// ones that share what is equal, so a node's source stays known.
type Forest struct {
	Sources  map[*yaml.Node]Source
	Problems Problems
	reported map[Problem]bool
	Found    int // problems met, those already reported included
	recorder *recorder
}

// NewForest makes an empty one.
func NewForest() *Forest {
	return &Forest{Sources: map[*yaml.Node]Source{}, reported: map[Problem]bool{}}
}

// Problem records what is wrong at a node, once.
func (f *Forest) Problem(at *yaml.Node, format string, args ...any) {
	f.Report(f.Sources[at].Position(), fmt.Sprintf(format, args...))
}

// Report records what is wrong at a place, once.
func (f *Forest) Report(position, text string) {
	p := Problem{position, text}
	f.Found++
	if !f.reported[p] {
		f.reported[p] = true
		f.Problems = append(f.Problems, p)
	}
}

// Origin is where a value comes from, for the effective configuration.
func (f *Forest) Origin(n *yaml.Node) string {
	s := f.Sources[n]
	if s.Origin != "" {
		return s.Origin
	}
	return "file:" + strconv.Itoa(s.line)
}

// Read opens the section that a file is.
func Read(file string) (*Section, error) {
	f := NewForest()
	root, err := f.ReadFile(file, "")
	if err != nil {
		return nil, err
	}
	return f.Section(root, root, ""), nil
}

// Parse opens the section that a text is; name is what messages call it.
func Parse(name string, text []byte) (*Section, error) {
	f := NewForest()
	root, err := yamlfile.Parse(name, text)
	if root, err = f.root(name, "", root, err); err != nil {
		return nil, err
	}
	return f.Section(root, root, ""), nil
}

// Part opens the mapping under a key to be read by itself: what is wrong with it
// is reported to nobody else. It is nil if there is none.
func (s *Section) Part(key string) *Section {
	_, n := Child(s.Node, key)
	if IsNull(n) {
		return nil
	}
	f := NewForest()
	f.Sources = s.F.Sources
	return f.Section(n, n, key)
}

// Err is what was found wrong.
func (f *Forest) Err() error {
	if len(f.Problems) == 0 {
		return nil
	}
	return f.Problems
}

// ReadFile reads a YAML file whose root is a mapping.
func (f *Forest) ReadFile(file, origin string) (*yaml.Node, error) {
	root, err := yamlfile.Read(file)
	return f.root(file, origin, root, err)
}

// root takes a file's root over.
func (f *Forest) root(file, origin string, root *yaml.Node, err error) (*yaml.Node, error) {
	var wrong *yamlfile.Error
	switch {
	case errors.As(err, &wrong):
		return nil, Problems{{wrong.Position(), wrong.Text}}
	case err != nil:
		return nil, err
	case root == nil:
		return nil, Problems{{file + ":1:1", "the file is empty; see docs/experiments.md for what an experiment looks like"}}
	case root.Kind != yaml.MappingNode:
		return nil, Problems{{Source{where: file, line: root.Line, column: root.Column}.Position(),
			"not a mapping of keys to values; see docs/experiments.md for what an experiment looks like"}}
	}
	before := f.Found
	f.adopt(root, func(n *yaml.Node) Source { return Source{file, n.Line, n.Column, origin} }, map[*yaml.Node]bool{})
	if f.Found > before {
		return nil, f.Problems
	}
	return root, nil
}

// ParseFlag reads the value of a flag.
func (f *Forest) ParseFlag(flag, value string) (*yaml.Node, error) {
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
	before := f.Found
	f.adopt(root, func(*yaml.Node) Source { return Source{where: flag, Origin: "flag"} }, map[*yaml.Node]bool{})
	if f.Found > before {
		return nil, f.Problems
	}
	return root, nil
}

// adopt records the sources of a tree and replaces aliases by what they stand
// for. It refuses what YAML allows but an experiment has no use for.
func (f *Forest) adopt(n *yaml.Node, from func(*yaml.Node) Source, above map[*yaml.Node]bool) {
	if _, done := f.Sources[n]; done {
		return
	}
	f.Sources[n] = from(n)
	if i := strings.IndexFunc(n.Value, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }); n.Kind == yaml.ScalarNode && i >= 0 {
		f.Problem(n, "the control character %q has no place in a name or value; take it out", []rune(n.Value[i:])[0])
	}
	above[n] = true
	defer delete(above, n)
	keys := map[string]bool{}
	for i, child := range n.Content {
		if child.Kind == yaml.AliasNode {
			f.Sources[child] = from(child)
			if above[child.Alias] {
				f.Problem(child, "the alias *%s stands for a value that contains it; write the value out", child.Value)
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
			f.Problem(child, "a key is a plain word; merge keys (<<) and keys with a structure are not used here")
		case keys[child.Value]:
			f.Problem(child, "the key %q is here twice; keep one", child.Value)
		}
		keys[child.Value] = true
	}
}

// File is the file that a node stands in, "" for one of a flag.
func (f *Forest) File(n *yaml.Node) string {
	if s := f.Sources[n]; s.line > 0 {
		return s.where
	}
	return ""
}

// MarkLines makes the origin of each node of a tree name:LINE.
func (f *Forest) MarkLines(n *yaml.Node, name string) {
	s := f.Sources[n]
	s.Origin = name + ":" + strconv.Itoa(s.line)
	f.Sources[n] = s
	for _, child := range n.Content {
		f.MarkLines(child, name)
	}
}

// Mark gives a whole tree another origin.
func (f *Forest) Mark(n *yaml.Node, origin string) {
	s := f.Sources[n]
	s.Origin = origin
	f.Sources[n] = s
	for _, child := range n.Content {
		f.Mark(child, origin)
	}
}

// IsNull says whether a node is missing or holds nothing.
func IsNull(n *yaml.Node) bool {
	return n == nil || n.Kind == yaml.ScalarNode && n.Tag == "!!null"
}

// Child finds a mapping's value (and its key) or a sequence's item.
func Child(n *yaml.Node, name string) (key, value *yaml.Node) {
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

// Nearest is the deepest node on a path that exists.
func Nearest(n *yaml.Node, path string) *yaml.Node {
	for _, name := range strings.Split(path, ".") {
		_, next := Child(n, name)
		if next == nil {
			break
		}
		n = next
	}
	return n
}

// Lookup is the value at a path, nil if there is none.
func Lookup(n *yaml.Node, path []string) *yaml.Node {
	for _, name := range path {
		switch {
		case n == nil:
		case n.Kind != yaml.SequenceNode:
			_, n = Child(n, name)
		case item(n, name) >= 0:
			n = n.Content[item(n, name)]
		default:
			n = nil
		}
	}
	return n
}

// Set gives the tree that has value at a path; a null takes away what is there. at
// is the node that asks for it, and the source of what has to be made on the way.
func (f *Forest) Set(root *yaml.Node, path []string, value, at *yaml.Node) *yaml.Node {
	if len(path) == 0 {
		return value
	}
	takes := len(path) == 1 && IsNull(value)
	if IsNull(root) {
		root = f.Mapping(at)
	}
	made := f.copied(root)
	switch root.Kind {
	case yaml.MappingNode:
		for i := 0; i < len(root.Content); i += 2 {
			if root.Content[i].Value != path[0] {
				continue
			}
			if takes {
				made.Content = slices.Delete(made.Content, i, i+2)
			} else {
				made.Content[i+1] = f.Set(root.Content[i+1], path[1:], value, at)
			}
			return made
		}
		if IsNull(value) {
			return root
		}
		key := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: path[0]}
		f.Sources[key] = f.Sources[at]
		made.Content = append(made.Content, key, f.Set(nil, path[1:], value, at))
		return made
	case yaml.SequenceNode:
		switch i := item(root, path[0]); {
		case i < 0:
			f.Problem(at, "%q is no item of this list; its %d items are numbered from 0, or named by their id", path[0], len(root.Content))
		case takes:
			f.Problem(at, "null takes no item out of a list, whose numbers would change; write the list without it")
		default:
			made.Content[i] = f.Set(root.Content[i], path[1:], value, at)
			return made
		}
	default:
		f.Problem(at, "there is nothing below the value %q, so %q cannot be set there; see docs/experiments.md for the keys there are", root.Value, path[0])
	}
	return root
}

// item is the place of a list's item, by its number or its id; -1 if there is none.
func item(list *yaml.Node, name string) int {
	if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(list.Content) {
		return i
	}
	return slices.IndexFunc(list.Content, func(n *yaml.Node) bool {
		_, id := Child(n, "id")
		return id != nil && id.Value == name
	})
}

// Mapping makes an empty mapping from the same source.
func (f *Forest) Mapping(at *yaml.Node) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	f.Sources[n] = f.Sources[at]
	return n
}

// Merge lays a tree over another, key by key; what is not a mapping in both is
// replaced. A null takes the key away; where there is nothing to take away, it is a
// problem.
//
// Some keys hold trees that are laid over others themselves, so many levels below:
// their nulls stay until then.
func (f *Forest) Merge(base, over *yaml.Node, levels map[string]int) *yaml.Node {
	return f.merge(base, over, math.MaxInt, levels)
}

// merge takes away at so many levels.
func (f *Forest) merge(base, over *yaml.Node, depth int, levels map[string]int) *yaml.Node {
	if IsNull(base) || base.Kind != yaml.MappingNode || over.Kind != yaml.MappingNode {
		return over
	}
	made := f.copied(base)
	for i := 0; i < len(over.Content); i += 2 {
		key, value := over.Content[i], over.Content[i+1]
		at := 0
		for at < len(made.Content) && made.Content[at].Value != key.Value {
			at += 2
		}
		there, takes := at < len(made.Content), IsNull(value) && depth > 0
		switch {
		case takes && there:
			made.Content = slices.Delete(made.Content, at, at+2)
		case takes:
			f.Problem(key, "%s: null takes away what it is laid over, which has no %s; leave the key out", key.Value, key.Value)
		case there:
			below := depth - 1
			if n, is := levels[key.Value]; is {
				below = n
			}
			made.Content[at], made.Content[at+1] = key, f.merge(made.Content[at+1], value, below, nil)
		default:
			made.Content = append(made.Content, key, value)
		}
	}
	return made
}

// copied is a node of its own with the same content.
func (f *Forest) copied(n *yaml.Node) *yaml.Node {
	made := *n
	made.Content = slices.Clone(n.Content)
	f.Sources[&made] = f.Sources[n]
	return &made
}
