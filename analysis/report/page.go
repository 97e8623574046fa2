// Package report makes the report: one HTML page with claims, interactive
// figures, parameters and where everything comes from. The page needs nothing
// but itself: styles, script and data are in it, and its content security
// policy forbids it to fetch anything. The same input gives the same bytes.
package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the page's parts
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"fabriclab/analysis/chart"
	"fabriclab/analysis/figure"
	"fabriclab/analysis/statement"
)

// Input is what a report is about.
type Input struct {
	// Dir is the folder that the page will be in; its links are relative to it.
	Dir      string
	Sections []Section
	// Papers are what became of the papers' statements, as far as the figures
	// decide them.
	Papers []Paper
	// Notices say what is not in the report, and why.
	Notices []string
}

// A Paper is what a paper says, and whether it holds.
type Paper struct {
	Name     string
	Verdicts []statement.Verdict
}

// Totals counts the verdicts.
func (p Paper) Totals() string { return statement.Totals(statement.Count(p.Verdicts)) }

// A Section is a figure, or an experiment that was run without one.
type Section struct {
	ID, Title, Source, Scale string
	Commands                 []string       // make it again
	Figure                   *figure.Stored // nil without one
	Measured                 []Measured     // of the runs, where there is no figure
	Runs                     []Run
	Params                   []Param
	Maps                     []Map
	NoMaps                   []string // what is not there of them, and why
}

// A Run is one run of a section.
type Run struct {
	Name         string // what tells it from the others
	Engine       string
	Seed         uint64
	ScenarioHash string
	Dir          string // empty if it is not there
	Made         string // a day
	Simulated    string
	Flows        string
	Tool         string
	Build        string // engine with its version, compiler and build id
	Tables       []Table
	Warnings     []string
	Error        string // why there is no result
}

// Measured is what was measured of all runs of a section.
type Measured struct {
	Name, Text, Unit string
	Values           []float64 // by run; NaN where there is none
}

// A Table is one Parquet table of a run.
type Table struct {
	File string
	Rows uint64
}

// A Param is a parameter's value in some of a section's runs.
type Param struct {
	Name    string // component.parameter
	Place   string // where the component plugs in
	Value   string // with its unit
	Origin  string // default, derived, preset:NAME, file:LINE, …
	Runs    string // which ones have it
	Help    string
	Source  string // where the value's description comes from: paper and section
	Default bool
}

var (
	//go:embed page.html
	pageHTML string
	//go:embed page.css
	pageCSS string
	//go:embed page.js
	pageSource string
	pageJS     = strings.Replace(pageSource, "LOOKS", chart.Looks(), 1)
)

// Render writes the page.
func Render(w io.Writer, in Input) error {
	l := links{in.Dir, linePoints(in.Sections)}
	v := view{
		Style: template.CSS(pageCSS), Script: template.JS(pageJS), Policy: policy(),
		Notices: in.Notices, Points: l.points, Papers: in.Papers,
	}
	used := map[string]bool{}
	for _, s := range in.Sections {
		one, err := l.section(s, used)
		if err != nil {
			return err
		}
		v.Sections = append(v.Sections, one)
		if s.Figure == nil || s.Figure.Own() { // a reading is a figure judged again
			v.Tally.Merge(one.Tally)
		}
		v.Thinned = v.Thinned || one.Thinned
	}
	v.title()
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, v); err != nil {
		return fmt.Errorf("making the page: %w", err)
	}
	_, err := w.Write(b.Bytes())
	return err
}

var pageTemplate = template.Must(template.New("page").Parse(pageHTML))

// policy lets the page's own script run and nothing be loaded.
func policy() string {
	sum := sha256.Sum256([]byte(pageJS))
	return "default-src 'none'; script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
}

// links makes addresses relative to the page's folder.
type links struct {
	dir    string
	points int // of a line at most
}

func (l links) to(path string) string {
	relative, err := filepath.Rel(l.dir, path)
	if err != nil { // on another drive
		return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
	}
	parts := strings.Split(filepath.ToSlash(relative), "/")
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	return "./" + strings.Join(parts, "/")
}

// anchor is an identifier that no other section has.
func anchor(id string, used map[string]bool) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, id)
	base := "s-" + name
	name = base
	for n := 2; used[name]; n++ {
		name = fmt.Sprintf("%s-%d", base, n)
	}
	used[name] = true
	return name
}
