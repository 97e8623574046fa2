package reader

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"fabriclab/base/catalog"
)

// What a file may look like is written down once, in the functions that read and
// check it. The schema asks them: they are called with empty sections, and what
// they ask a section for is recorded (docs/how-to/editors.md).

// Kind is what stands at a key.
type Kind int

// The kinds, from the one that says least to the one that says most: of
// several things asked about a key the last one of these holds.
const (
	KindAny Kind = iota
	KindText
	KindList
	KindMapping
	KindTexts           // a list of texts
	KindTextLists       // a list of lists of texts
	KindTextMap         // a mapping of names to texts
	KindTextOrTexts     // a text, or a list of them
	KindTextsOrMappings // a text, or a list of texts and mappings
	KindRefs            // a list of what has a definition of its own
	KindTime
	KindRate
	KindBytes
	KindSize // bytes, or unlimited
	KindParam
	KindOwn // as its schema says
)

// Shape is what validation asks for at a key.
type Shape struct {
	Kind   Kind
	NoZero bool           // of rates: 0 is refused
	Param  *catalog.Param // of KindParam: type and range
	Ref    string         // of KindRefs: the definition
	Schema map[string]any // of KindOwn
	Or     string         // the key that may stand in its place
}

// A Key is a key that a section may have.
type Key struct {
	Name  string
	Shape Shape
	// Required keys are asked for whatever else is there.
	Required bool
	// Items are the keys of the mappings in a list.
	Items Keys
}

// Keys are those that a mapping may have, by name.
type Keys []Key

// shapeOf finds out what a parser reads by giving it things to read.
func shapeOf[T any](parse func(string) (T, error)) Shape {
	reads := func(text string) bool { _, err := parse(text); return err == nil }
	switch {
	case reads("unlimited"):
		return Shape{Kind: KindSize}
	case reads("1us") && reads("1Gbps"): // a number with any unit
		return Shape{Kind: KindText}
	case reads("1us"):
		return Shape{Kind: KindTime}
	case reads("1Gbps"):
		return Shape{Kind: KindRate, NoZero: !reads("0")}
	case reads("1KB"):
		return Shape{Kind: KindBytes}
	}
	return Shape{Kind: KindText}
}

// recorder notes what sections are asked for.
type recorder struct {
	sections map[string]*recorded // by path
}

// recorded is what was asked of one section in one reading, or in all.
type recorded struct {
	order  []string
	shapes map[string]Shape
	needed map[string]int // how often readings asked for the key
}

func (r *recorder) section(path string) *recorded {
	found := r.sections[path]
	if found == nil {
		found = &recorded{shapes: map[string]Shape{}, needed: map[string]int{}}
		r.sections[path] = found
	}
	return found
}

// Asks notes that validation looks for a key.
func (s *Section) Asks(key string, shape Shape) {
	if s.F.recorder == nil {
		return
	}
	r := s.F.recorder.section(s.Path)
	known, asked := r.shapes[key]
	if !asked {
		r.order = append(r.order, key)
	}
	if !asked || shape.Kind > known.Kind {
		r.shapes[key] = shape
	}
}

// Needs notes that a key has to be there.
func (s *Section) Needs(key string) {
	if s.F.recorder != nil {
		s.Asks(key, Shape{})
		s.F.recorder.section(s.Path).needed[key] = 1
	}
}

// Interview reads a section again and again, every time with the keys it asked
// for the time before, until it asks for nothing new. fixed are keys with their
// texts. A key is required if all readings needed it.
func Interview(path string, fixed map[string]string, read func(*Forest, *Section)) Keys {
	all := &recorder{sections: map[string]*recorded{}}
	readings := map[string]int{}
	for known := -1; known != all.size(); {
		known = all.size()
		f := NewForest()
		f.recorder = &recorder{sections: map[string]*recorded{}}
		node := all.example(path)
		for key, text := range fixed {
			node = f.Set(node, []string{key}, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}, nil)
		}
		read(f, f.Section(node, node, path))
		for p, r := range f.recorder.sections {
			readings[p]++
			all.section(p).add(r)
		}
	}
	return all.keys(path, readings)
}

// Interviewed says that a section is read only to record what is asked for.
func (f *Forest) Interviewed() bool { return f.recorder != nil }

func (r *recorder) size() int {
	n := 0
	for _, s := range r.sections {
		n += len(s.order)
	}
	return n
}

func (r *recorded) add(other *recorded) {
	for _, key := range other.order {
		shape := other.shapes[key]
		known, is := r.shapes[key]
		if !is {
			r.order = append(r.order, key)
		}
		if !is || shape.Kind > known.Kind {
			r.shapes[key] = shape
		}
		r.needed[key] += other.needed[key]
	}
}

// example is a section with all keys there are, whose values are of the right
// structure, though not right.
func (r *recorder) example(path string) *yaml.Node {
	node := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	s := r.sections[path]
	if s == nil {
		return node
	}
	for _, key := range s.order {
		value := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: "1"}
		switch s.shapes[key].Kind {
		case KindList, KindTexts, KindTextLists, KindTextsOrMappings, KindRefs:
			item := value
			if r.sections[path+"."+key+".0"] != nil || s.shapes[key].Kind == KindTextsOrMappings {
				item = r.example(path + "." + key + ".0")
			}
			value = &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Content: []*yaml.Node{item}}
		case KindMapping:
			value = r.example(path + "." + key)
		case KindTextMap:
			value = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		}
		node.Content = append(node.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key}, value)
	}
	return node
}

// items are the keys of a mapping, or of the mappings in a list.
func (r *recorder) items(path string, kind Kind, readings map[string]int) Keys {
	if kind == KindMapping {
		return r.keys(path, readings)
	}
	return r.keys(path+".0", readings)
}

func (r *recorder) keys(path string, readings map[string]int) Keys {
	s := r.sections[path]
	if s == nil {
		return nil
	}
	var keys Keys
	for _, name := range s.order {
		keys = append(keys, Key{
			Name: name, Shape: s.shapes[name], Required: s.needed[name] == readings[path],
			Items: r.items(path+"."+name, s.shapes[name].Kind, readings),
		})
	}
	slices.SortFunc(keys, func(a, b Key) int { return strings.Compare(a.Name, b.Name) })
	return keys
}
