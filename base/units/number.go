package units

import (
	"fmt"
	"math/big"
	"regexp"
	"strings"
)

// Number is an exact number with a unit, or a bare one.
type Number struct {
	value *big.Rat   // in the unit
	unit  string     // "" for a bare number
	scale int64      // of the unit
	dim   *dimension // nil for a bare number
}

var numberText = regexp.MustCompile(`^(-?[0-9]{1,40}(?:\.[0-9]{1,40})?(?:[eE][+-]?[0-9]{1,2})?) ?([A-Za-z]*(?:/s)?)$`)

// ParseNumber reads a decimal number with one of the units of this package, or
// without one.
func ParseNumber(text string) (Number, error) {
	parts := numberText.FindStringSubmatch(text)
	if parts == nil {
		return Number{}, fmt.Errorf("%q is not a number with or without a unit, such as 0.5, 100Gbps or 1.5us", text)
	}
	value, ok := new(big.Rat).SetString(parts[1])
	if !ok {
		return Number{}, fmt.Errorf("%q is not a number", text)
	}
	if parts[2] == "" {
		return Number{value: value, scale: 1}, nil
	}
	var all []string
	for _, d := range []*dimension{&timeDim, &rateDim, &bytesDim} {
		for _, u := range d.units {
			if u.name == as(parts[2]) {
				return Number{value: value, unit: u.name, scale: u.scale, dim: d}, nil
			}
			all = append(all, u.name)
		}
	}
	return Number{}, fmt.Errorf("%q has the unit %q; units are %s", text, parts[2], strings.Join(all, ", "))
}

// Unit is the number's unit, "" if it has none.
func (n Number) Unit() string { return n.unit }

// Value is the number without its unit.
func (n Number) Value() *big.Rat { return new(big.Rat).Set(n.value) }

// IsZero says whether the number is 0, in whichever unit.
func (n Number) IsZero() bool { return n.value.Sign() == 0 }

// In gives the value in the unit of another number. A bare 0 is 0 in any unit.
func (n Number) In(other Number) (*big.Rat, error) {
	if n.dim != other.dim && (n.dim != nil || !n.IsZero()) {
		return nil, fmt.Errorf("%s and %s are not of the same kind", n, other)
	}
	value := new(big.Rat).Mul(n.value, new(big.Rat).SetInt64(n.scale))
	return value.Quo(value, new(big.Rat).SetInt64(other.scale)), nil
}

// With gives the number another value in its unit.
func (n Number) With(value *big.Rat) Number {
	n.value = value
	return n
}

// String writes the number as a plain decimal with its unit. A value that no
// decimal is equal to must not get here; see Decimal.
func (n Number) String() string {
	digits, _ := n.value.FloatPrec()
	return n.value.FloatString(digits) + n.unit
}

// Decimal says whether a decimal number is equal to the value.
func Decimal(value *big.Rat) bool {
	_, exact := value.FloatPrec()
	return exact
}
