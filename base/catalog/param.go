package catalog

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"fabriclab/base/units"
)

// Types of parameters. The canonical Go value is a bool, an int64 (int,
// time in ps, rate in bit/s, bytes), a float64 or a string (choice).
const (
	TypeBool   = "bool"
	TypeInt    = "int"
	TypeFloat  = "float"
	TypeTime   = "time"
	TypeRate   = "rate"
	TypeBytes  = "bytes"
	TypeChoice = "choice"
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
	Live    bool     `json:"live"`
	Added   bool     `json:"added,omitempty"` // a scenario does not name it at its default
	Help    string   `json:"help"`
	Source  string   `json:"source"`
}

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
	switch p.Type {
	case TypeBool, TypeInt, TypeFloat, TypeTime, TypeRate, TypeBytes:
	case TypeChoice:
		if len(p.Choices) == 0 {
			return fmt.Errorf("a choice without choices")
		}
	default:
		return fmt.Errorf("type %q is none of bool, int, float, time, rate, bytes, choice", p.Type)
	}
	for _, v := range []*any{&p.Default, &p.Min, &p.Max} {
		if *v == nil && v != &p.Default {
			continue
		}
		value, err := p.fromJSON(*v)
		if err != nil {
			return err
		}
		*v = value
	}
	return p.check(p.Default)
}

func (p *Param) fromJSON(v any) (any, error) {
	bad := fmt.Errorf("the JSON value %v is not of type %s", v, p.Type)
	switch v := v.(type) {
	case bool:
		if p.Type == TypeBool {
			return v, nil
		}
	case string:
		if p.Type == TypeChoice {
			return v, nil
		}
	case json.Number:
		switch p.Type {
		case TypeFloat:
			if f, err := v.Float64(); err == nil {
				return f, nil
			}
		case TypeInt, TypeTime, TypeRate, TypeBytes:
			if i, err := v.Int64(); err == nil {
				return i, nil
			}
		}
	}
	return nil, bad
}

// Parse reads a value as written in an experiment and checks its range.
func (p *Param) Parse(text string) (any, error) {
	var value any
	var err error
	switch p.Type {
	case TypeBool:
		switch text {
		case "true":
			value = true
		case "false":
			value = false
		default:
			err = fmt.Errorf("%q is not a truth value; write true or false", text)
		}
	case TypeInt:
		var i int64
		if i, err = strconv.ParseInt(text, 10, 64); err != nil {
			err = fmt.Errorf("%q is not a whole number", text)
		}
		value = i
	case TypeFloat:
		var f float64
		if f, err = strconv.ParseFloat(text, 64); err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
			err = fmt.Errorf("%q is not a number", text)
		}
		value = f
	case TypeTime:
		value, err = units.ParseTime(text)
	case TypeRate:
		value, err = units.ParseRate(text)
	case TypeBytes:
		value, err = units.ParseBytes(text)
	default:
		value = text
	}
	if err != nil {
		return nil, err
	}
	if err := p.check(value); err != nil {
		return nil, err
	}
	return value, nil
}

func (p *Param) check(value any) error {
	if s, ok := value.(string); ok && !slices.Contains(p.Choices, s) {
		return fmt.Errorf("%q is not among the choices%s", s, Hint(s, p.Choices))
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
	case p.Type == TypeChoice:
		return "one of " + strings.Join(p.Choices, ", ")
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

// Format writes a canonical value with its unit, in the form Parse reads.
func (p *Param) Format(value any) string {
	switch v := value.(type) {
	case int64:
		switch p.Type {
		case TypeTime:
			return units.FormatTime(v)
		case TypeRate:
			return units.FormatRate(v)
		case TypeBytes:
			return units.FormatBytes(v)
		}
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case bool:
		return strconv.FormatBool(v)
	}
	return fmt.Sprint(value)
}
