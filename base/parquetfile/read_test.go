package parquetfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type row struct {
	Number uint32 `parquet:"number"`
	Text   string `parquet:"text"`
}

// written is a file of two row groups with n rows each.
func written(t *testing.T, n int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.parquet")
	f, err := os.Create(path)
	require.NoError(t, err)
	w := parquet.NewGenericWriter[row](f)
	for group := range 2 {
		for i := range n {
			_, err := w.Write([]row{{Number: uint32(group*n + i), Text: string(rune('a' + i%26))}})
			require.NoError(t, err)
		}
		require.NoError(t, w.Flush())
	}
	require.NoError(t, w.Close())
	require.NoError(t, f.Close())
	return path
}

func TestRowsAndColumnsOfSeveralGroups(t *testing.T) {
	const n = columnBatch + 10
	f, err := Open(written(t, n))
	require.NoError(t, err)
	defer f.Close()
	rows := f.Rows()
	for i := range 2 * n {
		r, err := rows.Next()
		require.NoError(t, err)
		require.Equal(t, uint32(i), r[0].Uint32())
	}
	_, err = rows.Next()
	require.ErrorIs(t, err, io.EOF)

	seen := 0
	require.NoError(t, f.Scan([]int{1, 0}, func(m int, values [][]parquet.Value) error {
		for i := range m {
			require.Equal(t, uint32(seen), values[1][i].Uint32())
			require.Equal(t, string(rune('a'+seen%n%26)), string(values[0][i].ByteArray()))
			seen++
		}
		return nil
	}))
	assert.Equal(t, 2*n, seen)
	assert.True(t, Unsigned(f.Root().Column("number").Type()))
	assert.False(t, Unsigned(f.Root().Column("text").Type()))

	wrong := errors.New("wrong")
	require.Equal(t, wrong, f.Scan([]int{0}, func(int, [][]parquet.Value) error { return wrong }))
	assert.PanicsWithValue(t, "the caller's", func() {
		_ = f.Scan([]int{0}, func(int, [][]parquet.Value) error { panic("the caller's") })
	}, "it is not taken for damage")
}

func TestDamage(t *testing.T) {
	path := written(t, 100)
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	read := func() error {
		f, err := Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		err = f.Scan([]int{0, 1}, func(int, [][]parquet.Value) error { return nil })
		for rows := f.Rows(); err == nil; {
			_, err = rows.Next()
		}
		return err
	}
	require.ErrorIs(t, read(), io.EOF, "it is whole")
	var damaged *Damaged
	for _, size := range []int{0, 3, len(whole) / 2, len(whole) - 1} {
		require.NoError(t, os.WriteFile(path, whole[:size], 0o644))
		require.ErrorAs(t, read(), &damaged, "%d bytes", size)
	}
	for at := range whole { // it is read, or an error, and never a panic
		changed := append([]byte(nil), whole...)
		changed[at] ^= 0xff
		require.NoError(t, os.WriteFile(path, changed, 0o644))
		if err := read(); !errors.Is(err, io.EOF) || errors.As(err, &damaged) {
			require.ErrorAs(t, err, &damaged, "byte %d", at)
		}
	}
	_, err = Open(filepath.Join(t.TempDir(), "none"))
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.NotErrorAs(t, err, &damaged)
}
