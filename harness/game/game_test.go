package game_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/harness/game"
)

func one(x float64, leaves, spines int) [][]float64 {
	m := make([][]float64, leaves)
	for i := range m {
		m[i] = make([]float64, spines)
		for s := range m[i] {
			m[i][s] = x
		}
	}
	return m
}

// figure2 is CONGA's Figure 2: leaf 0 sends 100 Gb/s to leaf 1; all links have
// 80 Gb/s but spine 1's to leaf 1, which has 40.
func figure2() *game.Game {
	g := &game.Game{Up: one(80, 2, 2), Down: one(80, 2, 2), Users: []game.User{{Src: 0, Dst: 1, Demand: 100}}}
	g.Down[1][1] = 40
	return g
}

// TestFigure2: the numbers printed in the paper.
func TestFigure2(t *testing.T) {
	g := figure2()
	require.NoError(t, g.Check())

	ecmp := g.Rates(g.Equal(), false)
	assert.InDelta(t, 90, ecmp.Total(), 1e-9)
	assert.InDeltaSlice(t, []float64{50, 40}, ecmp[0], 1e-9)

	local := g.Rates(g.Equal(), true) // the uplinks are equal, so their loads are
	assert.InDelta(t, 80, local.Total(), 1e-9)
	assert.InDeltaSlice(t, []float64{40, 40}, local[0], 1e-9)

	x, _, err := g.Nash(g.Equal())
	require.NoError(t, err)
	assert.InDeltaSlice(t, []float64{200. / 3, 100. / 3}, x[0], 1e-9)
	assert.InDelta(t, 100, g.Rates(x, false).Total(), 1e-9)
	assert.InDelta(t, 5./6, g.Bottleneck(x), 1e-12)
}

// figure3 is CONGA's Figure 3: all links have 40 Gb/s, leaf 0 is joined with
// spine 0 only.
func figure3(from0, from1 float64) *game.Game {
	g := &game.Game{Up: one(40, 3, 2), Down: one(40, 3, 2)}
	g.Up[0][1], g.Down[0][1] = 0, 0
	if from0 > 0 {
		g.Users = append(g.Users, game.User{Src: 0, Dst: 2, Demand: from0})
	}
	g.Users = append(g.Users, game.User{Src: 1, Dst: 2, Demand: from1})
	return g
}

// TestFigure3: CONGA carries all of both demands, which no fixed weight does.
func TestFigure3(t *testing.T) {
	games := []*game.Game{figure3(0, 80), figure3(40, 40)}
	for i, want := range [][]float64{{40, 40}, {0, 40}} {
		x, _, err := games[i].Nash(games[i].Equal())
		require.NoError(t, err)
		assert.InDeltaSlice(t, want, x[len(x)-1], 1e-9)
		assert.InDelta(t, 80, games[i].Rates(x, false).Total(), 1e-9)
	}
	for weight := 0.0; weight <= 1; weight += 0.01 {
		carried := math.Inf(1)
		for _, g := range games {
			x := g.Equal()
			demand := g.Users[len(x)-1].Demand
			x[len(x)-1] = []float64{weight * demand, (1 - weight) * demand}
			carried = min(carried, g.Rates(x, false).Total())
		}
		assert.Less(t, carried, 80.-1, "weight %g", weight)
	}
}

// TestBest: by hand. Spine 0 has room for b·10 - 4, spine 1 for the smaller of
// b·10 - 1 and b·5; together they hold 8 at b = 12/15.
func TestBest(t *testing.T) {
	g := &game.Game{Up: one(10, 3, 2), Down: one(10, 3, 2), Users: []game.User{{0, 1, 8}, {0, 2, 5}}}
	g.Down[1][1] = 5
	x := game.Split{{8, 0}, {4, 1}}
	split, load := g.Best(x, 0)
	assert.InDelta(t, 0.8, load, 1e-12)
	assert.InDeltaSlice(t, []float64{4, 4}, split, 1e-12)
	assert.InDelta(t, 1.2, g.Own(x, 0), 1e-12)
	assert.InDelta(t, 1.2, g.Bottleneck(x), 1e-12)
	x[0] = split
	assert.InDelta(t, 0.8, g.Own(x, 0), 1e-12)
	again, load := g.Best(x, 0)
	assert.InDeltaSlice(t, split, again, 1e-12)
	assert.InDelta(t, 0.8, load, 1e-12)
}

// TestPriceOfAnarchy: three leaves, three spines, all links 1, every leaf sends
// 1 to every other. Spine ij "belongs to" leaves i and j. With all of i's
// traffic to j on spine ij, every other way of it has a link that somebody
// else fills: i's uplink to spine ik (i to k), or spine jk's link to j (k to
// j). So this is a Nash flow with the bottleneck 1, and the dynamics stay. The
// traffic of a leaf is 2 and it has 3 uplinks: no split is below 2/3, which
// the equal one has. The Price of Anarchy is 3/2 or more.
func TestPriceOfAnarchy(t *testing.T) {
	g := &game.Game{Up: one(1, 3, 3), Down: one(1, 3, 3)}
	spine := map[[2]int]int{{0, 1}: 0, {1, 2}: 1, {0, 2}: 2}
	var locked game.Split
	for i := range 3 {
		for j := range 3 {
			if i != j {
				g.Users = append(g.Users, game.User{Src: i, Dst: j, Demand: 1})
				x := make([]float64, 3)
				x[spine[[2]int{min(i, j), max(i, j)}]] = 1
				locked = append(locked, x)
			}
		}
	}
	x, rounds, err := g.Nash(locked)
	require.NoError(t, err)
	assert.Equal(t, 1, rounds, "nobody moves")
	assert.InDelta(t, 1, g.Bottleneck(x), 1e-12)
	least, err := g.Optimum()
	require.NoError(t, err)
	assert.InDelta(t, 2./3, least, 1e-9)
	assert.InDelta(t, 2./3, g.Bottleneck(g.Equal()), 1e-12)
}

// TestNash: from any start the users come to rest, nobody gains by moving
// alone, and nothing is below the optimum.
func TestNash(t *testing.T) {
	p := game.Params{Leaves: 4, Spines: 3, Links: 2, Failed: 0.2, Density: 0.8, Games: 10, Starts: 10}
	for n := range p.Games {
		g := p.Game(1, n)
		require.NoError(t, g.Check())
		least, err := g.Optimum()
		require.NoError(t, err)
		for start := range p.Starts {
			x, _, err := g.Nash(p.Start(g, 1, n, start))
			require.NoError(t, err)
			assert.GreaterOrEqual(t, g.Bottleneck(x), least*(1-1e-9))
			for i, u := range g.Users {
				_, load := g.Best(x, i)
				assert.LessOrEqual(t, g.Own(x, i), load*(1+1e-9))
				sum := 0.0
				for _, rate := range x[i] {
					sum += rate
				}
				assert.InDelta(t, u.Demand, sum, 1e-9, "all of the traffic goes somewhere")
			}
		}
	}
}

func TestCheck(t *testing.T) {
	g := figure3(1, 1)
	g.Down[2][0] = 0
	require.ErrorContains(t, g.Check(), "user 0, leaf 0 to leaf 2, has no path")
	g.Users = []game.User{{1, 2, 0}}
	assert.ErrorContains(t, g.Check(), "user 0 has the demand 0")
}
