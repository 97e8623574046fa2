package figure

import (
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/parquet-go/parquet-go"
)

// A sheet is a small table that is written both as Parquet and as CSV.
type sheet struct {
	columns []column
	rows    [][]any // string, uint64 or float64, by column; nil is no value
}

type column struct {
	name string
	kind columnKind
}

type columnKind int

const (
	text columnKind = iota
	integer
	number
)

// group keeps the columns in their order.
type group struct {
	parquet.Group
	order []column
}

// Fields are the columns.
func (g group) Fields() []parquet.Field {
	byName := map[string]parquet.Field{}
	for _, f := range g.Group.Fields() {
		byName[f.Name()] = f
	}
	fields := make([]parquet.Field, len(g.order))
	for i, c := range g.order {
		fields[i] = byName[c.name]
	}
	return fields
}

func (s sheet) write(dir, name string) error {
	if err := s.writeCSV(filepath.Join(dir, name+".csv")); err != nil {
		return err
	}
	return s.writeParquet(filepath.Join(dir, name+".parquet"), name)
}

func (s sheet) writeCSV(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := csv.NewWriter(f)
	record := make([]string, len(s.columns))
	for i, c := range s.columns {
		record[i] = c.name
	}
	err = w.Write(record)
	for _, row := range s.rows {
		for i, v := range row {
			switch v := v.(type) {
			case nil:
				record[i] = ""
			case float64:
				record[i] = strconv.FormatFloat(v, 'g', -1, 64)
			default:
				record[i] = fmt.Sprint(v)
			}
		}
		err = errors.Join(err, w.Write(record))
	}
	w.Flush()
	return errors.Join(err, w.Error(), f.Close())
}

func (s sheet) writeParquet(path, name string) error {
	g := group{Group: parquet.Group{}, order: s.columns}
	for _, c := range s.columns {
		var node parquet.Node
		switch c.kind {
		case text:
			node = parquet.Encoded(parquet.String(), &parquet.RLEDictionary)
		case integer:
			node = parquet.Optional(parquet.Uint(64))
		default:
			node = parquet.Optional(parquet.Leaf(parquet.DoubleType))
		}
		g.Group[c.name] = node
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := parquet.NewWriter(f, parquet.NewSchema(name, g), parquet.Compression(&parquet.Zstd))
	for _, row := range s.rows {
		values := make(parquet.Row, len(row))
		for i, v := range row {
			optional := 0
			if s.columns[i].kind != text {
				optional = 1
			}
			if v == nil {
				optional = 0
			}
			values[i] = parquet.ValueOf(v).Level(0, optional, i)
		}
		_, writeErr := w.WriteRows([]parquet.Row{values})
		err = errors.Join(err, writeErr)
	}
	return errors.Join(err, w.Close(), f.Close())
}
