package lab

import (
	"fmt"
	"slices"
	"strings"

	"fabriclab/harness/engine/engines"
)

// AllSimulators chooses all simulators that are here, if no engine was asked
// for; where there is none, the engine that needs none.
func (lab *Lab) AllSimulators() error {
	if len(lab.Set.Engines) > 0 {
		return nil
	}
	here, _, err := lab.Here()
	plain := engines.Everywhere().Name()
	if len(here) > 1 {
		here = slices.DeleteFunc(here, func(name string) bool { return name == plain })
	}
	lab.Set.Engines = here
	return err
}

// Here are the engines that are on this machine and in the checkout. The others
// are told of; absent is why one of them is not.
func (lab *Lab) Here() (names []string, absent, err error) {
	b, err := lab.Builder()
	if err != nil {
		return nil, nil, err
	}
	for _, e := range engines.All() {
		_, err := e.Find()
		if err == nil && !b.Has(e) {
			err = fmt.Errorf("the checkout has no %s", strings.Join(e.Sources(), ", "))
		}
		if err != nil {
			fmt.Fprintf(lab.Err, "%s is not here\n", e.Title())
			absent = err
			continue
		}
		names = append(names, e.Name())
	}
	return names, absent, nil
}
