package catalog

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Param is one parameter of a component. After Load, Default, Min and Max
// hold canonical values; Min and Max are inclusive and nil where there is
// no bound.
type Param struct {
	Name    string   `json:"name"`
	Type    string   `json:"type"`
	Unit    string   `json:"unit,omitempty"`
	Default any      `json:"default"`
	Min     any      `json:"min,omitempty"`
	Max     any      `json:"max,omitempty"`
	Choices []string `json:"choices,omitempty"`
	Axes    []Axis   `json:"axes,omitempty"` // of a list
	// How many entries a list may have.
	MinEntries int        `json:"min_entries,omitempty"`
	MaxEntries int        `json:"max_entries,omitempty"`
	Relations  []Relation `json:"relations,omitempty"`
	Live       bool       `json:"live"`
	Added      bool       `json:"added,omitempty"` // a scenario does not name it at its default
	Help       string     `json:"help"`
	Source     string     `json:"source"`
}

// Relation says that a parameter's value is at most that of another one of its
// component, of the same type.
type Relation struct {
	Other string `json:"other"`
}

// Rule says in words what the relation asks.
func (r Relation) Rule() string { return "at most " + r.Other }

// UnmarshalJSON keeps numbers exact: int64 values do not go through float64.
func (p *Param) UnmarshalJSON(data []byte) error {
	type plain Param
	decoder := json.NewDecoder(strings.NewReader(string(data)))
	decoder.UseNumber()
	return decoder.Decode((*plain)(p))
}

// canonicalise turns the JSON values of default and range into canonical
// values and checks them.
func (p *Param) canonicalise() error {
	of := types[p.Type]
	if of == nil {
		return fmt.Errorf("type %q is none of %s", p.Type, typeNames())
	}
	if p.Type == TypeChoice && len(p.Choices) == 0 {
		return fmt.Errorf("a choice without choices")
	}
	if err := p.canonicaliseAxes(); err != nil {
		return err
	}
	for _, v := range []*any{&p.Default, &p.Min, &p.Max} {
		if *v == nil && v != &p.Default {
			continue
		}
		value := of.fromJSON(p, *v)
		if value == nil {
			return fmt.Errorf("the JSON value %v is not of type %s", *v, p.Type)
		}
		*v = value
	}
	return p.check(p.Default)
}

// Parse reads a value as written in an experiment and checks its range; for
// lists there is ParseList.
func (p *Param) Parse(text string) (any, error) {
	value, err := types[p.Type].parse(text)
	if err != nil {
		return nil, err
	}
	if err := p.check(value); err != nil {
		return nil, err
	}
	return value, nil
}

func (p *Param) check(value any) error {
	if check := types[p.Type].check; check != nil {
		if err := check(p, value); err != nil {
			return err
		}
	}
	if (p.Min != nil && less(value, p.Min)) || (p.Max != nil && less(p.Max, value)) {
		return fmt.Errorf("%s is out of range; %s", p.Format(value), p.Range())
	}
	return nil
}

// Range says in words which values are allowed, as in "from 0.1 to 1"; it is
// empty where the type alone says it.
func (p *Param) Range() string {
	switch {
	case len(p.Choices) > 0:
		return "one of " + strings.Join(p.Choices, ", ")
	case p.IsList():
		return "allowed: " + p.Allowed()
	case p.Min != nil && p.Max != nil:
		return "allowed: from " + p.Format(p.Min) + " to " + p.Format(p.Max)
	case p.Min != nil:
		return "allowed: at least " + p.Format(p.Min)
	case p.Max != nil:
		return "allowed: at most " + p.Format(p.Max)
	}
	return ""
}

func less(a, b any) bool {
	switch a := a.(type) {
	case int64:
		return a < b.(int64)
	case float64:
		return a < b.(float64)
	}
	return false
}

// Format writes a canonical value with its unit, in the form an experiment has it.
func (p *Param) Format(value any) string { return types[p.Type].format(p, value) }

// WithoutUnit says whether Format leaves a unit out that the parameter has.
func (p *Param) WithoutUnit() bool {
	return !types[p.Type].quantity && p.Unit != "" && p.Unit != "1"
}

// Schema is the JSON Schema of the values in an experiment.
func (p *Param) Schema() map[string]any { return types[p.Type].schema(p) }

// Written is a canonical value as it stands in YAML.
func (p *Param) Written(value any) any {
	switch {
	case types[p.Type].quantity:
		return p.Format(value)
	case p.IsList():
		entries := []any{}
		for _, entry := range value.(List) {
			numbers := make([]any, len(entry))
			for k, x := range entry {
				numbers[k] = p.Axes[k].param().Written(p.Axes[k].value(x))
			}
			if len(numbers) == 1 {
				entries = append(entries, numbers[0])
			} else {
				entries = append(entries, numbers)
			}
		}
		return entries
	}
	return value
}
