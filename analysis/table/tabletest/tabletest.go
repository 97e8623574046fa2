// Package tabletest writes Parquet tables for tests of analysis.
package tabletest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"fabriclab/base/catalog"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"
)

// Queue is a row of `queues`.
type Queue struct {
	TimePs   int64  `parquet:"time_ps"`
	Node     string `parquet:"node,dict"`
	Port     uint32 `parquet:"port,uint(16)"`
	Link     string `parquet:"link,dict"`
	Class    uint32 `parquet:"class,uint(8)"`
	Bytes    uint64 `parquet:"bytes"`
	Packets  uint32 `parquet:"packets"`
	MaxBytes uint64 `parquet:"max_bytes"`
}

// Link is a row of `links`.
type Link struct {
	TimePs    int64  `parquet:"time_ps"`
	Node      string `parquet:"node,dict"`
	Port      uint32 `parquet:"port,uint(16)"`
	Link      string `parquet:"link,dict"`
	SentBytes uint64 `parquet:"sent_bytes"`
	DataBytes uint64 `parquet:"data_bytes"`
	PausedPs  int64  `parquet:"paused_ps"`
}

// Rate is a row of `rates`.
type Rate struct {
	TimePs      int64  `parquet:"time_ps"`
	Flow        uint32 `parquet:"flow"`
	Node        string `parquet:"node,dict"`
	RateBps     int64  `parquet:"rate_bps"`
	WindowBytes int64  `parquet:"window_bytes"`
	SentBytes   uint64 `parquet:"sent_bytes"`
	AckedBytes  uint64 `parquet:"acked_bytes"`
}

// Arrival is a row of `arrivals`.
type Arrival struct {
	TimePs  int64  `parquet:"time_ps"`
	Flow    uint32 `parquet:"flow"`
	Node    string `parquet:"node,dict"`
	Bytes   uint64 `parquet:"bytes"`
	Packets uint64 `parquet:"packets"`
	LastPs  int64  `parquet:"last_ps"`
}

// OptimalRate is a row of `optimal_rates`.
type OptimalRate struct {
	TimePs  int64   `parquet:"time_ps"`
	UntilPs int64   `parquet:"until_ps"`
	Flow    uint32  `parquet:"flow"`
	RateBps float64 `parquet:"rate_bps"`
}

// OptimalFlow is a row of `optimal_flows`.
type OptimalFlow struct {
	Flow         uint32 `parquet:"flow"`
	OptimalFctPs int64  `parquet:"optimal_fct_ps"`
}

// Pause is a row of `pauses`.
type Pause struct {
	TimePs int64  `parquet:"time_ps"`
	Node   string `parquet:"node,dict"`
	Port   uint32 `parquet:"port,uint(16)"`
	Link   string `parquet:"link,dict"`
	Class  uint32 `parquet:"class,uint(8)"`
	Xoff   bool   `parquet:"xoff"`
	Sent   bool   `parquet:"sent"`
}

// Drop is a row of `drops`.
type Drop struct {
	TimePs int64  `parquet:"time_ps"`
	Node   string `parquet:"node,dict"`
	Port   uint32 `parquet:"port,uint(16)"`
	Link   string `parquet:"link,dict"`
	Class  uint32 `parquet:"class,uint(8)"`
	Flow   uint32 `parquet:"flow"`
	Kind   string `parquet:"kind,dict"`
	Bytes  uint32 `parquet:"bytes"`
	Reason string `parquet:"reason,dict"`
}

// Flow is a row of `flows`.
type Flow struct {
	Flow               uint32   `parquet:"flow"`
	Group              uint32   `parquet:"group"`
	Src                string   `parquet:"src,dict"`
	Dst                string   `parquet:"dst,dict"`
	Class              uint32   `parquet:"class,uint(8)"`
	Measured           bool     `parquet:"measured"`
	SizeBytes          uint64   `parquet:"size_bytes"`
	StartPs            int64    `parquet:"start_ps"`
	EndPs              int64    `parquet:"end_ps"`
	SenderEndPs        int64    `parquet:"sender_end_ps"`
	DeliveredBytes     uint64   `parquet:"delivered_bytes"`
	SentBytes          uint64   `parquet:"sent_bytes"`
	RetransmittedBytes uint64   `parquet:"retransmitted_bytes"`
	Packets            uint64   `parquet:"packets"`
	Finished           bool     `parquet:"finished"`
	IdealFctPs         *int64   `parquet:"ideal_fct_ps,optional"`
	FctPs              *int64   `parquet:"fct_ps,optional"`
	Slowdown           *float64 `parquet:"slowdown,optional"`
}

// Write writes a table into dir, in small row groups so that readers cross
// their borders.
func Write[T any](t testing.TB, dir, name string, rows []T) {
	t.Helper()
	require.NoError(t, os.MkdirAll(dir, 0o777))
	f, err := os.Create(filepath.Join(dir, name+".parquet"))
	require.NoError(t, err)
	text, err := json.Marshal(describe(name, reflect.TypeFor[T]()))
	require.NoError(t, err)
	w := parquet.NewGenericWriter[T](f, parquet.KeyValueMetadata(catalog.TableKey, string(text)), parquet.MaxRowsPerRowGroup(1000), parquet.PageBufferSize(4096), parquet.Compression(&parquet.Zstd))
	_, err = w.Write(rows)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	require.NoError(t, f.Close())
	if _, err := os.Stat(filepath.Join(dir, "summary.json")); name == "flows" && err != nil {
		Ended(t, dir, 0)
	}
}

// Ended writes the summary of a run in dir that ended at a time.
func Ended(t testing.TB, dir string, ps int64) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "summary.json"), fmt.Appendf(nil, `{"sim_ps": %d}`, ps), 0o666))
}

// describe is what a table says of itself: types by those of Go, units by the
// ends of the names.
func describe(name string, row reflect.Type) catalog.Table {
	t := catalog.Table{Name: name}
	for i := range row.NumField() {
		field := row.Field(i)
		column, _, _ := strings.Cut(field.Tag.Get("parquet"), ",")
		c := catalog.Column{Name: column}
		kind := field.Type
		if kind.Kind() == reflect.Pointer {
			kind, c.Nullable = kind.Elem(), true
		}
		c.Type = map[reflect.Kind]string{reflect.String: "string", reflect.Bool: "bool", reflect.Float64: "f64", reflect.Int64: "i64", reflect.Uint64: "u64", reflect.Uint32: "u32"}[kind.Kind()]
		for end, unit := range map[string]string{"_ps": "ps", "_bps": "bit/s", "bytes": "B"} {
			if strings.HasSuffix(column, end) {
				c.Unit = unit
			}
		}
		t.Columns = append(t.Columns, c)
	}
	return t
}

// Scenario writes a scenario.json with a chain of nodes a - b - c … whose
// links all have the given rate.
func Scenario(t testing.TB, dir string, stopPs, rateBps int64, nodes ...string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(dir, 0o777))
	type object = map[string]any
	s := object{"format": "fabriclab-scenario", "version": 1, "name": "test", "seed": 1, "stop_ps": stopPs}
	var list, links []object
	for i, n := range nodes {
		list = append(list, object{"id": i, "name": n})
		if i > 0 {
			links = append(links, object{"id": i - 1, "a": i - 1, "a_port": min(i-1, 1), "b": i, "b_port": 0, "rate_bps": rateBps})
		}
	}
	s["nodes"], s["links"] = list, links
	s["components"] = object{"host": object{"params": object{"classes": 2}}}
	writeJSON(t, filepath.Join(dir, "scenario.json"), s)
}

// Change replaces keys of scenario.json.
func Change(t testing.TB, dir, keys string) {
	t.Helper()
	path := filepath.Join(dir, "scenario.json")
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	s := map[string]any{}
	require.NoError(t, json.Unmarshal(data, &s))
	require.NoError(t, json.Unmarshal([]byte(keys), &s))
	writeJSON(t, path, s)
}

func writeJSON(t testing.TB, path string, v any) {
	t.Helper()
	data, err := json.Marshal(v)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, data, 0o666))
}
