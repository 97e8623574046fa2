package records

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"fabriclab/analysis/claims"
	"fabriclab/analysis/record"
	"fabriclab/analysis/spec"
)

// A control that is a reading is judged by what the record has of that reading.
func TestControlByReading(t *testing.T) {
	list := []spec.Claim{{ID: "fast", Control: &spec.Control{Reading: map[string]string{"table": "late"}}}, {ID: "low"}}
	outcome := func(reading, fast string) record.Outcome {
		return record.Outcome{Reading: reading, Claims: []record.Claim{{ID: "fast/1", Verdict: fast}, {ID: "low", Verdict: claims.Reproduced}}}
	}
	for _, c := range []struct {
		under                    []record.Outcome
		controlled, uncontrolled bool
	}{
		{nil, false, true},
		{[]record.Outcome{outcome("table=late", claims.Deviates)}, false, false},
		{[]record.Outcome{outcome("table=late", claims.Reproduced)}, true, false},
	} {
		r := &record.Record{Outcomes: append([]record.Outcome{outcome("", claims.Reproduced)}, c.under...)}
		controlByReading(r, list)
		assert.Equal(t, c.controlled, r.Outcomes[0].Claims[0].Controlled)
		assert.Equal(t, c.uncontrolled, r.Outcomes[0].Claims[0].Uncontrolled)
		assert.False(t, r.Outcomes[0].Claims[1].Controlled || r.Outcomes[0].Claims[1].Uncontrolled)
	}
}
