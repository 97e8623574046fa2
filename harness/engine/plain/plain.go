// Package plain is the engine that needs no simulator: what there is on every
// machine, and an opinion of its own beside the simulators.
package plain

import "fabriclab/harness/engine"

// Engine is plain.
type Engine struct{}

var _ engine.Engine = Engine{}

// Name implements engine.Engine.
func (Engine) Name() string { return "plain" }

// Title implements engine.Engine.
func (Engine) Title() string { return "plain" }

// Binary implements engine.Engine.
func (Engine) Binary() string { return "fabric-plain" }

// Sources implements engine.Engine.
func (Engine) Sources() []string { return []string{"mechanisms/plain"} }

// Kernels implements engine.Engine: there is no simulator to measure.
func (Engine) Kernels() []string { return nil }

// Find implements engine.Engine: it is part of the checkout.
func (Engine) Find() (engine.Installation, error) {
	return engine.Installation{Path: "mechanisms/plain", Version: "1"}, nil
}
