// Package omnet finds OMNeT++ and its runner. OMNeT++ is opt-in: its Academic
// Public License is free for non-commercial use only.
package omnet

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/maruel/natural"

	"fabriclab/base/file"
	"fabriclab/harness/engine"
)

// Engine is OMNeT++.
type Engine struct{}

var _ engine.Engine = Engine{}

// Name implements engine.Engine.
func (Engine) Name() string { return "omnetpp" }

// Title implements engine.Engine.
func (Engine) Title() string { return "OMNeT++" }

// Binary implements engine.Engine.
func (Engine) Binary() string { return "fabric-omnet" }

// Sources implements engine.Engine.
func (Engine) Sources() []string { return []string{"omnet-modules"} }

// Adapt implements engine.Adapter.
func (Engine) Adapt(p *engine.Program, o engine.Options) {
	if o.OmnetResults {
		p.Extra = []string{"--omnet-results", "omnet-results"}
	}
}

// Kernels implements engine.Engine.
func (Engine) Kernels() []string { return []string{"event", "stock", "gates"} }

const howToGet = `get it in one of these ways and set OMNETPP_ROOT to its folder (or source its setenv):
  opp_env:  pip install opp-env && opp_env install omnetpp-6.1
  image:    the official container image, omnetpp/omnetpp
  archive:  the release archive from omnetpp.org/download: ./configure WITH_QTENV=no && make
OMNeT++ is free for non-commercial use (Academic Public License); the other engine, ns3, needs none of this`

// Find looks at OMNETPP_ROOT, at opp_run on the PATH, and in /opt/omnetpp* and
// ~/omnetpp*, the newest first.
func (Engine) Find() (engine.Installation, error) {
	if root := os.Getenv("OMNETPP_ROOT"); root != "" {
		found, err := at(root)
		if err != nil {
			return engine.Installation{}, fmt.Errorf("OMNETPP_ROOT is %s: %w", root, err)
		}
		return found, nil
	}
	var roots []string
	if run, err := exec.LookPath("opp_run"); err == nil {
		if target, err := filepath.EvalSymlinks(run); err == nil {
			roots = append(roots, filepath.Dir(filepath.Dir(target)))
		}
	}
	parents := []string{"/opt"}
	if home, err := os.UserHomeDir(); err == nil {
		parents = append(parents, home)
	}
	for _, parent := range parents {
		roots = append(roots, newestFirst(parent)...)
	}
	var incomplete error
	for _, root := range roots {
		found, err := at(root)
		if err == nil {
			return found, nil
		}
		if incomplete == nil {
			incomplete = fmt.Errorf("%s: %w", root, err)
		}
	}
	if incomplete != nil {
		return engine.Installation{}, incomplete
	}
	return engine.Installation{}, engine.Absent(errors.New("OMNeT++ is not installed; " + howToGet))
}

// newestFirst lists omnetpp* of a folder. FindOMNeTpp.cmake has the same order.
func newestFirst(parent string) []string {
	found := file.Glob(parent, "omnetpp*")
	slices.SortFunc(found, func(a, b string) int { return natural.Compare(b, a) }) // 6.10 is newer than 6.9
	return found
}

// parts are what the build takes from an installation; any file of a pattern
// will do. cmake/FindOMNeTpp.cmake asks for the same.
var parts = []string{
	"Version", "include/omnetpp.h", "bin/opp_nedtool",
	"lib/liboppcmdenv.*", "lib/liboppenvir.*", "lib/liboppsim.*", "lib/liboppnedxml.*", "lib/liboppcommon.*",
}

// at takes a folder for an OMNeT++ installation if all of its parts that are
// used are there.
func at(root string) (engine.Installation, error) {
	for i, part := range parts {
		switch there := len(file.Glob(root, filepath.FromSlash(part))) > 0; {
		case !there && i == 0:
			return engine.Installation{}, errors.New("there is no OMNeT++ 6 in there (no file Version); " + howToGet)
		case !there:
			return engine.Installation{}, fmt.Errorf("the OMNeT++ in there is not completely built: it has no %s; build it (./configure WITH_QTENV=no && make), or set OMNETPP_ROOT to another one", part)
		}
	}
	text, err := os.ReadFile(filepath.Join(root, "Version"))
	if err != nil {
		return engine.Installation{}, fmt.Errorf("the version of OMNeT++: %w", err)
	}
	version := strings.TrimPrefix(strings.TrimSpace(string(text)), "omnetpp-")
	return engine.Installation{
		Path: root, Version: version,
		CMake: []string{"-DOMNETPP_ROOT=" + root},
		Env:   []string{"OMNETPP_ROOT=" + root},
	}, nil
}
