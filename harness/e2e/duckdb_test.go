package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/base/file/flock"
	"fabriclab/harness/store"
	"fabriclab/harness/trace/tracetest"
)

// duckDB is the version of the independent reader of Parquet files.
const duckDB = "@duckdb/node-api@1.5.6-r.1"

// answer is what a query gives.
type answer struct {
	Names []string
	Types []string
	Rows  []map[string]any
}

// number is a value of the first row; 64-bit integers come as text.
func (r answer) number(t *testing.T, column string) float64 {
	t.Helper()
	require.NotEmpty(t, r.Rows)
	return value(t, r.Rows[0][column])
}

func value(t *testing.T, v any) float64 {
	t.Helper()
	switch v := v.(type) {
	case float64:
		return v
	case string:
		f, err := strconv.ParseFloat(v, 64)
		require.NoError(t, err)
		return f
	}
	require.Failf(t, "no number", "%v", v)
	return 0
}

// installDuckDB installs DuckDB for Node.js into the user's cache, once.
func installDuckDB(t *testing.T) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	require.NoError(t, err)
	dir := filepath.Join(cache, "fabriclab", strings.ReplaceAll(strings.TrimPrefix(duckDB, "@"), "/", "-"))
	require.NoError(t, os.MkdirAll(dir, 0o755))
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	lock, err := flock.Acquire(ctx, filepath.Join(dir, ".lock"))
	require.NoError(t, err)
	defer func() { assert.NoError(t, lock.Release()) }()
	done := filepath.Join(dir, ".installed")
	if _, err := os.Stat(done); err == nil {
		return dir
	}
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("not checked with DuckDB: %v; install Node.js with npm", err)
		}
	}
	install := exec.CommandContext(ctx, "npm", "install", "--prefix", dir, "--no-audit", "--no-fund", "--no-save", duckDB)
	if out, err := install.CombinedOutput(); err != nil {
		t.Skipf("not checked with DuckDB: npm cannot install %s: %v\n%s", duckDB, err, out)
	}
	require.NoError(t, os.WriteFile(done, nil, 0o644))
	return dir
}

// query runs queries with DuckDB in a directory.
func query(t *testing.T, duck, dir string, queries ...string) []answer {
	t.Helper()
	script, err := os.ReadFile("testdata/duckdb.mjs")
	require.NoError(t, err)
	program := filepath.Join(duck, "query.mjs") // modules are looked for beside it
	require.NoError(t, os.WriteFile(program, script, 0o644))
	input, err := json.Marshal(queries)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", program)
	cmd.Dir, cmd.Stdin = dir, bytes.NewReader(input)
	var problems strings.Builder
	cmd.Stderr = &problems
	out, err := cmd.Output()
	require.NoError(t, err, problems.String())
	var results []answer
	require.NoError(t, json.Unmarshal(out, &results))
	require.Len(t, results, len(queries))
	return results
}

// TestDuckDB reads the tables of real runs with a reader that shares nothing
// with their writer: rows, sums, strings, types and units. Then it runs what
// the documentation shows.
func TestDuckDB(t *testing.T) {
	duck := installDuckDB(t)
	dir := t.TempDir()
	out := filepath.Join(dir, "results")
	for _, args := range [][]string{
		{"run", "fncc/fig10", "--set", "topology.rate=[100Gbps]", "--set", "preset=[hpcc,fncc]"},
		{"collect", "fncc/fig10", "--set", "topology.rate=[100Gbps]", "--set", "preset=[hpcc,fncc]", "-o", filepath.Join(dir, "sweep.parquet")},
		{"collect", "fncc/fig10", "--table", "rates", "--set", "topology.rate=[100Gbps]", "--set", "preset=[hpcc,fncc]", "-o", filepath.Join(dir, "rates.parquet")},
		{"run", "testdata/incast.yaml", "--set", "preset=hpcc", "--seed", "1"},
	} {
		_, stderr, err := fabriclab(t, nil, append(args, "--out", out)...)
		require.NoError(t, err, stderr)
	}

	t.Run("tables", func(t *testing.T) {
		runs, err := store.Runs(elsewhere(t, out, "incast"))
		require.NoError(t, err)
		require.Len(t, runs, 1)
		checkTables(t, duck, runs[0])
	})
	t.Run("docs", func(t *testing.T) { checkSnippets(t, duck, dir) })
}

// checkTables compares the tables of a run with what the manifest and the program
// itself say of them.
func checkTables(t *testing.T, duck, run string) {
	t.Helper()
	m, err := store.Read(run)
	require.NoError(t, err)
	var names, queries []string
	for name, f := range m.Outputs {
		if f.Rows != nil {
			names = append(names, name)
			queries = append(queries, fmt.Sprintf("SELECT count(*) AS n FROM '%s'", name))
		}
	}
	require.GreaterOrEqual(t, len(names), 7)
	for i, r := range query(t, duck, run, queries...) {
		assert.InDelta(t, float64(*m.Outputs[names[i]].Rows), r.number(t, "n"), 0, names[i])
	}

	// Sums and strings, by the program's own reader.
	for table, columns := range map[string][]string{
		"flows":     {"flow", "size_bytes", "start_ps", "end_ps", "delivered_bytes", "sent_bytes", "packets", "fct_ps", "ideal_fct_ps", "slowdown"},
		"queues":    {"time_ps", "class", "bytes", "packets", "max_bytes"},
		"flow-list": {"flow", "size_bytes", "start_ps", "weight"},
		"rates":     {"time_ps", "rate_bps", "window_bytes", "acked_bytes"},
	} {
		own := tracetest.Table(t, run, table)
		var sums, texts []string
		for _, c := range columns {
			sums = append(sums, fmt.Sprintf("sum(%s)::DOUBLE AS %s", c, c))
		}
		for _, c := range []string{"src", "dst", "link", "node"} {
			if _, has := own[0][c]; has {
				texts = append(texts, c)
			}
		}
		require.NotEmpty(t, texts, table)
		r := query(t, duck, run,
			fmt.Sprintf("SELECT %s FROM '%s.parquet'", strings.Join(sums, ", "), table),
			fmt.Sprintf("SELECT %s FROM '%s.parquet'", strings.Join(texts, ", "), table))
		for _, c := range columns {
			want := 0.0
			for _, row := range own {
				want += value(t, row[c])
			}
			assert.InDelta(t, want, r[0].number(t, c), 1e-9*math.Abs(want), "%s.%s", table, c)
		}
		require.Len(t, r[1].Rows, len(own))
		for i, row := range own {
			for _, c := range texts {
				require.Equal(t, row[c], r[1].Rows[i][c], "%s, row %d", table, i)
			}
		}
	}

	// Types, units and the empty table.
	r := query(t, duck, run,
		"DESCRIBE SELECT * FROM 'flows.parquet'",
		"SELECT decode(value) AS text FROM parquet_kv_metadata('queues.parquet') WHERE decode(key) = 'fabriclab.table'",
		"SELECT count(*) AS n, count(slowdown) AS finished FROM 'flows.parquet' WHERE finished AND src LIKE 'sender%' AND dst = 'receiver0'")
	types := map[string]any{}
	for _, row := range r[0].Rows {
		types[row["column_name"].(string)] = row["column_type"]
	}
	for column, want := range map[string]string{
		"flow": "UINTEGER", "src": "VARCHAR", "measured": "BOOLEAN", "size_bytes": "UBIGINT", "start_ps": "BIGINT", "fct_ps": "BIGINT", "slowdown": "DOUBLE",
	} {
		assert.Equal(t, want, types[column], column)
	}
	var described struct {
		Columns []struct{ Name, Unit, Help string }
	}
	require.Len(t, r[1].Rows, 1)
	require.NoError(t, json.Unmarshal([]byte(r[1].Rows[0]["text"].(string)), &described))
	units := map[string]string{}
	for _, c := range described.Columns {
		units[c.Name] = c.Unit
		assert.NotEmpty(t, c.Help, c.Name)
	}
	assert.Equal(t, "ps", units["time_ps"])
	assert.Equal(t, "B", units["max_bytes"])
	assert.InDelta(t, 3, r[2].number(t, "n"), 0)
	assert.InDelta(t, 3, r[2].number(t, "finished"), 0)
}

var sqlBlock = regexp.MustCompile("(?s)```sql\n(.*?)```")

// checkSnippets runs every SQL statement of the documentation on runs of
// fncc/fig10; that of reading-results.md gives what the program itself says.
func checkSnippets(t *testing.T, duck, dir string) {
	t.Helper()
	runs, err := store.Runs(filepath.Join(dir, "results", "fncc", "fig10"))
	require.NoError(t, err)
	require.Len(t, runs, 2)
	var texts, places []string
	for _, page := range []string{"docs/how-to/reading-results.md", "docs/how-to/sweep-results.md", "docs/traces.md"} {
		text, err := os.ReadFile(filepath.Join(lab.root, page))
		require.NoError(t, err)
		found := sqlBlock.FindAllStringSubmatch(string(text), -1)
		require.NotEmpty(t, found, page)
		for _, block := range found {
			for statement := range strings.SplitSeq(strings.TrimSpace(block[1]), ";\n") {
				texts, places = append(texts, strings.ReplaceAll(statement, "RUNDIR", runs[0])), append(places, page)
			}
		}
	}
	results := query(t, duck, dir, texts...)
	peaks := query(t, duck, dir, "SELECT preset, value FROM 'sweep.parquet' WHERE measure = 'figure.queue_peak' ORDER BY preset")[0]
	require.Len(t, peaks.Rows, 2)
	for i, r := range results {
		require.NotEmpty(t, r.Rows, "%s:\n%s", places[i], texts[i])
		switch {
		case strings.Contains(texts[i], "labels.preset"):
			require.Len(t, r.Rows, 2)
			for k, row := range r.Rows {
				assert.Equal(t, peaks.Rows[k]["preset"], row["preset"])
				assert.InDelta(t, value(t, peaks.Rows[k]["value"]), value(t, row["peak_kb"]), 1e-9)
			}
		case strings.Contains(texts[i], "queue_kb"):
			require.Len(t, r.Rows, 2)
			assert.InDelta(t, 100, r.number(t, "gbps"), 0)
			assert.InDelta(t, 1, r.number(t, "seeds"), 0)
			assert.GreaterOrEqual(t, r.number(t, "queue_kb"), value(t, peaks.Rows[0]["value"]), "the figure looks at a part of the run")
		case strings.Contains(texts[i], "gbps FROM 'rates.parquet'"):
			require.Len(t, r.Rows, 4, "two presets, two flows")
			assert.Equal(t, "fncc", r.Rows[0]["preset"])
			assert.Equal(t, "100Gbps", r.Rows[0]["topology.rate"])
			assert.InDelta(t, 100, r.number(t, "gbps"), 0, "a flow alone has the link's rate")
		case strings.Contains(texts[i], "PIVOT"):
			require.Len(t, r.Rows, 2)
			assert.Greater(t, r.number(t, "link_utilisation"), 0.8)
			assert.Greater(t, r.number(t, "queue_max"), 1000.0)
		}
	}
}
