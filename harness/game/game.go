// Package game computes how traffic splits over the spines of a leaf-spine
// network when it is a fluid: no packets, no delay, no estimates. Every user, a
// pair of leaves with a demand, has one path over each spine.
//
// With CONGA every leaf moves its traffic towards the paths whose most loaded
// link is least loaded. What that comes to is a Nash flow of a bottleneck
// routing game (Banner and Orda, Bottleneck routing games in communication
// networks; CONGA, section 6): no user can make the most loaded link that it
// uses less loaded by splitting its own traffic in another way. The Price of
// Anarchy is the load of the network's most loaded link in the worst Nash flow
// over the least that any split could reach.
package game

import (
	"fmt"
	"math"
)

// User is the traffic from one leaf to another one.
type User struct {
	Src, Dst int // leaves
	Demand   float64
}

// Game is a leaf-spine network and its traffic. A capacity of 0 is a link that
// does not exist.
type Game struct {
	Up    [][]float64 // by leaf and spine: capacity from the leaf to the spine
	Down  [][]float64 // by leaf and spine: capacity from the spine to the leaf
	Users []User
}

// Split says how much of its traffic each user sends over each spine.
type Split [][]float64

// Spines is how many there are.
func (g *Game) Spines() int { return len(g.Up[0]) }

// Check looks for what no split can be made of.
func (g *Game) Check() error {
	for i, u := range g.Users {
		paths := 0
		for s := range g.Spines() {
			if g.path(u, s) {
				paths++
			}
		}
		if paths == 0 {
			return fmt.Errorf("user %d, leaf %d to leaf %d, has no path", i, u.Src, u.Dst)
		}
		if !(u.Demand > 0) {
			return fmt.Errorf("user %d has the demand %g; it is above 0", i, u.Demand)
		}
	}
	return nil
}

// path says whether there is a path over a spine.
func (g *Game) path(u User, spine int) bool {
	return g.Up[u.Src][spine] > 0 && g.Down[u.Dst][spine] > 0
}

// loads are the users' traffic on every link.
type loads struct{ up, down [][]float64 }

func (g *Game) loads(x Split) loads {
	l := loads{make([][]float64, len(g.Up)), make([][]float64, len(g.Up))}
	for leaf := range g.Up {
		l.up[leaf], l.down[leaf] = make([]float64, g.Spines()), make([]float64, g.Spines())
	}
	for i, u := range g.Users {
		for s, rate := range x[i] {
			l.up[u.Src][s] += rate
			l.down[u.Dst][s] += rate
		}
	}
	return l
}

// Bottleneck is the load of the most loaded link, as a share of its capacity.
func (g *Game) Bottleneck(x Split) float64 {
	l := g.loads(x)
	most := 0.0
	for leaf := range g.Up {
		for s := range g.Spines() {
			most = max(most, over(l.up[leaf][s], g.Up[leaf][s]), over(l.down[leaf][s], g.Down[leaf][s]))
		}
	}
	return most
}

// over is a load as a share of a capacity, which may be 0.
func over(load, capacity float64) float64 {
	if load == 0 {
		return 0
	}
	return load / capacity
}

// Equal splits every user's traffic evenly over its paths, as ECMP does with
// very many small flows.
func (g *Game) Equal() Split {
	x := make(Split, len(g.Users))
	for i, u := range g.Users {
		x[i] = make([]float64, g.Spines())
		paths := 0
		for s := range x[i] {
			if g.path(u, s) {
				paths++
			}
		}
		for s := range x[i] {
			if g.path(u, s) {
				x[i][s] = u.Demand / float64(paths)
			}
		}
	}
	return x
}

// Rates are what elastic traffic such as TCP's gets through the network. They
// are max-min fair among the users' paths, and no path carries more than its
// part of the split. With together, the paths of a user keep the proportions
// of its split, and the slowest path holds the others back: so does a scheme
// that enforces the split by what it sees of its own links.
func (g *Game) Rates(x Split, together bool) Split {
	out := make(Split, len(g.Users))
	active := make([][]bool, len(g.Users))
	weight := make(Split, len(g.Users)) // growth of a path's rate
	for i, u := range g.Users {
		out[i], active[i], weight[i] = make([]float64, g.Spines()), make([]bool, g.Spines()), make([]float64, g.Spines())
		for s := range x[i] {
			active[i][s] = x[i][s] > 0
			weight[i][s] = 1
			if together {
				weight[i][s] = x[i][s] / u.Demand
			}
		}
	}
	const near = 1e-12 // of a capacity or a demand, for rounding
	for {
		// All active paths grow until one has what it asks for or a link is full.
		growth := Split(make([][]float64, len(g.Users)))
		step, grows := math.Inf(1), false
		for i := range g.Users {
			growth[i] = make([]float64, g.Spines())
			for s := range growth[i] {
				if active[i][s] {
					grows = true
					growth[i][s] = weight[i][s]
					step = min(step, (x[i][s]-out[i][s])/weight[i][s])
				}
			}
		}
		if !grows {
			return out
		}
		load, more := g.loads(out), g.loads(growth)
		for leaf := range g.Up {
			for s := range g.Spines() {
				if more.up[leaf][s] > 0 {
					step = min(step, (g.Up[leaf][s]-load.up[leaf][s])/more.up[leaf][s])
				}
				if more.down[leaf][s] > 0 {
					step = min(step, (g.Down[leaf][s]-load.down[leaf][s])/more.down[leaf][s])
				}
			}
		}
		for i := range g.Users {
			for s := range growth[i] {
				out[i][s] += float64(max(step, 0) * growth[i][s])
			}
		}
		load = g.loads(out)
		for i, u := range g.Users {
			stopped := false
			for s := range out[i] {
				full := load.up[u.Src][s] >= g.Up[u.Src][s]*(1-near) || load.down[u.Dst][s] >= g.Down[u.Dst][s]*(1-near)
				if active[i][s] && (full || out[i][s] >= x[i][s]*(1-near)) {
					active[i][s] = false
					stopped = true
				}
			}
			if stopped && together {
				clear(active[i])
			}
		}
	}
}

// Total is the sum of all rates.
func (x Split) Total() float64 {
	sum := 0.0
	for _, rates := range x {
		for _, rate := range rates {
			sum += rate
		}
	}
	return sum
}
