// Package ns3 finds ns-3 and its runner.
package ns3

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
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

// Header is one that its installation has, below include/.
func (Engine) Header() string { return "ns3/core-module.h" }

var versionLine = regexp.MustCompile(`set\(PACKAGE_VERSION "([^"]+)"\)`)

// Find looks for the CMake package that CMakeLists.txt will find, too: in
// ns3_DIR, below CMAKE_PREFIX_PATH, and where Debian and `make install` put it.
func (Engine) Find() (engine.Installation, error) {
	var folders []string
	if dir := os.Getenv("ns3_DIR"); dir != "" {
		folders = append(folders, dir)
	}
	prefixes := slices.Concat(filepath.SplitList(os.Getenv("CMAKE_PREFIX_PATH")), []string{"/usr/local", "/usr"})
	for _, prefix := range prefixes {
		for _, pattern := range []string{"lib/cmake/ns3", "lib64/cmake/ns3", "lib/*/cmake/ns3"} {
			found, err := filepath.Glob(filepath.Join(prefix, pattern))
			if err != nil {
				return engine.Installation{}, fmt.Errorf("looking for ns-3 below %s: %w", prefix, err)
			}
			folders = append(folders, found...)
		}
	}
	for _, dir := range folders {
		if text, err := os.ReadFile(filepath.Join(dir, "ns3ConfigVersion.cmake")); err == nil {
			found := engine.Installation{Path: dir, Version: "unknown"}
			if m := versionLine.FindSubmatch(text); m != nil {
				found.Version = string(m[1])
			}
			return found, nil
		}
	}
	return engine.Installation{}, fmt.Errorf("ns-3 is not installed (no ns3ConfigVersion.cmake in ns3_DIR, CMAKE_PREFIX_PATH, /usr/local or /usr); run: make deps (installs Debian's libns3-dev)")
}
