package game

import (
	"context"

	"fabriclab/base/catalog"
	"fabriclab/harness/computed"
	"fabriclab/harness/trace"
)

func init() {
	computed.Register(computed.Kind{
		Key: "game",
		Help: map[string]string{
			"":               "instead of all of a simulation: random routing games in a leaf-spine, computed, not simulated (docs/computed.md)",
			"leaves":         "leaf switches",
			"spines":         "spine switches",
			"parallel_links": "links of capacity 1 between each leaf and spine; default 1",
			"failed":         "probability that a link is missing; default 0",
			"density":        "probability that a leaf sends to another one; default 1",
			"demands":        "how much it sends: from 1/1000 to 1, or always 1",
			"games":          "how many games; default 100",
			"starts":         "from how many splits the users of a game take turns; default 20",
		},
		Tables: []catalog.Table{Table},
		Read:   read,
	})
}

func read(s computed.Section, _ *computed.Network) computed.Model {
	size := func(key, example string, least int64) int {
		s.Need(key, example)
		return int(s.Integer(key, least, least, 1000))
	}
	p := &Params{
		Leaves: size("leaves", "3", 2), Spines: size("spines", "3", 1), Links: int(s.Integer("parallel_links", 1, 1, 100)),
		Failed: s.Share("failed", 0), Density: s.Share("density", 1), Unit: s.Choice("demands", "uniform", "unit") == "unit",
		Games: int(s.Integer("games", 100, 1, 1e6)), Starts: int(s.Integer("starts", 20, 1, 1e6)),
	}
	if p.Failed >= 1 || p.Density == 0 {
		s.Problem("", "with failed 1 or density 0 there is no game in which anybody sends")
	}
	return p
}

// Write implements computed.Model.
func (p *Params) Write(ctx context.Context, place computed.Place) ([]trace.File, error) {
	file, err := p.write(place.Dir, place.Seed, func() error { return context.Cause(ctx) })
	return []trace.File{file}, err
}
