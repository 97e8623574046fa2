package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/harness/first"
	"fabriclab/harness/parity"
	"fabriclab/harness/store"
)

// project is a folder of one's own, and the tool run in it.
type project struct {
	t          *testing.T
	dir, cache string
	env        []string
}

func (p project) run(args ...string) (stdout, stderr string, err error) {
	p.t.Helper()
	cmd := exec.CommandContext(p.t.Context(), lab.program, append(args, "--root", lab.root)...)
	// The compiler's cache stays where it is: it has what the checkout is built of.
	cmd.Env = append(append(os.Environ(), "XDG_CACHE_HOME="+p.cache, "CCACHE_DIR="+ccacheDir()), p.env...)
	cmd.Dir = p.dir
	var out, errOut strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err = cmd.Run()
	return out.String(), errOut.String(), err
}

func (p project) must(args ...string) (stdout string) {
	p.t.Helper()
	stdout, stderr, err := p.run(args...)
	require.NoError(p.t, err, stderr)
	return stdout
}

func ccacheDir() string {
	if dir := os.Getenv("CCACHE_DIR"); dir != "" {
		return dir
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "ccache")
}

func (p project) change(file, from, to string) {
	p.t.Helper()
	path := filepath.Join(p.dir, file)
	text, err := os.ReadFile(path)
	require.NoError(p.t, err)
	require.Contains(p.t, string(text), from)
	require.NoError(p.t, os.WriteFile(path, []byte(strings.Replace(string(text), from, to, 1)), 0o644))
}

// TestMechanismsOfOnesOwn: a project outside the checkout has a mechanism of
// every kind. They are listed, described, tested and run, on both engines with
// the same tables. A change of one makes its own runs anew and no others.
func TestMechanismsOfOnesOwn(t *testing.T) {
	t.Parallel()
	p := project{t: t, dir: t.TempDir(), cache: t.TempDir()}
	git := exec.CommandContext(t.Context(), "git", "-C", lab.root, "status", "--porcelain")
	before, err := git.Output()
	require.NoError(t, err)

	var presets []string
	for _, kind := range first.Kinds() {
		p.must("new", "mechanism", "my_"+kind, "--kind", kind, "--dir", "mine")
		presets = append(presets, "my_"+kind)
	}
	p.must("new", "mechanism", "my_telemetry", "--int", "--dir", "mine")
	presets = append(presets, "my_telemetry")
	require.NoError(t, os.WriteFile(filepath.Join(p.dir, "fabriclab.yaml"), []byte("mechanism_path: [mine]\n"), 0o644))
	p.must("new", "experiment", "first", "--preset", strings.Join(append(presets, "hpcc"), ","))

	p.must("build")
	assert.Contains(t, p.must("list", "mechanisms"), "my_queue")
	assert.Contains(t, p.must("list", "presets"), "my_queue")
	assert.Contains(t, p.must("describe", "my_queue"), "my_queue.limit")
	assert.Contains(t, p.must("validate", "first"), "valid")
	_, stderr, err := p.run("validate", "first", "--set", "preset=my_quue")
	require.Error(t, err)
	assert.Contains(t, stderr, `did you mean "my_queue"`)
	_, stderr, err = p.run("test")
	require.Error(t, err)
	assert.Contains(t, stderr, "my_queue.md is out of date; write it anew with: fabriclab test --update")
	p.must("test", "--update")
	assert.Contains(t, p.must("test"), "[  PASSED  ] 10 tests.")

	run := []string{"run", "first", "--engine", strings.Join(engines(t), ",")}
	p.must(run...)
	dirs, err := store.Runs(filepath.Join(p.dir, "results"))
	require.NoError(t, err)
	require.Len(t, dirs, 11*len(engines(t)))
	for i := 0; i < len(dirs); i += len(engines(t)) {
		differences, err := parity.Compare(dirs[i], dirs[i+len(engines(t))-1])
		require.NoError(t, err)
		assert.Empty(t, differences, dirs[i])
	}

	p.must("figure", "first")
	assert.FileExists(t, filepath.Join(p.dir, "results", "figures", "first", "queue.svg"))

	p.change("mine/my_queue/my_queue.cc", "backlog + packet", "2 * backlog + packet")
	begin := time.Now()
	out := p.must(run...)
	t.Logf("one changed file compiled, linked and run in %.1f s", time.Since(begin).Seconds())
	assert.Less(t, time.Since(begin), 2*time.Minute, "10 s on an idle machine")
	assert.Equal(t, len(engines(t)), strings.Count(out, " done "), out)
	for _, line := range strings.Split(strings.TrimSpace(out), "\n") {
		if strings.Contains(line, "preset=my_queue ") {
			assert.Contains(t, line, " done ")
		} else if strings.Contains(line, "preset=") && strings.Contains(line, "results") {
			assert.Contains(t, line, " valid ")
		}
	}
	p.change("mine/my_queue/my_queue_test.cc", "100000", "200000")
	out = p.must(run...)
	assert.Equal(t, 11*len(engines(t)), strings.Count(out, " valid "), out)

	p.change("mine/my_queue/my_queue.cc", "FABRIC_REGISTER", "a mistake")
	_, stderr, err = p.run(run...)
	require.Error(t, err)
	assert.Contains(t, stderr, filepath.Join(p.dir, "mine", "my_queue", "my_queue.cc")+":")
	assert.Contains(t, stderr, "error:")

	after, err := exec.CommandContext(t.Context(), "git", "-C", lab.root, "status", "--porcelain").Output()
	require.NoError(t, err)
	assert.Equal(t, string(before), string(after), "the checkout is as it was")
}
