package experiment

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/harness/game"
)

func TestGame(t *testing.T) {
	e, err := loadFile(t, write(t, "game: {leaves: 3, spines: 2, demands: unit, games: 7}\nmatrix: {game.failed: [0, 0.5]}\nscales: {paper: {game: {starts: 9}}}\n"), "paper")
	require.NoError(t, err)
	assert.True(t, e.Computed())
	assert.Equal(t, []string{ComputedEngine}, e.Engines)
	require.Len(t, e.Points, 2)
	assert.Equal(t, &game.Params{Leaves: 3, Spines: 2, Links: 1, Failed: 0.5, Density: 1, Unit: true, Games: 7, Starts: 9}, e.Points[1].Game)
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
		"game: {leaves: 3, spines: 2}\nrun: {stop: 1s}": "run is about a simulation, and a game is computed",
	} {
		_, err := loadFile(t, write(t, text+"\n"), "")
		assert.ErrorContains(t, err, want)
	}
}
