package trace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

const (
	// rowGroupRows bounds the memory of writer and readers.
	rowGroupRows = 1 << 20
	// chunkRows is how many values are converted at a time.
	chunkRows = 4096

	schemaKey = "fabriclab.table"
)

// Options say where the tables go and how ids become names.
type Options struct {
	// Dir receives one file <table>.parquet per table.
	Dir string
	// Names are the names of nodes and links.
	Names *Names
	// IdealFCT is the completion time of a flow between two hosts in the
	// empty network; false if it has none (unlimited flows). Nil means none
	// has.
	IdealFCT func(src, dst uint32, size uint64) (ps int64, ok bool)
	// Create opens a file for writing; nil means os.Create.
	Create func(path string) (io.WriteCloser, error)
	// Rows, if not nil, is kept at the number of rows read so far.
	Rows *atomic.Uint64
}

// File is a table that was written.
type File struct {
	Table  string
	Name   string // file name in Options.Dir
	Rows   uint64
	Bytes  int64
	SHA256 string
}

// Ingest reads a trace stream to its end and writes its tables. When it fails,
// the files it leaves are not a result and have to be removed by the caller.
func Ingest(ctx context.Context, in io.Reader, opt Options) (files []File, err error) {
	if opt.Create == nil {
		opt.Create = func(path string) (io.WriteCloser, error) { return os.Create(path) }
	}
	r, err := NewReader(in)
	if err != nil {
		return nil, err
	}
	tables := make([]*tableWriter, 0, len(r.Header().Tables))
	defer func() {
		for _, t := range tables {
			if closeErr := t.file.Close(); closeErr != nil && err == nil {
				err = fmt.Errorf("closing %s: %w", t.path, closeErr)
			}
		}
	}()
	for _, t := range r.Header().Tables {
		w, err := newTableWriter(t, opt)
		if err != nil {
			return nil, err
		}
		tables = append(tables, w)
	}
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		b, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if err := tables[b.Table].write(b, r.offset); err != nil {
			return nil, err
		}
		if opt.Rows != nil {
			opt.Rows.Add(uint64(b.Rows))
		}
	}
	for i, t := range tables {
		if err := t.finish(); err != nil {
			return nil, err
		}
		files = append(files, File{
			Table: t.table.Name, Name: filepath.Base(t.path), Rows: r.Rows()[i],
			Bytes: t.out.bytes, SHA256: hex.EncodeToString(t.out.sum.Sum(nil)),
		})
	}
	return files, nil
}

// hashingWriter counts and hashes what goes through it.
type hashingWriter struct {
	out   io.Writer
	sum   hash.Hash
	bytes int64
}

func (w *hashingWriter) Write(b []byte) (int, error) {
	n, err := w.out.Write(b)
	w.sum.Write(b[:n])
	w.bytes += int64(n)
	return n, err
}

// tableWriter writes the blocks of one table to one Parquet file.
type tableWriter struct {
	table   Table
	path    string
	file    io.WriteCloser
	out     *hashingWriter
	parquet *parquet.GenericWriter[any]
	columns []*parquet.ColumnWriter
	fill    []filler
	offsets []int // of the columns in the payload, in bytes per row
	values  []parquet.Value
	inGroup int
}

func newTableWriter(t Table, opt Options) (*tableWriter, error) {
	w := &tableWriter{table: t, path: filepath.Join(opt.Dir, t.Name+".parquet"), values: make([]parquet.Value, chunkRows)}
	file, err := opt.Create(w.path)
	if err != nil {
		return nil, fmt.Errorf("creating the table %q: %w", t.Name, err)
	}
	w.file = file
	w.out = &hashingWriter{out: file, sum: sha256.New()}
	s := stored(t)
	description, err := json.Marshal(s)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("describing the table %q: %w", t.Name, err), file.Close())
	}
	w.parquet = parquet.NewGenericWriter[any](w.out, parquetSchema(s),
		parquet.MaxRowsPerRowGroup(rowGroupRows),
		parquet.Compression(&zstd.Codec{Level: zstd.SpeedFastest, Concurrency: 1}),
		parquet.KeyValueMetadata(schemaKey, string(description)),
		parquet.DataPageStatistics(false), // the column index has them
		parquet.CreatedBy("fabriclab", "1", "parquet-go"))
	w.columns = w.parquet.ColumnWriters()
	offset := 0
	for _, c := range t.Columns {
		w.offsets = append(w.offsets, offset)
		offset += c.width()
	}
	w.fill = fillers(t, w.offsets, opt)
	return w, nil
}

// write appends the rows of a block that ends at the given byte of the stream.
func (w *tableWriter) write(b Block, end int64) error {
	for done := 0; done < b.Rows; {
		n := min(chunkRows, b.Rows-done, rowGroupRows-w.inGroup)
		for i, fill := range w.fill {
			if err := fill(w.values[:n], b.Payload, b.Rows, done); err != nil {
				return &StreamError{Offset: end, Reason: fmt.Sprintf("table %q: %v", w.table.Name, err)}
			}
			if _, err := w.columns[i].WriteRowValues(w.values[:n]); err != nil {
				return w.failed(err)
			}
		}
		done += n
		w.inGroup += n
		if w.inGroup == rowGroupRows {
			if err := w.parquet.Flush(); err != nil {
				return w.failed(err)
			}
			w.inGroup = 0
		}
	}
	return nil
}

func (w *tableWriter) finish() error {
	if err := w.parquet.Close(); err != nil {
		return w.failed(err)
	}
	return nil
}

func (w *tableWriter) failed(err error) error {
	return fmt.Errorf("writing the table %q to %s: %w", w.table.Name, w.path, err)
}

// orderedGroup is a Parquet schema that keeps the order of its columns
// (parquet.Group sorts them by name).
type orderedGroup struct {
	parquet.Group
	order []string
}

func (g orderedGroup) Fields() []parquet.Field {
	byName := map[string]parquet.Field{}
	for _, f := range g.Group.Fields() {
		byName[f.Name()] = f
	}
	fields := make([]parquet.Field, len(g.order))
	for i, name := range g.order {
		fields[i] = byName[name]
	}
	return fields
}

func parquetSchema(t Table) *parquet.Schema {
	g := orderedGroup{Group: parquet.Group{}}
	for _, c := range t.Columns {
		node := parquetNode(c)
		if c.Nullable {
			node = parquet.Optional(node)
		}
		g.Group[c.Name] = node
		g.order = append(g.order, c.Name)
	}
	return parquet.NewSchema(t.Name, g)
}

func parquetNode(c Column) parquet.Node {
	switch c.Type {
	case "i64":
		if c.Unit == "ps" {
			return parquet.Encoded(parquet.Int(64), &parquet.DeltaBinaryPacked) // times grow steadily
		}
		return parquet.Int(64)
	case "u64":
		return parquet.Uint(64)
	case "u32":
		return parquet.Uint(32)
	case "u16":
		return parquet.Uint(16)
	case "u8":
		return parquet.Uint(8)
	case "f64":
		return parquet.Leaf(parquet.DoubleType)
	case "bool":
		return parquet.Leaf(parquet.BooleanType)
	}
	return parquet.Encoded(parquet.String(), &parquet.RLEDictionary)
}
