package workload

import (
	"fmt"

	"fabriclab/base/random"
	"fabriclab/harness/scenario"
)

// Connections are the persistent connections of every pair of hosts, on which
// flows are messages; 0 = every flow is a connection of its own.
type Connections struct {
	PerPair int
	// ClosedLoop: the time between two messages of a connection counts from the
	// end of the first one, as if its clock stood still while one is under way.
	ClosedLoop bool
}

// The source port of a pair's first connection, below those of single flows;
// sub-flows of MPTCP have the ports behind it.
const (
	firstConnectionPort = 32768
	// MostConnections of a pair leave room for 64 sub-flows each.
	MostConnections = firstSrcPort - firstConnectionPort - 64
)

// assignConnection puts the flow on one of its pair's connections, drawn at random.
func (c Connections) assignConnection(f *scenario.Flow, draw *random.Stream) {
	if c.PerPair > 0 {
		f.Persistent, f.ClosedLoop = true, c.ClosedLoop
		f.SrcPort = uint16(firstConnectionPort + int(draw.Below(uint32(c.PerPair))))
	}
}

func (c Connections) checkConnections() error {
	if c.PerPair < 0 || c.PerPair > MostConnections {
		return fmt.Errorf("%d connections per pair of hosts; there are 0 to %d", c.PerPair, MostConnections)
	}
	if c.ClosedLoop && c.PerPair == 0 {
		return fmt.Errorf("a closed loop is asked for without connections, and only the messages of a persistent connection can wait for each other; say how many a pair of hosts has, such as connections: 1")
	}
	return nil
}

// HasConnections says whether flows may be messages on persistent connections.
func (c Connections) HasConnections() bool { return c.PerPair > 0 }

// HasConnections says whether the flows of a workload may be messages on
// persistent connections.
func HasConnections(g Generator) bool {
	c, ok := g.(interface{ HasConnections() bool })
	return ok && c.HasConnections()
}
