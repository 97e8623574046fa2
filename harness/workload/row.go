package workload

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"fabriclab/base/catalog"
	"fabriclab/base/units"
	"fabriclab/harness/scenario"
	"fabriclab/harness/topology"
)

// flowColumns are the columns of flow lists. Of those that mean the same, one
// in numbers and one with units, a list has one.
var flowColumns = []string{
	"flow",       // number, unique
	"src", "dst", // hosts; with ranges, of several flows
	"join",               // those: all with all, or by pairs
	"size_bytes", "size", // payload, or unlimited
	"start_ps", "start",
	"stop_ps", "stop", // -1, or empty: never
	"class", "group", "weight", "src_port", "dst_port",
	"persistent",  // a message on the connection of its hosts, ports and class, which stays open
	"closed_loop", // of a message: its start is by a clock that stands still while one of its connection is under way
}

// mayBeEmpty are the columns in which nothing means what is meant without the
// column.
var mayBeEmpty = []string{"join", "start", "stop_ps", "stop", "class", "group", "weight", "src_port", "dst_port", "persistent", "closed_loop"}

// same are the columns that mean the same.
var same = [][2]string{{"size_bytes", "size"}, {"start_ps", "start"}, {"stop_ps", "stop"}, {"delay_ps", "delay"}, {"flow", "id"}}

// flowReader reads the rows of a flow list.
type flowReader struct {
	table   rows
	path    string
	columns []string
	host    func(name string) (uint32, error)
	rules   Rules
	named   string // the column that names the flows, "" = none
}

// flowRow is a row. With ranges it stands for several flows.
type flowRow struct {
	flow    scenario.Flow             // what they have in common
	pairs   bool                      // their ends are joined by pairs
	joined  iter.Seq2[uint32, uint32] // source and destination
	names   []string                  // nil: they have none
	srcPort bool                      // it is given
	nothing bool                      // its size is 0, or empty
}

// newFlowReader checks the columns: src, dst, a size, and what else is needed
// have to be there. `more` are columns that the caller reads.
func newFlowReader(table rows, path string, host func(name string) (uint32, error), rules Rules, need string, more ...string) (*flowReader, error) {
	r := &flowReader{table: table, path: path, columns: slices.Clone(table.columns()), host: host, rules: rules}
	wrong := func(column int, format string, args ...any) error {
		return fmt.Errorf("%s: %w", position(path, table.at(column)), brief(fmt.Errorf(format, args...)))
	}
	known := slices.Concat(flowColumns, more)
	for i, name := range r.columns {
		if strings.ContainsAny(name, ";\t") {
			return nil, wrong(i, "%q has no commas; separate the columns by commas", name)
		}
		if !slices.Contains(known, name) {
			return nil, wrong(i, "there is no column %q%s", name, catalog.Hint(name, known))
		}
		if slices.Contains(r.columns[:i], name) {
			return nil, wrong(i, "the column %q is there twice; keep one", name)
		}
	}
	has := func(name string) bool { return slices.Contains(r.columns, name) }
	for _, pair := range same {
		if has(pair[0]) && has(pair[1]) {
			return nil, wrong(slices.Index(r.columns, pair[1]), "the columns %q and %q say the same; keep one", pair[0], pair[1])
		}
	}
	for _, name := range []string{"src", "dst", "size", need} {
		if name == "" || has(name) {
			continue
		}
		i := slices.IndexFunc(same, func(pair [2]string) bool { return pair[1] == name })
		if i >= 0 && has(same[i][0]) {
			continue
		}
		if i >= 0 {
			name += " or " + same[i][0]
		}
		return nil, wrong(0, "the column %s is missing", name)
	}
	for _, name := range []string{"flow", "id"} {
		if has(name) {
			r.named = name
		}
	}
	return r, nil
}

// at says where the row of an error is, or the column that it is about.
func (r *flowReader) at(err error) error {
	var about *FlowError
	column := 0
	if errors.As(err, &about) {
		column = r.column(about.Field)
	}
	return fmt.Errorf("%s: %w", position(r.path, r.table.at(column)), brief(err))
}

// brief cuts what quotes a field of any length.
func brief(err error) error {
	const most, kept = 1000, 300
	text := err.Error()
	if len(text) <= most {
		return err
	}
	return fmt.Errorf("%s … (%d bytes) … %s", strings.ToValidUTF8(text[:kept], ""), len(text)-2*kept, strings.ToValidUTF8(text[len(text)-kept:], ""))
}

// column finds a column, or the one that says the same in numbers; 0 where
// there is none.
func (r *flowReader) column(name string) int {
	return max(0, slices.IndexFunc(r.columns, func(c string) bool {
		return c == name || slices.Contains(same, [2]string{c, name})
	}))
}

// value is what a row has in a column, "" where there is no such column.
func (r *flowReader) value(row []string, column string) string {
	if i := slices.Index(r.columns, column); i >= 0 {
		return row[i]
	}
	return ""
}

// fits says which numbers fit a column.
var fits = map[string]string{
	"size_bytes": "; a size is a whole number of bytes, or unlimited, or in the column size 1MB",
	"start_ps":   "; a start is a whole number of picoseconds, 0 or more, or in the column start 10us",
	"stop_ps":    "; a stop is a whole number of picoseconds, -1 for never",
}

func truth(text string) (bool, error) {
	is, err := strconv.ParseBool(text)
	if err != nil {
		return false, fmt.Errorf("%q is neither true nor false", text)
	}
	return is, nil
}

// each calls a function with every flow that a row stands for, its place among
// them and its name. They are numbered on from first, where the list does not
// number them. Errors that are about a column are a *FlowError.
func (r *flowReader) each(first uint32, row flowRow, call func(f scenario.Flow, nth int, name string) error) error {
	nth := 0
	for src, dst := range row.joined {
		f, name := row.flow, ""
		f.Src, f.Dst, f.ID = src, dst, first+uint32(nth)
		if row.names != nil {
			name = row.names[nth]
		}
		if row.nothing && !f.Task() {
			// Generators write 0 where there is nothing to send.
			return &FlowError{"size", errors.New("there is nothing to send; leave the flow out, or write a size above 0, or unlimited")}
		}
		if r.named == "flow" {
			n, err := strconv.ParseUint(name, 10, 32)
			if err != nil {
				return &FlowError{"flow", fmt.Errorf("%q is not a number from 0 to %d", name, uint32(math.MaxUint32))}
			}
			f.ID = uint32(n)
		}
		if !row.srcPort {
			f.SrcPort = SrcPort(f.ID)
		}
		if err := call(f, nth, name); err != nil {
			return err
		}
		nth++
	}
	return nil
}

// row reads a row; the error is a *FlowError.
func (r *flowReader) row(row []string) (flowRow, error) {
	read := flowRow{flow: scenario.Flow{StopPs: -1, Class: r.rules.DefaultClass(), Weight: 1, DstPort: DstPort}}
	var sources, destinations []uint32
	flow := &read.flow
	for i, name := range r.columns {
		if row[i] == "" && slices.Contains(mayBeEmpty, name) {
			continue
		}
		var err error
		number := func(bits int) (n uint64) {
			n, err = strconv.ParseUint(row[i], 10, bits)
			return n
		}
		switch name {
		case "src":
			sources, err = Hosts(row[i], r.host)
		case "dst":
			if row[i] != "" {
				destinations, err = Hosts(row[i], r.host)
			}
		case "join":
			if read.pairs = row[i] == "pairs"; !slices.Contains(topology.Joins, row[i]) {
				err = fmt.Errorf("%q is none of %s", row[i], strings.Join(topology.Joins, ", "))
			}
		case r.named:
			read.names, err = topology.Expand(row[i])
		case "size_bytes":
			flow.Size, err = sizeOf(row[i], func(text string) (uint64, error) { return strconv.ParseUint(text, 10, 64) })
			read.nothing = err == nil && flow.Size == 0 && row[i] != "unlimited"
		case "size":
			flow.Size, err = sizeOf(row[i], func(text string) (uint64, error) {
				n, err := units.ParseBytes(text)
				return uint64(n), err
			})
			read.nothing = err == nil && flow.Size == 0 && row[i] != "unlimited"
		case "start_ps":
			flow.StartPs = int64(number(63))
		case "start":
			flow.StartPs, err = units.ParseTime(row[i])
		case "stop_ps":
			flow.StopPs, err = strconv.ParseInt(row[i], 10, 64)
		case "stop":
			flow.StopPs, err = units.ParseTime(row[i])
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
			flow.SrcPort, read.srcPort = uint16(number(16)), true
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
			return read, &FlowError{name, err}
		}
	}
	flow.Measured = r.rules.Measured(flow.StartPs)
	return read, r.join(&read, sources, destinations)
}

// join joins the hosts of a row and looks whether there is a name for each flow.
func (r *flowReader) join(row *flowRow, sources, destinations []uint32) error {
	pairs := row.pairs
	if destinations == nil {
		destinations, pairs = sources, true // tasks, one for each host
	}
	var err error
	if row.joined, err = Join(sources, destinations, pairs); err != nil || row.names == nil {
		return err
	}
	n := 0
	for range row.joined {
		n++
	}
	if n != len(row.names) {
		return &FlowError{r.named, fmt.Errorf("there are %d of them for %d flows, which this row stands for; name as many, such as %s", len(row.names), n, exampleNames[r.named])}
	}
	return nil
}

// exampleNames are examples of what names the flows of a row.
var exampleNames = map[string]string{"id": "a[0..5]", "flow": "[0..5]"}

// sizeOf reads a size: 0 is unlimited, or that of a task, which may be empty.
func sizeOf(text string, parse func(string) (uint64, error)) (uint64, error) {
	if text == "unlimited" || text == "" {
		return 0, nil
	}
	return parse(text)
}

// openRows opens a table by the ending of its name.
func openRows(path string) (rows, error) {
	if strings.HasSuffix(path, ".parquet") {
		return openParquet(path)
	}
	return openCSV(path)
}
