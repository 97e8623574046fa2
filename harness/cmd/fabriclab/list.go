package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"fabriclab/analysis/measure"
	"fabriclab/base/catalog"
	"fabriclab/harness/workload"
)

// entry is a line of a list.
type entry struct {
	Name   string `json:"name"`
	Kind   string `json:"kind,omitempty"`
	Title  string `json:"title"`
	Source string `json:"source,omitempty"`
}

// topologies are the values of topology.type (docs/experiments.md).
var topologies = []entry{
	{Name: "dumbbell", Title: "senders, a row of switches, receivers"},
	{Name: "chain", Title: "a row of switches with hosts where they are asked for"},
	{Name: "star", Title: "hosts around one switch"},
	{Name: "leaf-spine", Title: "leaves with hosts, each joined to all spines"},
	{Name: "fat-tree", Title: "three tiers of k-port switches"},
	{Name: "custom", Title: "nodes and links written out"},
}

// workloadTypes are the values of workload.type.
var workloadTypes = []entry{
	{Name: "all-to-all", Kind: "type", Title: "every host sends to every other one at the same time"},
	{Name: "file", Kind: "type", Title: "flows from a CSV or Parquet file"},
	{Name: "incast", Kind: "type", Title: "some senders at a time send to one receiver"},
	{Name: "jobs", Kind: "type", Title: "writers whose blocks are copied from host to host, as in HDFS"},
	{Name: "list", Kind: "type", Title: "flows written out"},
	{Name: "mix", Kind: "type", Title: "several workloads side by side"},
	{Name: "permutation", Kind: "type", Title: "every host sends to one other, each to another one"},
	{Name: "poisson", Kind: "type", Title: "flows arrive at random with a load and a table of sizes"},
	{Name: "semi-dynamic", Kind: "type", Title: "events start or stop the flows of some of many paths"},
}

// workloads are the types of workloads and the tables of flow sizes.
func (a *app) workloads() ([]entry, error) {
	dir, err := a.configs()
	if err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(dir, "workloads", "*.yaml"))
	if err != nil {
		return nil, fmt.Errorf("listing workloads: %w", err)
	}
	entries := slices.Clone(workloadTypes)
	for _, file := range files {
		sizes, err := workload.ReadSizes(file)
		if err != nil {
			return nil, fmt.Errorf("listing workloads: %w", err)
		}
		title := fmt.Sprintf("mean %s, up to %s: %s", shortSize(sizes.Mean()), shortSize(sizes.Largest()), sizes.Title)
		entries = append(entries, entry{Name: sizes.Name, Kind: "sizes", Title: title, Source: sizes.Source})
	}
	return entries, nil
}

// measures are the columns of a sweep's table.
func measures() []entry {
	var entries []entry
	for _, m := range measure.Standard() {
		title := m.Help
		if m.Better != measure.Neither {
			title += "; " + m.Better.String() + " is better"
		}
		if m.Volatile {
			title += "; depends on the machine"
		}
		entries = append(entries, entry{Name: m.Name, Kind: m.Unit, Title: title})
	}
	return entries
}

// shortSize is a number of bytes with four digits.
func shortSize(bytes float64) string {
	units := []string{"B", "KB", "MB", "GB"}
	for bytes >= 1000 && len(units) > 1 {
		bytes, units = bytes/1000, units[1:]
	}
	return strconv.FormatFloat(bytes, 'g', 4, 64) + units[0]
}

func (a *app) listCommand() *cobra.Command {
	lists := []string{"experiments", "figures", "presets", "mechanisms", "workloads", "topologies", "measures"}
	return &cobra.Command{
		Use:   "list " + strings.Join(lists, "|"),
		Short: "list what there is",
		Args:  cobra.ExactArgs(1), ValidArgs: lists,
		RunE: func(cmd *cobra.Command, args []string) error {
			var entries []entry
			var err error
			switch args[0] {
			case "experiments", "figures":
				entries, err = a.experiments(args[0] == "figures")
			case "presets":
				entries, err = a.presets()
			case "mechanisms":
				entries, err = a.mechanisms(cmd)
			case "topologies":
				entries = topologies
			case "measures":
				entries = measures()
			case "workloads":
				entries, err = a.workloads()
			default:
				return fmt.Errorf("there is no list of %q%s", args[0], catalog.Hint(args[0], lists))
			}
			if err != nil {
				return err
			}
			if a.set.json {
				return a.print(entries)
			}
			w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
			for _, e := range entries {
				columns := []string{e.Name}
				if e.Kind != "" {
					columns = append(columns, e.Kind)
				}
				fmt.Fprintln(w, strings.Join(append(columns, e.Title), "\t"))
			}
			return w.Flush()
		},
	}
}

func (a *app) configs() (string, error) {
	root, err := a.findRoot()
	if err != nil {
		return "", err
	}
	return filepath.Join(root, "configs"), nil
}

// experiments reads what lies below configs/; only those with a figure if asked.
func (a *app) experiments(figures bool) ([]entry, error) {
	dir, err := a.configs()
	if err != nil {
		return nil, err
	}
	var entries []entry
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
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var head struct {
			Title    string    `yaml:"title"`
			Source   string    `yaml:"source"`
			Topology yaml.Node `yaml:"topology"`
			Figure   yaml.Node `yaml:"figure"`
			Game     yaml.Node `yaml:"game"`
		}
		if err := yaml.Unmarshal(text, &head); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if head.Topology.IsZero() && head.Game.IsZero() || figures && head.Figure.IsZero() {
			return nil
		}
		id, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		entries = append(entries, entry{Name: strings.TrimSuffix(filepath.ToSlash(id), ".yaml"), Title: head.Title, Source: head.Source})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("listing experiments: %w", err)
	}
	return entries, nil
}

// presets are the named sets of mechanisms in configs/presets.
func (a *app) presets() ([]entry, error) {
	dir, err := a.configs()
	if err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(dir, "presets", "*.yaml"))
	if err != nil {
		return nil, fmt.Errorf("listing presets: %w", err)
	}
	var entries []entry
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("listing presets: %w", err)
		}
		var head struct {
			Preset string `yaml:"preset"`
			Title  string `yaml:"title"`
			Source string `yaml:"source"`
		}
		if err := yaml.Unmarshal(text, &head); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		entries = append(entries, entry{Name: head.Preset, Title: head.Title, Source: head.Source})
	}
	return entries, nil
}

func (a *app) mechanisms(cmd *cobra.Command) ([]entry, error) {
	c, err := a.catalog(cmd.Context())
	if err != nil {
		return nil, err
	}
	var entries []entry
	for _, m := range c.Components {
		entries = append(entries, entry{Name: m.Name, Kind: m.Kind, Title: m.Title, Source: m.Source})
	}
	return entries, nil
}

// experimentFile finds the file of an experiment given by path or id.
func (a *app) experimentFile(name string) (string, error) {
	if info, err := os.Stat(name); err == nil && !info.IsDir() {
		return name, nil
	}
	dir, err := a.configs()
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, filepath.FromSlash(name)+".yaml")
	if _, err := os.Stat(file); err == nil {
		return file, nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("experiment %q: %w", name, err)
	}
	entries, err := a.experiments(false)
	if err != nil {
		return "", err
	}
	var known []string
	for _, e := range entries {
		known = append(known, e.Name)
	}
	return "", fmt.Errorf("there is no experiment %q, neither as a file nor as an id below %s%s", name, dir, catalog.Hint(name, known))
}

func (a *app) completeExperiments(figures bool) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		entries, err := a.experiments(figures)
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		var names []string
		for _, e := range entries {
			names = append(names, e.Name)
		}
		return names, cobra.ShellCompDirectiveDefault
	}
}

func (a *app) describeCommand() *cobra.Command {
	var markdown bool
	cmd := &cobra.Command{
		Use:   "describe MECHANISM…",
		Short: "print what a mechanism is, its parameters and its tables",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.catalog(cmd.Context())
			if err != nil {
				return err
			}
			for _, name := range args {
				m := c.Component(name)
				if m == nil {
					return fmt.Errorf("there is no mechanism %q%s", name, catalog.Hint(name, c.Names("")))
				}
				switch {
				case a.set.json:
					err = a.print(m)
				case markdown:
					_, err = fmt.Fprint(a.out, c.Markdown(m))
				default:
					err = a.describeOne(c, m)
				}
				if err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&markdown, "markdown", false, "print Markdown, as in docs/mechanisms")
	return cmd
}

func (a *app) describeOne(c *catalog.Catalog, m *catalog.Component) error {
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "%s (%s): %s\n", m.Name, strings.ReplaceAll(m.Kind, "_", " "), m.Title)
	fmt.Fprintf(w, "%s\nsource: %s\n", m.Help, m.Source)
	if len(m.Needs) > 0 {
		fmt.Fprintf(w, "needs: %s\n", strings.Join(m.Needs, ", "))
	}
	for _, x := range m.Extensions {
		fmt.Fprintf(w, "adds to packets: %s, %s (%d B in memory)\n", x.Name, x.Wire, x.MemoryBytes)
	}
	if len(m.Params) > 0 {
		fmt.Fprintln(w, "\nparameter\tdefault\trange\tmeaning\tsource")
	}
	for i := range m.Params {
		p := &m.Params[i]
		live := ""
		if p.Live {
			live = " (can change during a run)"
		}
		fmt.Fprintf(w, "%s.%s\t%s\t%s\t%s%s\t%s\n", m.Name, p.Name, p.Format(p.Default), p.Allowed(), p.Help, live, p.Source)
	}
	for _, name := range m.Tables {
		t := c.Table(name)
		if t == nil {
			continue
		}
		fmt.Fprintf(w, "\ntable %s: %s\n", t.Name, t.Title)
		for _, column := range t.Columns {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", column.Name, column.Type, column.Unit, column.Help)
		}
	}
	return w.Flush()
}
