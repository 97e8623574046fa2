package measure

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/analysis/series"
	"fabriclab/analysis/spec"
)

// TestAFailedRunsLogIsNoCaption: what a picture says of a run that failed is that
// it failed, not its log.
func TestAFailedRunsLogIsNoCaption(t *testing.T) {
	_, err := Series(nil, spec.Series{}, series.Window{}, spec.Run{Err: errors.New("the simulator crashed\n    | its last words")})
	require.Error(t, err)
	assert.Equal(t, "the run failed", err.Error())
}
