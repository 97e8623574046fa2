package figure

import (
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"strings"

	"fabriclab/analysis/claims"
	"fabriclab/analysis/measure"
	"fabriclab/analysis/spec"
)

// summary is summary.md.
func summary(in Input, resultsDir string, values taken, results []claims.Result, drawings []*drawing) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s: %s\n\n", in.ID, plain(in.Title))
	if in.Source != "" {
		fmt.Fprintf(&b, "Source: %s. ", plain(in.Source))
	}
	fmt.Fprintf(&b, "Scale: %s.", in.Scale)
	if in.Reading != "" {
		fmt.Fprintf(&b, " Reading: %s.", in.Reading)
	}
	b.WriteString("\n\n")
	fmt.Fprintf(&b, "Made with `%s`; a second call uses the runs that are there.\n", in.Command)

	if len(results) > 0 {
		fmt.Fprintf(&b, "\n## Claims\n\n%s.\n\n", claims.Count(results))
		row(&b, "claim", "what the paper says", "source", "paper", "measured", "tolerance", "verdict")
		rule(&b, 7)
	}
	for _, r := range results {
		row(&b, r.ID, r.Text, r.Source, r.PaperText(), r.MeasuredText(), r.Tolerance, verdict(r))
	}
	var notes strings.Builder
	for _, r := range results {
		if r.Note != "" {
			fmt.Fprintf(&notes, "- **%s** (%s): %s\n", plain(r.ID), r.Verdict, plain(r.Note))
		}
	}
	if notes.Len() > 0 {
		fmt.Fprintf(&b, "\n### Notes\n\n%s", notes.String())
	}

	superseded(&b, in.Figure)

	if len(drawings) > 0 {
		b.WriteString("\n## Plots\n")
	}
	for _, d := range drawings {
		fmt.Fprintf(&b, "\n![%s](%s.svg)\n\n[PNG](%[2]s.png), [PDF](%[2]s.pdf), [CSV](%[2]s.csv), [Parquet](%[2]s.parquet)\n", plain(d.Title), d.ID)
		for _, m := range d.Missing {
			fmt.Fprintf(&b, "\nNot drawn: %s\n", plain(m))
		}
		b.WriteString(d.tables)
	}
	loadsOf(&b, in)
	measuresOf(&b, in, values)

	b.WriteString("\n## Runs\n\n")
	for _, r := range in.Runs {
		if r.Err != nil {
			fmt.Fprintf(&b, "- %s: failed: %s\n", plain(runName(in, r.Labels, r.Engine, r.Seed)), plain(strings.ReplaceAll(r.Err.Error(), resultsDir+string(filepath.Separator), "")))
			continue
		}
		fmt.Fprintf(&b, "- %s: `%s`\n", plain(runName(in, r.Labels, r.Engine, r.Seed)), below(resultsDir, r.Dir))
	}
	return b.String()
}

// fewSeeds are the fewest of which a table has confidence intervals: that of two
// is their mean and more than six times what they are apart to either side.
const fewSeeds = 3

// seedMean is a mean over seeds as the tables have it.
func seedMean(mean, half float64, seeds int) string {
	if seeds < fewSeeds {
		half = 0
	}
	return claims.PlusMinus(mean, half)
}

// runName names a run by its values of the dimensions.
func runName(in Input, labels map[string]string, engine string, seed uint64) string {
	var parts []string
	for _, name := range in.Figure.Dimensions.Names {
		d := in.Figure.Dimensions.Items[name]
		if v, ok := labels[d.Path]; ok {
			parts = append(parts, d.Name(v))
		}
	}
	return strings.Join(append(parts, engine, fmt.Sprintf("seed %d", seed)), ", ")
}

// measuresOf is the table of all measures, a column each.
func measuresOf(b *strings.Builder, in Input, values taken) {
	f := in.Figure
	if len(f.Measures.Names) == 0 {
		return
	}
	b.WriteString("\n## Measures\n\n")
	for _, name := range f.Measures.Names {
		m := f.Measures.Items[name]
		of := ""
		switch fewest, most := values.flows(name); {
		case most == 0:
		case most > fewest:
			of = fmt.Sprintf("; behind each value %d to %d flows", fewest, most)
		default:
			of = fmt.Sprintf("; behind each value %d flows", most)
		}
		fmt.Fprintf(b, "- `%s`: %s%s\n", name, plain(withUnit(m.Text, m.Unit)), of)
	}
	b.WriteString("\n")
	var head []string
	head = append(head, f.Dimensions.Names...)
	head = append(head, "engine", "seed")
	for _, name := range f.Measures.Names {
		head = append(head, withUnit(name, f.Measures.Items[name].Unit))
	}
	row(b, head...)
	rule(b, len(head))
	for i, r := range in.Runs {
		var cells []string
		dimensions := f.Values(r)
		for _, d := range f.Dimensions.Names {
			cells = append(cells, f.Dimensions.Items[d].Name(dimensions[d]))
		}
		cells = append(cells, r.Engine, fmt.Sprint(r.Seed))
		for _, name := range f.Measures.Names {
			x := values[name][i]
			switch {
			case measure.IsBound(x.err):
				cells = append(cells, atLeast(x.v, x.err))
			case x.err != nil:
				cells = append(cells, "–")
			case math.IsInf(x.v, 1):
				cells = append(cells, "never")
			default:
				cells = append(cells, claims.Num(x.v))
			}
		}
		row(b, cells...)
	}
}

// html is where a text would begin an element, a comment or an entity.
var html = regexp.MustCompile(`<([A-Za-z/!?])|&(#?[A-Za-z0-9]+;)`)

// scripts are links to anything but pages and files.
var scripts = regexp.MustCompile(`\]\((\s*[A-Za-z][A-Za-z0-9+.-]*:)`)

// plain is a text in one line that Markdown does not take for HTML, and whose
// links run nothing.
func plain(text string) string {
	text = scripts.ReplaceAllStringFunc(text, func(found string) string {
		switch scheme := strings.ToLower(strings.TrimSpace(found[2:])); scheme {
		case "http:", "https:", "mailto:":
			return found
		}
		return `]\(` + found[2:]
	})
	text = html.ReplaceAllStringFunc(text, func(found string) string {
		if found[0] == '<' {
			return "&lt;" + found[1:]
		}
		return "&amp;" + found[1:]
	})
	return strings.ReplaceAll(text, "\n", " ")
}

func row(b *strings.Builder, cells ...string) {
	for _, c := range cells {
		fmt.Fprintf(b, "| %s ", strings.ReplaceAll(plain(c), "|", `\|`))
	}
	b.WriteString("|\n")
}

func rule(b *strings.Builder, columns int) {
	b.WriteString(strings.Repeat("|---", columns) + "|\n")
}

// verdict is a claim's verdict, and what it checks of the set-up, if it does.
func verdict(r claims.Result) string {
	if r.Check != "" {
		return "**" + r.Verdict + "** (check: " + r.Check + ")"
	}
	return "**" + r.Verdict + "**"
}

// superseded lists the claims that are judged no more.
func superseded(b *strings.Builder, f *spec.Figure) {
	head := "\n### Superseded claims\n\n"
	for _, c := range f.Claims {
		if s := c.Superseded; s != nil {
			by := ""
			if s.By != "" {
				by = " In its place: " + s.By + "."
			}
			fmt.Fprintf(b, "%s- **%s** (last: %s): %s%s\n", head, plain(c.ID), plain(s.Last), plain(s.Reason), by)
			head = ""
		}
	}
}
