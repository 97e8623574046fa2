package base_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// mayImport says of each part of the Go code which other parts it may import
// (docs/architecture.md). A package belongs to the longest part that it is in.
var mayImport = map[string][]string{
	"base":        {},
	"analysis":    {"base"},
	"harness":     {"base"},
	"harness/lab": {"base", "harness"},
	"ci/turns":    {}, // a tool beside the product

	// The roads of the commands, from a checkout to its results.
	"harness/lab/oracle":     both(),
	"harness/lab/own":        both(""),
	"harness/lab/lists":      both(),
	"harness/lab/plan":       both("", "/oracle"),
	"harness/lab/optima":     both("", "/oracle", "/plan"),
	"harness/lab/collected":  both("", "/plan"),
	"harness/lab/sweeps":     both("", "/oracle", "/plan"),
	"harness/lab/agreement":  both("", "/plan", "/sweeps"),
	"harness/lab/bench":      both("", "/plan", "/sweeps"),
	"harness/lab/comparison": both("", "/plan", "/sweeps", "/collected"),
	"harness/lab/figures":    both("", "/plan", "/sweeps"),
	"harness/lab/records":    both("", "/agreement", "/figures", "/plan", "/sweeps"),
	"harness/lab/papers":     both("", "/figures"),
	"harness/lab/page":       both("", "/plan", "/papers"),
	"harness/cmd": both("", "/agreement", "/bench", "/collected", "/comparison", "/figures", "/optima", "/oracle", "/own", "/page",
		"/papers", "/plan", "/records", "/sweeps"),
}

// both are the harness and the analysis, with parts of the lab, which joins them.
func both(lab ...string) []string {
	all := []string{"base", "analysis", "harness"}
	for _, name := range lab {
		all = append(all, "harness/lab"+name)
	}
	return all
}

// testsMayImport is what tests may import beyond that.
var testsMayImport = map[string][]string{
	"harness/e2e":    {"analysis"},
	"harness/schema": {"analysis"}, // the schema of the figure section
}

// part is the part of the Go code that a package belongs to.
func part(pkg string) string {
	longest := ""
	for p := range mayImport {
		if (pkg == p || strings.HasPrefix(pkg, p+"/")) && len(p) > len(longest) {
			longest = p
		}
	}
	return longest
}

func TestDirectionOfImports(t *testing.T) {
	const module = "fabriclab/"
	list := exec.CommandContext(t.Context(), "go", "list", "-f", `{{$p := .ImportPath}}{{range .Imports}}{{$p}} {{.}} code
{{end}}{{range .TestImports}}{{$p}} {{.}} test
{{end}}{{range .XTestImports}}{{$p}} {{.}} test
{{end}}`, "./...")
	list.Dir = ".."
	out, err := list.CombinedOutput()
	require.NoError(t, err, string(out))
	seen := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		if len(words) != 3 {
			continue
		}
		pkg := strings.TrimPrefix(words[0], module)
		from := part(pkg)
		require.NotEmpty(t, from, "%s belongs to no part of the Go code; see docs/architecture.md", pkg)
		seen[from] = true
		imported, own := strings.CutPrefix(words[1], module)
		if !own {
			continue
		}
		allowed := append([]string{from}, mayImport[from]...)
		if words[2] == "test" {
			allowed = append(allowed, testsMayImport[pkg]...)
		}
		assert.Contains(t, allowed, part(imported), "the %s of %s imports %s", words[2], pkg, imported)
	}
	for p := range mayImport {
		assert.True(t, seen[p], "there is no package in %s", p)
	}
}
