package game

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"
)

// Optimum is the least load of the most loaded link that any split of the
// traffic reaches: the linear programme
//
//	minimise t, the sum of a user's rates = its demand,
//	the sum of the rates on a link + its slack = t · capacity.
func (g *Game) Optimum() (float64, error) {
	type variable struct{ user, spine int }
	var variables []variable
	for i, u := range g.Users {
		for s := range g.Spines() {
			if g.path(u, s) {
				variables = append(variables, variable{i, s})
			}
		}
	}
	// Links that some user may use: rows of their own, with a slack each.
	type link struct {
		down        bool
		leaf, spine int
	}
	row := map[link]int{}
	var capacity []float64
	rowOf := func(l link, c float64) int {
		r, known := row[l]
		if !known {
			r = len(g.Users) + len(row)
			row[l] = r
			capacity = append(capacity, c)
		}
		return r
	}
	type entry struct {
		row, column int
		value       float64
	}
	var entries []entry
	for column, v := range variables {
		u := g.Users[v.user]
		entries = append(entries,
			entry{v.user, column, 1},
			entry{rowOf(link{false, u.Src, v.spine}, g.Up[u.Src][v.spine]), column, 1},
			entry{rowOf(link{true, u.Dst, v.spine}, g.Down[u.Dst][v.spine]), column, 1})
	}
	t := len(variables)
	for i, c := range capacity {
		entries = append(entries, entry{len(g.Users) + i, t, -c}, entry{len(g.Users) + i, t + 1 + i, 1})
	}
	rows, columns := len(g.Users)+len(capacity), t+1+len(capacity)
	a := mat.NewDense(rows, columns, nil)
	for _, e := range entries {
		a.Set(e.row, e.column, a.At(e.row, e.column)+e.value)
	}
	b := make([]float64, rows)
	for i, u := range g.Users {
		b[i] = u.Demand
	}
	c := make([]float64, columns)
	c[t] = 1
	least, _, err := lp.Simplex(c, a, b, 1e-10, nil)
	if err != nil {
		return 0, fmt.Errorf("the least bottleneck of a game of %d users over %d spines: %w", len(g.Users), g.Spines(), err)
	}
	return least, nil
}
