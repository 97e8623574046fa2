package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"fabriclab/harness/first"
	"fabriclab/harness/lab"
)

func (a *app) newCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "new mechanism|experiment", Short: "write a first mechanism or experiment of one's own"}
	return group(cmd, a.newMechanismCommand(), a.newExperimentCommand())
}

func (a *app) newMechanismCommand() *cobra.Command {
	var kind, dir string
	cmd := &cobra.Command{
		Use:   "mechanism NAME",
		Short: "write a first mechanism that compiles, with its preset, page and unit test",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			root, err := a.Root()
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
			files, err := first.Mechanism(root, dir, args[0], kind)
			if err != nil {
				return err
			}
			return a.wrote(files, func() ([]string, error) { return a.onPath(dir) })
		},
	}
	cmd.Flags().StringVar(&kind, "kind", "congestion_control", "its kind: "+strings.Join(first.Kinds(), ", "))
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("kind", cobra.FixedCompletions(first.Kinds(), cobra.ShellCompDirectiveNoFileComp)))
	cmd.Flags().StringVar(&dir, "dir", "", "folder to write to (default: the first of the mechanism path, or mechanisms/)")
	return cmd
}

// onPath sees to it that a folder is on the mechanism path, or says how it gets
// there. A settings file that is there is not changed.
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
	files, err := newSettings(line)
	if errors.Is(err, os.ErrExist) {
		fmt.Fprintf(a.Err, "add this folder to %s: %s\n", settingsFile, line)
		return nil, nil
	}
	return files, err
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
	nothing := func() ([]string, error) { return nil, nil }
	if dir != "" {
		return dir, nothing, nil
	}
	if a.Set.Project != "" {
		return filepath.Join(a.Set.Project, "configs"), nothing, nil
	}
	root, err := a.Root()
	if err != nil {
		return "", nil, err
	}
	if inside, err := within(root, "."); err != nil || inside {
		return filepath.Join(root, "configs"), nothing, err
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

// wrote prints the names of files that are new, and of those that begin makes.
func (a *app) wrote(files []string, begin func() ([]string, error)) error {
	more, err := begin()
	if err != nil {
		return err
	}
	files = append(files, more...)
	if a.Set.JSON {
		return a.Print(files)
	}
	for _, file := range files {
		fmt.Fprintln(a.Out, file)
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
			return a.TestOwn(cmd.Context(), lab.OwnTests{Args: args, Update: update})
		},
	}
	cmd.Flags().BoolVar(&update, "update", false, "write the tables of parameters into the pages")
	return cmd
}
