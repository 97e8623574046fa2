// Package sheet has small tables, such as measures and the points of a plot,
// that are written as Parquet or CSV and read again.
package sheet

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"

	"github.com/parquet-go/parquet-go"

	"fabriclab/base/file"
	"fabriclab/base/parquetfile"
)

// A Sheet is a table by rows.
type Sheet struct {
	Columns []Column
	Rows    [][]any // string, uint64, float64 or bool, by column; nil is no value
}

// A Column is a column's name and what is in it.
type Column struct {
	Name string
	Kind Kind
}

// Kind is what the values of a column are.
type Kind int

// The kinds of columns; all but Text and Bool may have no value.
const (
	Text Kind = iota
	OptionalText
	Integer // not negative
	Number
	Bool
)

func (k Kind) node() parquet.Node {
	switch k {
	case Text:
		return parquetfile.Text()
	case OptionalText:
		return parquet.Optional(parquetfile.Text())
	case Integer:
		return parquet.Optional(parquet.Uint(64))
	case Bool:
		return parquet.Leaf(parquet.BooleanType)
	default:
		return parquet.Optional(parquet.Leaf(parquet.DoubleType))
	}
}

func (k Kind) optional() bool { return k != Text && k != Bool }

// Write writes the sheet into dir both as name.csv and as name.parquet.
func (s *Sheet) Write(dir, name string) error {
	if err := s.WriteFile(filepath.Join(dir, name+".csv")); err != nil {
		return err
	}
	return s.WriteFile(filepath.Join(dir, name+".parquet"))
}

// CheckName says whether a sheet can be written to a file of this name.
func CheckName(path string) error {
	if ending := filepath.Ext(path); ending != ".csv" && ending != ".parquet" {
		return fmt.Errorf("%s: a table is written as .parquet or .csv; give the file one of these endings", path)
	}
	return nil
}

// WriteFile writes the sheet as .csv or .parquet, by the name's ending. The
// file appears when it is complete.
func (s *Sheet) WriteFile(path string) (err error) {
	if err := CheckName(path); err != nil {
		return err
	}
	f, err := file.Create(path, 0o666)
	if err != nil {
		return fmt.Errorf("writing a table: %w", err)
	}
	defer func() { err = errors.Join(err, f.Discard()) }()
	write := s.WriteParquet
	if filepath.Ext(path) == ".csv" {
		write = s.WriteCSV
	}
	if err := write(f); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return f.Commit()
}

// WriteCSV writes the sheet as CSV. No value is an empty field, and what is
// beyond all numbers is inf.
func (s *Sheet) WriteCSV(out io.Writer) error {
	w := csv.NewWriter(out)
	record := make([]string, len(s.Columns))
	for i, c := range s.Columns {
		record[i] = c.Name
	}
	err := w.Write(record)
	for _, row := range s.Rows {
		for i, v := range row {
			record[i] = field(v)
		}
		err = errors.Join(err, w.Write(record))
	}
	w.Flush()
	return errors.Join(err, w.Error())
}

func field(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case float64:
		switch {
		case math.IsInf(v, 1):
			return "inf"
		case math.IsInf(v, -1):
			return "-inf"
		}
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return fmt.Sprint(v)
}

// WriteParquet writes the sheet as Parquet.
func (s *Sheet) WriteParquet(out io.Writer) error {
	var columns []parquetfile.Column
	known := map[string]bool{}
	for _, c := range s.Columns {
		if known[c.Name] {
			return fmt.Errorf("there are two columns %q", c.Name)
		}
		known[c.Name] = true
		columns = append(columns, parquetfile.Column{Name: c.Name, Node: c.Kind.node()})
	}
	w := parquet.NewWriter(out, parquetfile.Schema("table", columns), parquet.Compression(&parquet.Zstd))
	for _, row := range s.Rows {
		values := make(parquet.Row, len(row))
		for i, v := range row {
			level := 0
			if v != nil && s.Columns[i].Kind.optional() {
				level = 1
			}
			values[i] = parquet.ValueOf(v).Level(0, level, i)
		}
		if _, err := w.WriteRows([]parquet.Row{values}); err != nil {
			return err
		}
	}
	return w.Close()
}
