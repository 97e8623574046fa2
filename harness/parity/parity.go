// Package parity compares what different engines made of the same scenario,
// table by table, and keeps digests of it, so that a machine with one engine
// can still be checked against both.
package parity

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"

	"fabriclab/harness/flowlist"
	"fabriclab/harness/trace"
)

// Table is what identifies a table's contents: its rows as text, so that it
// outlives changes of the Parquet encoding.
type Table struct {
	Rows   int64  `json:"rows"`
	SHA256 string `json:"sha256"`
}

// Tables are the tables of a run by name, without the flow list, which a run
// was given, and without the table load, which is made of the table flows.
func Tables(runDir string) (map[string]Table, error) {
	tables := map[string]Table{}
	for _, name := range trace.List(runDir) {
		if name == flowlist.TableName || name == flowlist.DependencyTableName || name == trace.LoadTable.Name {
			continue
		}
		t, err := digest(runDir, name)
		if err != nil {
			return nil, err
		}
		tables[name] = t
	}
	return tables, nil
}

func digest(runDir, name string) (t Table, err error) {
	file, err := trace.Open(runDir, name)
	if err != nil {
		return Table{}, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	sum := sha256.New()
	if err := file.Export(sum, trace.CSV, -1); err != nil {
		return Table{}, err
	}
	return Table{Rows: file.Rows(), SHA256: hex.EncodeToString(sum.Sum(nil))}, nil
}

// Compare says where the tables of run b differ from those of run a; nothing
// if they are equal.
func Compare(a, b string) ([]string, error) {
	left, err := Tables(a)
	if err != nil {
		return nil, err
	}
	right, err := Tables(b)
	if err != nil {
		return nil, err
	}
	var differences []string
	for _, name := range names(left, right) {
		l, inLeft := left[name]
		r, inRight := right[name]
		switch {
		case !inLeft || !inRight:
			differences = append(differences, fmt.Sprintf("table %s is in one run only", name))
		case l != r:
			where, err := firstDifference(a, b, name)
			if err != nil {
				return nil, err
			}
			differences = append(differences, fmt.Sprintf("table %s (%d and %d rows): %s", name, l.Rows, r.Rows, where))
		}
	}
	return differences, nil
}

func names(a, b map[string]Table) []string {
	var all []string
	for _, m := range []map[string]Table{a, b} {
		for name := range m {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// firstDifference shows the first lines in which two tables differ.
func firstDifference(a, b, name string) (string, error) {
	left, err := lines(a, name)
	if err != nil {
		return "", err
	}
	defer left.Close()
	right, err := lines(b, name)
	if err != nil {
		return "", err
	}
	defer right.Close()
	l, r := bufio.NewScanner(left), bufio.NewScanner(right)
	var head string
	for n := 0; ; n++ {
		moreLeft, moreRight := l.Scan(), r.Scan()
		if err := errors.Join(l.Err(), r.Err()); err != nil {
			return "", err
		}
		switch {
		case !moreLeft && !moreRight:
			return "the rows are equal", nil
		case !moreLeft || !moreRight:
			return fmt.Sprintf("one of them ends after %d rows", n-1), nil
		case l.Text() != r.Text():
			return fmt.Sprintf("row %d (%s) is %s and %s", n, head, l.Text(), r.Text()), nil
		}
		if n == 0 {
			head = l.Text()
		}
	}
}

// lines reads a table as CSV.
func lines(runDir, name string) (*io.PipeReader, error) {
	file, err := trace.Open(runDir, name)
	if err != nil {
		return nil, err
	}
	r, w := io.Pipe()
	go func() {
		err := file.Export(w, trace.CSV, -1)
		w.CloseWithError(errors.Join(err, file.Close()))
	}()
	return r, nil
}
