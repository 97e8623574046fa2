package records

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/analysis/spec"
)

// A record names the project's commit; other records are no change of it.
func TestProjectCommit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	repository := t.TempDir()
	project := filepath.Join(repository, "study")
	put := func(name, text string) {
		path := filepath.Join(project, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	put("fabriclab.yaml", "")
	put("docs/results/study/first.json", "{}")
	assert.Empty(t, projectCommit(t.Context(), ""))
	assert.Empty(t, projectCommit(t.Context(), project))
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"commit", "-q", "-m", "one"}} {
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-c", "user.name=a", "-c", "user.email=a"}, args...)...)
		cmd.Dir = repository
		require.NoError(t, cmd.Run())
	}
	put("docs/results/study/first.json", "{ }")
	put("docs/results/study/second.json", "{}")
	commit := projectCommit(t.Context(), project)
	assert.Regexp(t, "^[0-9a-f]{12}$", commit)
	put("configs/first.yaml", "")
	assert.Equal(t, commit+" with changes", projectCommit(t.Context(), project))
}

// Seeds that have judged a claim do not judge the one in its place.
func TestFreshSeeds(t *testing.T) {
	list := []spec.Claim{{ID: "new"}, {ID: "old", Superseded: &spec.Superseded{By: "new", Seeds: []uint64{1, 2, 3}}}, {ID: "gone", Superseded: &spec.Superseded{Seeds: []uint64{4}}}}
	require.NoError(t, freshSeeds(list, []uint64{4, 5}))
	require.EqualError(t, freshSeeds(list, []uint64{4, 3}), "seed 3 has judged claim old, which new takes the place of: give the scale other seeds than those of superseded claims")
}

// A record is in the repository, and says nothing of the machine that made it.
func TestRecordsDoNotNameTheResultsFolder(t *testing.T) {
	assert.Equal(t, "long cannot be measured: run dart/fig14/62614b4c/ns3-seed35: it did not finish",
		relative("long cannot be measured: run /home/me/results/dart/fig14/62614b4c/ns3-seed35: it did not finish", "/home/me/results"))
}
