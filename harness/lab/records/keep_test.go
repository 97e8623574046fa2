package records

import (
	"io"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/analysis/record"
	"fabriclab/harness/lab"
	"fabriclab/harness/lab/plan"
)

// What a record has of a reading is kept while it is what its runs would come to.
func TestOutcomesAreKeptWhileTheyAreOfToday(t *testing.T) {
	root, err := filepath.Abs("../../..")
	require.NoError(t, err)
	at := &lab.Lab{Out: io.Discard, Err: io.Discard, Set: lab.Settings{Root: root, Scale: "quick", BuildType: "release"}}
	all, err := plan.Load(t.Context(), at, []string{"fncc/fig10"}, plan.Selection{Figure: true, Readings: []string{"table=every-2us"}})
	require.NoError(t, err)
	e := all[0]
	rules, err := e.Spec.Judging()
	require.NoError(t, err)
	controls, err := e.Spec.Controls()
	require.NoError(t, err)

	before := func(change func(*record.Outcome)) *record.Record {
		o := record.Outcome{Reading: "table=every-2us", Judged: rules, Controls: controls}
		for _, p := range e.Points {
			hash, err := p.Hash()
			require.NoError(t, err)
			o.Points = append(o.Points, record.Point{Scenario: hash})
		}
		change(&o)
		return &record.Record{Seeds: e.Seeds, Outcomes: []record.Outcome{{Judged: rules}, o}}
	}
	kept, err := keep(before(func(*record.Outcome) {}), e)
	require.NoError(t, err)
	require.NotNil(t, kept)
	assert.Equal(t, "table=every-2us", kept.Reading)
	for what, change := range map[string]func(*record.Outcome){
		"other seeds":            func(o *record.Outcome) { o.Seeds = []uint64{99} },
		"another reading":        func(o *record.Outcome) { o.Reading = "stages=five" },
		"other claims":           func(o *record.Outcome) { o.Judged = "other" },
		"other controls":         func(o *record.Outcome) { o.Controls = "other" },
		"claims nobody knows":    func(o *record.Outcome) { o.Judged = "" },
		"another scenario":       func(o *record.Outcome) { o.Points[0].Scenario = "other" },
		"fewer scenarios":        func(o *record.Outcome) { o.Points = o.Points[1:] },
		"a scenario that is out": func(o *record.Outcome) { o.Points = append(o.Points, record.Point{Scenario: "more"}) },
	} {
		kept, err := keep(before(change), e)
		require.NoError(t, err)
		assert.Nil(t, kept, what)
	}
}
