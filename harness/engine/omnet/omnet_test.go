package omnet

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNewestFirst(t *testing.T) {
	parent := t.TempDir()
	for _, name := range []string{"omnetpp-6.9", "omnetpp-6.10.1", "omnetpp-6.2", "something"} {
		require.NoError(t, os.Mkdir(filepath.Join(parent, name), 0o755))
	}
	var names []string
	for _, path := range newestFirst(parent) {
		names = append(names, filepath.Base(path))
	}
	require.Equal(t, []string{"omnetpp-6.10.1", "omnetpp-6.9", "omnetpp-6.2"}, names)
}

// installation makes the parts of an installation, but for some.
func installation(t *testing.T, but ...string) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "omnetpp-6.1")
	for _, part := range parts {
		if slices.Contains(but, part) {
			continue
		}
		path := filepath.Join(root, strings.Replace(part, "*", "so", 1))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte("omnetpp-6.1\n"), 0o644))
	}
	return root
}

func TestAHalfBuiltOneIsNone(t *testing.T) {
	root := installation(t)
	t.Setenv("OMNETPP_ROOT", root)
	found, err := Engine{}.Find()
	require.NoError(t, err)
	assert.Equal(t, "6.1", found.Version)

	for _, part := range parts[1:] {
		t.Setenv("OMNETPP_ROOT", installation(t, part))
		_, err = Engine{}.Find()
		require.ErrorContains(t, err, "is not completely built: it has no "+part)
	}
	t.Setenv("OMNETPP_ROOT", t.TempDir())
	_, err = Engine{}.Find()
	assert.ErrorContains(t, err, "no OMNeT++ 6 in there")
}
