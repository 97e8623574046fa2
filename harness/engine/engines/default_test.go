package engines

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/harness/engine"
	"fabriclab/harness/engine/ns3"
)

// usual is a simulator that is found, or not.
type usual struct {
	ns3.Engine
	err error
}

func (u usual) Find() (engine.Installation, error) { return engine.Installation{}, u.err }

// TestTheLastEngineStandsInForTheFirst, where that is not there; but not for one
// that somebody named and that is broken.
func TestTheLastEngineStandsInForTheFirst(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{nil, "ns3"},
		{errors.New("ns3_DIR is /nowhere"), "ns3"},
		{engine.Absent(errors.New("ns-3 is not installed")), "plain"},
	} {
		e, why := defaultOf([]engine.Engine{usual{err: c.err}, engine.Alone{ID: "plain"}})
		assert.Equal(t, c.want, e.Name())
		assert.Equal(t, c.want == "plain", why != nil)
	}
	_, err := Everywhere().Find()
	require.NoError(t, err)
}
