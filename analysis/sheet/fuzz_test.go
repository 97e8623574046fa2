package sheet_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"fabriclab/analysis/sheet"
)

// FuzzReadFile: a damaged table is an error, not a crash.
func FuzzReadFile(f *testing.F) {
	dir := f.TempDir()
	good := filepath.Join(dir, "good.parquet")
	s := sheet.Sheet{Columns: []sheet.Column{{Name: "a"}, {Name: "n", Kind: sheet.Number}}, Rows: [][]any{{"x", 1.5}, {"y", nil}}}
	require.NoError(f, s.WriteFile(good))
	data, err := os.ReadFile(good)
	require.NoError(f, err)
	f.Add(data, true)
	for at := 0; at < len(data); at += 37 {
		damaged := append([]byte(nil), data...)
		damaged[at] ^= 0x55
		f.Add(damaged, true)
	}
	f.Add([]byte("a,n\nx,1\n"), false)
	f.Add([]byte("a,a\n\"\n"), false)
	f.Fuzz(func(t *testing.T, data []byte, parquet bool) {
		path := filepath.Join(dir, "t.csv")
		if parquet {
			path = filepath.Join(dir, "t.parquet")
		}
		require.NoError(t, os.WriteFile(path, data, 0o644))
		_, _ = sheet.ReadFile(path)
	})
}
