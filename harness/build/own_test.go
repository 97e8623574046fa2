package build

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/harness/engine"
)

func TestOwnFolders(t *testing.T) {
	root, dir := checkout(t), t.TempDir()
	put(t, root, "mechanisms/queue/fifo.cc", "")
	put(t, dir, "one/one.cc", "")
	put(t, dir, "one/one.md", "")
	put(t, dir, "many/a/a.cc", "")
	put(t, dir, "many/b/b.cc", "")
	put(t, dir, "many/notes/x.md", "")
	put(t, dir, "many/.git/x.cc", "")
	own, err := OwnFolders(root, []string{filepath.Join(dir, "one"), filepath.Join(dir, "many"), filepath.Join(dir, "many", "a")})
	require.NoError(t, err)
	var names []string
	for _, o := range own {
		names = append(names, o.Name)
	}
	assert.Equal(t, []string{"one", "a", "b"}, names)
	assert.Len(t, own[0].Files(".md"), 1)

	put(t, dir, "other/a/a.cc", "")
	put(t, dir, "builtin/queue/x.cc", "")
	put(t, dir, "tests/x_test.cc", "")
	put(t, dir, "a file", "")
	for _, c := range []struct{ path, want string }{
		{"nowhere", "there is no folder " + dir + "/nowhere; correct it, or fabriclab new mechanism NAME --kind KIND --dir " + dir + "/nowhere"},
		{"many/notes", "holds no mechanism, which is a .cc file"},
		{"tests", "holds no mechanism"},
		{"a file", "name a folder with mechanisms"},
		{"many:other", "many/a and " + dir + "/other/a have the same name; rename one of them"},
		{"builtin", "has the name of a folder of fabriclab, mechanisms/queue; rename it"},
	} {
		var path []string
		for _, name := range strings.Split(c.path, ":") {
			path = append(path, filepath.Join(dir, name))
		}
		_, err := OwnFolders(root, path)
		require.ErrorContains(t, err, c.want)
	}
}

// TestOwnMechanismsAreBuiltApart: what was built with them is elsewhere, and
// the checkout has nothing new.
func TestOwnMechanismsAreBuiltApart(t *testing.T) {
	root, dir := checkout(t), t.TempDir()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	put(t, dir, "mine/mine.cc", `Describe<A>("a", 1)`)
	own, err := OwnFolders(root, []string{dir})
	require.NoError(t, err)
	with := func() *Builder {
		b, err := New(root, Release, io.Discard).With(own)
		require.NoError(t, err)
		return b
	}
	ctx := context.Background()
	plain, err := New(root, Release, io.Discard).Program(ctx, fake{})
	require.NoError(t, err)
	require.NoError(t, os.RemoveAll(filepath.Join(root, "build")))

	first, err := with().Program(ctx, fake{})
	require.NoError(t, err)
	assert.NoDirExists(t, filepath.Join(root, "build"))
	assert.NotEqual(t, plain.BuildID, first.BuildID)
	assert.Equal(t, root, with().Root())
	put(t, dir, "mine/mine.cc", `Describe<A>("a", 2)`)
	second, err := with().Program(ctx, fake{})
	require.NoError(t, err)
	assert.NotEqual(t, first.For([]string{"a"}).BuildID, second.For([]string{"a"}).BuildID)
	described, err := with().Described()
	require.NoError(t, err)
	assert.Equal(t, "mine", described["a"])

	// A new part of the checkout is there, too; what has gone is gone.
	put(t, root, "mechanisms/new/new.cc", `Describe<N>("new", 1)`)
	described, err = with().Described()
	require.NoError(t, err)
	assert.Equal(t, "new", described["new"])
	require.NoError(t, os.RemoveAll(filepath.Join(root, "mechanisms/new")))
	described, err = with().Described()
	require.NoError(t, err)
	assert.NotContains(t, described, "new")

	assert.Equal(t, dir+"/mine/mine.cc:1:2: error: x\nIn file included from ../../mechanisms/queue/fifo.cc:\n"+dir+"/mine/mine.h:3: y",
		with().byTheirPaths("../../mechanisms/mine/mine.cc:1:2: error: x\nIn file included from ../../mechanisms/queue/fifo.cc:\n"+with().root+"/mechanisms/mine/mine.h:3: y"))

	// What fabriclab's own parts are does not depend on where they are built, so
	// results without one's own mechanisms stay.
	put(t, root, "fake-modules/near.h", "int near;")
	put(t, root, "fake-modules/near.cc", `#include "near.h"`)
	here, err := readSources(root, fake{}.Sources())
	require.NoError(t, err)
	there, err := readSources(with().root, fake{}.Sources())
	require.NoError(t, err)
	assert.Equal(t, here.Hash[engine.Base], there.Hash[engine.Base])

	put(t, dir, "mine/twin.cc", `Describe<A>("a", 1)`)
	put(t, root, "mechanisms/old/old.cc", `Describe<A>("a", 1)`)
	_, err = with().Program(ctx, fake{})
	require.ErrorContains(t, err, `there are several mechanisms "a": mine and old describe one each`)
}
