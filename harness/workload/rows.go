package workload

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/parquet-go/parquet-go"

	"fabriclab/base/catalog"
	"fabriclab/base/file"
	"fabriclab/base/parquetfile"
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
	path     string
	file     *parquetfile.File
	rows     *parquetfile.Rows
	names    []string
	unsigned []bool
	size     int // the column in which 0 means unlimited, -1: none
	row      []string
	read     int
}

func openParquet(path string) (rows, error) {
	f, err := parquetfile.Open(path)
	var damaged *parquetfile.Damaged
	if errors.As(err, &damaged) {
		return nil, fmt.Errorf("%s: %w; it is no Parquet file, or damaged", path, err)
	}
	if err != nil {
		return nil, err
	}
	r := &parquetRows{path: path, file: f, rows: f.Rows(), size: -1}
	_, own := f.Lookup(catalog.TableKey)
	for _, column := range f.Root().Columns() {
		values := column
		for !values.Leaf() {
			if len(values.Columns()) != 1 {
				return nil, errors.Join(fmt.Errorf("%s: the column %q is a structure; the columns of a flow list are numbers, names and lists of them", path, column.Name()), f.Close())
			}
			values = values.Columns()[0]
		}
		if own && column.Name() == "size_bytes" { // lists that were written here (docs/formats.md)
			r.size = len(r.names)
		}
		r.names, r.unsigned = append(r.names, column.Name()), append(r.unsigned, parquetfile.Unsigned(values.Type()))
	}
	r.row = make([]string, len(r.names))
	return r, nil
}

func (r *parquetRows) columns() []string { return r.names }

func (r *parquetRows) next() ([]string, error) {
	values, err := r.rows.Next()
	if err != nil && !errors.Is(err, io.EOF) {
		err = fmt.Errorf("%s: %w; the file is damaged", position(r.path, place{row: r.read + 1}), err)
	}
	if err != nil {
		return nil, err
	}
	clear(r.row)
	for _, v := range values {
		i := v.Column()
		if r.row[i] != "" && !v.IsNull() {
			r.row[i] += " " // the next one of a list
		}
		r.row[i] += text(v, r.unsigned[i])
	}
	if r.size >= 0 && r.row[r.size] == "0" {
		r.row[r.size] = "unlimited"
	}
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
func (r *parquetRows) close() error { return errors.Join(r.rows.Close(), r.file.Close()) }

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
