package compare

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"fabriclab/analysis/claims"
	"fabriclab/analysis/measure"
)

// A Number is a value in a report: null in JSON where there is none, "never"
// for a time that does not come.
type Number float64

var none = Number(math.NaN())

func (n Number) exists() bool { return !math.IsNaN(float64(n)) }

// MarshalJSON writes the number with all its digits.
func (n Number) MarshalJSON() ([]byte, error) {
	switch v := float64(n); {
	case math.IsNaN(v):
		return []byte("null"), nil
	case math.IsInf(v, 0):
		return []byte(`"never"`), nil
	default:
		return json.Marshal(v)
	}
}

// UnmarshalJSON reads what MarshalJSON writes.
func (n *Number) UnmarshalJSON(data []byte) error {
	switch string(data) {
	case "null":
		*n = none
		return nil
	case `"never"`:
		*n = Number(measure.Never)
		return nil
	}
	v, err := strconv.ParseFloat(string(data), 64)
	*n = Number(v)
	return err
}

// prefixes of the base units, largest first.
var prefixes = []struct {
	name  string
	scale float64
}{{"T", 1e12}, {"G", 1e9}, {"M", 1e6}, {"K", 1e3}, {"", 1}, {"m", 1e-3}, {"µ", 1e-6}, {"n", 1e-9}, {"p", 1e-12}}

// show is a number with its unit and four digits; counts have all digits.
func show(n Number, unit string) string {
	v := float64(n)
	switch {
	case math.IsNaN(v):
		return "–"
	case math.IsInf(v, 0):
		return "never"
	case unit == "1" && v == math.Trunc(v) && math.Abs(v) < 1e9:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case unit != "B" && unit != "s":
		return claims.Value(v, 0, unit)
	case v == 0:
		return "0 " + unit
	}
	for _, p := range prefixes {
		if math.Abs(v) >= p.scale && (unit == "s" || p.scale >= 1) && (unit == "B" || p.scale <= 1) {
			return claims.Num(v/p.scale) + " " + p.name + unit
		}
	}
	return claims.Num(v) + " " + unit
}

// mean is a mean and its interval's half width, as a share.
func (r *Row) mean(mean, half Number) string {
	text := show(mean, r.Unit)
	if half.exists() && mean != 0 && r.Seeds > 1 {
		text += fmt.Sprintf(" ± %.0f %%", 100*math.Abs(float64(half)/float64(mean)))
	}
	return text
}

// change is the change as a share of the base, with its interval.
func (r *Row) change() string {
	switch {
	case r.Verdict == Same:
		return "="
	case r.Verdict == Unchanged && r.Change == 0:
		return "~"
	case !r.Change.exists():
		return ""
	case r.Base == 0 || math.IsInf(float64(r.Base), 0):
		return signed(show(r.Change, r.Unit), r.Change)
	}
	share := func(n Number) string { return signed(percent(100*float64(n)/math.Abs(float64(r.Base))), n) }
	text := share(r.Change) + " %"
	if r.Low.exists() {
		text += " [" + share(r.Low) + ", " + share(r.High) + "]"
	}
	return text
}

// percent has enough digits to show a small change.
func percent(v float64) string {
	if v == 0 {
		return "0"
	}
	digits := 1
	for limit := 0.1; digits < 4 && math.Abs(v) < limit; limit /= 10 {
		digits++
	}
	return strconv.FormatFloat(v, 'f', digits, 64)
}

func signed(text string, n Number) string {
	if n > 0 {
		return "+" + text
	}
	return text
}
