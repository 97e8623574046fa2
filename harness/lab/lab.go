// Package lab is a checkout with its settings: where experiments, presets and
// results are, and how programs are built. The packages below are the roads of
// the commands; each joins the harness, which makes results, with the analysis,
// which reads them.
package lab

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"

	"fabriclab/base/catalog"
	"fabriclab/harness/build"
	"fabriclab/harness/engine"
	"fabriclab/harness/progress"
	"fabriclab/harness/run"
	"fabriclab/harness/slurm"
	"fabriclab/harness/store"
	"fabriclab/harness/trust"
)

// Lab is a checkout with its results, and how it is worked in.
type Lab struct {
	// Out is for results, Err for progress and warnings.
	Out, Err io.Writer
	Set      Settings
	// Tool is what results say they were made by.
	Tool store.Tool
	// Compiles: programs that are stale are built. Whoever only looks at an
	// experiment must not run what it names.
	Compiles bool
}

// Settings are the tool's settings. Parameters of experiments are not among
// them.
type Settings struct {
	run.Settings
	engine.Options
	Root       string
	Project    string   // a folder with configs/ and results/ of one's own; "" = the checkout
	Mechanisms []string // folders of mechanisms of one's own
	// MechanismsInFile: they are in the settings file.
	MechanismsInFile bool
	NS3              string // the folder of the ns-3 that is named, "" where none is
	NS3InFile        bool

	Out       string
	Scale     string
	Engines   []string
	JSON      bool
	Verbose   bool
	Verify    string
	BuildType build.Type
	Executor  string
	Slurm     slurm.Settings
}

// Root is the checkout. One that nobody named, and that this program is not
// part of, must be the user's own.
func (lab *Lab) Root() (string, error) {
	if lab.Set.Root != "" {
		return build.FindRoot(lab.Set.Root)
	}
	root, err := build.FindRoot(".")
	if err != nil || root == build.ProgramRoot() {
		return root, err
	}
	return root, trust.Check(filepath.Join(root, "go.mod"))
}

// ResultsDir is the results folder.
func (lab *Lab) ResultsDir() (string, error) {
	if lab.Set.Out != "" {
		return filepath.Abs(lab.Set.Out)
	}
	home, err := lab.Home()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, "results"), nil
}

// Home is the project, or the checkout where there is none.
func (lab *Lab) Home() (string, error) {
	if lab.Set.Project != "" {
		return lab.Set.Project, nil
	}
	return lab.Root()
}

// HomeName is what Home is called.
func (lab *Lab) HomeName() string {
	if lab.Set.Project != "" {
		return "the project"
	}
	return "the checkout"
}

// Own are the folders with mechanisms of one's own.
func (lab *Lab) Own() ([]build.Own, error) {
	root, err := lab.Root()
	if err != nil {
		return nil, err
	}
	return build.OwnFolders(root, lab.Set.Mechanisms)
}

// Builder builds the checkout with the mechanisms of one's own.
func (lab *Lab) Builder() (*build.Builder, error) {
	root, err := lab.Root()
	if err != nil {
		return nil, err
	}
	log := io.Discard
	switch {
	case lab.Set.Verbose:
		log = lab.Err
	case !lab.Set.JSON:
		log = build.Status(lab.Err)
	}
	own, err := lab.Own()
	if err != nil {
		return nil, err
	}
	b := build.New(root, lab.Set.BuildType, log)
	if !lab.Compiles {
		b = b.AsItIs()
	}
	return b.With(own)
}

// Catalog gets the catalog from fabric-describe.
func (lab *Lab) Catalog(ctx context.Context) (*catalog.Catalog, error) {
	c, _, err := lab.Model(ctx)
	return c, err
}

// Model is what fabric-describe says: the catalog, and answers about scenarios.
func (lab *Lab) Model(ctx context.Context) (*catalog.Catalog, *build.Checks, error) {
	b, err := lab.Builder()
	if err != nil {
		return nil, nil, err
	}
	data, err := b.Describe(ctx)
	if err != nil {
		return nil, nil, err
	}
	c, err := catalog.Load(data)
	return c, b.Checks(ctx), err
}

// Print writes a value as JSON for programs.
func (lab *Lab) Print(value any) error {
	e := json.NewEncoder(lab.Out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(value)
}

// Program gives the path of a program of the build.
func (lab *Lab) Program(ctx context.Context, name string) (string, error) {
	b, err := lab.Builder()
	if err != nil {
		return "", err
	}
	return b.Tool(ctx, name)
}

// Display shows the progress of runs.
func (lab *Lab) Display() progress.Display {
	if lab.Set.JSON {
		return progress.NewJSON(lab.Out)
	}
	return progress.Show(lab.Err)
}

// Depth is how closely results are looked at before they are taken.
func (lab *Lab) Depth() store.Depth {
	if lab.Set.Verify == "sizes" {
		return store.Sizes
	}
	return store.Contents
}

// Tell says what is done that takes long.
func (lab *Lab) Tell(text string) {
	if !lab.Set.JSON {
		fmt.Fprintln(lab.Err, text)
	}
}

// RecordsDir is where records are: docs/results of the project, or of the checkout.
func (lab *Lab) RecordsDir() (string, error) {
	home, err := lab.Home()
	return filepath.Join(home, "docs", "results"), err
}

// RecordsDirs are where records are read: the project's go before the checkout's.
func (lab *Lab) RecordsDirs() ([]string, error) {
	root, err := lab.Root()
	dirs := []string{filepath.Join(root, "docs", "results")}
	if lab.Set.Project != "" {
		dirs = append([]string{filepath.Join(lab.Set.Project, "docs", "results")}, dirs...)
	}
	return dirs, err
}

// OnCluster says whether simulations run on a cluster.
func (lab *Lab) OnCluster() bool { return lab.Set.Executor == ExecutorSlurm }

// The executors.
const (
	ExecutorLocal = "local"
	ExecutorSlurm = "slurm"
)
