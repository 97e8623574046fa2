package run

import (
	"runtime"
	"sync"

	"fabriclab/harness/scenario"
)

// cores deals this machine's cores to simulations: one to each, and to a
// simulation beside which few others run what those leave.
type cores struct {
	mu   sync.Mutex
	free int
	left int // simulations that have not ended
}

func newCores(simulations int) *cores { return &cores{free: runtime.NumCPU(), left: simulations} }

// take says how many threads a simulation has that begins, of which at most
// jobs run at a time. Where it is not threaded, it has one.
func (c *cores) take(jobs int, threaded bool) int { return c.takeOf(jobs, runtime.NumCPU(), threaded) }

func (c *cores) takeOf(jobs, all int, threaded bool) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 1
	if threaded {
		n = max(n, min(c.free, all/max(1, min(jobs, c.left)), scenario.MostThreads))
	}
	c.free -= n
	return n
}

func (c *cores) giveBack(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.free += n
}

// ended says that there is one simulation less to come.
func (c *cores) ended() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.left--
}
