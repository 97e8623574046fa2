package file

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Walk visits what is below a path, in the order of names, and follows links:
// info is of what a link leads to. A link that leads nowhere, or to a folder
// that holds it, is left out. visit may return fs.SkipDir for a folder. The
// error is fs.ErrNotExist if there is nothing at the path.
func Walk(path string, visit func(path string, info fs.FileInfo) error) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	return walk(path, info, nil, visit)
}

func walk(path string, info fs.FileInfo, above []fs.FileInfo, visit func(string, fs.FileInfo) error) error {
	err := visit(path, info)
	if err != nil || !info.IsDir() {
		if errors.Is(err, fs.SkipDir) && info.IsDir() {
			return nil
		}
		return err
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	above = append(slices.Clip(above), info)
	for _, e := range entries {
		p := filepath.Join(path, e.Name())
		below, err := os.Stat(p)
		if errors.Is(err, fs.ErrNotExist) || err == nil && slices.ContainsFunc(above, func(a fs.FileInfo) bool { return os.SameFile(a, below) }) {
			continue
		}
		if err != nil {
			return err
		}
		if err := walk(p, below, above, visit); err != nil {
			return err
		}
	}
	return nil
}
