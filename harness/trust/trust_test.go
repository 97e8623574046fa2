package trust_test

import (
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/harness/trust"
)

// settings is a file in a folder of its own, with an empty list of what is
// trusted.
func settings(t *testing.T) string {
	t.Helper()
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	path := filepath.Join(dir, "sub", "fabriclab.yaml")
	require.NoError(t, os.Mkdir(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte("jobs: 1\n"), 0o644))
	return path
}

func TestOnesOwnIsTrusted(t *testing.T) {
	path := settings(t)
	require.NoError(t, trust.Check(path))
	require.NoError(t, os.Chmod(filepath.Dir(path), 0o775), "a group that works together")
	require.NoError(t, trust.Check(path))
	require.ErrorIs(t, trust.Check(filepath.Join(filepath.Dir(path), "absent")), os.ErrNotExist)
}

func TestWhereEverybodyMayWrite(t *testing.T) {
	for what, wide := range map[string]func(path string) string{
		"its folder can be written by everybody": filepath.Dir,
		"it can be written by everybody":         func(path string) string { return path },
	} {
		path := settings(t)
		require.NoError(t, os.Chmod(wide(path), 0o777))
		dir := filepath.Dir(path)
		require.EqualError(t, trust.Check(path), path+": "+what+", and it decides which programs are compiled and run; if you trust everybody who may write there: fabriclab trust "+dir)

		above := filepath.Dir(dir)
		_, err := trust.Add(above)
		require.NoError(t, err)
		require.NoError(t, trust.Check(path), "trusted with all below it")
		_, err = trust.Add(above)
		require.NoError(t, err)
		list, err := trust.List()
		require.NoError(t, err)
		assert.Equal(t, []string{above}, list)

		_, err = trust.Remove(dir)
		require.ErrorContains(t, err, "not among the trusted folders")
		_, err = trust.Remove(above)
		require.NoError(t, err)
		require.Error(t, trust.Check(path))
	}
}

func TestOfAnotherOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file to another user")
	}
	const other = 54321
	for _, of := range []func(path string) string{filepath.Dir, func(path string) string { return path }} {
		path := settings(t)
		t.Setenv("SUDO_UID", "")
		require.NoError(t, os.Chown(of(path), other, -1))
		require.ErrorContains(t, trust.Check(path), "belongs to user 54321, and it decides which programs")
		t.Setenv("SUDO_UID", "54321")
		require.NoError(t, trust.Check(path), "with sudo one remains who one was")
	}
	path := settings(t)
	t.Setenv("SUDO_UID", "")
	link := filepath.Join(t.TempDir(), "fabriclab.yaml")
	require.NoError(t, os.Symlink(path, link))
	require.NoError(t, trust.Check(link))
	require.NoError(t, os.Chown(path, other, -1))
	require.Error(t, trust.Check(link), "a link to somebody else's")
}

func TestOnlyFoldersAreTrusted(t *testing.T) {
	path := settings(t)
	_, err := trust.Add(path)
	require.ErrorContains(t, err, "is no folder")
	_, err = trust.Add(filepath.Join(path, "absent"))
	require.Error(t, err)
}

// TestFoldersThatAreTrustedAtTheSameTime are all in the list.
func TestFoldersThatAreTrustedAtTheSameTime(t *testing.T) {
	dir := filepath.Dir(settings(t))
	const folders = 16
	var all sync.WaitGroup
	for i := range folders {
		folder := filepath.Join(dir, strconv.Itoa(i))
		require.NoError(t, os.Mkdir(folder, 0o755))
		all.Go(func() {
			_, err := trust.Add(folder)
			assert.NoError(t, err)
		})
	}
	all.Wait()
	list, err := trust.List()
	require.NoError(t, err)
	assert.Len(t, list, folders)
}
