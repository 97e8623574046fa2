// Package page makes a report of figures and runs, one HTML page.
package page

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/maruel/natural"

	"fabriclab/analysis/claims"
	"fabriclab/analysis/figure"
	"fabriclab/analysis/report"
	"fabriclab/base/catalog"
	"fabriclab/base/file"
	"fabriclab/harness/experiment"
	"fabriclab/harness/lab"
	"fabriclab/harness/lab/papers"
	"fabriclab/harness/lab/plan"
	"fabriclab/harness/store"
)

// Write makes one HTML page of what the arguments name: figures by their id,
// experiments by their file, or folders of results.
func Write(ctx context.Context, lab *lab.Lab, args []string, output string) error {
	results, err := lab.ResultsDir()
	if err != nil {
		return err
	}
	if output == "" {
		output = filepath.Join(results, "report.html")
	}
	if output, err = filepath.Abs(output); err != nil {
		return err
	}
	for i, arg := range args {
		if args[i], err = resultsOf(ctx, lab, arg); err != nil {
			return err
		}
	}
	found, err := findResults(results, args)
	if err != nil {
		return err
	}
	found.verify(lab.Depth())
	described, err := lab.Catalog(ctx)
	if err != nil {
		found.notices = append(found.notices, "What the parameters mean and where they come from is left out: the self-descriptions could not be had.")
		fmt.Fprintf(lab.Err, "warning: %v\n", err)
	}
	p := &mapper{depth: lab.Depth()}
	sections := append(found.figureSections(described, p), experimentSections(found, described, p)...)
	in := report.Input{Dir: filepath.Dir(output), Sections: sections, Notices: found.notices}
	for _, p := range papers.VerdictsOf(lab, found.made()) {
		in.Papers = append(in.Papers, report.Paper{Name: p.Name, Verdicts: p.Verdicts})
	}
	var b bytes.Buffer
	if err := report.Render(&b, in); err != nil {
		return err
	}
	if err := os.MkdirAll(in.Dir, 0o777); err != nil {
		return fmt.Errorf("writing the report: %w; choose another place with -o", err)
	}
	if err := file.Write(output, b.Bytes(), 0o666); err != nil {
		return fmt.Errorf("writing the report: %w; choose another place with -o", err)
	}
	for _, n := range found.notices {
		fmt.Fprintln(lab.Err, "warning:", n)
	}
	if lab.Set.JSON {
		return lab.Print(map[string]any{"report": output, "figures": len(found.figures), "bytes": b.Len()})
	}
	var all []claims.Result
	for _, f := range found.figures {
		if f.Own() {
			all = append(all, f.Claims...)
		}
	}
	_, err = fmt.Fprintf(lab.Out, "figures %d, other experiments %d; claims: %s\n%s (%.1f MB)\n",
		len(found.figures), len(found.runs), claims.Count(all), output, float64(b.Len())/1e6)
	return err
}

// made are the figures as they were made, those that --set changed left out.
func (f *findings) made() (all []papers.Made) {
	for _, x := range f.figures {
		if len(x.Sets) > 0 {
			continue // no statement is about it
		}
		one := papers.Made{ID: x.ID, Reading: x.Reading, Scale: x.Scale, Command: x.Command, Readings: x.Readings, Claims: x.Claims}
		for _, r := range x.Runs {
			if !slices.Contains(one.Seeds, r.Seed) {
				one.Seeds = append(one.Seeds, r.Seed)
			}
		}
		all = append(all, one)
	}
	return all
}

// resultsOf is under which name an argument's results are to be found: that of
// the experiment, if it is an experiment's file.
func resultsOf(ctx context.Context, lab *lab.Lab, arg string) (string, error) {
	if info, err := os.Stat(arg); err != nil || !info.Mode().IsRegular() {
		return arg, nil
	}
	all, err := plan.Load(ctx, lab, []string{arg}, plan.Selection{Computed: true})
	if err != nil {
		return "", err
	}
	return all[0].Name, nil
}

// findings are what a report is made from.
type findings struct {
	figures []*figure.Stored
	runs    map[string][]storedRun // of experiments without a figure
	notices []string
}

// findResults looks for what the arguments name: figures by their id, or
// folders.
func findResults(results string, args []string) (*findings, error) {
	f := &findings{runs: map[string][]storedRun{}}
	if len(args) == 0 {
		args = []string{results}
	}
	seen := map[string]bool{}
	for _, arg := range args {
		dir := arg
		if below := filepath.FromSlash(arg); filepath.IsLocal(below) {
			if figure := filepath.Join(results, "figures", below); isFigure(figure) {
				dir = figure
			} else if runs := filepath.Join(results, below); isFolder(runs) && !isFolder(arg) {
				dir = runs
			}
		}
		if !isFolder(dir) {
			if arg == results {
				return f, nothingFound(results)
			}
			return f, fmt.Errorf("there is no figure and there are no runs of %q in %s, and no folder of that name; make them with: fabriclab figure %s, or fabriclab run %s", arg, results, arg, arg)
		}
		if err := f.add(dir, seen); err != nil {
			return f, err
		}
	}
	if len(f.figures) == 0 && len(f.runs) == 0 && len(f.notices) == 0 {
		return f, nothingFound(strings.Join(args, ", "))
	}
	slices.SortFunc(f.figures, func(x, y *figure.Stored) int {
		return natural.Compare(x.Folder(), y.Folder())
	})
	for _, x := range f.figures {
		delete(f.runs, x.ID)
	}
	return f, nil
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func isFigure(dir string) bool {
	for _, name := range []string{"claims.json", "figure.json"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return true
		}
	}
	return false
}

func nothingFound(where string) error {
	return fmt.Errorf("there are no results in %s; make some with: fabriclab figure fncc/fig10 (one figure), make figures (all), or fabriclab run EXPERIMENT", where)
}

// add takes up the figures and runs in a folder that were not seen yet.
func (f *findings) add(dir string, seen map[string]bool) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	err = file.Walk(dir, func(path string, info fs.FileInfo) error {
		name := filepath.Base(path)
		switch {
		case info.IsDir() && path != dir && strings.HasPrefix(name, "."):
			return fs.SkipDir
		case name != "claims.json" && name != "figure.json": // one of them may be gone
			return nil
		}
		target, err := filepath.EvalSymlinks(filepath.Dir(path))
		if err != nil || seen[target] {
			return err
		}
		seen[target] = true
		stored, err := figure.Read(filepath.Dir(path))
		if errors.Is(err, figure.ErrNoFigure) { // made before there was a figure.json
			f.notices = append(f.notices, "Left out: "+err.Error())
			return nil
		}
		if err != nil {
			return err
		}
		f.figures = append(f.figures, stored)
		return nil
	})
	if err != nil {
		return err
	}
	dirs, err := store.Runs(dir)
	if err != nil {
		return err
	}
	for _, run := range dirs {
		if seen[run] {
			continue
		}
		seen[run] = true
		m, err := store.Read(run)
		if err != nil {
			f.notices = append(f.notices, "Left out: "+err.Error())
			continue
		}
		f.runs[m.Experiment] = append(f.runs[m.Experiment], storedRun{dir: run, manifest: m, labels: m.Labels, engine: m.Engine.Name, seed: m.Seed})
	}
	return nil
}

// verify leaves out runs without a figure that are damaged: they are measured
// for the report. Figures were compared with what was written when they were
// read; of their runs only the parameters are looked at.
func (f *findings) verify(depth store.Depth) {
	for name, runs := range f.runs {
		f.runs[name] = slices.DeleteFunc(runs, func(r storedRun) bool {
			err := r.manifest.Verify(r.dir, depth)
			if err != nil {
				f.notices = append(f.notices, "Left out: "+err.Error())
			}
			return err != nil
		})
	}
	maps.DeleteFunc(f.runs, func(_ string, runs []storedRun) bool { return len(runs) == 0 })
	slices.Sort(f.notices)
}

// figureSections also notes what has changed since the figures were made.
func (f *findings) figureSections(described *catalog.Catalog, p *mapper) []report.Section {
	var sections []report.Section
	for _, stored := range f.figures {
		var runs []storedRun
		replaced := 0
		for _, r := range stored.Runs {
			one := storedRun{labels: r.Labels, engine: r.Engine, seed: r.Seed, failure: r.Error}
			if r.Error == "" {
				one.dir = stored.RunDir(r)
				scenario := filepath.Base(filepath.Dir(one.dir))
				m, err := store.ReadAs(one.dir, store.Key{ScenarioHash: scenario, Engine: r.Engine, Seed: r.Seed})
				if err == nil {
					_, err = m.VerifyFile(one.dir, experiment.EffectiveFile, store.Contents)
				}
				if err != nil {
					m = nil
					one.failure = strings.ReplaceAll(err.Error(), stored.Results()+string(filepath.Separator), "")
				}
				one.manifest = m
				if m != nil && m.Engine.BuildID != r.Build {
					replaced++
				}
			}
			runs = append(runs, one)
		}
		if replaced > 0 {
			f.notices = append(f.notices, fmt.Sprintf("%s is older than its runs: %d of %d were made again by another build since. Make the figure again: %s", stored.ID, replaced, len(stored.Runs), stored.Command))
		}
		drawn, missing := p.of(runs, stored.Dimensions)
		title := stored.Title
		if len(stored.Sets) > 0 {
			title += " (with " + strings.Join(stored.Sets, " ") + "; no statement is judged by it)"
		}
		sections = append(sections, report.Section{
			ID: stored.Folder(), Title: title, Source: stored.Source, Scale: stored.Scale, Commands: []string{stored.Command}, Figure: stored,
			Runs: pageRuns(runs, stored.Dimensions), Params: parameters(runs, stored.Dimensions, described), Maps: drawn, NoMaps: missing,
		})
	}
	return sections
}

// experimentSections are those without a figure.
func experimentSections(f *findings, described *catalog.Catalog, p *mapper) []report.Section {
	var names []string
	for name := range f.runs {
		names = append(names, name)
	}
	slices.SortFunc(names, natural.Compare)
	var sections []report.Section
	for _, name := range names {
		runs := f.runs[name]
		slices.SortStableFunc(runs, func(x, y storedRun) int { return natural.Compare(x.name(nil)+" "+x.dir, y.name(nil)+" "+y.dir) })
		var commands []string // those that made the runs
		for _, r := range runs {
			if c := r.manifest.Command; c != "" && !slices.Contains(commands, c) {
				commands = append(commands, c)
			}
		}
		drawn, missing := p.of(runs, nil)
		sections = append(sections, report.Section{
			ID: name, Title: "runs without a figure", Commands: commands,
			Runs: pageRuns(runs, nil), Params: parameters(runs, nil, described), Measured: runMeasures(runs), Maps: drawn, NoMaps: missing,
		})
	}
	return sections
}
