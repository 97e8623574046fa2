package flowlist_test

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/harness/flowlist"
	"fabriclab/harness/scenario"
	"fabriclab/harness/trace/tracetest"
	"fabriclab/harness/workload"
)

const window = 400_000_000_000 // 400 ms

// standard is 50 % of web search at hosts with 100 Gb/s: what make bench runs.
func standard(t testing.TB, hosts int) *flowlist.List {
	t.Helper()
	sizes, err := workload.ReadSizes("../../configs/workloads/web-search.yaml")
	require.NoError(t, err)
	l := &flowlist.List{Rules: workload.Rules{StopPs: window, Classes: 2, ToPs: window}}
	var ids []uint32
	for i := range hosts {
		ids = append(ids, uint32(i))
		l.Hosts = append(l.Hosts, fmt.Sprintf("host%d", i))
	}
	pattern, err := workload.AnyToAny(ids, ids)
	require.NoError(t, err)
	l.Flows = &workload.Poisson{
		Pattern: pattern, Sizes: sizes, Load: 0.5, Capacity: slices.Repeat([]int64{100e9}, hosts), HostName: func(uint32) string { return "" }, ToPs: window,
		Flow: scenario.Flow{Class: 1, Weight: 1}, Rules: l.Rules,
	}
	return l
}

func list(t *testing.T, flows iter.Seq2[scenario.Flow, error]) (all []scenario.Flow) {
	t.Helper()
	for f, err := range flows {
		require.NoError(t, err)
		all = append(all, f)
	}
	return all
}

// hostID finds the hosts of standard.
func hostID(name string) (id uint32, err error) {
	_, err = fmt.Sscanf(name, "host%d", &id)
	return id, err
}

// TestEveryFormatReadsBackAsTheSameFlows: .bin as the engines read it, the
// others as a workload of type file does.
func TestEveryFormatReadsBackAsTheSameFlows(t *testing.T) {
	t.Run("flows", func(t *testing.T) { testFormats(t, standard(t, 8)) })
	messages := standard(t, 8)
	messages.Flows.(*workload.Poisson).PerPair = 3
	t.Run("messages", func(t *testing.T) { testFormats(t, messages) })
}

// TestGraphsReadBackAsTheSameFlows: as .csv and as the engines read them.
func TestGraphsReadBackAsTheSameFlows(t *testing.T) {
	l := standard(t, 4)
	l.Flows = &workload.Collective{
		Operation: "moe", Hosts: []uint32{0, 1, 2, 3}, PerHost: 2, Size: 1e6, Chunks: 2, Channels: 1, Iterations: 3, GapPs: 7, ComputePs: 5,
		Flow: scenario.Flow{Class: 1, Weight: 1}, Rules: l.Rules,
	}
	want := list(t, l.Flows.Flows(3))
	dir := t.TempDir()
	for _, ending := range []string{".bin", ".csv"} {
		_, err := l.WriteFile(filepath.Join(dir, "list"+ending), 3)
		require.NoError(t, err)
	}
	file, err := os.Open(filepath.Join(dir, "list.bin"))
	require.NoError(t, err)
	defer file.Close()
	assert.Equal(t, want, list(t, scenario.ReadFlows(file)))
	back, err := workload.OpenDAG(filepath.Join(dir, "list.csv"), hostID, l.Rules)
	require.NoError(t, err)
	assert.Equal(t, want, list(t, back.Flows(0)))

	_, err = l.WriteFile(filepath.Join(dir, "list.parquet"), 3)
	require.ErrorContains(t, err, "flows that wait for others are written as .csv")
	_, err = l.WriteInputs(dir, 3, func(flows iter.Seq2[scenario.Flow, error]) error { list(t, flows); return nil })
	require.NoError(t, err)
	waits := 0
	for _, f := range want {
		waits += len(f.After)
	}
	assert.Len(t, tracetest.Table(t, dir, flowlist.DependencyTableName), waits)
}

// TestUnlimitedFlowsAreKept: a list that was written here says so, others do
// not mean it by 0.
func TestUnlimitedFlowsAreKept(t *testing.T) {
	l := standard(t, 2)
	flows, err := workload.NewList([]workload.Entry{{Flow: scenario.Flow{Src: 0, Dst: 1, StopPs: -1, Class: 1, Weight: 1}, Count: 2}})
	require.NoError(t, err)
	l.Flows = flows
	for _, ending := range []string{".csv", ".parquet"} {
		path := filepath.Join(t.TempDir(), "list"+ending)
		tally, err := l.WriteFile(path, 3)
		require.NoError(t, err)
		assert.Equal(t, uint64(2), tally.Unlimited)
		file, err := workload.OpenFile(path, hostID, l.Rules)
		require.NoError(t, err)
		for _, f := range list(t, file.Flows(0)) {
			assert.Zero(t, f.Size)
		}
	}
}

func testFormats(t *testing.T, l *flowlist.List) {
	want := list(t, l.Flows.Flows(3))
	require.Greater(t, len(want), 5000, "more than one batch of rows")
	for _, ending := range []string{".bin", ".csv", ".parquet"} {
		t.Run(ending, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "list"+ending)
			tally, err := l.WriteFile(path, 3)
			require.NoError(t, err)
			assert.Equal(t, uint64(len(want)), tally.Flows)
			require.NotNil(t, tally.Load)
			assert.InDelta(t, 0.5, tally.Load.Offered, 4*tally.Load.StandardError)
			if ending == ".bin" {
				file, err := os.Open(path)
				require.NoError(t, err)
				defer file.Close()
				assert.Equal(t, want, list(t, scenario.ReadFlows(file)))
				return
			}
			file, err := workload.OpenFile(path, hostID, l.Rules)
			require.NoError(t, err)
			assert.Equal(t, want, list(t, file.Flows(0)))
		})
	}
}

// TestEveryFieldIsKept has a value of its own in every field.
func TestEveryFieldIsKept(t *testing.T) {
	flow := scenario.Flow{ID: 7, Src: 2, Dst: 1, Group: 9, Size: 1 << 40, StartPs: 300, StopPs: 500, SrcPort: 11, DstPort: 12, Class: 1, Measured: true, Weight: 0.1}
	listed, err := workload.NewList([]workload.Entry{{Flow: flow, Count: 1}})
	require.NoError(t, err)
	l := &flowlist.List{Flows: numbered{listed, flow.ID}, Rules: workload.Rules{StopPs: 1000, Classes: 2, ToPs: 1000}, Hosts: []string{"host0", "host1", "host2"}}
	for _, ending := range []string{".csv", ".parquet"} {
		path := filepath.Join(t.TempDir(), "list"+ending)
		_, err := l.WriteFile(path, 1)
		require.NoError(t, err)
		file, err := workload.OpenFile(path, hostID, l.Rules)
		require.NoError(t, err)
		assert.Equal(t, []scenario.Flow{flow}, list(t, file.Flows(0)), ending)
	}
}

// numbered gives the only flow of a list another number.
type numbered struct {
	*workload.List
	id uint32
}

func (n numbered) Flows(seed uint64) iter.Seq2[scenario.Flow, error] {
	return func(yield func(scenario.Flow, error) bool) {
		for f, err := range n.List.Flows(seed) {
			f.ID = n.id
			yield(f, err)
		}
	}
}

func TestWriteInputsKeepsTheRowsOfTheEngine(t *testing.T) {
	l := standard(t, 4)
	dir := t.TempDir()
	var engine []scenario.Flow
	tally, err := l.WriteInputs(dir, 5, func(flows iter.Seq2[scenario.Flow, error]) error {
		engine = list(t, flows)
		return nil
	})
	require.NoError(t, err)
	assert.Equal(t, uint64(len(engine)), tally.Flows)
	file, err := workload.OpenFile(filepath.Join(dir, flowlist.File), hostID, l.Rules)
	require.NoError(t, err)
	assert.Equal(t, engine, list(t, file.Flows(0)))
}

func TestTheSameSeedGivesTheSameBytes(t *testing.T) {
	l := standard(t, 4)
	dir := t.TempDir()
	read := func(name string, seed uint64) []byte {
		path := filepath.Join(dir, name)
		_, err := l.WriteFile(path, seed)
		require.NoError(t, err)
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		return text
	}
	for _, ending := range []string{".bin", ".csv", ".parquet"} {
		first := read("a"+ending, 1)
		assert.Equal(t, first, read("b"+ending, 1), ending)
		assert.NotEqual(t, first, read("c"+ending, 2), ending)
	}
}

// broken ends with an error after a flow.
type broken struct{ workload.Generator }

var errBroken = errors.New("the flows end here")

func (broken) Flows(uint64) iter.Seq2[scenario.Flow, error] {
	return func(yield func(scenario.Flow, error) bool) {
		if yield(scenario.Flow{Src: 0, Dst: 1, Size: 1, StopPs: -1}, nil) {
			yield(scenario.Flow{}, errBroken)
		}
	}
}

// TestNothingIsLeftHalfWritten: what was there before stays.
func TestNothingIsLeftHalfWritten(t *testing.T) {
	l := &flowlist.List{Flows: broken{}, Hosts: []string{"host0", "host1"}}
	_, err := l.Count(1)
	require.ErrorIs(t, err, errBroken)
	for _, ending := range []string{".bin", ".csv", ".parquet"} {
		dir := t.TempDir()
		path := filepath.Join(dir, "list"+ending)
		require.NoError(t, os.WriteFile(path, []byte("before"), 0o644))
		_, err := l.WriteFile(path, 1)
		require.ErrorIs(t, err, errBroken)
		require.ErrorContains(t, err, path)
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, "before", string(text))
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		assert.Len(t, entries, 1)
	}
}

func TestWhatCannotBeWritten(t *testing.T) {
	l := standard(t, 4)
	_, err := l.WriteFile(filepath.Join(t.TempDir(), "list.txt"), 1)
	require.ErrorContains(t, err, "list.txt: a flow list is written as .bin")
	_, err = l.WriteFile(filepath.Join(t.TempDir(), "nowhere", "list.csv"), 1)
	require.ErrorIs(t, err, fs.ErrNotExist)
	l.Hosts = l.Hosts[:1] // the pattern names hosts that are not there
	for _, ending := range []string{".csv", ".parquet"} {
		_, err = l.WriteFile(filepath.Join(t.TempDir(), "list"+ending), 1)
		require.Error(t, err)
	}
}

func TestCSVIsReadableByOthers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "list.CSV")
	_, err := standard(t, 4).WriteFile(path, 1)
	require.NoError(t, err)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	rows, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	require.NoError(t, err)
	assert.Equal(t, []string{"flow", "group", "src", "dst", "class", "size_bytes", "start_ps", "stop_ps", "src_port", "dst_port", "weight"}, rows[0])
	assert.Equal(t, "-1", rows[1][7])
}

// TestMemoryIsBounded: flows that have gone by are not kept. A flow is 64 bytes
// and more; what the second half of a long list adds per flow is far less, the
// compressed pages of a row group that is not full.
func TestMemoryIsBounded(t *testing.T) {
	l := standard(t, 16)
	poisson := l.Flows.(*workload.Poisson)
	poisson.Sizes = workload.FixedSize(10_000)
	poisson.ToPs = many * 100_000 // a flow in 100 ns: 1.6 us at every host
	inUse := func() int64 {
		var m runtime.MemStats
		for range 3 { // what a sync.Pool has let go of outlives the first
			runtime.GC()
		}
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	const first, last = many / 2, many * 9 / 10
	var n, half, end int64
	_, err := l.WriteInputs(t.TempDir(), 1, func(flows iter.Seq2[scenario.Flow, error]) error {
		for _, err := range flows {
			if err != nil {
				return err
			}
			switch n++; n {
			case first:
				half = inUse()
			case last:
				end = inUse()
			}
		}
		return nil
	})
	require.NoError(t, err)
	assert.InDelta(t, many, n, many/100)
	assert.Less(t, end-half, int64(32*(last-first)))
	t.Logf("%d flows: %d MB after half of them, %d MB near the end", n, half>>20, end>>20)
}

// BenchmarkWrite is the cost of a flow in every format.
func BenchmarkWrite(b *testing.B) {
	l := standard(b, 128)
	for _, ending := range []string{".bin", ".csv", ".parquet"} {
		b.Run(ending[1:], func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "list"+ending)
			var flows uint64
			for b.Loop() {
				tally, err := l.WriteFile(path, 1)
				if err != nil {
					b.Fatal(err)
				}
				flows += tally.Flows
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(flows), "ns/flow")
		})
	}
}
