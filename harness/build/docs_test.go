package build_test

import (
	"context"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/base/catalog"
	"fabriclab/harness/build"
)

// make docs sets it.
var update = flag.Bool("update", false, "write the generated parts of the pages under docs/ and the catalog of other tests")

// The tables of parameters in docs/ are what fabric-describe says, and every
// component has its page.
func TestDocsSayWhatTheMechanismsSay(t *testing.T) {
	root, err := build.FindRoot(".")
	require.NoError(t, err)
	described, err := build.New(root, build.Release, os.Stderr).Describe(context.Background())
	require.NoError(t, err)
	c, err := catalog.Load(described)
	require.NoError(t, err)

	documented := map[string]bool{}
	err = filepath.WalkDir(filepath.Join(root, "docs"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".md" {
			return err
		}
		page, err := os.ReadFile(path)
		require.NoError(t, err)
		filled, err := c.FillMarkdown(string(page))
		require.NoError(t, err, path)
		for _, name := range c.Names("") {
			if strings.Contains(filled, "<!-- params:"+name+" -->") {
				documented[name] = true
			}
		}
		if *update && filled != string(page) {
			return os.WriteFile(path, []byte(filled), 0o644)
		}
		assert.Equal(t, filled, string(page), "%s is out of date; run: make docs", path)
		return nil
	})
	require.NoError(t, err)
	for _, name := range c.Names("") {
		assert.True(t, documented[name], "no page under docs/mechanisms has the block <!-- params:%s -->; write one (docs/how-to/adding-a-mechanism.md)", name)
	}
}

// Tests without a build work on a catalog in a file; it is what fabric-describe
// says.
func TestCatalogOfTheTestsIsUpToDate(t *testing.T) {
	const file = "../../base/catalog/testdata/catalog.json"
	root, err := build.FindRoot(".")
	require.NoError(t, err)
	described, err := build.New(root, build.Release, os.Stderr).Describe(context.Background())
	require.NoError(t, err)
	if *update {
		require.NoError(t, os.WriteFile(file, described, 0o644))
	}
	kept, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(described), string(kept), "%s is out of date; run: make docs", file)
}

// The page on mechanisms of one's own says of every hook when it is called.
func TestHooksAreDescribed(t *testing.T) {
	root, err := build.FindRoot(".")
	require.NoError(t, err)
	page, err := os.ReadFile(filepath.Join(root, "docs", "how-to", "adding-a-mechanism.md"))
	require.NoError(t, err)
	_, hooks, _ := strings.Cut(string(page), "\n### Hooks\n")
	hooks, _, _ = strings.Cut(hooks, "\n### ")
	described := map[string][]string{} // by base class
	class := ""
	for _, line := range strings.Split(hooks, "\n") {
		if begins := regexp.MustCompile("^`([A-Za-z]+)`, at ").FindStringSubmatch(line); begins != nil {
			class = begins[1]
		}
		if cells := strings.Split(line, "|"); len(cells) == 5 {
			for _, name := range regexp.MustCompile("`([A-Za-z]+)`").FindAllStringSubmatch(cells[1], -1) {
				described[class] = append(described[class], name[1])
			}
		}
	}
	for class, header := range map[string]string{"CongestionControl": "congestion_control.h", "PortAgent": "port_agent.h", "ReceiverAgent": "receiver_agent.h"} {
		text, err := os.ReadFile(filepath.Join(root, "mechanisms", "core", header))
		require.NoError(t, err)
		var there []string
		for _, hook := range regexp.MustCompile(`(?m)^  virtual [^(]*?(\w+)\(`).FindAllStringSubmatch(string(text), -1) {
			there = append(there, hook[1])
		}
		assert.ElementsMatch(t, there, described[class], "hooks of %s in docs/how-to/adding-a-mechanism.md", class)
	}
}

// The mechanisms' page names every preset.
func TestMechanismsPageNamesEveryPreset(t *testing.T) {
	root, err := build.FindRoot(".")
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(root, "docs", "mechanisms", "README.md"))
	require.NoError(t, err)
	presets, err := filepath.Glob(filepath.Join(root, "configs", "presets", "*.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, presets)
	for _, preset := range presets {
		name := strings.TrimSuffix(filepath.Base(preset), ".yaml")
		assert.Contains(t, string(text), "`"+name+"`", "docs/mechanisms/README.md does not say what the preset %s is; put it into the table", name)
	}
}

// The figures' page has every experiment with a figure, and no others.
func TestFiguresPageNamesEveryFigure(t *testing.T) {
	root, err := build.FindRoot(".")
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(root, "docs", "figures", "README.md"))
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.Join(root, "configs", "*", "*.yaml"))
	require.NoError(t, err)
	var figures, named []string
	for _, file := range files {
		experiment, err := os.ReadFile(file)
		require.NoError(t, err)
		if strings.Contains("\n"+string(experiment), "\nfigure:") {
			figures = append(figures, filepath.Base(filepath.Dir(file))+"/"+strings.TrimSuffix(filepath.Base(file), ".yaml"))
		}
	}
	for _, line := range strings.Split(string(text), "\n") {
		if cells := strings.Split(line, "|"); len(cells) == 4 {
			for _, name := range regexp.MustCompile("`([^`]+/[^`]+)`").FindAllStringSubmatch(cells[1], -1) {
				named = append(named, name[1])
			}
		}
	}
	assert.ElementsMatch(t, figures, named, "docs/figures/README.md, the table of figures")
}
