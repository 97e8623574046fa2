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

// Statements are a paper's statements, held against its figures, and the claims
// that decide none of them.
func Statements(lab *lab.Lab, paper string) (*statement.File, []Loose, error) {
	dirs, err := lab.Configs()
	if err != nil {
		return nil, nil, err
	}
	for _, dir := range dirs {
		path := filepath.Join(dir, paper, StatementsFile)
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		f, err := statement.Read(path)
		if err != nil {
			return nil, nil, err
		}
		figures, err := claimsIn(dir, paper)
		if err != nil {
			return nil, nil, err
		}
		found, err := f.Check(figures)
		var loose []Loose
		for _, l := range found {
			loose = append(loose, Loose{l.Figure, fmt.Sprintf("%s:%d: claim %s decides no statement; name it in %s, mark it with check or superseded, or delete it",
				filepath.Join(dir, filepath.FromSlash(l.Figure)+".yaml"), l.Line, l.ID, path)})
		}
		return f, loose, err
	}
	known, err := IDs(lab)
	if err != nil {
		return nil, nil, err
	}
	return nil, nil, fmt.Errorf("there are no statements of %q (%s)%s", paper, filepath.Join("configs", paper, StatementsFile), catalog.Hint(paper, known))
}

// Loose says of a claim of a figure that it decides no statement, and where it is.
type Loose struct{ Figure, Text string }

// warn says which claims of these figures decide no statement; nil: of any.
func warn(lab *lab.Lab, loose []Loose, figures []string) {
	for _, l := range loose {
		if figures == nil || slices.Contains(figures, l.Figure) {
			fmt.Fprintln(lab.Err, "warning:", l.Text)
		}
	}
}

// Warn says which claims of figures, given by id, decide no statement of their
// papers, as far as these have some.
func Warn(lab *lab.Lab, figures []string) {
	held(lab, figures)
}

// held are the statements of the papers of figures, by the papers' folders, as far
// as they have some that fit; what is wrong is a warning.
func held(lab *lab.Lab, figures []string) (papers []string, files map[string]*statement.File) {
	known, err := IDs(lab)
	if err != nil {
		fmt.Fprintln(lab.Err, "warning:", err)
	}
	files = map[string]*statement.File{}
	seen := map[string]bool{}
	for _, figure := range figures {
		paper, _, below := strings.Cut(figure, "/")
		if !below || seen[paper] || !slices.Contains(known, paper) {
			continue
		}
		seen[paper] = true
		f, loose, err := Statements(lab, paper)
		warn(lab, loose, figures)
		if err != nil {
			fmt.Fprintf(lab.Err, "warning: the statements of %s are not judged: %v\n", paper, err)
			continue
		}
		papers = append(papers, paper)
		files[paper] = f
	}
	return papers, files
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

// ownOrAll are the project's papers where it has some, else all.
func ownOrAll(lab *lab.Lab) ([]string, error) {
	all, err := IDs(lab)
	own := slices.DeleteFunc(slices.Clone(all), func(id string) bool {
		return lab.Set.Project == "" || !file.Exists(filepath.Join(lab.Set.Project, "configs", id, StatementsFile))
	})
	if len(own) > 0 {
		return own, err
	}
	return all, err
}

// Verdicts judges the statements of papers, without any of the project's or else of
// all that have some, by the records that are there; with a scale by those of that
// scale.
func Verdicts(lab *lab.Lab, papers []string) ([]Paper, error) {
	if len(papers) == 0 {
		var err error
		if papers, err = ownOrAll(lab); err != nil {
			return nil, err
		}
	}
	dirs, err := lab.RecordsDirs()
	if err != nil {
		return nil, err
	}
	var all []Paper
	for _, id := range papers {
		f, loose, err := Statements(lab, id)
		warn(lab, loose, nil)
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
	Readings                    []string // that the figure has beside the default
	Claims                      []claims.Result
}

// MadeOf are the outcomes of figures, those that --set changed left out.
func MadeOf(outcomes []*figures.Outcome) (all []Made) {
	for _, o := range outcomes {
		if len(o.Sets) > 0 {
			continue
		}
		all = append(all, Made{o.ID, o.Reading, o.Scale, o.Command, o.Seeds, o.Readings, o.Claims})
	}
	return all
}

// VerdictsOf judges the statements that are decided by figures that were made, as
// far as their papers have statements. What is wrong with those is a warning.
func VerdictsOf(lab *lab.Lab, figures []Made) []Paper {
	records := map[string]*record.Record{}
	var ids []string
	for _, o := range figures {
		r := records[o.ID]
		if r == nil {
			r = &record.Record{Figure: o.ID, Scale: o.Scale, Seeds: o.Seeds, Readings: o.Readings}
			records[o.ID] = r
		}
		one := record.Outcome{Reading: o.Reading, Command: o.Command}
		for _, c := range o.Claims {
			one.Claims = append(one.Claims, record.ClaimOf(c))
		}
		r.Outcomes = append(r.Outcomes, one)
		ids = append(ids, o.ID)
	}
	papers, files := held(lab, ids)
	var all []Paper
	for _, id := range papers {
		p := judgePaper(id, files[id], records)
		p.Verdicts = slices.DeleteFunc(p.Verdicts, func(v statement.Verdict) bool {
			return v.Verdict == statement.NoRecord || v.Verdict == statement.NoClaim
		})
		all = append(all, p)
	}
	return all
}
