package progress

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNothingCommandsTheTerminal(t *testing.T) {
	for text, want := range map[string]string{
		"plain ü 日本\n\tx":         "plain ü 日本\n\tx",
		"\x1b[31mred\x1b]0;t\x07": `\x1b[31mred\x1b]0;t\x07`,
		"a\rb\x00\x7f":            `a\x0db\x00\x7f`,
		"\u009b31m\u202eback":     `\x9b31m\x202eback`,
	} {
		assert.Equal(t, want, Visible(text))
	}
	evil := Event{Kind: Warning, Run: "run\x1b[2J", Text: "text\x1b[8m", Time: time.Now()}
	var out bytes.Buffer
	NewLines(&out).Event(evil)
	assert.NotContains(t, out.String(), "\x1b")
	out.Reset()
	b := newBlock(&out, func() (int, int) { return 80, 24 })
	b.Event(evil)
	_, err := b.Write([]byte("\x1b[2J"))
	require.NoError(t, err)
	assert.NotContains(t, out.String(), "\x1b[2J")
	assert.NotContains(t, out.String(), "\x1b[8m")

	f, err := os.Create(filepath.Join(t.TempDir(), "f"))
	require.NoError(t, err)
	n, err := VisibleWriter{f}.Write([]byte("\x1b"))
	require.NoError(t, err)
	assert.Equal(t, 1, n)
	text, err := os.ReadFile(f.Name())
	require.NoError(t, err)
	assert.Equal(t, `\x1b`, string(text))
}
