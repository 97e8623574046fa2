package workload

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"fabriclab/base/catalog"
	"fabriclab/base/file"
)

// rows is a table of texts, read row by row.
type rows interface {
	// columns are the names of the columns.
	columns() []string
	// next is the next row, valid until the following call; io.EOF behind the
	// last one. Other errors say where.
	next() ([]string, error)
	// at is where a column of the row stands in the file.
	at(column int) place
	close() error
}

// place is where something stands in a file, for messages.
type place struct {
	row, column int // column 0: the whole row
}

// position writes a place out.
func position(path string, p place) string {
	switch {
	case p.row == 0: // the columns of a Parquet file
		return path
	case p.column == 0:
		return fmt.Sprintf("%s, row %d", path, p.row)
	}
	return fmt.Sprintf("%s:%d:%d", path, p.row, p.column)
}

// csvRows are the rows of a CSV file.
type csvRows struct {
	file   *os.File
	reader *csv.Reader
	header []string
}

func openCSV(path string) (rows, error) {
	f, err := file.Open(path)
	if err != nil {
		return nil, err
	}
	r := &csvRows{file: f, reader: csv.NewReader(file.ShortLines(f))}
	switch r.header, err = r.next(); {
	case errors.Is(err, io.EOF):
		err = fmt.Errorf("%s is empty; its first line names the columns", path)
		fallthrough
	case err != nil:
		return nil, errors.Join(err, f.Close())
	}
	r.reader.ReuseRecord = true
	return r, nil
}

func (r *csvRows) columns() []string { return r.header }
func (r *csvRows) close() error      { return r.file.Close() }

func (r *csvRows) next() ([]string, error) {
	row, err := r.reader.Read()
	var broken *csv.ParseError
	if err != nil && !errors.Is(err, io.EOF) && !errors.As(err, &broken) {
		return nil, fmt.Errorf("%s: %w", r.file.Name(), err)
	}
	if broken == nil {
		return row, err
	}
	if errors.Is(err, csv.ErrFieldCount) {
		broken.Err = fmt.Errorf("the row has %d fields, the first line names %d columns", len(row), len(r.header))
	}
	return nil, fmt.Errorf("%s: %w", position(r.file.Name(), place{broken.Line, broken.Column}), broken.Err)
}

func (r *csvRows) at(column int) place {
	line, char := r.reader.FieldPos(column)
	return place{line, char}
}

// parquetRows are the rows of a Parquet file.
type parquetRows struct {
	file     *os.File
	reader   *parquet.GenericReader[any]
	names    []string
	unsigned []bool
	size     int // the column in which 0 means unlimited, -1: none
	batch    []parquet.Row
	left     []parquet.Row // of the batch
	row      []string
	read     int
}

func openParquet(path string) (_ rows, err error) {
	file, err := file.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("%s: %w; it is no Parquet file, or damaged", path, err), file.Close())
		}
	}()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	table, err := parquet.OpenFile(file, info.Size(), parquet.SkipBloomFilters(true), parquet.SkipPageIndex(true))
	if err != nil {
		return nil, err
	}
	r := &parquetRows{file: file, reader: parquet.NewGenericReader[any](table), size: -1, batch: make([]parquet.Row, 256)}
	_, own := table.Lookup(catalog.TableKey)
	for _, column := range table.Root().Columns() {
		values := column
		for !values.Leaf() {
			if len(values.Columns()) != 1 {
				return nil, fmt.Errorf("the column %q is a structure; the columns of a flow list are numbers, names and lists of them", column.Name())
			}
			values = values.Columns()[0]
		}
		if own && column.Name() == "size_bytes" { // lists that were written here (docs/formats.md)
			r.size = len(r.names)
		}
		r.names = append(r.names, column.Name())
		unsigned := false
		if logical := values.Type().LogicalType(); logical != nil {
			integer, ok := logical.Value.(*format.IntType)
			unsigned = ok && !integer.IsSigned
		}
		r.unsigned = append(r.unsigned, unsigned)
	}
	r.row = make([]string, len(r.names))
	return r, nil
}

func (r *parquetRows) columns() []string { return r.names }

func (r *parquetRows) next() (_ []string, err error) {
	// parquet-go panics on some kinds of damage.
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
		if err != nil && !errors.Is(err, io.EOF) {
			err = fmt.Errorf("%s: %w; the file is damaged", position(r.file.Name(), place{row: r.read + 1}), err)
		}
	}()
	if len(r.left) == 0 {
		n, err := r.reader.ReadRows(r.batch)
		if n == 0 {
			if err == nil {
				err = io.ErrNoProgress
			}
			return nil, err
		}
		r.left = r.batch[:n]
	}
	clear(r.row)
	for _, v := range r.left[0] {
		i := v.Column()
		if r.row[i] != "" && !v.IsNull() {
			r.row[i] += " " // the next one of a list
		}
		r.row[i] += text(v, r.unsigned[i])
	}
	if r.size >= 0 && r.row[r.size] == "0" {
		r.row[r.size] = "unlimited"
	}
	r.left = r.left[1:]
	r.read++
	return r.row, nil
}

// text is a value as it would stand in a CSV file.
func text(v parquet.Value, unsigned bool) string {
	switch {
	case v.IsNull():
		return ""
	case v.Kind() == parquet.Int32 && unsigned:
		return strconv.FormatUint(uint64(v.Uint32()), 10)
	case v.Kind() == parquet.Int64 && unsigned:
		return strconv.FormatUint(v.Uint64(), 10)
	}
	return v.String()
}

func (r *parquetRows) at(int) place { return place{row: r.read} }
func (r *parquetRows) close() error { return errors.Join(r.reader.Close(), r.file.Close()) }

// idSet is a set of flow numbers, in pages of bits, so that it is small both
// for many numbers in a row and for few far apart.
type idSet map[uint32]*[1 << 10]uint64

// add says whether the number was not in the set.
func (s *idSet) add(id uint32) bool {
	if *s == nil {
		*s = idSet{}
	}
	page := (*s)[id>>16]
	if page == nil {
		page = new([1 << 10]uint64)
		(*s)[id>>16] = page
	}
	word, bit := id>>6&(1<<10-1), uint64(1)<<(id&63)
	known := page[word]&bit != 0
	page[word] |= bit
	return !known
}
