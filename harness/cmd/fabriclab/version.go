package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"fabriclab/harness/store"
)

// The Makefile sets both, from git: Go itself does not see the repository where
// .git is a file, as in a worktree, nor with -buildvcs=false.
var (
	commit  string // such as de18ceefa810
	release string // such as v0.3.0, or v0.3.0-12-gde18cee twelve commits later; empty without a tag
)

// tool is this program and its version: the commit it was built from.
func tool() store.Tool {
	t := store.Tool{Name: "fabriclab", Version: "unknown"}
	if commit != "" {
		t.Version = commit
		return t
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return t
	}
	changed := ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			t.Version = s.Value[:min(len(s.Value), 12)]
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = " with changes"
		}
	}
	t.Version += changed
	return t
}

// versionText is the release, if there is one, with the commit behind it.
func versionText(release, commit, goVersion string) string {
	if release == "" {
		return fmt.Sprintf("%s (%s)", commit, goVersion)
	}
	return fmt.Sprintf("%s (%s, %s)", release, commit, goVersion)
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "print the release and the commit it was built from",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			t := tool()
			if a.Set.JSON {
				return a.Print(map[string]string{"name": t.Name, "release": release, "version": t.Version, "go": runtime.Version()})
			}
			_, err := fmt.Fprintln(a.Out, t.Name, versionText(release, t.Version, runtime.Version()))
			return err
		},
	}
}
