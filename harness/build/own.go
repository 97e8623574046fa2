package build

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"fabriclab/base/file"
	"fabriclab/base/file/flock"
)

// Own is a folder with mechanisms of one's own: file pairs with their presets,
// pages and unit tests. It is built as if it were mechanisms/NAME.
type Own struct {
	Name, Dir string
}

// Files are the files of the folder with an ending.
func (o Own) Files(ending string) []string {
	return file.Glob(o.Dir, "*"+ending)
}

var folderName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]*$`)

// OwnFolders are the folders with mechanisms that a mechanism path names: each
// of its folders that holds .cc files, and those below it that do.
func OwnFolders(checkout string, path []string) ([]Own, error) {
	var all []Own
	var problems []error
	for _, dir := range path {
		found, err := ownFolders(dir)
		problems = append(problems, err)
		for _, o := range found {
			if slices.Contains(all, o) {
				continue
			}
			same := slices.IndexFunc(all, func(other Own) bool { return other.Name == o.Name })
			switch {
			case same >= 0:
				problems = append(problems, fmt.Errorf("mechanism_path: the folders %s and %s have the same name; rename one of them", all[same].Dir, o.Dir))
			case file.Exists(filepath.Join(checkout, "mechanisms", o.Name)):
				problems = append(problems, fmt.Errorf("mechanism_path: %s has the name of a folder of fabriclab, mechanisms/%s; rename it", o.Dir, o.Name))
			case !folderName.MatchString(o.Name):
				problems = append(problems, fmt.Errorf("mechanism_path: %s: the name %q of a folder with mechanisms consists of letters, digits, _ and -; rename it", o.Dir, o.Name))
			default:
				all = append(all, o)
			}
		}
	}
	return all, errors.Join(problems...)
}

func ownFolders(dir string) ([]Own, error) {
	const whatToDo = "fabriclab new mechanism NAME --kind KIND --dir %s writes a first mechanism there"
	full, err := filepath.Abs(dir)
	if err == nil {
		full, err = filepath.EvalSymlinks(full)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("mechanism_path: there is no folder %s; correct it, or "+whatToDo, dir, dir)
	}
	var entries []fs.DirEntry
	if err == nil {
		entries, err = os.ReadDir(full)
	}
	if err != nil {
		return nil, fmt.Errorf("mechanism_path: %w; name a folder with mechanisms", err)
	}
	var found []Own
	if o := (Own{Name: filepath.Base(full), Dir: full}); o.compiled() {
		found = append(found, o)
	}
	for _, e := range entries {
		o := Own{Name: e.Name(), Dir: filepath.Join(full, e.Name())}
		if strings.HasPrefix(o.Name, ".") || notCompiledIn[o.Name] || !o.compiled() {
			continue
		}
		if o.Dir, err = filepath.EvalSymlinks(o.Dir); err != nil {
			return nil, fmt.Errorf("mechanism_path: %w", err)
		}
		found = append(found, o)
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("mechanism_path: %s holds no mechanism, which is a .cc file in it or in a folder below it; "+whatToDo, dir, dir)
	}
	return found, nil
}

// compiled says whether a folder holds sources of a mechanism.
func (o Own) compiled() bool {
	return slices.ContainsFunc(o.Files(".cc"), func(file string) bool { return !strings.HasSuffix(file, ownTest) })
}

// tree is a folder of links that looks like the checkout with further folders
// below mechanisms/. It is in the user's cache, so the checkout is not touched;
// in it, files have the same relative paths, so that ccache knows those that
// were compiled in the checkout.
type tree struct {
	dir   string
	links map[string]string // by name below dir
}

// notLinked are parts of a checkout that are none of its sources.
var notLinked = []string{"build", "bin", "results", "mechanisms"}

func newTree(checkout string, own []Own) (*tree, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, fmt.Errorf("looking for a folder to build mechanisms of one's own in: %w; set XDG_CACHE_HOME", err)
	}
	links := map[string]string{}
	for _, below := range []string{"", "mechanisms"} {
		entries, err := os.ReadDir(filepath.Join(checkout, below))
		if err != nil {
			return nil, fmt.Errorf("the C++ sources are not in %s: %w; check the checkout", checkout, err)
		}
		for _, e := range entries {
			name := filepath.Join(below, e.Name())
			if !strings.HasPrefix(e.Name(), ".") && !slices.Contains(notLinked, name) {
				links[name] = filepath.Join(checkout, name)
			}
		}
	}
	key := sha256.New()
	fmt.Fprintf(key, "%s\x00", checkout)
	for _, o := range own {
		fmt.Fprintf(key, "%s\x00", o.Dir)
		links[filepath.Join("mechanisms", o.Name)] = o.Dir
	}
	return &tree{dir: filepath.Join(cache, "fabriclab", hex.EncodeToString(key.Sum(nil)[:6])), links: links}, nil
}

// right says whether the links are there, and no others.
func (t *tree) right() bool {
	found := 0
	for _, dir := range []string{t.dir, filepath.Join(t.dir, "mechanisms")} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return false
		}
		for _, e := range entries {
			if e.Type()&fs.ModeSymlink == 0 {
				continue
			}
			name, err := filepath.Rel(t.dir, filepath.Join(dir, e.Name()))
			if err != nil {
				return false
			}
			target, err := os.Readlink(filepath.Join(t.dir, name))
			if err != nil || target != t.links[name] {
				return false
			}
			found++
		}
	}
	return found == len(t.links)
}

// make brings the links up to date.
func (t *tree) make() (err error) {
	if t.right() {
		return nil
	}
	mechanisms := filepath.Join(t.dir, "mechanisms")
	if err := os.MkdirAll(mechanisms, 0o777); err != nil {
		return err
	}
	l, err := flock.Acquire(context.Background(), t.dir+".lock")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Release()) }()
	if t.right() {
		return nil
	}
	for _, dir := range []string{t.dir, mechanisms} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if e.Type()&fs.ModeSymlink != 0 {
				if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
					return err
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(t.links)) {
		if err := os.Symlink(t.links[name], filepath.Join(t.dir, name)); err != nil {
			return err
		}
	}
	const note = "fabriclab's build of a checkout with mechanisms of one's own (mechanism_path). It may be deleted.\n"
	return file.Write(filepath.Join(t.dir, "NOTE"), []byte(note), 0o666)
}
