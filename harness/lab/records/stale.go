package records

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"fabriclab/analysis/record"
	"fabriclab/harness/build"
	"fabriclab/harness/engine"
	"fabriclab/harness/engine/engines"
	"fabriclab/harness/lab"
	"fabriclab/harness/lab/plan"
)

// A Stale is a record that its figure would not come to today, or might not.
type Stale struct {
	Figure string   `json:"figure"`
	Why    []string `json:"why"`
}

// IDs are the ids of the figures that have a record.
func IDs(lab *lab.Lab) ([]string, error) {
	dir, err := lab.RecordsDir()
	if err != nil {
		return nil, err
	}
	var ids []string
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || d.IsDir() || filepath.Ext(path) != ".json" {
			return err
		}
		id, err := filepath.Rel(dir, path)
		ids = append(ids, strings.TrimSuffix(filepath.ToSlash(id), ".json"))
		return err
	})
	return ids, err
}

// FindStale finds the records whose scenarios have changed, or the parts of the
// sources that their runs depend on.
func FindStale(ctx context.Context, lab *lab.Lab) ([]Stale, error) {
	ids, err := IDs(lab)
	if err != nil {
		return nil, err
	}
	dir, err := lab.RecordsDir()
	if err != nil {
		return nil, err
	}
	sources := map[string]engine.Sources{}
	var stale []Stale
	for _, id := range ids {
		r, err := record.Read(dir, id)
		if err != nil {
			return nil, err
		}
		why, err := changedParts(lab, r, sources)
		if err != nil {
			return nil, err
		}
		scenarios, err := changedScenarios(ctx, lab, r)
		if err != nil && (!errors.Is(err, build.ErrStale) || len(why) == 0) {
			return nil, err
		}
		if why = append(why, scenarios...); len(why) > 0 {
			stale = append(stale, Stale{id, why})
		}
	}
	return stale, nil
}

// Outdated are the figures of those records of which a part of the sources has
// changed, or that are the project's and have other scenarios today. Unchecked are
// those that FindStale would load: where that takes a build, and the checkout's, which
// takes seconds.
func Outdated(ctx context.Context, lab *lab.Lab, all []*record.Record) (stale, unchecked []string, err error) {
	quiet := *lab
	quiet.Err = io.Discard
	own, err := IDs(lab)
	if err != nil {
		return nil, nil, err
	}
	sources := map[string]engine.Sources{}
	for _, r := range all {
		why, err := changedParts(&quiet, r, sources)
		if err != nil {
			return nil, nil, err
		}
		here := slices.Contains(own, r.Figure)
		checked := here && lab.Set.Project != ""
		if checked && len(why) == 0 {
			why, err = changedScenarios(ctx, &quiet, r)
			if checked = !errors.Is(err, build.ErrStale); checked && err != nil {
				return nil, nil, err
			}
		}
		switch {
		case len(why) > 0:
			stale = append(stale, r.Figure)
		case here && !checked:
			unchecked = append(unchecked, r.Figure)
		}
	}
	return stale, unchecked, nil
}

// changedParts are the parts of the sources that are not as the record has them.
func changedParts(lab *lab.Lab, r *record.Record, known map[string]engine.Sources) ([]string, error) {
	var changed []string
	for _, name := range slices.Sorted(maps.Keys(r.Engines)) {
		simulator, err := engines.ByName(name)
		if err != nil {
			continue // computed: it has no sources of its own
		}
		if _, read := known[name]; !read {
			b, err := lab.Builder()
			if err != nil {
				return nil, err
			}
			if known[name], err = b.SourcesOf(simulator); err != nil {
				return nil, err
			}
		}
		for _, part := range slices.Sorted(maps.Keys(r.Parts)) {
			if known[name].Hash[part] != r.Parts[part] && !slices.Contains(changed, part) {
				changed = append(changed, part)
			}
		}
	}
	if len(changed) == 0 {
		return nil, nil
	}
	return []string{"changed since: " + strings.Join(changed, ", ")}, nil
}

// changedScenarios says which scenarios of the record the experiment does not have
// any more, and which it has besides.
func changedScenarios(ctx context.Context, lab *lab.Lab, r *record.Record) ([]string, error) {
	at := *lab
	at.Set.Scale = r.Scale
	var why []string
	for _, o := range r.Outcomes {
		s := plan.Selection{Figure: true, Computed: true}
		if o.Reading != "" {
			s.Readings = strings.Split(o.Reading, ",")
		}
		all, err := plan.Load(ctx, &at, []string{r.Figure}, s)
		if errors.Is(err, build.ErrStale) { // then no experiment loads, whatever its record
			return nil, err
		}
		if err != nil {
			why = append(why, "it does not load: "+err.Error())
			break
		}
		text, err := differs(r, o, all[0])
		if err != nil {
			return nil, err
		}
		if text != "" {
			what := "default"
			if o.Reading != "" {
				what = o.Reading
			}
			why = append(why, what+": "+text)
		}
		if declared := plan.Declared(all[0].Experiment); o.Reading == "" && !slices.Equal(declared, r.Readings) {
			why = append(why, "its readings are others now; fabriclab record "+r.Figure+" --scale "+r.Scale+" writes them")
		}
	}
	return why, nil
}

// differs says what an outcome of a record has of its experiment that is not so any
// more, "" without anything: seeds, scenarios, measures or claims.
func differs(r *record.Record, o record.Outcome, e plan.Experiment) (string, error) {
	if then := r.SeedsOf(o); !slices.Equal(then, e.Seeds) {
		return fmt.Sprintf("its seeds were %s, now they are %s", plan.SeedRanges(then), plan.SeedRanges(e.Seeds)), nil
	}
	now := map[string]bool{}
	for _, p := range e.Points {
		hash, err := p.Hash()
		if err != nil {
			return "", err
		}
		now[hash] = true
	}
	gone := 0
	then := map[string]bool{}
	for _, p := range o.Points {
		if !now[p.Scenario] && !then[p.Scenario] {
			gone++
		}
		then[p.Scenario] = true
	}
	maps.DeleteFunc(now, func(hash string, _ bool) bool { return then[hash] })
	if gone+len(now) > 0 {
		return fmt.Sprintf("%d scenarios are gone, %d are new", gone, len(now)), nil
	}
	rules, err := e.Spec.Judging()
	if err != nil {
		return "", err
	}
	controls, err := e.Spec.Controls()
	switch {
	case err != nil:
		return "", err
	case o.Judged != "" && o.Judged != rules:
		return "its measures or claims have changed", nil
	case o.Controls != controls:
		return "its claims' controls have changed", nil
	}
	return "", nil
}
