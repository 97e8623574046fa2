package spec

import "fabriclab/analysis/series"

// A Setup is what is known of a point's runs before they are made: what they
// record, and of what network for how long. The zero value knows nothing.
type Setup struct {
	Labels map[string]string // matrix path -> value
	// Tables are those that the runs will have, nil where that is not known.
	Tables map[string]Recorded
	// Classes is the number of priority classes, 0 where it is not known.
	Classes int
	// FlowClasses are those of the flows, sorted; nil where they are not known.
	FlowClasses []int64
	// EndPs is when the runs end at the latest, 0 where it is not known; Ends are
	// the keys that say so.
	EndPs int64
	Ends  string
	// Judged is the measuring window of a point that carries a load.
	Judged series.Window
	// Flows are the names of the flows by id, nil where flows have none, and
	// FlowCount is how many there are, 0 where it is not known.
	Flows     []string
	FlowCount int64
	// Port says why there is no port of a name, Ports are the names of all, and
	// SwitchPorts those of switches; nil without a network.
	Port        func(name string) error
	Ports       func() []string
	SwitchPorts func() []string
}

// Recorded is what of a table is there.
type Recorded = series.Recorded

// Known is what is known of an experiment beside its figure section. Nil leaves
// unchecked what is about it.
type Known struct {
	// Matrix has the values of each matrix path, at this scale.
	Matrix map[string][]string
	Scale  string
	// Tables are those that runs can have, as they are stored.
	Tables Tables
	// Add is what to write below trace to have a table.
	Add map[string]string
	// Setups are those of the points.
	Setups []Setup
	// Narrowed: a flag has changed the experiment, so the section may ask for what
	// is no longer there. That is a warning.
	Narrowed bool
}
