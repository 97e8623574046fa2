package records

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"fabriclab/harness/lab/plan"
	"fabriclab/harness/lab/sweeps"
)

// A record has the default once, named or not.
func TestRecordsHaveAReadingOnce(t *testing.T) {
	under := func(reading map[string]string) sweeps.Runs {
		return sweeps.Runs{Plan: plan.Plan{Experiment: plan.Experiment{Reading: reading}}}
	}
	var got []string
	for _, r := range onceEach([]sweeps.Runs{under(nil), under(map[string]string{}), under(map[string]string{"table": "late"}), under(nil)}) {
		got = append(got, plan.ReadingText(r.Reading))
	}
	assert.Equal(t, []string{"", "table=late"}, got)
}
