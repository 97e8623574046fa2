package compare

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"gonum.org/v1/gonum/stat"
)

// Text writes the report for the terminal: what differs, or with all, every
// measure.
func (r *Report) Text(out io.Writer, all bool) error {
	var b strings.Builder
	fmt.Fprintf(&b, "base: %s\nhead: %s\n", r.Base, r.Head)
	for _, e := range r.Experiments {
		fmt.Fprintf(&b, "\n%s\n", e.headline())
		if t := e.table(all); t != nil {
			t.SetStyle(style())
			fmt.Fprintf(&b, "%s\n", t.Render())
		}
		e.footnotes(&b, all, "  ")
	}
	fmt.Fprintf(&b, "\n%s\n", r.outcome())
	_, err := io.WriteString(out, b.String())
	return err
}

// Markdown writes the report for a comment on a pull request.
func (r *Report) Markdown(out io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "## fabriclab: %s\n\nbase: `%s`, head: `%s`\n", r.outcome(), r.Base, r.Head)
	for _, e := range r.Experiments {
		t := e.table(false)
		if t == nil && len(e.Lost) == 0 && len(e.New) == 0 && len(e.Parameters) == 0 {
			fmt.Fprintf(&b, "\n- %s\n", e.headline())
			continue
		}
		open := ""
		if e.Failed {
			open = " open"
		}
		fmt.Fprintf(&b, "\n<details%s><summary>%s</summary>\n\n", open, e.headline())
		if t != nil {
			fmt.Fprintf(&b, "%s\n\n", t.RenderMarkdown())
		}
		e.footnotes(&b, false, "- ")
		b.WriteString("\n</details>\n")
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// outcome is the last line.
func (r *Report) outcome() string {
	count := map[Verdict]int{}
	lost, failed, unjudged := 0, 0, 0
	for _, e := range r.Experiments {
		lost += len(e.Lost)
		for _, row := range e.Rows {
			count[row.Verdict]++
			if row.Failed {
				failed++
			}
			if row.Unjudged {
				unjudged++
			}
		}
	}
	what := tally(count)
	if lost > 0 {
		what += fmt.Sprintf("; %s of the base missing", counted(lost))
	}
	if r.Failed {
		if failed > 0 {
			what += fmt.Sprintf("; %d of these fail", failed)
		}
		return "REGRESSION: " + what
	}
	if unjudged > 0 {
		return fmt.Sprintf("not judged: %s; %d have fewer than the %d seeds of a verdict: take seeds 1-%d, or --thresholds with fail: changed", what, unjudged, r.FewestSeeds, r.FewestSeeds)
	}
	return "no regression: " + what
}

func (e *Experiment) headline() string {
	count := map[Verdict]int{}
	for _, row := range e.Rows {
		count[row.Verdict]++
	}
	text := fmt.Sprintf("%s, %s on both sides: %s", e.Name, counted(e.Pairs), tally(count))
	if e.Failed {
		text += " (fails)"
	}
	return text
}

func counted(runs int) string {
	if runs == 1 {
		return "1 run"
	}
	return fmt.Sprintf("%d runs", runs)
}

func tally(count map[Verdict]int) string {
	var words []string
	for _, v := range []Verdict{Worse, Lost, Changed, Better, New, Unchanged, Same} {
		if count[v] > 0 {
			words = append(words, fmt.Sprintf("%d %s", count[v], v))
		}
	}
	if len(words) == 0 {
		return "no run is on both sides, so nothing is compared"
	}
	return strings.Join(words, ", ")
}

// shown says whether a row is printed.
func (r *Row) shown(all bool) bool { return all || r.Verdict != Same && r.Verdict != Unchanged }

// table has a block of rows for each measure, nil if there is nothing to show.
func (e *Experiment) table(all bool) table.Writer {
	t := table.NewWriter()
	t.AppendHeader(table.Row{"measure, point", "base", "head", "change", "", ""})
	t.SetColumnConfigs([]table.ColumnConfig{
		{Number: 2, Align: text.AlignRight}, {Number: 3, Align: text.AlignRight}, {Number: 4, Align: text.AlignRight},
	})
	notes := e.notes(all)
	name := namer(e.Rows)
	rows := 0
	for i := 0; i < len(e.Rows); {
		end := i
		for end < len(e.Rows) && e.Rows[end].Measure == e.Rows[i].Measure {
			end++
		}
		block := e.Rows[i:end]
		i = end
		if !slices.ContainsFunc(block, func(r *Row) bool { return r.shown(all) }) {
			continue
		}
		if rows > 0 {
			t.AppendSeparator()
		}
		title := block[0].Measure
		if block[0].Better != "neither" {
			title += ", " + block[0].Better + " is better"
		}
		t.AppendRow(table.Row{title})
		for _, r := range block {
			if !r.shown(all) {
				continue
			}
			verdict := string(r.Verdict)
			if r.Failed {
				verdict = strings.ToUpper(verdict)
			}
			if at := slices.Index(notes, r.Note); at >= 0 {
				verdict += " " + superscript(at+1)
			}
			t.AppendRow(table.Row{"  " + name(r), r.mean(r.Base, r.BaseError), r.mean(r.Head, r.HeadError), r.change(), verdict, fmt.Sprintf("n=%d", r.Seeds)})
			rows++
		}
		if ratio, ok := geomean(block); ok {
			t.AppendRow(table.Row{"  geometric mean of all points", "", "", signed(percent(100*(ratio-1)), Number(ratio-1)) + " %"})
		}
	}
	if rows == 0 {
		return nil
	}
	return t
}

// namer names rows by the labels that differ between them.
func namer(rows []*Row) func(*Row) string {
	common := map[string]int{}
	words := func(r *Row) []string { return append(strings.Fields(r.Point), r.Engine) }
	for _, r := range rows {
		for _, w := range words(r) {
			common[w]++
		}
	}
	return func(r *Row) string {
		kept := slices.DeleteFunc(words(r), func(w string) bool { return common[w] == len(rows) })
		if len(kept) == 0 {
			return "all points"
		}
		return strings.Join(kept, " ")
	}
}

// geomean is the geometric mean of head over base, if there are several points
// and all have such a ratio.
func geomean(block []*Row) (float64, bool) {
	if len(block) < 2 || !slices.ContainsFunc(block, func(r *Row) bool { return r.Change != 0 }) {
		return 0, false
	}
	ratios := make([]float64, len(block))
	for i, r := range block {
		ratios[i] = float64(r.Head) / float64(r.Base)
		if !(ratios[i] > 0) || math.IsInf(ratios[i], 0) {
			return 0, false
		}
	}
	return stat.GeometricMean(ratios, nil), true
}

// notes are the different notes of the rows that are shown.
func (e *Experiment) notes(all bool) []string {
	var notes []string
	for _, r := range e.Rows {
		if r.Note != "" && r.shown(all) && !slices.Contains(notes, r.Note) {
			notes = append(notes, r.Note)
		}
	}
	return notes
}

func (e *Experiment) footnotes(b *strings.Builder, all bool, indent string) {
	for i, note := range e.notes(all) {
		fmt.Fprintf(b, "%s%s %s\n", indent, superscript(i+1), note)
	}
	const most = 10
	for _, p := range e.Parameters[:min(most, len(e.Parameters))] {
		fmt.Fprintf(b, "%sparameter %s: %s in the base, %s in the head (%d of %d runs)\n", indent, p.Name, p.Base, p.Head, p.Runs, e.Pairs)
	}
	if more := len(e.Parameters) - most; more > 0 {
		fmt.Fprintf(b, "%sand %d more parameters\n", indent, more)
	}
	for _, run := range e.Lost[:min(most, len(e.Lost))] {
		fmt.Fprintf(b, "%smissing in the head: %s\n", indent, run)
	}
	if more := len(e.Lost) - most; more > 0 {
		fmt.Fprintf(b, "%sand %d more\n", indent, more)
	}
	if len(e.New) > 0 {
		fmt.Fprintf(b, "%s%s only in the head, not compared\n", indent, counted(len(e.New)))
	}
}

func superscript(n int) string {
	digits := []rune("⁰¹²³⁴⁵⁶⁷⁸⁹")
	text := ""
	for ; n > 0; n /= 10 {
		text = string(digits[n%10]) + text
	}
	return text
}

func style() table.Style {
	s := table.StyleLight
	s.Format.Header = text.FormatDefault
	s.Options.DrawBorder = false
	return s
}
