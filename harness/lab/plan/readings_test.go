package plan

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/harness/experiment"
)

func TestReadings(t *testing.T) {
	e := &experiment.Experiment{Name: "x/a", Readings: []experiment.Reading{
		{Name: "table", Values: []string{"live", "late"}}, {Name: "stages", Values: []string{"none", "five", "nine"}},
	}}
	for _, c := range []struct {
		asked []string
		want  []map[string]string
		wrong string
	}{
		{asked: nil, want: []map[string]string{nil}},
		{asked: []string{"table=late"}, want: []map[string]string{{"table": "late"}}},
		{asked: []string{"table=live"}, want: []map[string]string{{}}},
		{asked: []string{"table=late", "stages=five"}, want: []map[string]string{{"table": "late", "stages": "five"}}},
		{asked: []string{"all"}, want: []map[string]string{nil, {"table": "late"}, {"stages": "five"}, {"stages": "nine"}}},
		{asked: []string{"all", "table=late"}, wrong: "leave out the others"},
		{asked: []string{"table"}, wrong: "write NAME=VALUE"},
		{asked: []string{"table=late", "table=live"}, wrong: "table is there twice"},
	} {
		got, err := readings(c.asked, e)
		if c.wrong != "" {
			require.ErrorContains(t, err, c.wrong)
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, c.want, got)
	}
	assert.Equal(t, "stages=five,table=late", ReadingText(map[string]string{"table": "late", "stages": "five"}))
}

// A warning of what all readings have in common is told once.
func TestTellOnce(t *testing.T) {
	all := []Experiment{
		{Experiment: &experiment.Experiment{Warnings: []string{"too short"}}}, {},
		{Experiment: &experiment.Experiment{Warnings: []string{"too short", "too long"}}},
	}
	tellOnce(all)
	assert.Equal(t, []string{"too short"}, all[0].Warnings)
	assert.Equal(t, []string{"too long"}, all[2].Warnings)
}
