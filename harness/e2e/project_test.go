package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// TestAProjectFromAnEmptyFolder: what `new project` writes is whole. Both workflows
// run a script that is green as it is committed, and red after a change of the
// mechanism; the project's history says which commit it was.
func TestAProjectFromAnEmptyFolder(t *testing.T) {
	t.Parallel()
	above := project{t: t, dir: t.TempDir(), cache: t.TempDir()}
	out := above.must("new", "project", "study", "--mechanism", "aimd")
	p := above
	p.dir = filepath.Join(above.dir, "study")
	assert.Contains(t, out, filepath.Join(p.dir, "ci", "baselines", "study", "first.json"))

	assert.Contains(t, p.must("test"), "[  PASSED  ] 1 test.")
	assert.Contains(t, p.must("figure", "study/first"), "1 reproduced")
	p.must("record", "study/first")
	verdicts := p.must("verdicts", "study")
	assert.Contains(t, verdicts, "study: 1 holds")
	assert.NotContains(t, verdicts, "stale")
	p.change("configs/study/first.yaml", "rate: 100Gbps", "rate: 200Gbps")
	assert.Contains(t, p.must("verdicts", "study"), "(stale)")
	p.change("configs/study/first.yaml", "rate: 200Gbps", "rate: 100Gbps")

	git := func(args ...string) {
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-c", "user.name=a", "-c", "user.email=a"}, args...)...)
		cmd.Dir = p.dir
		text, err := cmd.CombinedOutput()
		require.NoError(t, err, string(text))
	}
	git("init", "-q")
	git("add", ".")
	git("commit", "-q", "-m", "one")

	program := filepath.Join(above.dir, "fabriclab")
	require.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\nexec '"+lab.program+"' \"$@\" --root '"+lab.root+"'\n"), 0o755))
	ci := func() (string, error) {
		cmd := exec.CommandContext(t.Context(), "bash", "ci/regress.sh", program)
		cmd.Dir = p.dir
		cmd.Env = append(os.Environ(), "CI=", "XDG_CACHE_HOME="+p.cache, "CCACHE_DIR="+ccacheDir())
		text, err := cmd.CombinedOutput()
		return string(text), err
	}
	for _, workflow := range []string{".github/workflows/regression.yml", ".gitlab-ci.yml"} {
		text, err := os.ReadFile(filepath.Join(p.dir, workflow))
		require.NoError(t, err)
		var parsed map[string]any
		require.NoError(t, yaml.Unmarshal(text, &parsed), workflow)
		assert.Contains(t, string(text), "bash ci/regress.sh\n", workflow)
	}

	green, err := ci()
	require.NoError(t, err, green)
	assert.Contains(t, green, "[  PASSED  ] 1 test.")
	assert.Contains(t, green, "no regression: ")

	p.change("mechanisms/aimd/aimd_test.cc", "flowsFinished, 2u", "flowsFinished, 3u")
	red, err := ci()
	require.Error(t, err, red)
	assert.Contains(t, red, "[  FAILED  ] 1 test")
	assert.Contains(t, red, "no regression: ")
	p.change("mechanisms/aimd/aimd_test.cc", "flowsFinished, 3u", "flowsFinished, 2u")

	p.change("mechanisms/aimd/aimd.cc", "1 - decrease_", "1 - decrease_ / 2")
	git("commit", "-q", "-a", "-m", "two")
	red, err = ci()
	require.Error(t, err, red)
	assert.Contains(t, red, "REGRESSION: ")
	assert.Contains(t, red, "preset=aimd")
	assert.NotContains(t, red, "preset=hpcc  ", "only what uses the mechanism")
	assert.FileExists(t, filepath.Join(p.dir, "results", "regression.md"))

	history, _, err := p.run("compare", "--rev", "HEAD~1", "HEAD")
	require.Error(t, err, "by the rules of CI")
	assert.Regexp(t, `preset=aimd +│.*CHANGED`, history)
	assert.Contains(t, p.must("baseline", "update"), "runs written to "+filepath.Join(p.dir, "ci", "baselines", "study", "first.json"))
	red, err = ci()
	require.Error(t, err, red)
	assert.Contains(t, red, "no regression: ")
	assert.Contains(t, red, "study/first: the record in docs/results is stale")
	p.must("figure", "study/first")
	p.must("record", "study/first")
	green, err = ci()
	require.NoError(t, err, green)
	p.must("parity", "study/first", "--update")
	p.must("record", "study/first")
	p.change("mechanisms/aimd/aimd.cc", "1 - decrease_ / 2", "1 - 0.5 * decrease_")
	stale, _, err := p.run("docs", "stale", "--exit-code")
	require.Error(t, err)
	assert.Contains(t, stale, "study/first: changed since: aimd")
	assert.Contains(t, p.must("record", "--confirm"), "first.json")
	assert.NotContains(t, p.must("docs", "stale", "--exit-code"), "study/first")
	p.change("mechanisms/aimd/aimd.cc", "1 - 0.5 * decrease_", "1 - decrease_")
	_, refused, err := p.run("record", "--confirm")
	require.Error(t, err)
	assert.Contains(t, refused, "the record of study/first is not confirmed")
}
