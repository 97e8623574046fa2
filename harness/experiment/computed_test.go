package experiment

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/base/catalog"
	_ "fabriclab/harness/allocation" // a kind of computed experiment
	"fabriclab/harness/computed"
	"fabriclab/harness/game"
	"fabriclab/harness/trace"
)

// census is a kind of computed experiment that exists in this test alone: it
// counts the flows of a network.
type census struct {
	Factor int64
	flows  int
}

func (c *census) Write(context.Context, computed.Place) ([]trace.File, error) { return nil, nil }

func init() {
	computed.Register(computed.Kind{
		Key: "census", Network: true, Help: map[string]string{"": "counts flows", "factor": "by which they are multiplied"},
		Tables: []catalog.Table{{Name: "census", Columns: []catalog.Column{{Name: "flows", Type: "u32", Unit: "1"}}}},
		Read: func(s computed.Section, n *computed.Network) computed.Model {
			c := &census{Factor: s.Integer("factor", 1, 1, 10)}
			if n.Flows != nil {
				for range n.Flows.Flows(0) {
					c.flows++
				}
			}
			return c
		},
	})
}

// TestComputedKindOfATest: a new kind needs no edit elsewhere.
func TestComputedKindOfATest(t *testing.T) {
	const network = "topology: {type: star, hosts: 3, rate: 100Gbps, delay: 1us}\nworkload: {type: list, flows: [{src: host0, dst: host1, start: 0us, size: 1KB}, {src: host1, dst: host2, start: 0us, size: 1KB}]}\nrun: {stop: 1ms}\n"
	e, err := loadFile(t, write(t, "census: {factor: 3}\n"+network+"matrix: {topology.hosts: [3, 4], census.factor: [1, 3]}\n"), "")
	require.NoError(t, err)
	assert.True(t, e.Computed())
	require.Len(t, e.Points, 4)
	assert.Equal(t, &census{Factor: 3, flows: 2}, e.Points[1].Model)
	hashes := map[string]bool{}
	for _, p := range e.Points {
		hash, err := p.Hash()
		require.NoError(t, err)
		hashes[hash] = true
	}
	assert.Len(t, hashes, 4, "they depend on the network and on the section")

	d := Describe(testCatalog(t))
	require.Len(t, d.Computed["census"], 1)
	assert.Equal(t, "factor", d.Computed["census"][0].Name)
	for text, want := range map[string]string{
		"census: {factor: 3}\n":                                "needs the key topology",
		"census: {factor: 30}\n" + network:                     "census.factor",
		"census: {fctor: 3}\n" + network:                       `there is no key "fctor" in census`,
		"census: {factor: 3}\npreset: none\n" + network:        "preset is about a simulation, and census is computed",
		"game: {leaves: 3, spines: 2}\n" + network:             "topology is about a simulation, and game is computed",
		"census: {}\ngame: {leaves: 3, spines: 2}\n" + network: "is computed; take one of the two out",
	} {
		_, err := loadFile(t, write(t, text), "")
		assert.ErrorContains(t, err, want)
	}
}

func TestGame(t *testing.T) {
	e, err := loadFile(t, write(t, "game: {leaves: 3, spines: 2, demands: unit, games: 7}\nmatrix: {game.failed: [0, 0.5]}\nscales: {paper: {game: {starts: 9}}}\n"), "paper")
	require.NoError(t, err)
	assert.True(t, e.Computed())
	assert.Equal(t, []string{ComputedEngine}, e.Engines)
	require.Len(t, e.Points, 2)
	assert.Equal(t, &game.Params{Leaves: 3, Spines: 2, Links: 1, Failed: 0.5, Density: 1, Unit: true, Games: 7, Starts: 9}, e.Points[1].Model)
	first, err := e.Points[0].Hash()
	require.NoError(t, err)
	second, err := e.Points[1].Hash()
	require.NoError(t, err)
	assert.NotEqual(t, first, second)

	for text, want := range map[string]string{
		"game: {leaves: 3}":                             "game needs the key spines",
		"game: {leaves: 3, spines: 2, failed: 1}":       "no game in which anybody sends",
		"game: {leaves: 3, spines: 2, density: 2}":      "game.density: 2 is above 1",
		"game: {leaves: 3, spines: 2, spine: 2}":        `there is no key "spine" in game`,
		"game: {leaves: 3, spines: 2}\nrun: {stop: 1s}": "run is about a simulation, and game is computed",
	} {
		_, err := loadFile(t, write(t, text+"\n"), "")
		assert.ErrorContains(t, err, want)
	}
}
