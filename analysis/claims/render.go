package claims

import (
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"fabriclab/analysis/measure"
)

// Render is the claims as a table for the terminal, at most 120 columns wide,
// with a last line that counts the verdicts. Of no claims it is empty.
func Render(results []Result) string {
	if len(results) == 0 {
		return ""
	}
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.Style().Format.Header = text.FormatDefault
	t.Style().Options.SeparateRows = false
	t.AppendHeader(table.Row{"claim", "what the paper says", "paper", "measured", "verdict"})
	t.SetColumnConfigs([]table.ColumnConfig{
		{Number: 1, WidthMax: 22, WidthMaxEnforcer: text.WrapText},
		{Number: 2, WidthMax: 34, WidthMaxEnforcer: text.WrapSoft},
		{Number: 3, WidthMax: 10, WidthMaxEnforcer: text.WrapSoft},
		{Number: 4, WidthMax: 24, WidthMaxEnforcer: text.WrapSoft},
	})
	for _, r := range results {
		verdict := r.Verdict
		if r.Check != "" {
			verdict += " (check)"
		}
		t.AppendRow(table.Row{r.ID, r.Text, r.number(), r.MeasuredText(), verdict})
	}
	return t.Render() + "\n" + Count(results).String() + "\n"
}

// number is the paper's number; empty where the paper gives none.
func (r Result) number() string {
	if _, is := r.Expected.(float64); is {
		return r.PaperText()
	}
	return ""
}

// PaperText is what the paper says.
func (r Result) PaperText() string { return inWords(r.Expected, 0, r.Unit) }

// MeasuredText is what was measured, with its confidence interval.
func (r Result) MeasuredText() string { return inWords(r.Measured, r.Interval, r.Unit) }

func inWords(v any, half float64, unit string) string {
	number, ok := v.(float64)
	switch {
	case v == nil:
		return "–"
	case !ok:
		return fmt.Sprint(v)
	}
	return Value(number, half, unit)
}

// Value is a mean with its unit, and half the width of its confidence interval
// if there is one.
func Value(mean, half float64, unit string) string {
	return strings.TrimSpace(PlusMinus(mean, half) + " " + measure.Label(unit))
}
