package experiment

import (
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"fabriclab/base/catalog"
	"fabriclab/harness/computed"
	"fabriclab/harness/topology"
	"fabriclab/harness/workload"
)

// What an experiment may look like is written down once, in the functions that
// read and check it. The schema asks them: they are called with empty sections,
// and what they ask a section for is recorded (docs/how-to/editors.md).

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
	KindWorkloads       // a list of workloads
	KindTime
	KindRate
	KindBytes
	KindSize // bytes, or unlimited
	KindParam
)

// Shape is what validation asks for at a key.
type Shape struct {
	Kind   Kind
	NoZero bool           // of rates: 0 is refused
	Param  *catalog.Param // of KindParam: type and range
}

// A Key is a key that a section may have.
type Key struct {
	Name  string
	Shape Shape
	// Required keys are asked for whatever else is there.
	Required bool
	// Items are the keys of the mappings in a list.
	Items Section
}

// A Section is the keys that a mapping may have, by name.
type Section []Key

// Description is what validation asks of the parts of an experiment that are
// not components.
type Description struct {
	Topologies map[string]Section // by type
	Workloads  map[string]Section // by type
	Run        Section
	Computed   map[string]Section // by key
	Derived    Section            // what a table that the harness computes is of
	Sampled    Section            // the filter of a sampled table
	Events     Section            // that of another table
	// Head are the keys that belong to the whole experiment, Point those of a
	// point, which a scale and the matrix may change, Range those of a range
	// of values on an axis.
	Head, Point, Range []string
	// Preset are the keys of a preset beside the slots and params.
	Preset []string
}

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

// asks notes that validation looks for a key.
func (s *section) asks(key string, shape Shape) {
	if s.f.recorder == nil {
		return
	}
	r := s.f.recorder.section(s.path)
	known, asked := r.shapes[key]
	if !asked {
		r.order = append(r.order, key)
	}
	if !asked || shape.Kind > known.Kind {
		r.shapes[key] = shape
	}
}

// needs notes that a key has to be there.
func (s *section) needs(key string) {
	if s.f.recorder != nil {
		s.asks(key, Shape{})
		s.f.recorder.section(s.path).needed[key] = 1
	}
}

// Describe asks validation what it reads.
func Describe(c *catalog.Catalog) Description {
	d := Description{
		Topologies: map[string]Section{}, Workloads: map[string]Section{}, Computed: map[string]Section{},
		Head: headKeys, Point: pointKeys(c), Range: rangeKeys, Preset: presetHead,
	}
	network, err := topology.Star{Hosts: 2, Cabling: topology.Cabling{HostRate: 1e9, FabricRate: 1e9}}.Build()
	if err != nil {
		panic(err) // two hosts at a switch are a network
	}
	for _, kind := range topologyTypes {
		d.Topologies[kind] = interview(c, "topology", kind, func(l *loader, s *section) { l.topologyType(s) })
	}
	for kind, read := range workloadTypes {
		d.Workloads[kind] = interview(c, "workload", kind, func(l *loader, s *section) {
			s.required("type", "list")
			read(l, s, network, workload.Rules{Classes: 2, StopPs: 1, ToPs: 1})
		})
	}
	d.Run = interview(c, "run", "", func(l *loader, s *section) {
		root := &section{f: l.forest, node: l.mapping(s.node)}
		root.node.Content = append(root.node.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: "run"}, s.node)
		l.run(root)
	})
	for _, kind := range computed.Kinds() {
		d.Computed[kind.Key] = interview(c, kind.Key, "", func(l *loader, s *section) { l.model(s, &kind, &computed.Network{Topology: network}) })
	}
	filter := func(sampled bool) Section {
		return interview(c, "trace", "", func(l *loader, s *section) {
			l.tableFilter(s, &catalog.Table{Sampled: sampled}, network, nil, 2)
		})
	}
	d.Derived = interview(c, "trace", "", func(l *loader, s *section) { l.derived(s, "") })
	d.Sampled, d.Events = filter(true), slices.DeleteFunc(filter(false), func(k Key) bool { return k.Name == "interval" })
	return d
}

// interview reads a section again and again, every time with the keys it asked
// for the time before, until it asks for nothing new. A key is required if all
// readings needed it.
func interview(c *catalog.Catalog, path, kind string, read func(*loader, *section)) Section {
	all := &recorder{sections: map[string]*recorded{}}
	readings := map[string]int{}
	for known := -1; known != all.size(); {
		known = all.size()
		l := &loader{
			forest: newForest(), catalog: c, presets: map[string]*preset{},
			topologies: map[string]*topology.Topology{}, used: map[string]bool{},
		}
		l.recorder = &recorder{sections: map[string]*recorded{}}
		node := all.example(path)
		if kind != "" {
			node = l.set(node, []string{"type"}, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: kind}, nil)
		}
		read(l, l.section(node, node, path))
		for p, r := range l.recorder.sections {
			readings[p]++
			all.section(p).add(r)
		}
	}
	return all.keys(path, readings)
}

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
		case KindList, KindTexts, KindTextLists, KindTextsOrMappings, KindWorkloads:
			item := value
			if r.sections[path+"."+key+".0"] != nil || s.shapes[key].Kind == KindTextsOrMappings {
				item = r.example(path + "." + key + ".0")
			}
			value = &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Content: []*yaml.Node{item}}
		case KindMapping, KindTextMap:
			value = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		}
		node.Content = append(node.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key}, value)
	}
	return node
}

func (r *recorder) keys(path string, readings map[string]int) Section {
	s := r.sections[path]
	if s == nil {
		return nil
	}
	var keys Section
	for _, name := range s.order {
		keys = append(keys, Key{
			Name: name, Shape: s.shapes[name], Required: s.needed[name] == readings[path],
			Items: r.keys(path+"."+name+"."+strconv.Itoa(0), readings),
		})
	}
	slices.SortFunc(keys, func(a, b Key) int { return strings.Compare(a.Name, b.Name) })
	return keys
}
