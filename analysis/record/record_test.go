package record_test

import (
	"io/fs"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/analysis/claims"
	"fabriclab/analysis/record"
)

func TestWrittenAndRead(t *testing.T) {
	dir := t.TempDir()
	r := record.Record{
		Figure: "x/a", Title: "t", Scale: "quick", Commit: "abc", Engines: map[string]string{"ns3": "3.37"}, Seeds: []uint64{1, 2}, Parts: map[string]string{"base": "1"},
		Outcomes: []record.Outcome{
			{Command: "c", Claims: []record.Claim{record.ClaimOf(claims.Result{ID: "a", Verdict: claims.Reproduced, Expected: 2.0, Measured: 1.9, Interval: 0.1, Unit: "us"}),
				record.ClaimOf(claims.Result{ID: "b", Verdict: claims.NotEvaluated, Expected: "x < y", Elsewhere: true})},
				Points: []record.Point{{Labels: map[string]string{"preset": "hpcc"}, Engine: "ns3", Scenario: "12", Measures: map[string][2]any{"t": {"never", nil}, "q": {1.5, 0.5}}}}},
			{Reading: "t=late", Command: "d", Claims: []record.Claim{}, Points: []record.Point{}},
		},
	}
	path, err := record.Write(dir, r)
	require.NoError(t, err)
	got, err := record.Read(dir, "x/a")
	require.NoError(t, err)
	r.Format, r.Version = got.Format, got.Version
	assert.Equal(t, &r, got)
	assert.Nil(t, got.Outcome("").Claims[1].Expected, "an expression is no number of the paper")
	assert.Equal(t, "1.9 ± 0.1 µs", got.Outcome("").Claims[0].MeasuredText())
	assert.Nil(t, got.Outcome("t=early"))

	_, err = record.Read(dir, "x/b")
	require.ErrorIs(t, err, fs.ErrNotExist)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, text[:len(text)/2], 0o666))
	_, err = record.Read(dir, "x/a")
	require.ErrorContains(t, err, "is damaged")
	require.ErrorContains(t, err, "fabriclab record x/a --scale SCALE")
}
