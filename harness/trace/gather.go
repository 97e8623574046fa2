package trace

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go"

	"fabriclab/base/catalog"
)

// A Part is the table of one run, and what stands before each of its rows.
type Part struct {
	Dir   string
	Place []parquet.Value // by the columns of the place; null where there is none
}

// gatherRows is how many rows a row group of gathered tables has at most.
// They are held in memory until it is written.
const gatherRows = 1 << 18

// Gather writes a table of many runs as one: the columns of the place, then
// those of the table. Only a few rows are in memory at a time. Runs may have
// recorded different columns; what one has not is null.
func Gather(out io.Writer, format Format, table string, place []Column, parts []Part) (rows int64, err error) {
	g := &gathering{table: Table{Name: table, Columns: slices.Clone(place)}, place: len(place)}
	for _, p := range parts {
		if err := g.add(p.Dir); err != nil {
			return 0, err
		}
	}
	write, done, err := g.writer(out, format)
	if err != nil {
		return 0, err
	}
	for _, p := range parts {
		n, err := g.copy(p, write)
		rows += n
		if err != nil {
			return rows, err
		}
	}
	return rows, done()
}

// Parquet is a format of Gather beside CSV.
const Parquet Format = "parquet"

type gathering struct {
	table Table
	place int // how many columns stand before the table's own
	first string
}

// add makes room for the columns of a run's table.
func (g *gathering) add(dir string) (err error) {
	t, err := Open(dir, g.table.Name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	known := g.table.Columns[g.place:]
	for i, c := range t.Table.Columns {
		if index(Table{Columns: g.table.Columns[:g.place]}, c.Name) >= 0 {
			return fmt.Errorf("the table %s has a column %q, and so has what stands before it", g.table.Name, c.Name)
		}
		at := index(Table{Columns: known}, c.Name)
		switch {
		case at < 0:
			c.Nullable = c.Nullable || g.first != ""
			g.table.Columns = append(g.table.Columns, c)
		case known[at].Type != c.Type:
			return fmt.Errorf("the column %s of %s is %s in %s and %s in %s: another version has written it; run it again", c.Name, g.table.Name, known[at].Type, g.first, c.Type, dir)
		default:
			known[at].Nullable = known[at].Nullable || t.Table.Columns[i].Nullable
		}
	}
	for i := range known {
		known[i].Nullable = known[i].Nullable || index(t.Table, known[i].Name) < 0
	}
	if g.first == "" {
		g.first, g.table.Title = dir, t.Table.Title
	}
	return nil
}

// copy writes the rows of a run.
func (g *gathering) copy(p Part, write func([]parquet.Value) error) (rows int64, err error) {
	t, err := Open(p.Dir, g.table.Name)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	row := make([]parquet.Value, len(g.table.Columns))
	copy(row, p.Place)
	to := make([]int, len(t.Table.Columns))
	for i, c := range t.Table.Columns {
		to[i] = g.place + index(Table{Columns: g.table.Columns[g.place:]}, c.Name)
	}
	err = t.Each(-1, func(from []parquet.Value) error {
		for i, v := range from {
			row[to[i]] = v
		}
		rows++
		return write(row)
	})
	return rows, err
}

func (g *gathering) writer(out io.Writer, format Format) (write func([]parquet.Value) error, done func() error, err error) {
	if format == CSV {
		return g.csvWriter(out)
	}
	text, err := json.Marshal(g.table)
	if err != nil {
		return nil, nil, err
	}
	w := parquet.NewWriter(out, parquetSchema(g.table), parquet.Compression(&parquet.Zstd),
		parquet.MaxRowsPerRowGroup(gatherRows), parquet.KeyValueMetadata(catalog.TableKey, string(text)))
	one := make([]parquet.Row, 1)
	levelled := make(parquet.Row, len(g.table.Columns))
	return func(row []parquet.Value) error {
		for i, v := range row {
			level := 0
			if g.table.Columns[i].Nullable && !v.IsNull() {
				level = 1
			}
			levelled[i] = v.Level(0, level, i)
		}
		one[0] = levelled
		_, err := w.WriteRows(one)
		return err
	}, w.Close, nil
}

func (g *gathering) csvWriter(out io.Writer) (write func([]parquet.Value) error, done func() error, err error) {
	w := csv.NewWriter(out)
	record := make([]string, len(g.table.Columns))
	for i, c := range g.table.Columns {
		record[i] = c.Name
	}
	return func(row []parquet.Value) error {
			for i, v := range row {
				record[i] = text(g.table.Columns[i], v)
			}
			return w.Write(record)
		}, func() error {
			w.Flush()
			return w.Error()
		}, w.Write(record)
}
