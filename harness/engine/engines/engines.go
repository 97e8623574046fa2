// Package engines is the list of engines: a new one is its folder and a row.
package engines

import (
	"errors"
	"fmt"

	"fabriclab/base/catalog"
	"fabriclab/harness/engine"
	"fabriclab/harness/engine/ns3"
	"fabriclab/harness/engine/omnet"
)

// all are the engines: the usual one first, last the one that every machine has.
var all = []engine.Engine{
	ns3.Engine{},
	omnet.Engine{},
	engine.Alone{ID: "plain", Folder: "mechanisms/plain"},
}

// All are the engines, the default one first.
func All() []engine.Engine { return all }

// Names are those of all engines.
func Names() []string {
	names := make([]string, len(all))
	for i, e := range all {
		names[i] = e.Name()
	}
	return names
}

// Everywhere is the engine that every machine has.
func Everywhere() engine.Engine { return all[len(all)-1] }

// Default is the engine of experiments that name none: the usual one or, where
// that is not on this machine, the one that every machine has, with the reason.
func Default() (e engine.Engine, why error) { return defaultOf(all) }

func defaultOf(list []engine.Engine) (e engine.Engine, why error) {
	if _, err := list[0].Find(); errors.Is(err, engine.ErrAbsent) {
		return list[len(list)-1], err
	}
	return list[0], nil
}

// ByName finds an engine.
func ByName(name string) (engine.Engine, error) {
	for _, e := range all {
		if e.Name() == name {
			return e, nil
		}
	}
	return nil, fmt.Errorf("unknown engine %q%s", name, catalog.Hint(name, Names()))
}
