package trace

import (
	"encoding/binary"
	"math"

	"github.com/parquet-go/parquet-go"
)

// A Derived is what the harness adds to the tables of a run: columns of a table
// that the simulator traced, tables of its own, or both. It belongs to one run.
type Derived interface {
	// From is the traced table that it is made from, Needs the columns that it
	// reads. Of a table without them nothing is derived.
	From() string
	Needs() []Column
	// Columns are added to every row, behind the traced ones.
	Columns() []Column
	// Row is given every row in the order of the table, and sets its values of
	// Columns; a value that is not set is null.
	Row(r Row, into []parquet.Value)
	// Tables are its own, which Finish writes after the last row.
	Tables() []Table
	Finish(create func(Table) (*TableWriter, error)) error
}

// A Checker is a Derived that looks for what no run can have.
type Checker interface {
	Check() (name string, ok bool, detail string)
}

// A Row is a row of a traced table, its columns numbered as in Needs.
type Row struct {
	payload []byte
	rows    int
	row     int
	offsets []int
}

func (r Row) at(column, width int) []byte {
	return r.payload[r.offsets[column]*r.rows+width*r.row:]
}

// Int64 is the value of a column of type i64, as are the others of theirs.
func (r Row) Int64(column int) int64 { return int64(r.Uint64(column)) }

// Uint64 is the value of a column of type u64.
func (r Row) Uint64(column int) uint64 { return binary.LittleEndian.Uint64(r.at(column, 8)) }

// Uint32 is the value of a column of type u32.
func (r Row) Uint32(column int) uint32 { return binary.LittleEndian.Uint32(r.at(column, 4)) }

// Float64 is the value of a column of type f64.
func (r Row) Float64(column int) float64 { return math.Float64frombits(r.Uint64(column)) }

// Bool is the value of a column of type bool.
func (r Row) Bool(column int) bool { return r.at(column, 1)[0] != 0 }

// appliesTo says whether something is derived from a table.
func appliesTo(d Derived, t Table) bool {
	if t.Name != d.From() {
		return false
	}
	for _, need := range d.Needs() {
		if i := index(t, need.Name); i < 0 || t.Columns[i].Type != need.Type {
			return false
		}
	}
	return true
}

var linkColumn = Column{Name: "link", Type: "string", Unit: "1", Help: "the port as node->neighbour, with #n for the n-th parallel link"}

// Stored is a traced table as it stands in the Parquet file: labels and
// references are strings, the link and what is derived are added.
func Stored(t Table, derived ...Derived) Table {
	s := t
	s.Sampled = false // how it was made
	s.Columns = nil
	for _, c := range t.Columns {
		if c.Ref != "" || len(c.Labels) > 0 {
			c.Type = "string"
		}
		s.Columns = append(s.Columns, c)
		if hasLink(t) && c.Name == "port" {
			s.Columns = append(s.Columns, linkColumn)
		}
	}
	for _, d := range derived {
		if appliesTo(d, t) {
			s.Columns = append(s.Columns, d.Columns()...)
		}
	}
	return s
}

func hasLink(t Table) bool {
	node, port := index(t, "node"), index(t, "port")
	return node >= 0 && port >= 0 && t.Columns[node].Ref == "node" && t.Columns[port].Type == "u16" && index(t, "link") < 0
}
