package sheet_test

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/analysis/sheet"
	"fabriclab/analysis/table/tabletest"
)

func example() *sheet.Sheet {
	return &sheet.Sheet{
		Columns: []sheet.Column{
			{Name: "z"}, {Name: "a", Kind: sheet.OptionalText}, {Name: "seed", Kind: sheet.Integer}, {Name: "ok", Kind: sheet.Bool}, {Name: "value", Kind: sheet.Number},
		},
		Rows: [][]any{
			{"x", nil, uint64(1), true, 0.1},
			{"y, \"quoted\"", "b", uint64(math.MaxUint64), false, math.Inf(1)},
			{"x", "b", nil, true, nil},
		},
	}
}

func TestWriteAndRead(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, example().Write(dir, "t"))
	text, err := os.ReadFile(filepath.Join(dir, "t.csv"))
	require.NoError(t, err)
	assert.Equal(t, "z,a,seed,ok,value\nx,,1,true,0.1\n\"y, \"\"quoted\"\"\",b,18446744073709551615,false,inf\nx,b,,true,\n", string(text))

	s, err := sheet.ReadFile(filepath.Join(dir, "t.parquet"))
	require.NoError(t, err)
	assert.Equal(t, []string{"z", "a", "seed", "ok", "value"}, s.Names(), "columns stay in their order")
	assert.Equal(t, [][]any{
		{"x", nil, 1.0, true, 0.1}, {"y, \"quoted\"", "b", float64(math.MaxUint64), false, math.Inf(1)}, {"x", "b", nil, true, nil},
	}, s.Rows)
	s, err = sheet.ReadFile(filepath.Join(dir, "t.csv"))
	require.NoError(t, err)
	assert.Equal(t, [][]any{
		{"x", nil, 1.0, "true", 0.1}, {"y, \"quoted\"", "b", float64(math.MaxUint64), "false", math.Inf(1)}, {"x", "b", nil, "true", nil},
	}, s.Rows)

	// A table of a run, with signed and unsigned integers of all widths.
	tabletest.Write(t, dir, "pauses", []tabletest.Pause{{TimePs: -1, Node: "s1", Port: 65535, Class: 255, Xoff: true}})
	s, err = sheet.ReadFile(filepath.Join(dir, "pauses.parquet"))
	require.NoError(t, err)
	assert.Equal(t, [][]any{{-1.0, "s1", 65535.0, "", 255.0, true, false}}, s.Rows)
}

func TestReadErrors(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"empty.csv": "", "ragged.csv": "a,b\n1\n", "damaged.parquet": "PAR1 no", "x.txt": ""} {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		_, err := sheet.ReadFile(path)
		require.ErrorContains(t, err, path)
	}
	_, err := sheet.ReadFile(filepath.Join(dir, "none.csv"))
	require.ErrorIs(t, err, os.ErrNotExist)
	twice := sheet.Sheet{Columns: []sheet.Column{{Name: "a"}, {Name: "a"}}}
	require.ErrorContains(t, twice.Write(dir, "twice"), `two columns "a"`)
	assert.NoFileExists(t, filepath.Join(dir, "twice.parquet"))
}
