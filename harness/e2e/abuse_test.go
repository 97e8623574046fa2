package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
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

const smallFigure = "testdata/abuse.yaml"

// times is how often an attack is repeated: a few times in each `go test`, many
// times in `make abuse`, which sets FABRICLAB_TEST_ABUSE.
func times(few, many int) int {
	if os.Getenv("FABRICLAB_TEST_ABUSE") != "" {
		return many
	}
	return few
}

// chance is a source of random numbers; FABRICLAB_TEST_SEED repeats those of an
// earlier run.
func chance(t *testing.T) *rand.Rand {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	if text := os.Getenv("FABRICLAB_TEST_SEED"); text != "" {
		var err error
		seed, err = strconv.ParseUint(text, 10, 64)
		require.NoError(t, err)
	}
	t.Logf("FABRICLAB_TEST_SEED=%d repeats this", seed)
	return rand.New(rand.NewPCG(seed, 1))
}

// filesBelow are all files of a folder by path.
func filesBelow(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		files[rel] = string(text)
		return err
	})
	require.NoError(t, err)
	return files
}

// small are the results of the small figure: results, the figure's files, the
// sweep's table.
type small struct {
	results string
	figure  map[string]string
	table   string
}

func makeSmall(t *testing.T) small {
	t.Helper()
	s := small{results: filepath.Join(t.TempDir(), "results")}
	_, stderr, err := fabriclab(t, nil, "figure", smallFigure, "--out", s.results)
	require.NoError(t, err, stderr)
	s.figure = filesBelow(t, filepath.Join(s.results, "figures"))
	require.Greater(t, len(s.figure), 4)
	s.table, stderr, err = fabriclab(t, nil, "collect", smallFigure, "--out", s.results, "--deterministic")
	require.NoError(t, err, stderr)
	return s
}

// requireGood makes the figure again, as whoever finds something amiss would,
// and compares all that comes out.
func (s small) requireGood(t *testing.T, results, because string) {
	t.Helper()
	_, stderr, err := fabriclab(t, nil, "figure", smallFigure, "--out", results)
	require.NoError(t, err, "%s: %s", because, stderr)
	requireSame(t, s.figure, filesBelow(t, filepath.Join(results, "figures")), because)
	table, stderr, err := fabriclab(t, nil, "collect", smallFigure, "--out", results, "--deterministic")
	require.NoError(t, err, stderr)
	require.Equal(t, s.table, table, because)
	requireTidy(t, results)
}

// TestDamagedResultsAreNoticed damages a file of the results in some way and
// sees to it that no command takes it for what it was: what it prints is right,
// or it says that something is wrong.
func TestDamagedResultsAreNoticed(t *testing.T) {
	t.Parallel()
	random := chance(t)
	good := makeSmall(t)
	page := filepath.Join(t.TempDir(), "page.html")
	report := func(results string) (string, string, error) {
		_, stderr, err := fabriclab(t, nil, "report", "--out", results, "-o", page)
		text, _ := os.ReadFile(page)
		return strings.ReplaceAll(string(text), results, "RESULTS"), stderr, err
	}
	// Elsewhere the links on the page differ, so it is looked at where it is.
	results := filepath.Join(t.TempDir(), "results")
	require.NoError(t, os.CopyFS(results, os.DirFS(good.results)))
	want, stderr, err := report(results)
	require.NoError(t, err, stderr)
	var paths []string
	require.NoError(t, filepath.WalkDir(good.results, func(path string, d fs.DirEntry, err error) error {
		if rel, _ := filepath.Rel(good.results, path); err == nil && !d.IsDir() {
			paths = append(paths, rel)
		}
		return err
	}))
	for n := range times(10, 340) {
		require.NoError(t, os.RemoveAll(results))
		require.NoError(t, os.CopyFS(results, os.DirFS(good.results)))
		victim := paths[random.IntN(len(paths))]
		what := damage(t, random, results, victim, paths)
		because := fmt.Sprintf("round %d: %s %s", n, victim, what)

		table, stderr, err := fabriclab(t, nil, "collect", smallFigure, "--out", results, "--deterministic")
		if err == nil {
			require.Equal(t, good.table, table, "%s: %s", because, stderr)
		}
		got, stderr, err := report(results)
		if err == nil && got != want {
			told := strings.Contains(stderr, "warning") || strings.Contains(got, "no result") || strings.Contains(got, "corrupt run")
			require.True(t, told, "%s: the report differs and does not say so: %s", because, stderr)
		}
		good.requireGood(t, results, because)
	}
}

// damage does something to a file and says what.
func damage(t *testing.T, random *rand.Rand, results, victim string, paths []string) string {
	t.Helper()
	path := filepath.Join(results, victim)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	write := func(text []byte) { require.NoError(t, os.WriteFile(path, text, 0o644)) }
	at := 0
	if len(text) > 0 {
		at = random.IntN(len(text))
	}
	switch random.IntN(9) {
	case 0, 1, 2:
		if len(text) > 0 {
			text[at] ^= 1 << random.IntN(8)
		}
		write(text)
		return fmt.Sprintf("with a bit changed in byte %d", at)
	case 3:
		write(text[:at])
		return "cut short"
	case 4:
		write(append(text, "more"...))
		return "grown"
	case 5:
		write(make([]byte, len(text)))
		return "zeroed"
	case 6:
		require.NoError(t, os.Remove(path))
		return "removed"
	case 7:
		require.NoError(t, os.Remove(path))
		require.NoError(t, syscall.Mkfifo(path, 0o644))
		return "replaced by a named pipe"
	}
	other := filepath.Join(results, paths[random.IntN(len(paths))])
	theirs, err := os.ReadFile(other)
	require.NoError(t, err)
	write(theirs)
	return "replaced by " + other
}

// TestKilledAtASystemCall kills fabriclab at the n-th call of each kind that
// changes files, while it replaces results and figure, for each n. Whatever is
// there afterwards is whole, and the next call comes to the same bytes.
func TestKilledAtASystemCall(t *testing.T) {
	t.Parallel()
	if out, err := exec.CommandContext(t.Context(), "strace", "-qq", "-o", "/dev/null", "true").CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: strace cannot be used: %v %s", err, out)
	}
	good := makeSmall(t)
	results := filepath.Join(t.TempDir(), "results")
	require.NoError(t, os.CopyFS(results, os.DirFS(good.results)))
	kills := 0
	for _, call := range []string{"renameat2", "renameat", "rename", "unlinkat", "mkdirat", "fsync", "flock", "ftruncate", "fchmod", "write"} {
		for n := 1; n <= times(2, 200); n++ {
			if killed := killAt(t, call, n, results); !killed {
				break
			}
			kills++
			because := fmt.Sprintf("killed at %s %d", call, n)
			requireSame(t, good.figure, figureThere(t, results), because)
			dirs, err := store.Runs(results)
			require.NoError(t, err)
			require.Len(t, dirs, 2, because)
			good.requireGood(t, results, because)
		}
	}
	t.Logf("%d kills", kills)
	require.Greater(t, kills, 5)
}

// figureThere are the figure's files in their place.
func figureThere(t *testing.T, results string) map[string]string {
	t.Helper()
	files := filesBelow(t, filepath.Join(results, "figures"))
	for name := range files {
		if strings.HasPrefix(name, ".") {
			delete(files, name)
		}
	}
	return files
}

// killAt makes the figure again and kills fabriclab at a system call; it says
// whether it was called so often.
func killAt(t *testing.T, call string, n int, results string) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace="+call, "-e", fmt.Sprintf("inject=%s:signal=SIGKILL:when=%d", call, n),
		lab.program, "--root", lab.root, "--out", results, "--jobs", "1", "figure", smallFigure, "--again")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if err == nil {
		return false
	}
	require.NotErrorIs(t, ctx.Err(), context.DeadlineExceeded, out.String())
	return true
}

// TestFullDisks runs out of space at every size of the disk; with more space
// the same command comes to the same bytes.
func TestFullDisks(t *testing.T) {
	t.Parallel()
	good := makeSmall(t)
	full := 0
	for i := range times(3, 31) {
		mount := t.TempDir()
		size := (16 << 10) * (1 + i*(31/times(3, 31)))
		if err := syscall.Mount("none", mount, "tmpfs", 0, fmt.Sprintf("size=%d", size)); err != nil {
			t.Skipf("SKIPPED: a small file system cannot be mounted: %v", err)
		}
		results := filepath.Join(mount, "results")
		_, stderr, err := fabriclab(t, nil, "figure", smallFigure, "--out", results)
		if err != nil {
			full++
			assert.Contains(t, stderr, "no space left on device")
		}
		require.NoError(t, syscall.Mount("none", mount, "tmpfs", syscall.MS_REMOUNT, "size=64m"))
		good.requireGood(t, results, fmt.Sprintf("after %d bytes were too few", size))
		require.NoError(t, syscall.Unmount(mount, 0))
	}
	require.Positive(t, full)
}
