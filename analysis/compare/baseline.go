package compare

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fabriclab/analysis/collect"
	"fabriclab/analysis/measure"
	"fabriclab/base/catalog"
	"fabriclab/base/file"
)

const (
	baselineFormat  = "fabriclab-baseline"
	baselineVersion = 2
)

// A Baseline holds the deterministic measures of an experiment's runs, to
// compare later results with.
type Baseline struct {
	Experiment string
	Scale      string
	Runs       []collect.Run
}

// baselineHead and baselineRun are the file: the head first, then a line for
// each run, so that a change of one run is a change of one line.
type baselineHead struct {
	Format     string            `json:"format"`
	Version    int               `json:"version"`
	Experiment string            `json:"experiment"`
	Scale      string            `json:"scale"`
	Measures   []baselineMeasure `json:"measures"`
	Runs       []baselineRun     `json:"runs"`
}

type baselineMeasure struct {
	Name   string `json:"name"`
	Unit   string `json:"unit"`
	Better string `json:"better"`
}

type baselineRun struct {
	Point    []string `json:"point"`
	Engine   string   `json:"engine"`
	Seed     uint64   `json:"seed"`
	Scenario string   `json:"scenario"`
	Values   []Number `json:"values"` // by measure; null: there is none
}

// BaselineFile is where an experiment's baseline lies in a folder.
func BaselineFile(dir, experiment string) string {
	return filepath.Join(dir, filepath.FromSlash(experiment)+".json")
}

// Save writes the baseline into a folder.
func (b *Baseline) Save(dir string) error {
	var measures []*measure.Measure
	for _, r := range b.Runs {
		for _, v := range r.Values {
			if v.Err == nil && !v.Measure.Volatile && !slices.ContainsFunc(measures, func(m *measure.Measure) bool { return m.Name == v.Measure.Name }) {
				measures = append(measures, v.Measure)
			}
		}
	}
	var text bytes.Buffer
	var err error
	line := func(before string, value any, after string) {
		data, e := json.Marshal(value)
		err = errors.Join(err, e)
		fmt.Fprintf(&text, "%s%s%s\n", before, data, after)
	}
	fmt.Fprintf(&text, "{\"format\": %q, \"version\": %d, \"experiment\": %q, \"scale\": %q,\n", baselineFormat, baselineVersion, b.Experiment, b.Scale)
	text.WriteString("\"measures\": [\n")
	for i, m := range measures {
		line("  ", baselineMeasure{m.Name, m.Unit, m.Better.String()}, comma(i, len(measures)))
	}
	text.WriteString("],\n\"runs\": [\n")
	for i, r := range b.Runs {
		run := baselineRun{Point: []string{}, Engine: r.Engine, Seed: r.Seed, Scenario: r.Scenario}
		for _, l := range r.Labels {
			run.Point = append(run.Point, l.Path+"="+l.Value)
		}
		for _, m := range measures {
			run.Values = append(run.Values, valueOf(r, m.Name))
		}
		line("  ", run, comma(i, len(b.Runs)))
	}
	text.WriteString("]\n}\n")
	sealed, e := file.Seal(text.Bytes())
	err = errors.Join(err, e)
	path := BaselineFile(dir, b.Experiment)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o777)
	}
	if err == nil {
		err = file.Write(path, sealed, 0o666)
	}
	if err != nil {
		return fmt.Errorf("writing the baseline of %s: %w", b.Experiment, err)
	}
	return nil
}

func comma(i, n int) string {
	if i+1 < n {
		return ","
	}
	return ""
}

func valueOf(r collect.Run, name string) Number {
	for _, v := range r.Values {
		if v.Measure.Name == name && v.Err == nil {
			return Number(v.Value)
		}
	}
	return none
}

// errAbsent marks a value that a baseline does not have.
var errAbsent = errors.New("the baseline has no value")

// LoadBaseline reads one baseline file.
func LoadBaseline(path string) (*Baseline, error) {
	data, err := file.Read(path)
	if err != nil {
		return nil, fmt.Errorf("baseline: %w", err)
	}
	damaged := func(err error) error {
		return fmt.Errorf("baseline %s is damaged: %w; restore it, or delete it and make it anew: fabriclab baseline update EXPERIMENT", path, err)
	}
	if data, err = file.Unseal(data); err != nil {
		return nil, damaged(err)
	}
	var head baselineHead
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&head); err != nil {
		return nil, damaged(err)
	}
	switch {
	case head.Format != baselineFormat:
		return nil, damaged(fmt.Errorf("its format is %q, not %q", head.Format, baselineFormat))
	case head.Version != baselineVersion:
		return nil, damaged(fmt.Errorf("it has version %d, this fabriclab reads version %d", head.Version, baselineVersion))
	}
	var measures []*measure.Measure
	for _, m := range head.Measures {
		better := slices.Index(directions(), m.Better)
		if better < 0 {
			return nil, damaged(fmt.Errorf("measure %s: unknown better %q%s", m.Name, m.Better, catalog.Hint(m.Better, directions())))
		}
		measures = append(measures, &measure.Measure{Name: m.Name, Unit: m.Unit, Better: measure.Better(better)})
	}
	b := &Baseline{Experiment: head.Experiment, Scale: head.Scale}
	for i, r := range head.Runs {
		if len(r.Values) != len(measures) {
			return nil, damaged(fmt.Errorf("run %d has %d values, and there are %d measures", i, len(r.Values), len(measures)))
		}
		run := collect.Run{Experiment: head.Experiment, Scale: head.Scale, Reading: collect.DefaultReading, Scenario: r.Scenario, Engine: r.Engine, Seed: r.Seed}
		for _, l := range r.Point {
			path, value, _ := strings.Cut(l, "=")
			run.Labels = append(run.Labels, collect.Label{Path: path, Value: value})
		}
		for k, v := range r.Values {
			value := measure.Value{Measure: measures[k], Value: float64(v)}
			if !v.exists() {
				value = measure.Value{Measure: measures[k], Err: errAbsent}
			}
			run.Values = append(run.Values, value)
		}
		b.Runs = append(b.Runs, run)
	}
	return b, nil
}

// LoadBaselines reads all baselines in a folder or the one in a file, in the
// order of their names. There may be none.
func LoadBaselines(path string) ([]*Baseline, error) {
	var all []*Baseline
	err := filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(p) != ".json" {
			return err
		}
		b, err := LoadBaseline(p)
		all = append(all, b)
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return all, nil
}
