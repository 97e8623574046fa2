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
	root, err := build.FindRoot(".") // as the tool calls it, so that neither builds again what the other has built
	if err != nil {
		return nil, err
	}
	b := build.New(root, build.Release, io.Discard)
	_, err = b.Describe(context.Background())
	return b.Checks(context.Background()), err
})

// model is fabric-describe of this checkout, built if it is stale.
func model(t testing.TB) Checks {
	t.Helper()
	checks, err := theModel()
	require.NoError(t, err)
	return checks
}
