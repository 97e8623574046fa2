// Package measure turns a run's tables into the numbers and series that a
// figure section names (docs/claims.md).
package measure

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"fabriclab/base/catalog"
)

// Quantity is what a measure is of.
type Quantity int

// The quantities; their base units are ps, bytes, bit/s, 1 and 1.
const (
	Time Quantity = iota
	Bytes
	Rate
	Share
	Count
	Any // that of the column, which a measure of any column scales itself
)

type quantity struct {
	name  string
	units map[string]float64
}

var unitsOf = [...]quantity{
	Time:  {"a time", map[string]float64{"ps": 1, "ns": 1e3, "us": 1e6, "ms": 1e9, "s": 1e12}},
	Bytes: {"a size", map[string]float64{"B": 1, "KB": 1e3, "MB": 1e6, "GB": 1e9, "KiB": 1 << 10, "MiB": 1 << 20}},
	Rate:  {"a rate", map[string]float64{"bps": 1, "Kbps": 1e3, "Mbps": 1e6, "Gbps": 1e9, "Tbps": 1e12}},
	Share: {"a share", map[string]float64{"1": 1, "%": 0.01}},
	Count: {"a count", map[string]float64{"1": 1}},
	Any:   {},
}

// Scale is how many base units one unit of the quantity is.
func Scale(q Quantity, unit string) (float64, error) {
	if q == Any {
		return 1, nil
	}
	u := unitsOf[q]
	if scale, ok := u.units[unit]; ok {
		return scale, nil
	}
	return 0, fmt.Errorf("%q is not a unit of %s; write one of %s", unit, u.name, strings.Join(Units(q), ", "))
}

// Units are the names of a quantity's units.
func Units(q Quantity) []string { return slices.Sorted(maps.Keys(unitsOf[q].units)) }

// Label is a unit as it is shown: us becomes µs, Gbps becomes Gb/s, and the
// unit of a plain number is nothing.
func Label(unit string) string {
	switch {
	case unit == "1":
		return ""
	case unit == "us":
		return "µs"
	case strings.HasSuffix(unit, "bps"):
		return strings.TrimSuffix(unit, "bps") + "b/s"
	}
	return unit
}

func unknown(what, name string, known []string) error {
	return fmt.Errorf("unknown %s %q%s", what, name, catalog.Hint(name, known))
}

// Convertible says whether two units are of one quantity.
func Convertible(a, b string) bool {
	return slices.ContainsFunc(unitsOf[:], func(q quantity) bool { return q.units[a] > 0 && q.units[b] > 0 })
}
