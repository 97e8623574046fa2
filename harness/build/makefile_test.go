package build

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What the Makefile compiles ahead of the C compiler holds for the program too:
// only its own package is C.
func TestOnlyTheProgramWaitsForTheCCompiler(t *testing.T) {
	makefile, err := os.ReadFile(filepath.Join("..", "..", "Makefile"))
	require.NoError(t, err)
	flags := regexp.MustCompile(`(?m)^export GOFLAGS := \$\(GOFLAGS\) (.*)$`).FindSubmatch(makefile)
	require.NotNil(t, flags)
	list := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{if .CgoFiles}}{{.ImportPath}}{{end}}", "fabriclab/harness/cmd/fabriclab")
	list.Env = append(os.Environ(), "CGO_ENABLED=1", "GOFLAGS="+string(flags[1]))
	out, err := list.Output()
	require.NoError(t, err)
	assert.Equal(t, []string{"runtime/cgo", "fabriclab/harness/cmd/fabriclab"}, strings.Fields(string(out)))
}
