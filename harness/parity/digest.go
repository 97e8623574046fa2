package parity

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"fabriclab/base/file"
)

// Digest is what every run of an experiment gave on all engines that it names.
type Digest struct {
	Experiment string `json:"experiment"`
	Scale      string `json:"scale"`
	// Engines are the versions that gave it, by engine.
	Engines map[string]string `json:"engines"`
	Runs    []Run             `json:"runs"`
}

// Run is one point with one seed.
type Run struct {
	Point        string           `json:"point"`
	ScenarioHash string           `json:"scenario_hash"`
	Seed         uint64           `json:"seed"`
	Tables       map[string]Table `json:"tables"`
}

// File is where an experiment's digest lies in a folder of digests.
func File(dir, experiment, scale string) string {
	return filepath.Join(dir, strings.ReplaceAll(experiment, "/", "-")+"-"+scale+".json")
}

// Load reads a digest. The error is fs.ErrNotExist if there is none.
func Load(dir, experiment, scale string) (*Digest, error) {
	path := File(dir, experiment, scale)
	data, err := file.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("no parity digest of %s at scale %s: %w; make it where two engines are: fabriclab parity %s --update",
			experiment, scale, err, experiment)
	}
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	var digest Digest
	if err := d.Decode(&digest); err != nil {
		return nil, fmt.Errorf("parity digest %s is damaged: %w; renew it with fabriclab parity %s --update", path, err, experiment)
	}
	return &digest, nil
}

// Scales are the scales at which an experiment has a digest.
func Scales(dir, experiment string) ([]string, error) {
	paths, err := filepath.Glob(File(dir, experiment, "*"))
	if err != nil {
		return nil, err
	}
	var scales []string
	for _, path := range paths {
		scale := strings.TrimSuffix(strings.TrimPrefix(path, strings.TrimSuffix(File(dir, experiment, ""), ".json")), ".json")
		d, err := Load(dir, experiment, scale)
		if err != nil {
			return nil, err
		}
		if d.Experiment == experiment { // fncc/fig10-rocc's file begins as fncc/fig10's
			scales = append(scales, d.Scale)
		}
	}
	return scales, nil
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
	for _, known := range d.Runs {
		if known.Point != run.Point || known.Seed != run.Seed {
			continue
		}
		if known.ScenarioHash != run.ScenarioHash {
			return []string{fmt.Sprintf("the scenario is another one (%s, digest %s): topology, flows or parameters have changed", run.ScenarioHash, known.ScenarioHash)}
		}
		var differences []string
		for _, name := range names(known.Tables, run.Tables) {
			if is, was := run.Tables[name], known.Tables[name]; is != was {
				differences = append(differences, fmt.Sprintf("table %s has %d rows, %.12s; digest %d rows, %.12s", name, is.Rows, is.SHA256, was.Rows, was.SHA256))
			}
		}
		return differences
	}
	return []string{"the digest has no such run"}
}
