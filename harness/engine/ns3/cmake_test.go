package ns3

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const checkout = "../../.."

// cmake configures the checkout, or another folder, and builds targets.
func cmake(t *testing.T, args ...string) (string, error) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "cmake", args...).CombinedOutput()
	return string(out), err
}

// TestBuildTakesTheNamedNS3: its headers, its libraries and its C++ standard,
// and after another one was named nothing of the first.
func TestBuildTakesTheNamedNS3(t *testing.T) {
	dir := t.TempDir()
	prefix, tree, old := filepath.Join(dir, "prefix"), filepath.Join(dir, "tree"), filepath.Join(dir, "old")
	put(t, prefix, append(libraries("lib", "3.41", ""), header)...)
	put(t, tree, append(libraries("build/lib", "3.48", "-default"), treeHeader)...)
	put(t, old, append(libraries("lib", "3.36", ""), header)...)
	build := filepath.Join(dir, "build")
	configure := func(named string) string {
		out, err := cmake(t, "-G", "Ninja", "-S", checkout, "-B", build, "-DCMAKE_BUILD_TYPE=Release", "-DFABRIC_OMNET=OFF", "-DFABRIC_NS3_DIR="+named)
		require.NoError(t, err, out)
		text, err := os.ReadFile(filepath.Join(build, "build.ninja"))
		require.NoError(t, err)
		return string(text)
	}
	ninja := configure(prefix)
	assert.Contains(t, ninja, "-isystem "+prefix+"/include")
	assert.Regexp(t, `-std=c\+\+20\b`, ninja)
	assert.Contains(t, ninja, prefix+"/lib/libns3.41-core.so")
	assert.Contains(t, ninja, `FABRIC_NS3_VERSION=\"3.41\"`)
	assert.Contains(t, ninja, "-Wl,-rpath,"+prefix+"/lib")

	ninja = configure(tree)
	assert.NotContains(t, ninja, prefix)
	assert.NotRegexp(t, `-std=c\+\+20\b`, ninja)
	assert.Contains(t, ninja, "-isystem "+tree+"/build/include")
	assert.Regexp(t, `-std=c\+\+(23|2b)\b`, ninja)
	assert.Regexp(t, `-std=c\+\+17\b`, ninja, "the mechanisms are the same for all")
	assert.Contains(t, ninja, tree+"/build/lib/libns3.48-network-default.so")

	configure(old)
	out, err := cmake(t, "--build", build, "--target", "fabric-ns3")
	require.Error(t, err)
	assert.Contains(t, out, "error: ns-3 3.36 in "+old+" is too old")
}

// TestContrib: in an ns-3's contrib folder the checkout is a module of that
// ns-3, or says why it cannot be one.
func TestContrib(t *testing.T) {
	root, err := filepath.Abs(checkout)
	require.NoError(t, err)
	// ns-3's macros, as far as they are used.
	const macros = `cmake_minimum_required(VERSION 3.20)
project(NS3 CXX)
set(NS3_VER ${VERSION})
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/build)
set(libcore core)
set(libmine mine)
function(build_lib)
  cmake_parse_arguments(B "IGNORE_PCH" "LIBNAME" "SOURCE_FILES;HEADER_FILES;LIBRARIES_TO_LINK" ${ARGN})
  add_library(${lib${B_LIBNAME}} SHARED ${B_SOURCE_FILES})
  message(STATUS "module ${B_LIBNAME} links ${B_LIBRARIES_TO_LINK} headers ${B_HEADER_FILES}")
endfunction()
function(build_exec)
  cmake_parse_arguments(B "IGNORE_PCH" "EXECNAME;EXECUTABLE_DIRECTORY_PATH" "SOURCE_FILES;LIBRARIES_TO_LINK" ${ARGN})
  add_executable(${B_EXECNAME} ${B_SOURCE_FILES})
  message(STATUS "program ${B_EXECNAME} links ${B_LIBRARIES_TO_LINK}")
endfunction()
add_subdirectory(contrib/mine)
`
	tree := t.TempDir()
	write(t, filepath.Join(tree, "CMakeLists.txt"), macros)
	require.NoError(t, os.Mkdir(filepath.Join(tree, "contrib"), 0o755))
	require.NoError(t, os.Symlink(root, filepath.Join(tree, "contrib", "mine")))
	var build string
	configure := func(args ...string) (string, error) {
		build = filepath.Join(t.TempDir(), "build")
		return cmake(t, append([]string{"-G", "Ninja", "-S", tree, "-B", build, "-DCMAKE_BUILD_TYPE=release"}, args...)...)
	}
	out, err := configure("-DVERSION=3.48", "-DENABLE_EXAMPLES=ON", "-DENABLE_TESTS=ON")
	require.NoError(t, err, out)
	assert.Contains(t, out, "module mine links core;")
	assert.Contains(t, out, "ns3-modules/helper/fabric-helper.h")
	for _, program := range []string{"fabric-dumbbell", "fabric-internet", "fabric-tests"} {
		assert.Contains(t, out, "program "+program+" links mine;core")
	}
	// The file that says how it was built is given all that it names.
	out, err = cmake(t, "--build", build, "--", "contrib/mine/CMakeFiles/mine-mechanisms.dir/mechanisms/runner/program.cc.o")
	require.NoError(t, err, out)
	// The model's headers are precompiled where ns-3's are.
	for enabled, times := range map[string]int{"OFF": 0, "ON": 1} {
		out, err = configure("-DVERSION=3.48", "-DPRECOMPILE_HEADERS_ENABLED="+enabled)
		require.NoError(t, err, out)
		steps, err := os.ReadFile(filepath.Join(build, "build.ninja"))
		require.NoError(t, err)
		assert.NotContains(t, string(steps), "mechanisms/plain/", "an engine of its own")
		assert.Equal(t, times, strings.Count(string(steps), "\nbuild contrib/mine/CMakeFiles/mine-mechanisms.dir/cmake_pch.hxx.gch:"), enabled)
	}
	for args, want := range map[string]string{
		"-DVERSION=3.36":   `contrib/mine works with ns-3 3\.37 and\s+newer, this is 3\.36`,
		"-DNS3_MONOLIB=ON": `works with ns-3 as shared libraries`,
	} {
		out, err := configure(args)
		require.Error(t, err)
		assert.Regexp(t, want, out)
	}

	// ns-3 itself reads there which of its modules it needs.
	text, err := os.ReadFile(filepath.Join(root, "CMakeLists.txt"))
	require.NoError(t, err)
	var needed []string
	for _, m := range regexp.MustCompile(`\{lib([^}]*[^obj])\}`).FindAllStringSubmatch(string(text), -1) {
		needed = append(needed, m[1])
	}
	assert.Equal(t, []string{"core", "network", "stats", "internet", "traffic-control", "bridge", "applications", "point-to-point"}, needed)
}
