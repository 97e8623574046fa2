package experiment

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// nested is a list in a list, so many levels deep.
func nested(levels int) string { return strings.Repeat("[", levels) + strings.Repeat("]", levels) }

// bomb is a mapping of anchors each of which stands twice in the next.
func bomb(levels int) string {
	var b strings.Builder
	b.WriteString("{x0: &x0 {a: 1, b: 2}")
	for i := 1; i <= levels; i++ {
		fmt.Fprintf(&b, ", x%d: &x%[1]d {a: *x%d, b: *x%[2]d}", i, i-1)
	}
	return b.String() + "}"
}

// TestDeepAndRepeatedValues: what takes exponential time or memory when it is
// written out is refused, or is not written out.
func TestDeepAndRepeatedValues(t *testing.T) {
	anchors := func(use string) string { return "figure: " + bomb(40) + "\n" + use }
	for name, text := range map[string]string{
		"matrix of lists":      "matrix: {topology.rate: " + nested(38) + "}",
		"matrix of mappings":   "matrix: {topology.rate: [" + strings.Repeat("{a: ", 38) + "1" + strings.Repeat("}", 38) + "]}",
		"exclude":              "matrix: {topology.rate: [1Gbps], exclude: [{topology.rate: " + nested(38) + "}]}",
		"include":              "matrix: {topology.rate: [1Gbps], include: [{topology.rate: " + nested(38) + "}]}",
		"engine":               "matrix: {engine: " + nested(38) + "}",
		"very deep":            "matrix: {topology.rate: " + nested(5000) + "}",
		"aliases in matrix":    anchors("matrix: {topology.rate: [*x40]}"),
		"aliases in exclude":   anchors("matrix: {topology.rate: [1Gbps], exclude: [*x40]}"),
		"aliases in scales":    anchors("scales: {quick: *x40}"),
		"aliases of their own": anchors(""),
		"aliases in a mix":     anchors("params: *x40"),
	} {
		t.Run(name, func(t *testing.T) {
			begin := time.Now()
			_, err := loadFile(t, write(t, base+text+"\n"), "")
			assert.Less(t, time.Since(begin), 5*time.Second)
			var problems Problems
			require.ErrorAs(t, err, &problems)
			for _, p := range problems {
				assert.Regexp(t, `^/.*exp\.yaml:\d+:\d+$`, p.Position)
				assert.Less(t, len(p.Text), 10_000)
			}
		})
	}
	_, err := loadFile(t, write(t, base), "", "topology="+bomb(40))
	require.ErrorContains(t, err, "aliases expanded")
	_, err = loadFile(t, write(t, strings.Replace(base, "topology: {", "topology: {x: "+bomb(40)+", ", 1)), "")
	require.ErrorContains(t, err, "aliases expanded")
}

// TestValuesOfSeveralLevelsHaveLabels: as they always had where somebody uses
// them.
func TestValuesOfSeveralLevelsHaveLabels(t *testing.T) {
	text := strings.Replace(base, "preset: hpcc", "preset: hpcc\nmatrix: {trace: [{flows: {}}, {flows: {from: 1us}}]}", 1)
	e, err := loadFile(t, write(t, text), "")
	require.NoError(t, err)
	assert.Equal(t, []string{`trace="flows: \"\""`, `trace="flows: \"from: 1us\""`}, labels(e))
}
