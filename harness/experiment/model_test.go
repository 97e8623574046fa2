package experiment

import (
	"context"
	"io"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"fabriclab/harness/build"
)

var theModel = sync.OnceValues(func() (Checks, error) {
	return build.New("../..", build.Release, io.Discard).Checks(context.Background())
})

// model is fabric-describe of this checkout, built if it is stale.
func model(t testing.TB) Checks {
	t.Helper()
	checks, err := theModel()
	require.NoError(t, err)
	return checks
}
