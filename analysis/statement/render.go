package statement

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// Render is the verdicts of a paper as a table for the terminal, at most 120
// columns wide, with the totals.
func Render(paper string, verdicts []Verdict) string {
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.Style().Format.Header = text.FormatDefault
	t.AppendHeader(table.Row{"", "what " + paper + " says", "its number", "here", "verdict and why"})
	t.SetColumnConfigs([]table.ColumnConfig{
		{Number: 1, WidthMax: 4},
		{Number: 2, WidthMax: 34, WidthMaxEnforcer: text.WrapSoft},
		{Number: 3, WidthMax: 12, WidthMaxEnforcer: text.WrapSoft},
		{Number: 4, WidthMax: 22, WidthMaxEnforcer: text.WrapSoft},
		{Number: 5, WidthMax: 32, WidthMaxEnforcer: text.WrapSoft},
	})
	for _, v := range verdicts {
		t.AppendRow(table.Row{v.ID, v.Fact, v.Number, short(v.Ours, 110), v.inWords()})
	}
	counted, recalled := apart(verdicts)
	out := t.Render() + "\n" + paper + ": " + Totals(Count(counted))
	if len(recalled) > 0 {
		out += "\nfrom memory, counted apart: " + Totals(Count(recalled))
	}
	if rows, same, notMade := effects(verdicts); len(rows) > 0 {
		t := table.NewWriter()
		t.SetStyle(table.StyleLight)
		t.Style().Format.Header = text.FormatDefault
		t.AppendHeader(table.Row{"with the reading", "now hold", "now do not hold", "now undecided"})
		t.SetColumnConfigs([]table.ColumnConfig{
			{Number: 2, WidthMax: 26, WidthMaxEnforcer: text.WrapSoft},
			{Number: 3, WidthMax: 26, WidthMaxEnforcer: text.WrapSoft},
			{Number: 4, WidthMax: 26, WidthMaxEnforcer: text.WrapSoft},
		})
		for _, r := range rows {
			t.AppendRow(table.Row{r.reading, strings.Join(r.hold, ", "), strings.Join(r.fail, ", "), strings.Join(r.open, ", ")})
		}
		out += "\n\n" + t.Render() + listed("Nothing changes with", same, "") + listed("Nothing known, as runs are missing in some figure:", notMade, "")
	}
	if commands := shown(verdicts); commands != "" {
		out += "\n\nshown by:\n" + commands
	}
	return strings.TrimSuffix(out, "\n") + "\n"
}

// apart are the statements of the text, and those from memory.
func apart(verdicts []Verdict) (counted, recalled []Verdict) {
	for _, v := range verdicts {
		if v.Recalled {
			recalled = append(recalled, v)
		} else {
			counted = append(counted, v)
		}
	}
	return counted, recalled
}

// inWords is the verdict with its reading and why.
func (v Verdict) inWords() string {
	words := v.Verdict
	if v.Stale {
		words += " (stale)"
	}
	if v.Reading != "" {
		words += " " + v.Reading
	}
	if v.Why != "" {
		words += ": " + v.Why
	}
	return words
}

// shown are the commands that show the verdicts, each with the statements that it
// is for.
func shown(verdicts []Verdict) string {
	var commands []string
	ids := map[string][]string{}
	longest := 0
	for _, v := range verdicts {
		if v.Command == "" {
			continue
		}
		if ids[v.Command] == nil {
			commands = append(commands, v.Command)
			longest = max(longest, len(v.Command))
		}
		ids[v.Command] = append(ids[v.Command], v.ID)
	}
	var b strings.Builder
	for _, c := range commands {
		fmt.Fprintf(&b, "%-*s  %s\n", longest, c, strings.Join(ids[c], ", "))
	}
	return b.String()
}

// short is a text of at most n letters.
func short(text string, n int) string {
	letters := []rune(text)
	if len(letters) <= n {
		return text
	}
	return strings.TrimRight(string(letters[:n-1]), " ;,") + "…"
}

// Markdown is the verdicts on a page: how many there are, and two tables, the
// statements by verdict and each statement.
func Markdown(verdicts []Verdict) string {
	var b strings.Builder
	counted, recalled := apart(verdicts)
	fmt.Fprintf(&b, "%d statements, scale %s: %s.", len(counted), made(counted), Totals(Count(counted)))
	if len(recalled) > 0 {
		fmt.Fprintf(&b, " %d from memory: %s.", len(recalled), Totals(Count(recalled)))
	}
	b.WriteString("\n\n| verdict | statements |\n| --- | --- |\n")
	for _, verdict := range Order {
		under, ids := byReading(verdicts, verdict)
		for _, reading := range under {
			words := verdict
			if reading != "" {
				words += " `" + reading + "`"
			}
			fmt.Fprintf(&b, "| %s | %s |\n", words, strings.Join(ids[reading], ", "))
		}
	}
	b.WriteString("\n| | the paper says | its number | here, by claim (range that reproduces a number) | verdict | why |\n| --- | --- | --- | --- | --- | --- |\n")
	for _, v := range verdicts {
		verdict := "**" + v.Verdict + "**"
		if v.Reading != "" {
			verdict += " " + v.Reading
		}
		why := v.Why
		if v.Reading != "" {
			why += " `" + v.Command + "`"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", v.ID, cell(v.Fact), cell(v.Number), cell(v.Ours), verdict, cell(why))
	}
	return b.String()
}

// An effect is what becomes of a paper's statements with a reading, beside what they
// are by default.
type effect struct {
	reading          string
	hold, fail, open []string // that come to something else: they hold, do not hold, are undecided
	notMade          bool     // runs are missing
}

// effects are those of all readings, the readings that change nothing, and those of
// which no more is known than that runs are missing.
func effects(verdicts []Verdict) (rows []effect, same, notMade []string) {
	byReading := map[string]*effect{}
	var order []string
	for _, v := range verdicts {
		for _, u := range v.Under {
			e := byReading[u.Reading]
			if e == nil {
				e = &effect{reading: u.Reading}
				byReading[u.Reading] = e
				order = append(order, u.Reading)
			}
			switch {
			case u.NotMade:
				e.notMade = true
			case u.Verdict == v.Default:
			case u.Verdict == Undecided:
				e.open = append(e.open, v.ID)
			case u.Verdict == Holds:
				e.hold = append(e.hold, v.ID)
			default:
				e.fail = append(e.fail, v.ID)
			}
		}
	}
	for _, reading := range order {
		switch e := byReading[reading]; {
		case len(e.hold)+len(e.fail)+len(e.open) > 0:
			rows = append(rows, *e)
		case e.notMade:
			notMade = append(notMade, reading)
		default:
			same = append(same, reading)
		}
	}
	return rows, same, notMade
}

// listed says of readings what they have in common, "" without any.
func listed(what string, readings []string, quote string) string {
	if len(readings) == 0 {
		return ""
	}
	return "\n" + what + " " + quote + strings.Join(readings, quote+", "+quote) + quote + "."
}

// Readings is a table on a page of what each reading changes: those that gain what
// others lose exclude each other.
func Readings(verdicts []Verdict) string {
	var b strings.Builder
	rows, same, notMade := effects(verdicts)
	if len(rows) > 0 {
		b.WriteString("| reading | now hold | now do not hold | now undecided |\n| --- | --- | --- | --- |\n")
	}
	for _, r := range rows {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", r.reading, strings.Join(r.hold, ", "), strings.Join(r.fail, ", "), strings.Join(r.open, ", "))
	}
	for _, text := range []string{listed("Nothing changes with", same, "`"), listed("Nothing known, as runs are missing in some figure:", notMade, "`")} {
		if text != "" {
			b.WriteString(text + "\n")
		}
	}
	return b.String()
}

// MarkdownChoices are a paper's choices as a table of a page.
func MarkdownChoices(choices []Choice) string {
	var b strings.Builder
	b.WriteString("| choice | left open in | chosen | why no reading |\n| --- | --- | --- | --- |\n")
	for _, c := range choices {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", cell(c.Name), cell(c.Source), cell(c.Chosen), cell(c.Why))
	}
	return b.String()
}

// byReading are the statements with a verdict by each reading under which it is
// theirs, "" where it is by default, and these readings in order.
func byReading(verdicts []Verdict, verdict string) (readings []string, ids map[string][]string) {
	ids = map[string][]string{}
	for _, v := range verdicts {
		if v.Verdict != verdict {
			continue
		}
		for _, reading := range strings.Split(v.Reading, " or ") {
			if ids[reading] == nil {
				readings = append(readings, reading)
			}
			ids[reading] = append(ids[reading], v.ID)
		}
	}
	return readings, ids
}

// cell is a text that does not end a cell or begin an element.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", "\n", " ").Replace(text)
}

// Row is a paper's row of the README's table.
func Row(paper, link string, verdicts []Verdict) string {
	counted, _ := apart(verdicts)
	n := Count(counted)
	return fmt.Sprintf("| [%s](%s) | %d | %d | %d | %d | %d | %d | %s |\n", paper, link, n[Holds], n[HoldsIf], n[DoesNotHold], n[CannotTested], n[Undecided], n[NoRecord]+n[NoClaim], made(counted))
}

// made is the scale of what was recorded, and how many seeds.
func made(verdicts []Verdict) string {
	var seeds []int
	var scales []string
	for _, v := range verdicts {
		if v.Seeds > 0 {
			seeds = append(seeds, v.Seeds)
		}
		if v.Scale != "" && !slices.Contains(scales, v.Scale) {
			scales = append(scales, v.Scale)
		}
	}
	slices.Sort(scales)
	scale := cmp.Or(strings.Join(scales, " and "), "–")
	if len(seeds) == 0 {
		return scale
	}
	least, most := slices.Min(seeds), slices.Max(seeds)
	switch {
	case most > least:
		return fmt.Sprintf("%s, %d to %d seeds", scale, least, most)
	case most > 1:
		return fmt.Sprintf("%s, %d seeds", scale, most)
	}
	return scale + ", one seed"
}
