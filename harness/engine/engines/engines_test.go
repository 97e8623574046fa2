package engines_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/harness/engine"
	"fabriclab/harness/engine/engines"
	"fabriclab/harness/engine/omnet"
)

func put(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o755))
}

func TestByName(t *testing.T) {
	for _, e := range engines.All() {
		found, err := engines.ByName(e.Name())
		require.NoError(t, err)
		assert.Equal(t, e, found)
	}
	_, err := engines.ByName("opnet")
	require.ErrorContains(t, err, "ns3, omnetpp")
}

func TestOMNeTIsFoundByItsVariableByThePathAndAtHome(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("PATH", t.TempDir())
	root := filepath.Join(home, "omnetpp-9.9")
	for _, part := range []string{
		"include/omnetpp.h", "bin/opp_nedtool", "bin/opp_run",
		"lib/liboppcmdenv.so", "lib/liboppenvir.so", "lib/liboppsim.so", "lib/liboppnedxml.so", "lib/liboppcommon.so",
	} {
		put(t, filepath.Join(root, part), "")
	}
	put(t, filepath.Join(root, "Version"), "omnetpp-9.9\n")

	t.Setenv("OMNETPP_ROOT", root)
	found, err := omnet.Engine{}.Find()
	require.NoError(t, err)
	assert.Equal(t, "9.9", found.Version)
	assert.Equal(t, []string{"-DOMNETPP_ROOT=" + root}, found.CMake)

	t.Setenv("OMNETPP_ROOT", filepath.Join(home, "elsewhere"))
	_, err = omnet.Engine{}.Find()
	require.ErrorContains(t, err, "OMNETPP_ROOT is")
	for _, way := range []string{"opp_env", "image", "archive"} {
		require.ErrorContains(t, err, way)
	}

	t.Setenv("OMNETPP_ROOT", "")
	t.Setenv("PATH", filepath.Join(root, "bin"))
	found, err = omnet.Engine{}.Find()
	require.NoError(t, err)
	assert.Equal(t, root, found.Path)
}

func TestAskSaysWhatIsWrongWithAProgram(t *testing.T) {
	dir := t.TempDir()
	good, mute, broken := filepath.Join(dir, "good"), filepath.Join(dir, "mute"), filepath.Join(dir, "broken")
	put(t, good, "#!/bin/sh\n[ \"$1\" = --version ] && echo '{\"engine\":\"ns3\",\"engine_version\":\"'$WHICH'\"}'\n")
	put(t, mute, "#!/bin/sh\necho hello\n")
	put(t, broken, "#!/bin/sh\necho 'cannot open libns3.so' >&2\nexit 127\n")
	v, err := engine.Ask(context.Background(), good, []string{"WHICH=3.37"})
	require.NoError(t, err)
	assert.Equal(t, engine.Version{Engine: "ns3", EngineVersion: "3.37"}, v)
	_, err = engine.Ask(context.Background(), mute, nil)
	require.ErrorContains(t, err, `printed "hello"`)
	_, err = engine.Ask(context.Background(), broken, nil)
	require.ErrorContains(t, err, "cannot open libns3.so")
	_, err = engine.Ask(context.Background(), filepath.Join(dir, "nothing"), nil)
	require.ErrorIs(t, err, os.ErrNotExist)
}
