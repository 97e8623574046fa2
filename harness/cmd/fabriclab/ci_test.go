package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"fabriclab/analysis/compare"
)

const repository = "../../.."

// The workflow files are YAML, and call make targets that there are. In a container
// ${{ github.workspace }} is the host's path.
func TestWorkflows(t *testing.T) {
	makefile, err := os.ReadFile(filepath.Join(repository, "Makefile"))
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.Join(repository, "ci", "*.yml"))
	require.NoError(t, err)
	require.Len(t, files, 2)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var workflow map[string]any
		require.NoError(t, yaml.Unmarshal(text, &workflow), file)
		assert.NotContains(t, string(text), "github.workspace", file)
		targets := regexp.MustCompile(`(?:- |run: )make ([a-z-]+)`).FindAllSubmatch(text, -1)
		require.NotEmpty(t, targets, file)
		for _, target := range targets {
			assert.Regexp(t, `(?m)^`+string(target[1])+`:`, string(makefile), file)
		}
	}
}

// Every paper has baselines, and they are made within minutes: what all
// experiments compute is guarded by the parity digests. The rules that make
// regress uses are read.
func TestBaselines(t *testing.T) {
	dir := filepath.Join(repository, "ci", "baselines")
	baselines, err := compare.LoadBaselines(dir)
	require.NoError(t, err)
	var have []string
	events := 0.0
	for _, b := range baselines {
		have = append(have, b.Experiment)
		assert.Equal(t, "quick", b.Scale, b.Experiment)
		assert.NotEmpty(t, b.Runs, b.Experiment)
		for _, run := range b.Runs {
			for _, v := range run.Values {
				if v.Measure.Name == "events" {
					events += v.Value
				}
			}
		}
		assert.FileExists(t, compare.BaselineFile(dir, b.Experiment))
		self := compare.Set{Name: b.Experiment, Runs: b.Runs}
		report, err := compare.Compare(self, self, compare.DefaultRules())
		require.NoError(t, err)
		assert.False(t, report.Failed, b.Experiment)
	}
	assert.Less(t, events, 1.5e9, "leave out experiments that take long")
	for _, paper := range []string{"fncc", "conga", "numfabric", "flowtune", "dart"} {
		assert.True(t, slices.ContainsFunc(have, func(name string) bool { return strings.HasPrefix(name, paper+"/") }), paper)
	}
	for _, name := range have {
		assert.FileExists(t, filepath.Join(repository, "configs", filepath.FromSlash(name)+".yaml"))
		info, err := os.Stat(compare.BaselineFile(dir, name))
		require.NoError(t, err)
		assert.Less(t, info.Size(), int64(50_000), "%s: baselines are small files", name)
	}
	_, err = compare.ReadRules(filepath.Join(repository, "ci", "regression.yaml"))
	require.NoError(t, err)
}

// TestDepsLeavesTheNamedNS3: where another ns-3 than the distribution's is
// named, that is not installed.
func TestDepsLeavesTheNamedNS3(t *testing.T) {
	script, err := filepath.Abs("../../../ci/deps.sh")
	require.NoError(t, err)
	bin, prefix := t.TempDir(), t.TempDir()
	put := func(path, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o755))
	}
	put(filepath.Join(bin, "dpkg-query"), "#!/bin/sh\nexit 1\n")
	put(filepath.Join(bin, "apt-cache"), "#!/bin/sh\n")
	put(filepath.Join(bin, "apt-get"), "#!/bin/sh\necho \"$@\"\n")
	put(filepath.Join(bin, "sudo"), "#!/bin/sh\nexec \"$@\"\n")
	put(filepath.Join(prefix, "include/ns3/core-module.h"), "")
	for name, c := range map[string]struct {
		env, settings string
		installs      bool
	}{
		"nothing":           {"X=", "", true},
		"variable":          {"FABRICLAB_NS3=/opt/ns-3.45", "", false},
		"CMake's variable":  {"ns3_DIR=/opt/ns-3.45", "", false},
		"prefix path":       {"CMAKE_PREFIX_PATH=/nowhere:" + prefix, "", false},
		"other prefix path": {"CMAKE_PREFIX_PATH=/nowhere", "", true},
		"settings":          {"X=", "jobs: 2\nns3: ~/ns-3.45\n", false},
		"other settings":    {"X=", "jobs: 2\nns3:   # none\n", true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			put(filepath.Join(dir, "fabriclab.yaml"), c.settings)
			put(filepath.Join(dir, "below", "x"), "")
			cmd := exec.CommandContext(t.Context(), script)
			cmd.Dir = filepath.Join(dir, "below")
			cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "FABRICLAB_NS3=", "ns3_DIR=", "CMAKE_PREFIX_PATH=", c.env)
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, string(out))
			assert.Contains(t, string(out), "install -y -q --no-install-recommends make cmake")
			assert.Equal(t, c.installs, strings.Contains(string(out), "libns3-dev"), string(out))
		})
	}
}
