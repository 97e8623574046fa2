package experiment

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestThresholdsThatNoQueueReaches: whatever has a threshold, against its queue's limit and the switch's buffer.
func TestThresholdsThatNoQueueReaches(t *testing.T) {
	for _, tt := range []struct{ preset, params, want string }{
		{"dctcp", "{red: {scale_to: 0bps}}", ""}, // 975 KB at 100 Gb/s, below 1 MB
		{"dctcp", "{red: {scale_to: 0bps, limit: 900KB}}", "red.kmin is 97.5KB, which is 975KB at ports of 100Gbps, and red.limit is 900KB: packets are dropped before a queue is so long"},
		{"dctcp", "{red: {limit: 390KB}}", "red.kmin is 97.5KB, which is 390KB at ports of 100Gbps, and red.limit is 390KB"},
		{"dcqcn", "{red: {kmax: 40MB, per_rate: 0bps}}", "red.kmax is 40MB, and switch.buffer is 32MB"},
		{"infiniband", "{fecn_queue: {threshold: 40MB}}", "exp.yaml:10:34: fecn_queue.threshold is 40MB, and switch.buffer is 32MB"},
		{"rocc", "{switch: {buffer: 600KB}, port: {pfc: false}}", "rocc_pi.q_max is 660KB, and switch.buffer is 600KB"},
		{"rocc", "{port: {pfc: false}, fifo: {limit: 650KB}}", "rocc_pi.q_max is 660KB, and fifo.limit is 650KB"},
		{"dcqcn", "{red: {kmin: 1100KB, kmax: 1200KB}}", "exp.yaml:10:22: red.kmin is 1.1MB, and port.pfc_xoff is 500KB: PFC pauses those who send before a queue is so long"},
		{"dcqcn", "{red: {kmax: 1200KB}}", ""}, // with a warning: it marks from kmin on
		{"dcqcn", "{red: {kmin: 7MB, kmax: 8MB}, port: {pfc_mode: dynamic}}", "red.kmin is 7MB, and port.pfc_alpha is 0.125: PFC pauses"},
		{"rocc", "{rocc_pi: {q_ref: 1100KB}}", "rocc_pi.q_ref is 1.1MB, and port.pfc_xoff is 500KB: PFC pauses"},
		{"infiniband", "{fecn_queue: {threshold: 1100KB}}", "fecn_queue.threshold is 1.1MB, and port.pfc_xoff is 500KB: PFC pauses"},
		{"dart", "{iofd: {threshold: 2200KB}}", "iofd.threshold is 2.2MB, and port.pfc_xoff is 500KB: PFC pauses"},
		{"hpcc", "{port: {pfc: true, pfc_mode: static, pfc_xoff: 40MB}}", "port.pfc_xoff is 40MB, and the ports of a switch share"},
		{"hpcc", "{port: {pfc: true, pfc_mode: static, pfc_xoff: 4MB}}", ""},
	} {
		text := strings.Replace(base, "preset: hpcc", "preset: "+tt.preset, 1) + "params: " + tt.params + "\n"
		_, err := loadFile(t, write(t, text), "")
		if tt.want == "" {
			require.NoError(t, err, "%s %s", tt.preset, tt.params)
			continue
		}
		require.Error(t, err, "%s %s", tt.preset, tt.params)
		assert.Contains(t, err.Error(), tt.want)
	}
}

// TestPresetsFrom1To800Gbps: their thresholds are reached at every rate, at a switch with as few ports as there can be.
func TestPresetsFrom1To800Gbps(t *testing.T) {
	files, err := filepath.Glob("../../configs/presets/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		preset := strings.TrimSuffix(filepath.Base(file), ".yaml")
		if preset == "flowtune" {
			continue // its allocator's host is not in a star
		}
		for _, rate := range []string{"1Gbps", "10Gbps", "40Gbps", "100Gbps", "200Gbps", "400Gbps", "800Gbps"} {
			_, err := loadFile(t, write(t, base), "", "preset="+preset, "topology.rate="+rate)
			require.NoError(t, err, "%s at %s", preset, rate)
		}
	}
}
