package bench

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/harness/allocation"
)

func TestMeasurementOfTheAllocator(t *testing.T) {
	does := func(script string) (*allocator, error) {
		program := filepath.Join(t.TempDir(), "bench")
		require.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\n"+script+"\n"), 0o755))
		m, err := allocation.Measure(context.Background(), program, "--flows", "7")
		return (*allocator)(m), err
	}
	a, err := does(`[ "$*" = "--flows 7" ] && echo '{"cores": 2, "stream_bytes_per_s": [1e10, 2e10], "addition_ns": {"double": 0.4},
"iterations": [{"nodes": 384, "threads": 2, "ned_us": 12.5, "share_of_memory": null},
{"nodes": 4608, "threads": 1, "ned_f_norm_us": 250, "share_of_memory": 0.5, "share_of_core": 0.25}]}'`)
	require.NoError(t, err)
	require.Len(t, a.Iterations, 2)
	var out strings.Builder
	require.NoError(t, a.show(&out))
	assert.Contains(t, out.String(), "10.0 GB/s with one thread, 20.0 with 2")
	lines := strings.Split(out.String(), "\n")
	assert.Regexp(t, `384 .* 12\.5 us .* -  `, lines[2])
	assert.Regexp(t, `4608 .* 250\.0 us .* 50 %  +25 %`, lines[3])
	for _, text := range []string{"", "{}", "help"} {
		_, err := does("echo '" + text + "'")
		require.ErrorContains(t, err, "fabriclab build", text)
	}
	_, err = does("echo unknown option >&2; exit 2")
	require.ErrorContains(t, err, "unknown option")
}
