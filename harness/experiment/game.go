package experiment

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"fabriclab/harness/game"
)

// ComputedEngine is the engine of points that are computed, not simulated.
const ComputedEngine = "computed"

// gameKey is what a point has in place of all that a simulation needs.
const gameKey = "game"

// Computed says whether the experiment's points are computed, not simulated;
// they then have a Game and nothing that is simulated.
func (e *Experiment) Computed() bool { return len(e.Points) > 0 && e.Points[0].Game != nil }

// gamePoint reads a point of an experiment about routing games.
func (l *loader) gamePoint(s *section, c combination) *Point {
	before := l.found
	for _, key := range pointKeys {
		if n := s.get(key); n != nil && key != gameKey {
			l.problem(n, "%s is about a simulation, and a game is computed; take one of the two out", key)
		}
	}
	g := l.game(s.sub(gameKey))
	if l.found > before {
		return nil
	}
	point := &Point{Labels: c.labels, Game: g}
	point.hash = func() (string, error) {
		text, err := json.Marshal(g)
		if err != nil {
			return "", fmt.Errorf("%s: %w", l.name, err)
		}
		sum := sha256.Sum256(append([]byte("fabriclab-game 1\n"), text...))
		return hex.EncodeToString(sum[:8]), nil
	}
	return point
}

func (l *loader) game(s *section) *game.Params {
	share := func(key string, def float64) float64 {
		x := s.float(key, def)
		if x > 1 {
			l.problem(s.get(key), "%s: %g is above 1; it is a probability", s.name(key), x)
		}
		return x
	}
	number := func(key, example string, least int64) int {
		s.need(key, example)
		return int(s.integer(key, least, least, 1000))
	}
	p := &game.Params{
		Leaves: number("leaves", "3", 2), Spines: number("spines", "3", 1), Links: int(s.integer("parallel_links", 1, 1, 100)),
		Failed: share("failed", 0), Density: share("density", 1), Unit: s.choice("demands", "uniform", "unit") == "unit",
		Games: int(s.integer("games", 100, 1, 1e6)), Starts: int(s.integer("starts", 20, 1, 1e6)),
	}
	if p.Failed >= 1 || p.Density == 0 {
		l.problem(s.node, "%s: with failed 1 or density 0 there is no game in which anybody sends", s.path)
	}
	s.done()
	return p
}
