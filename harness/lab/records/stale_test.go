package records

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/analysis/record"
	"fabriclab/harness/engine"
	"fabriclab/harness/lab"
)

// An edit of one mechanism makes the records stale that depend on it, no others.
func TestOnlyRecordsOfAChangedPartAreStale(t *testing.T) {
	now := map[string]engine.Sources{"ns3": {Hash: map[string]string{"base": "1", "rocc": "3", "fncc": "2"}}}
	of := func(parts map[string]string) []string {
		why, err := changedParts(&lab.Lab{}, &record.Record{Engines: map[string]string{"ns3": "3.37"}, Parts: parts}, now)
		require.NoError(t, err)
		return why
	}
	assert.Equal(t, []string{"changed since: rocc"}, of(map[string]string{"base": "1", "rocc": "2", "fncc": "2"}))
	assert.Empty(t, of(map[string]string{"base": "1", "fncc": "2"}))
	assert.Equal(t, []string{"changed since: gone"}, of(map[string]string{"base": "1", "gone": "1"}))
}
