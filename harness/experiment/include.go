package experiment

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"fabriclab/base/catalog"
	"fabriclab/base/reader"
)

// overlays are the sections of which each part is laid over the experiment: a scale,
// and a value of a reading.
var overlays = map[string]int{"scales": 1, "readings": 2}

// include lays a file over those that it includes, which say what several
// experiments share: a network, its traffic. Later ones go over earlier ones, and
// every value keeps the file and line that it comes from.
func (l *loader) include(root *yaml.Node, file string, within []string) *yaml.Node {
	_, value := reader.Child(root, "include")
	if value == nil {
		return root
	}
	within = append(within, filepath.Clean(file))
	items := []*yaml.Node{value}
	if value.Kind == yaml.SequenceNode {
		items = value.Content
	}
	var below *yaml.Node
	for _, n := range items {
		name, ok := l.Scalar(n, "include")
		if !ok {
			continue
		}
		part := l.part(l.beside(n, name), n, within)
		switch {
		case part == nil:
		case below == nil:
			below = part
		default:
			below = l.Merge(below, part, overlays)
		}
	}
	if below == nil {
		return root
	}
	return l.Merge(below, root, overlays)
}

// part reads an included file; nil if something is wrong with it, which is then
// reported.
func (l *loader) part(path string, at *yaml.Node, within []string) *yaml.Node {
	if slices.Contains(within, filepath.Clean(path)) {
		l.Problem(at, "include: %s includes itself, by way of %s; break the circle", path, strings.Join(within, ", "))
		return nil
	}
	root, err := l.ReadFile(path, "")
	if errors.Is(err, fs.ErrNotExist) {
		l.Problem(at, "include: there is no file %s; paths are relative to the file that includes", path)
		return nil
	}
	if err != nil {
		l.fail(path, err)
		return nil
	}
	known := append(pointKeys(l.catalog), "include", "seeds", "readings", "scales")
	for i := 0; i < len(root.Content); i += 2 {
		if key := root.Content[i]; !slices.Contains(known, key.Value) {
			l.Problem(key, "an included file has no key %q%s; %s", key.Value, catalog.Hint(key.Value, known), "what belongs to one experiment stands in that one")
		}
	}
	l.MarkLines(root, filepath.Base(path))
	return l.include(root, path, within)
}

// beside is a path relative to the file that names it; in a flag it is relative to
// the experiment's.
func (l *loader) beside(at *yaml.Node, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(l.folder(at), path)
}

// folder is that of the file that says something, in a flag the experiment's.
func (l *loader) folder(at *yaml.Node) string {
	file := l.File(at)
	if file == "" {
		file = l.file
	}
	return filepath.Dir(file)
}
