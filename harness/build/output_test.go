package build

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFirstErrorSkipsWhatCameBefore(t *testing.T) {
	notes := strings.Repeat("note: in instantiation of …\n", 100)
	got := firstError("[1/9] Building a.cc\n/x/a.cc:3:1: error: no such thing\n" + notes)
	assert.True(t, strings.HasPrefix(got, "/x/a.cc:3:1: error: no such thing\n"), got)
	assert.Len(t, strings.Split(got, "\n"), errorLines)
	assert.Equal(t, "ninja: stopped", firstError("ninja: stopped"))
}

func TestStatusPassesOnALineNowAndThen(t *testing.T) {
	var out strings.Builder
	w := &statusWriter{out: &out, last: time.Now().Add(-2 * statusEvery)}
	for _, text := range []string{"-- Configuring done\n", "[1/9] Building a.cc\nwarning: x\n", "[2/9] Building b.cc\n"} {
		n, err := w.Write([]byte(text))
		require.NoError(t, err)
		assert.Len(t, text, n)
	}
	assert.Equal(t, "  [1/9] Building a.cc\n", out.String())
}
