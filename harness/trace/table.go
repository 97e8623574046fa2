package trace

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"

	"fabriclab/base/catalog"
	"fabriclab/base/columns"
	"fabriclab/base/file"
	"fabriclab/base/parquetfile"
)

// TableFile is a stored table opened for reading.
type TableFile struct {
	// Table describes the columns as stored.
	Table Table
	path  string
	file  *parquetfile.File
}

// List names the tables in a run directory.
func List(runDir string) []string {
	var names []string
	for _, p := range file.Glob(runDir, "*.parquet") {
		names = append(names, strings.TrimSuffix(filepath.Base(p), ".parquet"))
	}
	slices.Sort(names)
	return names
}

// Open opens a table of a run directory.
func Open(runDir, table string) (*TableFile, error) {
	path := filepath.Join(runDir, table+".parquet")
	f, err := parquetfile.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		names := List(runDir)
		if len(names) == 0 {
			return nil, fmt.Errorf("no tables in %s: is it a run directory (results/<experiment>/<hash>/<engine>-seed<n>)?", runDir)
		}
		return nil, fmt.Errorf("run %s has no table %q; it has %s (tables are asked for under `trace:` in the experiment)", runDir, table, strings.Join(names, ", "))
	}
	var damaged *parquetfile.Damaged
	if errors.As(err, &damaged) {
		return nil, corrupt(path, err)
	}
	if err != nil {
		return nil, fmt.Errorf("opening table %q: %w", table, err)
	}
	t := &TableFile{path: path, file: f}
	if err := t.describe(); err != nil {
		return nil, errors.Join(corrupt(path, err), f.Close())
	}
	return t, nil
}

// describe reads what the file says of itself.
func (t *TableFile) describe() error {
	description, ok := t.file.Lookup(catalog.TableKey)
	if !ok {
		return errors.New("it was not written by fabriclab")
	}
	if err := json.Unmarshal([]byte(description), &t.Table); err != nil {
		return fmt.Errorf("its description is not readable: %w", err)
	}
	if n := len(t.file.Schema().Columns()); len(t.Table.Columns) != n {
		return fmt.Errorf("%d columns are described, %d are stored", len(t.Table.Columns), n)
	}
	return nil
}

func corrupt(path string, err error) error {
	return fmt.Errorf("corrupt table %s: %w; delete the run directory %s and run the experiment again", path, err, filepath.Dir(path))
}

// Close closes the file.
func (t *TableFile) Close() error { return t.file.Close() }

// Rows is the number of rows.
func (t *TableFile) Rows() int64 { return t.file.NumRows() }

// Each calls fn for the first limit rows (all, if negative). The slice is
// valid during the call only.
func (t *TableFile) Each(limit int64, fn func(row []parquet.Value) error) error {
	rows := t.file.Rows()
	for ; limit != 0; limit-- {
		row, err := rows.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			err = corrupt(t.path, err)
		default:
			err = fn(row)
		}
		if err != nil {
			return errors.Join(err, rows.Close())
		}
	}
	return rows.Close()
}

// Format is a text format of Export.
type Format string

// The formats of Export.
const (
	CSV       Format = "csv"
	JSONLines Format = "jsonl"
)

// Export writes the first limit rows (all, if negative) as text.
func (t *TableFile) Export(out io.Writer, format Format, limit int64) error {
	w := bufio.NewWriterSize(out, 256<<10)
	var err error
	switch format {
	case CSV:
		err = t.exportCSV(w, limit)
	case JSONLines:
		err = t.exportJSON(w, limit)
	default:
		return fmt.Errorf("unknown format %q; known are %s and %s", format, CSV, JSONLines)
	}
	if err != nil {
		return err
	}
	return w.Flush()
}

func (t *TableFile) exportCSV(out io.Writer, limit int64) error {
	w := csv.NewWriter(out)
	record := make([]string, len(t.Table.Columns))
	for i, c := range t.Table.Columns {
		record[i] = c.Name
	}
	if err := w.Write(record); err != nil {
		return err
	}
	err := t.Each(limit, func(row []parquet.Value) error {
		for i, v := range row {
			record[i] = text(t.Table.Columns[i], v)
		}
		return w.Write(record)
	})
	w.Flush()
	return errors.Join(err, w.Error())
}

func (t *TableFile) exportJSON(out io.Writer, limit int64) error {
	names := make([]string, len(t.Table.Columns))
	for i, c := range t.Table.Columns {
		name, err := quote(c.Name)
		if err != nil {
			return err
		}
		names[i] = string(name)
	}
	var line []byte
	return t.Each(limit, func(row []parquet.Value) error {
		line = append(line[:0], '{')
		for i, v := range row {
			if i > 0 {
				line = append(line, ',')
			}
			line = append(append(line, names[i]...), ':')
			c := t.Table.Columns[i]
			s := text(c, v)
			switch {
			case v.IsNull() || s == "NaN" || s == "+Inf" || s == "-Inf":
				line = append(line, "null"...)
			case c.Type == "string":
				quoted, err := quote(s)
				if err != nil {
					return err
				}
				line = append(line, quoted...)
			default:
				line = append(line, s...)
			}
		}
		_, err := out.Write(append(line, "}\n"...))
		return err
	})
}

// quote writes a JSON string and leaves the > of a link as it is.
func quote(s string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// Head prints the first rows as an aligned table.
func (t *TableFile) Head(out io.Writer, rows int64) error {
	w := columns.New(out)
	var names []string
	for _, c := range t.Table.Columns {
		names = append(names, c.Name)
	}
	fmt.Fprintln(w, strings.Join(names, "\t"))
	cells := make([]string, len(names))
	err := t.Each(rows, func(row []parquet.Value) error {
		for i, v := range row {
			if cells[i] = text(t.Table.Columns[i], v); v.IsNull() {
				cells[i] = "null"
			}
		}
		_, err := fmt.Fprintln(w, strings.Join(cells, "\t"))
		return err
	})
	if err != nil {
		return err
	}
	return w.Flush()
}

// WriteSchema prints the table's title and what every column means.
func (t *TableFile) WriteSchema(out io.Writer) error {
	w := columns.New(out)
	fmt.Fprintf(w, "%s: %s, %d rows\n", t.Table.Name, t.Table.Title, t.Rows())
	fmt.Fprintln(w, "column\ttype\tunit\tmeaning")
	for _, c := range t.Table.Columns {
		kind := c.Type
		if c.Nullable {
			kind += " or null"
		}
		help := c.Help
		if len(c.Labels) > 0 {
			help += " (" + strings.Join(c.Labels, ", ") + ")"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", c.Name, kind, c.Unit, help)
	}
	return w.Flush()
}

func text(c Column, v parquet.Value) string {
	if v.IsNull() {
		return ""
	}
	switch c.Type {
	case "i64":
		return strconv.FormatInt(v.Int64(), 10)
	case "u64":
		return strconv.FormatUint(v.Uint64(), 10)
	case "u32", "u16", "u8":
		return strconv.FormatUint(uint64(v.Uint32()), 10)
	case "f64":
		return strconv.FormatFloat(v.Double(), 'g', -1, 64)
	case "bool":
		return strconv.FormatBool(v.Boolean())
	}
	return string(v.ByteArray())
}
