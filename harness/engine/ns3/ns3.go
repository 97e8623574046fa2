// Package ns3 finds ns-3 and its runner.
package ns3

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"fabriclab/harness/engine"
)

// OwnTCP is the program that carries the load of a scenario with ns-3's own
// TCP, OwnTCPSources the folder that only it is made of.
const (
	OwnTCP        = "fabric-ns3-tcp"
	OwnTCPSources = "ns3-modules/bench"
)

// Engine is ns-3.
type Engine struct{}

var _ engine.Engine = Engine{}

// Name implements engine.Engine.
func (Engine) Name() string { return "ns3" }

// Title implements engine.Engine.
func (Engine) Title() string { return "ns-3" }

// Binary implements engine.Engine.
func (Engine) Binary() string { return "fabric-ns3" }

// Sources implements engine.Engine.
func (Engine) Sources() []string { return []string{"ns3-modules"} }

// Adapt implements engine.Adapter.
func (Engine) Adapt(p *engine.Program, o engine.Options) {
	if o.NSLog != "" {
		p.Env = append(p.Env, "NS_LOG="+o.NSLog)
	}
}

// Kernels implements engine.Engine.
func (Engine) Kernels() []string { return []string{"event", "stock"} }

// Threaded implements engine.Threaded.
func (Engine) Threaded() {}

// place is a folder that was named, and where.
type place struct{ dir, from string }

var chosen place

// Choose sets the folder of the ns-3 that is used from now on, "" to search for
// one. From is where it was named, for messages.
func Choose(dir, from string) { chosen = place{dir, from} }

// Variable holds the folder of ns-3 where Choose was not called.
const Variable = "FABRICLAB_NS3"

// Find takes the ns-3 that is named: by Choose, FABRICLAB_NS3 or ns3_DIR. If
// none is, it searches CMAKE_PREFIX_PATH, /usr/local and /usr.
// ns3-modules/cmake/FabricNs3.cmake looks in the same way.
func (Engine) Find() (engine.Installation, error) {
	for _, named := range []place{chosen, {os.Getenv(Variable), Variable}, {os.Getenv("ns3_DIR"), "ns3_DIR"}} {
		if named.dir == "" {
			continue
		}
		found, err := at(named.dir)
		if err != nil {
			return engine.Installation{}, fmt.Errorf("%s names the ns-3 %s: %w", named.from, named.dir, err)
		}
		return found, nil
	}
	var unusable error
	for _, prefix := range slices.Concat(filepath.SplitList(os.Getenv("CMAKE_PREFIX_PATH")), []string{"/usr/local", "/usr"}) {
		found, err := at(prefix)
		if err == nil {
			return found, nil
		}
		if unusable == nil && !errors.Is(err, errNone) {
			unusable = fmt.Errorf("the ns-3 in %s: %w", prefix, err)
		}
	}
	if unusable == nil {
		unusable = errors.New("ns-3 is not installed (not in CMAKE_PREFIX_PATH, /usr/local or /usr); " + howToGet)
	}
	return engine.Installation{}, engine.Absent(unusable)
}

const howToGet = "run: make deps (installs the distribution's), or name one with --ns3 DIR, FABRICLAB_NS3 or ns3: in fabriclab.yaml; DIR is where ns-3 was installed or built"
