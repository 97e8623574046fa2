package run

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"fabriclab/base/file"
	"fabriclab/harness/store"
)

// others finds runs of other experiments in a results folder by what they were made
// of. It looks through the folder once, when it is asked first.
type others struct {
	store *store.Store
	once  sync.Once
	found map[string][]store.Key
}

// of are those with the engine, build, seed and inputs of a run. The scenario and what
// is for people are not compared.
func (o *others) of(m *store.Manifest) []store.Key {
	o.once.Do(func() {
		o.found = map[string][]store.Key{}
		for k, other := range o.store.All() {
			o.found[madeOf(other)] = append(o.found[madeOf(other)], k)
		}
	})
	return o.found[madeOf(m)]
}

func madeOf(m *store.Manifest) string {
	var b strings.Builder
	fmt.Fprint(&b, m.Engine.Name, " ", m.Engine.BuildID, " ", m.Seed)
	for _, name := range slices.Sorted(maps.Keys(m.Inputs)) {
		if name != scenarioFile && name != effectiveFile {
			fmt.Fprint(&b, " ", name, " ", m.Inputs[name].SHA256)
		}
	}
	return b.String()
}

// takeOver fills the directory of a run, and its manifest, with what a run of another
// experiment came to, whose scenario differs by its name at most. It says whether there
// is one; one that cannot be taken is none.
func takeOver(job Job, opt Options, same *others, dir string, m *store.Manifest) bool {
	if opt.Again {
		return false
	}
	for _, key := range same.of(m) {
		place := opt.Store.Dir(key)
		other, err := opt.Store.Find(key, job.Program.BuildID, opt.Verify)
		if err != nil || key == job.Key || !job.covers(other) || !sameScenario(dir, place) || !linkAll(other.Outputs, place, dir) {
			continue
		}
		m.SameAs, m.Outputs = key.String(), other.Outputs
		m.Summary, m.Warnings, m.ExitCode, m.Resources, m.Steady = other.Summary, other.Warnings, other.ExitCode, other.Resources, other.Steady
		return true
	}
	return false
}

// covers says whether a manifest is of the job's measuring window. Those of old have
// none.
func (j *Job) covers(m *store.Manifest) bool {
	return m.Steady == nil || m.Steady.ToPs == 0 || m.Steady.FromPs == j.LoadFromPs && m.Steady.ToPs == j.LoadToPs
}

// sameScenario compares those of two runs but for their names.
func sameScenario(a, b string) bool {
	var both [2]map[string]json.RawMessage
	for i, dir := range []string{a, b} {
		text, err := file.Read(filepath.Join(dir, scenarioFile))
		if err != nil || json.Unmarshal(text, &both[i]) != nil {
			return false
		}
		delete(both[i], "name")
	}
	return maps.EqualFunc(both[0], both[1], func(x, y json.RawMessage) bool { return bytes.Equal(x, y) })
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
