package store_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/base/file"
	"fabriclab/harness/store"
)

var key = store.Key{Experiment: "fncc/fig10", ScenarioHash: "abc123", Engine: "ns3", Seed: 7}

const build = "build-1"

func begin(t *testing.T, s *store.Store) *store.Run {
	t.Helper()
	r, err := s.Begin(context.Background(), key)
	require.NoError(t, err)
	return r
}

func write(t *testing.T, dir, name, text string) store.File {
	t.Helper()
	path := filepath.Join(dir, name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	f, err := store.HashFile(path)
	require.NoError(t, err)
	return f
}

func complete(t *testing.T, s *store.Store, buildID string) string {
	t.Helper()
	r := begin(t, s)
	rows := uint64(2)
	out := write(t, r.Dir(), "flows.parquet", "rows rows")
	out.Rows = &rows
	require.NoError(t, r.Complete(&store.Manifest{
		Experiment: key.Experiment, ScenarioHash: key.ScenarioHash, Seed: key.Seed, State: store.StateOK,
		Engine:  store.Engine{Name: "ns3", BuildID: buildID},
		Inputs:  map[string]store.File{"scenario.json": write(t, r.Dir(), "scenario.json", "{}")},
		Outputs: map[string]store.File{"flows.parquet": out},
		Summary: json.RawMessage(`{"status":"ok"}`),
	}))
	return s.Dir(key)
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestCompleteRunIsFound(t *testing.T) {
	s := store.New(t.TempDir())
	_, err := s.Find(key, build, store.Contents)
	require.ErrorIs(t, err, store.ErrNoRun)

	dir := complete(t, s, build)
	assert.Equal(t, filepath.Join(s.Root(), "fncc", "fig10", "abc123", "ns3-seed7"), dir)
	m, err := s.Find(key, build, store.Contents)
	require.NoError(t, err)
	assert.Equal(t, uint64(2), *m.Outputs["flows.parquet"].Rows)
	assert.Equal(t, []string{"ns3-seed7"}, names(t, filepath.Dir(dir)), "neither lock nor work directory stay")

	_, err = s.Find(key, "build-2", store.Sizes)
	require.ErrorIs(t, err, store.ErrNoRun)
	complete(t, s, "build-2")
	_, err = s.Find(key, "build-2", store.Contents)
	require.NoError(t, err)

	runs, err := store.Runs(s.Root())
	require.NoError(t, err)
	assert.Equal(t, []string{dir}, runs)
}

func TestDamageIsNamed(t *testing.T) {
	tests := map[string]struct {
		damage func(t *testing.T, dir string)
		depth  store.Depth
		want   string
	}{
		"file gone":           {func(t *testing.T, dir string) { require.NoError(t, os.Remove(filepath.Join(dir, "flows.parquet"))) }, store.Sizes, "flows.parquet"},
		"file cut":            {func(t *testing.T, dir string) { write(t, dir, "flows.parquet", "rows") }, store.Sizes, "flows.parquet has 4 bytes, not 9, as the manifest says"},
		"same size":           {func(t *testing.T, dir string) { write(t, dir, "flows.parquet", "rows ROWS") }, store.Contents, "differs from what was written"},
		"input changed":       {func(t *testing.T, dir string) { write(t, dir, "scenario.json", "[]") }, store.Contents, "scenario.json"},
		"manifest cut":        {func(t *testing.T, dir string) { write(t, dir, store.ManifestFile, `{"format":`) }, store.Sizes, "no valid JSON"},
		"manifest empty":      {func(t *testing.T, dir string) { write(t, dir, store.ManifestFile, `{}`) }, store.Sizes, "not a complete manifest"},
		"manifest of a flip":  {flip, store.Sizes, "manifest.json is damaged"},
		"manifest unsealed":   {unseal, store.Sizes, "does not end with its SHA-256"},
		"manifest of another": {edit("abc123", "fff999"), store.Sizes, "belongs to another run"},
		"manifest of version": {edit(`"version": 2`, `"version": 9`), store.Sizes, "has version 9"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := store.New(t.TempDir())
			dir := complete(t, s, build)
			test.damage(t, dir)
			_, err := s.Find(key, build, test.depth)
			var damaged *store.CorruptError
			require.ErrorAs(t, err, &damaged)
			assert.Equal(t, dir, damaged.Dir)
			require.ErrorContains(t, err, test.want)
			require.ErrorContains(t, err, "run the experiment again")

			complete(t, s, build)
			_, err = s.Find(key, build, store.Contents)
			require.NoError(t, err, "a damaged run is replaced by a new one")
		})
	}
}

func flip(t *testing.T, dir string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, store.ManifestFile))
	require.NoError(t, err)
	require.Contains(t, string(text), `"wall_s": 0`)
	write(t, dir, store.ManifestFile, strings.Replace(string(text), `"wall_s": 0`, `"wall_s": 7`, 1))
}

func unseal(t *testing.T, dir string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, store.ManifestFile))
	require.NoError(t, err)
	body, err := file.Unseal(text)
	require.NoError(t, err)
	write(t, dir, store.ManifestFile, string(body))
}

// edit changes a manifest as if that had been written.
func edit(old, now string) func(t *testing.T, dir string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(dir, store.ManifestFile))
		require.NoError(t, err)
		body, err := file.Unseal(text)
		require.NoError(t, err)
		require.Contains(t, string(body), old)
		sealed, err := file.Seal([]byte(strings.ReplaceAll(string(body), old, now)))
		require.NoError(t, err)
		write(t, dir, store.ManifestFile, string(sealed))
	}
}

// TestEveryByteOfAManifestCounts: a flipped digit is no other result.
func TestEveryByteOfAManifestCounts(t *testing.T) {
	s := store.New(t.TempDir())
	dir := complete(t, s, build)
	text, err := os.ReadFile(filepath.Join(dir, store.ManifestFile))
	require.NoError(t, err)
	for i := range text {
		damaged := bytes.Clone(text)
		damaged[i] ^= 1
		write(t, dir, store.ManifestFile, string(damaged))
		_, err := store.Read(dir)
		var damage *store.CorruptError
		require.ErrorAs(t, err, &damage, "byte %d, %q", i, damaged[i])
	}
	write(t, dir, store.ManifestFile, string(text))
	_, err = store.Read(dir)
	require.NoError(t, err)
}

func TestFailedRunIsKeptButNoResult(t *testing.T) {
	s := store.New(t.TempDir())
	r := begin(t, s)
	write(t, r.Dir(), "log.txt", "it broke")
	dir, err := r.Keep(nil)
	require.NoError(t, err)
	assert.FileExists(t, filepath.Join(dir, "log.txt"))
	_, err = s.Find(key, build, store.Sizes)
	require.ErrorIs(t, err, store.ErrNoRun)
	runs, err := store.Runs(s.Root())
	require.NoError(t, err)
	assert.Empty(t, runs)

	complete(t, s, build)
	assert.NoDirExists(t, dir, "a good run takes the failed one's leftovers away")
}

func TestDiscardLeavesNothing(t *testing.T) {
	s := store.New(t.TempDir())
	r := begin(t, s)
	write(t, r.Dir(), "log.txt", "x")
	require.NoError(t, r.Discard())
	assert.Empty(t, names(t, filepath.Dir(s.Dir(key))))
}

func TestOneMakerAtATime(t *testing.T) {
	s := store.New(t.TempDir())
	first := begin(t, s)
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	_, err := s.Begin(ctx, key)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorContains(t, err, "another fabriclab")

	removed, err := s.Clean(key.Experiment)
	require.NoError(t, err)
	assert.Empty(t, removed, "a run in the making is no leftover")
	assert.DirExists(t, first.Dir())

	got := make(chan error)
	go func() {
		second, err := s.Begin(context.Background(), key)
		if err == nil {
			err = second.Discard()
		}
		got <- err
	}()
	require.NoError(t, first.Discard())
	require.NoError(t, <-got)
}

func TestCleanRemovesLeftoversOfTheKilled(t *testing.T) {
	s := store.New(t.TempDir())
	dir := complete(t, s, build)
	work := filepath.Join(filepath.Dir(dir), ".ns3-seed8.work")
	require.NoError(t, os.Mkdir(work, 0o755))
	write(t, work, "flows.parquet", "half")
	write(t, filepath.Dir(dir), ".ns3-seed8.lock", "")
	removed, err := s.Clean(key.Experiment)
	require.NoError(t, err)
	assert.Equal(t, []string{work}, removed)
	assert.Equal(t, []string{"ns3-seed7"}, names(t, filepath.Dir(dir)))
}

// TestCleanAfterADeathAtTheVeryEnd: the run is in its place, but what was to be
// removed behind that is still there.
func TestCleanAfterADeathAtTheVeryEnd(t *testing.T) {
	s := store.New(t.TempDir())
	dir := complete(t, s, build)
	beside := filepath.Dir(dir)
	write(t, beside, ".ns3-seed7.lock", "")
	require.NoError(t, os.Mkdir(s.FailedDir(key), 0o755))
	other := filepath.Join(beside, "ns3-seed9.failed")
	require.NoError(t, os.Mkdir(other, 0o755))
	atWork := key
	atWork.Seed = 10
	r, err := s.Begin(context.Background(), atWork)
	require.NoError(t, err)

	removed, err := s.Clean(key.Experiment)
	require.NoError(t, err)
	assert.Empty(t, removed)
	assert.Equal(t, []string{".ns3-seed10.lock", ".ns3-seed10.work", "ns3-seed7", "ns3-seed9.failed"}, names(t, beside),
		"what failed stays until there is a result, what is at work stays")
	require.NoError(t, r.Discard())
	_, err = s.Find(key, build, store.Contents)
	require.NoError(t, err)
}

// TestARunIsThereUntilTheNextOneIs: --again replaces it in one step, and what a
// death leaves where that takes two is put right.
func TestARunIsThereUntilTheNextOneIs(t *testing.T) {
	s := store.New(t.TempDir())
	dir := complete(t, s, "build-1")
	r := begin(t, s)
	_, err := s.Find(key, "build-1", store.Contents)
	require.NoError(t, err, "while another is made")
	require.NoError(t, r.Discard())

	hidden := func(suffix string) string { return filepath.Join(filepath.Dir(dir), ".ns3-seed7"+suffix) }
	for name, next := range map[string]func(){
		"clean": func() {
			_, err := s.Clean(key.Experiment)
			require.NoError(t, err)
		},
		"begin": func() { require.NoError(t, begin(t, s).Discard()) },
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, os.Rename(dir, hidden(".old")))
			require.NoError(t, os.Mkdir(hidden(".work"), 0o755))
			next()
			_, err := s.Find(key, "build-1", store.Contents)
			require.NoError(t, err)
			assert.Equal(t, []string{"ns3-seed7"}, names(t, filepath.Dir(dir)))

			require.NoError(t, os.CopyFS(hidden(".old"), os.DirFS(dir)))
			next()
			assert.Equal(t, []string{"ns3-seed7"}, names(t, filepath.Dir(dir)), "the old one goes when the new one is there")
		})
	}
	stop, looked := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(looked)
		for {
			select {
			case <-stop:
				return
			default:
				if _, err := store.Read(dir); !assert.NoError(t, err, "a reader finds no run") {
					return
				}
			}
		}
	}()
	for range 30 {
		complete(t, s, "build-1")
	}
	close(stop)
	<-looked
}

func TestBeginDropsHalfWrittenFiles(t *testing.T) {
	s := store.New(t.TempDir())
	work := filepath.Join(filepath.Dir(s.Dir(key)), ".ns3-seed7.work")
	require.NoError(t, os.MkdirAll(work, 0o755))
	write(t, work, "flows.parquet", "half")
	r := begin(t, s)
	assert.Equal(t, work, r.Dir())
	assert.Empty(t, names(t, r.Dir()))
	require.NoError(t, r.Discard())
}

func TestResultsFolderCannotBeMade(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	_, err := store.New(file).Begin(context.Background(), key)
	require.ErrorContains(t, err, "--out")
}

// TestWhatAFailedRunLeavesIsForAllThatTheUmaskLets, as a complete one is.
func TestWhatAFailedRunLeavesIsForAllThatTheUmaskLets(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o002))
	s := store.New(t.TempDir())
	k := store.Key{Experiment: "x", ScenarioHash: "h", Engine: "e", Seed: 1}
	r, err := s.Begin(t.Context(), k)
	require.NoError(t, err)
	dir, err := r.Keep(&store.Manifest{Experiment: "x"})
	require.NoError(t, err)
	info, err := os.Stat(filepath.Join(dir, store.FailedFile))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o664), info.Mode().Perm())
}
