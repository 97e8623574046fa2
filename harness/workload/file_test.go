package workload

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/harness/scenario"
)

func hostNumber(name string) (id uint32, err error) {
	if _, err := fmt.Sscanf(name, "h%d", &id); err != nil {
		return 0, fmt.Errorf("there is no host %q", name)
	}
	return id, nil
}

var rules = Rules{StopPs: 1000, Classes: 2, FromPs: 10, ToPs: 20}

func open(t *testing.T, text string) (*File, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "flows.csv")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	return OpenFile(path, hostNumber, rules)
}

func TestFile(t *testing.T) {
	file, err := open(t, "start_ps,src,dst,size_bytes,stop_ps,class,group,weight,src_port,dst_port,persistent,closed_loop\n"+
		"5,h1,h2,100,-1,0,7,0.5,11,12,false,false\n19,h2,h1,unlimited,50,1,0,1,13,14,0,0\n20,h1,h2,1,-1,1,0,1,15,16,true,1\n")
	require.NoError(t, err)
	var got []scenario.Flow
	for f, err := range file.Flows(1) {
		require.NoError(t, err)
		got = append(got, f)
	}
	assert.Equal(t, []scenario.Flow{
		{ID: 0, Src: 1, Dst: 2, Group: 7, Size: 100, StartPs: 5, StopPs: -1, SrcPort: 11, DstPort: 12, Weight: 0.5},
		{ID: 1, Src: 2, Dst: 1, StartPs: 19, StopPs: 50, SrcPort: 13, DstPort: 14, Class: 1, Measured: true, Weight: 1},
		{ID: 2, Src: 1, Dst: 2, Size: 1, StartPs: 20, StopPs: -1, SrcPort: 15, DstPort: 16, Class: 1, Weight: 1, Persistent: true, ClosedLoop: true},
	}, got)
	assert.True(t, HasConnections(file))
	var pairs [][2]uint32
	for src, dst := range file.Pairs() {
		pairs = append(pairs, [2]uint32{src, dst})
	}
	assert.Equal(t, [][2]uint32{{1, 2}, {2, 1}}, pairs)
	assert.Nil(t, file.Names())
}

// TestUnits: sizes and times with their units say the same as numbers do.
func TestUnits(t *testing.T) {
	read := func(text string) (flows []scenario.Flow) {
		file, err := open(t, text)
		require.NoError(t, err)
		for f, err := range file.Flows(1) {
			require.NoError(t, err)
			flows = append(flows, f)
		}
		return flows
	}
	assert.Equal(t,
		read("src,dst,size_bytes,start_ps,stop_ps\nh1,h2,1500,3,-1\nh2,h1,unlimited,4,500\n"),
		read("src,dst,size,start,stop\nh1,h2,1.5KB,3ps,\nh2,h1,unlimited,4ps,0.5ns\n"))
}

func TestFileRefuses(t *testing.T) {
	const header = "src,dst,size_bytes,start_ps\n"
	tests := []struct{ text, want string }{
		{"", "flows.csv is empty; its first line names the columns"},
		{header, "has no flows"},
		{"src,dst,sizes,start_ps\n", `there is no column "sizes"`},
		{"src;dst;size;start\n", `flows.csv:1:1: "src;dst;size;start" has no commas; separate the columns by commas`},
		{"src\tdst\tsize\tstart\n", "separate the columns by commas"},
		{"src,dst,size,size_bytes,start_ps\n", `the columns "size_bytes" and "size" say the same; keep one`},
		{"src,dst,size,start\nh1,h2,1,0\n", "flows.csv:2:7: size: "},
		{"src,dst,size,start\nh1,h2,0B,0us\n", "flows.csv:2:7: size: there is nothing to send; leave the flow out, or write a size above 0, or unlimited"},
		{"src,dst,size,start\nh1,h2,,0us\n", "flows.csv:2:7: size: there is nothing to send"},
		{header + "h1,h2,10,0\nh1,h2,0,1\n", "flows.csv:3:7: size: there is nothing to send"},
		{"src,dst,size_bytes,start_ps,stop_ps\nh1,h2,0,0,7\n", "flows.csv:2:7: size: there is nothing to send"},
		{"src,dst,size,start\nh1,,1KB,0us\n", "flows.csv:2:4: dst: source and destination are the same host"},
		{"src,dst,size,start\nh1,h2,1KB,10\n", "flows.csv:2:11: start: "},
		{"src,dst,size_bytes,src\n", `the column "src" is there twice`},
		{"src,dst,size_bytes\n", `the column start or start_ps is missing`},
		{header + "h1,h2,10,0\nh1,x,10,0\n", `flows.csv:3:4: dst: there is no host "x"`},
		{header + "h1,h2,1KB,0\n", `flows.csv:2:7: size_bytes: "1KB" is not a number that fits this column`},
		{header + "h1,h2,10,-1\n", `start_ps: "-1" is not a number`},
		{header + "h1,h2,10\n", "flows.csv:2:1: the row has 3 fields, the first line names 4 columns"},
		{header + "h1,\"h2,10,0\n", `extraneous or missing "`},
		{header + "h1,h1,10,0\n", "dst: source and destination are the same host"},
		{header + "h1,h2,10,1000\n", "start: the flow starts at 1ns, but the run stops at 1ns"},
		{header + "h1,h2,10,9\nh1,h2,10,8\n", "flows.csv:3:10: start: 8 ps is before the row above (9 ps); sort the flows by start"},
		{"src,dst,size_bytes,start_ps,class\nh1,h2,10,0,2\n", "class: 2 is out of range; allowed: from 0 to 1"},
		{"src,dst,size_bytes,start_ps,class\nh1,h2,10,0,256\n", `class: "256" is not a number that fits`},
		{"src,dst,size_bytes,start_ps,stop_ps\nh1,h2,10,5,5\n", "stop: the flow stops at 5ps, but starts at 5ps"},
		{"src,dst,size_bytes,start_ps,weight\nh1,h2,10,0,NaN\n", `"NaN" is no weight`},
		{"src,dst,size_bytes,start_ps,persistent\nh1,h2,10,0,yes\n", `persistent: "yes" is neither true nor false`},
		{"src,dst,size_bytes,start_ps,closed_loop\nh1,h2,10,0,2\n", `closed_loop: "2" is neither true nor false`},
		{"src,dst,size_bytes,start_ps,closed_loop\nh1,h2,10,0,true\n", "closed_loop: the flow is not a message on a persistent connection with a size and without a stop"},
		{"src,dst,size_bytes,start_ps,persistent,closed_loop\nh1,h2,unlimited,0,true,true\n", "closed_loop: the flow is not a message on a persistent connection with a size and without a stop"},
	}
	for _, tt := range tests {
		_, err := open(t, tt.text)
		require.ErrorContains(t, err, tt.want)
	}
	_, err := OpenFile(filepath.Join(t.TempDir(), "none.csv"), hostNumber, rules)
	assert.ErrorIs(t, err, os.ErrNotExist)
}

// TestFileStreams: what stays in memory does not grow with the list.
func TestFileStreams(t *testing.T) {
	file, err := open(t, "src,dst,size_bytes,start_ps\n"+strings.Repeat("h1,h2,100,5\n", 200_000))
	require.NoError(t, err)
	runtime.GC()
	var before, during runtime.MemStats
	runtime.ReadMemStats(&before)
	for f, err := range file.Flows(0) {
		require.NoError(t, err)
		if f.ID == 199_999 {
			runtime.GC()
			runtime.ReadMemStats(&during)
		}
	}
	assert.Less(t, int64(during.HeapAlloc)-int64(before.HeapAlloc), int64(1<<20))
}

func writeParquet[T any](t *testing.T, rows []T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "flows.parquet")
	require.NoError(t, parquet.WriteFile(path, rows, parquet.MaxRowsPerRowGroup(300)))
	return path
}

func TestParquetFile(t *testing.T) {
	type numbered struct {
		Src    string  `parquet:"src,dict"`
		Dst    string  `parquet:"dst"`
		Size   uint64  `parquet:"size_bytes"`
		Start  int64   `parquet:"start_ps"`
		Flow   uint32  `parquet:"flow"`
		Stop   int32   `parquet:"stop_ps"`
		Weight float64 `parquet:"weight"`
	}
	var list []numbered
	for i := range 1000 {
		list = append(list, numbered{"h1", "h2", uint64(i + 1), int64(i / 2), math.MaxUint32 - 1000 + uint32(i), -1, 0.5})
	}
	file, err := OpenFile(writeParquet(t, list), hostNumber, rules)
	require.NoError(t, err)
	n := 0
	for f, err := range file.Flows(1) {
		require.NoError(t, err)
		id := math.MaxUint32 - 1000 + uint32(n)
		require.Equal(t, scenario.Flow{
			ID: id, Src: 1, Dst: 2, Size: uint64(n + 1), StartPs: int64(n / 2), StopPs: -1, SrcPort: SrcPort(id), DstPort: DstPort,
			Class: 1, Measured: n/2 >= 10 && n/2 < 20, Weight: 0.5,
		}, f)
		n++
	}
	assert.Equal(t, 1000, n)

	list[700].Src = "x"
	_, err = OpenFile(writeParquet(t, list), hostNumber, rules)
	require.ErrorContains(t, err, `flows.parquet, row 701: src: there is no host "x"`)

	type optional struct {
		Src   string `parquet:"src"`
		Dst   string `parquet:"dst"`
		Size  *int64 `parquet:"size_bytes,optional"`
		Start int64  `parquet:"start_ps"`
	}
	_, err = OpenFile(writeParquet(t, []optional{{"h1", "h2", nil, 0}}), hostNumber, rules)
	require.ErrorContains(t, err, "row 1: size: there is nothing to send")
	type nested struct {
		Src struct{ A, B string } `parquet:"src"`
	}
	_, err = OpenFile(writeParquet(t, []nested{{}}), hostNumber, rules)
	require.ErrorContains(t, err, `the column "src" is a structure; `)

	path := filepath.Join(t.TempDir(), "damaged.parquet")
	require.NoError(t, os.WriteFile(path, []byte("PAR1 and nothing else"), 0o644))
	_, err = OpenFile(path, hostNumber, rules)
	require.ErrorContains(t, err, "damaged.parquet: ")
	assert.ErrorContains(t, err, "it is no Parquet file, or damaged")
}

func TestFileNumbers(t *testing.T) {
	const header = "flow,src,dst,size_bytes,start_ps\n"
	file, err := open(t, header+"7,h1,h2,1,0\n3,h1,h2,1,1\n")
	require.NoError(t, err)
	var ids []uint32
	for f := range file.Flows(1) {
		ids = append(ids, f.ID)
	}
	assert.Equal(t, []uint32{7, 3}, ids)
	for text, want := range map[string]string{
		"7,h1,h2,1,0\n9,h1,h2,1,1\n7,h1,h2,1,2\n": "flows.csv:4:1: flow: 7 is the number of a flow above, too; every flow has a number of its own",
		"7,h1,h2,1,0\n3,h1,h2,1,0\n":              "flow: 3 stands behind 7, which starts at the same time; sort the flows by start, then by number",
		"-1,h1,h2,1,0\n":                          `flow: "-1" is not a number from 0 to 4294967295`,
		"0,h1,h2,-5,0\n":                          `flows.csv:2:9: size_bytes: "-5" is not a number that fits this column; a size is a whole number of bytes`,
	} {
		_, err := open(t, header+text)
		assert.ErrorContains(t, err, want)
	}
}
