package lab

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"fabriclab/base/catalog"
	"fabriclab/base/yamlfile"
	"fabriclab/harness/computed"
)

// Entry is a line of a list.
type Entry struct {
	Name   string `json:"name"`
	Kind   string `json:"kind,omitempty"`
	Title  string `json:"title"`
	Source string `json:"source,omitempty"`
}

// Configs is the folder of experiments and presets.
func (lab *Lab) Configs() (string, error) {
	root, err := lab.Root()
	if err != nil {
		return "", err
	}
	return filepath.Join(root, "configs"), nil
}

// Experiments reads what lies below configs/; only those with a figure if asked.
func (lab *Lab) Experiments(figures bool) ([]Entry, error) {
	dir, err := lab.Configs()
	if err != nil {
		return nil, err
	}
	var entries []Entry
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "presets" || d.Name() == "workloads") {
			return fs.SkipDir
		}
		if d.IsDir() || filepath.Ext(path) != ".yaml" {
			return nil
		}
		root, err := yamlfile.Read(path)
		if err != nil || root == nil {
			return err
		}
		var head struct {
			Title    string    `yaml:"title"`
			Source   string    `yaml:"source"`
			Topology yaml.Node `yaml:"topology"`
			Figure   yaml.Node `yaml:"figure"`
		}
		var keys map[string]yaml.Node
		if err := root.Decode(&head); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if err := root.Decode(&keys); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		isComputed := slices.ContainsFunc(computed.Kinds(), func(k computed.Kind) bool { _, has := keys[k.Key]; return has })
		if head.Topology.IsZero() && !isComputed || figures && head.Figure.IsZero() {
			return nil
		}
		id, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		entries = append(entries, Entry{Name: strings.TrimSuffix(filepath.ToSlash(id), ".yaml"), Title: head.Title, Source: head.Source})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("listing experiments: %w", err)
	}
	return entries, nil
}

// experimentFile finds the file of an experiment given by path or id.
func (lab *Lab) experimentFile(name string) (string, error) {
	if info, err := os.Stat(name); err == nil && !info.IsDir() {
		return name, nil
	}
	dir, err := lab.Configs()
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, filepath.FromSlash(name)+".yaml")
	if _, err := os.Stat(file); err == nil {
		return file, nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("experiment %q: %w", name, err)
	}
	entries, err := lab.Experiments(false)
	if err != nil {
		return "", err
	}
	var known []string
	for _, e := range entries {
		known = append(known, e.Name)
	}
	return "", fmt.Errorf("there is no experiment %q, neither as a file nor as an id below %s%s", name, dir, catalog.Hint(name, known))
}
