package chart_test

import (
	"bytes"
	"compress/zlib"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/analysis/chart"
)

// page is what a PDF of one page draws; other streams are its fonts.
func page(t *testing.T, pdf []byte) string {
	t.Helper()
	m := regexp.MustCompile(`(?s)stream\n(.*?)\nendstream`).FindSubmatch(pdf)
	require.NotNil(t, m)
	r, err := zlib.NewReader(bytes.NewReader(m[1]))
	require.NoError(t, err)
	text, err := io.ReadAll(r)
	require.NoError(t, err)
	return string(text)
}

// What is no ASCII is in a PDF what it is elsewhere.
func TestLettersOfPDF(t *testing.T) {
	draw := func(label string) string {
		pdf, err := chart.PDF(chart.Figure{XLabel: label, YLabel: "share ± 5 %", Panels: [][]chart.Panel{{{Lines: []chart.Line{{Points: []chart.Point{{X: 1, Y: 1}, {X: 2, Y: 2}}}}}}}})
		require.NoError(t, err)
		return page(t, pdf)
	}
	plain := draw("time (µs)")
	assert.Contains(t, plain, "\xb5s", "µ in the code page of the font")
	assert.Contains(t, plain, "share \xb1 5 %")
	assert.NotContains(t, plain, "\xc2\xb5", "not byte by byte")

	// The font of a PDF has neither of these; they are drawn.
	greek := draw("τ ≥ 5 → 3")
	assert.Equal(t, strings.Count(plain, "Tj")-1, strings.Count(greek, "Tj"), "no text for the label")
	assert.Greater(t, strings.Count(greek, " v\n"), strings.Count(plain, " v\n")+10, "but curves")
}
