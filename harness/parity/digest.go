package parity

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"fabriclab/base/file"
)

// Digest is what every run of an experiment gave on all engines that it names, point by point.
type Digest struct {
	Experiment string `json:"experiment"`
	Scale      string `json:"scale"`
	// Engines are the versions that gave it, by engine.
	Engines map[string]string `json:"engines"`
	Points  map[string]Point  `json:"points"`
}

// Point is one point's tables.
type Point struct {
	// ScenarioHash is that of the run that gave the tables. It is for looking up
	// only: another scenario that gives the same tables renews nothing.
	ScenarioHash string                      `json:"scenario_hash"`
	Seeds        map[uint64]map[string]Table `json:"seeds"`
}

// Run is one point with one seed.
type Run struct {
	Point, ScenarioHash string
	Seed                uint64
	Tables              map[string]Table
}

// Add adds a run.
func (d *Digest) Add(r Run) {
	if d.Points == nil {
		d.Points = map[string]Point{}
	}
	p, known := d.Points[r.Point]
	if !known {
		p = Point{ScenarioHash: r.ScenarioHash, Seeds: map[uint64]map[string]Table{}}
		d.Points[r.Point] = p
	}
	p.Seeds[r.Seed] = r.Tables
}

// File is where an experiment's digest lies in a folder of digests.
func File(dir, experiment, scale string) string {
	return filepath.Join(dir, strings.ReplaceAll(experiment, "/", "-")+"-"+scale+".json")
}

// Load reads a digest. The error is fs.ErrNotExist if there is none.
func Load(dir, experiment, scale string) (*Digest, error) {
	d, err := read(File(dir, experiment, scale), experiment, scale)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("no parity digest of %s at scale %s: %w; make it where two engines are: fabriclab parity %s --scale %s --update",
			experiment, scale, err, experiment, scale)
	}
	return d, err
}

// read reads a digest, which is that of an experiment at a scale.
func read(path, experiment, scale string) (*Digest, error) {
	data, err := file.Read(path)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	var digest Digest
	if err := d.Decode(&digest); err != nil {
		return nil, fmt.Errorf("parity digest %s is damaged: %w; delete it and make it anew with fabriclab parity %s --scale %s --update", path, err, experiment, scale)
	}
	return &digest, nil
}

// Scales are the scales at which an experiment has a digest.
func Scales(dir, experiment string) ([]string, error) {
	all, err := Files(dir)
	var scales []string
	for _, d := range all {
		if d.Experiment == experiment {
			scales = append(scales, d.Scale)
		}
	}
	return scales, err
}

// Save writes the digest.
func (d *Digest) Save(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	text, err := json.MarshalIndent(d, "", " ")
	if err != nil {
		return err
	}
	return file.Write(File(dir, d.Experiment, d.Scale), append(text, '\n'), 0o666)
}

// Check says where a run differs from the digest; nothing if it does not.
func (d *Digest) Check(run Run) []string {
	tables, known := d.Points[run.Point].Seeds[run.Seed]
	if !known {
		return []string{"the digest has no such run"}
	}
	var differences []string
	for _, name := range names(tables, run.Tables) {
		if is, was := run.Tables[name], tables[name]; is != was {
			differences = append(differences, fmt.Sprintf("table %s has %d rows, %.12s; digest %d rows, %.12s", name, is.Rows, is.SHA256, was.Rows, was.SHA256))
		}
	}
	if differences != nil && run.ScenarioHash != d.Points[run.Point].ScenarioHash {
		differences = append(differences, fmt.Sprintf("the scenario is another one, too (%s, digest %s): topology, flows or parameters have changed", run.ScenarioHash, d.Points[run.Point].ScenarioHash))
	}
	return differences
}

// Unmet lists the points and seeds of the digest that are not among others.
func (d *Digest) Unmet(others *Digest) (unmet []string) {
	for _, name := range slices.Sorted(maps.Keys(d.Points)) {
		for _, seed := range slices.Sorted(maps.Keys(d.Points[name].Seeds)) {
			if _, met := others.Points[name].Seeds[seed]; !met {
				unmet = append(unmet, fmt.Sprintf("%s seed %d", name, seed))
			}
		}
	}
	return unmet
}

// Keep takes over what an older digest has of points whose tables are the same,
// and lists the points that moved, came or went.
func (d *Digest) Keep(old *Digest) (moved []string) {
	for name, p := range d.Points {
		if before, known := old.Points[name]; known && reflect.DeepEqual(before.Seeds, p.Seeds) {
			d.Points[name] = before
		} else {
			moved = append(moved, name)
		}
	}
	for name := range old.Points {
		if _, still := d.Points[name]; !still {
			moved = append(moved, name)
		}
	}
	if moved == nil {
		d.Engines = old.Engines
	}
	slices.Sort(moved)
	return moved
}

// Equal lists the points that the digest cannot tell apart: all their tables are
// equal, whatever the seed.
func (d *Digest) Equal() [][]string {
	alike := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(d.Points)) {
		tables := fmt.Sprint(d.Points[name].Seeds) // maps are printed in order
		alike[tables] = append(alike[tables], name)
	}
	groups := slices.DeleteFunc(slices.Collect(maps.Values(alike)), func(g []string) bool { return len(g) < 2 })
	slices.SortFunc(groups, func(a, b []string) int { return strings.Compare(a[0], b[0]) })
	return groups
}

// Files are the digests in a folder.
func Files(dir string) ([]*Digest, error) {
	var digests []*Digest
	for _, path := range file.Glob(dir, "*.json") {
		d, err := read(path, "EXPERIMENT", "SCALE")
		if err != nil {
			return nil, err
		}
		digests = append(digests, d)
	}
	return digests, nil
}
