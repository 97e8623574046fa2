package omnet

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNewestFirst(t *testing.T) {
	parent := t.TempDir()
	for _, name := range []string{"omnetpp-6.9", "omnetpp-6.10.1", "omnetpp-6.2", "something"} {
		require.NoError(t, os.Mkdir(filepath.Join(parent, name), 0o755))
	}
	found, err := newestFirst(parent)
	require.NoError(t, err)
	var names []string
	for _, path := range found {
		names = append(names, filepath.Base(path))
	}
	require.Equal(t, []string{"omnetpp-6.10.1", "omnetpp-6.9", "omnetpp-6.2"}, names)
}
