package build

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/harness/engine"
)

// fake is an engine whose simulator is always there.
type fake struct {
	cmake     []string
	path      string
	libraries []string
}

func (fake) Name() string      { return "fake" }
func (fake) Title() string     { return "Fake" }
func (fake) Binary() string    { return "fabric-fake" }
func (fake) Kernels() []string { return nil }
func (fake) Sources() []string { return []string{"fake-modules"} }
func (f fake) Find() (engine.Installation, error) {
	return engine.Installation{Path: f.path, Version: "1", Libraries: f.libraries, CMake: f.cmake, Env: []string{"FAKE_ROOT=here"}}, nil
}

const cmakeLists = `cmake_minimum_required(VERSION 3.20)
project(fake NONE)
set(BIN ${CMAKE_BINARY_DIR}/bin)
add_custom_command(OUTPUT ${BIN}/fabric-fake DEPENDS ${CMAKE_SOURCE_DIR}/fake-modules/runner.in
  COMMAND cp ${CMAKE_SOURCE_DIR}/fake-modules/runner.in ${BIN}/fabric-fake COMMAND chmod +x ${BIN}/fabric-fake
  COMMAND echo x >> ${CMAKE_BINARY_DIR}/built)
add_custom_target(fabric-fake DEPENDS ${BIN}/fabric-fake)
add_custom_target(fabric-describe COMMAND cp ${CMAKE_SOURCE_DIR}/mechanisms/describe.in ${BIN}/fabric-describe COMMAND chmod +x ${BIN}/fabric-describe)
file(MAKE_DIRECTORY ${BIN})
`

const runner = `#!/bin/sh
[ "$FAKE_ROOT" = here ] || exit 9
echo '{"engine":"fake","engine_version":"1","compiler":"cc","build_type":"Release","flags":"-O3"}'
`

func put(t *testing.T, root, name, text string) {
	t.Helper()
	path := filepath.Join(root, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}

func checkout(t *testing.T) string {
	t.Helper()
	for _, tool := range []string{"cmake", "ninja"} {
		_, err := exec.LookPath(tool)
		require.NoError(t, err, "make deps installs it")
	}
	root := t.TempDir()
	put(t, root, "go.mod", "module fabriclab\n\ngo 1.26\n")
	put(t, root, "CMakeLists.txt", cmakeLists)
	put(t, root, "fake-modules/runner.in", runner)
	put(t, root, "mechanisms/hpcc.cc", "int x;")
	put(t, root, "mechanisms/tests/hpcc_test.cc", "int y;")
	return root
}

func timesBuilt(t *testing.T, b *Builder) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(b.Dir(), "built"))
	require.NoError(t, err)
	return strings.Count(string(text), "x")
}

func TestProgramIsBuiltWhenStale(t *testing.T) {
	root := checkout(t)
	b := New(root, Release, io.Discard)
	ctx := context.Background()
	first, err := b.Program(ctx, fake{})
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(root, "build", "release", "bin", "fabric-fake"), first.Path)
	assert.Equal(t, "1", first.Version.EngineVersion)
	assert.Len(t, first.BuildID, 32)

	again, err := b.Program(ctx, fake{})
	require.NoError(t, err)
	assert.Equal(t, first, again)
	assert.Equal(t, 1, timesBuilt(t, b))

	put(t, root, "fake-modules/runner.in", runner+"# changed\n")
	changed, err := b.Program(ctx, fake{})
	require.NoError(t, err)
	assert.Equal(t, 2, timesBuilt(t, b))
	assert.NotEqual(t, first.BuildID, changed.BuildID)

	require.NoError(t, os.Remove(first.Path))
	_, err = b.Program(ctx, fake{})
	require.NoError(t, err)
	assert.Equal(t, 3, timesBuilt(t, b), "a binary that is gone is made again")
}

// TestOtherSimulatorIsAnotherBuild: one at another place, or the same one built
// anew.
func TestOtherSimulatorIsAnotherBuild(t *testing.T) {
	root, ctx := checkout(t), context.Background()
	put(t, root, "one/libcore.so", "core")
	put(t, root, "two/libcore.so", "core, changed")
	at := func(name string) fake {
		dir := filepath.Join(root, name)
		return fake{[]string{"-DFAKE_DIR=" + dir}, dir, []string{filepath.Join(dir, "libcore.so")}}
	}
	b := New(root, Release, io.Discard)
	one, err := b.Program(ctx, at("one"))
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(root, "one"), one.Simulator)
	stamp, err := b.Stamp(fake{})
	require.NoError(t, err)
	assert.Contains(t, stamp, "-DFAKE_DIR="+filepath.Join(root, "one"))

	_, err = b.Present(ctx, at("two"))
	require.ErrorIs(t, err, ErrStale)
	two, err := b.Program(ctx, at("two"))
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(root, "two"), two.Simulator)
	assert.NotEqual(t, one.BuildID, two.BuildID)
	cache, err := os.ReadFile(filepath.Join(b.Dir(), "CMakeCache.txt"))
	require.NoError(t, err)
	assert.Contains(t, string(cache), "FAKE_DIR:UNINITIALIZED="+filepath.Join(root, "two")+"\n")

	put(t, root, "two/libcore.so", "core")
	_, err = b.Present(ctx, at("two"))
	require.ErrorIs(t, err, ErrStale, "its libraries are others")
	two, err = b.Program(ctx, at("two"))
	require.NoError(t, err)
	assert.Equal(t, one.BuildID, two.BuildID, "the same libraries make the same results")
}

func TestCheckoutThatWasCopiedWithItsBuildFolder(t *testing.T) {
	root := checkout(t)
	ctx := context.Background()
	_, err := New(root, Release, io.Discard).Program(ctx, fake{})
	require.NoError(t, err)
	there := filepath.Join(t.TempDir(), "there")
	require.NoError(t, os.CopyFS(there, os.DirFS(root)))

	p, err := New(there, Release, io.Discard).Program(ctx, fake{})
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(there, "build/release/bin/fabric-fake"), p.Path)
	assert.Equal(t, 1, timesBuilt(t, New(root, Release, io.Discard)), "the first folder is left alone")
}

// ownLibrary has the program load one library of the build folder, beside which
// lies another.
const ownLibrary = `cmake_minimum_required(VERSION 3.20)
project(fake C)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
add_library(used SHARED fake-modules/used.c)
add_library(other SHARED fake-modules/other.c)
add_executable(fabric-fake fake-modules/main.c)
target_link_libraries(fabric-fake used)
`

// TestProgramThatPlainCMakeBuiltFromOtherSourcesIsStale, and only then: the
// libraries of other programs come and go.
func TestProgramThatPlainCMakeBuiltFromOtherSourcesIsStale(t *testing.T) {
	number := func(name string, n int) string { return fmt.Sprintf("int %s(void) { return %d; }\n", name, n) }
	root := checkout(t)
	put(t, root, "CMakeLists.txt", ownLibrary)
	const program = `#include <stdio.h>
int used(void);
int main(void) {
  printf("{\"engine\":\"fake\",\"engine_version\":\"%d\",\"compiler\":\"cc\",\"build_type\":\"Release\",\"flags\":\"-O3\"}", used());
  return 0;
}
`
	put(t, root, "fake-modules/main.c", program)
	put(t, root, "fake-modules/used.c", number("used", 1))
	put(t, root, "fake-modules/other.c", number("other", 1))
	ctx, b := context.Background(), New(root, Release, io.Discard)
	first, err := b.Program(ctx, fake{})
	require.NoError(t, err)
	assert.Equal(t, "1", first.Version.EngineVersion)
	// other builds a target from another text of a file, and puts the file back.
	other := func(target, name, text string) {
		mine, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		put(t, root, name, text)
		out, err := exec.CommandContext(ctx, "cmake", "--build", b.Dir(), "--target", target).CombinedOutput()
		require.NoError(t, err, string(out))
		time.Sleep(50 * time.Millisecond) // ninja goes by times, and the clock of a file system ticks slowly
		put(t, root, name, string(mine))
	}

	for n := range 2 {
		other("other", "fake-modules/other.c", number("other", n))
		assert.FileExists(t, filepath.Join(b.Dir(), "lib", "libother.so"))
		_, err = b.Present(ctx, fake{})
		require.NoError(t, err, "it does not load that one")
	}
	for name, text := range map[string]string{
		"fake-modules/used.c": number("used", 2), "fake-modules/main.c": strings.Replace(program, "used()", "3", 1),
	} {
		other("fabric-fake", name, text)
		_, err = b.Present(ctx, fake{})
		require.ErrorIs(t, err, ErrStale, name)
		again, err := b.Program(ctx, fake{})
		require.NoError(t, err)
		assert.Equal(t, first.Version.EngineVersion, again.Version.EngineVersion)
	}
}

func TestBuildIDFollowsSourcesFlagsAndVersions(t *testing.T) {
	root := checkout(t)
	hash := func() string {
		s, err := readSources(root, []string{"fake-modules"})
		require.NoError(t, err)
		return s.hash
	}
	before := hash()
	put(t, root, "fake-modules/bench/main.cc", "int z;")
	put(t, root, "mechanisms/tests/hpcc_test.cc", "int z;")
	put(t, root, "mechanisms/README.md", "text")
	put(t, root, "other-modules/x.cc", "int z;")
	assert.Equal(t, before, hash(), "tests, texts and other engines are not compiled in")
	put(t, root, "mechanisms/hpcc.cc", "int x2;")
	assert.NotEqual(t, before, hash())

	companion := func() string {
		s, err := readSources(root, []string{"fake-modules", "fake-modules/bench"})
		require.NoError(t, err)
		return s.hash
	}
	with := companion()
	assert.NotEqual(t, hash(), with)
	put(t, root, "fake-modules/bench/main.cc", "int z2;")
	assert.NotEqual(t, with, companion(), "a folder that is named is compiled in")
}

// TestLinkedSourcesCount: CMake compiles what a link leads to.
func TestLinkedSourcesCount(t *testing.T) {
	root, elsewhere := checkout(t), t.TempDir()
	hash := func() string {
		s, err := readSources(root, []string{"fake-modules"})
		require.NoError(t, err)
		return s.hash
	}
	put(t, root, "mechanisms/mine/mine.cc", "int mine;")
	plain := hash()
	put(t, elsewhere, "mine/mine.cc", "int mine;")
	require.NoError(t, os.RemoveAll(filepath.Join(root, "mechanisms/mine")))
	without := hash()
	require.NoError(t, os.Symlink(filepath.Join(elsewhere, "mine"), filepath.Join(root, "mechanisms/mine")))
	linked := hash()
	assert.NotEqual(t, without, linked)
	assert.Equal(t, plain, linked, "it is the same as the folder itself")

	put(t, elsewhere, "mine/mine.cc", "int changed;")
	changed := hash()
	assert.NotEqual(t, linked, changed)

	put(t, elsewhere, "two/deep.h", "int deep;")
	require.NoError(t, os.Symlink("../two", filepath.Join(elsewhere, "mine/deep")))
	deep := hash()
	assert.NotEqual(t, changed, deep, "a link behind a link")
	put(t, elsewhere, "file.h", "int file;")
	require.NoError(t, os.Symlink(filepath.Join(elsewhere, "file.h"), filepath.Join(root, "fake-modules/file.h")))
	file := hash()
	assert.NotEqual(t, deep, file)
	put(t, elsewhere, "file.h", "int file2;")
	assert.NotEqual(t, file, hash())

	before := hash()
	require.NoError(t, os.Symlink("..", filepath.Join(root, "mechanisms/mine/up")))
	require.NoError(t, os.Symlink(root, filepath.Join(elsewhere, "two/round")))
	require.NoError(t, os.Symlink("nowhere", filepath.Join(root, "mechanisms/.#hpcc.cc")))
	round := hash()
	assert.Equal(t, round, hash(), "links in a circle come to an end")
	require.NoError(t, os.Remove(filepath.Join(root, "mechanisms/mine/up")))
	require.NoError(t, os.Remove(filepath.Join(elsewhere, "two/round")))
	assert.Equal(t, before, hash(), "an editor's lock leads nowhere and is no source")

	b := New(root, Release, io.Discard)
	first, err := b.Program(context.Background(), fake{})
	require.NoError(t, err)
	put(t, elsewhere, "mine/mine.cc", "int again;")
	second, err := b.Program(context.Background(), fake{})
	require.NoError(t, err)
	assert.NotEqual(t, first.BuildID, second.BuildID)
}

func TestFailedBuildSaysWhy(t *testing.T) {
	root := checkout(t)
	put(t, root, "CMakeLists.txt", cmakeLists+"message(FATAL_ERROR \"libfoo was not found\")\n")
	var log strings.Builder
	_, err := New(root, Release, &log).Program(context.Background(), fake{})
	require.ErrorContains(t, err, "libfoo was not found")
	require.ErrorContains(t, err, "fabriclab doctor")
	assert.Contains(t, log.String(), "libfoo was not found")
}

func TestProgramThatIsAnotherEngine(t *testing.T) {
	root := checkout(t)
	put(t, root, "fake-modules/runner.in", strings.ReplaceAll(runner, `"fake"`, `"ns3"`))
	_, err := New(root, Release, io.Discard).Program(context.Background(), fake{})
	require.ErrorContains(t, err, `says it is "ns3"`)

	put(t, root, "fake-modules/runner.in", "#!/bin/sh\necho cannot open libns3 >&2; exit 127\n")
	_, err = New(root, Release, io.Discard).Program(context.Background(), fake{})
	require.ErrorContains(t, err, "cannot open libns3")
}

func TestEngineWithoutSources(t *testing.T) {
	root := checkout(t)
	require.NoError(t, os.RemoveAll(filepath.Join(root, "fake-modules")))
	_, err := New(root, Release, io.Discard).Program(context.Background(), fake{})
	require.ErrorContains(t, err, "has no fake-modules for Fake")
}

func TestDescribe(t *testing.T) {
	root := checkout(t)
	put(t, root, "mechanisms/describe.in", "#!/bin/sh\necho 7\n")
	out, err := New(root, Release, io.Discard).Describe(context.Background())
	require.NoError(t, err)
	assert.Equal(t, "7\n", string(out))
}

func TestBuildsWaitForEachOther(t *testing.T) {
	root := checkout(t)
	b := New(root, Release, io.Discard)
	errs := make(chan error, 4)
	for range cap(errs) {
		go func() {
			_, err := b.Program(context.Background(), fake{})
			errs <- err
		}()
	}
	for range cap(errs) {
		require.NoError(t, <-errs)
	}
	assert.Equal(t, 1, timesBuilt(t, b))
}

func TestCancelEndsTheBuild(t *testing.T) {
	root := checkout(t)
	put(t, root, "CMakeLists.txt", strings.Replace(cmakeLists, "COMMAND cp", "COMMAND sleep 60 COMMAND cp", 1))
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	_, err := New(root, Release, io.Discard).Program(ctx, fake{})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	assert.NoFileExists(t, filepath.Join(New(root, Release, io.Discard).Dir(), "bin", "fabric-fake"), "it was not waited for")
}

func TestFindRoot(t *testing.T) {
	root := checkout(t)
	got, err := FindRoot(filepath.Join(root, "mechanisms"))
	require.NoError(t, err)
	assert.Equal(t, root, got)
	_, err = FindRoot(t.TempDir())
	require.ErrorContains(t, err, "--root")
}

func TestParseType(t *testing.T) {
	kind, err := ParseType("debug")
	require.NoError(t, err)
	assert.Equal(t, Debug, kind)
	_, err = ParseType("fast")
	require.ErrorContains(t, err, "release, debug, asan, tsan")
}
