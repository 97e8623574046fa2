package workload

import (
	"errors"
	"fmt"
	"io"
	"iter"

	"fabriclab/harness/scenario"
)

// File is a flow list in a CSV or (ending in .parquet) a Parquet file. It is
// read anew whenever it is asked for, so it may be long.
//
// The columns are those of flowColumns; the rows are sorted by start (and then
// by flow, if it is given); without the column flow they are numbered from 0.
type File struct {
	path  string
	host  func(name string) (uint32, error)
	rules Rules
	pairs [][2]uint32

	persistent bool // some flow is
}

// OpenFile reads a flow list once and checks all of it. host finds a host by
// name.
func OpenFile(path string, host func(name string) (uint32, error), rules Rules) (*File, error) {
	f := &File{path: path, host: host, rules: rules}
	seen := map[[2]uint32]bool{}
	var ids idSet
	row := 0
	for flow, err := range f.Flows(0) {
		if err != nil {
			return nil, err
		}
		row++
		f.persistent = f.persistent || flow.Persistent
		if !ids.add(flow.ID) {
			return nil, fmt.Errorf("flow list %s: the flow in row %d has the number %d, as one above it; every flow has a number of its own", path, row, flow.ID)
		}
		if pair := [2]uint32{flow.Src, flow.Dst}; !seen[pair] {
			seen[pair] = true
			f.pairs = append(f.pairs, pair)
		}
	}
	if len(f.pairs) == 0 {
		return nil, fmt.Errorf("%s has no flows; it needs a row for each", path)
	}
	return f, nil
}

// Pairs yields the pairs of hosts in the list, each once.
func (f *File) Pairs() iter.Seq2[uint32, uint32] {
	return func(yield func(uint32, uint32) bool) {
		for _, pair := range f.pairs {
			if !yield(pair[0], pair[1]) {
				return
			}
		}
	}
}

// HasConnections says whether a flow is a message on a persistent connection.
func (f *File) HasConnections() bool { return f.persistent }

// Names is nil: the flows of a file have no names.
func (f *File) Names() []string { return nil }

// Flows yields the list; it is the same for every seed.
func (f *File) Flows(uint64) iter.Seq2[scenario.Flow, error] {
	return func(yield func(scenario.Flow, error) bool) {
		err := f.read(func(flow scenario.Flow) bool { return yield(flow, nil) })
		if err != nil {
			yield(scenario.Flow{}, err)
		}
	}
}

// read calls each for every flow until it returns false.
func (f *File) read(each func(scenario.Flow) bool) (err error) {
	table, err := openRows(f.path)
	if err != nil {
		return fmt.Errorf("flow list: %w", err)
	}
	defer func() { err = errors.Join(err, table.close()) }()
	reader, err := newFlowReader(table.columns(), f.host, f.rules, "start")
	if err != nil {
		return fmt.Errorf("flow list %s: %w", f.path, err)
	}
	var previous scenario.Flow
	for id := uint32(0); ; id++ {
		row, err := table.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("flow list %s: %w", f.path, err)
		}
		flow, err := reader.flow(id, row)
		switch {
		case err == nil && id == 0:
		case err == nil && flow.StartPs < previous.StartPs:
			err = fmt.Errorf("start: %d ps is before the row above (%d ps); sort the flows by start", flow.StartPs, previous.StartPs)
		case err == nil && flow.StartPs == previous.StartPs && flow.ID < previous.ID:
			err = fmt.Errorf("flow: %d stands behind %d, which starts at the same time; sort the flows by start, then by number", flow.ID, previous.ID)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", position(table), err)
		}
		if !each(flow) {
			return nil
		}
		previous = flow
	}
}
