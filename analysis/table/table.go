// Package table reads the Parquet tables of a run directory (docs/formats.md):
// only the columns asked for, in batches, so that memory does not grow with
// the table.
package table

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"fabriclab/base/catalog"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"fabriclab/base/file"
)

// batchRows is how many rows are decoded at a time.
const batchRows = 4096

// ErrMissing is wrapped by errors about a table that the run did not record.
var ErrMissing = errors.New("table not recorded")

// Rows is a batch of rows of the columns asked for, numbered as they were
// asked for. It is valid during the call it is given to only.
type Rows struct {
	N        int
	values   [][]parquet.Value
	unsigned []bool
}

// Int is an integer column's value.
func (r *Rows) Int(column, row int) int64 {
	v := r.values[column][row]
	if v.Kind() == parquet.Int32 {
		if r.unsigned[column] {
			return int64(v.Uint32())
		}
		return int64(v.Int32())
	}
	return v.Int64()
}

// Float is a floating-point column's value.
func (r *Rows) Float(column, row int) float64 { return r.values[column][row].Double() }

// Bool is a bool column's value.
func (r *Rows) Bool(column, row int) bool { return r.values[column][row].Boolean() }

// String is a string column's value.
func (r *Rows) String(column, row int) string { return string(r.values[column][row].ByteArray()) }

// Is says whether a string column's value is text, without making a string.
func (r *Rows) Is(column, row int, text string) bool {
	return string(r.values[column][row].ByteArray()) == text
}

// Null says whether the value is absent.
func (r *Rows) Null(column, row int) bool { return r.values[column][row].IsNull() }

// A Column is a column's name and the type it is read as.
type Column struct {
	Name string
	Type Type
}

// Type is what a column is read as.
type Type int

// The types of columns.
const (
	Int Type = iota
	Float
	Bool
	String
)

func (t Type) String() string { return [...]string{"integer", "float", "bool", "string"}[t] }

func (t Type) accepts(kind parquet.Kind) bool {
	switch t {
	case Int:
		return kind == parquet.Int32 || kind == parquet.Int64
	case Float:
		return kind == parquet.Double
	case Bool:
		return kind == parquet.Boolean
	default:
		return kind == parquet.ByteArray
	}
}

// Ints names integer columns.
func Ints(names ...string) []Column {
	columns := make([]Column, len(names))
	for i, n := range names {
		columns[i] = Column{n, Int}
	}
	return columns
}

// Describe says what a table of the run in dir has in it.
func Describe(dir, name string) (t *catalog.Table, err error) {
	err = withFile(dir, name, new(bool), func(path string, file *parquet.File) error {
		text, ok := file.Lookup(catalog.TableKey)
		if !ok {
			return corrupt(dir, path, errors.New("it does not say what is in it"))
		}
		if err := json.Unmarshal([]byte(text), &t); err != nil {
			return corrupt(dir, path, err)
		}
		return nil
	})
	return t, err
}

// withFile opens a table's file. parquet-go panics on some kinds of damage;
// what the caller's own code panics with, while inCaller is set, is not taken
// for damage.
func withFile(dir, name string, inCaller *bool, use func(path string, file *parquet.File) error) (err error) {
	path := filepath.Join(dir, name+".parquet")
	f, err := file.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, statErr := os.Stat(dir); statErr != nil {
			return fmt.Errorf("run %s does not exist; run the experiment first", dir)
		}
		return fmt.Errorf("%w: run %s has no %s.parquet; add `%s: {}` under `trace:` in the experiment and run it again", ErrMissing, dir, name, name)
	}
	if err != nil {
		return fmt.Errorf("reading table %s: %w", name, err)
	}
	defer f.Close()
	defer func() {
		if !*inCaller {
			if r := recover(); r != nil {
				err = corrupt(dir, path, fmt.Errorf("%v", r))
			}
		}
	}()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("reading table %s: %w", name, err)
	}
	file, err := parquet.OpenFile(f, info.Size(), parquet.SkipBloomFilters(true), parquet.SkipPageIndex(true))
	if err != nil {
		return corrupt(dir, path, err)
	}
	return use(path, file)
}

// Scan calls each for every batch of rows of a table of the run in dir, with
// the given columns. An error of each ends the scan and is returned as it is.
func Scan(dir, name string, columns []Column, each func(*Rows) error) error {
	var inEach bool
	return withFile(dir, name, &inEach, func(path string, file *parquet.File) error {
		return scan(dir, path, file, columns, func(rows *Rows) error {
			inEach = true
			err := each(rows)
			inEach = false
			return err
		})
	})
}

func scan(dir, path string, file *parquet.File, columns []Column, each func(*Rows) error) error {
	rows := &Rows{values: make([][]parquet.Value, len(columns)), unsigned: make([]bool, len(columns))}
	index := make([]int, len(columns))
	for i, c := range columns {
		leaf, ok := file.Schema().Lookup(c.Name)
		if !ok {
			return fmt.Errorf("run %s: %s has no column %q; it was written by another version, run the experiment again", dir, path, c.Name)
		}
		typ := leaf.Node.Type()
		if !c.Type.accepts(typ.Kind()) {
			return fmt.Errorf("run %s: column %q of %s is %s, not %s; it was written by another version, run the experiment again", dir, c.Name, path, typ, c.Type)
		}
		if logical := typ.LogicalType(); logical != nil {
			if integer, ok := logical.Value.(*format.IntType); ok {
				rows.unsigned[i] = !integer.IsSigned
			}
		}
		index[i] = leaf.ColumnIndex
	}
	buffers := make([][]parquet.Value, len(columns))
	for i := range buffers {
		buffers[i] = make([]parquet.Value, batchRows)
	}
	for _, group := range file.RowGroups() {
		chunks := group.ColumnChunks()
		readers := make([]parquet.ColumnChunkValueReader, len(columns))
		for i := range columns {
			readers[i] = parquet.NewColumnChunkValueReader(chunks[index[i]])
			defer readers[i].Close()
		}
		for left := group.NumRows(); left > 0; left -= int64(rows.N) {
			rows.N = int(min(left, batchRows))
			for i, reader := range readers {
				rows.values[i] = buffers[i][:rows.N]
				if err := fill(reader, rows.values[i]); err != nil {
					return corrupt(dir, path, fmt.Errorf("column %s: %w", columns[i].Name, err))
				}
			}
			if err := each(rows); err != nil {
				return err
			}
		}
	}
	return nil
}

// fill reads exactly len(into) values. The bytes of strings belong to the page
// they were read from, so they are copied where a batch spans pages.
func fill(reader parquet.ColumnChunkValueReader, into []parquet.Value) error {
	for n := 0; n < len(into); {
		k, err := reader.ReadValues(into[n:])
		if k > 0 && n+k < len(into) {
			for i := n; i < n+k; i++ {
				if into[i].Kind() == parquet.ByteArray && !into[i].IsNull() {
					into[i] = into[i].Clone()
				}
			}
		}
		n += k
		switch {
		case n == len(into):
			return nil
		case errors.Is(err, io.EOF):
			return fmt.Errorf("%d values are missing", len(into)-n)
		case err != nil:
			return err
		case k == 0:
			return io.ErrNoProgress
		}
	}
	return nil
}

func corrupt(dir, path string, err error) error {
	return fmt.Errorf("run %s: %s is corrupt: %w; delete the run directory and run the experiment again", dir, path, err)
}
