package figure

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fabriclab/analysis/chart"
	"fabriclab/analysis/claims"
	"fabriclab/analysis/spec"
	"fabriclab/analysis/table"
	"fabriclab/base/file"
)

const (
	recordFile    = "figure.json"
	claimsFile    = "claims.json"
	recordFormat  = "fabriclab-figure"
	recordVersion = 3
)

// A Record is figure.json: what the tables in a figure's folder mean, so that
// others can draw them without the experiment.
type Record struct {
	Format  string `json:"format"`
	Version int    `json:"version"`

	ID string `json:"id"`
	// Reading is the reading of the paper, where it is not the default.
	Reading string `json:"reading,omitempty"`
	// Readings are those that the experiment has beside the default.
	Readings []string `json:"readings,omitempty"`
	// Sets are the values that differ from the experiment's, path=value.
	Sets   []string `json:"sets,omitempty"`
	Title  string   `json:"title"`
	Source string   `json:"source"`
	Scale  string   `json:"scale"`
	// Command makes the figure.
	Command string `json:"command"`

	Dimensions []Dimension `json:"dimensions"`
	Measures   []Measure   `json:"measures"`
	// Plots are what the tables <id>.parquet show: the points of a line are the rows
	// with its panel's row and column and its line and engine.
	Plots []chart.Figure `json:"plots"`
	Runs  []Run          `json:"runs"`
	Loads []Load         `json:"loads,omitempty"`

	// Files are the others of the folder.
	Files map[string]file.Sum `json:"files"`
}

// A Dimension is a column of measures.parquet, its path in the matrix, and how
// its values are shown.
type Dimension struct {
	Name  string            `json:"name"`
	Path  string            `json:"path"`
	Names map[string]string `json:"names,omitempty"`
}

// Shown is how a value is shown.
func (d Dimension) Shown(value string) string {
	if name, ok := d.Names[value]; ok {
		return name
	}
	return value
}

// PointName is what tells a point from others: its values of the dimensions, and
// what else the matrix says.
func PointName(labels map[string]string, dimensions []Dimension) string {
	var parts []string
	named := map[string]bool{}
	for _, d := range dimensions {
		if value, ok := labels[d.Path]; ok {
			parts = append(parts, d.Shown(value))
			named[d.Path] = true
		}
	}
	for _, path := range slices.Sorted(maps.Keys(labels)) {
		if !named[path] {
			parts = append(parts, path+"="+labels[path])
		}
	}
	if len(parts) == 0 {
		return "the only point"
	}
	return strings.Join(parts, ", ")
}

// A Measure is one of measures.parquet.
type Measure struct {
	Name string `json:"name"`
	Text string `json:"text"`
	Unit string `json:"unit"`
}

// A Run is a run that the figure was made from.
type Run struct {
	Labels map[string]string `json:"labels"`
	Engine string            `json:"engine"`
	Seed   uint64            `json:"seed"`
	Dir    string            `json:"dir,omitempty"`      // below the results folder if it is there
	Build  string            `json:"build_id,omitempty"` // of the engine that made it
	Error  string            `json:"error,omitempty"`    // why there is no result
}

func record(in Input, resultsDir string, drawings []*drawing) Record {
	r := Record{
		Format: recordFormat, Version: recordVersion, ID: in.ID, Reading: in.Reading, Readings: in.Readings, Sets: in.Sets, Title: in.Title, Source: in.Source, Scale: in.Scale, Command: in.Command,
		Dimensions: dimensionsOf(in.Figure), Measures: []Measure{}, Plots: []chart.Figure{}, Runs: []Run{}, Loads: in.Loads,
	}
	for _, name := range in.Figure.Measures.Names {
		m := in.Figure.Measures.Items[name]
		r.Measures = append(r.Measures, Measure{Name: name, Text: m.Text, Unit: m.Unit})
	}
	for _, d := range drawings {
		r.Plots = append(r.Plots, d.Figure)
	}
	for _, run := range in.Runs {
		one := Run{Labels: run.Labels, Engine: run.Engine, Seed: run.Seed, Dir: below(resultsDir, run.Dir), Build: run.Build}
		if run.Err != nil {
			one.Dir, one.Error = "", strings.ReplaceAll(run.Err.Error(), resultsDir+string(filepath.Separator), "")
		}
		r.Runs = append(r.Runs, one)
	}
	return r
}

func dimensionsOf(f *spec.Figure) []Dimension {
	dimensions := []Dimension{}
	for _, name := range f.Dimensions.Names {
		d := f.Dimensions.Items[name]
		dimensions = append(dimensions, Dimension{Name: name, Path: d.Path, Names: d.Names})
	}
	return dimensions
}

// below is a folder's path below the results folder, or its whole path.
func below(resultsDir, dir string) string {
	if relative, err := filepath.Rel(resultsDir, dir); err == nil && !strings.HasPrefix(relative, "..") {
		return filepath.ToSlash(relative)
	}
	return dir
}

// ErrNoFigure is returned for a folder that holds no figure.
var ErrNoFigure = errors.New("no figure")

// Stored is a figure as it is on disk.
type Stored struct {
	Record
	Dir    string
	Claims []claims.Result
	// Values are those of the measures, by run: +Inf is never, NaN could not be
	// taken.
	Values map[string][]float64
}

// Results is the results folder that the figure is in.
func (s *Stored) Results() string {
	dir := s.Dir
	for range 2 + strings.Count(s.ID, "/") { // figures/<id>
		dir = filepath.Dir(dir)
	}
	return dir
}

// Own says whether it is the experiment's own figure, under the default reading.
func (r *Record) Own() bool { return r.Reading == "" && len(r.Sets) == 0 }

// Folder is its folder's name below the folder of figures.
func (r *Record) Folder() string { return Folder(r.ID, r.Reading, r.Sets) }

// RunDir is where a run of the figure is.
func (s *Stored) RunDir(r Run) string {
	if filepath.IsAbs(r.Dir) {
		return r.Dir
	}
	return filepath.Join(s.Results(), filepath.FromSlash(r.Dir))
}

// writeRecord writes figure.json, behind all other files of the folder.
func writeRecord(dir string, r Record) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	r.Files = map[string]file.Sum{}
	for _, e := range entries {
		if r.Files[e.Name()], err = file.Hash(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	text, err := file.SealedJSON(r)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, recordFile), text, 0o666)
}

// verify compares the files of the folder with what was written.
func (r *Record) verify(dir string) error {
	for _, name := range append([]string{claimsFile, "measures.parquet"}, r.plotTables()...) {
		if _, listed := r.Files[name]; !listed {
			return fmt.Errorf("%s does not list %s", recordFile, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.Files)) {
		got, err := file.Hash(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		if err := got.Differs(r.Files[name]); err != nil {
			return fmt.Errorf("%s is damaged: it %w", name, err)
		}
	}
	return nil
}

func (r *Record) plotTables() []string {
	var names []string
	for _, p := range r.Plots {
		names = append(names, p.ID+".parquet")
	}
	return names
}

// Read reads what Evaluate has written, with the points of all plots.
func Read(dir string) (*Stored, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	s := &Stored{Dir: dir}
	text, err := file.Read(filepath.Join(dir, recordFile))
	if err == nil {
		err = json.Unmarshal(text, &s.Record)
	}
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%w in %s (there is no %s); make it with: fabriclab figure ID", ErrNoFigure, dir, recordFile)
		}
		return nil, fmt.Errorf("figure %s: %s is damaged: %w; make it again with: fabriclab figure ID", dir, recordFile, err)
	}
	if s.Format != recordFormat || s.Version != recordVersion || s.ID == "" {
		return nil, fmt.Errorf("%w that this fabriclab reads in %s: %s is of another version (this fabriclab reads %s, version %d); make it again with: fabriclab figure ID", ErrNoFigure, dir, recordFile, recordFormat, recordVersion)
	}
	if _, err := file.Unseal(text); err != nil {
		return nil, fmt.Errorf("figure %s: %s is damaged: %w; make it again with: fabriclab figure %s", dir, recordFile, err, s.ID)
	}
	if err := s.verify(dir); err != nil {
		return nil, fmt.Errorf("figure %s: %w; make it again with: fabriclab figure %s", dir, err, s.ID)
	}
	if text, err = file.Read(filepath.Join(dir, claimsFile)); err == nil {
		err = json.Unmarshal(text, &s.Claims)
	}
	if err != nil {
		return nil, fmt.Errorf("figure %s: %w; make it again with: fabriclab figure %s", s.ID, err, s.ID)
	}
	if err := s.readMeasures(); err != nil {
		return nil, fmt.Errorf("figure %s: %w; make it again with: fabriclab figure %s", s.ID, err, s.ID)
	}
	for i := range s.Plots {
		if err := readPoints(dir, &s.Plots[i]); err != nil {
			return nil, fmt.Errorf("figure %s: %w; make it again with: fabriclab figure %s", s.ID, err, s.ID)
		}
	}
	return s, nil
}

func (s *Stored) readMeasures() error {
	s.Values = map[string][]float64{}
	columns := []table.Column{{Name: "measure", Type: table.String}, {Name: "value", Type: table.Float}}
	err := table.Scan(s.Dir, "measures", columns, func(rows *table.Rows) error {
		for i := range rows.N {
			v := math.NaN()
			if !rows.Null(1, i) {
				v = rows.Float(1, i)
			}
			name := rows.String(0, i)
			s.Values[name] = append(s.Values[name], v)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, m := range s.Measures {
		if have := len(s.Values[m.Name]); have != len(s.Runs) {
			return fmt.Errorf("measures.parquet has %d values of %s for %d runs", have, m.Name, len(s.Runs))
		}
	}
	return nil
}

// readPoints fills in the points of all lines.
func readPoints(dir string, p *chart.Figure) error {
	type key struct{ row, column, line, engine string }
	points := map[key][]chart.Point{}
	columns := []table.Column{
		{Name: "row", Type: table.String}, {Name: "column", Type: table.String}, {Name: "line", Type: table.String}, {Name: "engine", Type: table.String},
		{Name: "x", Type: table.Float}, {Name: "y", Type: table.Float}, {Name: "error", Type: table.Float}}
	err := table.Scan(dir, p.ID, columns, func(rows *table.Rows) error {
		for i := range rows.N {
			k := key{rows.String(0, i), rows.String(1, i), rows.String(2, i), rows.String(3, i)}
			point := chart.Point{X: rows.Float(4, i), Y: rows.Float(5, i)}
			if !rows.Null(6, i) {
				point.Error = rows.Float(6, i)
			}
			points[k] = append(points[k], point)
		}
		return nil
	})
	if err != nil {
		return err
	}
	p.All(func(panel *chart.Panel, l *chart.Line) {
		l.Points = points[key{panel.Row, panel.Column, l.Key, l.Engine}]
	})
	return nil
}
