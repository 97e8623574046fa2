package file

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func put(t *testing.T, text string, path ...string) {
	t.Helper()
	p := filepath.Join(path...)
	require.NoError(t, os.MkdirAll(filepath.Dir(p), 0o755))
	require.NoError(t, os.WriteFile(p, []byte(text), 0o644))
}

func get(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	require.NoError(t, err)
	return string(text)
}

func TestWhatAKilledWriterLeftIsUsedUp(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", t.TempDir())
	put(t, "half of something long", dir, ".a.new")
	p, err := Create(filepath.Join(dir, "a"), 0o644)
	require.NoError(t, err)
	assert.Equal(t, []string{".a.new"}, names(t, dir), "beside its place")
	assert.Empty(t, names(t, os.TempDir()))
	_, err = p.WriteString("new")
	require.NoError(t, err)
	require.NoError(t, p.Commit())
	require.NoError(t, p.Discard())
	assert.Equal(t, []string{"a"}, names(t, dir))
	assert.Equal(t, "new", get(t, dir, "a"))

	p, err = Create(filepath.Join(dir, "a"), 0o644)
	require.NoError(t, err)
	require.NoError(t, p.Discard())
	assert.Equal(t, []string{"a"}, names(t, dir))
}

func TestWritersOfOneFileTakeTurns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			writeErr := Write(path, make([]byte, 1000+i), 0o600)
			text, readErr := os.ReadFile(path)
			assert.True(t, writeErr == nil && readErr == nil && len(text) >= 1000, "%v %v %d", writeErr, readErr, len(text))
		})
	}
	all.Wait()
	assert.Equal(t, []string{"a"}, names(t, filepath.Dir(path)))
}

func TestADeviceIsNotReplaced(t *testing.T) {
	require.ErrorContains(t, Write("/dev/null", nil, 0o644), "is a device; name a file that may be replaced")
}

func TestAFolderThatIsNotThereIsNamed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	err := Write(filepath.Join(dir, "sweep.csv"), nil, 0o644)
	require.EqualError(t, err, dir+"/sweep.csv: there is no folder "+dir+"; make it first: mkdir -p "+dir)
}

// withoutExchange is a file system that cannot exchange two names.
func withoutExchange(t *testing.T) {
	t.Helper()
	through := exchange
	exchange = func(string, string) error { return unix.EINVAL }
	t.Cleanup(func() { exchange = through })
}

func TestReplaceFolder(t *testing.T) {
	for name, prepare := range map[string]func(*testing.T){"exchange": func(*testing.T) {}, "two renames": withoutExchange} {
		t.Run(name, func(t *testing.T) {
			prepare(t)
			parent := t.TempDir()
			dir := filepath.Join(parent, "deep", "figure")
			for _, text := range []string{"first", "second"} {
				require.NoError(t, ReplaceFolder(dir, func(fresh string) error {
					put(t, text, fresh, "claims")
					return nil
				}))
				assert.Equal(t, text, get(t, dir, "claims"))
			}
			failure := errors.New("no")
			require.ErrorIs(t, ReplaceFolder(dir, func(fresh string) error {
				put(t, "half", fresh, "claims")
				return failure
			}), failure)
			assert.Equal(t, "second", get(t, dir, "claims"), "what failed replaces nothing")
			assert.Equal(t, []string{"figure"}, names(t, filepath.Dir(dir)), "nothing is left")
		})
	}
}

// TestReplacedFolderIsAlwaysThere: whoever looks sees the old one or the new.
func TestReplacedFolderIsAlwaysThere(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "figure")
	fill := func(fresh string) error { return os.WriteFile(filepath.Join(fresh, "x"), nil, 0o644) }
	require.NoError(t, ReplaceFolder(dir, fill))
	stop := make(chan struct{})
	var looking sync.WaitGroup
	looking.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				_, err := os.Stat(dir)
				if !assert.NoError(t, err) {
					return
				}
			}
		}
	})
	for range 50 {
		require.NoError(t, ReplaceFolder(dir, fill))
	}
	close(stop)
	looking.Wait()
}

// TestReplaceFolderAfterAKill: whatever a killed one has left, the folder is
// there again, and nothing else.
func TestReplaceFolderAfterAKill(t *testing.T) {
	for name, left := range map[string]func(parent string){
		"while filling":       func(p string) { put(t, "half", p, ".figure.new", "x"); put(t, "old", p, "figure", "x") },
		"after the exchange":  func(p string) { put(t, "older", p, ".figure.new", "x"); put(t, "old", p, "figure", "x") },
		"between two renames": func(p string) { put(t, "new", p, ".figure.new", "x"); put(t, "old", p, ".figure.old", "x") },
		"after two renames":   func(p string) { put(t, "older", p, ".figure.old", "x"); put(t, "old", p, "figure", "x") },
	} {
		t.Run(name, func(t *testing.T) {
			parent := t.TempDir()
			left(parent)
			put(t, "", parent, ".figure.lock")
			failure := errors.New("this one fails, so that the old one shows")
			dir := filepath.Join(parent, "figure")
			require.ErrorIs(t, ReplaceFolder(dir, func(string) error { return failure }), failure)
			assert.Equal(t, "old", get(t, dir, "x"))
			assert.Equal(t, []string{"figure"}, names(t, parent))
		})
	}
}

func TestTheUmaskDecides(t *testing.T) {
	defer unix.Umask(unix.Umask(0o027))
	dir := t.TempDir()
	put(t, "left by a killed writer", dir, ".a.new")
	require.NoError(t, os.Chmod(filepath.Join(dir, ".a.new"), 0o777))
	require.NoError(t, Write(filepath.Join(dir, "a"), []byte("x"), 0o666))
	require.NoError(t, ReplaceFolder(filepath.Join(dir, "b"), func(fresh string) error {
		return Write(filepath.Join(fresh, "c"), nil, 0o777)
	}))
	for name, want := range map[string]os.FileMode{"a": 0o640, "b": 0o750, "b/c": 0o750} {
		info, err := os.Stat(filepath.Join(dir, name))
		require.NoError(t, err)
		assert.Equal(t, want, info.Mode().Perm(), name)
	}
}

// TestWhatIsLeftIsOpenedToWrite: NFS takes a lock of such a file only. Of
// another user's it is enough to read it.
func TestWhatIsLeftIsOpenedToWrite(t *testing.T) {
	dir := t.TempDir()
	put(t, "left", dir, "a")
	access := func() int {
		f, err := openLeft(filepath.Join(dir, "a"))
		require.NoError(t, err)
		defer f.Close()
		flags, err := unix.FcntlInt(f.Fd(), unix.F_GETFL, 0)
		require.NoError(t, err)
		return flags & unix.O_ACCMODE
	}
	assert.Equal(t, unix.O_RDWR, access())
	if os.Geteuid() == 0 {
		t.Skip("root may write every file")
	}
	require.NoError(t, os.Chmod(filepath.Join(dir, "a"), 0o444))
	assert.Equal(t, unix.O_RDONLY, access())
}
