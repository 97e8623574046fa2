package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/base/file"
)

var durableKey = Key{Experiment: "fncc/fig10", ScenarioHash: "abc123", Engine: "ns3", Seed: 7}

// finish makes a run with a table and a folder of an engine's own files.
func finish(t *testing.T, s *Store) error {
	t.Helper()
	r, err := s.Begin(context.Background(), durableKey)
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(filepath.Join(r.Dir(), "omnet-results"), 0o755))
	m := &Manifest{ScenarioHash: durableKey.ScenarioHash, Seed: durableKey.Seed, State: StateOK, Engine: Engine{Name: "ns3", BuildID: "b"}, Outputs: map[string]File{}}
	for _, name := range []string{"flows.parquet", "omnet-results/a.vec"} {
		require.NoError(t, os.WriteFile(filepath.Join(r.Dir(), name), []byte("rows"), 0o644))
		m.Outputs[name], err = HashFile(filepath.Join(r.Dir(), name))
		require.NoError(t, err)
	}
	return r.Complete(m)
}

// TestEverythingIsOnTheDiskBeforeTheRename: files before the manifest, all of
// it before the directory gets its name, the folders above behind that.
func TestEverythingIsOnTheDiskBeforeTheRename(t *testing.T) {
	parent := t.TempDir()
	s := New(filepath.Join(parent, "deep", "results"))
	final := s.Dir(durableKey)
	type call struct {
		path     string
		manifest bool // the manifest was there
		renamed  bool
	}
	var calls []call
	there := func(path string) bool {
		_, err := os.Stat(path)
		return err == nil
	}
	work := filepath.Join(filepath.Dir(final), ".ns3-seed7.work")
	through := file.Sync
	defer func() { file.Sync = through }()
	file.Sync = func(path string) error {
		rel, err := filepath.Rel(parent, path)
		require.NoError(t, err)
		calls = append(calls, call{filepath.ToSlash(rel), there(filepath.Join(work, ManifestFile)), there(final)})
		return through(path)
	}
	require.NoError(t, finish(t, s))
	const dir = "deep/results/fncc/fig10/abc123"
	assert.Equal(t, []call{
		{dir + "/.ns3-seed7.work", false, false},
		{dir + "/.ns3-seed7.work/flows.parquet", false, false},
		{dir + "/.ns3-seed7.work/omnet-results", false, false},
		{dir + "/.ns3-seed7.work/omnet-results/a.vec", false, false},
		{dir + "/.ns3-seed7.work", true, false},
		{dir, false, true},
		{"deep/results/fncc/fig10", false, true},
		{"deep/results/fncc", false, true},
		{"deep/results", false, true},
		{"deep", false, true},
	}, calls)
}

// TestADiskThatFailsMakesNoResult: what could not be written through is not
// taken for a result.
func TestADiskThatFailsMakesNoResult(t *testing.T) {
	through := file.Sync
	defer func() { file.Sync = through }()
	for fail := range 5 { // the calls before the rename
		s := New(filepath.Join(t.TempDir(), "results"))
		n := 0
		file.Sync = func(path string) error {
			if n++; n == fail+1 {
				return errors.New("input/output error")
			}
			return through(path)
		}
		require.ErrorContains(t, finish(t, s), "input/output error")
		file.Sync = through
		_, err := s.Find(durableKey, "b", Contents)
		require.ErrorIs(t, err, ErrNoRun)
		require.NoError(t, finish(t, s), "the next one finds the place free")
		_, err = s.Find(durableKey, "b", Contents)
		require.NoError(t, err)
	}
}
