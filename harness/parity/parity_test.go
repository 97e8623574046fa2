package parity_test

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/harness/parity"
	"fabriclab/harness/trace"
	"fabriclab/harness/trace/tracetest"
)

// run makes a run directory with the tables drops, flows and queues.
func run(t *testing.T, queueRows ...[]any) string {
	t.Helper()
	var b bytes.Buffer
	w, err := tracetest.NewWriter(&b, tracetest.Header())
	require.NoError(t, err)
	require.NoError(t, w.Rows("queues", queueRows...))
	require.NoError(t, w.End())
	dir := t.TempDir()
	_, err = trace.Ingest(context.Background(), &b, trace.Options{Dir: dir, Names: tracetest.Names(), Derived: []trace.Derived{trace.IdealFCT(func(_, _ uint32, _ uint64) (int64, bool) { return 0, false })}})
	require.NoError(t, err)
	return dir
}

var (
	first  = []any{1000, 2, 1, 1, 100, 1, 200}
	second = []any{2000, 2, 1, 1, 300, 2, 400}
	other  = []any{2000, 2, 1, 1, 301, 2, 400}
)

func TestCompareShowsTheFirstDifference(t *testing.T) {
	a := run(t, first, second)
	same, err := parity.Compare(a, run(t, first, second))
	require.NoError(t, err)
	assert.Empty(t, same)

	differ, err := parity.Compare(a, run(t, first, other))
	require.NoError(t, err)
	require.Len(t, differ, 1)
	assert.Contains(t, differ[0], "table queues (2 and 2 rows): row 2")
	assert.Contains(t, differ[0], ",300,")
	assert.Contains(t, differ[0], ",301,")

	short, err := parity.Compare(a, run(t, first))
	require.NoError(t, err)
	require.Len(t, short, 1)
	assert.Contains(t, short[0], "one of them ends after 1 rows")

	b := run(t, first, second)
	require.NoError(t, os.Remove(b+"/drops.parquet"))
	missing, err := parity.Compare(a, b)
	require.NoError(t, err)
	assert.Equal(t, []string{"table drops is in one run only"}, missing)
}

func TestDigestsAreKeptAndChecked(t *testing.T) {
	tables, err := parity.Tables(run(t, first, second))
	require.NoError(t, err)
	assert.Equal(t, int64(2), tables["queues"].Rows)
	r := parity.Run{Point: "preset=hpcc", ScenarioHash: "abc", Seed: 1, Tables: tables}
	d := &parity.Digest{Experiment: "fncc/fig10", Scale: "quick", Engines: map[string]string{"ns3": "3.37"}}
	d.Add(r)
	dir := t.TempDir()
	require.NoError(t, d.Save(dir))
	rocc := *d
	rocc.Experiment = "fncc/fig10-rocc"
	require.NoError(t, rocc.Save(dir))
	scales, err := parity.Scales(dir, "fncc/fig10")
	require.NoError(t, err)
	assert.Equal(t, []string{"quick"}, scales)
	d, err = parity.Load(dir, "fncc/fig10", "quick")
	require.NoError(t, err)
	assert.Empty(t, d.Check(r))
	assert.Empty(t, d.Unmet(d))
	assert.Equal(t, []string{"preset=hpcc seed 1"}, d.Unmet(&parity.Digest{}), "a point that the experiment has no more")
	assert.Empty(t, d.Check(parity.Run{Point: "preset=hpcc", ScenarioHash: "abd", Seed: 1, Tables: tables}), "the same tables, by another scenario")

	changed, err := parity.Tables(run(t, first, other))
	require.NoError(t, err)
	differ := d.Check(parity.Run{Point: "preset=hpcc", ScenarioHash: "abd", Seed: 1, Tables: changed})
	require.Len(t, differ, 2)
	assert.Contains(t, differ[0], "table queues has 2 rows")
	assert.Contains(t, differ[1], "the scenario is another one")
	assert.Contains(t, d.Check(parity.Run{Point: "preset=hpcc", ScenarioHash: "abc", Seed: 2})[0], "no such run")
}

// digest has a point for each name, with tables that are the same where what
// they are made of is.
func digest(of map[string]string) *parity.Digest {
	d := &parity.Digest{Engines: map[string]string{"ns3": "3.37"}}
	for point, sum := range of {
		for seed := range uint64(2) {
			if seed == 1 {
				sum = "same"
			}
			d.Add(parity.Run{Point: point, ScenarioHash: "h" + point, Seed: seed, Tables: map[string]parity.Table{"flows": {Rows: 1, SHA256: sum}}})
		}
	}
	return d
}

func TestPointsThatCannotBeToldApart(t *testing.T) {
	assert.Empty(t, digest(map[string]string{"a": "1", "b": "2"}).Equal(), "one seed tells them apart")
	equal := digest(map[string]string{"a": "1", "b": "2", "c": "1", "d": "3", "e": "2", "f": "1"}).Equal()
	assert.Equal(t, [][]string{{"a", "c", "f"}, {"b", "e"}}, equal)
}

func TestRenewalKeepsWhatDidNotMove(t *testing.T) {
	old := digest(map[string]string{"a": "1", "b": "2", "c": "3"})
	renewed := digest(map[string]string{"a": "1", "b": "other", "d": "3"})
	renewed.Engines = map[string]string{"ns3": "3.44"}
	kept := renewed.Points["a"]
	kept.ScenarioHash = "another"
	renewed.Points["a"] = kept
	assert.Equal(t, []string{"b", "c", "d"}, renewed.Keep(old))
	assert.Equal(t, "ha", renewed.Points["a"].ScenarioHash, "its tables are the same")
	assert.Equal(t, "3.44", renewed.Engines["ns3"])
	same := digest(map[string]string{"a": "1", "b": "2", "c": "3"})
	same.Engines = map[string]string{"ns3": "3.44"}
	assert.Empty(t, same.Keep(old))
	assert.Equal(t, old, same)
}

func TestADigestThatIsNotThereOrDamaged(t *testing.T) {
	dir := t.TempDir()
	_, err := parity.Load(dir, "fncc/fig10", "quick")
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorContains(t, err, "fabriclab parity fncc/fig10 --scale quick --update")
	require.NoError(t, os.WriteFile(parity.File(dir, "fncc/fig10", "quick"), []byte("{"), 0o644))
	_, err = parity.Load(dir, "fncc/fig10", "quick")
	require.ErrorContains(t, err, "is damaged")
	assert.ErrorContains(t, err, "fabriclab parity fncc/fig10 --scale quick --update")
}
