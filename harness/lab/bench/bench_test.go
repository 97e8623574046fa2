package bench

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSpeedsStandBesideThoseRecorded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bench.json")
	assert.Empty(t, recorded(path))
	last := benchmark{Loads: []speed{{Run: "k8 ns3", Threads: 1, HopsPerCPUSecond: 4e6}, {Run: "k8 ns3", Threads: 2, HopsPerCPUSecond: 3e6}}}
	text, err := json.Marshal(last)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, text, 0o666))

	var out strings.Builder
	require.NoError(t, showSpeeds(&out, []speed{
		{Run: "k8 ns3", Threads: 1, PacketHops: 14e6, HopsPerCPUSecond: 5e6, HopsPerSecond: 4.9e6, PeakRSSBytes: 25e6},
		{Run: "k8 ns3", Threads: 2, PacketHops: 14e6, HopsPerCPUSecond: 4.5e6, HopsPerSecond: 8.9e6, PeakRSSBytes: 26e6},
		{Run: "new ns3", Threads: 1, PacketHops: 1e6, HopsPerCPUSecond: 5e6, HopsPerSecond: 5e6, PeakRSSBytes: 9e6},
	}, recorded(path)))
	lines := strings.Split(out.String(), "\n")
	assert.Equal(t, []string{"14.00", "5.00", "1.25", "4.90", "25.0", "MB", "1", "k8", "ns3"}, strings.Fields(lines[1]))
	assert.Equal(t, []string{"14.00", "4.50", "1.50", "8.90", "26.0", "MB", "2", "k8", "ns3"}, strings.Fields(lines[2]))
	assert.Equal(t, []string{"1.00", "5.00", "5.00", "9.0", "MB", "1", "new", "ns3"}, strings.Fields(lines[3]), "nothing to compare with")
}

func TestEnginesWithThreadsAreMeasuredWithThem(t *testing.T) {
	one, err := threadsOf("plain")
	require.NoError(t, err)
	assert.Equal(t, []int{1}, one)
	_, err = threadsOf("ns4")
	require.Error(t, err)
}

func TestBoundOfThreads(t *testing.T) {
	threads, windows, err := readWindows(strings.NewReader("events,2,4\n100,60,40\n10,9,9\n"))
	require.NoError(t, err)
	assert.Equal(t, []int{2, 4}, threads)
	// 60 events and the barrier; 10 events on one thread, as 9 and a barrier take longer
	b := boundOf(windows, 0, 2, 10, 50)
	assert.InDelta(t, 1100.0/(650+100), b.Speedup, 1e-12)
	assert.InDelta(t, 100.0/750, b.Uneven, 1e-12)
	assert.InDelta(t, 50.0/750, b.Barriers, 1e-12)
	assert.InDelta(t, 50.0/750, b.Alone, 1e-12)
	assert.InDelta(t, 1, 550.0/750+b.Uneven+b.Barriers+b.Alone, 1e-12)

	_, none, err := readWindows(strings.NewReader(""))
	require.NoError(t, err)
	assert.Empty(t, none)
	_, _, err = readWindows(strings.NewReader("events,2\nmany,1\n"))
	require.Error(t, err)
}

// A page gets the speeds between its markers, and keeps the rest.
func TestPagesTableIsRenewed(t *testing.T) {
	page := filepath.Join(t.TempDir(), "page.md")
	require.NoError(t, os.WriteFile(page, []byte("before\n<!-- bench -->\nold\n<!-- /bench -->\nafter\n"), 0o666))
	loads := []speed{{Run: "bench/fat-tree k=8 ns3 seed 1", Engine: "ns3", Threads: 2, HopsPerCPUSecond: 5.04e6, HopsPerSecond: 9e6, PeakRSSBytes: 25.6e6}}
	for range 2 {
		require.NoError(t, renew(page, "v1", loads))
	}
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	lines := strings.Split(string(text), "\n")
	require.Len(t, lines, 10)
	assert.Equal(t, []string{"before", "<!-- bench -->"}, lines[:2])
	assert.Regexp(t, "^At commit `v1`, \\d+ cores of \\S", lines[2])
	assert.Equal(t, []string{"| bench/fat-tree k=8 | ns3 | 2 | 5.0 | 9.0 | 26 MB |", "<!-- /bench -->", "after", ""}, lines[6:])

	require.NoError(t, os.WriteFile(page, []byte("none"), 0o666))
	assert.ErrorContains(t, renew(page, "v1", loads), "add the lines <!-- bench -->")
}
