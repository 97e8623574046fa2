package run

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAvailableMemory(t *testing.T) {
	const meminfo = "MemTotal: 100 kB\nMemAvailable:   80 kB\n"
	tests := []struct {
		name  string
		files map[string]string
		want  int64
	}{
		{"machine", map[string]string{"proc/meminfo": meminfo}, 80 << 10},
		{"nothing known", nil, math.MaxInt64},
		{"group", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a/b\n",
			"sys/fs/cgroup/a/memory.max": "50000\n", "sys/fs/cgroup/a/memory.current": "30000\n", "sys/fs/cgroup/a/memory.stat": "anon 5\ninactive_file 10000\n",
			"sys/fs/cgroup/a/b/memory.max": "max\n", "sys/fs/cgroup/a/b/memory.current": "20000\n",
		}, 30000},
		{"old group", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "9:name=systemd:/\n4:cpu,memory:/a\n0::/\n",
			"sys/fs/cgroup/memory/a/memory.limit_in_bytes": "7000\n", "sys/fs/cgroup/memory/a/memory.usage_in_bytes": "9000\n",
		}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root := t.TempDir()
			for name, text := range tt.files {
				path := filepath.Join(root, name)
				require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
				require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
			}
			assert.Equal(t, tt.want, availableIn(root))
		})
	}
	assert.Greater(t, availableMemory(), int64(1<<20), "of this machine")
}
