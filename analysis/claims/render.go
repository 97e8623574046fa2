package claims

import (
	"fmt"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"fabriclab/analysis/measure"
)

// Render is the claims as a table for the terminal, at most 120 columns wide,
// with a last line that counts the verdicts.
func Render(results []Result) string {
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.Style().Format.Header = text.FormatDefault
	t.Style().Options.SeparateRows = false
	t.AppendHeader(table.Row{"claim", "paper", "measured", "verdict"})
	t.SetColumnConfigs([]table.ColumnConfig{
		{Number: 1, WidthMax: 30, WidthMaxEnforcer: text.WrapText},
		{Number: 2, WidthMax: 28, WidthMaxEnforcer: text.WrapSoft},
		{Number: 3, WidthMax: 34, WidthMaxEnforcer: text.WrapSoft},
	})
	for _, r := range results {
		t.AppendRow(table.Row{r.ID, Value(r.Expected, r.Unit), Value(r.Measured, r.Unit), r.Verdict})
	}
	return t.Render() + "\n" + Count(results).String() + "\n"
}

// Value is an expected or measured value as text.
func Value(v any, unit string) string {
	number, ok := v.(float64)
	switch {
	case v == nil:
		return "–"
	case !ok:
		return fmt.Sprint(v)
	case measure.Label(unit) == "":
		return Num(number)
	}
	return Num(number) + " " + measure.Label(unit)
}
