// Package computed is the interface of experiments that are computed, not
// simulated (docs/computed.md): routing games, an oracle, a bench of an
// algorithm. Each kind has a section of its own in the YAML. Matrix, seeds,
// scales, claims and plots are as in a simulation.
package computed

import (
	"context"
	"fmt"
	"slices"

	"fabriclab/base/catalog"
	"fabriclab/harness/topology"
	"fabriclab/harness/trace"
	"fabriclab/harness/workload"
)

// A Kind is a kind of computed experiment.
type Kind struct {
	// Key is the name of its section, which stands instead of a simulation.
	Key string
	// Help says what the section ("") and each of its keys are.
	Help map[string]string
	// Network asks for topology, workload and run beside the section.
	Network bool
	// Tables are those that its models write.
	Tables []catalog.Table
	// Alone says that nothing else may run beside a model, as times are measured.
	Alone bool
	// Read reads the section of one point. It reports what is wrong to the
	// section; what it returns then is not used. n is nil without Network.
	Read func(s Section, n *Network) Model
}

// A Model computes the tables of a point. Its JSON makes the point's scenario
// hash, so everything that matters has to be in exported fields.
type Model interface {
	// Write computes a seed and writes the tables of the kind. It gives up when
	// ctx ends.
	Write(ctx context.Context, place Place) ([]trace.File, error)
}

// A Place is for what and where a model is computed.
type Place struct {
	Seed uint64
	// Dir is the folder for the tables.
	Dir string
	// Tool gives the path of a program of the build, which it builds if need be.
	Tool func(ctx context.Context, name string) (string, error)
}

// A Network is what a point of a kind with Network has beside its section.
type Network struct {
	Topology *topology.Topology
	Flows    workload.Generator
	Rules    workload.Rules
}

// A Section is read key by key; keys that nobody asked for are refused. What a
// key has to be is noted for the JSON Schema at the same time.
type Section interface {
	// Need reports a key that is missing, with an example of its value.
	Need(key, example string)
	// Integer, Share (0 to 1), Number (from 0 on), Time and Choice are values
	// with a default; that of Choice is the first word.
	Integer(key string, def, least, most int64) int64
	Share(key string, def float64) float64
	Number(key string, def float64) float64
	Time(key string, def int64) int64
	Choice(key string, words ...string) string
	// Problem reports what is wrong with a key, or with the section ("").
	Problem(key, format string, args ...any)
}

var kinds []Kind

// Register adds a kind; packages do it when they are initialised.
func Register(k Kind) {
	if slices.ContainsFunc(kinds, func(known Kind) bool { return known.Key == k.Key }) {
		panic(fmt.Sprintf("there are two kinds %q of computed experiments", k.Key))
	}
	kinds = append(kinds, k)
}

// Kinds are those that are registered.
func Kinds() []Kind { return kinds }
