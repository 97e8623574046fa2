package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fabriclab/base/file"
	"fabriclab/base/file/flock"
)

// Key names a run.
type Key struct {
	Experiment   string // fncc/fig10
	ScenarioHash string
	Engine       string
	Seed         uint64
}

// String is the run's path below the results folder.
func (k Key) String() string {
	return filepath.Join(filepath.FromSlash(k.Experiment), k.ScenarioHash, fmt.Sprintf("%s-seed%d", k.Engine, k.Seed))
}

// Store is a results folder.
type Store struct {
	root string
}

// New uses a results folder, which need not exist yet.
func New(root string) *Store { return &Store{root: root} }

// Root is the results folder.
func (s *Store) Root() string { return s.root }

// Dir is where a run lies when it is complete.
func (s *Store) Dir(k Key) string { return filepath.Join(s.root, k.String()) }

// FailedDir is where what is left of a failed run lies.
func (s *Store) FailedDir(k Key) string { return s.Dir(k) + failedSuffix }

const (
	failedSuffix = ".failed"
	workSuffix   = ".work"
	asideSuffix  = ".old" // a run that is being replaced
	lockSuffix   = ".lock"
)

// hidden is a file beside a run's directory that belongs to the making of it.
func (s *Store) hidden(k Key, suffix string) string {
	dir := s.Dir(k)
	return filepath.Join(filepath.Dir(dir), "."+filepath.Base(dir)+suffix)
}

// Find returns the manifest of a complete run made from the given build, with
// its files verified to the given depth. It returns an error that is ErrNoRun
// if there is none, and a CorruptError if there is a damaged one.
func (s *Store) Find(k Key, buildID string, depth Depth) (*Manifest, error) {
	dir := s.Dir(k)
	m, err := s.Get(k)
	if err != nil {
		return nil, err
	}
	if m.Engine.BuildID != buildID {
		return nil, fmt.Errorf("%w of this build in %s (it was made from build %.12s, this is %.12s)", ErrNoRun, dir, m.Engine.BuildID, buildID)
	}
	if err := m.Verify(dir, depth); err != nil {
		return nil, err
	}
	return m, nil
}

// Get returns the manifest of a complete run, whichever build made it; its
// other files are not looked at.
func (s *Store) Get(k Key) (*Manifest, error) { return ReadAs(s.Dir(k), k) }

// ReadAs reads the manifest of a run directory that has to hold a certain run.
func ReadAs(dir string, k Key) (*Manifest, error) {
	m, err := Read(dir)
	if err != nil {
		return nil, err
	}
	if m.ScenarioHash != k.ScenarioHash || m.Seed != k.Seed || m.Engine.Name != k.Engine || m.State != StateOK {
		return nil, corrupt(dir, fmt.Errorf("its manifest belongs to another run (scenario %s, %s, seed %d, state %s)", m.ScenarioHash, m.Engine.Name, m.Seed, m.State))
	}
	return m, nil
}

// Run is the directory of a run in the making. It is locked: no other process
// makes the same run meanwhile.
type Run struct {
	store *Store
	key   Key
	lock  *flock.Lock
}

// Begin locks a run and gives it an empty directory beside its final place.
// It waits while another process makes the same run; ask Find again then.
func (s *Store) Begin(ctx context.Context, k Key) (*Run, error) {
	if err := os.MkdirAll(filepath.Dir(s.Dir(k)), 0o777); err != nil {
		return nil, fmt.Errorf("making the results folder: %w; choose another one with --out", err)
	}
	l, err := flock.Acquire(ctx, s.hidden(k, lockSuffix))
	if err != nil {
		return nil, fmt.Errorf("locking run %s (is another fabriclab making it?): %w", k, err)
	}
	r := &Run{store: s, key: k, lock: l}
	if err := file.Recover(s.Dir(k), s.hidden(k, asideSuffix)); err != nil {
		return nil, errors.Join(fmt.Errorf("taking back a run whose replacement was killed: %w", err), l.Release())
	}
	if err := os.RemoveAll(r.Dir()); err != nil {
		return nil, errors.Join(fmt.Errorf("removing the leftovers of a killed run: %w", err), l.Release())
	}
	if err := os.Mkdir(r.Dir(), 0o777); err != nil {
		return nil, errors.Join(fmt.Errorf("making a run directory: %w", err), l.Release())
	}
	return r, nil
}

// Dir is where the run's files are written.
func (r *Run) Dir() string { return r.store.hidden(r.key, workSuffix) }

// Complete writes the manifest, last and by rename, moves the directory to its
// place and lets go of the lock. An older run in that place is replaced.
func (r *Run) Complete(m *Manifest) error {
	m.Format, m.Version = manifestFormat, manifestVersion
	text, err := file.SealedJSON(m)
	if err != nil {
		return errors.Join(fmt.Errorf("writing the manifest: %w", err), r.Discard())
	}
	if err := r.complete(text); err != nil {
		return errors.Join(fmt.Errorf("completing run %s: %w", r.key, err), r.Discard())
	}
	return r.lock.Release()
}

// complete has everything on the disk before the directory gets its name, and
// the name and the folders above it on the disk before it returns: whenever
// the power fails, there is a whole run or none.
func (r *Run) complete(manifest []byte) error {
	if err := file.SyncTree(r.Dir()); err != nil {
		return err
	}
	if err := file.Write(filepath.Join(r.Dir(), ManifestFile), manifest, 0o666); err != nil {
		return err
	}
	if err := file.Sync(r.Dir()); err != nil {
		return err
	}
	final := r.store.Dir(r.key)
	aside := r.store.hidden(r.key, asideSuffix)
	if err := file.Swap(r.Dir(), final, aside); err != nil {
		return errors.Join(err, file.Recover(final, aside))
	}
	if err := r.syncAbove(final); err != nil {
		return err
	}
	// Only now may the run go that was there before.
	return errors.Join(os.RemoveAll(r.Dir()), os.RemoveAll(aside), os.RemoveAll(r.store.FailedDir(r.key)))
}

// syncAbove has the names of the folders above a run on the disk.
func (r *Run) syncAbove(final string) error {
	for dir := filepath.Dir(final); ; dir = filepath.Dir(dir) {
		if err := file.Sync(dir); err != nil {
			return err
		}
		if rel, err := filepath.Rel(dir, r.store.root); err != nil || rel != "." && !strings.HasPrefix(rel, "..") {
			return err // the folder that holds the results folder
		}
	}
}

// Keep moves what a failed run has left to FailedDir, for people to look at:
// it has no manifest and is never taken for a result. m is that of a run whose
// tables are complete, or nil.
func (r *Run) Keep(m *Manifest) (dir string, err error) {
	if m != nil {
		m.Format, m.Version, m.State = manifestFormat, manifestVersion, StateFailed
		text, err := file.SealedJSON(m)
		if err == nil {
			err = file.Write(filepath.Join(r.Dir(), FailedFile), text, 0o666)
		}
		if err != nil {
			return "", errors.Join(err, r.Discard())
		}
	}
	dir = r.store.FailedDir(r.key)
	if err := os.RemoveAll(dir); err != nil {
		return "", errors.Join(err, r.Discard())
	}
	if err := os.Rename(r.Dir(), dir); err != nil {
		return "", errors.Join(err, r.Discard())
	}
	return dir, r.lock.Release()
}

// Discard removes everything the run has left.
func (r *Run) Discard() error {
	return errors.Join(os.RemoveAll(r.Dir()), r.lock.Release())
}

// Clean removes what killed processes have left in an experiment's folder and
// returns the directories of runs that were not completed. Runs in the making
// are locked and stay, and so does what is left of runs that have failed,
// until there is a complete one.
func (s *Store) Clean(experiment string) ([]string, error) {
	var removed []string
	for _, final := range s.leftovers(experiment) {
		hidden := filepath.Join(filepath.Dir(final), "."+filepath.Base(final))
		l, err := flock.Try(hidden + lockSuffix)
		if errors.Is(err, flock.ErrLocked) {
			continue
		}
		if err != nil {
			return removed, fmt.Errorf("locking the leftover %s: %w", final, err)
		}
		err = file.Recover(final, hidden+asideSuffix)
		work := hidden + workSuffix
		if file.Exists(work) {
			removed = append(removed, work)
			err = errors.Join(err, os.RemoveAll(work))
		}
		if file.Exists(filepath.Join(final, ManifestFile)) {
			err = errors.Join(err, os.RemoveAll(final+failedSuffix))
		}
		if err := errors.Join(err, l.Release()); err != nil {
			return removed, fmt.Errorf("removing what is left of %s: %w", final, err)
		}
	}
	return removed, nil
}

// leftovers are the places of runs beside which there is something that a
// process has left that was killed, or is at work.
func (s *Store) leftovers(experiment string) []string {
	var finals []string
	for _, suffix := range []string{workSuffix, asideSuffix, lockSuffix, failedSuffix} {
		prefix := "."
		if suffix == failedSuffix {
			prefix = ""
		}
		for _, path := range file.Glob(filepath.Join(s.root, filepath.FromSlash(experiment)), filepath.Join("*", prefix+"*"+suffix)) {
			name := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), prefix), suffix)
			finals = append(finals, filepath.Join(filepath.Dir(path), name))
		}
	}
	slices.Sort(finals)
	return slices.Compact(finals)
}

// Runs lists the directories below a path that hold a manifest, sorted. Links
// are followed; a run that is there under several names is listed once.
func Runs(path string) ([]string, error) { return below(path, ManifestFile) }

// FailedRuns lists those of runs of which a check failed.
func FailedRuns(path string) ([]string, error) { return below(path, FailedFile) }

func below(path, manifest string) ([]string, error) {
	found := map[string]string{} // by its real path
	err := file.Walk(path, func(p string, info fs.FileInfo) error {
		name := filepath.Base(p)
		switch {
		case info.IsDir() && p != path && (strings.HasPrefix(name, ".") || manifest == ManifestFile && strings.HasSuffix(name, failedSuffix)):
			return fs.SkipDir
		case name != manifest:
			return nil
		}
		dir := filepath.Dir(p)
		target, err := filepath.EvalSymlinks(dir)
		if err != nil {
			return err
		}
		if _, known := found[target]; !known || dir == target {
			found[target] = dir
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("looking for runs in %s: %w", path, err)
	}
	return slices.Sorted(maps.Values(found)), nil
}
