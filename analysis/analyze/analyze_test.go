package analyze_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/analysis/analyze"
	"fabriclab/analysis/table/tabletest"
)

func TestAnalyze(t *testing.T) {
	dir := t.TempDir()
	tabletest.Scenario(t, dir, 700e6, 100e9, "sender0", "s1", "s2")
	fct, slowdown := int64(12_345_678), 1.25
	flows := []tabletest.Flow{
		{Flow: 0, Src: "sender0", Dst: "s2", DeliveredBytes: 5_000_000},
		{Flow: 1, Src: "sender0", Dst: "s2", SizeBytes: 50000, Measured: true, Finished: true, FctPs: &fct, Slowdown: &slowdown, DeliveredBytes: 50000},
		{Flow: 2, Src: "sender0", Dst: "s2", SizeBytes: 2_000_000},
	}
	for i := uint32(3); i < 25; i++ {
		flows = append(flows, tabletest.Flow{Flow: i, Src: "sender0", Dst: "s2", SizeBytes: 1000, Finished: true, FctPs: &fct, Slowdown: &slowdown})
	}
	tabletest.Write(t, dir, "flows", flows)
	tabletest.Write(t, dir, "queues", []tabletest.Queue{
		{TimePs: 1e6, Link: "s1->s2", Class: 1, Bytes: 1000, MaxBytes: 4000},
		{TimePs: 2e6, Link: "s1->s2", Class: 1, Bytes: 3000, MaxBytes: 156_500},
		{TimePs: 2e6, Link: "s1->s2", Class: 0},
	})
	tabletest.Write(t, dir, "links", []tabletest.Link{{TimePs: 2e6, Link: "s1->s2", SentBytes: 20000, DataBytes: 18000, PausedPs: 5e5}})
	tabletest.Write(t, dir, "pauses", []tabletest.Pause{{TimePs: 1e6, Node: "s1", Link: "s1->sender0", Class: 1, Xoff: true, Sent: true}})

	got, err := analyze.Run(dir)
	require.NoError(t, err)
	for _, want := range []string{
		"25 flows, 23 finished, 1 unlimited; 5.05MB of payload delivered",
		"unlimited", "12.35us", "unfinished", "… and 5 more",
		"10KB to 100KB", "1MB to 10MB", "1.250",
		"156.5KB  2us   2KB", // peak, by when, mean
		"80.00 %  72.00 %   500ns",
		"s1->sender0      1     1    0",
		"Drops\n  not recorded",
	} {
		assert.Contains(t, got, want, got)
	}
}

// TestAnalyzeGroups: an iteration that goes on while the next one has begun says so,
// and who was the last to have its bytes.
func TestAnalyzeGroups(t *testing.T) {
	dir := t.TempDir()
	tabletest.Scenario(t, dir, 700e6, 100e9, "h0", "h1", "h2")
	var flows []tabletest.Flow
	add := func(group uint32, dst string, start, end int64) {
		flows = append(flows, tabletest.Flow{Flow: uint32(len(flows)), Group: group, Src: "h0", Dst: dst, SizeBytes: 1000, StartPs: start, EndPs: end, Finished: end >= 0})
	}
	add(0, "h1", 0, 1e9) // of none
	add(1, "h1", 1e6, 3e6)
	add(1, "h2", 1e6, 9e6)
	add(2, "h1", 5e6, 7e6)
	add(2, "h2", 6e6, 6_500_000)
	add(3, "h2", 12e6, -1)
	tabletest.Write(t, dir, "flows", flows)
	got, err := analyze.Run(dir)
	require.NoError(t, err)
	_, got, found := strings.Cut(got, "Groups of flows: jobs, incasts, iterations of collectives\n")
	require.True(t, found)
	rows := strings.Split(got, "\n")
	for i, want := range [][]string{
		{"1", "2", "1us", "8us", "4us", "h2", "3us"},
		{"2", "2", "5us", "2us", "h1", "250ns"},
		{"3", "1", "12us", "unfinished"},
	} {
		assert.Equal(t, want, strings.Fields(rows[i+1]))
	}
}

func TestAnalyzeErrors(t *testing.T) {
	_, err := analyze.Run(filepath.Join(t.TempDir(), "nowhere"))
	require.ErrorContains(t, err, "nowhere")

	dir := t.TempDir()
	tabletest.Scenario(t, dir, 700e6, 100e9, "sender0", "s1")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "flows.parquet"), []byte("PAR1"), 0o644))
	_, err = analyze.Run(dir)
	assert.ErrorContains(t, err, "flows.parquet is corrupt")
}
