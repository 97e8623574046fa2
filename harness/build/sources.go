package build

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"fabriclab/base/file"
	"fabriclab/harness/engine"
)

var sourceEndings = map[string]bool{
	".cc": true, ".cpp": true, ".cxx": true, ".c": true, ".h": true, ".hh": true, ".hpp": true,
	".cmake": true, ".in": true, ".ned": true, ".msg": true, ".txt": true,
}

// notCompiledIn are folders whose content is part of a program only if it is
// given by its name.
var notCompiledIn = map[string]bool{"test": true, "tests": true, "examples": true, "bench": true}

// ownTest is the ending of unit tests that lie beside a mechanism.
const ownTest = "_test.cc"

// Folders of mechanisms/ that hold no mechanism: every run uses the first two,
// none the last one.
var (
	baseFolders = map[string]bool{"core": true, "runner": true}
	toolsFolder = "tools"
	// engineFile makes a folder an engine, which the others do not have.
	engineFile = "engine.cmake"
)

// sources are C++ and CMake files.
type sources struct {
	hash string // of names and contents of all
	engine.Sources
	twice error // of a component that two folders describe
}

// readSources reads the files below root that the common parts and the given
// folders hold, and what they include from elsewhere. Links are followed, as
// CMake and the compiler follow them.
func readSources(root string, folders []string) (*sources, error) {
	s, err := newScan(root, folders)
	for _, start := range slices.Concat(commonSources, folders) {
		if err == nil {
			err = s.walk(filepath.Join(root, start))
		}
	}
	if err != nil {
		return nil, fmt.Errorf("hashing the C++ sources: %w", err)
	}
	return s.result(), nil
}

// scan is a look at sources: which part each file belongs to, and which parts
// include something of others. A mechanism's part is its folder.
type scan struct {
	root    string
	parts   map[string]*part
	folders map[string]string // real paths of the mechanisms' folders, with their parts
	of      map[string][]string
}

type part struct {
	sum      hash.Hash
	needs    map[string]bool
	extra    map[string]bool // files from elsewhere
	unclear  bool
	compiled bool // has files of its own that are compiled
}

func newScan(root string, folders []string) (*scan, error) {
	s := &scan{root: root, parts: map[string]*part{}, folders: map[string]string{}, of: map[string][]string{}}
	entries, err := os.ReadDir(filepath.Join(root, "mechanisms"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		if resolved, err := filepath.EvalSymlinks(filepath.Join(root, "mechanisms", e.Name())); err == nil {
			s.folders[resolved] = s.partOf(filepath.Join("mechanisms", e.Name(), "x"))
		}
	}
	for _, folder := range folders { // may be links to a checkout, where mechanisms of one's own are built
		if resolved, err := filepath.EvalSymlinks(filepath.Join(root, folder)); err == nil && s.folders[resolved] == "" {
			s.folders[resolved] = s.partOf(filepath.Join(folder, "x"))
		}
	}
	s.part(engine.Base)
	return s, nil
}

// partOf is the part of a file, by its name below the checkout.
func (s *scan) partOf(name string) string {
	words := strings.Split(filepath.ToSlash(name), "/")
	if len(words) < 3 || words[0] != "mechanisms" || baseFolders[words[1]] {
		return engine.Base
	}
	return words[1]
}

func (s *scan) part(name string) *part {
	if s.parts[name] == nil {
		s.parts[name] = &part{sum: sha256.New(), needs: map[string]bool{}, extra: map[string]bool{}}
	}
	return s.parts[name]
}

func (s *scan) walk(top string) error {
	err := file.Walk(top, func(path string, info fs.FileInfo) error {
		switch {
		case info.IsDir():
			if path != top && (notCompiledIn[filepath.Base(path)] || file.Exists(filepath.Join(path, engineFile))) {
				return fs.SkipDir
			}
			return nil
		case !sourceEndings[filepath.Ext(path)] || strings.HasSuffix(path, ownTest) || !info.Mode().IsRegular():
			return nil
		}
		name, err := filepath.Rel(s.root, path)
		if err != nil {
			return err
		}
		in := s.partOf(name)
		p := s.part(in)
		p.compiled = p.compiled || filepath.Ext(path) == ".cc"
		return s.add(in, filepath.ToSlash(name), path)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil // a part of the sources need not be there
	}
	return err
}

var (
	includeLine  = regexp.MustCompile(`^[ \t]*#[ \t]*include(?:_next)?\b[ \t]*(.*)`)
	includedFile = regexp.MustCompile(`^(?:"([^"\n]+)"|<([^>\n]+)>)`)
	describeCall = regexp.MustCompile(`\bDescribe<[^;{}()]*>\s*\w*\s*[({]\s*"([^"\n]+)"`)
)

// add reads a file of a part: its content, the components that it describes
// and what it includes.
func (s *scan) add(in, name, path string) error {
	content, err := file.Read(path)
	if err != nil {
		return err
	}
	p := s.parts[in]
	fmt.Fprintf(p.sum, "%s\x00%d\x00", name, len(content))
	p.sum.Write(content)
	if bytes.Contains(content, []byte("Describe<")) { // a search is quicker than the expression
		for _, m := range describeCall.FindAllSubmatch(content, -1) {
			if component := string(m[1]); !slices.Contains(s.of[component], in) {
				s.of[component] = append(s.of[component], in)
			}
		}
	}
	if in == toolsFolder {
		return nil
	}
	for line := range bytes.Lines(content) {
		if !bytes.Contains(line, []byte("include")) {
			continue
		}
		m := includeLine.FindSubmatch(line)
		if m == nil {
			continue
		}
		what := includedFile.FindSubmatch(m[1])
		if what == nil {
			p.unclear = true // a macro says what it includes
			continue
		}
		if err := s.include(in, path, string(what[1]), string(what[2])); err != nil {
			return err
		}
	}
	return nil
}

// include follows an #include of a file: quoted from the file's own folder, and
// both forms from the checkout. Simulators and libraries are not followed.
func (s *scan) include(in, from, quoted, angled string) error {
	var candidates []string
	if quoted != "" {
		dir, err := filepath.EvalSymlinks(filepath.Dir(from))
		if err != nil {
			return err
		}
		candidates = []string{filepath.Join(dir, quoted)}
	}
	for _, path := range append(candidates, filepath.Join(s.root, quoted+angled)) {
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
			continue
		}
		owner, known := s.owner(path)
		if known && owner != in {
			s.parts[in].needs[owner] = true
		}
		if known && sourceEndings[filepath.Ext(path)] {
			return nil // it is read where it lies
		}
		if s.parts[in].extra[path] {
			return nil
		}
		s.parts[in].extra[path] = true
		return s.add(in, quoted+angled, path)
	}
	return nil
}

// owner is the part that a file belongs to.
func (s *scan) owner(path string) (name string, known bool) {
	resolved, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", false
	}
	for dir := filepath.Dir(resolved); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if name, known := s.folders[dir]; known {
			return name, true
		}
	}
	rel, err := filepath.Rel(s.root, path)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return s.partOf(rel), true
}

func (s *scan) result() *sources {
	r := &sources{Sources: engine.Sources{Hash: map[string]string{}, Needs: map[string][]string{}, Of: map[string]string{}}}
	described := map[string]bool{engine.Base: true}
	for _, component := range slices.Sorted(maps.Keys(s.of)) {
		parts := s.of[component]
		if len(parts) == 1 {
			r.Of[component] = parts[0]
		} else if r.twice == nil {
			r.twice = fmt.Errorf("there are several mechanisms %q: %s describe one each; give each a name of its own", component, strings.Join(parts, " and "))
		}
		for _, name := range parts {
			described[name] = true
		}
	}
	all := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(s.parts)) {
		p := s.parts[name]
		sum := hex.EncodeToString(p.sum.Sum(nil)[:16])
		fmt.Fprintf(all, "%s\x00%s\x00", name, sum)
		if name == toolsFolder {
			continue
		}
		r.Hash[name] = sum
		if p.compiled && !described[name] {
			s.parts[engine.Base].needs[name] = true // whoever uses it cannot be told
		}
		if p.unclear {
			r.Unclear = append(r.Unclear, name)
		}
	}
	for name, p := range s.parts {
		if name != toolsFolder && len(p.needs) > 0 {
			r.Needs[name] = slices.Sorted(maps.Keys(p.needs))
		}
	}
	r.hash = hex.EncodeToString(all.Sum(nil))
	return r
}
