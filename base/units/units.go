// Package units reads and writes the quantities of an experiment: times in
// picoseconds, rates in bit/s and sizes in bytes, all int64.
//
// Reading is exact decimal arithmetic: "1.5us" is 1500000 ps, and what does
// not come out as a whole picosecond, bit/s or byte is refused rather than
// rounded.
package units

import (
	"fmt"
	"maps"
	"math"
	"math/big"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// Picoseconds in the larger units of time.
const (
	Nanosecond  int64 = 1_000
	Microsecond int64 = 1_000_000
	Millisecond int64 = 1_000_000_000
	Second      int64 = 1_000_000_000_000

	// MaxTime is the longest time accepted anywhere: 100 days.
	MaxTime = 100 * 24 * 3600 * Second
)

// A unit is a suffix and how many base units it stands for.
type unit struct {
	name  string
	scale int64
}

// A dimension is a kind of quantity; its units are listed smallest first.
type dimension struct {
	what    string // with its article, for messages
	units   []unit
	example string
	max     int64
	maxText string
}

var (
	timeDim = dimension{
		what:    "a time",
		units:   []unit{{"ps", 1}, {"ns", Nanosecond}, {"us", Microsecond}, {"ms", Millisecond}, {"s", Second}},
		example: "1.5us", max: MaxTime, maxText: "100 days",
	}
	rateDim = dimension{
		what:    "a rate",
		units:   []unit{{"bps", 1}, {"Kbps", 1e3}, {"Mbps", 1e6}, {"Gbps", 1e9}, {"Tbps", 1e12}},
		example: "100Gbps", max: 1e18, maxText: "1000000Tbps",
	}
	bytesDim = dimension{
		what:    "a size",
		units:   []unit{{"B", 1}, {"KB", 1e3}, {"KiB", 1 << 10}, {"MB", 1e6}, {"MiB", 1 << 20}, {"GB", 1e9}, {"GiB", 1 << 30}},
		example: "500KB", max: 1e18, maxText: "1000000000GB",
	}
)

// Patterns of the texts that are read, as regular expressions; 0 is read
// without a unit, too.
var (
	TimePattern  = timeDim.pattern()
	RatePattern  = rateDim.pattern()
	BytesPattern = bytesDim.pattern()
)

// as is a unit as this package writes it: rates are typed in several ways.
func as(unit string) string {
	if name, typed := typed[unit]; typed {
		return name
	}
	return unit
}

// typed are other ways to write units: Gb/s, Gbit/s.
var typed = func() map[string]string {
	names := map[string]string{}
	for _, u := range rateDim.units {
		prefix := strings.TrimSuffix(u.name, "bps")
		names[prefix+"b/s"], names[prefix+"bit/s"] = u.name, u.name
	}
	names["kbps"], names["kb/s"], names["kbit/s"] = "Kbps", "Kbps", "Kbps"
	return names
}()

func (d *dimension) pattern() string {
	names := make([]string, len(d.units))
	for i, u := range d.units {
		names[i] = u.name
	}
	for _, name := range slices.Sorted(maps.Keys(typed)) {
		if slices.Contains(names, typed[name]) {
			names = append(names, name)
		}
	}
	return `^(0|[0-9]+(\.[0-9]+)? ?(` + strings.Join(names, "|") + `))$`
}

// ParseTime reads a time such as "1.5us" as picoseconds.
func ParseTime(text string) (int64, error) { return timeDim.parse(text) }

// ParseRate reads a rate such as "100Gbps" as bit/s.
func ParseRate(text string) (int64, error) { return rateDim.parse(text) }

// ParseBytes reads a size such as "500KB" or "32MiB" as bytes.
func ParseBytes(text string) (int64, error) { return bytesDim.parse(text) }

func (d *dimension) unitNames() string {
	names := make([]string, len(d.units))
	for i, u := range d.units {
		names[i] = u.name
	}
	return strings.Join(names, ", ")
}

func (d *dimension) parse(text string) (int64, error) {
	if text == "0" {
		return 0, nil
	}
	end := strings.LastIndexAny(text, "0123456789.") + 1
	number, suffix := text[:end], strings.TrimPrefix(text[end:], " ")
	if strings.HasPrefix(number, "-") && isDecimal(number[1:]) {
		return 0, fmt.Errorf("%q is negative; %s is 0 or more", text, d.what)
	}
	if !isDecimal(number) {
		return 0, fmt.Errorf("%q is not %s; write a decimal number and a unit (%s), such as %s", text, d.what, d.unitNames(), d.example)
	}
	if suffix == "" {
		return 0, fmt.Errorf("%q has no unit; %s needs one of %s, such as %s", text, d.what, d.unitNames(), d.example)
	}
	for _, u := range d.units {
		if u.name != as(suffix) {
			continue
		}
		value, ok := new(big.Rat).SetString(number)
		if !ok {
			return 0, fmt.Errorf("%q is not %s", text, d.what)
		}
		value.Mul(value, new(big.Rat).SetInt64(u.scale))
		if value.Cmp(new(big.Rat).SetInt64(d.max)) > 0 {
			return 0, fmt.Errorf("%q is too large; %s is at most %s", text, d.what, d.maxText)
		}
		if !value.IsInt() {
			return 0, fmt.Errorf("%q is not a whole number of %s, the smallest unit of %s", text, d.units[0].name, d.what)
		}
		return value.Num().Int64(), nil
	}
	return 0, fmt.Errorf("%q has the unit %q; %s has one of %s, such as %s", text, suffix, d.what, d.unitNames(), d.example)
}

// isDecimal says whether text is digits with at most one point between them,
// at a length no quantity exceeds.
func isDecimal(text string) bool {
	whole, fraction, point := strings.Cut(text, ".")
	return len(text) <= 40 && isDigits(whole) && (!point || isDigits(fraction))
}

func isDigits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// FormatTime writes picoseconds exactly, in the largest unit that is not
// below 1: 1500000 is "1.5us".
func FormatTime(ps int64) string { return timeDim.format(ps, 12) }

// FormatRate writes bit/s exactly, in the largest unit that is not below 1.
func FormatRate(bps int64) string { return rateDim.format(bps, 12) }

// FormatBytes writes a size exactly, in the largest unit that needs at most
// one decimal (whole numbers for KiB, MiB and GiB): 1518 is "1518B", 500000
// is "500KB", 33554432 is "32MiB".
func FormatBytes(n int64) string { return bytesDim.format(n, 1) }

func (d *dimension) format(value int64, decimals int) string {
	if value == 0 {
		return "0" + d.units[0].name
	}
	if value < 0 {
		return "-" + d.format(-value, decimals)
	}
	for i := len(d.units) - 1; i >= 0; i-- {
		u := d.units[i]
		if value < u.scale {
			continue
		}
		if u.scale%10 != 0 { // 1 or a power of 1024
			if value%u.scale == 0 {
				return strconv.FormatInt(value/u.scale, 10) + u.name
			}
			continue
		}
		digits := len(strconv.FormatInt(u.scale, 10)) - 1
		fraction := strings.TrimRight(fmt.Sprintf("%0*d", digits, value%u.scale), "0")
		if len(fraction) > decimals {
			continue
		}
		whole := strconv.FormatInt(value/u.scale, 10)
		if fraction != "" {
			whole += "." + fraction
		}
		return whole + u.name
	}
	return strconv.FormatInt(value, 10) + d.units[0].name
}

// SerializationTime is how long n bytes take on a link, in picoseconds:
// n*8e12/rate rounded to the nearest picosecond, ties up, as the model
// computes it. The rate must be positive and n not negative; a time that
// does not fit is math.MaxInt64.
func SerializationTime(n, rateBps int64) int64 {
	hi, lo := bits.Mul64(uint64(n), 8e12)
	lo, carry := bits.Add64(lo, uint64(rateBps)/2, 0)
	hi += carry
	if hi >= uint64(rateBps) {
		return math.MaxInt64
	}
	ps, _ := bits.Div64(hi, lo, uint64(rateBps))
	return int64(min(ps, math.MaxInt64))
}
