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

// ReadFile reads a table of any columns, .parquet or .csv. Numbers of all
// kinds are Number; a column of a CSV file is Number if all its fields are
// numbers or empty, else OptionalText.
func ReadFile(path string) (*Sheet, error) {
	if err := CheckName(path); err != nil {
		return nil, err
	}
	read := readParquet
	if filepath.Ext(path) == ".csv" {
		read = readCSV
	}
	s, err := read(path)
	var damaged *parquetfile.Damaged
	switch {
	case errors.As(err, &damaged):
		return nil, fmt.Errorf("reading %s: it is no Parquet file, or damaged: %w", path, err)
	case err != nil:
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	return s, nil
}

func readCSV(path string) (*Sheet, error) {
	f, err := file.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	records, err := csv.NewReader(file.ShortLines(f)).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(records) == 0 {
		return nil, errors.New("the file is empty; its first line names the columns")
	}
	s := &Sheet{}
	for i, name := range records[0] {
		kind := Number
		for _, record := range records[1:] {
			if _, err := strconv.ParseFloat(record[i], 64); record[i] != "" && err != nil {
				kind = OptionalText
			}
		}
		s.Columns = append(s.Columns, Column{name, kind})
	}
	for _, record := range records[1:] {
		row := make([]any, len(record))
		for i, text := range record {
			switch {
			case text == "":
			case s.Columns[i].Kind == Number:
				if row[i], err = strconv.ParseFloat(text, 64); err != nil {
					return nil, err
				}
			default:
				row[i] = text
			}
		}
		s.Rows = append(s.Rows, row)
	}
	return s, nil
}

func readParquet(path string) (*Sheet, error) {
	f, err := parquetfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s := &Sheet{}
	var unsigned []bool
	for _, path := range f.Schema().Columns() {
		leaf, ok := f.Schema().Lookup(path...)
		if !ok || len(path) != 1 || leaf.Node.Repeated() {
			return nil, fmt.Errorf("the column %v is no plain column", path)
		}
		kind := Number
		switch leaf.Node.Type().Kind() {
		case parquet.Boolean:
			kind = Bool
		case parquet.ByteArray, parquet.FixedLenByteArray:
			kind = OptionalText
		}
		s.Columns, unsigned = append(s.Columns, Column{path[0], kind}), append(unsigned, parquetfile.Unsigned(leaf.Node.Type()))
	}
	rows := f.Rows()
	for {
		values, err := rows.Next()
		if errors.Is(err, io.EOF) {
			return s, nil
		}
		if err != nil {
			return nil, errors.Join(err, rows.Close())
		}
		row := make([]any, len(s.Columns))
		for _, v := range values {
			row[v.Column()] = plain(v, unsigned[v.Column()])
		}
		s.Rows = append(s.Rows, row)
	}
}

func plain(v parquet.Value, unsigned bool) any {
	if v.IsNull() {
		return nil
	}
	switch v.Kind() {
	case parquet.Boolean:
		return v.Boolean()
	case parquet.Int32:
		if unsigned {
			return float64(v.Uint32())
		}
		return float64(v.Int32())
	case parquet.Int64:
		if unsigned {
			return float64(v.Uint64())
		}
		return float64(v.Int64())
	case parquet.Float:
		return float64(v.Float())
	case parquet.Double:
		return v.Double()
	case parquet.ByteArray, parquet.FixedLenByteArray:
		return string(v.ByteArray())
	}
	return math.NaN()
}

// Index is a column's position, -1 if there is none of this name.
func (s *Sheet) Index(name string) int {
	for i, c := range s.Columns {
		if c.Name == name {
			return i
		}
	}
	return -1
}

// Names are the columns' names.
func (s *Sheet) Names() []string {
	names := make([]string, len(s.Columns))
	for i, c := range s.Columns {
		names[i] = c.Name
	}
	return names
}
