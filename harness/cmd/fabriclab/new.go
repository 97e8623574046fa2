package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"fabriclab/base/catalog"
	"fabriclab/base/file"
	"fabriclab/harness/first"
	"fabriclab/harness/lab/comparison"
	"fabriclab/harness/lab/own"
)

func (a *app) newCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "new project|mechanism|experiment", Short: "write a first project, mechanism or experiment of one's own"}
	return group(cmd, a.newProjectCommand(), a.newMechanismCommand(), a.newExperimentCommand())
}

func (a *app) newProjectCommand() *cobra.Command {
	p := first.Project{}
	var empty bool
	var kind func() (string, error)
	cmd := &cobra.Command{
		Use:   "project DIR",
		Short: "write a first project: experiment, mechanism, statement, baseline and CI workflows",
		Long: `Writes a folder with a mechanism, an experiment that compares it with HPCC, a claim and a
statement, and workflows for GitHub and GitLab: they fetch fabriclab at the commit of this
checkout, build it from a cache, run the unit tests, and compare with the project's baselines.
Then it runs the experiment and saves the baseline. DIR may be the top of a repository: no file in
it is changed.`,
		Example: `  fabriclab new project study --mechanism my_control
  fabriclab new project study --mechanism my_control --int   # with in-band telemetry
  fabriclab new project .                                    # in a repository of one's own`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			root, err := a.Root()
			if err != nil {
				return err
			}
			if p.Kind, err = kind(); err != nil {
				return err
			}
			if p.Dir, err = filepath.Abs(args[0]); err != nil {
				return err
			}
			if inside, err := within(root, p.Dir); err != nil || inside {
				return errors.Join(err, fmt.Errorf("%s is in the checkout of fabriclab; name a folder of your own", args[0]))
			}
			var warnings []string
			p.URL, p.Commit, warnings = source(cmd.Context(), root)
			files, kept, err := p.Write(root)
			if err != nil {
				return err
			}
			for _, name := range kept {
				warnings = append(warnings, name+" was there and stays as it is"+first.Missing(name))
			}
			if top := inRepository(cmd.Context(), p.Dir); top != "" {
				warnings = append(warnings, fmt.Sprintf("%s is in the repository %s, and GitHub and GitLab take workflows only from its top: make the project a repository of its own", p.Dir, top))
			}
			defer func() { // behind all output of the runs
				for _, w := range warnings {
					fmt.Fprintln(a.Err, "warning:", w)
				}
			}()
			if err := a.wrote(files, nil); err != nil || empty {
				return err
			}
			if a.Set.JSON { // the files are the only JSON
				a.Set.JSON, a.Out = false, a.Err
			}
			a.Set.Project, a.Set.Mechanisms = p.Dir, []string{filepath.Join(p.Dir, "mechanisms")}
			if err := comparison.UpdateBaselines(cmd.Context(), a.Lab, []string{p.Experiment()}, nil, ""); err != nil {
				return fmt.Errorf("%w\nthe files are written; afterwards, in %s: fabriclab baseline update %s", err, p.Dir, p.Experiment())
			}
			return own.Pages(cmd.Context(), a.Lab, true) // CI looks at them
		},
	}
	cmd.Flags().StringVar(&p.Mechanism, "mechanism", "my_control", "name of its mechanism")
	kind = kindFlags(cmd)
	cmd.Flags().BoolVar(&empty, "no-baseline", false, "write the files only, run nothing")
	return cmd
}

// source is where CI gets the fabriclab of a checkout, and its commit, with what
// keeps CI from getting it.
func source(ctx context.Context, root string) (from, commit string, warnings []string) {
	git := func(args ...string) string {
		out, err := exec.CommandContext(ctx, "git", append([]string{"-C", root}, args...)...).Output()
		if err != nil {
			return ""
		}
		return strings.TrimSpace(string(out))
	}
	warn := func(format string, args ...any) { warnings = append(warnings, fmt.Sprintf(format, args...)) }
	const edit = "edit the two lines url= and commit= in ci/regress.sh"
	if from = publicAddress(git("remote", "get-url", "origin")); from == "" {
		from = root
	}
	public := isPublic(from)
	if !public {
		warn("CI cannot fetch fabriclab from %s, which is a folder of this machine: %s", from, edit)
	}
	if commit = git("rev-parse", "HEAD"); commit == "" {
		warn("the checkout of fabriclab is no git repository: set commit= in ci/regress.sh")
		return from, "HEAD", warnings
	}
	if public && git("branch", "-r", "--contains", commit, "--list", "origin/*") == "" {
		warn("commit %.12s of fabriclab is on no branch of %s that this checkout knows of: push it, or %s", commit, from, edit)
	}
	if git("status", "--porcelain") != "" {
		warn("the checkout of fabriclab has changes that commit %.12s, which CI fetches, does not have", commit)
	}
	return from, commit, warnings
}

// inRepository is the top of the git repository that a folder is in, "" where it is
// the top itself or in none.
func inRepository(ctx context.Context, dir string) string {
	out, err := exec.CommandContext(ctx, "git", "-C", dir, "rev-parse", "--show-toplevel", "--show-prefix").Output()
	top, prefix, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	if err != nil || prefix == "" {
		return ""
	}
	return top
}

// isPublic says whether an address names another machine.
func isPublic(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Host != "" && u.Scheme != "file"
}

var sshAddress = regexp.MustCompile(`^(?:ssh://)?[\w.-]+@([\w.-]+)[:/]([^:]+)$`)

// publicAddress is a repository's address without what logs in there.
func publicAddress(address string) string {
	if m := sshAddress.FindStringSubmatch(address); m != nil {
		return "https://" + m[1] + "/" + m[2]
	}
	if u, err := url.Parse(address); err == nil && u.User != nil {
		u.User = nil
		return u.String()
	}
	return address
}

// kindFlags are the flags for the kind of a first mechanism.
func kindFlags(cmd *cobra.Command) func() (string, error) {
	kind := cmd.Flags().String("kind", "congestion_control", "its kind: "+strings.Join(first.Kinds(), ", "))
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("kind", cobra.FixedCompletions(first.Kinds(), cobra.ShellCompDirectiveNoFileComp)))
	telemetry := cmd.Flags().Bool("int", false, "a congestion control by in-band telemetry")
	return func() (string, error) {
		switch {
		case !*telemetry:
			return *kind, nil
		case *kind != "congestion_control":
			return "", fmt.Errorf("--int is for --kind congestion_control, not %s", *kind)
		}
		return first.Telemetry, nil
	}
}

func (a *app) newMechanismCommand() *cobra.Command {
	var dir string
	var kind func() (string, error)
	cmd := &cobra.Command{
		Use:   "mechanism NAME",
		Short: "write a first mechanism that compiles, with its preset, page and unit test",
		Args:  cobra.ExactArgs(1),
		Example: `  fabriclab new mechanism my_control
  fabriclab new mechanism my_control --int       # with in-band telemetry
  fabriclab new mechanism my_queue --kind queue`,
		RunE: func(_ *cobra.Command, args []string) error {
			root, err := a.Root()
			if err != nil {
				return err
			}
			of, err := kind()
			if err != nil {
				return err
			}
			if dir == "" {
				if dir = "mechanisms"; len(a.Set.Mechanisms) > 0 {
					dir = a.Set.Mechanisms[0]
				}
			}
			if inside, err := within(root, dir); err != nil || inside {
				return errors.Join(err, fmt.Errorf("%s is in the checkout of fabriclab; give a folder of your own with --dir", dir))
			}
			files, err := first.Mechanism(root, dir, args[0], of)
			if err != nil {
				return err
			}
			return a.wrote(files, func() ([]string, error) { return a.onPath(dir) })
		},
	}
	kind = kindFlags(cmd)
	cmd.Flags().StringVar(&dir, "dir", "", "folder to write to (default: the first of the mechanism path, or mechanisms/)")
	return cmd
}

// onPath sees to it that a folder is on the mechanism path: in the settings file,
// unless that names others, which stays as it is.
func (a *app) onPath(dir string) ([]string, error) {
	full, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	for _, d := range a.Set.Mechanisms {
		if other, err := filepath.Abs(d); err == nil && other == full {
			return nil, nil
		}
	}
	line := fmt.Sprintf("mechanism_path: [%q]", dir)
	if a.Set.Project == "" {
		files, err := newSettings(line)
		if errors.Is(err, os.ErrExist) {
			fmt.Fprintf(a.Err, "add this folder to %s: %s\n", settingsFile, line)
			return nil, nil
		}
		return files, err
	}
	if rel, err := filepath.Rel(a.Set.Project, full); err == nil {
		line = fmt.Sprintf("mechanism_path: [%q]", rel)
	}
	path := filepath.Join(a.Set.Project, settingsFile)
	if len(a.Set.Mechanisms) == 0 && addSetting(path, line) == nil {
		return []string{path}, nil
	}
	fmt.Fprintf(a.Err, "add this folder to %s: %s\n", path, line)
	return nil, nil
}

// addSetting adds a line to a settings file, which must be one after it, too.
func addSetting(path, line string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(text, '\n')
	}
	text = append(text, line+"\n"...)
	var settings map[string]any
	if err := yaml.Unmarshal(text, &settings); err != nil {
		return err
	}
	return file.Write(path, text, 0o666)
}

func (a *app) newExperimentCommand() *cobra.Command {
	var dir string
	var presets []string
	cmd := &cobra.Command{
		Use:   "experiment NAME",
		Short: "write a first experiment, two flows that meet at a switch",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(presets) == 0 {
				return errors.New("name a preset to run with --preset; see: fabriclab list presets")
			}
			known, err := a.Presets()
			if err != nil {
				return err
			}
			var names []string
			for _, p := range known {
				names = append(names, p.Name)
			}
			for _, name := range presets {
				if !slices.Contains(names, name) {
					return fmt.Errorf("there is no preset %q%s", name, catalog.Hint(name, names))
				}
			}
			to, begin, err := a.experimentsDir(dir)
			if err != nil {
				return err
			}
			files, err := first.Experiment(to, args[0], presets)
			if err != nil {
				return err
			}
			return a.wrote(files, begin)
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "folder to write to (default: configs/ of the project)")
	cmd.Flags().StringSliceVar(&presets, "preset", []string{"none", "hpcc"}, "presets to compare")
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("preset", a.completing(a.completePresets)))
	return cmd
}

// experimentsDir is where new experiments go: dir, if it is given, or configs/ of
// the project or the checkout. Where there is neither, begin makes the working
// directory a project, so that the experiment is found by its name and its results
// do not go to the checkout.
func (a *app) experimentsDir(dir string) (to string, begin func() ([]string, error), err error) {
	if dir != "" {
		return dir, nil, nil
	}
	if a.Set.Project != "" {
		return filepath.Join(a.Set.Project, "configs"), nil, nil
	}
	root, err := a.Root()
	if err != nil {
		return "", nil, err
	}
	if inside, err := within(root, "."); err != nil || inside {
		return filepath.Join(root, "configs"), nil, err
	}
	return "configs", func() ([]string, error) {
		return newSettings("# This folder is a project of fabriclab's: it has configs/ and results/ of its own.")
	}, nil
}

// newSettings writes a settings file, which must be new.
func newSettings(line string) ([]string, error) {
	f, err := os.OpenFile(settingsFile, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, err
	}
	_, err = fmt.Fprintln(f, line)
	return []string{settingsFile}, errors.Join(err, f.Close())
}

// wrote prints the names of files that are new, and of those that begin makes;
// nil makes none.
func (a *app) wrote(files []string, begin func() ([]string, error)) error {
	if begin != nil {
		more, err := begin()
		if err != nil {
			return err
		}
		files = append(files, more...)
	}
	if a.Set.JSON {
		return a.Print(files)
	}
	for _, name := range files {
		fmt.Fprintln(a.Out, name)
	}
	return nil
}

// within says whether a path is in a folder.
func within(folder, path string) (bool, error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return false, err
	}
	rel, err := filepath.Rel(folder, full)
	return err == nil && filepath.IsLocal(rel), nil
}

func (a *app) testCommand() *cobra.Command {
	var update bool
	cmd := &cobra.Command{
		Use:   "test [-- ARGUMENT…]",
		Short: "run the unit tests of mechanisms of one's own, and check their pages",
		Long: `Builds and runs the *_test.cc files beside the mechanisms of the mechanism path; arguments
behind -- are GoogleTest's, such as --gtest_filter=Aimd.*. Then every mechanism has to have its
table of parameters on a page beside it, up to date.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return own.Test(cmd.Context(), a.Lab, own.Tests{Args: args, Update: update})
		},
	}
	cmd.Flags().BoolVar(&update, "update", false, "write the tables of parameters into the pages")
	return cmd
}
