package statement

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"fabriclab/analysis/claims"
	"fabriclab/analysis/record"
)

// Verdicts of statements, and the two states in which there is none.
const (
	Holds        = "holds"
	HoldsIf      = "holds if"
	DoesNotHold  = "does not hold"
	CannotTested = "cannot be tested"
	Undecided    = "undecided"
	NoRecord     = "no record"
	NoClaim      = "no claim yet"
)

// Order is the order in which verdicts are counted.
var Order = []string{Holds, HoldsIf, DoesNotHold, CannotTested, Undecided, NoRecord, NoClaim}

// A Verdict is what became of a statement.
type Verdict struct {
	Statement Statement `json:"-"`
	ID        string    `json:"id"`
	Fact      string    `json:"fact"`
	Number    string    `json:"number,omitempty"` // the paper's
	Recalled  bool      `json:"recalled,omitempty"`
	Verdict   string    `json:"verdict"`
	// Reading names those under which it holds, where not by default.
	Reading string `json:"reading,omitempty"`
	// Default is what it comes to by default: holds, does not hold or undecided; "" where
	// nothing was judged.
	Default string `json:"default,omitempty"`
	// Under is what it comes to under each reading that one of its figures has.
	Under   []Under `json:"under,omitempty"`
	Ours    string  `json:"ours,omitempty"` // by default
	Why     string  `json:"why,omitempty"`
	Command string  `json:"command,omitempty"` // shows it
	Scale   string  `json:"scale,omitempty"`
	Seeds   int     `json:"seeds,omitempty"`
	// Stale: scenarios or sources have changed since.
	Stale bool `json:"stale,omitempty"`
}

// Under is what a statement comes to under a reading: holds, does not hold or
// undecided.
type Under struct {
	Reading string `json:"reading"`
	Verdict string `json:"verdict"`
	// NotMade: undecided, as a figure has the reading and no runs under it.
	NotMade bool `json:"not_made,omitempty"`
}

// Judge judges a statement by the records of its figures.
func (s Statement) Judge(records map[string]*record.Record) Verdict {
	v := Verdict{Statement: s, ID: s.ID, Fact: s.Fact, Number: s.Number, Recalled: s.Recalled}
	switch {
	case s.Untestable != "":
		v.Verdict, v.Why = CannotTested, s.Untestable
		return v
	case len(s.Claims) == 0:
		v.Verdict = NoClaim
		return v
	}
	var missing []string
	for _, f := range s.figures() {
		r := records[f]
		if r == nil {
			missing = append(missing, f)
			continue
		}
		v.Scale = r.Scale
		if v.Seeds == 0 || len(r.Seeds) < v.Seeds {
			v.Seeds = len(r.Seeds)
		}
	}
	if len(missing) > 0 {
		v.Verdict, v.Why = NoRecord, strings.Join(missing, ", ")
		v.Command = "make figure FIG=" + missing[0] + " && bin/fabriclab record " + missing[0]
		return v
	}
	s.judge(&v, records)
	return v
}

// judge is for a statement whose figures all have a record.
func (s Statement) judge(v *Verdict, records map[string]*record.Record) {
	byDefault := s.under("", records)
	v.Verdict, v.Default, v.Ours = byDefault.state, byDefault.state, byDefault.ours
	v.Command = s.command("", records)
	var open, missing, under []string // readings that do not decide it, that have no runs, under which it holds
	for _, reading := range s.readings(records) {
		made := s.under(reading, records)
		v.Under = append(v.Under, Under{reading, made.state, made.state == Undecided && made.missing})
		switch {
		case made.state == Holds:
			under = append(under, reading)
		case made.state == Undecided && made.missing:
			missing = append(missing, reading)
		case made.state == Undecided:
			open = append(open, reading)
		}
	}
	switch {
	case v.Verdict == Holds:
		return
	case len(under) > 0:
		v.Verdict, v.Reading, v.Why = HoldsIf, strings.Join(under, " or "), s.Cause
		v.Command = s.command(under[0], records)
		if v.Why == "" {
			v.Why = "by default: " + byDefault.why
		}
		return
	case v.Verdict == DoesNotHold && len(open)+len(missing) == 0 && s.Cause != "":
		v.Why = s.Cause
		return
	}
	v.Why = byDefault.why
	if v.Verdict == DoesNotHold {
		if len(open) > 0 {
			v.Verdict, v.Why = Undecided, v.Why+"; not decided under "+strings.Join(open, ", ")
		}
		if len(missing) > 0 {
			v.Verdict, v.Why = Undecided, v.Why+"; without runs: "+strings.Join(missing, ", ")
		}
	}
}

// figures are the figures that the statement's claims are in.
func (s Statement) figures() []string {
	var all []string
	for _, ref := range s.Claims {
		if !slices.Contains(all, ref.Figure) {
			all = append(all, ref.Figure)
		}
	}
	return all
}

// readings are those that at least one of the figures has beside the default, with
// runs or without.
func (s Statement) readings(records map[string]*record.Record) []string {
	var all []string
	add := func(reading string) {
		if reading != "" && !slices.Contains(all, reading) {
			all = append(all, reading)
		}
	}
	for _, f := range s.figures() {
		for _, o := range records[f].Outcomes {
			add(o.Reading)
		}
		for _, reading := range records[f].Readings {
			add(reading)
		}
	}
	return all
}

// outcome is what a statement comes to under a reading.
type outcome struct {
	state   string // holds, does not hold or undecided
	ours    string // what was measured
	why     string // it does not hold, or is undecided
	missing bool   // a figure has the reading, and no runs under it
}

// under is what a statement comes to under a reading. A figure that has no such
// reading stays as by default.
func (s Statement) under(reading string, records map[string]*record.Record) outcome {
	var is outcome
	var fails, open, shown []string
	undecided := map[string][]string{} // claims by their verdict
	several := len(s.figures()) > 1
	for _, ref := range s.Claims {
		r := records[ref.Figure]
		o := r.Outcome(reading)
		if o == nil && !slices.Contains(r.Readings, reading) {
			o = r.Outcome("")
		}
		if o == nil {
			is.missing = true
			text := ref.Figure + " was not made by default"
			if reading != "" {
				text = ref.Figure + " was not made under " + reading
			}
			if !slices.Contains(open, text) {
				open = append(open, text)
			}
			continue
		}
		found := claimsOf(o, ref.Claim)
		if len(found) == 0 {
			open = append(open, ref.Claim+" is not in the record of "+ref.Figure)
		}
		controls := map[string]bool{} // what places that hold come to under their controls
		for _, c := range found {
			if c.Elsewhere {
				open = append(open, fmt.Sprintf("%s is not for scale %s", c.ID, r.Scale))
				continue
			}
			name := c.ID
			if several {
				name = ref.Figure + " " + name
			}
			text := name + ": " + c.MeasuredText()
			if ref.Range != "" {
				text += " (" + ref.Range + ")"
			}
			shown = append(shown, text)
			switch c.Verdict {
			case claims.Reproduced:
				controls[underControl(c, r)] = true
			case claims.Deviates:
				fails = append(fails, name)
			default:
				verdict := c.Verdict
				if c.Why != "" {
					verdict += ": " + brief(c.Why)
				}
				undecided[verdict] = append(undecided[verdict], name)
			}
		}
		if text := showsNothing(ref.Claim, controls); text != "" {
			open = append(open, text)
		}
	}
	for _, verdict := range slices.Sorted(maps.Keys(undecided)) {
		ids := undecided[verdict]
		open = append(open, strings.Join(ids, ", ")+" "+plural(len(ids), "is", "are")+" "+verdict)
	}
	is.ours = strings.Join(shown, "; ")
	switch {
	case len(fails) > 0:
		is.state, is.why = DoesNotHold, strings.Join(fails, ", ")+" "+plural(len(fails), "deviates", "deviate")
	case len(open) > 0:
		is.state, is.why = Undecided, strings.Join(open, "; ")
	case s.Lacks != "":
		is.state, is.why = Undecided, s.Lacks
	default:
		is.state = Holds
	}
	return is
}

// noRuns is what a claim comes to under a reading that has no runs.
const noRuns = "without runs"

// underControl is what a claim of a record comes to under its control, "" without one.
func underControl(c record.Claim, r *record.Record) string {
	reading, is := strings.CutPrefix(c.Control, claims.ByReading)
	if !is {
		return c.Control
	}
	if o := r.Outcome(reading); o != nil {
		for _, under := range o.Claims {
			if under.ID == c.ID {
				return under.Verdict
			}
		}
	}
	return noRuns
}

// showsNothing says why a claim decides nothing although it holds: at no place is it
// known to fail for its control. "" if it does.
func showsNothing(claim string, controls map[string]bool) string {
	switch {
	case len(controls) == 0 || controls[""] || controls[claims.Deviates]:
		return ""
	case controls[claims.Reproduced]:
		return claim + " holds for its control, too"
	case controls[noRuns]:
		return "the control of " + claim + " has no runs"
	case controls[claims.Inconclusive]:
		return "the control of " + claim + " is inconclusive"
	}
	return "the control of " + claim + " is not-evaluated"
}

// claimsOf are the claims that a reference means: at all places, or at one.
func claimsOf(o *record.Outcome, claim string) []record.Claim {
	var found []record.Claim
	for _, c := range o.Claims {
		if claims.Is(c.ID, claim) {
			found = append(found, c)
		}
	}
	return found
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// command shows what the statement's first figure comes to under a reading.
func (s Statement) command(reading string, records map[string]*record.Record) string {
	for _, f := range s.figures() {
		if o := records[f].Outcome(reading); o != nil {
			return o.Command
		}
	}
	return ""
}

// Count counts verdicts.
func Count(verdicts []Verdict) map[string]int {
	counts := map[string]int{}
	for _, v := range verdicts {
		counts[v.Verdict]++
	}
	return counts
}

// Totals is a count in words.
func Totals(counts map[string]int) string {
	var words []string
	for _, verdict := range Order {
		if n := counts[verdict]; n > 0 {
			words = append(words, fmt.Sprintf("%d %s", n, verdict))
		}
	}
	return strings.Join(words, ", ")
}

// brief is what a reason begins with, before its details.
func brief(why string) string {
	end := strings.IndexAny(why, "(:;.")
	if end < 0 {
		end = len(why)
	}
	return strings.TrimSpace(why[:end])
}
