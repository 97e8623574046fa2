package experiment

import (
	"math"
	"strconv"

	"go.yaml.in/yaml/v3"

	"fabriclab/base/catalog"
	"fabriclab/base/units"
)

// section reads the keys of one mapping. A key that the code asks for counts as
// known; done reports all others.
type section struct {
	f     *forest
	node  *yaml.Node
	path  string // for messages, "" = the whole file
	known []string
}

// section opens a mapping. A missing or null one is empty; at is then where
// problems are reported.
func (f *forest) section(n, at *yaml.Node, path string) *section {
	if isNull(n) {
		return &section{f: f, node: f.mapping(at), path: path}
	}
	if n.Kind != yaml.MappingNode {
		f.problem(n, "%s is a mapping of keys to values, not %s", path, describe(n))
		return &section{f: f, node: f.mapping(n), path: path}
	}
	return &section{f: f, node: n, path: path}
}

func describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	return strconv.Quote(n.Value)
}

func (s *section) name(key string) string {
	if s.path == "" {
		return key
	}
	return s.path + "." + key
}

// get is the value of a key, nil if there is none.
func (s *section) get(key string) *yaml.Node {
	s.known = append(s.known, key)
	s.asks(key, Shape{})
	_, value := child(s.node, key)
	if isNull(value) {
		return nil
	}
	return value
}

// sub opens the mapping under a key.
func (s *section) sub(key string) *section {
	s.asks(key, Shape{Kind: KindMapping})
	return s.f.section(s.get(key), s.node, s.name(key))
}

// done reports the keys nobody asked for.
func (s *section) done() {
	for i := 0; i < len(s.node.Content); i += 2 {
		key := s.node.Content[i]
		known := false
		for _, k := range s.known {
			known = known || k == key.Value
		}
		if !known {
			where := "here"
			if s.path != "" {
				where = "in " + s.path
			}
			s.f.problem(key, "there is no key %q %s%s", key.Value, where, catalog.Hint(key.Value, s.known))
		}
	}
}

// ignoreRest counts all keys as known.
func (s *section) ignoreRest() {
	for i := 0; i < len(s.node.Content); i += 2 {
		s.known = append(s.known, s.node.Content[i].Value)
	}
}

// missing reports a key that has to be there.
func (s *section) missing(key, example string) {
	where := ""
	if s.path != "" {
		where = s.path + " "
	}
	s.f.problem(s.node, "%sneeds the key %s, such as %s: %s", where, key, key, example)
}

// need reports a key that is missing and says whether it is there.
func (s *section) need(key, example string) bool {
	s.needs(key)
	if s.get(key) == nil {
		s.missing(key, example)
		return false
	}
	return true
}

// text is a scalar's text; ok is false if there is none or it is wrong.
func (s *section) text(key string) (text string, at *yaml.Node, ok bool) {
	s.asks(key, Shape{Kind: KindText})
	n := s.get(key)
	if n == nil {
		return "", nil, false
	}
	text, ok = s.f.scalar(n, s.name(key))
	return text, n, ok
}

func (f *forest) scalar(n *yaml.Node, name string) (string, bool) {
	if n.Kind != yaml.ScalarNode || isNull(n) {
		f.problem(n, "%s is a single value, not %s", name, describe(n))
		return "", false
	}
	return n.Value, true
}

// str is a text, "" if the key is missing.
func (s *section) str(key string) string {
	text, _, _ := s.text(key)
	return text
}

// required is a scalar's text that has to be there.
func (s *section) required(key, example string) (text string, at *yaml.Node, ok bool) {
	if !s.need(key, example) {
		return "", nil, false
	}
	return s.text(key)
}

// quantity reads a value with a parser; ok is false if the key is missing or
// the value wrong (which is then reported).
func quantity[T any](s *section, key string, parse func(string) (T, error)) (value T, ok bool) {
	s.asks(key, shapeOf(parse))
	text, at, ok := s.text(key)
	if !ok {
		return value, false
	}
	value, err := parse(text)
	if err != nil {
		s.f.problem(at, "%s: %v", s.name(key), err)
		return value, false
	}
	return value, true
}

// time and its like give the default where the key is missing.
func (s *section) time(key string, def int64) int64 { return orDefault(s, key, def, units.ParseTime) }

func (s *section) boolean(key string, def bool) bool {
	p := catalog.Param{Type: catalog.TypeBool}
	s.asks(key, Shape{Kind: KindParam, Param: &p})
	value := orDefault(s, key, any(def), p.Parse)
	return value == any(true)
}

func (s *section) integer(key string, def, least, most int64) int64 {
	p := catalog.Param{Type: catalog.TypeInt, Min: least, Max: most}
	s.asks(key, Shape{Kind: KindParam, Param: &p})
	value := orDefault(s, key, any(def), p.Parse)
	i, _ := value.(int64)
	return i
}

func (s *section) float(key string, def float64) float64 {
	return s.floatBetween(key, def, 0, math.MaxFloat64)
}

func (s *section) floatBetween(key string, def, least, most float64) float64 {
	p := catalog.Param{Type: catalog.TypeFloat, Min: least, Max: most}
	s.asks(key, Shape{Kind: KindParam, Param: &p})
	value := orDefault(s, key, any(def), p.Parse)
	x, _ := value.(float64)
	return x
}

// choice is one of some words, the first one where the key is missing.
func (s *section) choice(key string, words ...string) string {
	p := catalog.Param{Type: catalog.TypeChoice, Choices: words}
	s.asks(key, Shape{Kind: KindParam, Param: &p})
	value := orDefault(s, key, any(words[0]), p.Parse)
	word, _ := value.(string)
	return word
}

func orDefault[T any](s *section, key string, def T, parse func(string) (T, error)) T {
	if value, ok := quantity(s, key, parse); ok {
		return value
	}
	return def
}

// items are the items of a list, nil if the key is missing.
func (s *section) items(key string) []*yaml.Node {
	s.asks(key, Shape{Kind: KindList})
	n := s.get(key)
	if n == nil {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		s.f.problem(n, "%s is a list, such as [a, b], not %s", s.name(key), describe(n))
		return nil
	}
	if len(n.Content) == 0 {
		s.f.problem(n, "%s is an empty list; leave the key out", s.name(key))
	}
	return n.Content
}

// oneOrMore are the items of a list, or the one text that stands in its place.
func (s *section) oneOrMore(key string, shape Kind) []*yaml.Node {
	s.asks(key, Shape{Kind: shape})
	if n := s.get(key); n != nil && n.Kind == yaml.ScalarNode {
		return []*yaml.Node{n}
	}
	return s.items(key)
}

// texts are the scalars of a list with their nodes.
func (s *section) texts(key string) (texts []string, nodes []*yaml.Node) {
	s.asks(key, Shape{Kind: KindTexts})
	for i, n := range s.items(key) {
		if text, ok := s.f.scalar(n, s.name(key)+"."+strconv.Itoa(i)); ok {
			texts = append(texts, text)
			nodes = append(nodes, n)
		}
	}
	return texts, nodes
}
