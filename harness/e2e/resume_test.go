package e2e

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/harness/store"
)

const resumeSweep = "testdata/resume.yaml"

// sweep is the command line under test at work.
type sweep struct {
	*exec.Cmd
	out    bytes.Buffer
	ended  chan struct{}
	status error
}

// startSweep starts the sweep in a process group of its own.
func startSweep(t *testing.T, results string, env []string, args ...string) *sweep {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	s := &sweep{ended: make(chan struct{})}
	s.Cmd = exec.CommandContext(ctx, lab.program, append([]string{"--root", lab.root, "--out", results, "--jobs", "2", "run", resumeSweep}, args...)...)
	s.Env = env
	s.Stdout, s.Stderr = &s.out, &s.out
	s.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	require.NoError(t, s.Start())
	go func() {
		s.status = s.Wait()
		close(s.ended)
	}()
	return s
}

func (s *sweep) over() bool {
	select {
	case <-s.ended:
		return true
	default:
		return false
	}
}

// waitFor waits for what the sweep brings about, or for its end.
func (s *sweep) waitFor(condition func() bool) {
	for !s.over() && !condition() {
		time.Sleep(5 * time.Millisecond)
	}
}

// simulators are the processes that a process has started.
func simulators(t *testing.T, parent int) []int {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	require.NoError(t, err)
	var pids []int
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		_, rest, _ := strings.Cut(string(text), ") ")
		fields := strings.Fields(rest)
		if len(fields) > 1 && fields[0] != "Z" && fields[1] == strconv.Itoa(parent) {
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			require.NoError(t, err)
			pids = append(pids, pid)
		}
	}
	return pids
}

// gone says whether a process has ended (its parent may not have noticed).
func gone(pid int) bool {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || strings.Contains(string(text), ") Z ")
}

// tablesOf are the files of a sweep that have to be the same each time, by path.
func tablesOf(t *testing.T, results string) map[string]string {
	t.Helper()
	dirs, err := store.Runs(results)
	require.NoError(t, err)
	files := map[string]string{}
	for _, dir := range dirs {
		rel, err := filepath.Rel(results, dir)
		require.NoError(t, err)
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		for _, e := range entries {
			switch e.Name() {
			case store.ManifestFile, "summary.json", "log.txt": // they say how long it took
				continue
			}
			text, err := os.ReadFile(filepath.Join(dir, e.Name()))
			require.NoError(t, err)
			files[filepath.Join(rel, e.Name())] = string(text)
		}
	}
	collected := filepath.Join(t.TempDir(), "sweep.parquet")
	_, stderr, err := fabriclab(t, nil, "collect", results, "--out", results, "-o", collected, "--deterministic")
	require.NoError(t, err, stderr)
	text, err := os.ReadFile(collected)
	require.NoError(t, err)
	files["collected"] = string(text)
	return files
}

// manifests are those of the complete runs, by directory.
func manifests(t *testing.T, results string) map[string]string {
	t.Helper()
	found := map[string]string{}
	if _, err := os.Stat(results); err != nil {
		return found
	}
	dirs, err := store.Runs(results)
	require.NoError(t, err)
	for _, dir := range dirs {
		text, err := os.ReadFile(filepath.Join(dir, store.ManifestFile))
		require.NoError(t, err)
		found[dir] = string(text)
	}
	return found
}

func requireSame(t *testing.T, want, got map[string]string, because string) {
	t.Helper()
	require.Len(t, got, len(want), because)
	for name, text := range want {
		// No assertion on both: nobody wants to see the difference of two tables' bytes.
		if got[name] != text {
			require.Fail(t, name+" differs "+because)
		}
	}
}

func requireTidy(t *testing.T, results string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(results, func(path string, d os.DirEntry, err error) error {
		assert.False(t, strings.HasPrefix(d.Name(), ".") || strings.HasSuffix(d.Name(), ".failed"), "left behind: %s", path)
		return err
	}))
}

// TestKilledSweepGoesOn kills the harness, or a simulation, with SIGKILL at
// random moments, runs the same command again until it comes to its end, and
// compares the tables with those of a sweep that nobody disturbed.
// FABRICLAB_TEST_SEED repeats the moments of an earlier run.
func TestKilledSweepGoesOn(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	if text := os.Getenv("FABRICLAB_TEST_SEED"); text != "" {
		var err error
		seed, err = strconv.ParseUint(text, 10, 64)
		require.NoError(t, err)
	}
	t.Logf("moments of FABRICLAB_TEST_SEED=%d", seed)
	random := rand.New(rand.NewPCG(seed, 0))

	undisturbed := filepath.Join(t.TempDir(), "results")
	begin := time.Now()
	whole := startSweep(t, undisturbed, nil, "--seed", "1")
	<-whole.ended
	require.NoError(t, whole.status, whole.out.String())
	length := time.Since(begin)
	want := tablesOf(t, undisturbed)
	runs := len(manifests(t, undisturbed))

	kills := times(21, 70)
	kept, atWork := 0, 0
	for done := 0; done < kills; {
		results := filepath.Join(t.TempDir(), "results")
		for ; ; done++ {
			before := manifests(t, results)
			s := startSweep(t, results, nil, "--seed", "1")
			// Somewhere in what is left of the sweep, a moment after a simulation
			// has begun, or a moment after one has ended: however slow the machine
			// has become, there is something to disturb and something to keep.
			begun := func() bool { return len(simulators(t, s.Process.Pid)) > 0 }
			ended := func() bool {
				whole, _ := filepath.Glob(filepath.Join(results, "resume-*", "*", "[^.]*", store.ManifestFile))
				return len(whole) > len(before)
			}
			moment := length / time.Duration(2*runs)
			switch random.IntN(3) {
			case 0:
				moment = length * time.Duration(runs+1-len(before)) / time.Duration(runs+1)
			case 1:
				s.waitFor(begun)
			case 2:
				s.waitFor(ended)
			}
			select {
			case <-s.ended:
			case <-time.After(time.Duration(random.Int64N(int64(moment)))):
			}
			children := simulators(t, s.Process.Pid)
			if len(children) > 0 {
				atWork++
			}
			killHarness := done%3 != 2
			switch {
			case s.over() || done >= kills:
			// Either may have ended by itself just now.
			case killHarness:
				_ = syscall.Kill(-s.Process.Pid, syscall.SIGKILL)
			case len(children) > 0:
				_ = syscall.Kill(-children[random.IntN(len(children))], syscall.SIGKILL)
			}
			<-s.ended
			for _, child := range children {
				require.Eventually(t, func() bool { return gone(child) }, patience, 10*time.Millisecond, "a simulation outlives the harness")
			}
			after := manifests(t, results)
			for dir, text := range before {
				require.Equal(t, text, after[dir], "a finished run is kept")
				kept++
			}
			if s.status == nil {
				break
			}
		}
		requireSame(t, want, tablesOf(t, results), "after having been killed")
		requireTidy(t, results)
	}
	assert.Positive(t, kept, "no finished run was there at any kill")
	assert.Greater(t, atWork, kills/4, "at most kills there was no simulation to disturb")
	t.Logf("%d kills, %d of them with simulations at work; finished runs were found and kept %d times", kills, atWork, kept)
}

// TestDamageAsAfterAPowerFailure does to a sweep what a disk may do to it that
// lost its power, and runs it again.
func TestDamageAsAfterAPowerFailure(t *testing.T) {
	t.Parallel()
	results := filepath.Join(t.TempDir(), "results")
	s := startSweep(t, results, nil)
	<-s.ended
	require.NoError(t, s.status, s.out.String())
	want := tablesOf(t, results)
	dirs, err := store.Runs(results)
	require.NoError(t, err)
	require.Len(t, dirs, 8)
	file := func(i int, name string) string { return filepath.Join(dirs[i], name) }

	require.NoError(t, os.Remove(file(0, store.ManifestFile)))
	require.NoError(t, os.Truncate(file(1, "queues.parquet"), 100))
	info, err := os.Stat(file(2, "flows.parquet"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file(2, "flows.parquet"), make([]byte, info.Size()), 0o644), "the size is right, the content is not")
	require.NoError(t, os.WriteFile(file(3, store.ManifestFile), nil, 0o644))
	require.NoError(t, os.Remove(file(4, "flows.bin")))
	manifest, err := os.ReadFile(file(5, store.ManifestFile))
	require.NoError(t, err)
	// What is left of a run in the making, and of one that was being replaced.
	work := filepath.Join(filepath.Dir(dirs[6]), "."+filepath.Base(dirs[6])+".work")
	require.NoError(t, os.Rename(dirs[6], work))
	require.NoError(t, os.WriteFile(filepath.Join(work, "."+store.ManifestFile+"12345"), manifest[:50], 0o644))
	require.NoError(t, os.WriteFile(strings.TrimSuffix(work, ".work")+".lock", nil, 0o644))
	untouched := manifests(t, dirs[7])

	s = startSweep(t, results, nil)
	<-s.ended
	require.NoError(t, s.status, s.out.String())
	assert.Equal(t, 2, strings.Count(s.out.String(), "valid result found"), s.out.String())
	assert.Equal(t, 4, strings.Count(s.out.String(), "is damaged and made again"), s.out.String())
	requireSame(t, want, tablesOf(t, results), "after damage")
	requireTidy(t, results)
	assert.Equal(t, untouched, manifests(t, dirs[7]))
}
