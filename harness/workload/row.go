package workload

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"fabriclab/base/catalog"
	"fabriclab/base/units"
	"fabriclab/harness/scenario"
)

// flowColumns are the columns of flow lists. Of those that mean the same, one
// in numbers and one with units, a list has one.
var flowColumns = []string{
	"flow",       // number, unique
	"src", "dst", // hosts
	"size_bytes", "size", // payload; 0, or unlimited
	"start_ps", "start",
	"stop_ps", "stop", // -1, or empty: never
	"class", "group", "weight", "src_port", "dst_port",
	"persistent",  // a message on the connection of its hosts, ports and class, which stays open
	"closed_loop", // of a message: its start is by a clock that stands still while one of its connection is under way
}

// mayBeEmpty are the columns in which nothing means what is meant without the
// column.
var mayBeEmpty = []string{"start", "stop_ps", "stop", "class", "group", "weight", "src_port", "dst_port", "persistent", "closed_loop"}

// same are the columns that mean the same.
var same = [][2]string{{"size_bytes", "size"}, {"start_ps", "start"}, {"stop_ps", "stop"}, {"delay_ps", "delay"}, {"flow", "id"}}

// flowReader reads the rows of a flow list.
type flowReader struct {
	columns []string
	host    func(name string) (uint32, error)
	rules   Rules
}

// newFlowReader checks the columns: src, dst, a size, and what else is needed
// have to be there. `more` are columns that the caller reads.
func newFlowReader(columns []string, host func(name string) (uint32, error), rules Rules, need string, more ...string) (*flowReader, error) {
	known := slices.Concat(flowColumns, more)
	for i, name := range columns {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("there is no column %q%s", name, catalog.Hint(name, known))
		}
		if slices.Contains(columns[:i], name) {
			return nil, fmt.Errorf("the column %q is there twice; keep one", name)
		}
	}
	has := func(name string) bool { return slices.Contains(columns, name) }
	for _, pair := range same {
		if has(pair[0]) && has(pair[1]) {
			return nil, fmt.Errorf("the columns %q and %q say the same; keep one", pair[0], pair[1])
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
		return nil, fmt.Errorf("the column %s is missing", name)
	}
	return &flowReader{slices.Clone(columns), host, rules}, nil
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
	"size_bytes": "; a size is a whole number of bytes, 0 for an unlimited flow, or in the column size 1MB",
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

// flow reads a row.
func (r *flowReader) flow(id uint32, row []string) (scenario.Flow, error) {
	flow, err := r.fields(id, row)
	if err != nil {
		return flow, err
	}
	return flow, r.rules.Check(flow)
}

// fields reads a row without checking what flows have to keep to.
func (r *flowReader) fields(id uint32, row []string) (scenario.Flow, error) {
	flow := scenario.Flow{ID: id, StopPs: -1, Class: r.rules.DefaultClass(), Weight: 1, DstPort: DstPort}
	if text := r.value(row, "flow"); slices.Contains(r.columns, "flow") {
		n, err := strconv.ParseUint(text, 10, 32)
		if err != nil {
			return flow, fmt.Errorf("flow: %q is not a number from 0 to %d", text, uint32(math.MaxUint32))
		}
		flow.ID = uint32(n)
	}
	flow.SrcPort = SrcPort(flow.ID)
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
			flow.Src, err = r.host(row[i])
		case "dst":
			if row[i] != "" {
				flow.Dst, err = r.host(row[i])
			}
		case "size_bytes":
			flow.Size = number(64)
		case "size":
			flow.Size, err = sizeOf(row[i], r.value(row, "dst") == "")
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
	if r.value(row, "dst") == "" {
		flow.Dst = flow.Src // a task
	}
	flow.Measured = r.rules.Measured(flow.StartPs)
	return flow, nil
}

// sizeOf reads a size with its unit; that of a task is empty.
func sizeOf(text string, task bool) (uint64, error) {
	if text == "unlimited" || task && text == "" {
		return 0, nil
	}
	n, err := units.ParseBytes(text)
	if err == nil && n == 0 && !task {
		err = fmt.Errorf("%q is nothing to send; write a size above 0, or unlimited", text)
	}
	return uint64(n), err
}

// openRows opens a table by the ending of its name.
func openRows(path string) (rows, error) {
	if strings.HasSuffix(path, ".parquet") {
		return openParquet(path)
	}
	return openCSV(path)
}
