package report

import (
	"fmt"
	"html/template"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"fabriclab/analysis/claims"
	"fabriclab/analysis/figure"
	"fabriclab/analysis/measure"
	"fabriclab/base/units"
)

// view is what the template shows.
type view struct {
	Papers   []Paper
	Title    string
	Lead     string
	Style    template.CSS
	Script   template.JS
	Policy   string
	Notices  []string
	Sections []sectionView
	Tally    claims.Tally
	Thinned  bool
	Points   int
}

func (v *view) title() {
	figures, scales := 0, []string{}
	for _, s := range v.Sections {
		if s.IsFigure {
			figures++
			if !slices.Contains(scales, s.Scale) {
				scales = append(scales, s.Scale)
			}
		}
	}
	v.Title = "fabriclab report"
	var parts []string
	if figures > 0 {
		parts = append(parts, fmt.Sprintf("%s at scale %s", units.Count(figures, "figure"), strings.Join(scales, " and ")))
	}
	if others := len(v.Sections) - figures; others > 0 {
		parts = append(parts, units.Count(others, "experiment")+" without a figure")
	}
	runs := 0
	for _, s := range v.Sections {
		runs += len(s.Runs)
	}
	v.Lead = strings.Join(append(parts, units.Count(runs, "run")), ", ")
}

type sectionView struct {
	Anchor, ID, Title, Source, Scale string
	IsFigure                         bool
	Commands                         []string
	Tally                            claims.Tally
	Claims                           []claimView
	Charts                           []chartView
	Maps                             []mapView
	NoMaps                           []string
	Load                             loadView
	Measured                         measuredView
	Changed, Defaults                []paramView
	Made                             []string
	Runs                             []runView
	Files                            []link
	Thinned                          bool
}

type link struct{ Text, Href string }

type term struct{ Name, Text string }

type claimView struct {
	ID, Text, Source, Paper, Measured, Tolerance, Verdict, Check, Note string
	Gauge                                                              *gauge
}

type chartView struct {
	Anchor, Title string
	Files         []link
	Missing       []string
	Thinned       int // points that lines had before they were thinned
	Data          page
}

type runView struct {
	Run
	Href   string
	Tables []link
}

type paramView struct {
	Param
	Again bool // the row above has the same parameter
}

type loadView struct {
	Text string
	Head []string
	Rows [][]string
}

type measuredView struct {
	Head, Units []string
	Rows        [][]string
	Texts       []term // what each measure is
}

func (l links) section(s Section, used map[string]bool) (sectionView, error) {
	v := sectionView{
		Anchor: anchor(s.ID, used), ID: s.ID, Title: s.Title, Source: s.Source, Scale: s.Scale,
		IsFigure: s.Figure != nil, Commands: s.Commands, NoMaps: s.NoMaps,
	}
	for _, p := range s.Params {
		list := &v.Changed
		if p.Default {
			list = &v.Defaults
		}
		before := len(*list) - 1
		again := before >= 0 && (*list)[before].Name == p.Name && (*list)[before].Place == p.Place
		*list = append(*list, paramView{p, again})
	}
	v.Made = made(s.Runs)
	for _, r := range s.Runs {
		one := runView{Run: r}
		if r.Dir != "" {
			one.Href = l.to(r.Dir)
			for _, t := range r.Tables {
				one.Tables = append(one.Tables, link{fmt.Sprintf("%s (%d)", strings.TrimSuffix(t.File, ".parquet"), t.Rows), l.to(filepath.Join(r.Dir, t.File))})
			}
			one.Tables = append(one.Tables, link{"manifest", l.to(filepath.Join(r.Dir, "manifest.json"))})
		}
		v.Runs = append(v.Runs, one)
	}
	v.Measured = measuredRuns(s)
	for i, m := range s.Maps {
		v.Maps = append(v.Maps, newMap(fmt.Sprintf("%s-links-%d", v.Anchor, i), m))
	}
	if f := s.Figure; f != nil {
		for _, c := range f.Claims {
			v.claim(c)
		}
		v.Load.Text = figure.LoadText
		v.Load.Head, v.Load.Rows = figure.LoadTable(f.Dimensions, f.Loads)
		v.Measured = measured(f)
		v.Files = append(v.Files, link{"folder", l.to(f.Dir)})
		for _, name := range []string{"summary.md", "claims.json", "measures.parquet", "measures.csv", "figure.json"} {
			v.Files = append(v.Files, link{name, l.to(filepath.Join(f.Dir, name))})
		}
		for _, p := range f.Plots {
			c, err := l.chart(v.Anchor, f.Dir, p)
			if err != nil {
				return v, fmt.Errorf("%s: %w", s.ID, err)
			}
			v.Charts = append(v.Charts, c)
			v.Thinned = v.Thinned || c.Thinned > 0
		}
	}
	return v, nil
}

func (v *sectionView) claim(c claims.Result) {
	one := claimView{
		ID: c.ID, Text: c.Text, Source: c.Source, Tolerance: c.Tolerance, Verdict: c.Verdict, Check: c.Check, Note: c.Note,
		Paper: c.PaperText(), Measured: c.MeasuredText(), Gauge: newGauge(c),
	}
	v.Tally.Add(c)
	v.Claims = append(v.Claims, one)
}

// made lists the tools, builds, seeds and days of the runs.
func made(runs []Run) []string {
	var tools, builds, seeds, days []string
	add := func(list *[]string, text string) {
		if text != "" && !slices.Contains(*list, text) {
			*list = append(*list, text)
		}
	}
	for _, r := range runs {
		add(&tools, r.Tool)
		add(&builds, r.Build)
		add(&days, r.Made)
		if r.Error == "" {
			add(&seeds, fmt.Sprint(r.Seed))
		}
	}
	slices.Sort(days)
	list := slices.Concat(tools, builds)
	switch {
	case len(seeds) == 1:
		list = append(list, "seed "+seeds[0])
	case len(seeds) > 1:
		list = append(list, "seeds "+strings.Join(seeds, ", "))
	}
	if len(days) > 1 {
		days = []string{days[0], days[len(days)-1]}
	}
	if len(days) > 0 {
		list = append(list, "run "+strings.Join(days, " to "))
	}
	return list
}

// measured is the table of a figure's measures, a row per run.
func measured(f *figure.Stored) measuredView {
	var rows [][]string
	var head []string
	for _, d := range f.Dimensions {
		head = append(head, d.Name)
	}
	for _, r := range f.Runs {
		var row []string
		for _, d := range f.Dimensions {
			row = append(row, d.Shown(r.Labels[d.Path]))
		}
		rows = append(rows, append(row, r.Engine, fmt.Sprint(r.Seed)))
	}
	var columns []Measured
	for _, m := range f.Measures {
		columns = append(columns, Measured{m.Name, m.Text, m.Unit, f.Values[m.Name]})
	}
	return newMeasured(append(head, "engine", "seed"), rows, columns)
}

func measuredRuns(s Section) measuredView {
	var rows [][]string
	for _, r := range s.Runs {
		rows = append(rows, []string{r.Name, r.Engine, fmt.Sprint(r.Seed)})
	}
	return newMeasured([]string{"run", "engine", "seed"}, rows, s.Measured)
}

// newMeasured adds the columns to a table that says which run a row is.
func newMeasured(head []string, rows [][]string, columns []Measured) measuredView {
	if len(columns) == 0 {
		return measuredView{}
	}
	v := measuredView{Head: head, Units: make([]string, len(head)), Rows: rows}
	for _, c := range columns {
		v.Head, v.Units = append(v.Head, c.Name), append(v.Units, measure.Label(c.Unit))
		v.Texts = append(v.Texts, term{c.Name, c.Text})
		for i := range rows {
			text := "–"
			if x := c.Values[i]; !math.IsNaN(x) {
				text = claims.Num(x)
			}
			rows[i] = append(rows[i], text)
		}
	}
	return v
}
