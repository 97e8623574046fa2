package experiment

import (
	"math/big"
	"slices"

	"go.yaml.in/yaml/v3"

	"fabriclab/base/reader"
	"fabriclab/base/units"
)

// rangeKeys are the keys of a range of values, such as
// {from: 25Gbps, to: 100Gbps, step: 25Gbps}.
var rangeKeys = []string{"from", "to", "step", "factor", "count", "scale", "digits"}

const (
	// maxRange bounds a range that was mistyped.
	maxRange = 10_000
	// maxLogCount bounds the work of taking exact roots.
	maxLogCount = 200
	// logDigits are the significant digits of values spread on a logarithmic
	// scale, where nothing else is asked for.
	logDigits = 3
)

// isRange tells a range from named sets of values, whose values are mappings.
func isRange(n *yaml.Node) bool {
	if n.Kind != yaml.MappingNode {
		return false
	}
	for i := 0; i < len(n.Content); i += 2 {
		if slices.Contains(rangeKeys, n.Content[i].Value) && n.Content[i+1].Kind == yaml.ScalarNode {
			return true
		}
	}
	return false
}

// values are the values of an axis, given as a list or as a range; nil if it
// is neither or there is something wrong.
func (l *loader) values(n *yaml.Node, name string) []*yaml.Node {
	if !isRange(n) {
		if n.Kind == yaml.SequenceNode {
			return n.Content
		}
		return nil
	}
	var nodes []*yaml.Node
	for _, text := range l.spread(n, name) {
		node := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
		l.Sources[node] = l.Sources[n]
		nodes = append(nodes, node)
	}
	return nodes
}

// spread gives the values of a range as texts, in the unit of its beginning.
func (l *loader) spread(n *yaml.Node, name string) []string {
	s := l.Section(n, n, name)
	before := l.Found
	from, to := l.number(s, "from", "25Gbps"), l.number(s, "to", "100Gbps")
	log := false
	if text, at, ok := s.Text("scale"); ok {
		log = text == "log"
		if !log && text != "linear" {
			l.Problem(at, "%s.scale is linear or log, not %q", name, text)
		}
	}
	var ways []string
	for _, key := range []string{"step", "factor", "count"} {
		if s.Get(key) != nil {
			ways = append(ways, key)
		}
	}
	digits := int(s.Integer("digits", 0, 1, 15))
	count := int(s.Integer("count", 0, 2, maxRange))
	step, factor := s.Get("step"), s.Get("factor")
	switch {
	case len(ways) != 1:
		l.Problem(n, "%s needs exactly one of step, factor and count, as in {from: 25Gbps, to: 100Gbps, step: 25Gbps}", name)
	case log && step != nil:
		l.Problem(step, "%s.step adds, which is no log scale; give a factor or a count", name)
	case factor != nil && s.Get("scale") != nil:
		l.Problem(s.Get("scale"), "%s.factor multiplies, which says the scale already; take scale out", name)
	case digits > 0 && count == 0:
		l.Problem(s.Get("digits"), "%s.digits rounds the values of a count; steps and factors are exact", name)
	}
	s.Done()
	if l.Found > before {
		return nil
	}
	unit := from
	if from.Unit() == "" && from.IsZero() {
		unit = to
	}
	low, err := from.In(unit)
	if err == nil {
		var high *big.Rat
		if high, err = to.In(unit); err == nil {
			r := spreading{l: l, s: s, name: name, unit: unit, low: low, high: high}
			return r.texts(step, factor, count, log || factor != nil, digits)
		}
	}
	l.Problem(n, "%s: %v; give from and to in units of one kind", name, err)
	return nil
}

func (l *loader) number(s *reader.Section, key, example string) units.Number {
	if !s.Need(key, example) {
		return units.Number{}
	}
	value, _ := reader.Quantity(s, key, units.ParseNumber)
	return value
}

// spreading is a range whose ends are known.
type spreading struct {
	l         *loader
	s         *reader.Section
	name      string
	unit      units.Number
	low, high *big.Rat // in that unit
}

func (r *spreading) texts(step, factor *yaml.Node, count int, log bool, digits int) []string {
	switch {
	case r.low.Cmp(r.high) >= 0:
		r.l.Problem(r.s.Get("to"), "%s.to is not above from; a range goes upwards", r.name)
		return nil
	case log && r.low.Sign() <= 0:
		r.l.Problem(r.s.Get("from"), "%s.from is not above 0, where a log scale begins; give another from, or a step", r.name)
		return nil
	}
	switch {
	case step != nil:
		width, ok := r.width()
		if !ok || width.Sign() <= 0 {
			if ok {
				r.l.Problem(step, "%s.step is not above 0", r.name)
			}
			return nil
		}
		return r.upTo(func(v *big.Rat) *big.Rat { return new(big.Rat).Add(v, width) })
	case factor != nil:
		times, ok := reader.Quantity(r.s, "factor", units.ParseNumber)
		if !ok {
			return nil
		}
		by := times.Value()
		if times.Unit() != "" || by.Cmp(big.NewRat(1, 1)) <= 0 {
			r.l.Problem(factor, "%s.factor is a number above 1 without a unit, such as 2", r.name)
			return nil
		}
		return r.upTo(func(v *big.Rat) *big.Rat { return new(big.Rat).Mul(v, by) })
	case log:
		return r.logSpaced(count, digits)
	}
	return r.linear(count, digits)
}

func (r *spreading) width() (*big.Rat, bool) {
	step, ok := reader.Quantity(r.s, "step", units.ParseNumber)
	if !ok {
		return nil, false
	}
	width, err := step.In(r.unit)
	if err != nil {
		r.l.Problem(r.s.Get("step"), "%s.step: %v; give it in a unit of the same kind", r.name, err)
		return nil, false
	}
	return width, true
}

// upTo are the values from low on as long as they do not exceed high.
func (r *spreading) upTo(next func(*big.Rat) *big.Rat) []string {
	var texts []string
	for v := r.low; v.Cmp(r.high) <= 0; v = next(v) {
		if len(texts) == maxRange {
			r.l.Problem(r.s.Node, "%s has more than %d values; take a larger step", r.name, maxRange)
			return nil
		}
		texts = append(texts, r.text(v))
	}
	return texts
}

func (r *spreading) text(value *big.Rat) string { return r.unit.With(value).String() }

// linear are count values at equal distances.
func (r *spreading) linear(count, digits int) []string {
	texts := make([]string, count)
	for i := range texts {
		v := new(big.Rat).Sub(r.high, r.low)
		v.Mul(v, big.NewRat(int64(i), int64(count-1)))
		v.Add(v, r.low)
		switch {
		case i == 0 || i == count-1:
		case digits > 0:
			v = rounded(v, 1, digits)
		case !units.Decimal(v):
			r.l.Problem(r.s.Get("count"), "%s: %d values from %s to %s are no decimal numbers (%s…); take another count, or round them with digits: 3",
				r.name, count, r.text(r.low), r.text(r.high), v.FloatString(4))
			return nil
		}
		texts[i] = r.text(v)
	}
	return r.distinct(texts)
}

// logSpaced are count values at equal ratios: those that are decimal numbers
// exactly, the others rounded to some significant digits.
func (r *spreading) logSpaced(count, digits int) []string {
	if count > maxLogCount {
		r.l.Problem(r.s.Get("count"), "%s.count is at most %d on a log scale", r.name, maxLogCount)
		return nil
	}
	if digits == 0 {
		digits = logDigits
	}
	texts := make([]string, count)
	for i := range texts {
		// The value to the power of root is low^(root-part) high^part.
		step := big.NewRat(int64(i), int64(count-1))
		part, root := int(step.Num().Int64()), int(step.Denom().Int64())
		v := new(big.Rat).Mul(power(r.low, root-part), power(r.high, part))
		if exact, ok := exactRoot(v, root); ok && units.Decimal(exact) {
			v = exact
		} else {
			v = rounded(v, root, digits)
		}
		texts[i] = r.text(v)
	}
	return r.distinct(texts)
}

func (r *spreading) distinct(texts []string) []string {
	for i := 1; i < len(texts); i++ {
		if texts[i] == texts[i-1] {
			r.l.Problem(r.s.Node, "%s: two values are %s when rounded; take a smaller count or more digits", r.name, texts[i])
			return nil
		}
	}
	return texts
}
