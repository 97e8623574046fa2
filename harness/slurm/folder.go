// Package slurm runs sweeps on a cluster: one sbatch array over a shared file
// system, each task of which makes one run with `fabriclab run-one`.
package slurm

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"fabriclab/base/file"
	"fabriclab/harness/run"
	"fabriclab/harness/store"
)

// Sweep is what is submitted. It lies in a folder that submitter and tasks
// share.
type Sweep struct {
	ID      string    `json:"id"`
	Created time.Time `json:"created"`
	Again   bool      `json:"again,omitempty"` // runs are made anew that have a result
	Tasks   []Task    `json:"tasks"`
}

// Task is one run of a sweep.
type Task struct {
	Title   string    `json:"title"`
	Key     store.Key `json:"key"`
	BuildID string    `json:"build_id"`
	// Spec is what run-one needs to know to make the run.
	Spec json.RawMessage `json:"spec"`
}

// Submission is one array job: its n-th element makes the run Tasks[n].
type Submission struct {
	Job     string `json:"job"` // Slurm's number of the array
	Attempt int    `json:"attempt"`
	Tasks   []int  `json:"tasks"`
}

// Files of a sweep's folder.
const (
	sweepFile       = "sweep.json"
	submissionsFile = "submissions.json"
	toolFile        = "fabriclab"
	scriptFile      = "job.sh"
	eventsFolder    = "events"
	logsFolder      = "logs"
)

// sweepsFolder is hidden, so that nobody takes it for an experiment.
const sweepsFolder = ".sweeps"

// Folder is the folder of a submitted sweep.
type Folder struct {
	Dir string
	Sweep
	Submissions []Submission
}

// identify names a sweep by what it runs: the same command finds the sweep
// that it has submitted before.
func identify(jobs []run.Job) string {
	sum := sha256.New()
	for _, j := range jobs {
		fmt.Fprintf(sum, "%s\x00%s\x00", j.Key, j.Program.BuildID)
	}
	return strings.ReplaceAll(jobs[0].Key.Experiment, "/", "-") + "-" + hex.EncodeToString(sum.Sum(nil)[:4])
}

// FolderOf is where a sweep's folder lies in a results folder.
func FolderOf(results, id string) string { return filepath.Join(results, sweepsFolder, id) }

// Open reads the folder of a sweep.
func Open(dir string) (*Folder, error) {
	f := &Folder{Dir: dir}
	if err := readJSON(filepath.Join(dir, sweepFile), &f.Sweep); err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("there is no submitted sweep in %s; fabriclab status lists those there are: %w", dir, err)
		}
		return nil, err
	}
	err := readJSON(filepath.Join(dir, submissionsFile), &f.Submissions)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	return f, nil
}

// Folders lists the sweeps that were submitted with a results folder.
func Folders(results string) []string {
	dirs := file.Glob(results, filepath.Join(sweepsFolder, "*", sweepFile))
	for i := range dirs {
		dirs[i] = filepath.Dir(dirs[i])
	}
	return dirs
}

func readJSON(path string, into any) error {
	text, err := file.Read(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s is no valid JSON: %w; remove its folder and submit the sweep again", path, err)
	}
	return nil
}

func writeJSON(path string, value any) error {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	return file.Write(path, append(text, '\n'), 0o666)
}

// create makes the folder anew; extra are further files for run-one. The tool
// is copied into it. A tool made by `go run` would be gone before the tasks
// begin, and one that is built anew meanwhile would be another one.
func create(dir string, s Sweep, script string, extra map[string][]byte) (*Folder, error) {
	tool, err := os.Executable()
	if err != nil {
		return nil, err
	}
	binary, err := os.ReadFile(tool)
	if err != nil {
		return nil, err
	}
	if err := os.RemoveAll(dir); err != nil {
		return nil, err
	}
	for _, sub := range []string{eventsFolder, logsFolder} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o777); err != nil {
			return nil, err
		}
	}
	if err := file.Write(filepath.Join(dir, toolFile), binary, 0o777); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, scriptFile), []byte(script), 0o777); err != nil {
		return nil, err
	}
	for name, text := range extra {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
			return nil, err
		}
	}
	if err := writeJSON(filepath.Join(dir, sweepFile), s); err != nil { // last: it makes it a sweep
		return nil, err
	}
	return &Folder{Dir: dir, Sweep: s}, nil
}

// submitted notes an array job.
func (f *Folder) submitted(s Submission) error {
	f.Submissions = append(f.Submissions, s)
	return writeJSON(filepath.Join(f.Dir, submissionsFile), f.Submissions)
}

// has says whether a task was submitted.
func (f *Folder) has(task int) bool {
	return slices.ContainsFunc(f.Submissions, func(s Submission) bool { return slices.Contains(s.Tasks, task) })
}

// list is the file that tells an array which tasks are its elements. It is
// written before the array is submitted and so before its number is known.
func (f *Folder) list() string { return fmt.Sprintf("list-%d.json", len(f.Submissions)) }

// Mine finds the task that an element of an array is to run, and opens the
// file for its events.
func (f *Folder) Mine(list string, element int) (Task, *os.File, error) {
	var s Submission
	if err := readJSON(filepath.Join(f.Dir, list), &s); err != nil {
		return Task{}, nil, fmt.Errorf("reading what is to be run: %w", err)
	}
	if element < 0 || element >= len(s.Tasks) || s.Tasks[element] >= len(f.Tasks) {
		return Task{}, nil, fmt.Errorf("%s in %s has no element %d", list, f.Dir, element)
	}
	n := s.Tasks[element]
	events, err := os.OpenFile(f.events(n, s.Attempt), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o666)
	if err != nil {
		return Task{}, nil, fmt.Errorf("opening the file for the run's events: %w", err)
	}
	return f.Tasks[n], events, nil
}

func (f *Folder) events(task, attempt int) string {
	return filepath.Join(f.Dir, eventsFolder, fmt.Sprintf("%d-%d.jsonl", task, attempt))
}

// log is where Slurm puts what a task prints.
func (f *Folder) log(job string, element int) string {
	return filepath.Join(f.Dir, logsFolder, fmt.Sprintf("%s-%d.log", job, element))
}
