// Package engines is the list of engines.
package engines

import (
	"fmt"

	"fabriclab/base/catalog"
	"fabriclab/harness/engine"
	"fabriclab/harness/engine/ns3"
	"fabriclab/harness/engine/omnet"
)

// All are the engines, the default one first.
func All() []engine.Engine { return []engine.Engine{ns3.Engine{}, omnet.Engine{}} }

// ByName finds an engine.
func ByName(name string) (engine.Engine, error) {
	var known []string
	for _, e := range All() {
		if e.Name() == name {
			return e, nil
		}
		known = append(known, e.Name())
	}
	return nil, fmt.Errorf("unknown engine %q%s", name, catalog.Hint(name, known))
}
