package build_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/harness/build"
)

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
