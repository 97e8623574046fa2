package lab

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"fabriclab/base/catalog"
	"fabriclab/base/file"
	"fabriclab/base/yamlfile"
	"fabriclab/harness/build"
	"fabriclab/harness/computed"
)

// Entry is a line of a list.
type Entry struct {
	Name   string `json:"name"`
	Kind   string `json:"kind,omitempty"`
	Title  string `json:"title"`
	Source string `json:"source,omitempty"`
}

// Configs are the folders of experiments, presets and tables of flow sizes: the
// project's, where there is one, and the checkout's.
func (lab *Lab) Configs() ([]string, error) {
	root, err := lab.Root()
	if err != nil {
		return nil, err
	}
	dirs := []string{filepath.Join(root, "configs")}
	if lab.Set.Project != "" {
		own := filepath.Join(lab.Set.Project, "configs")
		if info, err := os.Stat(own); err == nil && info.IsDir() {
			dirs = append([]string{own}, dirs...)
		}
	}
	return dirs, nil
}

// Experiments reads what lies below configs/; only those with a figure if asked.
// What can be read is there beside an error.
// The project's come first and hide those of the checkout with the same id.
func (lab *Lab) Experiments(figures bool) ([]Entry, error) {
	dirs, err := lab.Configs()
	if err != nil {
		return nil, err
	}
	var all []Entry
	var problems []error
	for _, dir := range dirs {
		entries, err := experimentsIn(dir, func(h head, _ bool) bool { return !figures || !h.Figure.IsZero() })
		problems = append(problems, err)
		for _, e := range entries {
			if !slices.ContainsFunc(all, func(other Entry) bool { return other.Name == e.Name }) {
				all = append(all, e)
			}
		}
	}
	return all, errors.Join(problems...)
}

// OwnExperiments are the ids of the project's experiments that are simulated.
func (lab *Lab) OwnExperiments() ([]string, error) {
	dir := filepath.Join(lab.Set.Project, "configs")
	if lab.Set.Project == "" || !file.Exists(dir) {
		return nil, nil
	}
	entries, err := experimentsIn(dir, func(_ head, computed bool) bool { return !computed })
	var ids []string
	for _, e := range entries {
		ids = append(ids, e.Name)
	}
	return ids, err
}

// experimentsIn are the experiments below a folder that are kept, by their heads and
// whether they are computed.
func experimentsIn(dir string, keep func(h head, computed bool) bool) ([]Entry, error) {
	var entries []Entry
	var problems []error
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (slices.Contains([]string{"presets", "workloads", "shared"}, d.Name())) {
			return fs.SkipDir
		}
		if d.IsDir() || filepath.Ext(path) != ".yaml" {
			return nil
		}
		head, keys, err := readHead(path)
		if err != nil {
			problems = append(problems, err)
			return nil
		}
		if !isExperiment(keys) || !keep(head, computes(keys)) {
			return nil
		}
		id, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		entries = append(entries, Entry{Name: strings.TrimSuffix(filepath.ToSlash(id), ".yaml"), Title: head.Title, Source: head.Source})
		return nil
	})
	if err := errors.Join(append(problems, err)...); err != nil {
		return entries, fmt.Errorf("listing experiments: %w", err)
	}
	return entries, nil
}

// isExperiment says whether a file with these keys is one by itself.
func isExperiment(keys map[string]yaml.Node) bool {
	has := func(name string) bool { _, has := keys[name]; return has }
	return computes(keys) || has("include") || has("topology") && slices.ContainsFunc([]string{"run", "matrix", "scales"}, has) // others are included
}

// computes says whether a file with these keys is computed, not simulated.
func computes(keys map[string]yaml.Node) bool {
	return slices.ContainsFunc(computed.Kinds(), func(k computed.Kind) bool { _, has := keys[k.Key]; return has })
}

// Figures are the experiments with a figure section that are named: by id, by
// file, or all of a folder, below configs/ or by its path. Of several files those
// without one are left out, as a pattern of the shell names them too; skipped says
// which.
func (lab *Lab) Figures(names []string) (figures, skipped []string, err error) {
	for _, name := range names {
		info, err := os.Stat(name)
		if err == nil && info.Mode().IsRegular() {
			if why := noFigure(name); why != "" && len(names) > 1 {
				skipped = append(skipped, name+" "+why)
				continue
			}
			figures = append(figures, name)
			continue
		}
		found, is, err := lab.figuresOf(name)
		switch {
		case err != nil:
			return nil, nil, err
		case !is:
			figures = append(figures, name)
		case found == nil:
			return nil, nil, fmt.Errorf("no experiment in the folder %s has a figure section; see: fabriclab list figures", name)
		}
		figures = append(figures, found...)
	}
	if len(figures) == 0 && len(skipped) > 0 {
		return nil, nil, fmt.Errorf("there is no figure to make:\n%s", strings.Join(skipped, "\n"))
	}
	return figures, skipped, nil
}

// figuresOf are the figures of a folder; is says whether it is one.
func (lab *Lab) figuresOf(name string) (figures []string, is bool, err error) {
	dirs, err := lab.Configs()
	if err != nil {
		return nil, false, err
	}
	if !filepath.IsLocal(name) {
		dirs = nil
	}
	for _, dir := range dirs {
		folder := filepath.Join(dir, filepath.FromSlash(name))
		if _, err := os.Stat(folder + ".yaml"); err == nil {
			return nil, false, nil // an experiment of this name
		}
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			continue
		}
		is = true
		entries, err := experimentsIn(folder, hasFigure)
		if err != nil {
			return nil, true, err
		}
		for _, e := range entries {
			if id := path.Join(filepath.ToSlash(name), e.Name); !slices.Contains(figures, id) {
				figures = append(figures, id)
			}
		}
	}
	if info, err := os.Stat(name); is || err != nil || !info.IsDir() {
		return figures, is, nil
	}
	entries, err := experimentsIn(name, hasFigure)
	for _, e := range entries {
		figures = append(figures, filepath.Join(name, filepath.FromSlash(e.Name)+".yaml"))
	}
	return figures, true, err
}

func hasFigure(h head, _ bool) bool { return !h.Figure.IsZero() }

// noFigure says why a file makes no figure; "" if it does, or cannot be read, which
// whoever loads it says.
func noFigure(file string) string {
	head, keys, err := readHead(file)
	switch {
	case err != nil:
		return ""
	case !isExperiment(keys):
		return "is no experiment"
	case head.Figure.IsZero():
		return "has no figure section"
	}
	return ""
}

// head is what a list says of an experiment.
type head struct {
	Title  string    `yaml:"title"`
	Source string    `yaml:"source"`
	Figure yaml.Node `yaml:"figure"`
}

// readHead reads the head of a file, and all keys that it has.
func readHead(path string) (h head, keys map[string]yaml.Node, err error) {
	root, err := yamlfile.Read(path)
	if err != nil || root == nil {
		return h, nil, err
	}
	if err := errors.Join(root.Decode(&h), root.Decode(&keys)); err != nil {
		return h, nil, fmt.Errorf("%s: %w", path, err)
	}
	return h, keys, nil
}

// ExperimentFile finds the file of an experiment given by path or id.
func (lab *Lab) ExperimentFile(name string) (string, error) {
	if info, err := os.Stat(name); err == nil && !info.IsDir() {
		return name, nil
	}
	dirs, err := lab.Configs()
	if err != nil {
		return "", err
	}
	for _, dir := range dirs {
		file := filepath.Join(dir, filepath.FromSlash(name)+".yaml")
		if _, err := os.Stat(file); err == nil {
			return file, nil
		} else if !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("experiment %q: %w", name, err)
		}
	}
	if here := filepath.Join("configs", filepath.FromSlash(name)+".yaml"); lab.Set.Project == "" && file.Exists(here) {
		return "", fmt.Errorf("there is no experiment %q below %s; %s is in a folder that is no project: touch fabriclab.yaml makes it one, or name the file", name, strings.Join(dirs, " or "), here)
	}
	entries, err := lab.Experiments(false)
	if err != nil {
		return "", err
	}
	var known []string
	for _, e := range entries {
		known = append(known, e.Name)
	}
	return "", fmt.Errorf("there is no experiment %q, neither as a file nor as an id below %s%s", name, strings.Join(dirs, " or "), catalog.Hint(idOf(name), known))
}

// idOf is the id that a file below configs/ has, whose name may be mistyped.
func idOf(name string) string {
	return strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(name), "configs/"), ".yaml")
}

// Preset is a preset and its file.
type Preset struct {
	Entry
	File string
}

// Presets are all presets: those of the folders of configurations, and those
// that lie beside mechanisms of one's own.
func (lab *Lab) Presets() ([]Preset, error) {
	dirs, err := lab.Configs()
	if err != nil {
		return nil, err
	}
	var all []Preset
	for _, dir := range dirs {
		for _, path := range file.Glob(dir, "presets/*.yaml") {
			p, err := readPreset(path)
			if err != nil {
				return nil, err
			}
			if !slices.ContainsFunc(all, func(other Preset) bool { return other.Name == p.Name }) {
				all = append(all, *p)
			}
		}
	}
	beside, err := lab.ownPresets(all)
	return append(all, beside...), err
}

// ownPresets are the presets beside mechanisms of one's own. None may have the
// name of another one.
func (lab *Lab) ownPresets(known []Preset) ([]Preset, error) {
	own, err := lab.Own()
	if err != nil {
		return nil, err
	}
	var all []Preset
	for _, o := range own {
		for _, file := range o.Files(".yaml") {
			p, err := readPreset(file)
			if err != nil {
				return nil, err
			}
			if p.Name == "" {
				continue // an experiment, for example
			}
			if p.Name+".yaml" != filepath.Base(file) {
				return nil, fmt.Errorf("%s: the preset calls itself %q; give it and its file the same name", file, p.Name)
			}
			same := func(other Preset) bool { return other.Name == p.Name }
			for _, others := range [][]Preset{known, all} {
				if i := slices.IndexFunc(others, same); i >= 0 {
					return nil, fmt.Errorf("there are two presets %q, %s and %s; give one of them another name", p.Name, others[i].File, file)
				}
			}
			all = append(all, *p)
		}
	}
	return all, nil
}

func readPreset(file string) (*Preset, error) {
	root, err := yamlfile.Read(file)
	if err != nil {
		return nil, fmt.Errorf("listing presets: %w", err)
	}
	var head struct {
		Preset string `yaml:"preset"`
		Title  string `yaml:"title"`
		Source string `yaml:"source"`
		// Experiments name the preset that they use.
		Topology yaml.Node `yaml:"topology"`
	}
	if root != nil {
		err = root.Decode(&head)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if !head.Topology.IsZero() {
		head.Preset = ""
	}
	return &Preset{Entry: Entry{Name: head.Preset, Title: head.Title, Source: head.Source}, File: file}, nil
}

// PresetFiles are the files of the presets beside mechanisms of one's own.
func (lab *Lab) PresetFiles() ([]string, error) {
	all, err := lab.Presets()
	if err != nil {
		return nil, err
	}
	own, err := lab.Own()
	if err != nil {
		return nil, err
	}
	var files []string
	for _, p := range all {
		if slices.ContainsFunc(own, func(o build.Own) bool { return o.Dir == filepath.Dir(p.File) }) {
			files = append(files, p.File)
		}
	}
	return files, nil
}
