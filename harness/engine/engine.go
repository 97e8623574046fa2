// Package engine knows the simulators by what all of them have in common: the
// runner's command line (docs/formats.md, Programs).
package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// Engine is what can run scenarios: a simulator, or the engine without one.
type Engine interface {
	// Name is what the command line and result paths call it.
	Name() string
	// Title is its name for people.
	Title() string
	// Binary is the file name of its runner, which is its CMake target, too.
	Binary() string
	// Sources are the folders that hold its part of the C++.
	Sources() []string
	// Kernels are what its runner can measure of the simulator alone
	// (--kernel), the fabric's own events first; none where there is none.
	Kernels() []string
	// Find looks for the simulator on this machine. The error says how to
	// get it; it is ErrAbsent where nobody said where the simulator is.
	Find() (Installation, error)
}

// Alone is an engine without a simulator: a folder of the checkout, whose program
// is called fabric-NAME.
type Alone struct{ ID, Folder string }

// Name implements Engine.
func (a Alone) Name() string { return a.ID }

// Title implements Engine.
func (a Alone) Title() string { return a.ID }

// Binary implements Engine.
func (a Alone) Binary() string { return "fabric-" + a.ID }

// Sources implements Engine.
func (a Alone) Sources() []string { return []string{a.Folder} }

// Kernels implements Engine: there is no simulator to measure.
func (Alone) Kernels() []string { return nil }

// Find implements Engine: it is part of the checkout.
func (a Alone) Find() (Installation, error) { return Installation{Path: a.Folder, Version: "1"}, nil }

// Options are settings that only one engine has; it is an Adapter.
type Options struct {
	NSLog        string // ns-3's components and levels of logging
	OmnetResults bool   // OMNeT++'s own result files, too
}

// An Adapter has options of its own.
type Adapter interface {
	// Adapt has a program run with them.
	Adapt(*Program, Options)
}

// Threaded is an engine whose runs have several threads where nobody says how
// many.
type Threaded interface{ Threaded() }

// ErrAbsent is the error of a simulator of which this machine has none that can
// be used.
var ErrAbsent = errors.New("no such simulator")

// Absent says that an error is ErrAbsent, too.
func Absent(err error) error { return absent{err} }

type absent struct{ error }

func (absent) Is(target error) bool { return target == ErrAbsent }

// Installation is a simulator found on this machine.
type Installation struct {
	Path    string
	Version string
	// Note is what its user should know about it, if anything.
	Note string
	// Libraries are files of it that decide what a run does: with others, the
	// runner is another one.
	Libraries []string
	// CMake are the settings the build needs to find it.
	CMake []string
	// Env is added to the runner's environment.
	Env []string
}

// Version is what a runner says about itself (--version).
type Version struct {
	Engine        string `json:"engine"`
	EngineVersion string `json:"engine_version"`
	Compiler      string `json:"compiler"`
	BuildType     string `json:"build_type"`
	Flags         string `json:"flags"`
	// Libraries is a hash of the simulator's libraries, where it has some. The
	// runner does not know it.
	Libraries string `json:"libraries,omitempty"`
}

// Program is a built runner.
type Program struct {
	Path string
	Env  []string
	// Simulator is the folder of the simulator that it is built with.
	Simulator string
	Version   Version
	// Sources are what it is made of. Used are the parts that matter to a run,
	// where it is the program of one.
	Sources Sources
	Used    map[string]string
	// BuildID identifies sources, flags, compiler and engine version; a run is
	// valid for one of them.
	BuildID string
	// Extra are options of this engine alone, behind the common ones.
	Extra []string
	// Threaded is that of its engine.
	Threaded bool
}

// Args is the command line that runs a scenario.
func (p *Program) Args(scenario, trace, summary string, progress time.Duration, threads int) []string {
	args := []string{
		"--scenario", scenario, "--trace", trace, "--summary", summary,
		"--progress-ms", strconv.FormatInt(max(1, progress.Milliseconds()), 10),
	}
	if threads > 1 {
		args = append(args, "--threads", strconv.Itoa(threads))
	}
	return append(args, p.Extra...)
}

// Ask runs the program with --version.
func Ask(ctx context.Context, path string, env []string) (Version, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "--version")
	if len(env) > 0 {
		cmd.Env = append(cmd.Environ(), env...)
	}
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) && len(exit.Stderr) > 0 {
			err = fmt.Errorf("%w: %s", err, strings.TrimSpace(string(exit.Stderr)))
		}
		return Version{}, fmt.Errorf("%s --version: %w; if the simulator was updated since the build, remove the build folder and run: fabriclab build", path, err)
	}
	var v Version
	if err := json.Unmarshal(out, &v); err != nil || v.Engine == "" {
		return Version{}, fmt.Errorf("%s --version printed %q, not the JSON of docs/formats.md; run: fabriclab build", path, strings.TrimSpace(string(out)))
	}
	return v, nil
}
