package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/harness/parity"
	"fabriclab/harness/scenario"
	"fabriclab/harness/trace"
)

// An ns-3 program written by hand, from helpers and attributes, gives what the
// runner gives for the same network.
func TestTheExampleWrittenByHandGivesTheRunnersTables(t *testing.T) {
	dirs := mustRun(t, nil, "testdata/by_hand.yaml")
	require.Len(t, dirs, 1)

	build := filepath.Join(lab.root, "build", "release")
	out, err := exec.CommandContext(t.Context(), "cmake", "--build", build, "--target", "example-dumbbell").CombinedOutput()
	require.NoError(t, err, string(out))
	stream := filepath.Join(t.TempDir(), "dumbbell.trace")
	out, err = exec.CommandContext(t.Context(), filepath.Join(build, "bin", "example-dumbbell"), "--trace="+stream).CombinedOutput()
	require.NoError(t, err, string(out))

	// The program has no names for its nodes; they are numbered as the scenario's.
	text, err := os.ReadFile(filepath.Join(dirs[0], scenario.File))
	require.NoError(t, err)
	var s scenario.Scenario
	require.NoError(t, json.Unmarshal(text, &s))
	file, err := os.Open(stream)
	require.NoError(t, err)
	defer file.Close()
	byHand := t.TempDir()
	_, err = trace.Ingest(t.Context(), file, trace.Options{Dir: byHand, Names: trace.NewNames(s.Nodes, s.Links),
		Derived: []trace.Derived{trace.IdealFCT(func(uint32, uint32, uint64) (int64, bool) { return 0, false })}}) // unlimited flows have none
	require.NoError(t, err)

	tables, err := parity.Tables(dirs[0])
	require.NoError(t, err)
	require.Len(t, tables, 3)
	for name, table := range tables {
		assert.Positive(t, table.Rows, name)
	}
	differences, err := parity.Compare(dirs[0], byHand)
	require.NoError(t, err)
	assert.Empty(t, differences)
}
