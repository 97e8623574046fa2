// Package table reads the Parquet tables of a run directory (docs/formats.md):
// only the columns asked for, in batches, so that memory does not grow with
// the table.
package table

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/parquet-go/parquet-go"

	"fabriclab/base/catalog"
	"fabriclab/base/parquetfile"
)

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
	f, path, err := open(dir, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, ok := f.Lookup(catalog.TableKey)
	if !ok {
		return nil, corrupt(dir, path, errors.New("it does not say what is in it"))
	}
	if err := json.Unmarshal([]byte(text), &t); err != nil {
		return nil, corrupt(dir, path, err)
	}
	return t, nil
}

// open opens a table's file.
func open(dir, name string) (*parquetfile.File, string, error) {
	path := filepath.Join(dir, name+".parquet")
	f, err := parquetfile.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, statErr := os.Stat(dir); statErr != nil {
			return nil, path, fmt.Errorf("run %s does not exist; run the experiment first", dir)
		}
		return nil, path, fmt.Errorf("%w: run %s has no %s.parquet; add `%s: {}` under `trace:` in the experiment and run it again", ErrMissing, dir, name, name)
	case isDamaged(err):
		return nil, path, corrupt(dir, path, err)
	case err != nil:
		return nil, path, fmt.Errorf("reading table %s: %w", name, err)
	}
	return f, path, nil
}

// Scan calls each for every batch of rows of a table of the run in dir, with
// the given columns. An error of each ends the scan and is returned as it is.
func Scan(dir, name string, columns []Column, each func(*Rows) error) error {
	f, path, err := open(dir, name)
	if err != nil {
		return err
	}
	defer f.Close()
	rows := &Rows{unsigned: make([]bool, len(columns))}
	index := make([]int, len(columns))
	for i, c := range columns {
		leaf, ok := f.Schema().Lookup(c.Name)
		if !ok {
			return fmt.Errorf("run %s: %s has no column %q; it was written by another version, run the experiment again", dir, path, c.Name)
		}
		typ := leaf.Node.Type()
		if !c.Type.accepts(typ.Kind()) {
			return fmt.Errorf("run %s: column %q of %s is %s, not %s; it was written by another version, run the experiment again", dir, c.Name, path, typ, c.Type)
		}
		rows.unsigned[i], index[i] = parquetfile.Unsigned(typ), leaf.ColumnIndex
	}
	err = f.Scan(index, func(n int, values [][]parquet.Value) error {
		rows.N, rows.values = n, values
		return each(rows)
	})
	if isDamaged(err) {
		return corrupt(dir, path, err)
	}
	return err
}

func isDamaged(err error) bool {
	var damaged *parquetfile.Damaged
	return errors.As(err, &damaged)
}

func corrupt(dir, path string, err error) error {
	return fmt.Errorf("run %s: %s is corrupt: %w; delete the run directory and run the experiment again", dir, path, err)
}
