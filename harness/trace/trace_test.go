package trace_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/harness/trace"
	"fabriclab/harness/trace/tracetest"
)

func names(t testing.TB) *trace.Names {
	t.Helper()
	return tracetest.Names()
}

func stream(t testing.TB, samples int) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, tracetest.Write(&b, samples))
	return b.Bytes()
}

func ideal(src, dst uint32, size uint64) (int64, bool) { return 400, src != dst && size == 1000 }

func ingest(t testing.TB, in io.Reader, dir string) ([]trace.File, error) {
	t.Helper()
	return trace.Ingest(context.Background(), in, trace.Options{Dir: dir, Names: names(t), Derived: []trace.Derived{trace.IdealFCT(ideal)}})
}

func export(t *testing.T, dir, table string, format trace.Format) string {
	t.Helper()
	f, err := trace.Open(dir, table)
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	var b strings.Builder
	require.NoError(t, f.Export(&b, format, -1))
	return b.String()
}

func TestIngestNamesLabelsAndDerivedColumns(t *testing.T) {
	dir := t.TempDir()
	files, err := ingest(t, iotest.OneByteReader(bytes.NewReader(stream(t, 3))), dir)
	require.NoError(t, err)
	require.Len(t, files, 3)
	assert.Equal(t, "queues", files[1].Table)
	assert.Equal(t, uint64(3), files[1].Rows)

	assert.Equal(t, ""+
		"flow,group,src,dst,class,measured,size_bytes,start_ps,end_ps,sender_end_ps,delivered_bytes,sent_bytes,retransmitted_bytes,packets,finished,ideal_fct_ps,fct_ps,slowdown\n"+
		"0,0,sender0,receiver0,1,true,1000,100,4000100,8000000,1000,1000,0,1,true,400,4000000,10000\n"+
		"1,0,sender0,receiver0,1,false,0,200,-1,-1,5000,6000,0,6,false,,,\n",
		export(t, dir, "flows", trace.CSV))
	assert.Equal(t, ""+
		"time_ps,node,port,link,class,bytes,packets,max_bytes\n"+
		"0,s1,1,s1->s2,1,0,0,0\n"+
		"1000,s1,2,s1->s2#1,1,7919,1,7919\n"+
		"2000,s1,1,s1->s2,1,15838,2,15838\n",
		export(t, dir, "queues", trace.CSV))
	drops := export(t, dir, "drops", trace.JSONLines)
	assert.JSONEq(t, `{"time_ps":500,"node":"s1","port":1,"link":"s1->s2","class":1,"flow":0,"kind":"data","bytes":1048,"reason":"red"}`, drops)
	assert.True(t, strings.HasPrefix(drops, `{"time_ps":500,"node":"s1","port":1,"link":"s1->s2",`), "columns in their order, the arrow readable: %s", drops)
	assert.Contains(t, export(t, dir, "flows", trace.JSONLines), `"finished":false,"ideal_fct_ps":null,"fct_ps":null,"slowdown":null}`)
}

func TestHeadAndSchema(t *testing.T) {
	dir := t.TempDir()
	_, err := ingest(t, bytes.NewReader(stream(t, 500)), dir)
	require.NoError(t, err)
	f, err := trace.Open(dir, "queues")
	require.NoError(t, err)
	defer f.Close()
	var head, schema strings.Builder
	require.NoError(t, f.Head(&head, 2))
	assert.Equal(t, 3, strings.Count(head.String(), "\n"))
	require.NoError(t, f.WriteSchema(&schema))
	assert.Contains(t, schema.String(), "queues: Queue lengths, 500 rows")
	assert.Regexp(t, `max_bytes +u64 +B +largest length since the last sample`, schema.String())
	assert.Regexp(t, `link +string`, schema.String())
}

func TestManyRowsSpanRowGroupsAndAreTheSameBytesEachTime(t *testing.T) {
	in := stream(t, 1<<20+5000)
	a, b := t.TempDir(), t.TempDir()
	first, err := ingest(t, bytes.NewReader(in), a)
	require.NoError(t, err)
	second, err := ingest(t, bytes.NewReader(in), b)
	require.NoError(t, err)
	assert.Equal(t, first, second)

	f, err := trace.Open(a, "queues")
	require.NoError(t, err)
	defer f.Close()
	assert.Equal(t, int64(1<<20+5000), f.Rows())
	var out strings.Builder
	require.NoError(t, f.Export(&out, trace.CSV, -1))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, 1<<20+5001)
	last := 1<<20 + 4999
	assert.Equal(t, fmt.Sprintf("%d,s1,2,s1->s2#1,1,%d,%d,%d", last*1000, last*7919%500000, last%500, last*7919%600000), lines[len(lines)-1])
}

// What a processor can do decides how parquet-go packs, but not into what.
func TestTheSameBytesOnAnyProcessor(t *testing.T) {
	const child = "FABRICLAB_TEST_INGEST_TO"
	dir := os.Getenv(child)
	if dir == "" {
		dir = t.TempDir()
	}
	var in bytes.Buffer
	w, err := tracetest.NewWriter(&in, tracetest.Header())
	require.NoError(t, err)
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		port := 1 + random.IntN(2)
		for i := range 4 + random.IntN(2) {
			value := random.IntN(1 << random.IntN(30))
			require.NoError(t, w.Rows("queues", []any{1000 * i, 2, port, value % 8, value, value / 1000, value}))
		}
		require.NoError(t, w.Rows("flows", []any{0, port, 0, 1, 1, true, port * 500, 100, 700, 900, 1000, 1000, 0, 1, port == 1}))
	}
	require.NoError(t, w.End())
	files, err := ingest(t, &in, dir)
	require.NoError(t, err)
	if os.Getenv(child) != "" {
		return
	}

	other := t.TempDir()
	again := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
	again.Env = append(os.Environ(), child+"="+other, "GODEBUG=cpu.avx512f=off,cpu.avx2=off,cpu.bmi2=off,cpu.fma=off")
	out, err := again.CombinedOutput()
	require.NoError(t, err, "%s", out)
	for _, f := range files {
		want, err := os.ReadFile(filepath.Join(dir, f.Name))
		require.NoError(t, err)
		got, err := os.ReadFile(filepath.Join(other, f.Name))
		require.NoError(t, err)
		assert.True(t, bytes.Equal(want, got), "%s of %d rows", f.Name, f.Rows)
	}
}

func TestEveryTruncationIsRefused(t *testing.T) {
	in := stream(t, 5)
	for n := range in {
		_, err := readAll(bytes.NewReader(in[:n]))
		var broken *trace.StreamError
		require.ErrorAs(t, err, &broken, "cut at byte %d of %d", n, len(in))
		require.True(t, broken.Truncated, "cut at byte %d", n)
		require.Contains(t, err.Error(), "not a result")
	}
	rows, err := readAll(bytes.NewReader(in))
	require.NoError(t, err)
	assert.Equal(t, []uint64{2, 5, 1}, rows)
}

func TestEveryFlippedByteIsRefused(t *testing.T) {
	in := stream(t, 3)
	headerEnd := 12 + int(binary.LittleEndian.Uint32(in[8:]))
	for i := headerEnd; i < len(in); i++ {
		bad := bytes.Clone(in)
		bad[i] ^= 0x5a
		_, err := readAll(bytes.NewReader(bad))
		require.Error(t, err, "byte %d of %d flipped", i, len(in))
	}
}

func TestBrokenStreams(t *testing.T) {
	good := stream(t, 2)
	header := func(text string) []byte {
		return append(append([]byte(trace.Magic), binary.LittleEndian.AppendUint32(nil, uint32(len(text)))...), text...)
	}
	head := good[:12+int(binary.LittleEndian.Uint32(good[8:]))]
	end := func(text string) []byte {
		b := append(bytes.Clone(head), "FEND"...)
		b = binary.LittleEndian.AppendUint32(b, uint32(len(text)))
		b = binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE([]byte(text)))
		return append(b, text...)
	}
	tests := map[string]struct {
		in   []byte
		want string
	}{
		"another file":       {[]byte("PAR1....................."), "not with"},
		"huge header":        {append([]byte(trace.Magic), 255, 255, 255, 255), "is announced"},
		"header not JSON":    {header("{"), "no valid JSON"},
		"other version":      {header(`{"version":2}`), "header version 2"},
		"unknown type":       {header(`{"version":1,"tables":[{"name":"a","columns":[{"name":"x","type":"i128"}]}]}`), `unknown type "i128"`},
		"table twice":        {header(`{"version":1,"tables":[{"name":"a","columns":[{"name":"x","type":"u8"}]},{"name":"a","columns":[{"name":"x","type":"u8"}]}]}`), "declared twice"},
		"table outside":      {header(`{"version":1,"tables":[{"name":"../a","columns":[{"name":"x","type":"u8"}]}]}`), "bad table name"},
		"unknown table":      {append(bytes.Clone(head), tracetest.Block(7, 0, nil)...), "a block of table 7"},
		"payload too short":  {append(bytes.Clone(head), tracetest.Block(1, 2, make([]byte, 5))...), "has 5 bytes"},
		"rows miscounted":    {end(`{"rows":[0,3,0]}`), "the end block counts 3"},
		"tables miscounted":  {end(`{"rows":[0]}`), "counts 1 tables"},
		"bytes after end":    {append(bytes.Clone(good), 'x'), "behind the end block"},
		"neither block type": {append(bytes.Clone(head), "JUNK"...), "where a block should start"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := readAll(bytes.NewReader(test.in))
			require.ErrorContains(t, err, test.want)
		})
	}
}

func TestValuesOutsideTheScenarioAreRefused(t *testing.T) {
	tests := map[string]struct {
		row  []any
		want string
	}{
		"node":  {[]any{0, 9, 1, 1, 0, 0, 0, 0}, "names node 9"},
		"port":  {[]any{0, 2, 7, 1, 0, 0, 0, 0}, "node 2 port 7"},
		"label": {[]any{0, 2, 1, 1, 0, 2, 0, 0}, `value 2 of column "kind" has no label`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			w, err := tracetest.NewWriter(&b, tracetest.Header())
			require.NoError(t, err)
			require.NoError(t, w.Rows("drops", test.row))
			require.NoError(t, w.End())
			_, err = ingest(t, &b, t.TempDir())
			require.ErrorContains(t, err, test.want)
			require.ErrorContains(t, err, `table "drops"`)
		})
	}
}

type fullDisk struct{ left int }

func (d *fullDisk) Write(b []byte) (int, error) {
	if d.left -= len(b); d.left < 0 {
		return 0, syscall.ENOSPC
	}
	return len(b), nil
}

func (d *fullDisk) Close() error { return nil }

func TestFullDisk(t *testing.T) {
	_, err := trace.Ingest(context.Background(), bytes.NewReader(stream(t, 100_000)), trace.Options{
		Dir: t.TempDir(), Names: names(t),
		Create: func(string) (io.WriteCloser, error) { return &fullDisk{left: 1000}, nil },
	})
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.ErrorContains(t, err, "writing the table")
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := trace.Ingest(ctx, bytes.NewReader(stream(t, 10)), trace.Options{Dir: t.TempDir(), Names: names(t)})
	require.ErrorIs(t, err, context.Canceled)
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	_, err := trace.Open(dir, "queues")
	require.ErrorContains(t, err, "is it a run directory")

	_, err = ingest(t, bytes.NewReader(stream(t, 20_000)), dir)
	require.NoError(t, err)
	_, err = trace.Open(dir, "rates")
	require.ErrorContains(t, err, "it has drops, flows, queues")

	path := filepath.Join(dir, "queues.parquet")
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	for name, bad := range map[string][]byte{
		"empty":     nil,
		"cut":       whole[:len(whole)/2],
		"no footer": append(bytes.Clone(whole[:len(whole)-400]), bytes.Repeat([]byte{0xff}, 400)...),
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, os.WriteFile(path, bad, 0o644))
			_, err := trace.Open(dir, "queues")
			require.ErrorContains(t, err, "corrupt table "+path)
			require.ErrorContains(t, err, "run the experiment again")
		})
	}
	t.Run("data pages", func(t *testing.T) {
		bad := bytes.Clone(whole)
		for i := 4; i < len(bad)/2; i++ {
			bad[i] = 0xff
		}
		require.NoError(t, os.WriteFile(path, bad, 0o644))
		f, err := trace.Open(dir, "queues")
		require.NoError(t, err)
		defer f.Close()
		require.ErrorContains(t, f.Export(io.Discard, trace.CSV, -1), "corrupt table "+path)
	})
}

func TestExportUnknownFormat(t *testing.T) {
	dir := t.TempDir()
	_, err := ingest(t, bytes.NewReader(stream(t, 1)), dir)
	require.NoError(t, err)
	f, err := trace.Open(dir, "flows")
	require.NoError(t, err)
	defer f.Close()
	require.ErrorContains(t, f.Export(io.Discard, "xml", -1), "csv and jsonl")
}

func readAll(in io.Reader) ([]uint64, error) {
	r, err := trace.NewReader(in)
	if err != nil {
		return nil, err
	}
	for {
		if _, err := r.Next(); errors.Is(err, io.EOF) {
			return r.Rows(), nil
		} else if err != nil {
			return nil, err
		}
	}
}

func BenchmarkIngest(b *testing.B) {
	const rows = 4 << 20
	in := stream(b, rows)
	b.ResetTimer()
	for range b.N {
		_, err := ingest(b, bytes.NewReader(in), b.TempDir())
		require.NoError(b, err)
	}
	b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrows/s")
}

// census is a derived table that exists in this test alone: how many flows go
// to each host, with a column that says so of every flow.
type census struct{ count [3]uint32 }

func (*census) From() string { return "flows" }

func (*census) Needs() []trace.Column {
	return []trace.Column{{Name: "dst", Type: "u32"}, {Name: "size_bytes", Type: "u64"}}
}

func (*census) Columns() []trace.Column {
	return []trace.Column{{Name: "before", Type: "u32", Unit: "1", Help: "flows to the same host before it"}}
}

func (c *census) Row(r trace.Row, into []parquet.Value) {
	host := r.Uint32(0) % 3
	into[0] = parquet.Int32Value(int32(c.count[host]))
	c.count[host]++
}

func (*census) Tables() []trace.Table {
	return []trace.Table{{Name: "census", Columns: []trace.Column{{Name: "flows", Type: "u32", Unit: "1"}}}}
}

func (c *census) Finish(create func(trace.Table) (*trace.TableWriter, error)) error {
	w, err := create(c.Tables()[0])
	if err != nil {
		return err
	}
	var rows []byte
	for _, n := range c.count {
		rows = binary.LittleEndian.AppendUint32(rows, n)
	}
	if err := w.WriteRows(rows, len(c.count)); err != nil {
		return err
	}
	_, err = w.Finish()
	return err
}

// What is derived from a table stands in it, or in a table of its own.
func TestDerived(t *testing.T) {
	dir := t.TempDir()
	files, err := trace.Ingest(context.Background(), bytes.NewReader(stream(t, 3)), trace.Options{Dir: dir, Names: names(t), Derived: []trace.Derived{trace.IdealFCT(ideal), &census{}}})
	require.NoError(t, err)
	require.Equal(t, "census", files[len(files)-1].Table)
	assert.Equal(t, uint64(3), files[len(files)-1].Rows)
	lines := strings.Split(export(t, dir, "flows", trace.CSV), "\n")
	assert.True(t, strings.HasSuffix(lines[0], "ideal_fct_ps,fct_ps,slowdown,before"), lines[0])
	assert.True(t, strings.HasSuffix(lines[1], "400,4000000,10000,0"), lines[1])
	assert.True(t, strings.HasSuffix(lines[2], ",,,1"), lines[2])
	counts := strings.Fields(export(t, dir, "census", trace.CSV))
	assert.Equal(t, "flows", counts[0])
	assert.ElementsMatch(t, []string{"2", "0", "0"}, counts[1:])
}
