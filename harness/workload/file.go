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
	err := f.read(func(flow scenario.Flow) error {
		f.persistent = f.persistent || flow.Persistent
		if !ids.add(flow.ID) {
			return &FlowError{"flow", fmt.Errorf("%d is the number of a flow above, too; every flow has a number of its own", flow.ID)}
		}
		if pair := [2]uint32{flow.Src, flow.Dst}; !seen[pair] {
			seen[pair] = true
			f.pairs = append(f.pairs, pair)
		}
		return nil
	})
	if err != nil {
		return nil, err
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
		enough := errors.New("enough")
		err := f.read(func(flow scenario.Flow) error {
			if !yield(flow, nil) {
				return enough
			}
			return nil
		})
		if err != nil && !errors.Is(err, enough) {
			yield(scenario.Flow{}, err)
		}
	}
}

// read calls a function with every flow until it returns an error, which is
// then that of the row.
func (f *File) read(call func(scenario.Flow) error) (err error) {
	table, err := openRows(f.path)
	if err != nil {
		return fmt.Errorf("flow list: %w", err)
	}
	defer func() { err = errors.Join(err, table.close()) }()
	reader, err := newFlowReader(table, f.path, f.host, f.rules, "start")
	if err != nil {
		return err
	}
	var previous scenario.Flow
	n := uint32(0)
	for {
		fields, err := table.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		row, err := reader.row(fields)
		if err == nil {
			err = reader.each(n, row, func(flow scenario.Flow, _ int, _ string) error {
				if n++; n > 1 {
					if err := inOrder(previous, flow); err != nil {
						return err
					}
				}
				previous = flow
				if err := f.rules.Check(flow); err != nil {
					return err
				}
				return call(flow)
			})
		}
		if err != nil {
			return reader.at(err)
		}
	}
}

// inOrder refuses a flow that stands behind one that comes after it.
func inOrder(previous, flow scenario.Flow) error {
	switch {
	case flow.StartPs < previous.StartPs:
		return &FlowError{"start", fmt.Errorf("%d ps is before the row above (%d ps); sort the flows by start", flow.StartPs, previous.StartPs)}
	case flow.StartPs == previous.StartPs && flow.ID < previous.ID:
		return &FlowError{"flow", fmt.Errorf("%d stands behind %d, which starts at the same time; sort the flows by start, then by number", flow.ID, previous.ID)}
	}
	return nil
}
