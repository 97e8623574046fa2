package first

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"fabriclab/harness/build"
)

// TestAFirstMechanismOfEveryKind: what is written names the new mechanism
// alone. That it compiles and runs is in the end-to-end tests.
func TestAFirstMechanismOfEveryKind(t *testing.T) {
	root, err := build.FindRoot(".")
	require.NoError(t, err)
	dir := t.TempDir()
	all := append(Kinds(), Telemetry)
	for _, kind := range all {
		name := "my_" + kind
		files, err := Mechanism(root, dir, name, kind)
		require.NoError(t, err)
		assert.Len(t, files, 5)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			for _, left := range []string{"NAME", "CLASS", "TITLE", "USE", "SIGCOMM", "FNCC", kinds[kind].class + "::"} {
				if left != "::" {
					assert.NotContains(t, string(text), left, file)
				}
			}
			if filepath.Ext(file) != ".h" {
				assert.Contains(t, string(text), name, file)
			}
		}
		preset, err := os.ReadFile(filepath.Join(dir, name, name+".yaml"))
		require.NoError(t, err)
		assert.Equal(t, 2, strings.Count(string(preset), name), string(preset))
	}
	own, err := build.OwnFolders(root, []string{dir})
	require.NoError(t, err)
	assert.Len(t, own, len(all))
}

func TestNothingIsOverwritten(t *testing.T) {
	root, err := build.FindRoot(".")
	require.NoError(t, err)
	dir := t.TempDir()
	page := filepath.Join(dir, "mine", "mine.md")
	require.NoError(t, os.MkdirAll(filepath.Dir(page), 0o755))
	require.NoError(t, os.WriteFile(page, []byte("kept"), 0o644))
	_, err = Mechanism(root, dir, "mine", "queue")
	require.ErrorContains(t, err, "mine.md is there already and stays as it is")
	assert.NoFileExists(t, filepath.Join(dir, "mine", "mine.cc"))
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	assert.Equal(t, "kept", string(text))

	_, err = Experiment(dir, "x/one", []string{"none"})
	require.NoError(t, err)
	_, err = Experiment(dir, "x/one", []string{"hpcc"})
	require.ErrorContains(t, err, "is there already")
}

func TestNamesAndKindsAreChecked(t *testing.T) {
	root, err := build.FindRoot(".")
	require.NoError(t, err)
	for _, name := range []string{"hpcc", "fifo", "dctcp", "queue"} { // a folder, a component, a preset, a folder of several
		_, err := Mechanism(root, t.TempDir(), name, "queue")
		require.ErrorContains(t, err, "fabriclab has a mechanism or preset", name)
	}
	for _, name := range []string{"", "Mine", "my-own", "../x", "a__b", "1a"} {
		_, err := Mechanism("", t.TempDir(), name, "queue")
		require.ErrorContains(t, err, "is no name of a mechanism", name)
	}
	_, err = Mechanism("", t.TempDir(), "mine", "quue")
	require.ErrorContains(t, err, `did you mean "queue"`)
	for _, name := range []string{"", "../x", "a b", "/x"} {
		_, err := Experiment(t.TempDir(), name, []string{"none"})
		require.ErrorContains(t, err, "is no name of an experiment", name)
	}
}

// TestWorkflowsOfAProject: they are YAML. In a container ${{ github.workspace }} is
// the host's path, and a cache's key has nothing that each commit changes.
func TestWorkflowsOfAProject(t *testing.T) {
	root, err := build.FindRoot(".")
	require.NoError(t, err)
	p := Project{Dir: filepath.Join(t.TempDir(), "study"), Mechanism: "mine", Kind: "queue", URL: "https://example.org/x", Commit: "abc"}
	files, _, err := p.Write(root)
	require.NoError(t, err)
	workflows := 0
	for _, file := range files {
		if filepath.Ext(file) != ".yml" {
			continue
		}
		workflows++
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var workflow map[string]any
		require.NoError(t, yaml.Unmarshal(text, &workflow), file)
		assert.NotContains(t, string(text), "github.workspace", file)
		assert.NotContains(t, string(text), "mechanisms", file)
	}
	assert.Equal(t, 2, workflows)
}

// TestAProjectInARepository: README.md and .gitignore stay; any other file that is
// there is named, and nothing is written.
func TestAProjectInARepository(t *testing.T) {
	root, err := build.FindRoot(".")
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "study")
	require.NoError(t, os.Mkdir(dir, 0o755))
	put(t, dir, map[string]string{"README.md": "mine", ".gitignore": "*.o\n", ".gitlab-ci.yml": "mine"})
	p := Project{Dir: dir, Mechanism: "mine", Kind: "queue"}
	_, _, err = p.Write(root)
	require.ErrorContains(t, err, ".gitlab-ci.yml is there already and stays as it is; name another folder")
	assert.NoDirExists(t, filepath.Join(dir, "configs"))

	require.NoError(t, os.Remove(filepath.Join(dir, ".gitlab-ci.yml")))
	files, kept, err := p.Write(root)
	require.NoError(t, err)
	assert.Contains(t, files, filepath.Join(dir, "configs", "study", "first.yaml"))
	assert.Equal(t, []string{filepath.Join(dir, ".gitignore"), filepath.Join(dir, "README.md")}, kept)
	text, err := os.ReadFile(filepath.Join(dir, "README.md"))
	require.NoError(t, err)
	assert.Equal(t, "mine", string(text))
	assert.Contains(t, Missing(kept[0]), "/results/")
}
