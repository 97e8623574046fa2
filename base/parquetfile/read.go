package parquetfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"fabriclab/base/file"
)

// How many rows are decoded at a time.
const (
	rowBatch    = 256
	columnBatch = 4096
)

// Damaged wraps what is wrong with the contents of a file.
type Damaged struct{ Err error }

func (d *Damaged) Error() string { return d.Err.Error() }

// Unwrap gives what is wrong.
func (d *Damaged) Unwrap() error { return d.Err }

// guard makes an error of a panic: parquet-go panics on some kinds of damage.
func guard(err *error) {
	if r := recover(); r != nil {
		*err = &Damaged{fmt.Errorf("%v", r)}
	}
}

// A File is open for reading.
type File struct {
	*parquet.File
	os *os.File
}

// Open opens a file. That it is none of Parquet, or damaged, is a Damaged.
func Open(path string) (*File, error) {
	opened, err := file.Open(path)
	if err != nil {
		return nil, err
	}
	f := &File{os: opened}
	if err := f.parse(); err != nil {
		return nil, errors.Join(err, opened.Close())
	}
	return f, nil
}

func (f *File) parse() (err error) {
	defer guard(&err)
	info, err := f.os.Stat()
	if err != nil {
		return err
	}
	f.File, err = parquet.OpenFile(f.os, info.Size(), parquet.SkipBloomFilters(true), parquet.SkipPageIndex(true))
	return damaged(err)
}

func damaged(err error) error {
	if err == nil {
		return nil
	}
	return &Damaged{err}
}

// Close closes the file.
func (f *File) Close() error { return f.os.Close() }

// Unsigned says whether values of a type are unsigned integers.
func Unsigned(t parquet.Type) bool {
	logical := t.LogicalType()
	if logical == nil {
		return false
	}
	integer, ok := logical.Value.(*format.IntType)
	return ok && !integer.IsSigned
}

// Rows are the rows of a file, one after the other.
type Rows struct {
	groups []parquet.RowGroup // that are not open yet
	open   parquet.Rows
	batch  []parquet.Row
	left   []parquet.Row // of the batch
}

// Rows reads the rows from the first one on.
func (f *File) Rows() *Rows {
	return &Rows{groups: f.RowGroups(), batch: make([]parquet.Row, rowBatch)}
}

// Next is the next row, valid until the following call; io.EOF behind the last
// one.
func (r *Rows) Next() (parquet.Row, error) {
	if len(r.left) == 0 {
		if err := r.fill(); err != nil {
			return nil, err
		}
	}
	row := r.left[0]
	r.left = r.left[1:]
	return row, nil
}

func (r *Rows) fill() (err error) {
	defer guard(&err)
	for {
		if r.open == nil {
			if len(r.groups) == 0 {
				return io.EOF
			}
			r.open, r.groups = r.groups[0].Rows(), r.groups[1:]
		}
		n, err := r.open.ReadRows(r.batch)
		switch {
		case n > 0: // an error comes again
			r.left = r.batch[:n]
			return nil
		case err == nil:
			return &Damaged{io.ErrNoProgress}
		case !errors.Is(err, io.EOF):
			return damaged(err)
		}
		if err := r.Close(); err != nil {
			return damaged(err)
		}
	}
}

// Close ends reading before the last row.
func (r *Rows) Close() error {
	if r.open == nil {
		return nil
	}
	err := r.open.Close()
	r.open = nil
	return err
}

// Scan calls each for batches of n values of some columns, by the columns'
// numbers. The values are valid during the call. An error of each ends the scan
// and is returned as it is.
func (f *File) Scan(columns []int, each func(n int, values [][]parquet.Value) error) error {
	s := scan{file: f, columns: columns, values: make([][]parquet.Value, len(columns))}
	for range columns {
		s.buffers = append(s.buffers, make([]parquet.Value, columnBatch))
	}
	for _, group := range f.RowGroups() {
		if err := s.group(group, each); err != nil {
			return err
		}
	}
	return nil
}

type scan struct {
	file            *File
	columns         []int
	readers         []parquet.ColumnChunkValueReader
	buffers, values [][]parquet.Value
}

func (s *scan) group(group parquet.RowGroup, each func(n int, values [][]parquet.Value) error) error {
	defer func() {
		for _, r := range s.readers {
			_ = r.Close() // it is read
		}
		s.readers = s.readers[:0]
	}()
	if err := s.open(group); err != nil {
		return err
	}
	for left := group.NumRows(); left > 0; {
		n := int(min(left, columnBatch))
		if err := s.read(n); err != nil {
			return err
		}
		if err := each(n, s.values); err != nil {
			return err
		}
		left -= int64(n)
	}
	return nil
}

func (s *scan) open(group parquet.RowGroup) (err error) {
	defer guard(&err)
	chunks := group.ColumnChunks()
	for _, c := range s.columns {
		s.readers = append(s.readers, parquet.NewColumnChunkValueReader(chunks[c]))
	}
	return nil
}

func (s *scan) read(n int) (err error) {
	defer guard(&err)
	for i, reader := range s.readers {
		s.values[i] = s.buffers[i][:n]
		if err := fill(reader, s.values[i]); err != nil {
			return &Damaged{fmt.Errorf("column %s: %w", strings.Join(s.file.Schema().Columns()[s.columns[i]], "."), err)}
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
