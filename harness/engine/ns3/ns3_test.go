package ns3

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// put makes empty files below a folder.
func put(t *testing.T, root string, names ...string) {
	t.Helper()
	for _, name := range names {
		write(t, filepath.Join(root, name), "")
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}

// libraries are those of an ns-3; version and profile are as in their names.
func libraries(folder, version, profile string, but ...string) (all []string) {
	for _, module := range []string{"core", "network", "stats"} {
		if len(but) == 0 || but[0] != module {
			all = append(all, folder+"/libns"+version+"-"+module+profile+".so")
		}
	}
	return all
}

const (
	header     = "include/ns3/core-module.h"
	treeHeader = "build/" + header
)

// cases are folders that are named as ns-3, and what is said of them: version
// and C++ standard, or what is wrong.
var cases = []struct {
	name     string
	make     func(t *testing.T, root string)
	below    string // the folder below root that is named
	version  string
	standard string
	note     string
	wrong    string // as Find says it
	cmake    string // as CMake says it, if in other words
}{
	{name: "prefix", make: func(t *testing.T, root string) {
		put(t, root, append(libraries("lib", "3.41", ""), header)...)
	}, version: "3.41", standard: "20"},
	{name: "prefix with a letter of a pattern [1]", make: func(t *testing.T, root string) {
		put(t, root, append(libraries("lib64", "3.40", "-debug"), header)...)
	}, version: "3.40", standard: "17", cmake: "there is no ns-3"},
	{name: "Debian", make: func(t *testing.T, root string) {
		put(t, root, append(libraries("lib/x86_64-linux-gnu", "3", ""), header)...)
		write(t, filepath.Join(root, "lib/x86_64-linux-gnu/cmake/ns3/ns3ConfigVersion.cmake"), "set(PACKAGE_VERSION \"3.43\")\n")
	}, version: "3.43", standard: "20"},
	{name: "lib64 is a link to lib", make: func(t *testing.T, root string) {
		put(t, root, append(libraries("lib", "3.41", ""), header)...)
		require.NoError(t, os.Symlink("lib", filepath.Join(root, "lib64")))
	}, version: "3.41", standard: "20"},
	{name: "a folder of lib is a link to it", make: func(t *testing.T, root string) {
		put(t, root, append(libraries("lib", "3.41", ""), header)...)
		require.NoError(t, os.Symlink(".", filepath.Join(root, "lib", "x86_64-linux-gnu")))
	}, version: "3.41", standard: "20"},
	{name: "CMake package", make: func(t *testing.T, root string) {
		put(t, root, append(libraries("lib/arch", "3.46.1", "-default"), header, "lib/arch/cmake/ns3/ns3Config.cmake")...)
	}, below: "lib/arch/cmake/ns3", version: "3.46.1", standard: "23"},
	{name: "built", make: func(t *testing.T, root string) {
		put(t, root, append(libraries("build/lib", "3.48", "-default"), treeHeader, "ns3", "src/core/model/object.h")...)
	}, version: "3.48", standard: "23"},
	{name: "built, by its CMake folder", make: func(t *testing.T, root string) {
		put(t, root, append(libraries("build/lib", "3.45", "-optimized"), treeHeader, "cmake-cache/ns3Config.cmake")...)
	}, below: "cmake-cache", version: "3.45", standard: "20"},
	{name: "built with two profiles and tests", make: func(t *testing.T, root string) {
		put(t, root, append(libraries("build/lib", "3.48", "-default"), treeHeader, "build/lib/libns3.48-core-test-default.so")...)
		put(t, root, append(libraries("build/lib", "3.48", ""), "build/lib/libns3.48-core-test.so")...)
		write(t, filepath.Join(root, ".lock-ns3_linux_build"), "#! /usr/bin/env python3\nBUILD_PROFILE = 'release'\nVERSION = '3.48'\n")
	}, version: "3.48", standard: "23"},
	{name: "newer", make: func(t *testing.T, root string) {
		put(t, root, append(libraries("lib", "3.49", ""), header)...)
	}, version: "3.49", standard: "23", note: "newer than 3.48"},
	{name: "between releases", make: func(t *testing.T, root string) {
		put(t, root, append(libraries("build/lib", "3-dev", "-default"), treeHeader)...)
	}, version: "3-dev", standard: "23", note: "newer than 3.48"},
	{name: "old", make: func(t *testing.T, root string) {
		put(t, root, append(libraries("lib", "3.36", ""), header)...)
	}, wrong: "ns-3 3.36 is too old, fabriclab works with 3.37 and newer", cmake: "too old, fabriclab works with 3.37 and newer"},
	{name: "several", make: func(t *testing.T, root string) {
		put(t, root, append(libraries("lib", "3.41", ""), header)...)
		put(t, root, libraries("lib", "3.45", "")...)
	}, wrong: "has several ns-3s"},
	{name: "without network", make: func(t *testing.T, root string) {
		put(t, root, append(libraries("lib", "3.41", "", "network"), header)...)
	}, wrong: "has no module network"},
	{name: "without a version", make: func(t *testing.T, root string) {
		put(t, root, append(libraries("lib", "3", ""), header)...)
	}, wrong: "the version of", cmake: "is not known"},
	{name: "without headers", make: func(t *testing.T, root string) {
		put(t, root, libraries("lib", "3.41", "")...)
	}, wrong: "install the headers, too", cmake: "there is no ns-3"},
	{name: "without libraries", make: func(t *testing.T, root string) {
		put(t, root, header)
	}, wrong: "no lib/libns3*-core*.so", cmake: "no shared library core"},
	{name: "not built", make: func(t *testing.T, root string) {
		put(t, root, "ns3", "src/core/model/object.h")
	}, wrong: "was not built; in that folder: ./ns3 configure", cmake: "was not built"},
	{name: "configured", make: func(t *testing.T, root string) {
		put(t, root, treeHeader, "ns3", "src/core/model/object.h")
	}, wrong: "configured and not built; in that folder: ./ns3 build", cmake: "no shared library core"},
	{name: "empty", make: func(*testing.T, string) {}, wrong: "there is no ns-3 in it"},
	{name: "nowhere", make: func(*testing.T, string) {}, below: "nowhere", wrong: "there is no such folder", cmake: "there is no ns-3"},
	{name: "below one", make: func(t *testing.T, root string) {
		put(t, root, append(libraries("lib", "3.41", ""), header, "share/doc/x")...)
	}, below: "share", wrong: "there is no ns-3 in it"},
}

// TestNamedFolder: Find and CMake say the same of a folder.
func TestNamedFolder(t *testing.T) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			root := filepath.Join(t.TempDir(), "ns-"+c.name)
			require.NoError(t, os.MkdirAll(root, 0o755))
			c.make(t, root)
			named := filepath.Join(root, c.below)
			t.Setenv("ns3_DIR", "")
			t.Setenv(Variable, named)
			found, err := Engine{}.Find()
			cmake := configured(t)
			if c.wrong != "" {
				require.ErrorContains(t, err, Variable+" names the ns-3 "+named)
				require.ErrorContains(t, err, c.wrong)
				if c.cmake == "" {
					c.cmake = strings.TrimSuffix(c.wrong, " in it")
				}
				assert.Contains(t, cmake, c.cmake)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.version, found.Version)
			assert.Equal(t, root, found.Path)
			assert.Equal(t, []string{"-DFABRIC_NS3_DIR=" + root}, found.CMake)
			assert.Contains(t, found.Note, c.note)
			assert.Len(t, found.Libraries, 3)
			for _, library := range found.Libraries {
				assert.FileExists(t, library)
			}
			if strings.Contains(c.name, "[") {
				return // CMake's own patterns know no way to name it
			}
			assert.Equal(t, "root="+root+" version="+c.version+" standard="+c.standard+" core="+found.Libraries[0]+" problem=", last(cmake))
			assert.Equal(t, c.note != "", strings.Contains(cmake, "is newer than 3.48"))
		})
	}
}

// configured is what CMake says about ns-3 with the present variables.
func configured(t *testing.T, args ...string) string {
	t.Helper()
	script := filepath.Join(t.TempDir(), "script.cmake")
	module, err := filepath.Abs("../../../ns3-modules/cmake/FabricNs3.cmake")
	require.NoError(t, err)
	write(t, script, "include("+module+`)
message("root=${FABRIC_NS3_ROOT} version=${FABRIC_NS3_VERSION} standard=${FABRIC_NS3_CXX_STANDARD} core=${FABRIC_NS3_CORE} problem=${FABRIC_NS3_PROBLEM}")
`)
	out, err := exec.CommandContext(t.Context(), "cmake", append(args, "-P", script)...).CombinedOutput()
	require.NoError(t, err, string(out))
	return strings.TrimSpace(string(out))
}

func last(lines string) string { return lines[strings.LastIndex(lines, "\n")+1:] }

// TestSearch: what is named comes first and is not passed over; of
// CMAKE_PREFIX_PATH the first that can be used.
func TestSearch(t *testing.T) {
	dir := t.TempDir()
	for _, version := range []string{"3.36", "3.41", "3.42", "3.43", "3.44"} {
		put(t, filepath.Join(dir, version), append(libraries("lib", version, ""), header)...)
	}
	at := func(version string) string { return filepath.Join(dir, version) }
	t.Setenv(Variable, "")
	t.Setenv("ns3_DIR", "")
	t.Setenv("CMAKE_PREFIX_PATH", at("nothing")+":"+at("3.36")+":"+at("3.41"))
	finds := func(version string, args ...string) {
		t.Helper()
		found, err := Engine{}.Find()
		require.NoError(t, err)
		assert.Equal(t, version, found.Version)
		assert.Contains(t, configured(t, args...), "version="+version+" ")
	}
	finds("3.41")
	t.Setenv("ns3_DIR", at("3.42"))
	finds("3.42")
	t.Setenv(Variable, at("3.43"))
	finds("3.43")
	Choose(at("3.44"), "--ns3")
	defer Choose("", "")
	found, err := Engine{}.Find()
	require.NoError(t, err)
	assert.Equal(t, "3.44", found.Version)
	finds("3.44", found.CMake...)

	Choose(at("nothing"), "fabriclab.yaml:2:6")
	_, err = Engine{}.Find()
	require.ErrorContains(t, err, "fabriclab.yaml:2:6 names the ns-3 "+at("nothing"))
}
