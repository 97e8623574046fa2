package game

import (
	"fmt"
	"slices"
)

// What counts as equal, relative to a bottleneck, and when to give up.
const (
	tolerance = 1e-10
	maxSweeps = 100_000
)

// Own is the load of the most loaded link that a user uses.
func (g *Game) Own(x Split, user int) float64 {
	return g.own(g.loads(x), x, user)
}

func (g *Game) own(l loads, x Split, user int) float64 {
	u := g.Users[user]
	most := 0.0
	for s, rate := range x[user] {
		if rate > 0 {
			most = max(most, l.up[u.Src][s]/g.Up[u.Src][s], l.down[u.Dst][s]/g.Down[u.Dst][s])
		}
	}
	return most
}

// Best is a user's best response: the only split of its traffic with which the
// most loaded link that it uses is as little loaded as it can be, and that
// load. Over spine s a user can send
//
//	room(b) = max(0, min(b·up - others up, b·down - others down))
//
// without a link above the load b. The sum over the spines grows with b, and
// where it reaches the demand, every path is filled up to b.
func (g *Game) Best(x Split, user int) (split []float64, load float64) {
	return g.best(g.loads(x), x, user)
}

func (g *Game) best(l loads, x Split, user int) ([]float64, float64) {
	u := g.Users[user]
	type line struct{ slope, others float64 }
	type pair struct{ up, down line }
	var paths []pair
	var spines []int
	var bends []float64 // where the sum of all room changes its slope
	for s := range g.Spines() {
		if !g.path(u, s) {
			continue
		}
		own := x[user][s]
		p := pair{line{g.Up[u.Src][s], l.up[u.Src][s] - own}, line{g.Down[u.Dst][s], l.down[u.Dst][s] - own}}
		p.up.others, p.down.others = max(p.up.others, 0), max(p.down.others, 0) // rounding
		paths, spines = append(paths, p), append(spines, s)
		bends = append(bends, max(p.up.others/p.up.slope, p.down.others/p.down.slope))
		if p.up.slope != p.down.slope {
			if at := (p.up.others - p.down.others) / (p.up.slope - p.down.slope); at > 0 {
				bends = append(bends, at)
			}
		}
	}
	room := func(p pair, b float64) float64 {
		return max(0, min(float64(b*p.up.slope)-p.up.others, float64(b*p.down.slope)-p.down.others))
	}
	sum := func(b float64) float64 {
		total := 0.0
		for _, p := range paths {
			total += room(p, b)
		}
		return total
	}
	slices.Sort(bends)
	// Between two bends the sum is a straight line.
	low, last := 0.0, 0.0
	high := bends[len(bends)-1] + 1
	for _, b := range bends {
		if sum(b) >= u.Demand {
			high = b
			break
		}
		low, last = b, sum(b)
	}
	load := low + float64((u.Demand-last)/(sum(high)-last)*(high-low))
	split := make([]float64, g.Spines())
	for k, p := range paths {
		split[spines[k]] = room(p, load)
	}
	return split, load
}

// Nash has the users take turns at their best response until none can improve,
// and says in how many rounds. It ends, because every improvement lowers the
// loads of the links, sorted from the highest one down, lexicographically: the
// links a user moves to end no higher than its new bottleneck, which is below
// its old one.
func (g *Game) Nash(start Split) (Split, int, error) {
	x := make(Split, len(start))
	for i := range start {
		x[i] = slices.Clone(start[i])
	}
	for sweep := 1; sweep <= maxSweeps; sweep++ {
		moved := false
		for i := range g.Users {
			l := g.loads(x)
			split, load := g.best(l, x, i)
			if g.own(l, x, i) > load*(1+tolerance) {
				x[i], moved = split, true
			}
		}
		if !moved {
			return x, sweep, nil
		}
	}
	return nil, 0, fmt.Errorf("the users still improve after %d rounds", maxSweeps)
}
