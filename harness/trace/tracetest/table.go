package tracetest

import (
	"encoding/csv"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fabriclab/harness/trace"
)

// Table reads a table of a run directory as one map per row.
func Table(t *testing.T, dir, table string) []map[string]string {
	t.Helper()
	f, err := trace.Open(dir, table)
	require.NoError(t, err)
	defer f.Close()
	var text strings.Builder
	require.NoError(t, f.Export(&text, trace.CSV, -1))
	records, err := csv.NewReader(strings.NewReader(text.String())).ReadAll()
	require.NoError(t, err)
	var all []map[string]string
	for _, record := range records[1:] {
		row := map[string]string{}
		for i, name := range records[0] {
			row[name] = record[i]
		}
		all = append(all, row)
	}
	return all
}

// Number is the number in a column of such a row.
func Number(t *testing.T, row map[string]string, column string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(row[column], 64)
	require.NoError(t, err, "%s = %q", column, row[column])
	return v
}
