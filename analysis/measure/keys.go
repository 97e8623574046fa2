package measure

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"fabriclab/analysis/spec"
	"fabriclab/base/reader"
	"fabriclab/base/units"
)

// A key is one that several kinds of measures have.
type key struct {
	example string
	read    func(at)
}

// at is a measure that is being read, of a kind in a figure.
type at struct {
	*reader.Section
	m *spec.Measure
	k *Kind
	f *spec.Figure
}

// keys are read by the kinds that name them. What only one kind has it reads by
// itself (Kind.Read).
var keys = map[string]key{
	"window":     {"[300us, 700us]", func(s at) { s.m.Window = spec.ReadWindow(s.Section, "window", s.f) }},
	"class":      {"1", func(s at) { s.m.Class = spec.ReadClass(s.Section, "class") }},
	"flow":       {"0", readFlow},
	"count":      {"payload", func(s at) { s.m.Count = spec.ReadChoice(s.Section, "count", counts) }},
	"node":       {"s1", func(s at) { s.m.Node = s.Str("node") }},
	"flows":      {"[0, 1]", readFlows},
	"ports":      {`["leaf0->spine*"]`, func(s at) { s.m.Ports = spec.ReadList(s.Section, "ports") }},
	"event":      {"300us", func(s at) { s.m.Event = spec.ReadTime(s.Section, "event") }},
	"hold":       {"50us", func(s at) { s.m.Hold = spec.ReadTime(s.Section, "hold") }},
	"interval":   {"10us", func(s at) { s.m.Interval = spec.Time(above0(s, "interval", units.ParseTime)) }},
	"gap":        {"500us", func(s at) { s.m.Gap = spec.Time(above0(s, "gap", units.ParseTime)) }},
	"min_size":   {"100KB", func(s at) { s.m.MinSize = spec.ReadSize(s.Section, "min_size") }},
	"max_size":   {"1MB", func(s at) { s.m.MaxSize = spec.Size(above0(s, "max_size", units.ParseBytes)) }},
	"group":      {"0", func(s at) { s.m.Group = spec.ReadWhole(s.Section, "group") }},
	"share":      {"0.9", func(s at) { s.m.Share = between(s, "share", 1) }},
	"percentile": {"99", func(s at) { s.m.Percentile = between(s, "percentile", 100) }},
	"stat":       {"mean", func(s at) { s.m.Stat = spec.ReadChoice(s.Section, "stat", s.k.stats()) }},
	"method":     {"range", func(s at) { s.m.Method = spec.ReadChoice(s.Section, "method", s.k.Methods) }},
}

var counts = []string{string(Wire), string(Payload)}

// above0 reads a quantity that is above 0.
func above0(s at, key string, parse func(string) (int64, error)) int64 {
	v, ok := reader.Quantity(s.Section, key, parse)
	if ok && v <= 0 {
		s.F.Problem(s.Get(key), "%s is not above 0", s.Name(key))
	}
	return v
}

// between reads a number from 0 to most, nil if there is none.
func between(s at, key string, most float64) *float64 {
	v := s.FloatBetween(key, 0, 0, most)
	return reader.Given(v, s.Get(key) != nil)
}

// readFlow reads a flow's id or name, nil if there is none.
func readFlow(s at) {
	schema := map[string]any{"type": []string{"integer", "string"}, "minimum": 0}
	s.m.Flow = reader.Given(reader.Own(s.Section, "flow", schema, func(n *yaml.Node) (int64, error) {
		if n.Kind != yaml.ScalarNode || reader.IsNull(n) {
			return 0, fmt.Errorf("it is one flow, by its id or name, not %s", reader.What(n))
		}
		return flowID(s.f, n.Value)
	}))
}

func readFlows(s at) {
	texts, nodes := s.Texts("flows")
	for i, text := range texts {
		id, err := flowID(s.f, text)
		if err != nil {
			s.F.Problem(nodes[i], "%s.%d: %v", s.Name("flows"), i, err)
		}
		s.m.Flows = append(s.m.Flows, id)
	}
}

// Read reads the measures of a figure whose dimensions and windows are read.
func Read(s *reader.Section, f *spec.Figure) {
	f.Measures = spec.ReadMap(s, "measures", func(one *reader.Section) spec.Measure { return ReadOne(one, f) })
}

// ReadOne reads a measure.
func ReadOne(s *reader.Section, f *spec.Figure) spec.Measure {
	name, k, ok := spec.ReadKind(s, "measure", "queue_peak", kinds, asMeasure)
	m := spec.Measure{Kind: name, Text: s.Str("text")}
	if !ok {
		return m
	}
	m.Unit = readUnit(s, k.Quantity)
	for i, name := range slices.Concat(k.Needs, k.Allows) {
		needed := i < len(k.Needs)
		if name == "port" {
			spec.ReadPort(s, f, &m.Source, needed)
			continue
		}
		if needed {
			s.Need(name, keys[name].example)
		}
		keys[name].read(at{s, &m, &k, f})
	}
	if k.Read != nil {
		k.Read(s, &m, f)
	}
	check(s, f, m, k.from(m))
	s.Done()
	return m
}

// from are the tables that a measure is taken from.
func (k *Kind) from(m spec.Measure) []string {
	if m.Table != "" {
		return []string{m.Table}
	}
	return k.From
}

// readUnit reads the unit of a quantity.
func readUnit(s *reader.Section, q Quantity) string {
	if q == Any {
		s.Need("unit", "KB")
		return s.Str("unit")
	}
	s.Need("unit", Units(q)[0])
	s.Asks("unit", reader.Shape{Kind: reader.KindOwn, Schema: map[string]any{"enum": Units(q)}})
	unit, at, ok := s.Text("unit")
	if _, err := Scale(q, unit); ok && err != nil {
		s.F.Problem(at, "%s: %v", s.Name("unit"), err)
	}
	return unit
}

// least reports lists that are too short to measure.
func least(s *reader.Section, key string, have int, why string) {
	if s.Get(key) != nil && have < 2 {
		s.F.Problem(s.Get(key), "%s: %s", s.Name(key), why)
	}
}
