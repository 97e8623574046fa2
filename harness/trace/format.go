// Package trace reads the trace stream of a simulation engine and keeps it as
// Parquet tables, one file per table (docs/formats.md, docs/traces.md).
//
// The stream describes itself: its header names every table, column, unit and
// label, so there is no code for a single mechanism in here.
package trace

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strings"

	"fabriclab/base/catalog"
)

// Magic opens every trace stream.
const Magic = "FABTRC01"

const (
	blockTag = "FBLK"
	endTag   = "FEND"

	maxHeaderBytes = 64 << 20
	maxBlockBytes  = 256 << 20
)

// Header is the stream's description of itself.
type Header struct {
	Version int     `json:"version"`
	Tables  []Table `json:"tables"`
}

// Table describes a table.
type Table = catalog.Table

// Column describes a column.
type Column = catalog.Column

var typeWidths = map[string]int{"i64": 8, "u64": 8, "f64": 8, "u32": 4, "u16": 2, "u8": 1, "bool": 1}

// width is the size of one value in the stream; 0 for an unknown type.
func width(c Column) int { return typeWidths[c.Type] }

// rowWidth is the size of one row in the stream.
func rowWidth(t Table) int {
	n := 0
	for _, c := range t.Columns {
		n += width(c)
	}
	return n
}

// index is the position of a column, -1 if there is none.
func index(t Table, name string) int {
	return slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name == name })
}

// StreamError says where a trace stream breaks the format. A run with such a
// stream is not a result.
type StreamError struct {
	Offset int64
	Reason string
	// Truncated is set when the stream stops short of its end block.
	Truncated bool
}

func (e *StreamError) Error() string {
	what := "corrupt"
	if e.Truncated {
		what = "truncated"
	}
	return fmt.Sprintf("%s trace stream at byte %d: %s; the run is not a result", what, e.Offset, e.Reason)
}

// Block is a number of rows of one table, column after column.
type Block struct {
	Table   int
	Rows    int
	Payload []byte // valid until the next call of Reader.Next
}

// Reader reads and checks a trace stream.
type Reader struct {
	in      *bufio.Reader
	offset  int64
	header  Header
	rows    []uint64
	payload []byte
}

// NewReader reads the stream's header.
func NewReader(in io.Reader) (*Reader, error) {
	r := &Reader{in: bufio.NewReaderSize(in, 256<<10)}
	var fixed [12]byte
	if err := r.read(fixed[:], "the header"); err != nil {
		return nil, err
	}
	if string(fixed[:8]) != Magic {
		return nil, &StreamError{Offset: 0, Reason: fmt.Sprintf("it starts with %q, not with %q", fixed[:8], Magic)}
	}
	length := binary.LittleEndian.Uint32(fixed[8:])
	if length > maxHeaderBytes {
		return nil, &StreamError{Offset: 8, Reason: fmt.Sprintf("a header of %d bytes is announced (limit %d)", length, maxHeaderBytes)}
	}
	start := r.offset
	text := make([]byte, length)
	if err := r.read(text, "the header"); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &r.header); err != nil {
		return nil, &StreamError{Offset: start, Reason: fmt.Sprintf("its header is no valid JSON (%v)", err)}
	}
	if err := r.header.check(); err != nil {
		return nil, &StreamError{Offset: start, Reason: err.Error()}
	}
	r.rows = make([]uint64, len(r.header.Tables))
	return r, nil
}

func (h Header) check() error {
	if h.Version != 1 {
		return fmt.Errorf("header version %d, this fabriclab reads version 1 (rebuild the engine: fabriclab build)", h.Version)
	}
	tables := map[string]bool{}
	for _, t := range h.Tables {
		if t.Name == "" || strings.ContainsAny(t.Name, "/\\. ") {
			return fmt.Errorf("bad table name %q", t.Name)
		}
		if tables[t.Name] {
			return fmt.Errorf("table %q is declared twice", t.Name)
		}
		tables[t.Name] = true
		if len(t.Columns) == 0 {
			return fmt.Errorf("table %q has no columns", t.Name)
		}
		columns := map[string]bool{}
		for _, c := range t.Columns {
			switch {
			case c.Name == "":
				return fmt.Errorf("table %q has a column without a name", t.Name)
			case columns[c.Name]:
				return fmt.Errorf("column %s.%s is declared twice", t.Name, c.Name)
			case width(c) == 0:
				return fmt.Errorf("column %s.%s has the unknown type %q", t.Name, c.Name, c.Type)
			case c.Ref != "" && c.Ref != "node":
				return fmt.Errorf("column %s.%s refers to %q; only \"node\" is known", t.Name, c.Name, c.Ref)
			case (c.Ref != "" || len(c.Labels) > 0) && (c.Type == "f64" || c.Type == "bool" || c.Type == "i64" || c.Type == "u64"):
				return fmt.Errorf("column %s.%s of type %s cannot have labels or a reference", t.Name, c.Name, c.Type)
			}
			columns[c.Name] = true
		}
	}
	return nil
}

// Header returns the stream's description of itself.
func (r *Reader) Header() Header { return r.header }

// Rows returns the number of rows read so far, by table.
func (r *Reader) Rows() []uint64 { return r.rows }

// Next returns the next block, or io.EOF behind a valid end block. Any other
// error means that the stream is not a result.
func (r *Reader) Next() (Block, error) {
	start := r.offset
	var tag [4]byte
	if err := r.read(tag[:], "a block or the end block"); err != nil {
		return Block{}, err
	}
	switch string(tag[:]) {
	case blockTag:
		return r.block(start)
	case endTag:
		return Block{}, r.end(start)
	}
	return Block{}, &StreamError{Offset: start, Reason: fmt.Sprintf("%q where a block should start", tag)}
}

func (r *Reader) block(start int64) (Block, error) {
	var head [16]byte
	if err := r.read(head[:], "a block"); err != nil {
		return Block{}, err
	}
	table := binary.LittleEndian.Uint32(head[0:])
	rows := binary.LittleEndian.Uint32(head[4:])
	size := binary.LittleEndian.Uint32(head[8:])
	sum := binary.LittleEndian.Uint32(head[12:])
	if int64(table) >= int64(len(r.header.Tables)) {
		return Block{}, &StreamError{Offset: start, Reason: fmt.Sprintf("a block of table %d; the header names %d tables", table, len(r.header.Tables))}
	}
	t := r.header.Tables[table]
	if want := uint64(rows) * uint64(rowWidth(t)); uint64(size) != want || size > maxBlockBytes {
		return Block{}, &StreamError{Offset: start, Reason: fmt.Sprintf("a block of %d rows of %q has %d bytes (expected %d, limit %d)", rows, t.Name, size, want, maxBlockBytes)}
	}
	if cap(r.payload) < int(size) {
		r.payload = make([]byte, size)
	}
	r.payload = r.payload[:size]
	if err := r.read(r.payload, fmt.Sprintf("a block of %q", t.Name)); err != nil {
		return Block{}, err
	}
	if got := crc32.ChecksumIEEE(r.payload); got != sum {
		return Block{}, &StreamError{Offset: start, Reason: fmt.Sprintf("the checksum of a block of %q is %08x, not %08x", t.Name, got, sum)}
	}
	r.rows[table] += uint64(rows)
	return Block{Table: int(table), Rows: int(rows), Payload: r.payload}, nil
}

func (r *Reader) end(start int64) error {
	var head [8]byte
	if err := r.read(head[:], "the end block"); err != nil {
		return err
	}
	size := binary.LittleEndian.Uint32(head[0:])
	if size > maxHeaderBytes {
		return &StreamError{Offset: start, Reason: fmt.Sprintf("an end block of %d bytes is announced (limit %d)", size, maxHeaderBytes)}
	}
	text := make([]byte, size)
	if err := r.read(text, "the end block"); err != nil {
		return err
	}
	if crc32.ChecksumIEEE(text) != binary.LittleEndian.Uint32(head[4:]) {
		return &StreamError{Offset: start, Reason: "the checksum of the end block is wrong"}
	}
	var footer struct {
		Rows []uint64 `json:"rows"`
	}
	if err := json.Unmarshal(text, &footer); err != nil {
		return &StreamError{Offset: start, Reason: fmt.Sprintf("the end block is no valid JSON (%v)", err)}
	}
	if len(footer.Rows) != len(r.rows) {
		return &StreamError{Offset: start, Reason: fmt.Sprintf("the end block counts %d tables, the header names %d", len(footer.Rows), len(r.rows))}
	}
	for i, n := range footer.Rows {
		if n != r.rows[i] {
			return &StreamError{Offset: start, Reason: fmt.Sprintf("%d rows of %q were read, the end block counts %d", r.rows[i], r.header.Tables[i].Name, n)}
		}
	}
	if _, err := r.in.ReadByte(); err == nil {
		return &StreamError{Offset: r.offset, Reason: "there are bytes behind the end block"}
	} else if !errors.Is(err, io.EOF) {
		return fmt.Errorf("reading the trace stream: %w", err)
	}
	return io.EOF
}

func (r *Reader) read(into []byte, what string) error {
	n, err := io.ReadFull(r.in, into)
	r.offset += int64(n)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return &StreamError{Offset: r.offset, Truncated: true, Reason: "it ends where " + what + " should be"}
	}
	return fmt.Errorf("reading the trace stream: %w", err)
}
