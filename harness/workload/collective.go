package workload

import (
	"fmt"
	"iter"
	"slices"

	"fabriclab/base/random"
	"fabriclab/base/units"
	"fabriclab/harness/scenario"
)

// Collective is a collective operation among ranks, some times one after
// another, as a graph of messages and tasks. Messages of an iteration are of
// the group of its number, from 1.
type Collective struct {
	Operation string // one of Operations
	Algorithm string // ring or tree, of an all-reduce
	Hosts     []uint32
	PerHost   int  // ranks of a host; what they send each other takes no time
	Random    bool // ranks are placed on the hosts at random, not in their order
	Size      uint64
	Chunks    int
	Channels  int
	// Iterations follow each other rank by rank: GapPs after a rank has got all
	// of an iteration it begins the next one.
	Iterations int
	GapPs      int64
	ComputePs  int64 // of an expert, or of a stage for each chunk
	StartPs    int64
	Persistent bool // messages of a channel between two ranks share a connection
	Flow       scenario.Flow
	Rules      Rules
}

// Operations are the collectives there are.
var Operations = []string{"all-reduce", "reduce-scatter", "all-gather", "all-to-all", "moe", "pipeline"}

func (c *Collective) ranks() int { return len(c.Hosts) * c.PerHost }

// divided is over how many messages the size of a rank is divided.
func (c *Collective) divided() int {
	switch {
	case c.Algorithm == "tree":
		return c.Channels * c.Chunks
	case c.Operation == "pipeline":
		return c.Channels
	}
	return c.Channels * c.Chunks * c.ranks()
}

// Expected is how many messages and tasks there are.
func (c *Collective) Expected() float64 {
	n := float64(c.ranks())
	each := float64(c.Channels) * float64(c.Chunks)
	steps := map[string]float64{"all-reduce": 2 * (n - 1), "reduce-scatter": n - 1, "all-gather": n - 1, "all-to-all": n - 1, "moe": 2 * (n - 1), "pipeline": 2}[c.Operation]
	if c.Algorithm == "tree" {
		steps = 2
	}
	tasks := map[string]float64{"moe": 1, "pipeline": 2 * float64(c.Chunks)}[c.Operation]
	return float64(c.Iterations) * n * (float64(each*steps) + tasks + 1)
}

// Check looks for what no graph can be made of.
func (c *Collective) Check() error {
	n := c.ranks()
	if n < 2 {
		return fmt.Errorf("there is one rank; name two hosts or more")
	}
	if len(c.Hosts) < 2 {
		return fmt.Errorf("all %d ranks are on one host, and what they send each other takes no time; name two hosts or more", n)
	}
	if parts := uint64(c.divided()); c.Size < parts {
		return fmt.Errorf("size: %s are divided over %d messages (channels, chunks, ranks); make it a byte each at least", units.FormatBytes(int64(c.Size)), parts)
	}
	if n := c.Expected(); n > MostMessages {
		return fmt.Errorf("there would be about %.0f messages and tasks, which are held in memory; make it at most %d: fewer ranks, chunks, channels or iterations", n, MostMessages)
	}
	if c.StartPs >= c.Rules.StopPs {
		return fmt.Errorf("it starts at %s, but the run stops at %s; start it before that or let the run go on", units.FormatTime(c.StartPs), units.FormatTime(c.Rules.StopPs))
	}
	return nil
}

// Pairs yields the pairs of hosts that may be neighbours.
func (c *Collective) Pairs() iter.Seq2[uint32, uint32] {
	return (&Permutation{Sources: c.Hosts, Destinations: c.Hosts}).Pairs()
}

// Names is nil: the messages have no names.
func (c *Collective) Names() []string { return nil }

// HasConnections says whether messages share connections.
func (c *Collective) HasConnections() bool { return c.Persistent }

// HasDependencies says that messages wait for each other.
func (c *Collective) HasDependencies() bool { return true }

// Flows yields the graph of a seed.
func (c *Collective) Flows(seed uint64) iter.Seq2[scenario.Flow, error] {
	return func(yield func(scenario.Flow, error) bool) {
		for f, err := range flowsOf(c.build(seed)) {
			if !yield(f, err) {
				return
			}
		}
	}
}

// build makes all messages and tasks, by id.
func (c *Collective) build(seed uint64) []scenario.Flow {
	hosts := slices.Clone(c.Hosts)
	if c.Random {
		draw := random.New(seed, "collective.placement", 0)
		shuffle(hosts, len(hosts), &draw)
	}
	ports := random.New(seed, "collective.ports", 0)
	g := &graph{c: c, ports: map[[3]int]uint16{}, port: ports.Below(srcPorts)}
	for _, h := range hosts {
		for range c.PerHost {
			g.host = append(g.host, h)
		}
	}
	g.begin = make([][]uint32, c.ranks())
	for i := range c.Iterations {
		g.group = uint32(i + 1)
		g.got = make([][]uint32, c.ranks())
		switch c.Operation {
		case "all-reduce":
			if c.Algorithm == "tree" {
				g.tree()
			} else {
				g.ring(2 * (c.ranks() - 1))
			}
		case "reduce-scatter", "all-gather":
			g.ring(c.ranks() - 1)
		case "all-to-all":
			g.exchange(g.begin)
		case "moe":
			g.experts()
		case "pipeline":
			g.pipeline()
		}
		if i == c.Iterations-1 {
			break
		}
		for r, got := range g.got {
			g.begin[r] = []uint32{g.task(r, c.GapPs, got)}
		}
	}
	if !waits(g.flows) {
		g.flows = slices.DeleteFunc(g.flows, func(f scenario.Flow) bool { return f.Task() })
		for i := range g.flows {
			g.flows[i].ID = uint32(i)
		}
	}
	return g.flows
}

// graph is what has been made so far.
type graph struct {
	c     *Collective
	host  []uint32 // by rank
	flows []scenario.Flow
	group uint32
	ports map[[3]int]uint16 // by sender, receiver and channel
	port  uint32

	begin [][]uint32 // by rank: what it waits for before anything in this iteration
	got   [][]uint32 // by rank: what it gets in this iteration
}

func (g *graph) add(rank int, to uint32, delayPs int64, after []uint32) *scenario.Flow {
	f := g.c.Flow
	f.ID, f.Src, f.Dst, f.StartPs, f.StopPs = uint32(len(g.flows)), g.host[rank], to, g.c.StartPs, -1
	for _, on := range after {
		f.After = append(f.After, scenario.Dependency{On: on, DelayPs: delayPs})
	}
	f = g.c.Rules.complete(f)
	g.flows = append(g.flows, f)
	return &g.flows[f.ID]
}

// task is over so long after all of these.
func (g *graph) task(rank int, delayPs int64, after []uint32) uint32 {
	for len(after) > scenario.MaxDependencies {
		part := g.task(rank, 0, after[:scenario.MaxDependencies])
		after = append(slices.Clone(after[scenario.MaxDependencies:]), part)
	}
	f := g.add(rank, g.host[rank], delayPs, after)
	f.Measured = false
	return f.ID
}

// send makes a message from rank to rank. Between ranks of a host it is a task.
func (g *graph) send(from, to, channel int, size uint64, after ...[]uint32) uint32 {
	all := slices.Concat(after...)
	if g.host[from] == g.host[to] {
		id := g.task(from, 0, all)
		g.got[to] = append(g.got[to], id)
		return id
	}
	f := g.add(from, g.host[to], 0, all)
	f.Size, f.Group = size, g.group
	key := [3]int{from, to, channel}
	port, known := g.ports[key]
	if !known {
		port = uint16(firstSrcPort + (g.port+uint32(len(g.ports)))%srcPorts)
		g.ports[key] = port
	}
	f.SrcPort, f.Persistent = port, g.c.Persistent
	g.got[to] = append(g.got[to], f.ID)
	return f.ID
}

// part is the i-th of n parts of a size, which differ by a byte at most.
func part(size uint64, i, n int) uint64 {
	p := size / uint64(n)
	if uint64(i) < size%uint64(n) {
		p++
	}
	return p
}

// chunk is what a chunk of a channel has of a rank's data.
func (g *graph) chunk(size uint64, channel, chunk int) uint64 {
	return part(part(size, channel, g.c.Channels), chunk, g.c.Chunks)
}

// ring has every rank send a piece to the next one in each step: in the first
// one of its own, then what it got in the step before. A chunk follows the one
// before when the sender knows that its first piece has arrived.
func (g *graph) ring(steps int) {
	n := len(g.host)
	for channel := range g.c.Channels {
		before := make([][]uint32, n) // the first messages of the chunk before
		for chunk := range g.c.Chunks {
			size := g.chunk(g.c.Size, channel, chunk)
			last, next := make([][]uint32, n), make([][]uint32, n)
			for step := range steps {
				for r := range n {
					after := last[r]
					if step == 0 {
						after = before[r]
					}
					piece := ((r-step)%n + n) % n
					id := g.send(r, (r+1)%n, channel, part(size, piece, n), g.begin[r], after)
					next[(r+1)%n] = []uint32{id}
					if step == 0 {
						before[r] = []uint32{id}
					}
				}
				last, next = next, make([][]uint32, n)
			}
		}
	}
}

// tree reduces towards the root of a binary tree and sends the result back.
// The tree of odd channels is that of even ones with the ranks in reverse
// order, so that the leaves of one are inside the other.
func (g *graph) tree() {
	n := len(g.host)
	for channel := range g.c.Channels {
		rank := func(i int) int {
			if channel%2 == 1 {
				return n - 1 - i
			}
			return i
		}
		before := make([][]uint32, n) // what leaves sent of the chunk before
		for chunk := range g.c.Chunks {
			size := g.chunk(g.c.Size, channel, chunk)
			sums, result := make([][]uint32, n), make([][]uint32, n) // what came from the children; from the parent
			for i := n - 1; i > 0; i-- {
				after := sums[i]
				if 2*i+1 >= n {
					after = before[i]
				}
				id := g.send(rank(i), rank((i-1)/2), channel, size, g.begin[rank(i)], after)
				sums[(i-1)/2] = append(sums[(i-1)/2], id)
				before[i] = []uint32{id}
			}
			for i := 1; i < n; i++ {
				parent := (i - 1) / 2
				after := result[parent]
				if parent == 0 {
					after = slices.Concat(g.begin[rank(0)], sums[0])
				}
				result[i] = []uint32{g.send(rank(parent), rank(i), channel, size, after)}
			}
		}
	}
}

// exchange has every rank send a part to every other one, all at once.
func (g *graph) exchange(begin [][]uint32) {
	n := len(g.host)
	for channel := range g.c.Channels {
		before := make([][]uint32, n*n)
		for chunk := range g.c.Chunks {
			for away := 1; away < n; away++ {
				for r := range n {
					to := (r + away) % n
					id := g.send(r, to, channel, part(g.chunk(g.c.Size, channel, chunk), to, n), begin[r], before[r*n+to])
					before[r*n+to] = []uint32{id}
				}
			}
		}
	}
}

// experts dispatches tokens to all ranks, has each compute on what it got, and
// sends the results back.
func (g *graph) experts() {
	g.exchange(g.begin)
	computed := make([][]uint32, len(g.host))
	for r, got := range g.got {
		computed[r] = []uint32{g.task(r, g.c.ComputePs, slices.Concat(g.begin[r], got))}
	}
	g.exchange(computed)
}

// pipeline has every rank be a stage, and every chunk a microbatch: all go
// forward through the stages, then all go back.
func (g *graph) pipeline() {
	n := len(g.host)
	busy := make([][]uint32, n) // what the stage computes last
	stage := func(r, to int, from [][]uint32) {
		busy[r] = []uint32{g.task(r, g.c.ComputePs, slices.Concat(g.begin[r], busy[r], from[r]))}
		g.got[r] = append(g.got[r], busy[r]...)
		from[r] = nil
		if to < 0 || to >= n {
			return
		}
		for channel := range g.c.Channels {
			id := g.send(r, to, channel, part(g.c.Size, channel, g.c.Channels), busy[r])
			from[to] = append(from[to], id)
		}
	}
	from := make([][]uint32, n)
	for range g.c.Chunks {
		for r := range n {
			stage(r, r+1, from)
		}
	}
	for range g.c.Chunks {
		for r := n - 1; r >= 0; r-- {
			stage(r, r-1, from)
		}
	}
}
