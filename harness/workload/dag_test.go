package workload

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/harness/scenario"
)

func openDAG(t *testing.T, text string) (*DAG, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "messages.csv")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	return OpenDAG(path, hostNumber, Rules{StopPs: 1e12, Classes: 2, ToPs: 1e12})
}

func flowList(t *testing.T, g Generator, seed uint64) (flows []scenario.Flow) {
	t.Helper()
	for f, err := range g.Flows(seed) {
		require.NoError(t, err)
		flows = append(flows, f)
	}
	return flows
}

func TestDAG(t *testing.T) {
	d, err := openDAG(t, "id,src,dst,size,start,after,delay,group\n"+
		"late,h1,h2,1KB,7us,,,1\n"+
		"b,h2,h3,2KB,,late,3us,2\n"+
		"join,h2,,,,late;b+1us,2us,0\n"+
		"c,h2,h1,5B,,join,,0\n")
	require.NoError(t, err)
	common := scenario.Flow{StopPs: -1, Class: 1, Weight: 1, DstPort: DstPort, Measured: true}
	message := func(id, src, dst uint32, size uint64, group uint32, after ...scenario.Dependency) scenario.Flow {
		f := common
		f.ID, f.Src, f.Dst, f.Size, f.Group, f.SrcPort, f.After = id, src, dst, size, group, SrcPort(id), after
		return f
	}
	late := message(0, 1, 2, 1000, 1)
	late.StartPs = 7e6
	join := message(2, 2, 2, 0, 0, scenario.Dependency{On: 0, DelayPs: 2e6}, scenario.Dependency{On: 1, DelayPs: 1e6})
	join.Measured = false
	assert.True(t, join.Task())
	assert.Equal(t, []scenario.Flow{
		message(1, 2, 3, 2000, 2, scenario.Dependency{On: 0, DelayPs: 3e6}), join,
		message(3, 2, 1, 5, 0, scenario.Dependency{On: 2}), late,
	}, flowList(t, d, 1))
	assert.Equal(t, []string{"late", "b", "join", "c"}, d.Names())
	var pairs [][2]uint32
	for src, dst := range d.Pairs() {
		pairs = append(pairs, [2]uint32{src, dst})
	}
	assert.Equal(t, [][2]uint32{{2, 3}, {2, 1}, {1, 2}}, pairs)
	assert.True(t, HasDependencies(d))
	assert.InDelta(t, 4, Expected(d), 0)
}

// TestNothingWaits: tasks do nothing where nothing waits, and the engines know
// of none in such a list.
func TestNothingWaits(t *testing.T) {
	d, err := openDAG(t, "id,src,dst,size,start\nt,h1,,,\na,h1,h2,1KB,\nu,h1,,,\nb,h2,h1,1KB,3us\n")
	require.NoError(t, err)
	flows := flowList(t, d, 1)
	require.Len(t, flows, 2)
	assert.Equal(t, []uint32{0, 1}, []uint32{flows[0].ID, flows[1].ID})
	assert.Equal(t, []string{"a", "b"}, d.Names())

	_, err = openDAG(t, "id,src,dst,size\nt,h1,,\n")
	require.ErrorContains(t, err, "has only tasks, which send nothing; add a message")

	c := &Collective{Operation: "all-to-all", Hosts: []uint32{0, 1, 2}, PerHost: 2, Size: 6000, Chunks: 1, Channels: 1, Iterations: 1, Flow: scenario.Flow{Class: 1, Weight: 1}}
	flows = flowList(t, c, 1)
	require.Len(t, flows, 24) // 6 ranks, to the 4 on other hosts
	for i, f := range flows {
		assert.False(t, f.Task())
		assert.Equal(t, uint32(i), f.ID)
	}
}

// TestZeroIsNothingToSend: only tasks have no size.
func TestZeroIsNothingToSend(t *testing.T) {
	for _, size := range []string{"0", ""} {
		_, err := openDAG(t, "id,src,dst,size_bytes\na,h1,h2,"+size+"\n")
		require.ErrorContains(t, err, "messages.csv:2:9: size: there is nothing to send")
		_, err = openDAG(t, "id,src,dst,size_bytes,after\na,h1,h2,1,\nt,h2,h2,"+size+",a\n")
		require.NoError(t, err)
	}
}

// TestDAGByNumber: rows may be in any order.
func TestDAGByNumber(t *testing.T) {
	d, err := openDAG(t, "flow,src,dst,size_bytes,start_ps,after,delay_ps\n1,h2,h1,10,0,0,500\n0,h1,h2,20,0,,\n")
	require.NoError(t, err)
	flows := flowList(t, d, 1)
	require.Len(t, flows, 2)
	assert.Equal(t, uint64(20), flows[0].Size)
	assert.Equal(t, []scenario.Dependency{{On: 0, DelayPs: 500}}, flows[1].After)
	assert.Nil(t, d.Names())
}

func TestDAGFromParquet(t *testing.T) {
	type row struct {
		ID    string   `parquet:"id"`
		Src   string   `parquet:"src"`
		Dst   string   `parquet:"dst"`
		Size  int64    `parquet:"size_bytes"`
		After []string `parquet:"after,list"`
	}
	path := filepath.Join(t.TempDir(), "messages.parquet")
	rules := Rules{StopPs: 1e12, Classes: 2, ToPs: 1e12}
	require.NoError(t, parquet.WriteFile(path, []row{
		{"a", "h1", "h2", 10, nil}, {"b", "h2", "h1", 20, []string{"a"}}, {"c", "h2", "h3", 30, []string{"a", "b+1us"}},
	}))
	d, err := OpenDAG(path, hostNumber, rules)
	require.NoError(t, err)
	flows := flowList(t, d, 1)
	assert.Nil(t, flows[0].After)
	assert.Equal(t, []scenario.Dependency{{On: 0}}, flows[1].After)
	assert.Equal(t, []scenario.Dependency{{On: 0}, {On: 1, DelayPs: 1e6}}, flows[2].After)
	assert.Equal(t, uint32(3), flows[2].Dst)

	require.NoError(t, parquet.WriteFile(path, []row{{"a", "h1", "h2", 10, []string{"b"}}}))
	_, err = OpenDAG(path, hostNumber, rules)
	require.ErrorContains(t, err, `messages.parquet, row 1: after: there is no message "b"`)
}

func TestDAGRefuses(t *testing.T) {
	const header = "id,src,dst,size,after\n"
	tests := []struct{ text, want string }{
		{"", "messages.csv is empty; its first line names the columns"},
		{header, "has no messages"},
		{"id,src,dst,size,before\n", `there is no column "before"`},
		{"src,dst,size\nh1,h2,1KB\n", "the column id is missing; every message has a name"},
		{"flow,id,src,dst,size\n", `the columns "flow" and "id" say the same`},
		{"id,src,dst\n", "the column size or size_bytes is missing"},
		{"id,src,dst,size,delay,delay_ps\n", `the columns "delay_ps" and "delay" say the same`},
		{header + "a,h1,h2,1KB,\na,h2,h1,1KB,\n", `messages.csv:3:1: id: "a" is the message of `},
		{header + ",h1,h2,1KB,\n", `messages.csv:2:1: id: "" is no id`},
		{header + "a b,h1,h2,1KB,\n", `messages.csv:2:1: id: "a b" is no id`},
		{header + "a+1us,h1,h2,1KB,\n", `messages.csv:2:1: id: "a+1us" is no id`},
		{header + "a,h1,h2,1KB,\nb,h2,h1,1KB,a c\n", `messages.csv:3:13: after: there is no message "c"`},
		{header + "a,h1,h2,1KB,\nb,h2,h1,1KB,a+soon\n", `messages.csv:3:13: after: "a+soon": `},
		{header + "a,h1,h2,1KB,a\n", "messages.csv:2:13: after: it waits for itself"},
		{header + "a,h1,h2,1KB,\nb,h2,h1,1KB,a a\n", `messages.csv:3:13: after: "a" is there twice; keep one`},
		{header + "a,h1,h2,1KB,\nb,h3,h1,1KB,a\n", `messages.csv:3:13: after: "a" neither comes to the source of "b" nor leaves it`},
		{header + "a,h1,h2,unlimited,\nb,h2,h1,1KB,a\n", `messages.csv:3:13: after: "a" is unlimited, so it never ends`},
		{"id,src,dst,size,after,stop\na,h1,h2,1KB,,5us\nb,h2,h1,1KB,a,\n", `messages.csv:3:13: after: "a" is stopped`},
		{"id,src,dst,size,after,stop\na,h1,h2,1KB,,\nb,h2,h1,1KB,a,5us\n", `messages.csv:3:13: after: the message has a stop, which may come before it starts; leave stop or after out`},
		{header + "a,h1,h2,1KB,c\nb,h2,h1,1KB,a\nc,h1,h2,1KB,b\nd,h1,h2,1KB,\n", `messages.csv:2:13: after: "a" waits for "c" waits for "b" waits for "a": none of them can ever start`},
		{header + "a,h1,,1KB,\n", "messages.csv:2:6: dst: source and destination are the same host, and the message has a size"},
		{header + "a,h1,h2,,\n", "messages.csv:2:9: size: "},
		{header + "a,h1,h2,1MB,\nb,h9x,h2,1KB\n", "messages.csv:3:1: the row has 4 fields, the first line names 5 columns"},
		{header + "a,x,h2,1MB,\n", `messages.csv:2:3: src: there is no host "x"`},
		{"id,src,dst,size,start\na,h1,h2,1KB,1s\n", "messages.csv:2:13: start: the flow starts at 1s, but the run stops at 1s"},
		{"id,src,dst,size,delay\na,h1,h2,1KB,1us\n", "messages.csv:2:13: delay: the message waits for none"},
		{"id,src,dst,size,delay\na,h1,h2,1KB,soon\n", "messages.csv:2:13: delay: "},
		{"id,src,dst,size,after,delay_ps\na,h1,h2,1KB,,-1\n", `messages.csv:2:14: delay_ps: "-1" is no whole number`},
		{"flow,src,dst,size\n0,h1,h2,1KB\n2,h1,h2,1KB\n", "messages.csv:3:1: flow: 2 is not one of 0 to 1"},
		{"flow,src,dst,size\n1,h1,h2,1KB\n01,h1,h2,1KB\n", "messages.csv:3:1: flow: 1 is the number of the message of "},
		{"id,src,dst,size,persistent,closed_loop\na,h1,h2,1KB,true,true\n", "messages.csv:2:18: closed_loop: messages of a graph wait for what after says"},
	}
	for _, tt := range tests {
		_, err := openDAG(t, tt.text)
		assert.ErrorContains(t, err, tt.want, tt.text)
	}
}

// TestLongCycles: what is wrong with a large graph is found in time that grows
// with its size, not with its square.
func TestLongCycles(t *testing.T) {
	const n = 300_000
	ring := make([]scenario.Flow, n)
	name := func(id uint32) string { return fmt.Sprint(id) }
	for i := range ring {
		ring[i] = scenario.Flow{ID: uint32(i), Src: 1, Dst: 2, Size: 1, StopPs: -1, After: []scenario.Dependency{{On: uint32((i + 1) % n)}}}
	}
	_, err := newDAG(ring, name)
	require.ErrorContains(t, err, "after: 0 waits for 1 waits for 2 ")
	require.ErrorContains(t, err, "(300000 messages)")
	for i := range ring {
		ring[i].After = nil
	}
	for i := range scenario.MaxDependencies {
		ring[n-1].After = append(ring[n-1].After, scenario.Dependency{On: uint32(i)})
	}
	_, err = newDAG(ring, name)
	require.NoError(t, err)
	ring[n-1].After[7].On = ring[n-1].After[9].On
	_, err = newDAG(ring, name)
	require.ErrorContains(t, err, "after: 9 is there twice")
}

// TestMixOfGraphs: what messages wait for keeps its place as the parts are numbered on.
func TestMixOfGraphs(t *testing.T) {
	read := func() *DAG {
		d, err := openDAG(t, "id,src,dst,size,after\na,h1,h2,1KB,\nb,h2,h1,1KB,a\n")
		require.NoError(t, err)
		return d
	}
	first, second := read(), read()
	m := &Mix{Parts: []Generator{first, second}}
	require.NoError(t, m.Check())
	assert.True(t, HasDependencies(m))
	for range 2 { // making it changes nothing
		flows := flowList(t, m, 1)
		require.Len(t, flows, 4)
		for _, f := range flows {
			if f.ID%2 == 1 {
				assert.Equal(t, []scenario.Dependency{{On: f.ID - 1}}, f.After)
			}
		}
	}
}
