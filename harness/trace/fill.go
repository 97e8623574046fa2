package trace

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/parquet-go/parquet-go"
)

// filler converts rows from..from+len(into) of one column of a payload of that
// many rows.
type filler func(into []parquet.Value, payload []byte, rows, from int) error

// fillers are those of the stored table, in its order of columns. The offset of
// a column in a payload of n rows is n times its offset in a row.
func fillers(t Table, offsets []int, opt Options) []filler {
	var fill []filler
	for i, c := range t.Columns {
		switch {
		case c.Ref != "":
			fill = append(fill, nodeFiller(c, offsets[i], opt.Names))
		case len(c.Labels) > 0:
			fill = append(fill, labelFiller(c, offsets[i]))
		default:
			fill = append(fill, plainFiller(c, offsets[i]))
		}
		if hasLink(t) && c.Name == "port" {
			node := index(t, "node")
			fill = append(fill, linkFiller(t.Columns[node], offsets[node], offsets[i], opt.Names))
		}
	}
	return fill
}

func plainFiller(c Column, offset int) filler {
	switch c.Type {
	case "i64", "u64":
		return func(into []parquet.Value, payload []byte, rows, from int) error {
			data := payload[offset*rows+8*from:]
			for i := range into {
				into[i] = parquet.Int64Value(int64(binary.LittleEndian.Uint64(data[8*i:])))
			}
			return nil
		}
	case "f64":
		return func(into []parquet.Value, payload []byte, rows, from int) error {
			data := payload[offset*rows+8*from:]
			for i := range into {
				into[i] = parquet.DoubleValue(math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:])))
			}
			return nil
		}
	case "bool":
		return func(into []parquet.Value, payload []byte, rows, from int) error {
			data := payload[offset*rows+from:]
			for i := range into {
				into[i] = parquet.BooleanValue(data[i] != 0)
			}
			return nil
		}
	}
	read := reader(c)
	return func(into []parquet.Value, payload []byte, rows, from int) error {
		for i := range into {
			into[i] = parquet.Int32Value(int32(read(payload[offset*rows:], from+i)))
		}
		return nil
	}
}

// reader reads the i-th value of a column of u32, u16 or u8.
func reader(c Column) func(data []byte, i int) uint32 {
	switch c.Type {
	case "u32":
		return func(data []byte, i int) uint32 { return binary.LittleEndian.Uint32(data[4*i:]) }
	case "u16":
		return func(data []byte, i int) uint32 { return uint32(binary.LittleEndian.Uint16(data[2*i:])) }
	}
	return func(data []byte, i int) uint32 { return uint32(data[i]) }
}

func stringValues(texts []string) []parquet.Value {
	values := make([]parquet.Value, len(texts))
	for i, s := range texts {
		values[i] = parquet.ByteArrayValue([]byte(s))
	}
	return values
}

func labelFiller(c Column, offset int) filler {
	read, labels := reader(c), stringValues(c.Labels)
	return func(into []parquet.Value, payload []byte, rows, from int) error {
		for i := range into {
			v := read(payload[offset*rows:], from+i)
			if int64(v) >= int64(len(labels)) {
				return fmt.Errorf("value %d of column %q has no label (there are %d)", v, c.Name, len(labels))
			}
			into[i] = labels[v]
		}
		return nil
	}
}

func nodeFiller(c Column, offset int, names *Names) filler {
	read, nodes := reader(c), stringValues(names.nodes)
	return func(into []parquet.Value, payload []byte, rows, from int) error {
		for i := range into {
			v := read(payload[offset*rows:], from+i)
			if int64(v) >= int64(len(nodes)) {
				return fmt.Errorf("column %q names node %d; the scenario has %d nodes", c.Name, v, len(nodes))
			}
			into[i] = nodes[v]
		}
		return nil
	}
}

func linkFiller(node Column, nodeOffset, portOffset int, names *Names) filler {
	read := reader(node)
	links := make([][]parquet.Value, len(names.links))
	for i, ports := range names.links {
		links[i] = stringValues(ports)
	}
	return func(into []parquet.Value, payload []byte, rows, from int) error {
		for i := range into {
			n := read(payload[nodeOffset*rows:], from+i)
			p := int(binary.LittleEndian.Uint16(payload[portOffset*rows+2*(from+i):]))
			if int64(n) >= int64(len(links)) || p >= len(links[n]) {
				return fmt.Errorf("node %d port %d is not in the scenario", n, p)
			}
			into[i] = links[n][p]
		}
		return nil
	}
}

// deriver has the values of what is derived from a table, for as many rows as
// are converted at a time.
type deriver struct {
	of      []Derived
	offsets [][]int           // of their needs
	row     []parquet.Value   // of one row
	values  [][]parquet.Value // by column
	columns []Column
	first   int // position of the first column
}

func newDeriver(t Table, offsets []int, opt Options, first int) *deriver {
	d := &deriver{first: first}
	for _, one := range opt.Derived {
		if !appliesTo(one, t) {
			continue
		}
		var needs []int
		for _, need := range one.Needs() {
			needs = append(needs, offsets[index(t, need.Name)])
		}
		d.of, d.offsets, d.columns = append(d.of, one), append(d.offsets, needs), append(d.columns, one.Columns()...)
	}
	d.row = make([]parquet.Value, len(d.columns))
	for range d.columns {
		d.values = append(d.values, make([]parquet.Value, chunkRows))
	}
	return d
}

// derive derives n rows of a payload.
func (d *deriver) derive(n int, payload []byte, rows, from int) {
	if len(d.of) == 0 {
		return
	}
	for i := range n {
		clear(d.row)
		rest := d.row
		for k, one := range d.of {
			width := len(one.Columns())
			one.Row(Row{payload: payload, rows: rows, row: from + i, offsets: d.offsets[k]}, rest[:width:width])
			rest = rest[width:]
		}
		for c, v := range d.row {
			level := 0
			if d.columns[c].Nullable && !v.IsNull() {
				level = 1
			}
			d.values[c][i] = v.Level(0, level, d.first+c)
		}
	}
}
