package statement_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/analysis/claims"
	"fabriclab/analysis/record"
	"fabriclab/analysis/spec"
	"fabriclab/analysis/statement"
)

func read(t *testing.T, text string) (*statement.File, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "statements.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	return statement.Read(path)
}

const (
	head   = "paper: P\nstatements:\n  - "
	one    = "{id: A, fact: f, source: s}\n"
	choice = "{name: n, source: s, chosen: c, why: w}"
)

// What is wrong is refused with its place and what is allowed there.
func TestStrictReading(t *testing.T) {
	for text, want := range map[string]string{
		"":                          ":1: the file is empty",
		"paper: P\n":                ":1:1: needs the key statements",
		"paper: P\nstatement: []\n": `:2:1: there is no key "statement" here; did you mean "statements"?`,
		head + "{id: A, fact: f}":   ":3:5: statements.0: a statement needs id, fact and source",
		head + "{id: A, fact: f, source: s, clams: {}}":                         `there is no key "clams" in statements.0; did you mean "claims"?`,
		head + "{id: A, fact: f, source: s, claims: {x/a: b}}":                  ":3:47: statements.0.claims.x/a is a list",
		head + "{id: A, fact: f, source: s, recalled: maybe}":                   ":3:43: statements.0.recalled: ",
		head + "{id: A, fact: f, source: s}\n  - {id: A, fact: f, source: s}":   ":4:5: statements.1: the statement A is there twice, first in line 3",
		head + "{id: A, fact: f, source: s, lacks: l}":                          "lacks belongs to claims",
		head + "{id: A, fact: f, source: s, untestable: u, claims: {x/a: [b]}}": "A cannot be tested, and has claims",
		head + "{id: A, fact: f, fact: g, source: s}":                           `the key "fact" is here twice`,
		head + one + "choices: [{name: n, source: s, chosen: c}]":               ":4:11: choices.0: a choice needs name, source, chosen and why",
		head + one + "choices: [{name: n, why: w, chose: c}]":                   `there is no key "chose" in choices.0; did you mean "chosen"?`,
		head + one + "choices: [" + choice + ", " + choice + "]":                ":4:52: choices.1: the choice n is there twice",
	} {
		_, err := read(t, text)
		require.ErrorContains(t, err, want, text)
	}
}

func TestChoices(t *testing.T) {
	f, err := read(t, head+one+"choices: ["+choice+"]")
	require.NoError(t, err)
	require.Equal(t, []statement.Choice{{Name: "n", Source: "s", Chosen: "c", Why: "w"}}, f.Choices)
	require.Equal(t, "| choice | left open in | chosen | why no reading |\n| --- | --- | --- | --- |\n| n | s | c | w |\n", statement.MarkdownChoices(f.Choices))
}

// Every claim has its part: it decides a statement, checks the set-up, or is
// superseded.
func TestClaimsAndStatementsFitEachOther(t *testing.T) {
	figures := map[string][]spec.Claim{"x/a": {
		{ID: "low", Each: []string{"rate"}}, {ID: "old", Superseded: &spec.Superseded{Reason: "r", Last: "l"}}, {ID: "set", Check: "of the set-up"},
	}}
	for claim, want := range map[string]string{
		"x/a: [low]": "", "x/a: [low/100Gbps]": "",
		"x/b: [low]":      `:3: statement A: there is no figure "x/b"; did you mean "x/a"?`,
		"x/a: [lov]":      `x/a has no claim "lov"; did you mean "low"?`,
		"x/a: [low/1/2]":  `x/a has no claim "low/1/2"`,
		"x/a: [low, old]": "claim old of x/a is superseded",
		"x/a: [low, set]": "claim set of x/a is a check of the set-up",
	} {
		f, err := read(t, head+"{id: A, fact: f, source: s, claims: {"+claim+"}}")
		require.NoError(t, err)
		_, err = f.Check(figures)
		if want == "" {
			require.NoError(t, err, claim)
			continue
		}
		require.ErrorContains(t, err, want, claim)
	}
	f, err := read(t, head+"{id: A, fact: f, source: s}")
	require.NoError(t, err)
	loose, err := f.Check(figures)
	require.NoError(t, err)
	require.Len(t, loose, 1)
	require.Equal(t, "low", loose[0].ID)
}

func outcome(reading string, verdicts ...string) record.Outcome {
	o := record.Outcome{Reading: reading, Command: "make it " + reading}
	for i, v := range verdicts {
		o.Claims = append(o.Claims, record.Claim{ID: []string{"low/1", "low/2", "fast"}[i], Verdict: v, Measured: float64(i), Elsewhere: v == "elsewhere"})
		switch v {
		case both:
			o.Claims[i].Verdict, o.Claims[i].Control = claims.Reproduced, claims.Reproduced
		case dim:
			o.Claims[i].Verdict, o.Claims[i].Control = claims.Reproduced, claims.Inconclusive
		case alone:
			o.Claims[i].Verdict, o.Claims[i].Control = claims.Reproduced, claims.ByReading+"t=gone"
		}
	}
	return o
}

// both is of a claim that holds for its control, too, dim of one of which the seeds do
// not decide, alone of one whose control, a reading, has no runs.
const (
	both  = "both"
	dim   = "dim"
	alone = "alone"
)

// All claims of a statement have to hold, by default or under one reading.
func TestVerdicts(t *testing.T) {
	const yes, no, open, not = claims.Reproduced, claims.Deviates, claims.Inconclusive, claims.NotEvaluated
	two := "claims: {x/a: [low, fast]}"
	for _, c := range []struct {
		name, with            string
		outcomes              []record.Outcome
		verdict, reading, why string
	}{
		{"holds", two, []record.Outcome{outcome("", yes, yes, yes)}, statement.Holds, "", ""},
		{"one place only", "claims: {x/a: [low/2]}", []record.Outcome{outcome("", no, yes, no)}, statement.Holds, "", ""},
		{"under a reading", two, []record.Outcome{outcome("", yes, no, yes), outcome("t=late", yes, yes, yes)}, statement.HoldsIf, "t=late", "by default: low/2 deviates"},
		{"under two", two, []record.Outcome{outcome("", yes, no, yes), outcome("t=late", yes, yes, yes), outcome("u=x", yes, yes, yes)}, statement.HoldsIf, "t=late or u=x", "by default: low/2 deviates"},
		{"under none", two, []record.Outcome{outcome("", yes, no, no), outcome("t=late", no, yes, yes)}, statement.DoesNotHold, "", "low/2, fast deviate"},
		{"why", two + ", cause: it cannot", []record.Outcome{outcome("", yes, no, yes)}, statement.DoesNotHold, "", "it cannot"},
		{"seeds do not decide", two, []record.Outcome{outcome("", yes, open, yes)}, statement.Undecided, "", "low/2 is inconclusive"},
		{"nor under a reading", two, []record.Outcome{outcome("", yes, no, yes), outcome("t=late", yes, open, yes)}, statement.Undecided, "", "low/2 deviates; not decided under t=late"},
		{"a reading alone was made", two, []record.Outcome{outcome("t=late", yes, yes, yes)}, statement.HoldsIf, "t=late", "by default: x/a was not made by default"},
		{"another scale's claim", two, []record.Outcome{outcome("", yes, "elsewhere", yes)}, statement.Undecided, "", "low/2 is not for scale quick"},
		{"only those", "claims: {x/a: [low/1]}", []record.Outcome{outcome("", "elsewhere")}, statement.Undecided, "", "low/1 is not for scale quick"},
		{"not in the record", "claims: {x/a: [slow]}", []record.Outcome{outcome("", yes)}, statement.Undecided, "", "slow is not in the record of x/a"},
		{"a part is not decided", two + ", lacks: the rest", []record.Outcome{outcome("", yes, yes, yes)}, statement.Undecided, "", "the rest"},
		{"not evaluated", two, []record.Outcome{outcome("", yes, yes, not)}, statement.Undecided, "", "fast is not-evaluated"},
		{"a place shows nothing", two, []record.Outcome{outcome("", both, yes, yes)}, statement.Holds, "", ""},
		{"no place shows anything", two, []record.Outcome{outcome("", both, both, yes)}, statement.Undecided, "", "low holds for its control, too"},
		{"the one place that counts", "claims: {x/a: [low/2]}", []record.Outcome{outcome("", yes, both, yes)}, statement.Undecided, "", "low/2 holds for its control, too"},
		{"a control is not decided", two, []record.Outcome{outcome("", yes, yes, dim)}, statement.Undecided, "", "the control of fast is inconclusive"},
		{"a control has no runs", two, []record.Outcome{outcome("", yes, yes, alone)}, statement.Undecided, "", "the control of fast has no runs"},
		{"a reading shows it", two, []record.Outcome{outcome("", yes, yes, both), outcome("t=late", yes, yes, yes)}, statement.HoldsIf, "t=late", "by default: fast holds for its control, too"},
		{"a reading was not made", two + ", cause: it cannot", []record.Outcome{outcome("", yes, no, yes), outcome("t=late", yes, no, yes)}, statement.Undecided, "", "low/2 deviates; without runs: u=x"},
		{"no record", "claims: {x/b: [low]}", nil, statement.NoRecord, "", "x/b"},
		{"no claim", "number: \"1\"", nil, statement.NoClaim, "", ""},
		{"cannot be tested", "untestable: a trace", nil, statement.CannotTested, "", "a trace"},
	} {
		f, err := read(t, head+"{id: A, fact: f, source: s, "+c.with+"}")
		require.NoError(t, err, c.name)
		r := &record.Record{Figure: "x/a", Scale: "quick", Seeds: []uint64{1, 2}, Outcomes: c.outcomes}
		if c.name == "a reading was not made" {
			r.Readings = []string{"t=late", "u=x"}
		}
		v := f.Statements[0].Judge(map[string]*record.Record{"x/a": r})
		assert.Equal(t, []string{c.verdict, c.reading, c.why}, []string{v.Verdict, v.Reading, v.Why}, c.name)
		if c.reading != "" {
			first, _, _ := strings.Cut(c.reading, " or ")
			assert.Equal(t, "make it "+first, v.Command)
		}
	}
}

// What was not evaluated says why, and claims with one cause are together.
func TestWhyNotEvaluated(t *testing.T) {
	o := outcome("", claims.NotEvaluated, claims.NotEvaluated, claims.Inconclusive)
	for i, why := range []string{"The network was not in steady state (ns3): it grows.", "The network was not in steady state (ns3): it drifts."} {
		o.Claims[i].Why = why
	}
	f, err := read(t, head+"{id: A, fact: f, source: s, claims: {x/a: [low, fast]}}")
	require.NoError(t, err)
	v := f.Statements[0].Judge(map[string]*record.Record{"x/a": {Figure: "x/a", Outcomes: []record.Outcome{o}}})
	assert.Equal(t, "fast is inconclusive; low/1, low/2 are not-evaluated: The network was not in steady state", v.Why)
}

// Where one of a statement's figures has a reading without runs, the others can show
// that it does not hold under it, and not that it holds.
func TestRunsMissingInOneFigure(t *testing.T) {
	const yes, no = claims.Reproduced, claims.Deviates
	f, err := read(t, head+"{id: A, fact: f, source: s, claims: {x/a: [low], x/b: [low]}}")
	require.NoError(t, err)
	for _, c := range []struct {
		late               string
		verdict, why, with string
	}{
		{no, statement.DoesNotHold, "x/b low/2 deviates", statement.DoesNotHold},
		{yes, statement.Undecided, "x/b low/2 deviates; without runs: t=late", statement.Undecided},
	} {
		v := f.Statements[0].Judge(map[string]*record.Record{
			"x/a": {Figure: "x/a", Scale: "quick", Readings: []string{"t=late"}, Outcomes: []record.Outcome{outcome("", yes, yes), outcome("t=late", yes, c.late)}},
			"x/b": {Figure: "x/b", Scale: "quick", Readings: []string{"t=late"}, Outcomes: []record.Outcome{outcome("", yes, no)}},
		})
		assert.Equal(t, []string{c.verdict, c.why}, []string{v.Verdict, v.Why})
		assert.Equal(t, []statement.Under{{Reading: "t=late", Verdict: c.with, NotMade: c.with == statement.Undecided}}, v.Under)
	}
}

// What was measured is told by claim, with its figure where there are several, and
// with the range of its number.
func TestOursIsLabelled(t *testing.T) {
	ten := 10.0
	figures := map[string][]spec.Claim{"x/a": {{ID: "low", Expected: &ten}, {ID: "fast"}}, "x/b": {{ID: "low", Expected: &ten, ToleranceAbs: &ten}}}
	records := map[string]*record.Record{}
	for figure := range figures {
		records[figure] = &record.Record{Figure: figure, Scale: "quick", Seeds: []uint64{1}, Outcomes: []record.Outcome{{Claims: []record.Claim{
			{ID: "low", Verdict: claims.Reproduced, Measured: 9.0, Unit: "KB"}, {ID: "fast", Verdict: claims.Reproduced, Measured: "b 1 us, a 2 us"},
		}}}}
	}
	f, err := read(t, head+"{id: A, fact: f, source: s, claims: {x/a: [low, fast]}}\n  - {id: B, fact: f, source: s, claims: {x/a: [low], x/b: [low]}}")
	require.NoError(t, err)
	_, err = f.Check(figures)
	require.NoError(t, err)
	assert.Equal(t, "low: 9 KB (7.5 to 12.5); fast: b 1 us, a 2 us", f.Statements[0].Judge(records).Ours)
	assert.Equal(t, "x/a low: 9 KB (7.5 to 12.5); x/b low: 9 KB (0 to 20)", f.Statements[1].Judge(records).Ours)
}

func TestTables(t *testing.T) {
	verdicts := []statement.Verdict{
		{ID: "A", Fact: "a < b", Verdict: statement.HoldsIf, Reading: "t=late", Why: "by default b < a", Command: "fabriclab figure x/a --reading t=late", Seeds: 5, Scale: "paper"},
		{ID: "B", Fact: "b", Verdict: statement.NoClaim},
		{ID: "R", Fact: "r", Verdict: statement.Holds, Recalled: true},
	}
	terminal := statement.Render("P", verdicts)
	assert.Contains(t, terminal, "P: 1 holds if, 1 no claim yet\nfrom memory, counted apart: 1 holds\n")
	page := statement.Markdown(verdicts)
	assert.Contains(t, page, "| A | a &lt; b |  |  | **holds if** t=late | by default b &lt; a `fabriclab figure x/a --reading t=late` |\n")
	assert.True(t, strings.HasPrefix(page, "2 statements, scale paper, 5 seeds: 1 holds if, 1 no claim yet. 1 from memory: 1 holds.\n\n| verdict | statements |\n| --- | --- |\n| holds | R |\n| holds if `t=late` | A |\n| no claim yet | B |\n\n"), page)
	two := statement.Markdown([]statement.Verdict{{ID: "A", Verdict: statement.HoldsIf, Reading: "t=late or u=x"}, {ID: "B", Verdict: statement.HoldsIf, Reading: "u=x"}})
	assert.Contains(t, two, "| holds if `t=late` | A |\n| holds if `u=x` | A, B |\n")
	under := func(verdict, byDefault, late, early string) statement.Verdict {
		return statement.Verdict{ID: verdict[:2] + late, Verdict: verdict, Default: byDefault, Under: []statement.Under{{Reading: "t=late", Verdict: late}, {Reading: "t=early", Verdict: early}, {Reading: "u=x", Verdict: statement.Undecided, NotMade: true}}}
	}
	readings := []statement.Verdict{
		under(statement.Holds, statement.Holds, statement.DoesNotHold, statement.Holds),
		under(statement.HoldsIf, statement.DoesNotHold, statement.Holds, statement.DoesNotHold),
		under(statement.HoldsIf, statement.Undecided, statement.Undecided, statement.Undecided), // no news
		under(statement.Undecided, statement.DoesNotHold, statement.Undecided, statement.DoesNotHold),
		under(statement.Holds, statement.Holds, statement.Undecided, statement.Holds),
		under(statement.DoesNotHold, statement.DoesNotHold, statement.DoesNotHold, statement.DoesNotHold),
	}
	assert.Equal(t, "| reading | now hold | now do not hold | now undecided |\n| --- | --- | --- | --- |\n| `t=late` | hoholds | hodoes not hold | unundecided, houndecided |\n\nNothing changes with `t=early`.\n\nNothing known, as runs are missing in some figure: `u=x`.\n", statement.Readings(readings))
	assert.Contains(t, statement.Render("P", readings), "Nothing changes with t=early.\nNothing known, as runs are missing in some figure: u=x.\n")
	assert.Equal(t, "| [P](p.md) | 0 | 1 | 0 | 0 | 0 | 1 | paper, 5 seeds |\n", statement.Row("P", "p.md", verdicts))
}
