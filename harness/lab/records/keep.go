package records

import (
	"errors"
	"io/fs"
	"maps"
	"slices"

	"fabriclab/analysis/record"
	"fabriclab/harness/engine"
	"fabriclab/harness/lab"
	"fabriclab/harness/lab/plan"
)

// stillValid is the record that a figure has, or an empty one, if it has none or one
// of another scale, of other seeds, of another version of an engine, or of sources
// that have changed.
func stillValid(lab *lab.Lab, dir string, now runsUnder) (*record.Record, error) {
	none := &record.Record{Engines: map[string]string{}, Parts: map[string]string{}}
	r, err := record.Read(dir, now.Name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return none, nil
	case err != nil:
		return nil, err
	case r.Scale != now.Scale || !slices.Equal(r.Seeds, now.Seeds):
		return none, nil
	}
	for _, j := range now.Jobs {
		if j.Program != nil && r.Engines[j.Key.Engine] != j.Program.Version.EngineVersion {
			return none, nil
		}
	}
	changed, err := changedParts(lab, r, map[string]engine.Sources{})
	if err != nil || len(changed) > 0 {
		return none, err
	}
	r.Engines, r.Parts = maps.Clone(r.Engines), maps.Clone(r.Parts)
	return r, nil
}

// keep is what a record has of an experiment under its reading, nil if it has nothing
// or other scenarios, measures or claims.
func keep(before *record.Record, e plan.Experiment) (*record.Outcome, error) {
	o := before.Outcome(plan.ReadingText(e.Reading))
	if o == nil || o.Judged == "" {
		return nil, nil
	}
	if why, err := differs(before, *o, e); err != nil || why != "" {
		return nil, err
	}
	return o, nil
}
