package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/harness/store"
	"fabriclab/harness/trace/tracetest"
)

// idleHost is a leaf-spine network, with or without a host that nobody sends to,
// numbered before all others.
const idleHost = `
topology:
  type: custom
  hosts: [%s"h[0..5]", allocator]
  switches: ["leaf[0..2]", "spine[0..1]"]
  rate: 10Gbps
  delay: 1us
  links:
    - {a: "h[0..1]", b: leaf0}
    - {a: "h[2..3]", b: leaf1}
    - {a: "h[4..5]", b: leaf2}
    - {a: "leaf*", b: "spine*"}
    - {a: allocator, b: spine0}%s
workload:
  type: mix
  parts:
    - {type: poisson, size: 20KB, load: 0.6, to: 1ms, sources: [h0..h5], destinations: [h0..h5]}
    - {type: incast, size: 30KB, sources: [h0..h5], receivers: [h0..h5], senders: 4, events: 4, interval: 200us}
run: {stop: 4ms}
trace: {flows: {}}
`

// TestAnIdleHostChangesNoFlow: random streams and paths go by names, so a host
// without a flow changes nobody's rows, whatever the preset and the path selector.
func TestAnIdleHostChangesNoFlow(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(lab.root, "configs", "presets", "*.yaml"))
	require.NoError(t, err)
	var presets []string
	for _, file := range files {
		if name := strings.TrimSuffix(filepath.Base(file), ".yaml"); name != "flowtune" {
			presets = append(presets, name)
		}
	}
	require.Greater(t, len(presets), 30)
	for name, c := range map[string]struct {
		more string
		runs int
	}{
		"presets":   {"params: {host: {jitter: 0.01}}\nmatrix: {preset: [" + strings.Join(presets, ", ") + "]}\n", len(presets)},
		"flowtune":  {"preset: flowtune\nnodes: {allocator: {applications: [flowtune_allocator]}}\nparams: {host: {jitter: 0.01}}\n", 1},
		"selectors": {"preset: dcqcn\nport_agents: [dre]\nmatrix: {path_selector: [ecmp, wcmp, local, conga, letflow, spray]}\n", 6},
		"turns":     {"preset: tcp\npath_selector: spray\nparams: {spray: {order: round_robin}}\n", 1},
		"one way":   {"preset: tcp\nparams: {ecmp: {symmetric: false}}\n", 1},
		"marks":     {"preset: dcqcn\nparams: {red: {kmin: 5KB, kmax: 50KB, pmax: 0.5}}\n", 1},
		"bins":      {"preset: tcp\nqueues: [fq_codel]\nparams: {fq_codel: {flows: 8}}\n", 1},
	} {
		t.Run(name, func(t *testing.T) {
			rows := func(host, link string) map[string][]string {
				file := filepath.Join(t.TempDir(), "idle.yaml")
				require.NoError(t, os.WriteFile(file, []byte(fmt.Sprintf(idleHost, host, link)+c.more), 0o600))
				all := map[string][]string{}
				for _, dir := range mustRun(t, nil, file) {
					m, err := store.Read(dir)
					require.NoError(t, err)
					for _, row := range tracetest.Table(t, dir, "flows") {
						point := fmt.Sprint(m.Labels)
						all[point] = append(all[point], fmt.Sprint(row))
					}
				}
				return all
			}
			without, with := rows("", ""), rows("idle, ", "\n    - {a: idle, b: leaf1}")
			require.Len(t, without, c.runs)
			for point, want := range without {
				assert.Greater(t, len(want), 30)
				assert.True(t, slices.Equal(want, with[point]), "%s: flows differ", point)
			}
		})
	}
}
