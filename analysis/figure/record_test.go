package figure_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/analysis/chart"
	"fabriclab/analysis/figure"
	"fabriclab/analysis/spec"
)

func read(t *testing.T, dir string) *figure.Stored {
	t.Helper()
	stored, err := figure.Read(dir)
	require.NoError(t, err)
	return stored
}

// drawn counts the points of a plot that reading has given to some line.
func drawn(p chart.Figure) (n int) {
	p.All(func(_ *chart.Panel, l *chart.Line) { n += len(l.Points) })
	return n
}

func TestReadGivesWhatWasWritten(t *testing.T) {
	for id, plots := range map[string]int{"fncc/fig10": 3, "fncc/fig3": 2} {
		results := t.TempDir()
		out := evaluate(t, id, results, nil)
		stored := read(t, out.Dir)
		assert.Equal(t, id, stored.ID)
		assert.Equal(t, "quick", stored.Scale)
		assert.Len(t, stored.Claims, len(out.Claims))
		assert.Equal(t, results, stored.Results())
		assert.Equal(t, filepath.Join(results, filepath.FromSlash(stored.Runs[0].Dir)), stored.RunDir(stored.Runs[0]))
		require.Len(t, stored.Plots, plots)
		for _, p := range stored.Plots {
			csv, err := os.ReadFile(filepath.Join(out.Dir, p.ID+".csv"))
			require.NoError(t, err)
			assert.Equal(t, strings.Count(string(csv), "\n")-1, drawn(p), "every row of %s is a point of one line", p.ID)
		}
	}
}

func TestReadMarksAndStyles(t *testing.T) {
	out := evaluate(t, "fncc/fig10", t.TempDir(), nil)
	rates := read(t, out.Dir).Plots[1]
	panel := rates.Panels[0][1]
	assert.Equal(t, "100 Gb/s, HPCC", panel.Title)
	assert.Equal(t, [2]float64{250, 700}, [2]float64{panel.FromX, panel.ToX})
	require.Len(t, panel.Marks, 2)
	assert.Equal(t, "paper: 330 µs", panel.Marks[0].Text)
	assert.InDelta(t, 330, *panel.Marks[0].X, 0)
	assert.InDelta(t, 50, *panel.Marks[1].Y, 0)
	assert.Equal(t, []string{"flow0", "flow1"}, []string{panel.Lines[0].Name, panel.Lines[1].Name})
	assert.NotEqual(t, panel.Lines[0].Style, panel.Lines[1].Style)
}

func TestReadFCT(t *testing.T) {
	out := evaluateFCT(t, `plots:
  - {id: slowdown, title: S, kind: fct, lines: mechanism, stats: [mean, p95], edges: [0, 2KB, 10KB, 30KB], log: true}
  - {id: cdf, title: S, kind: cdf, lines: mechanism, max_size: 10KB, log: true}
`)
	stored := read(t, out.Dir)
	slowdown := stored.Plots[0]
	assert.True(t, slowdown.LogY)
	p95 := slowdown.Panels[0][1]
	assert.Equal(t, []string{"2KB", "10KB", "30KB"}, p95.Names)
	assert.Equal(t, []float64{2000, 10000, 30000}, p95.At)
	assert.InDelta(t, 2.0405, p95.Lines[0].Points[0].Y, 1e-9)
	assert.InDelta(t, 1.27, p95.Lines[0].Points[0].Error, 0.01, "of two seeds")
	assert.Len(t, p95.Lines[1].Points, 2, "an unfinished flow leaves no statistic")
	assert.Len(t, stored.Plots[1].Panels[0][0].Lines[0].Points, 203)
	assert.NotEmpty(t, slowdown.Missing)
}

func TestReadSaysWhatFailed(t *testing.T) {
	out := evaluate(t, "fncc/fig10", t.TempDir(), func(runs []spec.Run) []spec.Run {
		runs[0].Err = errors.New("the engine crashed")
		return runs
	})
	stored := read(t, out.Dir)
	assert.Equal(t, "the engine crashed", stored.Runs[0].Error)
	assert.Empty(t, stored.Runs[0].Dir)
}

func TestReadErrors(t *testing.T) {
	_, err := figure.Read(t.TempDir())
	require.ErrorIs(t, err, figure.ErrNoFigure)
	require.ErrorContains(t, err, "fabriclab figure ID")

	out := evaluate(t, "fncc/fig3", t.TempDir(), nil)
	path := filepath.Join(out.Dir, "figure.json")
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	for text, want := range map[string]string{
		string(whole[:100]): "figure.json is damaged",
		strings.Replace(string(whole), `"version": 3`, `"version": 9`, 1): "of another version",
	} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		_, err = figure.Read(out.Dir)
		require.ErrorContains(t, err, want)
	}
	require.NoError(t, os.WriteFile(path, whole, 0o644))
	require.NoError(t, os.Remove(filepath.Join(out.Dir, "sweep.parquet")))
	_, err = figure.Read(out.Dir)
	assert.ErrorContains(t, err, "fabriclab figure fncc/fig3")
}

// TestEveryFileOfAFigureIsCovered: a byte changed anywhere is noticed, and so
// is a file that is gone.
func TestEveryFileOfAFigureIsCovered(t *testing.T) {
	out := evaluate(t, "fncc/fig3", t.TempDir(), nil)
	entries, err := os.ReadDir(out.Dir)
	require.NoError(t, err)
	require.Greater(t, len(entries), 8)
	for _, e := range entries {
		path := filepath.Join(out.Dir, e.Name())
		whole, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, at := range []int{0, 1, len(whole) / 3, len(whole) / 2, len(whole) - 2, len(whole) - 1} {
			damaged := bytes.Clone(whole)
			damaged[at] ^= 1
			require.NoError(t, os.WriteFile(path, damaged, 0o644))
			_, err = figure.Read(out.Dir)
			require.Error(t, err, "%s, byte %d of %d", e.Name(), at, len(whole))
			require.ErrorContains(t, err, "fabriclab figure ")
		}
		require.NoError(t, os.Remove(path))
		_, err = figure.Read(out.Dir)
		require.Error(t, err, e.Name())
		require.NoError(t, os.WriteFile(path, whole, 0o644))
		read(t, out.Dir)
	}
}
