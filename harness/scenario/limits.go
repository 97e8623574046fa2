package scenario

import "fabriclab/base/units"

// What the formats and the engines hold (mechanisms/runner/scenario.cc,
// mechanisms/core/switch.cc). Experiments are held against it before anything
// is built.
const (
	MaxRateBps = 100_000_000_000_000 // of a link
	// MaxDelayPs of a link is chosen: base RTTs over any number of hops stay
	// far below the longest time.
	MaxDelayPs  = 10 * units.Second
	MaxNodes    = 0xfffff1
	MaxPorts    = 0xffff // of a node
	MaxNextHops = 4095   // of a switch towards a host
)
