package build

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// asking is a Checks of a program that is a script; the count of its starts is
// in a file.
func asking(ctx context.Context, t *testing.T, script string) (c *Checks, starts func() int) {
	t.Helper()
	dir := t.TempDir()
	program, count := filepath.Join(dir, "program"), filepath.Join(dir, "starts")
	require.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\nprintf x >>"+count+"\n"+script+"\n"), 0o755))
	return &Checks{ctx: ctx, program: program}, func() int {
		text, err := os.ReadFile(count)
		require.NoError(t, err)
		return len(text)
	}
}

func TestChecksAskOneProgram(t *testing.T) {
	c, starts := asking(t.Context(), t, `while read -r question; do echo "[$question]"; done`)
	for _, question := range []string{"one", "two"} {
		answer, err := c.Check([]byte(question))
		require.NoError(t, err)
		assert.Equal(t, "["+question+"]\n", string(answer))
	}
	require.NoError(t, c.Close())
	assert.Equal(t, 1, starts())
}

// TestAFailedCheckIsTheLast: it says what the program said, and no other
// question starts the program again.
func TestAFailedCheckIsTheLast(t *testing.T) {
	c, starts := asking(t.Context(), t, "read -r question; echo out of ideas >&2; exit 3")
	for range 2 {
		_, err := c.Check([]byte("x"))
		require.ErrorContains(t, err, "--check: exit status 3: out of ideas; build it anew with: fabriclab build")
	}
	require.NoError(t, c.Close())
	assert.Equal(t, 1, starts())
}

func TestACanceledCheckSaysWhy(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	c, _ := asking(ctx, t, "exec sleep 1000")
	why := errors.New("interrupted")
	cancel(why)
	_, err := c.Check([]byte("x"))
	require.ErrorIs(t, err, why)
	assert.NotContains(t, err.Error(), "fabriclab build")

	ctx, cancel = context.WithCancelCause(t.Context())
	c, _ = asking(ctx, t, "exec sleep 1000")
	require.NoError(t, c.start())
	cancel(why)
	_, err = c.Check([]byte("x"))
	require.ErrorIs(t, err, why)
}
