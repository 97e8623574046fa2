package trace_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/harness/trace"
)

// twoRuns are the tables of a run with an ideal FCT and of one without.
func twoRuns(t *testing.T, samples int) (place []trace.Column, parts []trace.Part) {
	t.Helper()
	with, without := t.TempDir(), t.TempDir()
	_, err := ingest(t, bytes.NewReader(stream(t, samples)), with)
	require.NoError(t, err)
	_, err = trace.Ingest(context.Background(), bytes.NewReader(stream(t, samples)), trace.Options{Dir: without, Names: names(t)})
	require.NoError(t, err)
	place = []trace.Column{{Name: "preset", Type: "string", Nullable: true}, {Name: "rate_bps", Type: "f64", Nullable: true}, {Name: "seed", Type: "u64"}}
	value := func(cells ...any) (row []parquet.Value) {
		for _, c := range cells {
			row = append(row, parquet.ValueOf(c))
		}
		return row
	}
	return place, []trace.Part{{Dir: without, Place: value("hpcc", 1e11, uint64(1))}, {Dir: with, Place: value(nil, nil, uint64(2))}}
}

func TestGather(t *testing.T) {
	place, parts := twoRuns(t, 3)
	dir := t.TempDir()
	var csv strings.Builder
	rows, err := trace.Gather(&csv, trace.CSV, "flows", place, parts)
	require.NoError(t, err)
	assert.EqualValues(t, 4, rows)
	lines := strings.Split(csv.String(), "\n")
	assert.Equal(t, "preset,rate_bps,seed,flow,group,src,dst,class,measured,size_bytes,start_ps,end_ps,sender_end_ps,delivered_bytes,sent_bytes,retransmitted_bytes,packets,finished,ideal_fct_ps,fct_ps,slowdown", lines[0])
	assert.True(t, strings.HasPrefix(lines[1], "hpcc,1e+11,1,0,"), lines[1])
	assert.True(t, strings.HasSuffix(lines[1], ",true,,,"), "the first run has no ideal times: %s", lines[1])
	assert.True(t, strings.HasPrefix(lines[3], ",,2,0,"), lines[3])
	assert.Regexp(t, `,true,400,\d+,[0-9.]+$`, lines[3])

	// The Parquet has the same, reads like any table here, and is the same bytes each time.
	var first, second bytes.Buffer
	for _, out := range []io.Writer{&first, &second} {
		_, err := trace.Gather(out, trace.Parquet, "flows", place, parts)
		require.NoError(t, err)
	}
	assert.Equal(t, first.Bytes(), second.Bytes())
	require.NoError(t, os.WriteFile(filepath.Join(dir, "flows.parquet"), first.Bytes(), 0o644))
	assert.Equal(t, csv.String(), export(t, dir, "flows", trace.CSV))

	place = append(place, trace.Column{Name: "src", Type: "string"})
	_, err = trace.Gather(io.Discard, trace.CSV, "flows", place, parts)
	require.ErrorContains(t, err, `the table flows has a column "src"`)
	_, err = trace.Gather(io.Discard, trace.CSV, "marks", place, parts)
	require.ErrorContains(t, err, `has no table "marks"`)
}

// TestGatherStreams: what is gathered of forty runs takes no more memory
// than of two.
func TestGatherStreams(t *testing.T) {
	place, parts := twoRuns(t, 50_000)
	var many []trace.Part
	for range 20 {
		many = append(many, parts...)
	}
	var most uint64
	watch := writer(func([]byte) {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		most = max(most, m.HeapAlloc)
	})
	rows, err := trace.Gather(watch, trace.Parquet, "queues", place, many)
	require.NoError(t, err)
	assert.EqualValues(t, 40*50_000, rows)
	assert.Less(t, most, uint64(130<<20), "two million rows of ten columns are 160 MB")
}

type writer func([]byte)

func (w writer) Write(b []byte) (int, error) {
	w(b)
	return len(b), nil
}
