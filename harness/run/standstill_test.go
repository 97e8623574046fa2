package run

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/harness/store"
)

func TestStandstillIsSaidInAFewWords(t *testing.T) {
	for text, want := range map[string]string{
		`{"status": "ok"}`:                     "",
		`{"status": "ok", "standstill": null}`: "",
		`{"standstill": {"deadlocks": [{"since_ps": 40000000, "ports": ["b->c class 1", "c->b class 1"]}, {"since_ps": 30500000, "ports": ["a->b class 2", "b->a class 2"]}],
			"paused_for_good": ["a->b class 2"], "dead_hosts": [], "starving": []}}`: "deadlock since 30.5us",
		`{"standstill": {"dead_hosts": [{"host": "h1", "since_ps": 1}], "starving": [{"port": "a->b class 2", "since_ps": 1}, {"port": "a->b class 3", "since_ps": 1}]}}`: "1 host dead for good, 2 classes starving",
	} {
		s, err := parse([]byte(text))
		require.NoError(t, err)
		assert.Equal(t, want, s.Standstill.State())
		assert.Equal(t, want, stateOf(&store.Manifest{Summary: json.RawMessage(text)}))
	}
}
