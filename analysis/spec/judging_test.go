package spec

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Texts say nothing of how runs are judged; tolerances, windows and names do.
func TestJudging(t *testing.T) {
	hash := func(change func(*Figure)) string {
		tolerance := Percent(0.1)
		f := &Figure{
			Dimensions: Ordered[Dimension]{Items: map[string]Dimension{"scheme": {Path: "preset"}}},
			Windows:    Ordered[Window]{Items: map[string]Window{"after": {}}},
			Measures:   Ordered[Measure]{Items: map[string]Measure{"queue": {Kind: "queue_peak", Text: "highest queue"}}},
			Claims:     []Claim{{ID: "lowest", Text: "FNCC is lowest", Tolerance: &tolerance, Line: 3}},
		}
		change(f)
		h, err := f.Judging()
		require.NoError(t, err)
		return h
	}
	same := hash(func(*Figure) {})
	for what, change := range map[string]func(*Figure){
		"a claim's text":   func(f *Figure) { f.Claims[0].Text, f.Claims[0].Line = "other", 4 },
		"a measure's text": func(f *Figure) { f.Measures.Items["queue"] = Measure{Kind: "queue_peak"} },
		"a plot":           func(f *Figure) { f.Plots = []Plot{{}} },
	} {
		assert.Equal(t, same, hash(change), what)
	}
	for what, change := range map[string]func(*Figure){
		"a tolerance": func(f *Figure) { other := Percent(0.2); f.Claims[0].Tolerance = &other },
		"a kind":      func(f *Figure) { f.Measures.Items["queue"] = Measure{Kind: "queue_mean"} },
		"a dimension": func(f *Figure) { f.Dimensions.Items["scheme"] = Dimension{Path: "topology.rate"} },
		"a window":    func(f *Figure) { f.Windows.Items["after"] = Window{Name: "other"} },
	} {
		assert.NotEqual(t, same, hash(change), what)
	}
}
