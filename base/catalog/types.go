package catalog

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"fabriclab/base/units"
)

// Types of parameters. The canonical Go value is a bool, an int64 (int,
// time in ps, rate in bit/s, bytes), a float64, a string (choice) or a List.
const (
	TypeBool   = "bool"
	TypeInt    = "int"
	TypeFloat  = "float"
	TypeTime   = "time"
	TypeRate   = "rate"
	TypeBytes  = "bytes"
	TypeChoice = "choice"
	TypeList   = "list"
)

// paramType is all that depends on a parameter's type; a new type is a row of
// types.
type paramType struct {
	// parse reads a single value as written in an experiment; nil for lists.
	parse func(text string) (any, error)
	// format writes a canonical value in the form that is read.
	format func(p *Param, value any) string
	// fromJSON reads a value of the catalog, nil if it is of another type.
	fromJSON func(p *Param, value any) any
	// check says what is wrong with a value beside its range; nil: nothing.
	check func(p *Param, value any) error
	// schema is the JSON Schema of the values in an experiment, without range.
	schema func(p *Param) map[string]any
	// quantity: the values are written with their unit.
	quantity bool
}

var types map[string]*paramType

func init() { // not a literal: a list's functions use the table
	types = map[string]*paramType{
		TypeBool: {
			parse: func(text string) (any, error) {
				if text != "true" && text != "false" {
					return nil, fmt.Errorf("%q is not a truth value; write true or false", text)
				}
				return text == "true", nil
			},
			format:   func(_ *Param, value any) string { return fmt.Sprint(value) },
			fromJSON: as[bool],
			schema:   func(*Param) map[string]any { return map[string]any{"type": "boolean"} },
		},
		TypeInt: {
			parse: func(text string) (any, error) {
				i, err := strconv.ParseInt(text, 10, 64)
				if err != nil {
					return nil, fmt.Errorf("%q is not a whole number", text)
				}
				return i, nil
			},
			format:   func(_ *Param, value any) string { return fmt.Sprint(value) },
			fromJSON: wholeNumber,
			schema:   func(p *Param) map[string]any { return p.limited("integer") },
		},
		TypeFloat: {
			parse: func(text string) (any, error) {
				f, err := strconv.ParseFloat(text, 64)
				if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
					return nil, fmt.Errorf("%q is not a number", text)
				}
				return f, nil
			},
			format: func(_ *Param, value any) string { return strconv.FormatFloat(value.(float64), 'g', -1, 64) },
			fromJSON: func(_ *Param, value any) any {
				if n, is := value.(json.Number); is {
					if f, err := n.Float64(); err == nil {
						return f
					}
				}
				return nil
			},
			schema: func(p *Param) map[string]any { return p.limited("number") },
		},
		TypeTime:  quantity(units.ParseTime, units.FormatTime, units.TimePattern),
		TypeRate:  quantity(units.ParseRate, units.FormatRate, units.RatePattern),
		TypeBytes: quantity(units.ParseBytes, units.FormatBytes, units.BytesPattern),
		TypeChoice: {
			parse:    func(text string) (any, error) { return text, nil },
			format:   func(_ *Param, value any) string { return value.(string) },
			fromJSON: as[string],
			check: func(p *Param, value any) error {
				if s := value.(string); !slices.Contains(p.Choices, s) {
					return fmt.Errorf("%q is not among the choices%s", s, Hint(s, p.Choices))
				}
				return nil
			},
			schema: func(p *Param) map[string]any { return map[string]any{"enum": p.Choices} },
		},
		TypeList: {
			format: func(p *Param, value any) string { return p.formatList(value.(List)) },
			fromJSON: func(p *Param, value any) any {
				if list := p.listFromJSON(value); list != nil {
					return list
				}
				return nil
			},
			check:  func(p *Param, value any) error { return p.checkList(value.(List)) },
			schema: func(p *Param) map[string]any { return p.listSchema() },
		},
	}
}

func as[T any](_ *Param, value any) any {
	if v, is := value.(T); is {
		return v
	}
	return nil
}

func wholeNumber(_ *Param, value any) any {
	if n, is := value.(json.Number); is {
		if i, err := n.Int64(); err == nil {
			return i
		}
	}
	return nil
}

func quantity(parse func(string) (int64, error), format func(int64) string, pattern string) *paramType {
	return &paramType{
		parse:    func(text string) (any, error) { return parse(text) },
		format:   func(_ *Param, value any) string { return format(value.(int64)) },
		fromJSON: wholeNumber,
		schema: func(p *Param) map[string]any {
			return QuantitySchema(pattern, p.Min == nil || p.Min == int64(0))
		},
		quantity: true,
	}
}

// QuantitySchema is the JSON Schema of a number with a unit; 0 needs none.
func QuantitySchema(pattern string, zero bool) map[string]any {
	if !zero {
		return map[string]any{"type": "string", "allOf": []map[string]any{{"pattern": pattern}, {"pattern": "[1-9]"}}}
	}
	return map[string]any{"anyOf": []map[string]any{{"type": "string", "pattern": pattern}, {"const": 0}}}
}

// limited is the JSON Schema of a plain number.
func (p *Param) limited(of string) map[string]any {
	s := map[string]any{"type": of}
	if p.Min != nil {
		s["minimum"] = p.Min
	}
	if p.Max != nil && p.Max != math.MaxFloat64 {
		s["maximum"] = p.Max
	}
	return s
}

// Axis is what one column of a list holds.
type Axis struct {
	Name       string `json:"name"`
	Type       string `json:"type"` // of numbers and quantities
	Unit       string `json:"unit"`
	Min        any    `json:"min"`
	Max        any    `json:"max"`
	Increasing bool   `json:"increasing"` // each entry's number is above the one before
}

// param is the axis as a parameter of its own.
func (a *Axis) param() *Param { return &Param{Type: a.Type, Unit: a.Unit, Min: a.Min, Max: a.Max} }

// value is a number of the axis as the canonical value of its type.
func (a *Axis) value(x float64) any {
	if a.Type == TypeFloat {
		return x
	}
	return int64(x)
}

// List is the value of a list: its entries, each with one number per axis, in
// the units of the axes' types.
type List [][]float64

// MarshalJSON writes entries of one number as that number.
func (l List) MarshalJSON() ([]byte, error) {
	entries := make([]any, len(l))
	for i, entry := range l {
		entries[i] = entry
		if len(entry) == 1 {
			entries[i] = entry[0]
		}
	}
	return json.Marshal(entries)
}

// EntryError says what is wrong with one entry of a list.
type EntryError struct {
	Entry int // from 0
	Err   error
}

func (e *EntryError) Error() string { return fmt.Sprintf("entry %d: %v", e.Entry+1, e.Err) }

func (e *EntryError) Unwrap() error { return e.Err }

// IsList says whether values are lists, which ParseList reads.
func (p *Param) IsList() bool { return p.Type == TypeList }

// Example is a list as it is written in an experiment.
func (p *Param) Example() string { return p.Format(p.Default) }

// ParseList reads the entries of a list as written in an experiment, each as
// its numbers, and checks them.
func (p *Param) ParseList(entries [][]string) (List, error) {
	list := List{}
	for i, entry := range entries {
		if err := p.checkWidth(len(entry)); err != nil {
			return nil, &EntryError{i, err}
		}
		var numbers []float64
		for k, text := range entry {
			value, err := p.Axes[k].param().Parse(text)
			if err != nil {
				return nil, &EntryError{i, fmt.Errorf("%s: %w", p.Axes[k].Name, err)}
			}
			switch v := value.(type) {
			case int64:
				numbers = append(numbers, float64(v))
			case float64:
				numbers = append(numbers, v)
			}
		}
		list = append(list, numbers)
	}
	return list, p.checkList(list)
}

func (p *Param) checkWidth(n int) error {
	if n == len(p.Axes) {
		return nil
	}
	names := make([]string, len(p.Axes))
	for i := range p.Axes {
		names[i] = p.Axes[i].Name
	}
	return fmt.Errorf("an entry is %s, and this one has %d numbers", strings.Join(names, " and "), n)
}

func (p *Param) checkList(list List) error {
	if len(list) < p.MinEntries || len(list) > p.MaxEntries {
		return fmt.Errorf("the list has %d entries; allowed: from %d to %d", len(list), p.MinEntries, p.MaxEntries)
	}
	for i, entry := range list {
		if err := p.checkWidth(len(entry)); err != nil {
			return &EntryError{i, err}
		}
		for k, x := range entry {
			a := &p.Axes[k]
			one := a.param()
			if err := one.check(a.value(x)); err != nil {
				return &EntryError{i, fmt.Errorf("%s: %w", a.Name, err)}
			}
			if a.Increasing && i > 0 && !(x > list[i-1][k]) {
				return &EntryError{i, fmt.Errorf("%s: %s is not above %s, the one before; the %s has to increase",
					a.Name, one.Format(a.value(x)), one.Format(a.value(list[i-1][k])), a.Name)}
			}
		}
	}
	return nil
}

func (p *Param) formatList(list List) string {
	var b strings.Builder
	for i, entry := range list {
		if i > 0 {
			b.WriteString(", ")
		}
		numbers := make([]string, len(entry))
		for k, x := range entry {
			numbers[k] = p.Axes[k].param().Format(p.Axes[k].value(x))
		}
		text := strings.Join(numbers, ", ")
		if len(p.Axes) > 1 {
			text = "[" + text + "]"
		}
		b.WriteString(text)
	}
	return "[" + b.String() + "]"
}

func (p *Param) listFromJSON(value any) List {
	items, is := value.([]any)
	if !is {
		return nil
	}
	list := List{}
	for _, item := range items {
		numbers, is := item.([]any)
		if !is {
			numbers = []any{item}
		}
		var entry []float64
		for _, n := range numbers {
			number, is := n.(json.Number)
			if !is {
				return nil
			}
			f, err := number.Float64()
			if err != nil {
				return nil
			}
			entry = append(entry, f)
		}
		list = append(list, entry)
	}
	return list
}

func (p *Param) listSchema() map[string]any {
	columns := make([]map[string]any, len(p.Axes))
	for i := range p.Axes {
		columns[i] = p.Axes[i].param().Schema()
		columns[i]["description"] = p.Axes[i].Name
	}
	entry := columns[0]
	if len(columns) > 1 {
		entry = map[string]any{"type": "array", "items": columns, "minItems": len(columns), "maxItems": len(columns)}
	}
	return map[string]any{"type": "array", "items": entry, "minItems": p.MinEntries, "maxItems": p.MaxEntries}
}

// canonicaliseAxes checks the axes and turns their limits into canonical
// values.
func (p *Param) canonicaliseAxes() error {
	if p.IsList() != (len(p.Axes) > 0) {
		return errors.New("a list has axes, and nothing else has")
	}
	for i := range p.Axes {
		a := &p.Axes[i]
		if a.Type == TypeList || a.Type == TypeChoice || a.Type == TypeBool || types[a.Type] == nil {
			return fmt.Errorf("the axis %q is of type %q; it is one of int, float, time, rate, bytes", a.Name, a.Type)
		}
		one := a.param()
		for _, v := range []*any{&a.Min, &a.Max} {
			if *v = types[a.Type].fromJSON(one, *v); *v == nil {
				return fmt.Errorf("the limits of the axis %q are not of type %s", a.Name, a.Type)
			}
		}
	}
	return nil
}

func typeNames() string { return strings.Join(slices.Sorted(maps.Keys(types)), ", ") }
