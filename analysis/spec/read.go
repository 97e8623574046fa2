package spec

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"fabriclab/analysis/series"
	"fabriclab/base/catalog"
	"fabriclab/base/reader"
	"fabriclab/base/units"
)

type object = map[string]any

// Read reads the dimensions and the windows of a section.
func Read(s *reader.Section) *Figure {
	return &Figure{
		Dimensions: ReadMap(s, "dimensions", ReadDimension),
		Windows:    readWindows(s),
	}
}

// ReadMap reads a mapping of names to sections.
func ReadMap[T any](s *reader.Section, key string, read func(*reader.Section) T) Ordered[T] {
	o := Ordered[T]{Items: map[string]T{}}
	for _, e := range s.Entries(key) {
		o.Names = append(o.Names, e.Key.Value)
		o.Items[e.Key.Value] = read(s.F.Section(e.Value, e.Key, e.Path))
	}
	return o
}

// ReadDimension reads a dimension.
func ReadDimension(s *reader.Section) Dimension {
	s.Need("path", "preset")
	d := Dimension{Path: s.Str("path"), Names: s.TextMap("names")}
	s.Done()
	return d
}

// WindowSchema is the JSON Schema of a window.
func WindowSchema() map[string]any {
	time := catalog.QuantitySchema(units.TimePattern, true)
	return object{
		"description": "[from, to], such as [300us, 700us], the name of a window, or measuring: the run's measuring window",
		"anyOf":       []object{{"type": "string"}, {"type": "array", "items": time, "minItems": 2, "maxItems": 2}},
	}
}

func readWindows(s *reader.Section) Ordered[Window] {
	o := Ordered[Window]{Items: map[string]Window{}}
	for _, e := range s.Entries("windows") {
		w, err := readWindow(e.Value)
		switch {
		case err != nil:
			s.F.Problem(e.Value, "%s: %v", e.Path, err)
		case e.Key.Value == Measuring:
			s.F.Problem(e.Key, "%s: measuring is the run's own measuring window; choose another name", e.Path)
		}
		o.Names = append(o.Names, e.Key.Value)
		o.Items[e.Key.Value] = w
	}
	return o
}

// readWindow reads [from, to] or a name.
func readWindow(n *yaml.Node) (w Window, err error) {
	if n.Kind == yaml.ScalarNode && !reader.IsNull(n) {
		return Window{Name: n.Value}, nil
	}
	if n.Kind != yaml.SequenceNode || len(n.Content) != 2 {
		return w, errors.New("a window is [from, to], such as [300us, 700us], or the name of one under windows")
	}
	if w.From, err = units.ParseTime(n.Content[0].Value); err != nil {
		return w, err
	}
	if w.To, err = units.ParseTime(n.Content[1].Value); err != nil {
		return w, err
	}
	if w.To <= w.From {
		return w, fmt.Errorf("the window [%s, %s] is empty", n.Content[0].Value, n.Content[1].Value)
	}
	return w, nil
}

// ReadWindow reads the window under a key, nil if there is none. A name has to be
// one of the figure's.
func ReadWindow(s *reader.Section, key string, f *Figure) *Window {
	w, ok := reader.Own(s, key, WindowSchema(), func(n *yaml.Node) (Window, error) {
		w, err := readWindow(n)
		switch {
		case err != nil:
		case w.Name != Measuring:
			_, err = f.Span(w, series.Window{})
		default: // every point has to have one
			for _, setup := range f.Setups {
				if _, err := f.Span(w, setup.Judged); err != nil {
					return w, err
				}
			}
		}
		return w, err
	})
	return reader.Given(w, ok)
}

// ReadTime reads a time under a key, nil if there is none.
func ReadTime(s *reader.Section, key string) *Time {
	t, ok := reader.Quantity(s, key, units.ParseTime)
	return reader.Given(Time(t), ok)
}

// ReadSize reads a size under a key, 0 if there is none.
func ReadSize(s *reader.Section, key string) Size {
	size, _ := reader.Quantity(s, key, units.ParseBytes)
	return Size(size)
}

// ReadSizes reads a list of sizes.
func ReadSizes(s *reader.Section, key string) []Size {
	s.Asks(key, reader.Shape{Kind: reader.KindOwn, Schema: object{"type": "array", "items": catalog.QuantitySchema(units.BytesPattern, true)}})
	var sizes []Size
	texts, nodes := s.Texts(key)
	for i, text := range texts {
		size, err := units.ParseBytes(text)
		if err != nil {
			s.F.Problem(nodes[i], "%s.%d: %v", s.Name(key), i, err)
		}
		sizes = append(sizes, Size(size))
	}
	return sizes
}

// ReadWhole reads a whole number from 0 on, nil if there is none.
func ReadWhole(s *reader.Section, key string) *int64 {
	n := s.Integer(key, 0, 0, math.MaxInt64)
	return reader.Given(n, s.Get(key) != nil)
}

// variable is a number that a claim's `for` gives.
func orVariable(number object) object {
	return object{"anyOf": []object{number, {"type": "string", "pattern": `^\$[a-z][a-z0-9_]*$`}}}
}

// ReadNumber reads a number, nil if there is none.
func ReadNumber(s *reader.Section, key string) *float64 {
	return reader.Given(reader.Own(s, key, orVariable(object{"type": "number"}), func(n *yaml.Node) (float64, error) {
		v, err := strconv.ParseFloat(n.Value, 64)
		if n.Kind != yaml.ScalarNode || err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return 0, fmt.Errorf("%q is not a number; write one such as 1.5", n.Value)
		}
		return v, nil
	}))
}

// ReadPercent reads a percentage, nil if there is none.
func ReadPercent(s *reader.Section, key string) *Percent {
	schema := orVariable(object{"type": "string", "pattern": `^[0-9]+(\.[0-9]+)? *%$`})
	return reader.Given(reader.Own(s, key, schema, func(n *yaml.Node) (Percent, error) {
		number, ok := strings.CutSuffix(n.Value, "%")
		v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if !ok || err != nil || !(v >= 0) || math.IsInf(v, 0) {
			return 0, fmt.Errorf("%q is not a percentage; write one such as 5%%, or use %s_abs", n.Value, key)
		}
		return Percent(v / 100), nil
	}))
}

// ReadList reads a list of texts.
func ReadList(s *reader.Section, key string) []string {
	texts, _ := s.Texts(key)
	return texts
}

// ReadPort reads where in the network to look: a port by name, or by the value of
// a dimension.
func ReadPort(s *reader.Section, f *Figure, source *Source, needed bool) {
	if needed {
		s.Asks("port", reader.Shape{Kind: reader.KindText, Or: "port_by"})
		s.Needs("port")
	}
	source.Port = s.Str("port")
	source.PortBy = map[string]map[string]string{}
	s.Asks("port_by", reader.Shape{Kind: reader.KindOwn, Schema: object{
		"type": "object", "minProperties": 1, "maxProperties": 1,
		"additionalProperties": object{"type": "object", "additionalProperties": reader.Word()},
	}})
	by := s.Get("port_by")
	switch {
	case by == nil && s.Get("port") == nil && needed:
		s.Missing("port", `"s1->s2" (or port_by)`)
	case by != nil && s.Get("port") != nil:
		s.F.Problem(by, "port and port_by exclude each other")
	}
	if by == nil {
		source.PortBy = nil
		return
	}
	dimensions := s.Sub("port_by")
	for i, e := range s.Entries("port_by") {
		if i > 0 {
			s.F.Problem(e.Key, "port_by names %d dimensions; it takes one", i+1)
		}
		if _, err := f.Dimensions.Get("dimension", e.Key.Value); err != nil {
			s.F.Problem(e.Key, "%s: %v", dimensions.Path, err)
		}
		source.PortBy[e.Key.Value] = dimensions.TextMap(e.Key.Value)
	}
}

// ReadClass reads a class: a number, or the word data.
func ReadClass(s *reader.Section, key string) *Class {
	schema := object{"anyOf": []object{{"const": "data"}, {"type": "integer", "minimum": 0, "maximum": 255}}}
	return reader.Given(reader.Own(s, key, schema, func(n *yaml.Node) (Class, error) {
		if n.Value == "data" {
			return Data, nil
		}
		v, err := strconv.ParseUint(n.Value, 10, 8)
		if err != nil {
			return 0, fmt.Errorf("class %q is neither a number from 0 on nor data, the class of a run's data packets", n.Value)
		}
		return Class(v), nil
	}))
}

// ReadConditions reads what the values of columns have to be.
func ReadConditions(s *reader.Section, key string) map[string]Condition {
	value := object{"type": []string{"string", "number", "boolean"}}
	s.Asks(key, reader.Shape{Kind: reader.KindOwn, Schema: object{"type": "object", "additionalProperties": object{
		"description": "the value of the column, one of a list, or one behind <, <=, >, >= or !=; of texts also a pattern such as spine*->leaf*",
		"anyOf":       []object{value, {"type": "array", "items": value, "minItems": 1}},
	}}})
	if s.Get(key) == nil {
		return nil
	}
	conditions := map[string]Condition{}
	columns := s.Sub(key)
	for _, e := range s.Entries(key) {
		if e.Value.Kind != yaml.SequenceNode && (e.Value.Kind != yaml.ScalarNode || e.Value.Value == "") {
			s.F.Problem(e.Value, "%s: write a value, a list of values, or a value behind <, <=, >, >= or !=", e.Path)
			continue
		}
		c := Condition{Values: columns.Words(e.Key.Value)}
		if e.Value.Kind == yaml.ScalarNode {
			c.Sign, c.Values[0] = signed(e.Value.Value)
		}
		conditions[e.Key.Value] = c
	}
	return conditions
}

// signed takes a sign off a value.
func signed(text string) (sign, value string) {
	for _, sign := range []string{"<=", ">=", "!=", "<", ">"} {
		if rest, found := strings.CutPrefix(text, sign); found {
			return sign, strings.TrimSpace(rest)
		}
	}
	return "", text
}

// readPoints reads {dimension: value or values}.
func readPoints(s *reader.Section, key string) Points {
	s.Asks(key, reader.Shape{Kind: reader.KindOwn, Schema: object{"type": "object", "additionalProperties": wordOrWords()}})
	if s.Get(key) == nil {
		return nil
	}
	points := Points{}
	dimensions := s.Sub(key)
	for _, e := range s.Entries(key) {
		points[e.Key.Value] = dimensions.Words(e.Key.Value)
	}
	return points
}

func wordOrWords() object {
	return object{"anyOf": []object{reader.Word(), {"type": "array", "items": reader.Word(), "minItems": 1}}}
}

// A ClaimAt is a claim and the section that it was read from.
type ClaimAt struct {
	Claim
	At *reader.Section
}

// ReadClaims reads the claims, those with `for` once for each of its entries.
func ReadClaims(s *reader.Section) []ClaimAt {
	var claims []ClaimAt
	for i, n := range s.Items("claims") {
		for _, one := range repeat(s.F, n, s.Name("claims."+strconv.Itoa(i))) {
			at := s.F.Section(one, one, s.Name("claims."+strconv.Itoa(i)))
			if id := at.Str("id"); id != "" {
				at.Path = "claim " + id
			}
			claims = append(claims, ClaimAt{ReadClaim(at), at})
		}
	}
	return claims
}

// ReadClaim reads a claim.
func ReadClaim(s *reader.Section) Claim {
	s.Need("id", "peak-order")
	s.Need("text", "FNCC keeps the queue shorter than HPCC")
	s.Need("source", "section 5.2, figure 10")
	s.Asks("for", reader.Shape{Kind: reader.KindOwn, Schema: object{
		"type": "array", "minItems": 1,
		"items": object{"type": "object", "minProperties": 1, "propertyNames": object{"pattern": "^[a-z][a-z0-9_]*$"}, "additionalProperties": reader.Word()},
	}})
	s.Knows("for")
	c := Claim{
		ID: s.Str("id"), Text: s.Str("text"), Source: s.Str("source"), Where: s.TextMap("where"), Each: ReadList(s, "each"), By: s.Str("by"),
		Measure: s.Words("measure"), Order: ReadList(s, "order"), Value: s.Str("value"), Expected: ReadNumber(s, "expected"), Unit: s.Str("unit"),
		Tolerance: ReadPercent(s, "tolerance"), ToleranceAbs: ReadNumber(s, "tolerance_abs"), Holds: s.Str("holds"),
		MeanOver: readPoints(s, "mean_over"), Mean: s.Str("mean"), Scales: ReadList(s, "scales"), Unsettled: readPoints(s, "unsettled"),
		Check: s.Str("check"), Note: s.Str("note"), Line: s.Node.Line,
	}
	if of := s.Sub("superseded"); s.Get("superseded") != nil {
		c.Superseded = &Superseded{By: of.Str("by"), Reason: of.Str("reason"), Last: of.Str("last")}
		c.Superseded.Seeds, _ = reader.Quantity(of, "seeds", units.ParseSeeds)
		of.Done()
	}
	if of := s.Sub("control"); s.Get("control") != nil {
		c.Control = &Control{Exchange: ReadList(of, "exchange"), Instead: of.TextMap("instead"), Measure: of.TextMap("measure"), Where: of.TextMap("where"), Reading: of.TextMap("reading"), None: of.Str("none")}
		of.Done()
	}
	for _, n := range s.Sections("notes") {
		c.Notes = append(c.Notes, Note{Where: n.TextMap("where"), Verdict: n.Str("verdict"), Scales: ReadList(n, "scales"), Text: n.Str("text")})
		n.Done()
	}
	s.Done()
	return c
}

// ReadChoice reads one of some words, "" if the key is missing.
func ReadChoice(s *reader.Section, key string, words []string) string {
	s.Asks(key, reader.Shape{Kind: reader.KindOwn, Schema: object{"enum": words}})
	text, at, ok := s.Text(key)
	if ok && !slices.Contains(words, text) {
		s.F.Problem(at, "%s: unknown %s %q%s", s.Name(key), key, text, catalog.Hint(text, words))
	}
	return text
}

// ReadKind reads the kind of what a section describes, which decides what other
// keys there are. Where it is unknown that is reported, and nothing else; meant is
// the kind that is called otherwise elsewhere, "" if there is none.
func ReadKind[K any](s *reader.Section, what, example string, kinds map[string]K, meant func(string) string) (name string, kind K, ok bool) {
	s.Need("kind", example)
	name = s.Str("kind")
	if kind, ok = kinds[name]; ok {
		s.Of = name
		return name, kind, true
	}
	if at := s.Get("kind"); at != nil {
		hint := catalog.Hint(name, slices.Sorted(maps.Keys(kinds)))
		if meant != nil && meant(name) != "" {
			hint = fmt.Sprintf("; did you mean %q?", meant(name))
		}
		s.F.Problem(at, "%s: unknown kind of %s %q%s", s.Name("kind"), what, name, hint)
	}
	s.IgnoreRest()
	return name, kind, false
}
