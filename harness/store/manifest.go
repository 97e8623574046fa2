// Package store keeps runs on disk: where a run lies, how it becomes complete
// in one step, and how to tell that it is (docs/formats.md, Run directory).
package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"fabriclab/base/file"
	"fabriclab/base/steady"
	"fabriclab/harness/workload"
)

// ManifestFile is the name of the manifest in a run directory; FailedFile is in
// its place where a run ended, but a check of it failed.
const (
	ManifestFile = "manifest.json"
	FailedFile   = "failed.json"
)

const (
	manifestFormat  = "fabriclab-run"
	manifestVersion = 2
)

// Manifest says what a run is, what made it and what it consists of.
type Manifest struct {
	Format  string `json:"format"`
	Version int    `json:"version"`

	Tool         Tool              `json:"tool"`
	Experiment   string            `json:"experiment"`
	Labels       map[string]string `json:"labels,omitempty"`
	Scale        string            `json:"scale,omitempty"`   // "" of runs of an earlier fabriclab
	Reading      map[string]string `json:"reading,omitempty"` // values of readings, of the others the default
	Sets         map[string]string `json:"sets,omitempty"`    // values that --set gave, by path
	Command      string            `json:"command,omitempty"` // what the run was made with, to type again
	ScenarioHash string            `json:"scenario_hash"`
	Content      string            `json:"content,omitempty"` // hash of the same, without the experiment's name
	Seed         uint64            `json:"seed"`
	Engine       Engine            `json:"engine"`

	// Workload is what the flow list came to.
	Workload *workload.Tally `json:"workload,omitempty"`

	// Steady says whether the measuring window was in steady state, where the
	// workload asks for a load.
	Steady *steady.Verdict `json:"steady,omitempty"`

	Inputs  map[string]File `json:"inputs"`
	Outputs map[string]File `json:"outputs"`

	// SameAs is the run of another experiment that the outputs were taken from, as its
	// path below the results folder.
	SameAs string `json:"same_as,omitempty"`

	State     string          `json:"state"`
	Reason    string          `json:"reason,omitempty"` // why it is no result
	ExitCode  int             `json:"exit_code"`
	Started   time.Time       `json:"started"`
	Summary   json.RawMessage `json:"summary"`
	Warnings  []string        `json:"warnings,omitempty"`
	Resources Resources       `json:"resources"`
}

// Tool is the fabriclab that made the run.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Engine is the simulator that made the run.
type Engine struct {
	Name          string `json:"name"`
	InsteadOf     string `json:"instead_of,omitempty"` // the usual engine, which was not on the machine
	EngineVersion string `json:"engine_version"`
	Compiler      string `json:"compiler"`
	BuildType     string `json:"build_type"`
	Flags         string `json:"flags"`
	BuildID       string `json:"build_id"`
	// Simulator is its folder, Libraries the hash of its libraries.
	Simulator string `json:"simulator,omitempty"`
	Libraries string `json:"libraries,omitempty"`
	// Sources are the parts of the sources that the run uses, with their hashes.
	Sources map[string]string `json:"sources,omitempty"`
}

// BuiltBy says what made a run: a runner with its simulator and build, or
// fabriclab itself, whose version is in the manifest's Tool.
func (e Engine) BuiltBy() string {
	if e.BuildType == "" {
		return e.Name + " by fabriclab itself"
	}
	name := e.Name
	if e.InsteadOf != "" {
		name += " instead of " + e.InsteadOf + ", which was not on that machine:"
	}
	return fmt.Sprintf("%s %s (%s, %s, %s), build %s", name, e.EngineVersion, e.BuildType, e.Compiler, e.Flags, e.BuildID)
}

// File is one file of a run. Rows is set for tables.
type File struct {
	Bytes  int64   `json:"bytes"`
	SHA256 string  `json:"sha256"`
	Rows   *uint64 `json:"rows,omitempty"`
}

// Resources is what the simulation took, as the operating system counted it.
type Resources struct {
	WallS        float64 `json:"wall_s"`
	CPUUserS     float64 `json:"cpu_user_s"`
	CPUSysS      float64 `json:"cpu_sys_s"`
	PeakRSSBytes int64   `json:"peak_rss_bytes"`
}

// StateOK is the state of a complete run, StateFailed that of one of which a
// check failed.
const (
	StateOK     = "ok"
	StateFailed = "failed"
)

// ErrNoRun is returned for a directory that holds no complete run.
var ErrNoRun = errors.New("no complete run")

// ErrUnreadable is returned for a run that one may not read.
var ErrUnreadable = errors.New("not to be read")

// Read reads the manifest of a run directory.
func Read(dir string) (*Manifest, error) { return read(dir, ManifestFile) }

// ReadFailed reads what a run has left in FailedDir of which a check failed.
func ReadFailed(dir string) (*Manifest, error) { return read(dir, FailedFile) }

func read(dir, name string) (*Manifest, error) {
	path := filepath.Join(dir, name)
	text, err := file.Read(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%w in %s (there is no %s)", ErrNoRun, dir, name)
	}
	if err != nil {
		return nil, unread(dir, name, err)
	}
	var m Manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, corrupt(dir, fmt.Errorf("%s is no valid JSON: %w", name, err))
	}
	if m.Format != manifestFormat || m.ScenarioHash == "" || m.Engine.Name == "" || len(m.Outputs) == 0 {
		return nil, corrupt(dir, fmt.Errorf("%s is not a complete manifest", name))
	}
	if m.Version != manifestVersion {
		return nil, corrupt(dir, fmt.Errorf("%s has version %d, this fabriclab reads version %d", name, m.Version, manifestVersion))
	}
	if _, err := file.Unseal(text); err != nil {
		return nil, corrupt(dir, fmt.Errorf("%s is damaged: %w", name, err))
	}
	return &m, nil
}

// CorruptError says that a directory holds a damaged run.
type CorruptError struct {
	Dir string
	Err error
}

func (e *CorruptError) Error() string {
	return fmt.Sprintf("corrupt run %s: %v; delete that directory and run the experiment again", e.Dir, e.Err)
}

func (e *CorruptError) Unwrap() error { return e.Err }

func corrupt(dir string, err error) error { return &CorruptError{Dir: dir, Err: err} }

// Depth is how closely Verify looks.
type Depth int

const (
	// Sizes compares the sizes of all files with the manifest.
	Sizes Depth = iota
	// Contents compares the SHA-256 of all files, too.
	Contents
)

// Verify compares the files of a run with its manifest.
func (m *Manifest) Verify(dir string, depth Depth) error {
	for _, files := range []map[string]File{m.Inputs, m.Outputs} {
		for name, want := range files {
			if err := want.verify(dir, name, depth); err != nil {
				return err
			}
		}
	}
	return nil
}

// VerifyFile compares one of a run's files with its manifest, and says whether
// the manifest knows it.
func (m *Manifest) VerifyFile(dir, name string, depth Depth) (known bool, err error) {
	for _, files := range []map[string]File{m.Inputs, m.Outputs} {
		if want, has := files[name]; has {
			return true, want.verify(dir, name, depth)
		}
	}
	return false, nil
}

func (f File) verify(dir, name string, depth Depth) error {
	path := filepath.Join(dir, name)
	info, err := os.Stat(path)
	if err != nil {
		return unread(dir, name, err)
	}
	got := File{Bytes: info.Size(), SHA256: f.SHA256}
	if depth >= Contents && got.Bytes == f.Bytes {
		if got, err = HashFile(path); err != nil {
			return unread(dir, name, err)
		}
	}
	if err := got.sum().Differs(f.sum()); err != nil {
		return corrupt(dir, fmt.Errorf("%s %w, as the manifest says", name, err))
	}
	return nil
}

// unread says why a file could not be read: a run that one may not read is not
// damaged.
func unread(dir, name string, err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("%w: run %s: %w; have its owner make it readable", ErrUnreadable, dir, err)
	}
	return corrupt(dir, fmt.Errorf("%s: %w", name, err))
}

func (f File) sum() file.Sum { return file.Sum{Bytes: f.Bytes, SHA256: f.SHA256} }

// HashFile takes size and SHA-256 of a file.
func HashFile(path string) (File, error) {
	sum, err := file.Hash(path)
	return File{Bytes: sum.Bytes, SHA256: sum.SHA256}, err
}
