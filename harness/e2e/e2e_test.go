// Package e2e runs the real command line tool with the real ns-3 runner.
package e2e

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/base/catalog"
	"fabriclab/harness/build"
	"fabriclab/harness/engine/ns3"
	"fabriclab/harness/run"
	"fabriclab/harness/store"
	"fabriclab/harness/trace"
	"fabriclab/harness/trace/tracetest"
)

var lab struct {
	root, program string
	runner        string
}

// alwaysShared has threads share the nodes of networks that are too small for it
// to be of use.
const alwaysShared = "FABRIC_LEAST_EVENTS=0"

// patience is how long a test waits for what has to happen. Nothing takes so
// long; a busy machine is no failure.
const patience = 10 * time.Minute

func TestMain(m *testing.M) { os.Exit(setUp(m)) }

// setUp builds the runner, if it is stale, and the tool.
func setUp(m *testing.M) int {
	fail := func(err error) int {
		_, _ = os.Stderr.WriteString("e2e: " + err.Error() + "\n")
		return 1
	}
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
	defer cancel()
	var err error
	if lab.root, err = build.FindRoot("."); err != nil {
		return fail(err)
	}
	builder := build.New(lab.root, build.Release, os.Stderr)
	program, err := builder.Program(ctx, ns3.Engine{})
	if err == nil { // for commands that compile nothing
		_, err = builder.Describe(ctx)
	}
	if err != nil {
		return fail(err)
	}
	lab.runner = program.Path
	dir, err := os.MkdirTemp("", "fabriclab-e2e-")
	if err != nil {
		return fail(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	lab.program = filepath.Join(dir, "fabriclab")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", lab.program, "fabriclab/harness/cmd/fabriclab").CombinedOutput(); err != nil {
		_, _ = os.Stderr.Write(out)
		return fail(err)
	}
	// Most of these tests wait for Slurm or for one simulation.
	flag.Parse()
	if err := flag.Set("test.parallel", strconv.Itoa(max(4, runtime.GOMAXPROCS(0)))); err != nil {
		return fail(err)
	}
	return m.Run()
}

// fabriclab runs the tool and returns what it printed.
func fabriclab(t *testing.T, env []string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	return fabriclabAt(t, lab.root, patience, env, args...)
}

// fabriclabAt runs the tool on a checkout.
func fabriclabAt(t *testing.T, root string, limit time.Duration, env []string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, lab.program, append([]string{"--root", root}, args...)...)
	cmd.Env = append(os.Environ(), env...)
	var out, errOut strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err = cmd.Run()
	return out.String(), errOut.String(), err
}

// elsewhere is the folder in the results of an experiment that is not below
// configs/.
func elsewhere(t *testing.T, results, name string) string {
	t.Helper()
	dirs, err := filepath.Glob(filepath.Join(results, name+"-????????"))
	require.NoError(t, err)
	require.Len(t, dirs, 1)
	return dirs[0]
}

func mustRun(t *testing.T, env []string, args ...string) []string {
	t.Helper()
	out := t.TempDir()
	_, stderr, err := fabriclab(t, env, append([]string{"run", "--out", out}, args...)...)
	require.NoError(t, err, stderr)
	dirs, err := store.Runs(out)
	require.NoError(t, err)
	require.NotEmpty(t, dirs)
	return dirs
}

func TestAFlowAloneTakesTheIdealTime(t *testing.T) {
	dirs := mustRun(t, nil, "testdata/alone.yaml")
	require.Len(t, dirs, 1)
	flows := tracetest.Table(t, dirs[0], "flows")
	require.Len(t, flows, 4)
	for _, flow := range flows {
		assert.Equal(t, "true", flow["finished"], "flow %s", flow["flow"])
		assert.Equal(t, flow["ideal_fct_ps"], flow["fct_ps"], "flow %s of %s B", flow["flow"], flow["size_bytes"])
		assert.Equal(t, "1", flow["slowdown"])
	}
}

func TestEveryMechanismDeliversEverything(t *testing.T) {
	dirs := mustRun(t, nil, "testdata/incast.yaml", "--jobs", "2")
	require.Len(t, dirs, 8)
	for _, dir := range dirs {
		m, err := store.Read(dir)
		require.NoError(t, err)
		name := m.Labels["preset"]
		summary, err := run.ParseSummary(m)
		require.NoError(t, err)
		assert.NotEmpty(t, summary.Checks, name)
		assert.Equal(t, int64(3), summary.Flows.Finished, name)
		assert.Positive(t, summary.PacketHops, name)

		flows := tracetest.Table(t, dir, "flows")
		require.Len(t, flows, 3, name)
		for _, flow := range flows {
			assert.Equal(t, flow["size_bytes"], flow["delivered_bytes"], name)
			assert.Greater(t, tracetest.Number(t, flow, "slowdown"), 1.0, "%s flow %s", name, flow["flow"])
			assert.Equal(t, "receiver0", flow["dst"], name)
		}
		queues := tracetest.Table(t, dir, "queues")
		require.NotEmpty(t, queues, name)
		highest := 0.0
		for _, sample := range queues {
			require.Equal(t, "s1->s2", sample["link"], name)
			highest = max(highest, tracetest.Number(t, sample, "max_bytes"))
		}
		assert.Greater(t, highest, 1000.0, "%s: three senders make a queue", name)
		assert.Empty(t, tracetest.Table(t, dir, "drops"), name)

		received := 0
		for _, p := range tracetest.Table(t, dir, "packets") {
			require.Equal(t, "2", p["flow"], name)
			if p["event"] == "receive" && p["kind"] == "data" && p["node"] == "receiver0" {
				received++
			}
		}
		for _, flow := range flows {
			if flow["flow"] == "2" {
				assert.Equal(t, flow["packets"], strconv.Itoa(received), "%s: every packet of the flow is in the table of packets", name)
			}
		}
		assert.Greater(t, received, 1, name)
	}
}

// tables are the hashes of all tables of runs, by place.
func tables(t *testing.T, dirs []string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, dir := range dirs {
		m, err := store.Read(dir)
		require.NoError(t, err)
		for name, f := range m.Outputs {
			if f.Rows != nil {
				all[filepath.Join(m.ScenarioHash, filepath.Base(dir), name)] = f.SHA256
			}
		}
		for name, f := range m.Inputs {
			all[filepath.Join(m.ScenarioHash, filepath.Base(dir), name)] = f.SHA256
		}
	}
	return all
}

func TestTheSameBytesForAnyJobsThreadsAndWithoutFMA(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(lab.root, "configs", "presets", "*.yaml"))
	require.NoError(t, err)
	var presets []string
	for _, file := range files {
		if name := strings.TrimSuffix(filepath.Base(file), ".yaml"); name != "flowtune" { // needs an allocator's host
			presets = append(presets, name)
		}
	}
	// glibc's names of the features; the first is what its libm asks for.
	withoutFMA := []string{"GLIBC_TUNABLES=glibc.cpu.hwcaps=-FMA,-FMA4,-AVX2,-AVX512F", "GODEBUG=cpu.fma=off,cpu.avx2=off"}
	for _, c := range []struct {
		least int
		args  []string
	}{
		{2 * len(presets) * (7 + 4), []string{"testdata/incast.yaml", "--set", "preset=[" + strings.Join(presets, ",") + "]", "--set", "params={}", "--jobs"}},
		{4, []string{"validation/flowtune", "--jobs"}},
		{13 * (7 + 4), []string{"validation/numfabric", "--engine", "ns3", "--jobs"}}, // prices and weights as powers: utilities that no preset has
	} {
		want := tables(t, mustRun(t, nil, append(c.args, "2")...))
		require.GreaterOrEqual(t, len(want), c.least)
		assert.Equal(t, want, tables(t, mustRun(t, []string{alwaysShared}, append(c.args, "1", "--threads", "3")...)))
		assert.Equal(t, want, tables(t, mustRun(t, withoutFMA, append(c.args, "8")...)))
	}
}

func TestASecondCallRunsNothing(t *testing.T) {
	out := t.TempDir()
	_, stderr, err := fabriclab(t, nil, "run", "testdata/alone.yaml", "--out", out)
	require.NoError(t, err, stderr)
	assert.Contains(t, stderr, "done in")
	stdout, stderr, err := fabriclab(t, nil, "run", "testdata/alone.yaml", "--out", out)
	require.NoError(t, err, stderr)
	assert.Contains(t, stdout, "valid")
	assert.NotContains(t, stderr, "done in")
}

func TestBadInputIsRefusedBeforeAnythingRuns(t *testing.T) {
	text, err := os.ReadFile("testdata/incast.yaml")
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "bad.yaml")
	require.NoError(t, os.WriteFile(file, []byte(strings.Replace(string(text), "src: sender1", "src: sender7", 1)), 0o644))
	out := filepath.Join(t.TempDir(), "results")
	_, stderr, err := fabriclab(t, nil, "run", file, "--out", out)
	require.Error(t, err)
	assert.Contains(t, stderr, "bad.yaml:17")
	assert.Contains(t, stderr, "sender7")
	assert.NoDirExists(t, out)
}

// mechanismPages are the pages of the mechanisms, which document their own
// tables.
func mechanismPages(t *testing.T) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(lab.root, "docs", "mechanisms", "*.md"))
	require.NoError(t, err)
	var all strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		all.Write(text)
	}
	return all.String()
}

func TestEveryColumnIsDocumented(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(lab.root, "docs", "traces.md"))
	require.NoError(t, err)
	own := mechanismPages(t)
	data, err := build.New(lab.root, build.Release, os.Stderr).Describe(t.Context())
	require.NoError(t, err)
	c, err := catalog.Load(data)
	require.NoError(t, err)
	for _, table := range append(slices.Clone(c.Tables), trace.LoadTable) {
		if strings.Contains(own, "Trace table `"+table.Name+"`: ") {
			continue // made from the description, and tested where it is made
		}
		_, section, found := strings.Cut(string(page), "### `"+table.Name+"`: ")
		require.True(t, found, "docs/traces.md has no section on the table %s", table.Name)
		section, _, _ = strings.Cut(section, "\n### ")
		for _, column := range table.Columns {
			assert.Contains(t, section, "| `"+column.Name+"` |", "docs/traces.md, table %s", table.Name)
		}
	}
}

func TestTheRunnerRefusesABadScenario(t *testing.T) {
	dirs := mustRun(t, nil, "testdata/alone.yaml")
	scenario := filepath.Join(dirs[0], "scenario.json")
	text, err := os.ReadFile(scenario)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(scenario, []byte(strings.Replace(string(text), `"stop_ps"`, `"stop_pz"`, 1)), 0o644))
	cmd := exec.CommandContext(t.Context(), lab.runner, "--scenario", scenario, "--trace", "/dev/null", "--summary", "/dev/null")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	err = cmd.Run()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	assert.Equal(t, 2, exit.ExitCode())
	assert.Contains(t, stderr.String(), "stop_pz")
}
