package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"fabriclab/analysis/compare"
)

const repository = "../../.."

// The workflow files are YAML, and call make targets that there are.
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
		targets := regexp.MustCompile(`(?:- |run: )make ([a-z-]+)`).FindAllSubmatch(text, -1)
		require.NotEmpty(t, targets, file)
		for _, target := range targets {
			assert.Regexp(t, `(?m)^`+string(target[1])+`:`, string(makefile), file)
		}
	}
}

// Every experiment of FNCC, CONGA and Dart that an engine runs has a baseline,
// but for those that lay a paper's choices open; every baseline has an
// experiment; the rules that make regress uses are read.
func TestBaselines(t *testing.T) {
	dir := filepath.Join(repository, "ci", "baselines")
	baselines, err := compare.LoadBaselines(dir)
	require.NoError(t, err)
	var have, want []string
	for _, b := range baselines {
		have = append(have, b.Experiment)
		assert.Equal(t, "quick", b.Scale, b.Experiment)
		assert.NotEmpty(t, b.Runs, b.Experiment)
		assert.FileExists(t, compare.BaselineFile(dir, b.Experiment))
		self := compare.Set{Name: b.Experiment, Runs: b.Runs}
		report, err := compare.Compare(self, self, compare.DefaultRules())
		require.NoError(t, err)
		assert.False(t, report.Failed, b.Experiment)
	}
	for _, paper := range []string{"fncc", "conga", "dart"} {
		err = filepath.WalkDir(filepath.Join(repository, "configs", paper), func(path string, d fs.DirEntry, err error) error {
			if name := paper + "/" + strings.TrimSuffix(d.Name(), ".yaml"); err == nil && filepath.Ext(path) == ".yaml" &&
				name != "conga/poa" && !strings.HasSuffix(name, "-choices") { // poa is computed, not run
				want = append(want, name)
			}
			return err
		})
		require.NoError(t, err)
	}
	assert.Subset(t, have, want, "make them with: fabriclab baseline update EXPERIMENT")
	for _, name := range have {
		assert.FileExists(t, filepath.Join(repository, "configs", filepath.FromSlash(name)+".yaml"))
		info, err := os.Stat(compare.BaselineFile(dir, name))
		require.NoError(t, err)
		assert.Less(t, info.Size(), int64(50_000), "%s: baselines are small files", name)
	}
	_, err = compare.ReadRules(filepath.Join(repository, "ci", "regression.yaml"))
	require.NoError(t, err)
}
