package workload

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"fabriclab/base/catalog"
	"fabriclab/harness/scenario"
)

// File is a flow list in a CSV or (ending in .parquet) a Parquet file. It is
// read anew whenever it is asked for, so it may be long.
//
// The columns have names, in CSV in the first line: src and dst (names of
// hosts), size_bytes (payload, 0 = unlimited) and start_ps; optional are flow
// (number, unique), stop_ps (-1 = never), class, group, weight, src_port,
// dst_port, persistent (a message on the connection of its hosts, ports and
// class, which stays open) and closed_loop (of a message: its start is by a
// clock that stands still while one of its connection is under way). The rows
// are sorted by start (and then by flow, if it is given); without the column
// flow they are numbered from 0.
type File struct {
	path  string
	host  func(name string) (uint32, error)
	rules Rules
	pairs [][2]uint32

	persistent bool // some flow is
}

var (
	requiredColumns = []string{"src", "dst", "size_bytes", "start_ps"}
	optionalColumns = []string{"flow", "stop_ps", "class", "group", "weight", "src_port", "dst_port", "persistent", "closed_loop"}
)

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

// rows is a table of texts, read row by row.
type rows interface {
	// columns are the names of the columns.
	columns() []string
	// next is the next row, valid until the following call; io.EOF behind the
	// last one.
	next() ([]string, error)
	// position is where the row is, for messages.
	position() string
	close() error
}

// read calls each for every flow until it returns false.
func (f *File) read(each func(scenario.Flow) bool) (err error) {
	open := openCSV
	if strings.HasSuffix(f.path, ".parquet") {
		open = openParquet
	}
	table, err := open(f.path)
	if err != nil {
		return fmt.Errorf("flow list: %w", err)
	}
	defer func() { err = errors.Join(err, table.close()) }()
	columns := slices.Clone(table.columns())
	if err := checkColumns(columns); err != nil {
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
		flow, err := f.flow(id, columns, row)
		switch {
		case err == nil && id == 0:
		case err == nil && flow.StartPs < previous.StartPs:
			err = fmt.Errorf("start_ps: %d is before the row above (%d); sort the flows by start", flow.StartPs, previous.StartPs)
		case err == nil && flow.StartPs == previous.StartPs && flow.ID < previous.ID:
			err = fmt.Errorf("flow: %d stands behind %d, which starts at the same time; sort the flows by start, then by number", flow.ID, previous.ID)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", table.position(), err)
		}
		if !each(flow) {
			return nil
		}
		previous = flow
	}
}

func checkColumns(columns []string) error {
	known := slices.Concat(requiredColumns, optionalColumns)
	for i, name := range columns {
		if !slices.Contains(known, name) {
			return fmt.Errorf("there is no column %q%s", name, catalog.Hint(name, known))
		}
		if slices.Contains(columns[:i], name) {
			return fmt.Errorf("the column %q is there twice; keep one", name)
		}
	}
	for _, name := range requiredColumns {
		if !slices.Contains(columns, name) {
			return fmt.Errorf("the column %q is missing; src, dst, size_bytes and start_ps have to be there", name)
		}
	}
	return nil
}

// fits says which numbers fit a column.
var fits = map[string]string{
	"size_bytes": "; a size is a whole number of bytes, 0 for an unlimited flow",
	"start_ps":   "; a start is a whole number of picoseconds, 0 or more",
	"stop_ps":    "; a stop is a whole number of picoseconds, -1 for never",
}

func truth(text string) (bool, error) {
	is, err := strconv.ParseBool(text)
	if err != nil {
		return false, fmt.Errorf("%q is neither true nor false", text)
	}
	return is, nil
}

// flow reads a row.
func (f *File) flow(id uint32, columns, row []string) (scenario.Flow, error) {
	flow := scenario.Flow{ID: id, StopPs: -1, Class: f.rules.DefaultClass(), Weight: 1, DstPort: DstPort}
	if i := slices.Index(columns, "flow"); i >= 0 {
		n, err := strconv.ParseUint(row[i], 10, 32)
		if err != nil {
			return flow, fmt.Errorf("flow: %q is not a number from 0 to %d", row[i], uint32(math.MaxUint32))
		}
		flow.ID = uint32(n)
	}
	flow.SrcPort = SrcPort(flow.ID)
	for i, name := range columns {
		var err error
		number := func(bits int) (n uint64) {
			n, err = strconv.ParseUint(row[i], 10, bits)
			return n
		}
		switch name {
		case "src":
			flow.Src, err = f.host(row[i])
		case "dst":
			flow.Dst, err = f.host(row[i])
		case "size_bytes":
			flow.Size = number(64)
		case "start_ps":
			flow.StartPs = int64(number(63))
		case "stop_ps":
			flow.StopPs, err = strconv.ParseInt(row[i], 10, 64)
		case "class":
			flow.Class = uint8(number(8))
		case "group":
			flow.Group = uint32(number(32))
		case "weight":
			flow.Weight, err = strconv.ParseFloat(row[i], 64)
			if err == nil && !(flow.Weight >= 0) {
				err = fmt.Errorf("%q is no weight; it is 0 or more", row[i])
			}
		case "src_port":
			flow.SrcPort = uint16(number(16))
		case "dst_port":
			flow.DstPort = uint16(number(16))
		case "persistent":
			flow.Persistent, err = truth(row[i])
		case "closed_loop":
			flow.ClosedLoop, err = truth(row[i])
		}
		if errors.Is(err, strconv.ErrSyntax) || errors.Is(err, strconv.ErrRange) {
			err = fmt.Errorf("%q is not a number that fits this column%s", row[i], fits[name])
		}
		if err != nil {
			return flow, fmt.Errorf("%s: %w", name, err)
		}
	}
	flow.Measured = f.rules.Measured(flow.StartPs)
	return flow, f.rules.Check(flow)
}
