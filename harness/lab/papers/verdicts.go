// Package papers judges what papers state by the records of their figures.
package papers

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fabriclab/analysis/claims"
	"fabriclab/analysis/figure"
	"fabriclab/analysis/record"
	"fabriclab/analysis/spec"
	"fabriclab/analysis/statement"
	"fabriclab/base/catalog"
	"fabriclab/base/file"
	"fabriclab/harness/lab"
	"fabriclab/harness/lab/figures"
)

// StatementsFile is the name of a paper's statements in its folder of experiments.
const StatementsFile = "statements.yaml"

// A Paper is what a paper says, and what became of it.
type Paper struct {
	ID       string // its folder, such as fncc
	Name     string
	Verdicts []statement.Verdict
	Records  []*record.Record // that decide them
}

// Mark marks the statements that records decide which are out of date.
func (p *Paper) Mark(stale []string) {
	for i := range p.Verdicts {
		v := &p.Verdicts[i]
		v.Stale = v.Verdict != statement.NoRecord && slices.ContainsFunc(v.Statement.Claims, func(ref statement.Reference) bool { return slices.Contains(stale, ref.Figure) })
	}
}

// IDs are the folders that have statements.
func IDs(lab *lab.Lab) ([]string, error) {
	dirs, err := lab.Configs()
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, dir := range dirs {
		for _, f := range file.Glob(dir, filepath.Join("*", StatementsFile)) {
			if id := filepath.Base(filepath.Dir(f)); !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids, nil
}

// Statements are a paper's statements, held against its figures.
func Statements(lab *lab.Lab, paper string) (*statement.File, error) {
	dirs, err := lab.Configs()
	if err != nil {
		return nil, err
	}
	for _, dir := range dirs {
		path := filepath.Join(dir, paper, StatementsFile)
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		f, err := statement.Read(path)
		if err != nil {
			return nil, err
		}
		figures, err := claimsIn(dir, paper)
		if err != nil {
			return nil, err
		}
		return f, f.Check(figures)
	}
	known, err := IDs(lab)
	if err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("there are no statements of %q (%s)%s", paper, filepath.Join("configs", paper, StatementsFile), catalog.Hint(paper, known))
}

// claimsIn are the claims of a paper's figures, read from their files alone.
func claimsIn(dir, paper string) (map[string][]spec.Claim, error) {
	figures := map[string][]spec.Claim{}
	for _, path := range file.Glob(filepath.Join(dir, paper), "*.yaml") {
		if filepath.Base(path) == StatementsFile {
			continue
		}
		f, err := figure.ReadFile(path)
		if err != nil {
			return nil, err
		}
		if f == nil {
			continue
		}
		figures[paper+"/"+strings.TrimSuffix(filepath.Base(path), ".yaml")] = f.Claims
	}
	return figures, nil
}

// Verdicts judges the statements of papers, of all that have some without any, by
// the records that are there; with a scale by those of that scale.
func Verdicts(lab *lab.Lab, papers []string) ([]Paper, error) {
	if len(papers) == 0 {
		var err error
		if papers, err = IDs(lab); err != nil {
			return nil, err
		}
	}
	dirs, err := lab.RecordsDirs()
	if err != nil {
		return nil, err
	}
	var all []Paper
	for _, id := range papers {
		f, err := Statements(lab, id)
		if err != nil {
			return nil, err
		}
		records := map[string]*record.Record{}
		var used []*record.Record
		for _, s := range f.Statements {
			for _, ref := range s.Claims {
				if _, known := records[ref.Figure]; known {
					continue
				}
				r, err := recordIn(dirs, ref.Figure, lab.Set.Scale)
				if err != nil {
					return nil, err
				}
				if records[ref.Figure] = r; r != nil {
					used = append(used, r)
				}
			}
		}
		p := judgePaper(id, f, records)
		p.Records = used
		all = append(all, p)
	}
	return all, nil
}

// recordIn is the first record of a figure in these folders, with a scale that of
// this scale; nil if there is none.
func recordIn(dirs []string, figure, scale string) (*record.Record, error) {
	for _, dir := range dirs {
		r, err := record.Read(dir, figure)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if r != nil && (scale == "" || r.Scale == scale) {
			return r, nil
		}
	}
	return nil, nil
}

func judgePaper(id string, f *statement.File, records map[string]*record.Record) Paper {
	p := Paper{ID: id, Name: f.Paper}
	for _, s := range f.Statements {
		p.Verdicts = append(p.Verdicts, s.Judge(records))
	}
	return p
}

// A Made is a figure as it was made under a reading.
type Made struct {
	ID, Reading, Scale, Command string
	Seeds                       []uint64
	Claims                      []claims.Result
}

// MadeOf are the outcomes of figures.
func MadeOf(outcomes []*figures.Outcome) (all []Made) {
	for _, o := range outcomes {
		all = append(all, Made{o.ID, o.Reading, o.Scale, o.Command, o.Seeds, o.Claims})
	}
	return all
}

// VerdictsOf judges the statements that are decided by figures that were made, as
// far as their papers have statements.
func VerdictsOf(lab *lab.Lab, figures []Made) ([]Paper, error) {
	records := map[string]*record.Record{}
	var papers []string
	known, err := IDs(lab)
	if err != nil {
		return nil, err
	}
	for _, o := range figures {
		r := records[o.ID]
		if r == nil {
			r = &record.Record{Figure: o.ID, Scale: o.Scale, Seeds: o.Seeds}
			records[o.ID] = r
		}
		one := record.Outcome{Reading: o.Reading, Command: o.Command}
		for _, c := range o.Claims {
			one.Claims = append(one.Claims, record.ClaimOf(c))
		}
		r.Outcomes = append(r.Outcomes, one)
		if paper, _, ok := strings.Cut(o.ID, "/"); ok && slices.Contains(known, paper) && !slices.Contains(papers, paper) {
			papers = append(papers, paper)
		}
	}
	var all []Paper
	for _, id := range papers {
		f, err := Statements(lab, id)
		if err != nil {
			return nil, err
		}
		p := judgePaper(id, f, records)
		p.Verdicts = slices.DeleteFunc(p.Verdicts, func(v statement.Verdict) bool {
			return v.Verdict == statement.NoRecord || v.Verdict == statement.NoClaim
		})
		all = append(all, p)
	}
	return all, nil
}
