package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/harness/engine/omnet"
)

// TestOwnMechanismInAnOMNeTProject: a mechanism that `fabriclab new` wrote lies
// among the sources of an OMNeT++ project. It is loaded into fabric-omnet and
// into opp_run, and linked into a program of the project, with the same trace.
func TestOwnMechanismInAnOMNeTProject(t *testing.T) {
	installed, err := omnet.Engine{}.Find()
	if err != nil {
		t.Skipf("mechanisms in an OMNeT++ project were not tried: %v", err)
	}
	t.Parallel()
	p := project{t: t, dir: t.TempDir(), cache: t.TempDir()}
	p.must("new", "mechanism", "my_cc", "--kind", "congestion_control", "--dir", ".")
	build := filepath.Join(lab.root, "build", "release")
	folder := filepath.Join(p.dir, "my_cc")
	require.NoError(t, os.Remove(filepath.Join(folder, "my_cc_test.cc")))
	for _, name := range []string{"Dumbbell.ned", "omnetpp.ini"} {
		text, err := os.ReadFile(filepath.Join(lab.root, "omnet-modules", "simulations", "dumbbell", name))
		require.NoError(t, err)
		if name == "Dumbbell.ned" {
			text = append([]byte("package mine;\n"), text...)
		} else {
			text = append(text, []byte(`
[Config Own]
network = mine.Dumbbell
**.congestionControl.typename = "MyCc"
**.port[*].queue[1].typename = "Red"
*.fabric.traceFile = "trace.bin"
`)...)
		}
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), text, 0o644))
	}
	require.NoError(t, os.WriteFile(filepath.Join(folder, "package.ned"), []byte("package mine;\n"), 0o644))

	tool := func(name string) string { return filepath.Join(installed.Path, "bin", name) }
	libraries := filepath.Join(build, "omnet-modules", "lib")
	call := func(name string, args ...string) (string, error) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir = folder
		cmd.Env = append(os.Environ(), "PATH="+filepath.Join(installed.Path, "bin")+":"+os.Getenv("PATH"),
			"LD_LIBRARY_PATH="+libraries+":"+filepath.Join(installed.Path, "lib"))
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	must := func(name string, args ...string) string {
		t.Helper()
		out, err := call(name, args...)
		require.NoError(t, err, out)
		return out
	}
	must("cmake", "--build", build, "--target", "fabric-omnet", "fabric-omnet-modules", "fabric-omnet-probe")
	must(tool("opp_makemake"), "--make-so", "-f", "-o", "mine", "-I"+lab.root)
	must("make", "MODE=release")
	fabricOmnet := filepath.Join(build, "bin", "fabric-omnet")
	types := must(fabricOmnet, "--ned", "mine", "libmine.so")
	assert.Contains(t, types, "simple MyCc like fabriclab.ICongestionControl")
	assert.Contains(t, types, "double decrease @mutable = default(0.5);")
	require.NoError(t, os.WriteFile(filepath.Join(folder, "MyCc.ned"), []byte(types), 0o644))

	trace := func(program ...string) string {
		t.Helper()
		must(program[0], append(program[1:], "-u", "Cmdenv", "-n", ".", "-f", "omnetpp.ini", "-c", "Own")...)
		text, err := os.ReadFile(filepath.Join(folder, "trace.bin"))
		require.NoError(t, err)
		require.NoError(t, os.Remove(filepath.Join(folder, "trace.bin")))
		return string(text)
	}
	want := trace(fabricOmnet, "-l", "mine")
	assert.NotEmpty(t, want)
	assert.NotEqual(t, want, trace(fabricOmnet, "-l", "mine", "--**.congestionControl.decrease=0.1"))
	assert.Equal(t, want, trace(tool("opp_run"), "-l", filepath.Join(libraries, "fabric-omnet-modules"), "-l", "mine"))
	must(tool("opp_makemake"), "-f", "-o", "mysim", "-I"+lab.root, "-L"+libraries, "-lfabric-omnet-modules")
	must("make", "MODE=release")
	assert.Equal(t, want, trace("./mysim"))

	for args, says := range map[string]string{
		"": "This program has no mechanism 'my_cc', which the NED type names in its @component property; load the library",
		"-l mine --**.congestionControl.decrease=2":     "decrease",
		`-l mine --**.congestionControl.typename="MyC"`: "No module type named 'MyC' found that implements module interface fabriclab.ICongestionControl",
	} {
		out, err := call(fabricOmnet, append(strings.Fields(args), "-u", "Cmdenv", "-n", ".", "-f", "omnetpp.ini", "-c", "Own")...)
		require.Error(t, err)
		assert.Contains(t, out, says)
	}
	out, err := call(fabricOmnet, "--ned", "mine", filepath.Join(libraries, "libfabric-omnet-probe.so"))
	require.Error(t, err)
	assert.Contains(t, out, "bring no mechanism")
}
