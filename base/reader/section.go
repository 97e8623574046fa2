package reader

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"go.yaml.in/yaml/v3"

	"fabriclab/base/catalog"
	"fabriclab/base/units"
)

// Section reads the keys of one mapping. A key that the code asks for counts as
// known; Done reports all others.
type Section struct {
	F     *Forest
	Node  *yaml.Node
	Path  string // for messages, "" = the whole file
	known []string
	// Of is the kind of thing that the section describes, where keys depend on it.
	Of string
}

// Section opens a mapping. A missing or null one is empty; at is then where
// problems are reported.
func (f *Forest) Section(n, at *yaml.Node, path string) *Section {
	if IsNull(n) {
		return &Section{F: f, Node: f.Mapping(at), Path: path}
	}
	if n.Kind != yaml.MappingNode {
		f.Problem(n, "%s is a mapping of keys to values, not %s", path, What(n))
		return &Section{F: f, Node: f.Mapping(n), Path: path}
	}
	return &Section{F: f, Node: n, Path: path}
}

// What is what a value is, for messages.
func What(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	return strconv.Quote(n.Value)
}

// Name is a key with the path before it, for messages.
func (s *Section) Name(key string) string {
	if s.Path == "" {
		return key
	}
	return s.Path + "." + key
}

// Get is the value of a key, nil if there is none.
func (s *Section) Get(key string) *yaml.Node {
	s.known = append(s.known, key)
	s.Asks(key, Shape{})
	_, value := Child(s.Node, key)
	if IsNull(value) {
		return nil
	}
	return value
}

// Sub opens the mapping under a key.
func (s *Section) Sub(key string) *Section {
	s.Asks(key, Shape{Kind: KindMapping})
	return s.F.Section(s.Get(key), s.Node, s.Name(key))
}

// Done reports the keys nobody asked for.
func (s *Section) Done() {
	for i := 0; i < len(s.Node.Content); i += 2 {
		key := s.Node.Content[i]
		known := false
		for _, k := range s.known {
			known = known || k == key.Value
		}
		if !known {
			where := "here"
			if s.Path != "" {
				where = "in " + s.Path
			}
			if s.Of != "" {
				s.F.Problem(key, "%s: %s does not take %s%s", s.Path, s.Of, key.Value, catalog.Hint(key.Value, s.known))
				continue
			}
			s.F.Problem(key, "there is no key %q %s%s", key.Value, where, catalog.Hint(key.Value, s.known))
		}
	}
}

// Knows counts keys as known.
func (s *Section) Knows(keys ...string) { s.known = append(s.known, keys...) }

// IgnoreRest counts all keys as known.
func (s *Section) IgnoreRest() {
	for i := 0; i < len(s.Node.Content); i += 2 {
		s.known = append(s.known, s.Node.Content[i].Value)
	}
}

// Missing reports a key that has to be there.
func (s *Section) Missing(key, example string) {
	where := ""
	if s.Path != "" {
		where = s.Path + " "
	}
	if s.Of != "" {
		where = s.Path + ": " + s.Of + " "
	}
	s.F.Problem(s.Node, "%sneeds the key %s, such as %s: %s", where, key, key, example)
}

// Need reports a key that is missing and says whether it is there.
func (s *Section) Need(key, example string) bool {
	s.Needs(key)
	if s.Get(key) == nil {
		s.Missing(key, example)
		return false
	}
	return true
}

// Text is a scalar's text; ok is false if there is none or it is wrong.
func (s *Section) Text(key string) (text string, at *yaml.Node, ok bool) {
	s.Asks(key, Shape{Kind: KindText})
	n := s.Get(key)
	if n == nil {
		return "", nil, false
	}
	text, ok = s.F.Scalar(n, s.Name(key))
	return text, n, ok
}

// Scalar is the text of a single value; what is none is reported.
func (f *Forest) Scalar(n *yaml.Node, name string) (string, bool) {
	if n.Kind != yaml.ScalarNode || IsNull(n) {
		f.Problem(n, "%s is a single value, not %s", name, What(n))
		return "", false
	}
	return n.Value, true
}

// Str is a text, "" if the key is missing.
func (s *Section) Str(key string) string {
	text, _, _ := s.Text(key)
	return text
}

// Required is a scalar's text that has to be there.
func (s *Section) Required(key, example string) (text string, at *yaml.Node, ok bool) {
	if !s.Need(key, example) {
		return "", nil, false
	}
	return s.Text(key)
}

// Quantity reads a value with a parser; ok is false if the key is missing or
// the value wrong (which is then reported).
func Quantity[T any](s *Section, key string, parse func(string) (T, error)) (value T, ok bool) {
	s.Asks(key, shapeOf(parse))
	text, at, ok := s.Text(key)
	if !ok {
		return value, false
	}
	value, err := parse(text)
	if err != nil {
		s.F.Problem(at, "%s: %v", s.Name(key), err)
		return value, false
	}
	return value, true
}

// Time and its like give the default where the key is missing.
func (s *Section) Time(key string, def int64) int64 { return OrDefault(s, key, def, units.ParseTime) }

// Boolean is true or false.
func (s *Section) Boolean(key string, def bool) bool {
	p := catalog.Param{Type: catalog.TypeBool}
	s.Asks(key, Shape{Kind: KindParam, Param: &p})
	value := OrDefault(s, key, any(def), p.Parse)
	return value == any(true)
}

// Integer is a whole number between two others.
func (s *Section) Integer(key string, def, least, most int64) int64 {
	p := catalog.Param{Type: catalog.TypeInt, Min: least, Max: most}
	s.Asks(key, Shape{Kind: KindParam, Param: &p})
	value := OrDefault(s, key, any(def), p.Parse)
	i, _ := value.(int64)
	return i
}

// Float is a number from 0 on.
func (s *Section) Float(key string, def float64) float64 {
	return s.FloatBetween(key, def, 0, math.MaxFloat64)
}

// FloatBetween is a number between two others.
func (s *Section) FloatBetween(key string, def, least, most float64) float64 {
	p := catalog.Param{Type: catalog.TypeFloat, Min: least, Max: most}
	s.Asks(key, Shape{Kind: KindParam, Param: &p})
	value := OrDefault(s, key, any(def), p.Parse)
	x, _ := value.(float64)
	return x
}

// Choice is one of some words, the first one where the key is missing.
func (s *Section) Choice(key string, words ...string) string {
	p := catalog.Param{Type: catalog.TypeChoice, Choices: words}
	s.Asks(key, Shape{Kind: KindParam, Param: &p})
	value := OrDefault(s, key, any(words[0]), p.Parse)
	word, _ := value.(string)
	return word
}

// OrDefault is what the parser makes of a value, or the default.
func OrDefault[T any](s *Section, key string, def T, parse func(string) (T, error)) T {
	if value, ok := Quantity(s, key, parse); ok {
		return value
	}
	return def
}

// Items are the items of a list, nil if the key is missing.
func (s *Section) Items(key string) []*yaml.Node {
	s.Asks(key, Shape{Kind: KindList})
	n := s.Get(key)
	if n == nil {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		s.F.Problem(n, "%s is a list, such as [a, b], not %s", s.Name(key), What(n))
		return nil
	}
	if len(n.Content) == 0 {
		s.F.Problem(n, "%s is an empty list; leave the key out", s.Name(key))
	}
	return n.Content
}

// OneOrMore are the items of a list, or the one text that stands in its place.
func (s *Section) OneOrMore(key string, shape Kind) []*yaml.Node {
	s.Asks(key, Shape{Kind: shape})
	if n := s.Get(key); n != nil && n.Kind == yaml.ScalarNode {
		return []*yaml.Node{n}
	}
	return s.Items(key)
}

// Texts are the scalars of a list with their nodes.
func (s *Section) Texts(key string) (texts []string, nodes []*yaml.Node) {
	s.Asks(key, Shape{Kind: KindTexts})
	for i, n := range s.Items(key) {
		if text, ok := s.F.Scalar(n, s.Name(key)+"."+strconv.Itoa(i)); ok {
			texts = append(texts, text)
			nodes = append(nodes, n)
		}
	}
	return texts, nodes
}

// Sections are the mappings of a list.
func (s *Section) Sections(key string) []*Section {
	var all []*Section
	for i, n := range s.Items(key) {
		all = append(all, s.F.Section(n, n, s.Name(key+"."+strconv.Itoa(i))))
	}
	return all
}

// An Entry is a key of a mapping with what it has.
type Entry struct {
	Key, Value *yaml.Node
	Path       string
}

// Entries are those of the mapping under a key, in their order.
func (s *Section) Entries(key string) []Entry {
	of := s.Sub(key)
	var all []Entry
	for i := 0; i+1 < len(of.Node.Content); i += 2 {
		name := of.Node.Content[i]
		all = append(all, Entry{name, of.Node.Content[i+1], of.Name(name.Value)})
	}
	return all
}

// TextMap is a mapping of names to texts, nil if the key is missing.
func (s *Section) TextMap(key string) map[string]string {
	s.Asks(key, Shape{Kind: KindTextMap})
	if s.Get(key) == nil {
		return nil
	}
	texts := map[string]string{}
	for _, e := range s.Entries(key) {
		if text, ok := s.F.Scalar(e.Value, e.Path); ok {
			texts[e.Key.Value] = text
		}
	}
	return texts
}

// Words are the texts of a list, or the one in its place.
func (s *Section) Words(key string) []string {
	var texts []string
	for i, n := range s.OneOrMore(key, KindTextOrTexts) {
		if text, ok := s.F.Scalar(n, s.Name(key)+"."+strconv.Itoa(i)); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

// Own reads what a function makes of a value, whose schema is given; ok is false
// if the key is missing or the value wrong (which is then reported).
func Own[T any](s *Section, key string, schema map[string]any, read func(*yaml.Node) (T, error)) (value T, ok bool) {
	s.Asks(key, Shape{Kind: KindOwn, Schema: schema})
	n := s.Get(key)
	if n == nil {
		return value, false
	}
	value, err := read(n)
	if err != nil {
		s.F.Problem(n, "%s: %v", s.Name(key), err)
	}
	return value, err == nil
}

// Given is a pointer to a value that is there.
func Given[T any](value T, ok bool) *T {
	if !ok {
		return nil
	}
	return &value
}

// Fail reports what is wrong with the section as a whole, or with the key that
// the error names (At).
func (s *Section) Fail(err error) {
	if err != nil {
		s.F.Problem(s.at(err), "%s: %v", s.Path, err)
	}
}

// Failure is what Fail reports, with its place.
func (s *Section) Failure(err error) string {
	return fmt.Sprintf("%s: %s: %v", s.F.Sources[s.at(err)].Position(), s.Path, err)
}

// at is the node that an error is about.
func (s *Section) at(err error) *yaml.Node {
	at := s.Node
	var keyed *keyError
	if errors.As(err, &keyed) {
		if key, value := Child(s.Node, keyed.key); key != nil {
			at = value
		}
	}
	return at
}

// At says which key an error is about.
func At(key string, err error) error {
	if err == nil {
		return nil
	}
	return &keyError{key, err}
}

type keyError struct {
	key string
	error
}

func (e *keyError) Unwrap() error { return e.error }
