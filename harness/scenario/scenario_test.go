package scenario

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the golden files anew")

func example() *Scenario {
	salt := uint32(0)
	return &Scenario{
		Name: "fncc/fig10", Seed: 1, StopPs: 600_000_000,
		Nodes: []Node{
			{ID: 0, Name: "sender0", Kind: Host},
			{ID: 1, Name: "receiver0", Kind: Host},
			{ID: 2, Name: "s1", Kind: Switch, HashSalt: &salt},
		},
		Links: []Link{
			{ID: 0, A: 0, APort: 0, B: 2, BPort: 0, RateBps: 100e9, DelayPs: 1_500_000},
			{ID: 1, A: 1, APort: 0, B: 2, BPort: 1, RateBps: 100e9, DelayPs: 1_500_000},
		},
		Components: Components{
			"host":               {One: &Component{"host", map[string]any{"base_rtt": int64(6_000_000), "mtu": int64(1518)}}},
			"switch":             {One: &Component{"switch", map[string]any{}}},
			"port":               {One: &Component{"port", map[string]any{"pfc": true}}},
			"path_selector":      {One: &Component{"ecmp", map[string]any{"symmetric": true}}},
			"queues":             {List: []Component{{"fifo", map[string]any{}}, {"red", map[string]any{"pmax": 0.01, "kmin": int64(5000)}}}},
			"port_agents":        {},
			"congestion_control": {One: &Component{"hpcc", map[string]any{"eta": 0.95}}},
			"receiver_agents":    {List: []Component{{"hpcc_echo", map[string]any{}}}},
		},
		Trace: Trace{map[string]TableFilter{
			"flows":  {},
			"queues": {IntervalPs: 1_000_000, Ports: []PortRef{{Node: 2, Port: 1}}, Classes: []int{1}},
		}},
	}
}

func flowList(flows ...Flow) iter.Seq2[Flow, error] {
	return func(yield func(Flow, error) bool) {
		for _, f := range flows {
			if !yield(f, nil) {
				return
			}
		}
	}
}

var (
	exampleFlows = []Flow{
		{ID: 0, Src: 0, Dst: 1, Size: 0, StopPs: -1, SrcPort: 49152, DstPort: 4791, Class: 1, Measured: true, Weight: 1},
		{ID: 1, Src: 1, Dst: 0, Group: 7, Size: 1 << 40, StartPs: 300_000_000, StopPs: 500_000_000, SrcPort: 49153, DstPort: 4791, Weight: 0.5},
	}
	exampleRoutes = []Route{{2, 0, 0, 0}, {2, 1, 1, 0}, {2, 1, 2, 1}, {3, 0, 5, 0}}
)

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	s := example()
	require.NoError(t, s.Write(dir, flowList(exampleFlows...), slices.Values(exampleRoutes)))
	for _, name := range []string{File, FlowsFile, RoutesFile} {
		got, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		golden := filepath.Join("testdata", name)
		if *update {
			require.NoError(t, os.WriteFile(golden, got, 0o644))
		}
		want, err := os.ReadFile(golden)
		require.NoError(t, err)
		assert.Equal(t, want, got, name)
	}

	encoded, err := os.ReadFile(filepath.Join(dir, File))
	require.NoError(t, err)
	back, err := Decode(encoded)
	require.NoError(t, err)
	again, err := back.Encode()
	require.NoError(t, err)
	assert.Equal(t, string(encoded), string(again))

	var flows []Flow
	for f, err := range ReadFlows(openFile(t, filepath.Join(dir, FlowsFile))) {
		require.NoError(t, err)
		flows = append(flows, f)
	}
	assert.Equal(t, exampleFlows, flows)
	var routes []Route
	for r, err := range ReadRoutes(openFile(t, filepath.Join(dir, RoutesFile))) {
		require.NoError(t, err)
		routes = append(routes, r)
	}
	assert.Equal(t, exampleRoutes, routes)
}

func openFile(t *testing.T, path string) *os.File {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { f.Close() })
	return f
}

func TestDecodeRefuses(t *testing.T) {
	encoded, err := example().Encode()
	require.NoError(t, err)
	replace := func(was, is string) []byte {
		changed := bytes.Replace(encoded, []byte(was), []byte(is), 1)
		require.NotEqual(t, encoded, changed)
		return changed
	}
	tests := []struct {
		data []byte
		want string
	}{
		{replace(`"stop_ps"`, `"stopps"`), `unknown field "stopps"`},
		{replace(`"rate_bps"`, `"rate"`), `unknown field "rate"`},
		{replace(`"version": 1`, `"version": 5`), "version 5, this program reads"},
		{replace(`"version": 1`, `"version": 3`), "it is version 1"},
		{replace(`"params"`, `"parms"`), `unknown field "parms"`},
		{replace(`"version": 1`, `"version": 2`), "it is version 1"},
		{replace(`"flows.bin"`, `"/tmp/flows.bin"`), `flow list "/tmp/flows.bin"`},
		{append(slices.Clone(encoded), '{', '}'), "more behind the JSON object"},
		{nil, "EOF"},
	}
	for _, tt := range tests {
		_, err := Decode(tt.data)
		assert.ErrorContains(t, err, tt.want)
	}
}

// TestLinkEvents: a scenario in which links fail is of version 2, has the
// routes of each change beside it, and reads back.
func TestLinkEvents(t *testing.T) {
	s := example()
	plain, err := s.Hash([32]byte{1}, [32]byte{2})
	require.NoError(t, err)
	s.LinkEvents = []LinkEvent{{AtPs: 5, Link: 1}, {AtPs: 9, Link: 1, Up: true}}
	s.RouteChanges = []RouteChange{{AtPs: 6, File: ChangedRoutesFile(0)}}
	encoded, err := s.Encode()
	require.NoError(t, err)
	assert.Contains(t, string(encoded), `"version": 2`)
	back, err := Decode(encoded)
	require.NoError(t, err)
	assert.Equal(t, s.LinkEvents, back.LinkEvents)
	assert.Equal(t, s.RouteChanges, back.RouteChanges)

	dir := t.TempDir()
	require.ErrorContains(t, s.Write(dir, flowList(), slices.Values(exampleRoutes)), "routes change 1 times, there are 0 sets")
	require.NoError(t, s.Write(dir, flowList(), slices.Values(exampleRoutes[:1]), slices.Values(exampleRoutes)))
	first, err := os.ReadFile(filepath.Join(dir, RoutesFile))
	require.NoError(t, err)
	second, err := os.ReadFile(filepath.Join(dir, "routes-1.bin"))
	require.NoError(t, err)
	assert.Equal(t, []int{32 + 16, 32 + 4*16}, []int{len(first), len(second)})

	with, err := s.Hash([32]byte{1}, [32]byte{2}, [32]byte{3})
	require.NoError(t, err)
	other, err := s.Hash([32]byte{1}, [32]byte{2}, [32]byte{4})
	require.NoError(t, err)
	assert.NotEqual(t, plain, with)
	assert.NotEqual(t, with, other, "the changed routes count")
}

// What a scenario of version 2 cannot say makes it one of version 3, and reads
// back.
func TestVersionThree(t *testing.T) {
	stfq := Place{List: []Component{{"stfq", map[string]any{}}}}
	for name, change := range map[string]func(*Scenario){
		"set": func(s *Scenario) {
			s.Sets = []Set{{Nodes: []uint32{0}, Components: Components{"host": s.Components["host"]}}}
		},
		"slot":       func(s *Scenario) { s.Components["nic_queues"] = stfq },
		"dead host":  func(s *Scenario) { s.HostEvents = []HostEvent{{AtPs: 5, Node: 1}, {AtPs: 9, Node: 1, Up: true}} },
		"two links":  func(s *Scenario) { s.Links = append(s.Links, Link{ID: 2, A: 1, APort: 1, B: 2, BPort: 2, RateBps: 1}) },
		"empty list": func(s *Scenario) { s.Components["applications"] = Place{} },
	} {
		t.Run(name, func(t *testing.T) {
			s := example()
			s.LinkEvents = []LinkEvent{{AtPs: 5, Link: 1}}
			change(s)
			encoded, err := s.Encode()
			require.NoError(t, err)
			assert.Contains(t, string(encoded), `"version": 3`)
			back, err := Decode(encoded)
			require.NoError(t, err)
			again, err := back.Encode()
			require.NoError(t, err)
			assert.Equal(t, string(encoded), string(again))
			assert.Equal(t, s.HostEvents, back.HostEvents)
			assert.Len(t, back.Sets, len(s.Sets))
		})
	}
}

// Links that change their rate make a scenario one of version 4, whatever else
// is in it.
func TestRateEvents(t *testing.T) {
	s := example()
	s.HostEvents = []HostEvent{{AtPs: 5, Node: 1}}
	s.RateEvents = []RateEvent{{AtPs: 5, Link: 1, RateBps: 7}}
	encoded, err := s.Encode()
	require.NoError(t, err)
	assert.Contains(t, string(encoded), `"version": 4`)
	back, err := Decode(encoded)
	require.NoError(t, err)
	assert.Equal(t, s.RateEvents, back.RateEvents)
	with, err := s.Hash([32]byte{1}, [32]byte{2})
	require.NoError(t, err)
	s.RateEvents[0].RateBps = 8
	other, err := s.Hash([32]byte{1}, [32]byte{2})
	require.NoError(t, err)
	assert.NotEqual(t, with, other)
}

// Keys that are new stand behind those that always were there, by name.
func TestComponentsInOrder(t *testing.T) {
	s := example()
	for _, key := range []string{"utility", "applications", "transport"} {
		s.Components[key] = Place{One: &Component{"a<b", map[string]any{}}}
	}
	encoded, err := json.Marshal(s.Components)
	require.NoError(t, err)
	at := -1
	for _, key := range []string{"host", "switch", "port", "path_selector", "queues", "port_agents", "transport", "congestion_control", "receiver_agents", "applications", "utility"} {
		i := strings.Index(string(encoded), `"`+key+`":`)
		assert.Greater(t, i, at, key)
		at = i
	}
	whole, err := s.Encode()
	require.NoError(t, err)
	assert.Contains(t, string(whole), `"type": "a<b"`)
	assert.Contains(t, string(whole), `"port_agents": []`)
}

func TestHash(t *testing.T) {
	digests := func(flows []Flow, routes []Route) ([32]byte, [32]byte) {
		f, err := FlowsDigest(flowList(flows...))
		require.NoError(t, err)
		r, err := RoutesDigest(slices.Values(routes))
		require.NoError(t, err)
		return f, r
	}
	hash := func(s *Scenario, flows []Flow, routes []Route) string {
		h, err := s.Hash(digests(flows, routes))
		require.NoError(t, err)
		return h
	}
	want := hash(example(), exampleFlows, exampleRoutes)
	assert.Len(t, want, 16)

	seeded := example()
	seeded.Seed = 2
	assert.Equal(t, want, hash(seeded, exampleFlows, exampleRoutes), "the seed does not enter")
	assert.Equal(t, uint64(2), seeded.Seed)

	changed := example()
	changed.Components["congestion_control"].One.Params["eta"] = 0.9
	assert.NotEqual(t, want, hash(changed, exampleFlows, exampleRoutes))
	assert.NotEqual(t, want, hash(example(), exampleFlows[:1], exampleRoutes))
	assert.NotEqual(t, want, hash(example(), exampleFlows, exampleRoutes[:3]))
}

func TestRecordsOutOfOrder(t *testing.T) {
	_, err := FlowsDigest(flowList(exampleFlows[1], exampleFlows[0]))
	require.ErrorContains(t, err, "flow 0 (start 0 ps) stands behind flow 1 (start 300000000 ps)")
	_, err = FlowsDigest(flowList(exampleFlows[0], exampleFlows[0]))
	require.ErrorContains(t, err, "stands behind")
	for _, routes := range [][]Route{{{3, 0, 0, 0}, {2, 0, 0, 0}}, {{2, 1, 0, 0}, {2, 0, 0, 0}}, {{2, 1, 0, 0}, {2, 1, 0, 0}}, {{2, 1, 0, 0}, {2, 1, 0, 2}}, {{2, 1, 0, 0}, {2, 2, 0, 1}}} {
		_, err = RoutesDigest(slices.Values(routes))
		require.ErrorContains(t, err, "stands behind")
	}
	broken := errors.New("broken")
	_, err = FlowsDigest(func(yield func(Flow, error) bool) { yield(Flow{}, broken) })
	assert.ErrorIs(t, err, broken)
}

func TestFlags(t *testing.T) {
	for i := range 8 {
		want := Flow{Dst: 1, StopPs: -1, Measured: i&1 != 0, Persistent: i&2 != 0, ClosedLoop: i&4 != 0}
		path := filepath.Join(t.TempDir(), FlowsFile)
		file, err := os.Create(path)
		require.NoError(t, err)
		require.NoError(t, WriteFlows(file, flowList(want)))
		require.NoError(t, file.Close())
		written, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, byte(i), written[headerSize+45])
		for got, err := range ReadFlows(bytes.NewReader(written)) {
			require.NoError(t, err)
			assert.Equal(t, want, got)
		}
	}
}

// TestDependencies: what flows wait for is behind them, in as many records as it takes.
func TestDependencies(t *testing.T) {
	var want []Flow
	for i := range uint32(12) {
		f := Flow{ID: i, Dst: 1, StopPs: -1, Size: 5}
		for on := range i {
			f.After = append(f.After, Dependency{On: on, DelayPs: int64(on) << 40})
		}
		want = append(want, f)
	}
	path := filepath.Join(t.TempDir(), FlowsFile)
	file, err := os.Create(path)
	require.NoError(t, err)
	require.NoError(t, WriteFlows(file, flowList(want...)))
	require.NoError(t, file.Close())
	written, err := os.ReadFile(path)
	require.NoError(t, err)
	const more = 4*1 + 4*2 + 3*3 // of the flows that wait for 1 to 11
	assert.Len(t, written, headerSize+(12+more)*flowSize)
	var got []Flow
	for f, err := range ReadFlows(bytes.NewReader(written)) {
		require.NoError(t, err)
		got = append(got, f)
	}
	assert.Equal(t, want, got)

	last := func(data []byte) error {
		var last error
		for _, err := range ReadFlows(bytes.NewReader(data)) {
			last = err
		}
		return last
	}
	cut := slices.Clone(written[:len(written)-flowSize])
	cut[12]--
	require.ErrorContains(t, last(cut), "it ends before all that flow 11 waits for")
	reserved := slices.Clone(written)
	reserved[headerSize+2*flowSize+4] = 1
	require.ErrorContains(t, last(reserved), "record 2: a reserved field that is not 0")
	behind := slices.Clone(written)
	behind[headerSize+2*flowSize+dependencySize] = 1
	require.ErrorContains(t, last(behind), "record 2: a reserved field that is not 0")

	a, err := FlowsDigest(flowList(want...))
	require.NoError(t, err)
	want[3].After[0].DelayPs++
	b, err := FlowsDigest(flowList(want...))
	require.NoError(t, err)
	assert.NotEqual(t, a, b)
	_, err = FlowsDigest(flowList(Flow{After: make([]Dependency, MaxDependencies+1)}))
	assert.ErrorContains(t, err, "flow 0 waits for 65536 others")
}

func TestReadRefuses(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", FlowsFile))
	require.NoError(t, err)
	edit := func(offset int, value byte) []byte {
		changed := slices.Clone(data)
		changed[offset] = value
		return changed
	}
	tests := []struct {
		name string
		data []byte
		want string
	}{
		{"empty", nil, "header: EOF"},
		{"magic", edit(0, 'X'), "is not that of a FABFLOW1 file"},
		{"record size", edit(8, 16), "is not that of a FABFLOW1 file"},
		{"truncated", data[:len(data)-1], "record 1: the header says 2 records: unexpected EOF"},
		{"cut at a record", data[:len(data)-64], "record 1: the header says 2 records: EOF"},
		{"too long", append(slices.Clone(data), 0), "more behind the 2 records of the header"},
		{"unknown flag", edit(32+45, 8), "record 0: unknown flags"},
		{"order", edit(32+24+7, 1), "record 1: flows are not sorted"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var last error
			for _, err := range ReadFlows(bytes.NewReader(tt.data)) {
				last = err
			}
			assert.ErrorContains(t, last, tt.want)
		})
	}
}

// TestStreaming: memory does not grow with the number of flows.
func TestStreaming(t *testing.T) {
	const n = 1_000_000
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := FlowsDigest(func(yield func(Flow, error) bool) {
		for i := range uint32(n) {
			if !yield(Flow{ID: i, Dst: 1, StartPs: int64(i / 2)}, nil) {
				return
			}
		}
	})
	require.NoError(t, err)
	runtime.ReadMemStats(&after)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20))
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error)      { return 0, io.ErrShortWrite }
func (failingWriter) Seek(int64, int) (int64, error) { return 0, nil }

func TestWriteErrors(t *testing.T) {
	require.ErrorIs(t, WriteFlows(failingWriter{}, flowList(exampleFlows...)), io.ErrShortWrite)
	require.ErrorIs(t, WriteRoutes(failingWriter{}, slices.Values(exampleRoutes)), io.ErrShortWrite)
	assert.Error(t, example().Write(filepath.Join(t.TempDir(), "missing"), flowList(), slices.Values(exampleRoutes)))
}
