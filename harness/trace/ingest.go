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

	"fabriclab/base/catalog"
	"fabriclab/base/parquetfile"
)

const (
	// rowGroupRows bounds the memory of writer and readers.
	rowGroupRows = 1 << 20
	// chunkRows is how many values are converted at a time.
	chunkRows = 4096
)

// Options say where the tables go and how ids become names.
type Options struct {
	// Dir receives one file <table>.parquet per table.
	Dir string
	// Names are the names of nodes and links.
	Names *Names
	// Derived are what is added to what is traced.
	Derived []Derived
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
	r, err := NewReader(in)
	if err != nil {
		return nil, err
	}
	tables := make([]*TableWriter, 0, len(r.Header().Tables))
	defer func() {
		for _, t := range tables {
			if closeErr := t.Close(); closeErr != nil && err == nil {
				err = closeErr
			}
		}
	}()
	for _, t := range r.Header().Tables {
		w, err := NewTableWriter(t, opt)
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
	for _, t := range tables {
		file, err := t.Finish()
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	for _, d := range opt.Derived {
		err := d.Finish(func(t Table) (*TableWriter, error) {
			w, err := NewTableWriter(t, Options{Dir: opt.Dir, Names: opt.Names, Create: opt.Create})
			if err == nil {
				w.finished = func(f File) { files = append(files, f) }
				tables = append(tables, w)
			}
			return w, err
		})
		if err != nil {
			return nil, err
		}
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

// TableWriter writes one table to one Parquet file. What it has written is a
// table only after Finish; Close has to be called in any case.
type TableWriter struct {
	table   Table
	path    string
	file    io.WriteCloser
	out     *hashingWriter
	parquet *parquet.GenericWriter[any]
	columns []*parquet.ColumnWriter
	fill    []filler
	derived *deriver
	offsets []int // of the columns in the payload, in bytes per row
	values  []parquet.Value
	inGroup int
	rows    uint64
	// finished is told of the file, if it is not nil.
	finished func(File)
}

// NewTableWriter creates the file <table>.parquet.
func NewTableWriter(t Table, opt Options) (*TableWriter, error) {
	if opt.Create == nil {
		opt.Create = func(path string) (io.WriteCloser, error) { return os.Create(path) }
	}
	w := &TableWriter{table: t, path: filepath.Join(opt.Dir, t.Name+".parquet"), values: make([]parquet.Value, chunkRows)}
	file, err := opt.Create(w.path)
	if err != nil {
		return nil, fmt.Errorf("creating the table %q: %w", t.Name, err)
	}
	w.file = file
	w.out = &hashingWriter{out: file, sum: sha256.New()}
	s := Stored(t, opt.Derived...)
	description, err := json.Marshal(s)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("describing the table %q: %w", t.Name, err), file.Close())
	}
	options := []parquet.WriterOption{
		parquetSchema(s),
		parquet.MaxRowsPerRowGroup(rowGroupRows),
		parquet.Compression(&zstd.Codec{Level: zstd.SpeedFastest, Concurrency: 1}),
		parquet.KeyValueMetadata(catalog.TableKey, string(description)),
		parquet.DataPageStatistics(false), // the column index has them
		parquet.CreatedBy("fabriclab", "1", "parquet-go"),
	}
	for _, c := range s.Columns {
		if c.Type == "string" {
			// Every page has names from all over the network: bounds would
			// cost more than they save.
			options = append(options, parquet.SkipPageBounds(c.Name))
		}
	}
	w.parquet = parquet.NewGenericWriter[any](w.out, options...)
	w.columns = w.parquet.ColumnWriters()
	offset := 0
	for _, c := range t.Columns {
		w.offsets = append(w.offsets, offset)
		offset += width(c)
	}
	w.fill = fillers(t, w.offsets, opt)
	w.derived = newDeriver(t, w.offsets, opt, len(w.fill))
	return w, nil
}

// rowError says that a value cannot be stored.
type rowError struct{ error }

// write appends the rows of a block that ends at the given byte of the stream.
func (w *TableWriter) write(b Block, end int64) error {
	err := w.WriteRows(b.Payload, b.Rows)
	if bad := (rowError{}); errors.As(err, &bad) {
		return &StreamError{Offset: end, Reason: err.Error()}
	}
	return err
}

// WriteRows appends rows, given as in a block of a trace stream: the columns
// one after the other, little endian.
func (w *TableWriter) WriteRows(payload []byte, rows int) error {
	for done := 0; done < rows; {
		n := min(chunkRows, rows-done, rowGroupRows-w.inGroup)
		for i, fill := range w.fill {
			if err := fill(w.values[:n], payload, rows, done); err != nil {
				return rowError{fmt.Errorf("table %q: %w", w.table.Name, err)}
			}
			if _, err := w.columns[i].WriteRowValues(w.values[:n]); err != nil {
				return w.failed(err)
			}
		}
		w.derived.derive(n, payload, rows, done)
		for c, values := range w.derived.values {
			if _, err := w.columns[len(w.fill)+c].WriteRowValues(values[:n]); err != nil {
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
	w.rows += uint64(rows)
	return nil
}

// Finish writes what stands at the end of the file and says what the table
// came to.
func (w *TableWriter) Finish() (File, error) {
	if err := w.parquet.Close(); err != nil {
		return File{}, w.failed(err)
	}
	file := File{
		Table: w.table.Name, Name: filepath.Base(w.path), Rows: w.rows,
		Bytes: w.out.bytes, SHA256: hex.EncodeToString(w.out.sum.Sum(nil)),
	}
	if w.finished != nil {
		w.finished(file)
	}
	return file, nil
}

// Close closes the file.
func (w *TableWriter) Close() error {
	if err := w.file.Close(); err != nil {
		return fmt.Errorf("closing %s: %w", w.path, err)
	}
	return nil
}

func (w *TableWriter) failed(err error) error {
	return fmt.Errorf("writing the table %q to %s: %w", w.table.Name, w.path, err)
}

func parquetSchema(t Table) *parquet.Schema {
	var columns []parquetfile.Column
	for _, c := range t.Columns {
		node := parquetNode(c)
		if c.Nullable {
			node = parquet.Optional(node)
		}
		columns = append(columns, parquetfile.Column{Name: c.Name, Node: node})
	}
	return parquetfile.Schema(t.Name, columns)
}

func parquetNode(c Column) parquet.Node {
	// Neighbouring values are alike (times grow, ports come in turn, queues are
	// short), so that differences are small and leave the compressor little.
	delta := func(n parquet.Node) parquet.Node { return parquet.Encoded(n, &parquet.DeltaBinaryPacked) }
	switch c.Type {
	case "i64":
		return delta(parquet.Int(64))
	case "u64":
		return delta(parquet.Uint(64))
	case "u32":
		return delta(parquet.Uint(32))
	case "u16":
		return delta(parquet.Uint(16))
	case "u8":
		return delta(parquet.Uint(8))
	case "f64":
		return parquet.Leaf(parquet.DoubleType)
	case "bool":
		return parquet.Leaf(parquet.BooleanType)
	}
	return parquetfile.Text()
}
