package file_test

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/base/file"
)

func TestShortLines(t *testing.T) {
	longest := strings.Repeat("x", file.MaxLine)
	for _, whole := range []string{"", "a\nb", longest, longest + "\n" + longest + "\n"} {
		for _, r := range []io.Reader{strings.NewReader(whole), iotest.HalfReader(strings.NewReader(whole))} {
			text, err := io.ReadAll(file.ShortLines(r))
			require.NoError(t, err)
			assert.Equal(t, whole, string(text))
		}
	}
	_, err := io.ReadAll(file.ShortLines(strings.NewReader("a\n" + longest + "\nc\n" + longest + "x\n")))
	require.ErrorContains(t, err, "line 4 is longer than 1048576 bytes")
}
