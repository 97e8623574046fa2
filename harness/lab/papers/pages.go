package papers

import (
	"fmt"
	"regexp"
	"strings"

	"fabriclab/analysis/statement"
	"fabriclab/harness/lab"
)

// block is what stands between the markers of a generated part of a page.
var block = regexp.MustCompile(`(?s)(<!-- (?:(verdicts|readings|choices):([a-z0-9-]+)|totals) -->\n).*?(<!-- /(?:verdicts|readings|choices|totals) -->)`)

// FillPage puts what the records say between a page's markers: the statements of
// a paper, what readings change of them, or a row of totals for each paper; and a
// paper's choices.
func FillPage(lab *lab.Lab, page string) (string, error) {
	var failed error
	filled := block.ReplaceAllStringFunc(page, func(old string) string {
		parts := block.FindStringSubmatch(old)
		if parts[2] == "choices" {
			f, _, err := Statements(lab, parts[3])
			if err != nil {
				failed = err
				return old
			}
			return parts[1] + statement.MarkdownChoices(f.Choices) + parts[4]
		}
		var papers []string
		if parts[3] != "" {
			papers = []string{parts[3]}
		}
		all, err := Verdicts(lab, papers)
		if err != nil {
			failed = err
			return old
		}
		switch parts[2] {
		case "verdicts":
			return parts[1] + statement.Markdown(all[0].Verdicts) + parts[4]
		case "readings":
			return parts[1] + statement.Readings(all[0].Verdicts) + parts[4]
		}
		var b strings.Builder
		b.WriteString("| paper | holds | holds if | does not hold | cannot be tested | undecided | not judged | scale, seeds |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n")
		for _, p := range all {
			b.WriteString(statement.Row(p.Name, fmt.Sprintf("docs/figures/%s.md", p.ID), p.Verdicts))
		}
		return parts[1] + b.String() + parts[4]
	})
	return filled, failed
}
