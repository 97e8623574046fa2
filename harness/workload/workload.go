// Package workload makes the flow lists of scenarios.
package workload

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"fabriclab/harness/scenario"
)

// A Generator makes a flow list.
type Generator interface {
	// Flows yields the flow list of a seed in the order of (start, id).
	Flows(seed uint64) iter.Seq2[scenario.Flow, error]
	// Pairs yields the pairs of hosts (source, destination) between which
	// there may be flows, whatever the seed.
	Pairs() iter.Seq2[uint32, uint32]
	// Names are the names of the flows by id, nil where flows have none.
	Names() []string
}

// RoCEv2's UDP destination port, and the first of the dynamic ports, which
// are a flow's source ports in turn.
const (
	DstPort      = 4791
	firstSrcPort = 49152
	srcPorts     = 1<<16 - firstSrcPort
)

// SrcPort is the source port of a flow that is not given one.
func SrcPort(id uint32) uint16 { return uint16(firstSrcPort + id%srcPorts) }

// Entry describes one flow of a list, or Count equal ones between each pair of
// hosts.
type Entry struct {
	Name  string        // "" = flow and the id
	Flow  scenario.Flow // ID and, where 0, SrcPort and DstPort are filled in
	Pairs [][2]uint32   // source and destination, instead of Flow's; nil: those
	Count int           // if it makes several flows, the names are Name-0, Name-1, …
}

// Flows is how many flows the entry makes.
func (e Entry) Flows() int { return max(1, len(e.Pairs)) * e.Count }

// List is a flow list written out; ids are given in the order of the entries.
type List struct {
	flows []scenario.Flow // sorted by (start, id)
	names []string        // by id
}

// An EntryError says which entry of a list is wrong.
type EntryError struct {
	Index int
	Err   error
}

func (e *EntryError) Error() string { return fmt.Sprintf("flow list entry %d: %v", e.Index, e.Err) }
func (e *EntryError) Unwrap() error { return e.Err }

// NewList makes a list of entries and refuses names that occur twice.
func NewList(entries []Entry) (*List, error) {
	l := &List{}
	known := map[string]bool{}
	for i, e := range entries {
		for n := range e.Flows() {
			f := e.Flow
			if e.Pairs != nil {
				f.Src, f.Dst = e.Pairs[n/e.Count][0], e.Pairs[n/e.Count][1]
			}
			f.ID = uint32(len(l.flows))
			if f.SrcPort == 0 {
				f.SrcPort = SrcPort(f.ID)
			}
			if f.DstPort == 0 {
				f.DstPort = DstPort
			}
			name := e.Name
			switch {
			case name == "":
				name = fmt.Sprintf("flow%d", f.ID)
			case e.Flows() > 1:
				name = fmt.Sprintf("%s-%d", name, n)
			}
			if known[name] {
				return nil, &EntryError{i, fmt.Errorf("two flows have the name %q; every flow has a name of its own", name)}
			}
			known[name] = true
			l.flows = append(l.flows, f)
			l.names = append(l.names, name)
		}
	}
	slices.SortFunc(l.flows, func(a, b scenario.Flow) int {
		return cmp.Or(cmp.Compare(a.StartPs, b.StartPs), cmp.Compare(a.ID, b.ID))
	})
	return l, nil
}

// Flows yields the list; it is the same for every seed.
func (l *List) Flows(uint64) iter.Seq2[scenario.Flow, error] {
	return func(yield func(scenario.Flow, error) bool) {
		for _, f := range l.flows {
			if !yield(f, nil) {
				return
			}
		}
	}
}

// Expected is about how many flows there are.
func (l *List) Expected() float64 { return float64(len(l.flows)) }

// Pairs yields the pairs of hosts in the list, each once.
func (l *List) Pairs() iter.Seq2[uint32, uint32] {
	return func(yield func(uint32, uint32) bool) {
		seen := map[[2]uint32]bool{}
		for _, f := range l.flows {
			pair := [2]uint32{f.Src, f.Dst}
			if seen[pair] {
				continue
			}
			seen[pair] = true
			if !yield(f.Src, f.Dst) {
				return
			}
		}
	}
}

// Names are the flows' names by id.
func (l *List) Names() []string { return l.names }
