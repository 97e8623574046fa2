package e2e

import (
	"debug/elf"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// inexact are functions of libm whose last bit may differ from machine to
// machine; what IEEE 754 rounds exactly (sqrt, floor, fma) is not among them.
var inexact = regexp.MustCompile(`^(exp|exp2|exp10|expm1|log|log2|log10|log1p|pow|cbrt|hypot|a?sinh?|a?cosh?|a?tanh?|atan2|sincos|erfc?|[lt]gamma)[fl]?$`)

// TestTheModelAsksNoLibm: core/portable_math.h is there instead.
func TestTheModelAsksNoLibm(t *testing.T) {
	t.Parallel()
	assert.Regexp(t, inexact, "pow")
	assert.NotRegexp(t, inexact, "sqrt")
	// The model is in the library; the program is what starts it.
	library := filepath.Join(filepath.Dir(lab.runner), "..", "ns3-modules", "libns3-fabric.so")
	for file, asks := range map[string]string{library: "floor", lab.runner: "getrusage"} {
		f, err := elf.Open(file)
		require.NoError(t, err)
		symbols, err := f.ImportedSymbols()
		require.NoError(t, err)
		require.NoError(t, f.Close())
		seen := false
		for _, s := range symbols {
			assert.NotRegexp(t, inexact, s.Name, "%s takes it from %s", file, s.Library)
			seen = seen || s.Name == asks
		}
		assert.True(t, seen, "%s has other symbols than it used to: %s is not among them", file, asks)
	}
}
