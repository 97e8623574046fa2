package store

import (
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
)

// All goes over the complete runs in the folder. What cannot be read is left out.
func (s *Store) All() iter.Seq2[Key, *Manifest] {
	return func(yield func(Key, *Manifest) bool) {
		_ = filepath.WalkDir(s.root, func(dir string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() {
				return nil //nolint:nilerr // left out
			}
			if strings.HasPrefix(d.Name(), ".") && dir != s.root {
				return fs.SkipDir
			}
			if _, err := os.Lstat(filepath.Join(dir, ManifestFile)); err != nil {
				return nil //nolint:nilerr // no run; perhaps a folder of some
			}
			m, err := Read(dir)
			if err != nil {
				return fs.SkipDir //nolint:nilerr // left out
			}
			k := Key{m.Experiment, m.ScenarioHash, m.Engine.Name, m.Seed}
			if m.State == StateOK && s.Dir(k) == dir && !yield(k, m) {
				return fs.SkipAll
			}
			return fs.SkipDir
		})
	}
}
