package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"fabriclab/analysis/measure"
	"fabriclab/base/catalog"
	"fabriclab/base/columns"
	"fabriclab/base/file"
	"fabriclab/base/yamlfile"
	"fabriclab/harness/experiment"
	"fabriclab/harness/lab"
	"fabriclab/harness/topology"
	"fabriclab/harness/workload"
)

// topologies are the values of topology.type (docs/experiments.md).
func topologies() []lab.Entry {
	var entries []lab.Entry
	for _, k := range topology.Kinds() {
		entries = append(entries, lab.Entry{Name: k.Name, Title: k.Title})
	}
	return entries
}

// workloads are the types of workloads and the tables of flow sizes.
func (a *app) workloads() ([]lab.Entry, error) {
	dirs, err := a.Configs()
	if err != nil {
		return nil, err
	}
	var files []string
	for _, dir := range dirs {
		files = append(files, file.Glob(dir, "workloads/*.yaml")...)
	}
	var entries []lab.Entry
	for _, k := range experiment.Workloads() {
		entries = append(entries, lab.Entry{Name: k.Name, Kind: "type", Title: k.Title})
	}
	for _, file := range files {
		sizes, err := workload.ReadSizes(file)
		if err != nil {
			return nil, fmt.Errorf("listing workloads: %w", err)
		}
		title := fmt.Sprintf("mean %s, up to %s: %s", shortSize(sizes.Mean()), shortSize(sizes.Largest()), sizes.Title)
		entries = append(entries, lab.Entry{Name: sizes.Name, Kind: "sizes", Title: title, Source: sizes.Source})
	}
	return entries, nil
}

// measures are the columns of a sweep's table.
func measures() []lab.Entry {
	var entries []lab.Entry
	for _, m := range measure.Standard() {
		title := m.Help
		if m.Better != measure.Neither {
			title += "; " + m.Better.String() + " is better"
		}
		if m.Volatile {
			title += "; depends on the machine"
		}
		entries = append(entries, lab.Entry{Name: m.Name, Kind: m.Unit, Title: title})
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
	lists := []string{"experiments", "figures", "presets", "mechanisms", "slots", "workloads", "topologies", "measures"}
	return &cobra.Command{
		Use:   "list " + strings.Join(lists, "|"),
		Short: "list figures, experiments, mechanisms, presets, workloads, …",
		Args:  cobra.ExactArgs(1), ValidArgs: lists,
		RunE: func(cmd *cobra.Command, args []string) error {
			var entries []lab.Entry
			var err error
			switch args[0] {
			case "experiments", "figures":
				entries, err = a.Experiments(args[0] == "figures")
			case "presets":
				entries, err = a.presets()
			case "mechanisms":
				entries, err = a.mechanisms(cmd)
			case "slots":
				entries, err = a.slots(cmd)
			case "topologies":
				entries = topologies()
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
			if a.Set.JSON {
				return a.Print(entries)
			}
			w := columns.New(a.Out)
			for _, e := range entries {
				columns := []string{e.Name}
				if e.Kind != "" {
					columns = append(columns, e.Kind)
				}
				fmt.Fprintln(w, strings.Join(append(columns, e.Title), "\t"))
			}
			if err := w.Flush(); err != nil || args[0] != "mechanisms" {
				return err
			}
			_, err = fmt.Fprintf(a.Err, "not implemented: %s\n", absent(entries))
			return err
		},
	}
}

// absent are the well-known schemes that are not among the entries.
func absent(entries []lab.Entry) string {
	var titles []string
	for _, s := range catalog.Absent {
		if !slices.ContainsFunc(entries, func(e lab.Entry) bool { return e.Name == s.Name }) {
			titles = append(titles, s.Title)
		}
	}
	return strings.Join(titles, ", ")
}

// presets are the named sets of mechanisms.
func (a *app) presets() ([]lab.Entry, error) {
	all, err := a.Presets()
	if err != nil {
		return nil, err
	}
	var entries []lab.Entry
	for _, p := range all {
		entries = append(entries, p.Entry)
	}
	return entries, nil
}

func (a *app) mechanisms(cmd *cobra.Command) ([]lab.Entry, error) {
	c, err := a.Catalog(cmd.Context())
	if err != nil {
		return nil, err
	}
	var entries []lab.Entry
	for _, m := range c.Components {
		entries = append(entries, lab.Entry{Name: m.Name, Kind: m.Kind, Title: m.Title, Source: m.Source})
	}
	return entries, nil
}

// slots are the places where mechanisms stand.
func (a *app) slots(cmd *cobra.Command) ([]lab.Entry, error) {
	c, err := a.Catalog(cmd.Context())
	if err != nil {
		return nil, err
	}
	var entries []lab.Entry
	for i := range c.Slots {
		s := &c.Slots[i]
		standing := "by default none"
		if s.Default != "" {
			standing = "by default " + s.Default
		}
		entries = append(entries, lab.Entry{Name: s.Key, Kind: s.Kind, Title: s.Place() + ", " + standing + ": " + s.Help})
	}
	return entries, nil
}

// completing completes with the settings that hold: cobra runs nothing of a
// command for it but this.
func (a *app) completing(complete cobra.CompletionFunc) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if err := a.load(cmd.Root().PersistentFlags()); err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		return complete(cmd, args, typed)
	}
}

// completeExperiments completes ids of the project's experiments and of the
// checkout's; files are the shell's.
func (a *app) completeExperiments(figures bool) cobra.CompletionFunc {
	return a.completing(func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		entries, _ := a.Experiments(figures) // one that cannot be read does not keep the others from it
		var names []string
		for _, e := range entries {
			names = append(names, e.Name)
		}
		return names, cobra.ShellCompDirectiveDefault
	})
}

func (a *app) describeCommand() *cobra.Command {
	var markdown bool
	cmd := &cobra.Command{
		Use:   "describe MECHANISM|PRESET…",
		Short: "print what a mechanism is, its parameters and its tables; what a preset sets",
		Args:  cobra.MinimumNArgs(1), ValidArgsFunction: a.completing(a.completeDescribed),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.Catalog(cmd.Context())
			if err != nil {
				return err
			}
			for _, name := range args {
				m := c.Component(name)
				preset, err := a.describePreset(name)
				if err != nil {
					return err
				}
				if m == nil && preset == "" {
					presets, err := a.presets()
					if err != nil {
						return err
					}
					known := c.Names("")
					for _, p := range presets {
						known = append(known, p.Name)
					}
					if hint := c.HintParam(name); hint != "" {
						return fmt.Errorf("there is no mechanism and no preset %q%s", name, hint)
					}
					return fmt.Errorf("there is no mechanism and no preset %q%s", name, catalog.HintMechanism(name, known))
				}
				switch {
				case m == nil && a.Set.JSON:
					err = a.Print(map[string]string{"preset": name, "text": preset})
				case m == nil:
					_, err = fmt.Fprint(a.Out, preset)
				case a.Set.JSON:
					err = a.Print(m)
				case markdown:
					_, err = fmt.Fprint(a.Out, c.Markdown(m))
				default:
					err = a.describeOne(c, m)
					if preset != "" && err == nil { // mechanism and preset often share a name
						_, err = fmt.Fprint(a.Out, "\n"+preset)
					}
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

// describePreset says what a preset sets, and what those set that it extends;
// "" if there is none of this name.
func (a *app) describePreset(name string) (string, error) {
	all, err := a.Presets()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	w := columns.New(&b)
	seen := map[string]bool{}
	for next := name; next != "" && !seen[next]; {
		seen[next] = true
		at := slices.IndexFunc(all, func(p lab.Preset) bool { return p.Name == next })
		if at < 0 && next == name {
			return "", nil
		}
		if at < 0 {
			return "", fmt.Errorf("the preset %s extends %s, which there is none of", name, next)
		}
		root, err := yamlfile.Read(all[at].File)
		if err != nil {
			return "", fmt.Errorf("reading the preset %s: %w", next, err)
		}
		var p struct {
			Title   string `yaml:"title"`
			Source  string `yaml:"source"`
			Extends string `yaml:"extends"`
		}
		if err := root.Decode(&p); err != nil {
			return "", fmt.Errorf("the preset %s: %w", next, err)
		}
		if next == name {
			fmt.Fprintf(w, "%s (preset): %s\nsource: %s\n", name, p.Title, p.Source)
		} else {
			fmt.Fprintf(w, "\nwhat it extends, %s, sets beside that: %s\n", next, p.Title)
		}
		if root.Kind == yaml.DocumentNode {
			root = root.Content[0]
		}
		for i := 0; i+1 < len(root.Content); i += 2 {
			if key := root.Content[i].Value; !slices.Contains([]string{"preset", "title", "source", "extends"}, key) {
				presetLines(w, key, root.Content[i+1])
			}
		}
		next = p.Extends
	}
	err = w.Flush()
	return b.String(), err
}

// presetLines writes what stands under a key, a line for each value.
func presetLines(w io.Writer, path string, value *yaml.Node) {
	if value.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(value.Content); i += 2 {
			presetLines(w, strings.TrimPrefix(path+".", "params.")+value.Content[i].Value, value.Content[i+1])
		}
		return
	}
	text := value.Value
	if value.Kind == yaml.SequenceNode {
		flow := *value
		flow.Style = yaml.FlowStyle
		if data, err := yaml.Marshal(&flow); err == nil {
			text = strings.TrimSpace(string(data))
		}
	}
	fmt.Fprintf(w, "  %s\t%s\n", path, text)
}

// completeDescribed completes mechanisms and presets.
func (a *app) completeDescribed(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	var names []string
	if presets, err := a.presets(); err == nil {
		for _, p := range presets {
			names = append(names, p.Name)
		}
	}
	if c, err := a.builtCatalog(cmd); err == nil {
		names = append(names, c.Names("")...)
	}
	slices.Sort(names)
	return slices.Compact(names), cobra.ShellCompDirectiveNoFileComp
}

// completePresets completes a list of presets.
func (a *app) completePresets(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	before := typed[:strings.LastIndex(typed, ",")+1]
	presets, err := a.presets()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var names []string
	for _, p := range presets {
		names = append(names, before+p.Name)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// builtCatalog is the catalog for completion, which must not print.
func (a *app) builtCatalog(cmd *cobra.Command) (*catalog.Catalog, error) {
	quiet := *a.Lab
	quiet.Out, quiet.Err = io.Discard, io.Discard
	return quiet.Catalog(cmd.Context())
}

// completeSet completes the paths of --set: preset= and the parameters of all
// mechanisms.
func (a *app) completeSet(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	directive := cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	if path, _, has := strings.Cut(typed, "="); has {
		if path != "preset" {
			return nil, directive
		}
		var values []string
		presets, err := a.presets()
		for _, p := range presets {
			values = append(values, "preset="+p.Name)
		}
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		return values, directive
	}
	paths := []string{"preset=", "topology.rate=", "topology.delay=", "run.stop=", "run.measure=", "run.warmup=", "workload.load="}
	if c, err := a.builtCatalog(cmd); err == nil {
		for i := range c.Components {
			for k := range c.Components[i].Params {
				paths = append(paths, c.Components[i].Name+"."+c.Components[i].Params[k].Name+"=")
			}
		}
		for i := range c.Slots {
			paths = append(paths, c.Slots[i].Key+"=")
		}
	}
	return paths, directive
}

func (a *app) describeOne(c *catalog.Catalog, m *catalog.Component) error {
	w := columns.New(a.Out)
	fmt.Fprintf(w, "%s (%s): %s\n", m.Name, catalog.Words(m.Kind), m.Title)
	fmt.Fprintf(w, "%s\nsource: %s\n", m.Help, m.Source)
	if slots := c.SlotsOf(m.Kind); len(slots) > 0 {
		fmt.Fprintf(w, "stands under: %s\n", strings.Join(slots, ", "))
	}
	if len(m.Needs) > 0 {
		needs := make([]string, len(m.Needs))
		for i, need := range m.Needs {
			needs[i] = c.Needed(need, "")
		}
		fmt.Fprintf(w, "needs: %s\n", strings.Join(needs, ", "))
	}
	for _, n := range m.NeedsWhile {
		fmt.Fprintf(w, "needs while %s is %s: %s\n", n.Param, n.Value, c.Needed(n.What, ""))
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
