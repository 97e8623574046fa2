package base_test

import (
	"os/exec"
	"slices"
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
	"harness/lab": {"base", "analysis", "harness"},
	"harness/cmd": {"base", "analysis", "harness", "harness/lab"},
	"harness/e2e": {"base", "analysis", "harness"}, // tests alone
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

// TestDirectionOfImports takes the imports of tests along.
func TestDirectionOfImports(t *testing.T) {
	const module = "fabriclab/"
	list := exec.Command("go", "list", "-f", `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}{{range .TestImports}} {{.}}{{end}}{{range .XTestImports}} {{.}}{{end}}`, "./...")
	list.Dir = ".."
	out, err := list.CombinedOutput()
	require.NoError(t, err, string(out))
	seen := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		pkg := strings.TrimPrefix(words[0], module)
		from := part(pkg)
		if !assert.NotEmpty(t, from, "%s belongs to no part of the Go code; see docs/architecture.md", pkg) {
			continue
		}
		seen[from] = true
		for _, imported := range words[1:] {
			name, own := strings.CutPrefix(imported, module)
			if !own {
				continue
			}
			to := part(name)
			assert.True(t, to == from || slices.Contains(mayImport[from], to), "%s imports %s: %s may import %v", pkg, name, from, mayImport[from])
		}
	}
	for p := range mayImport {
		assert.True(t, seen[p], "there is no package in %s", p)
	}
}
