package game

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"fabriclab/harness/trace"
)

// Table describes the table of games.
var Table = trace.Table{
	Name: "games", Title: "Random routing games, one row per game", Scope: "game",
	Columns: []trace.Column{
		{Name: "game", Type: "u32", Unit: "1", Help: "number of the game"},
		{Name: "users", Type: "u32", Unit: "1", Help: "pairs of leaves with traffic"},
		{Name: "optimum", Type: "f64", Unit: "1", Help: "least load of the most loaded link that any split reaches, as a share of its capacity"},
		{Name: "equal", Type: "f64", Unit: "1", Help: "that load where everybody splits evenly over its paths (ECMP)"},
		{Name: "from_equal", Type: "f64", Unit: "1", Help: "that load in the Nash flow to which the even split leads"},
		{Name: "worst", Type: "f64", Unit: "1", Help: "that load in the worst Nash flow that was found"},
		{Name: "flows", Type: "u32", Unit: "1", Help: "Nash flows found whose most loaded links differ"},
		{Name: "rounds", Type: "u32", Unit: "1", Help: "rounds of best responses that the slowest start took"},
		{Name: "anarchy", Type: "f64", Unit: "1", Help: "worst over optimum, a lower bound of the game's Price of Anarchy"},
		{Name: "equal_ratio", Type: "f64", Unit: "1", Help: "equal over optimum"},
	},
}

// row is a game's row but its number.
type row struct {
	users, flows, rounds             int
	optimum, equal, fromEqual, worst float64
}

// play solves a game from all its starts.
func (p *Params) play(seed uint64, n int) (row, error) {
	g := p.Game(seed, n)
	r := row{users: len(g.Users), equal: g.Bottleneck(g.Equal())}
	var err error
	if r.optimum, err = g.Optimum(); err != nil {
		return r, err
	}
	var found []float64
	for start := range p.Starts {
		x, rounds, err := g.Nash(p.Start(g, seed, n, start))
		if err != nil {
			return r, err
		}
		load := g.Bottleneck(x)
		if start == 0 {
			r.fromEqual = load
		}
		r.worst, r.rounds = max(r.worst, load), max(r.rounds, rounds)
		if !slices.ContainsFunc(found, func(known float64) bool { return math.Abs(known-load) < 1e-6*load }) {
			found = append(found, load)
		}
	}
	r.flows = len(found)
	return r, nil
}

// write plays all games of a seed and writes the table into a folder. Games do
// not depend on each other; stop says whether to give up.
func (p *Params) write(dir string, seed uint64, stop func() error) (file trace.File, err error) {
	writer, err := trace.NewTableWriter(Table, trace.Options{Dir: dir, Names: trace.NodeNames(nil)})
	if err != nil {
		return file, err
	}
	defer func() { err = errors.Join(err, writer.Close()) }()
	columns := make([][]byte, len(Table.Columns))
	for n := range p.Games {
		if err := stop(); err != nil {
			return file, err
		}
		r, err := p.play(seed, n)
		if err != nil {
			return file, fmt.Errorf("game %d of seed %d: %w", n, seed, err)
		}
		for i, v := range []any{n, r.users, r.optimum, r.equal, r.fromEqual, r.worst, r.flows, r.rounds, r.worst / r.optimum, r.equal / r.optimum} {
			switch v := v.(type) {
			case int:
				columns[i] = binary.LittleEndian.AppendUint32(columns[i], uint32(v))
			case float64:
				columns[i] = binary.LittleEndian.AppendUint64(columns[i], math.Float64bits(rounded(v)))
			}
		}
	}
	if err := writer.WriteRows(slices.Concat(columns...), p.Games); err != nil {
		return file, fmt.Errorf("writing the table of games into %s: %w", dir, err)
	}
	return writer.Finish()
}

// rounded keeps nine digits behind the point: what lies beyond is the
// solver's rounding, which need not be the same on every machine.
func rounded(v float64) float64 { return math.Round(v*1e9) / 1e9 }
