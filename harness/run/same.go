package run

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"fabriclab/harness/store"
)

// others finds runs in a results folder by what they were made of. It looks through
// the folder once, when it is asked first.
type others struct {
	alone  bool // a thousand tasks of a cluster would each look through it: knows none
	store  *store.Store
	mu     sync.Mutex
	found  map[string][]store.Key
	inputs map[string]string // large ones: their places by hash
}

// of are those with the engine, build, seed, content and inputs of a run.
func (o *others) of(m *store.Manifest) []store.Key {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.look()
	return o.found[madeOf(m)]
}

func (o *others) look() {
	if o.found != nil {
		return
	}
	o.found, o.inputs = map[string][]store.Key{}, map[string]string{}
	if o.alone {
		return
	}
	dirs, err := store.Runs(o.store.Root())
	if err != nil {
		return // there is no folder yet, or none to be read
	}
	for _, dir := range dirs {
		m, err := store.Read(dir)
		if err != nil {
			continue
		}
		if k := (store.Key{Experiment: m.Experiment, ScenarioHash: m.ScenarioHash, Engine: m.Engine.Name, Seed: m.Seed}); o.store.Dir(k) == dir {
			o.add(k, m)
		}
	}
}

func (o *others) add(k store.Key, m *store.Manifest) {
	o.found[madeOf(m)] = append(o.found[madeOf(m)], k)
	for name, f := range m.Inputs {
		if f.Bytes >= largeInput {
			o.inputs[f.SHA256] = filepath.Join(o.store.Dir(k), name)
		}
	}
}

// note has a run that was completed since.
func (o *others) note(k store.Key, m *store.Manifest) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.look()
	o.add(k, m)
}

// largeInput is the size from which an input is on the disk once: flow lists, which all
// points of a figure may share.
const largeInput = 1 << 20

// share has large inputs of a run on the disk once, where another run has the same.
func (o *others) share(dir string, inputs map[string]store.File) {
	for name, f := range inputs {
		if f.Bytes < largeInput {
			continue
		}
		o.mu.Lock()
		o.look()
		from, known := o.inputs[f.SHA256]
		o.mu.Unlock()
		if !known {
			continue
		}
		if got, err := store.HashFile(from); err != nil || got.SHA256 != f.SHA256 {
			continue // it is no longer that
		}
		second := filepath.Join(dir, "."+name)
		if os.Link(from, second) == nil && os.Rename(second, filepath.Join(dir, name)) != nil {
			_ = os.Remove(second)
		}
	}
}

// madeOf tells runs apart. Scenarios have names, and what is for people may differ, so
// the content stands for both.
func madeOf(m *store.Manifest) string {
	var b strings.Builder
	fmt.Fprint(&b, m.Engine.Name, " ", m.Engine.BuildID, " ", m.Seed, " ", m.Content)
	for _, name := range slices.Sorted(maps.Keys(m.Inputs)) {
		if name != scenarioFile && name != effectiveFile {
			fmt.Fprint(&b, " ", name, " ", m.Inputs[name].SHA256)
		}
	}
	return b.String()
}

// takeOver fills the directory of a run, and its manifest, with what a run of the same
// content came to. It says whether there is one; one that cannot be taken is none.
func takeOver(job Job, opt Options, same *others, dir string, m *store.Manifest) bool {
	if opt.Again || job.Content == "" {
		return false
	}
	for _, key := range same.of(m) {
		place := opt.Store.Dir(key)
		other, err := opt.Store.Find(key, job.Program.BuildID, opt.Verify)
		if err != nil || key == job.Key || !linkAll(other.Outputs, place, dir) {
			continue
		}
		m.SameAs, m.Outputs = key.String(), other.Outputs
		m.Summary, m.Warnings, m.ExitCode, m.Resources, m.Steady = other.Summary, other.Warnings, other.ExitCode, other.Resources, other.Steady
		return true
	}
	return false
}

// linkAll has files in a second folder, all or none.
func linkAll(files map[string]store.File, from, to string) bool {
	var done []string
	for name := range files {
		place := filepath.Join(to, name)
		done = append(done, place)
		if link(filepath.Join(from, name), place) != nil {
			for _, path := range done {
				_ = os.Remove(path)
			}
			return false
		}
	}
	return true
}

// link has a file at a second place, as a copy where there is no second name for it.
func link(from, to string) error {
	if os.Link(from, to) == nil {
		return nil
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
