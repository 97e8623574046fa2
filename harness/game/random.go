package game

import "fabriclab/base/random"

// Params describe random games.
type Params struct {
	Leaves, Spines int
	// Links of capacity 1 join every leaf with every spine, of which each one
	// has failed with probability Failed, in both directions.
	Links  int
	Failed float64
	// Every leaf sends to every other one with probability Density: a demand
	// from 1/1000 to 1, or of 1 with Unit.
	Density float64
	Unit    bool
	Games   int
	Starts  int // from which the users of each game take turns
}

// Game is the n-th game of a seed. Leaves that have no path to each other do
// not send to each other; a game without any traffic is drawn anew.
func (p *Params) Game(seed uint64, n int) *Game {
	draw := random.New(seed, "games", uint64(n))
	for {
		g := &Game{}
		for range p.Leaves {
			row := make([]float64, p.Spines)
			for s := range row {
				for range p.Links {
					if draw.Uniform() >= p.Failed {
						row[s]++
					}
				}
			}
			g.Up, g.Down = append(g.Up, row), append(g.Down, row)
		}
		for src := range p.Leaves {
			for dst := range p.Leaves {
				if src == dst || draw.Uniform() >= p.Density {
					continue
				}
				u := User{Src: src, Dst: dst, Demand: 1}
				if !p.Unit {
					u.Demand = float64(draw.Below(1000)+1) / 1000
				}
				for s := range p.Spines {
					if g.path(u, s) {
						g.Users = append(g.Users, u)
						break
					}
				}
			}
		}
		if len(g.Users) > 0 {
			return g
		}
	}
}

// Start is where the users of the n-th game begin: at start 0 each splits its
// traffic evenly, at the others each sends all of it over one spine, drawn at
// random. Such corners are where bad Nash flows are.
func (p *Params) Start(g *Game, seed uint64, n, start int) Split {
	x := g.Equal()
	if start == 0 {
		return x
	}
	draw := random.New(seed, "starts", uint64(n)*uint64(p.Starts)+uint64(start))
	for i, u := range g.Users {
		clear(x[i])
		for {
			if s := int(draw.Below(uint32(p.Spines))); g.path(u, s) {
				x[i][s] = u.Demand
				break
			}
		}
	}
	return x
}
