package claims

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"fabriclab/analysis/spec"
)

// A ControlResult is what a claim comes to under its control, for which it has
// to fail.
type ControlResult struct {
	ID string `json:"id"`
	// Control says what is changed.
	Control string `json:"control"`
	// Verdict is that of the claim, Under that under its control.
	Verdict string `json:"verdict"`
	Under   string `json:"under"`
	Note    string `json:"note,omitempty"`
}

// Is says whether a judged claim, by its id, is one of the file's: at one of its places.
func Is(id, claim string) bool { return id == claim || strings.HasPrefix(id, claim+"/") }

// Passes says that the claim holds with its control, too, so it cannot fail.
func (r ControlResult) Passes() bool { return r.Verdict == Reproduced && r.Under == Reproduced }

func checkControl(f *spec.Figure, c spec.Claim, matrix Matrix) error {
	k := c.Control
	forms := 0
	for _, given := range []bool{len(k.Exchange) > 0, len(k.Instead) > 0, len(k.Measure) > 0, len(k.Where) > 0, len(k.Reading) > 0, k.None != ""} {
		if given {
			forms++
		}
	}
	switch {
	case forms != 1:
		return fmt.Errorf("it has exactly one of exchange, instead, measure, where, reading and none")
	case len(k.Exchange) > 0 && (len(k.Exchange) != 2 || k.Exchange[0] == k.Exchange[1]):
		return fmt.Errorf("exchange takes two values of %s, such as [fncc, hpcc]", c.By)
	case len(k.Exchange)+len(k.Instead) > 0 && c.By == "":
		return fmt.Errorf("exchange and instead are about values of by, and the claim has none")
	case len(k.Reading) > 1:
		return fmt.Errorf("reading takes one, such as {table: every-24us}")
	}
	values := slices.Clone(k.Exchange)
	for from, to := range k.Instead {
		values = append(values, from, to)
	}
	for _, value := range values {
		if err := checkValue(f, matrix, c.By, value); err != nil {
			return err
		}
	}
	for from, to := range k.Measure {
		for _, name := range []string{from, to} {
			if _, err := f.Measures.Get("measure", name); err != nil {
				return err
			}
		}
	}
	for dimension, value := range k.Where {
		if _, err := f.Dimensions.Get("dimension", dimension); err != nil {
			return err
		}
		if slices.Contains(c.Each, dimension) || dimension == c.By {
			return fmt.Errorf("where: the claim is made for each %s or by it; use exchange or instead", dimension)
		}
		if err := checkValue(f, matrix, dimension, value); err != nil {
			return err
		}
	}
	return nil
}

// Elsewhere has the runs and their lookup under another reading, or says why there
// are none.
type Elsewhere func(reading, value string) ([]spec.Run, Lookup, error)

// Controls judges the claims that have a control under it.
func Controls(f *spec.Figure, runs []spec.Run, lookup Lookup, scale string, other Elsewhere) ([]ControlResult, error) {
	var results []ControlResult
	for _, c := range f.Claims {
		if c.Superseded != nil {
			continue
		}
		own, err := evaluate(f, c, runs, lookup, scale)
		if err != nil {
			return nil, err
		}
		if c.Control == nil || c.Control.None != "" {
			why := ""
			if c.Control != nil {
				why = c.Control.None
			}
			results = append(results, ControlResult{ID: c.ID, Verdict: worst(own), Note: why})
			continue
		}
		pairs, err := pairs(f, c, runs, lookup, scale, own, other)
		if err != nil {
			return nil, err
		}
		results = append(results, pairs...)
	}
	return results, nil
}

// ByReading begins what a claim has as its control's verdict where the control is a
// reading, which follows: other runs decide it.
const ByReading = "reading "

// underControl says of the places of a claim that are reproduced what they come to
// under its control.
func underControl(f *spec.Figure, c spec.Claim, runs []spec.Run, lookup Lookup, scale string, own []Result) error {
	reproduced := slices.ContainsFunc(own, func(r Result) bool { return r.Verdict == Reproduced })
	if c.Control == nil || c.Control.None != "" || !reproduced {
		return nil
	}
	text := ""
	for name, value := range c.Control.Reading {
		text = ByReading + name + "=" + value
	}
	var list []ControlResult
	if text == "" {
		var err error
		if list, err = pairs(f, c, runs, lookup, scale, own, nil); err != nil {
			return err
		}
	}
	for i := range own {
		switch {
		case own[i].Verdict != Reproduced:
		case text != "":
			own[i].Control = text
		default:
			own[i].Control = list[min(i, len(list)-1)].Under
		}
	}
	return nil
}

// pairs are what a claim comes to at its places, beside what it comes to under its control.
func pairs(f *spec.Figure, c spec.Claim, runs []spec.Run, lookup Lookup, scale string, own []Result, other Elsewhere) ([]ControlResult, error) {
	changed, under, at, text := controlled(f, c, runs, lookup, other)
	list, err := evaluate(f, changed, under, at, scale)
	if err != nil {
		return nil, err
	}
	return paired(c.ID, text, own, list), nil
}

// worst is the worst verdict of a claim's places.
func worst(results []Result) string {
	var verdicts []string
	for _, r := range results {
		if r.Verdict == NotEvaluated {
			return NotEvaluated
		}
		verdicts = append(verdicts, r.Verdict)
	}
	return overall(verdicts)
}

// paired puts what a claim comes to at each place beside what it comes to under
// its control. Under where there is only one place of either.
func paired(id, control string, own, under []Result) []ControlResult {
	if len(own) != len(under) {
		return []ControlResult{{ID: id, Control: control, Verdict: worst(own), Under: worst(under), Note: noteOf(under)}}
	}
	var results []ControlResult
	for i, r := range own {
		results = append(results, ControlResult{ID: r.ID, Control: control, Verdict: r.Verdict, Under: under[i].Verdict, Note: noteOf(under[i : i+1])})
	}
	return results
}

// noteOf says why something was not evaluated.
func noteOf(results []Result) string {
	for _, r := range results {
		if r.Verdict == NotEvaluated {
			return r.Note
		}
	}
	return ""
}

// controlled is the claim and the runs with the control's change, and the change
// in words.
func controlled(f *spec.Figure, c spec.Claim, runs []spec.Run, lookup Lookup, other Elsewhere) (spec.Claim, []spec.Run, Lookup, string) {
	k := *c.Control
	c.Note, c.Notes = "", nil
	by := f.Dimensions.Items[c.By]
	switch {
	case len(k.Exchange) == 2:
		a, b := k.Exchange[0], k.Exchange[1]
		under, at := standing(runs, lookup, by.Path, map[string]string{a: b, b: a})
		return c, under, at, by.Name(a) + " and " + by.Name(b) + " exchanged"
	case len(k.Instead) > 0:
		var words []string
		for _, value := range slices.Sorted(maps.Keys(k.Instead)) {
			words = append(words, by.Name(k.Instead[value])+" in place of "+by.Name(value))
		}
		under, at := standing(runs, lookup, by.Path, k.Instead)
		return c, under, at, strings.Join(words, ", ")
	case len(k.Measure) > 0:
		var words []string
		for _, name := range slices.Sorted(maps.Keys(k.Measure)) {
			words = append(words, k.Measure[name]+" in place of "+name)
		}
		return c, runs, func(measure string, run int) (float64, error) {
			if other, replaced := k.Measure[measure]; replaced {
				measure = other
			}
			return lookup(measure, run)
		}, strings.Join(words, ", ")
	case len(k.Where) > 0:
		place := maps.Clone(c.Where)
		if place == nil {
			place = map[string]string{}
		}
		var words []string
		for _, dimension := range slices.Sorted(maps.Keys(k.Where)) {
			place[dimension] = k.Where[dimension]
			words = append(words, dimension+" "+f.Dimensions.Items[dimension].Name(k.Where[dimension]))
		}
		c.Where = place
		return c, runs, lookup, "at " + strings.Join(words, ", ")
	}
	for name, value := range k.Reading {
		under, at, err := other(name, value)
		if err != nil { // a claim without runs is not evaluated
			at = lookup
		}
		return c, under, at, ByReading + name + "=" + value
	}
	return c, nil, nil, ""
}

// standing are the runs in which, for each of the values of a matrix path, those
// of another value stand in its place.
func standing(runs []spec.Run, lookup Lookup, path string, instead map[string]string) ([]spec.Run, Lookup) {
	var out []spec.Run
	var from []int // which run each is
	for i, r := range runs {
		if _, replaced := instead[r.Labels[path]]; !replaced {
			out, from = append(out, r), append(from, i)
		}
		for _, value := range slices.Sorted(maps.Keys(instead)) {
			if instead[value] != r.Labels[path] {
				continue
			}
			copied := r
			copied.Labels = maps.Clone(r.Labels)
			copied.Labels[path] = value
			out, from = append(out, copied), append(from, i)
		}
	}
	return out, func(measure string, run int) (float64, error) { return lookup(measure, from[run]) }
}
