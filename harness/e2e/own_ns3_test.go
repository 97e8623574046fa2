package e2e

import (
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
