package file

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestGlobTakesTheFolderAsItIs(t *testing.T) {
	dir := filepath.Join(t.TempDir(), `[a-z]*?\`)
	put(t, "", dir, "x", "1.yaml")
	put(t, "", filepath.Dir(dir), "b", "x", "2.yaml")
	assert.Equal(t, []string{filepath.Join(dir, "x", "1.yaml")}, Glob(dir, "x/*.yaml"))
	assert.Empty(t, Glob(dir, "y/*.yaml"))
	assert.True(t, Exists(dir))
	assert.False(t, Exists(filepath.Join(dir, "y")))
}
