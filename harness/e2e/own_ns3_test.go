package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestOwnMechanismInAnNS3Script: a mechanism that `fabriclab new` wrote is one
// more source file of an ns-3 script, the example of the docs. It is used by its
// name and attributes; a mistyped name ends the program with the nearest one.
func TestOwnMechanismInAnNS3Script(t *testing.T) {
	t.Parallel()
	p := project{t: t, dir: t.TempDir(), cache: t.TempDir()}
	p.must("new", "mechanism", "my_cc", "--kind", "congestion_control", "--dir", ".")
	text, err := os.ReadFile(filepath.Join(lab.root, "ns3-modules", "examples", "dumbbell.cc"))
	require.NoError(t, err)
	script := string(text)
	for from, to := range map[string]string{
		`"ns3::fabric::Hpcc", "Eta", DoubleValue(eta)`: `std::string("ns3::fabric::") + std::getenv("TYPE"), "Decrease", DoubleValue(eta)`,
		`"ns3::fabric::Fifo"); // class 1: data`:       `"ns3::fabric::Red", "Kmin", UintegerValue(50000), "Kmax", UintegerValue(50000), "Pmax", DoubleValue(1));`,
	} {
		require.Contains(t, script, from)
		script = strings.Replace(script, from, to, 1)
	}
	require.NoError(t, os.WriteFile(filepath.Join(p.dir, "study.cc"), []byte("#include <cstdlib>\n#include <ns3/uinteger.h>\n"+script), 0o644))

	build := filepath.Join(lab.root, "build", "release")
	out, err := exec.CommandContext(t.Context(), "cmake", "--build", build, "--target", "ns3-fabric").CombinedOutput()
	require.NoError(t, err, string(out))
	libraries := filepath.Join(build, "ns3-modules")
	compile := exec.CommandContext(t.Context(), "c++", "-std=c++17", "-I"+lab.root, "-I"+filepath.Join(lab.root, "ns3-modules", "model"),
		"-I"+filepath.Join(lab.root, "ns3-modules", "helper"), "study.cc", "my_cc/my_cc.cc", "-o", "study",
		"-L"+libraries, "-Wl,-rpath,"+libraries, "-lns3-fabric", "-lns3-core", "-lns3-network")
	compile.Dir = p.dir
	out, err = compile.CombinedOutput()
	require.NoError(t, err, string(out))

	run := func(typ string, args ...string) (string, error) {
		cmd := exec.CommandContext(t.Context(), "./study", args...)
		cmd.Dir = p.dir
		cmd.Env = append(os.Environ(), "TYPE="+typ)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	much, err := run("MyCc", "--eta=0.9")
	require.NoError(t, err, much)
	little, err := run("MyCc", "--eta=0.1")
	require.NoError(t, err, little)
	assert.NotEqual(t, much, little, "the attribute counts")
	mistyped, err := run("MyC")
	require.Error(t, err)
	assert.Contains(t, mistyped, "did you mean ns3::fabric::MyCc?")
}

// TestFindPackage: an ns-3 project of one's own finds fabriclab in its build
// folder and in a prefix, with the ns-3 that it was built with and no other.
func TestFindPackage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run := func(name string, args ...string) (string, error) {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		cmd := exec.CommandContext(ctx, name, args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	must := func(name string, args ...string) string {
		out, err := run(name, args...)
		require.NoError(t, err, out)
		return out
	}
	script, err := os.ReadFile(filepath.Join(lab.root, "ns3-modules", "examples", "dumbbell.cc"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "my-study.cc"), script, 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "CMakeLists.txt"), []byte(`cmake_minimum_required(VERSION 3.20)
project(study CXX)
find_package(fabriclab REQUIRED)
add_executable(my-study my-study.cc)
target_link_libraries(my-study PRIVATE fabriclab::ns3-fabric)
`), 0o644))
	build := filepath.Join(lab.root, "build", "release")
	must("cmake", "--build", build, "--target", "ns3-fabric", "ns3-fabric-internet")
	must("cmake", "--install", build, "--prefix", filepath.Join(dir, "prefix"))
	said := map[string]string{}
	for name, where := range map[string]string{"built": "-Dfabriclab_DIR=" + build, "installed": "-DCMAKE_PREFIX_PATH=" + filepath.Join(dir, "prefix")} {
		must("cmake", "-G", "Ninja", "-B", name, where)
		must("cmake", "--build", name)
		said[name] = must(filepath.Join(dir, name, "my-study"))
		assert.Contains(t, said[name], "B wait at s1")
	}
	assert.Equal(t, said["built"], said["installed"])
	out, err := run("ldd", "installed/my-study")
	require.NoError(t, err)
	assert.Contains(t, out, filepath.Join(dir, "prefix"), "the installed library is used")

	out, err = run("cmake", "-G", "Ninja", "-B", "other", "-Dfabriclab_DIR="+build, "-Dns3_VERSION=3.99")
	require.Error(t, err)
	assert.Regexp(t, `this\s+project\s+uses\s+ns-3\s+3\.99`, out)
}
