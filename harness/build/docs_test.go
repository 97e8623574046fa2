package build_test

import (
	"context"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
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

// The README names every preset.
func TestREADMENamesEveryPreset(t *testing.T) {
	root, err := build.FindRoot(".")
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	require.NoError(t, err)
	presets, err := filepath.Glob(filepath.Join(root, "configs", "presets", "*.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, presets)
	for _, preset := range presets {
		name := strings.TrimSuffix(filepath.Base(preset), ".yaml")
		assert.Contains(t, string(text), "`"+name+"`", "README.md does not say what the preset %s is; put it into the table under What there is", name)
	}
}

var (
	totalsLine = regexp.MustCompile(`^(\d+) reproduced, (\d+) deviates, (\d+) inconclusive, (\d+) not-evaluated(?:; (\d+) beside the totals)?\.$`)
	verdictOf  = regexp.MustCompile(`\*\*(reproduced|deviates|inconclusive|not-evaluated)\*\*( \(beside: [a-z]+\))? \|$`)
	row        = regexp.MustCompile(`^\| (.*) \|$`)
)

// The totals of a page's section are those of its rows. Sections leave out
// rows of what stands beside, so of these there are no more than it says.
func TestTotalsAreThoseOfTheRows(t *testing.T) {
	root, err := build.FindRoot(".")
	require.NoError(t, err)
	pages, err := filepath.Glob(filepath.Join(root, "docs", "figures", "*.md"))
	require.NoError(t, err)
	verdicts := []string{"reproduced", "deviates", "inconclusive", "not-evaluated", "beside"}
	for _, path := range pages {
		page, err := os.ReadFile(path)
		require.NoError(t, err)
		var stated string
		counted := map[string]int{}
		check := func() {
			for i, verdict := range verdicts {
				if stated == "" {
					assert.Zero(t, counted[verdict], "%s: claims without totals", path)
				} else if n, _ := strconv.Atoi(totalsLine.FindStringSubmatch(stated)[i+1]); verdict == "beside" {
					assert.LessOrEqual(t, counted[verdict], n, "%s: %s", path, stated)
				} else {
					assert.Equal(t, n, counted[verdict], "%s: %s: rows that are %s", path, stated, verdict)
				}
			}
		}
		for line := range strings.Lines(string(page)) {
			line = strings.TrimSuffix(line, "\n")
			if totalsLine.MatchString(line) {
				check()
				stated, counted = line, map[string]int{}
			} else if m := verdictOf.FindStringSubmatch(line); m != nil && row.MatchString(line) {
				if m[2] != "" {
					m[1] = "beside"
				}
				counted[m[1]]++
			}
		}
		check()
	}
}

// The totals of a paper are the sums of its figures, where one table has them,
// and the README has those of docs/figures.
func TestTotalsOfPapersAreSums(t *testing.T) {
	root, err := build.FindRoot(".")
	require.NoError(t, err)
	tables := func(path string) (totals map[string][]string, sums map[string][]int) {
		page, err := os.ReadFile(filepath.Join(root, path))
		require.NoError(t, err)
		totals, sums = map[string][]string{}, map[string][]int{}
		for line := range strings.Lines(string(page)) {
			m := row.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
			if m == nil {
				continue
			}
			cells := strings.Split(m[1], " | ")
			name := strings.Trim(cells[0], "[`")
			for _, paper := range []string{"FNCC", "CONGA", "NUMFabric", "Flowtune", "Dart, 1024", "Dart"} {
				if strings.HasPrefix(cells[0], paper) && len(cells) >= 6 {
					totals[paper] = cells[1:6]
					break
				}
			}
			experiment, _, isFigure := strings.Cut(name, "/")
			if !isFigure || len(cells) < 6 {
				continue
			}
			if sums[experiment] == nil {
				sums[experiment] = make([]int, 5)
			}
			verdicts := cells[1:6]
			if experiment == "fncc" { // which has no column of what was not evaluated
				verdicts = append(append([]string{}, cells[1:4]...), "0", cells[4])
			}
			for i, cell := range verdicts {
				n, err := strconv.Atoi(cell)
				require.NoError(t, err, line)
				sums[experiment][i] += n
			}
		}
		return totals, sums
	}
	totals, sums := tables("docs/figures/README.md")
	for _, paper := range []string{"FNCC", "CONGA"} {
		var sum []string
		for _, n := range sums[strings.ToLower(paper)] {
			sum = append(sum, strconv.Itoa(n))
		}
		assert.Equal(t, sum, totals[paper], paper)
	}
	inREADME, _ := tables("README.md")
	assert.Len(t, totals, 6)
	assert.Equal(t, totals, inREADME)
}
