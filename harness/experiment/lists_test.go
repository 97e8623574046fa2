package experiment

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/base/catalog"
)

// curves is an experiment whose hosts have a bandwidth function, and host1
// another one.
const curves = base + `utility:
  type: bandwidth_function
  params:
    curve:
      - [0, 0]
      - [1, 10Gbps]
      - [2, 10.5Gbps]
nodes: {host1: {params: {bandwidth_function: {curve: [[0, 0], [2, 0.5Gbps], [2.5, 10Gbps]]}}}}
`

// A curve goes from YAML to the scenario in bit/s and keeps its units in the
// effective configuration.
func TestCurves(t *testing.T) {
	e, err := loadFile(t, write(t, curves), "")
	require.NoError(t, err)
	p := e.Points[0]
	assert.Equal(t, catalog.List{{0, 0}, {1, 10e9}, {2, 10.5e9}}, p.Scenario.Components.Param("utility", "curve"))
	assert.Equal(t, catalog.List{{0, 0}, {2, 5e8}, {2.5, 10e9}}, p.Scenario.Sets[0].Components.Param("utility", "curve"))
	var compact bytes.Buffer
	require.NoError(t, json.Compact(&compact, []byte(encoded(t, p))))
	assert.Contains(t, compact.String(), `"curve":[[0,0],[1,10000000000],[2,10500000000]]`)
	s := setting(t, p, "utility", "curve")
	assert.Equal(t, "[[0, 0bps], [1, 10Gbps], [2, 10.5Gbps]]", s.Value)
	assert.Equal(t, "file:14", s.Origin)
	assert.Equal(t, "default", setting(t, p, "utility", "alpha").Origin)
}

// A flag and the matrix take curves as the file does.
func TestCurvesFromFlagsAndMatrix(t *testing.T) {
	e, err := loadFile(t, write(t, curves), "", "bandwidth_function.curve=[[0, 0], [1, 5Gbps]]")
	require.NoError(t, err)
	assert.Equal(t, catalog.List{{0, 0}, {1, 5e9}}, e.Points[0].Scenario.Components.Param("utility", "curve"))
	assert.Equal(t, "flag", setting(t, e.Points[0], "utility", "curve").Origin)

	_, err = loadFile(t, write(t, curves), "", "bandwidth_function.curve=[[0, 0], [1, 5]]")
	require.ErrorContains(t, err, `--set bandwidth_function.curve=[[0, 0], [1, 5]]: `)
	require.ErrorContains(t, err, `entry 2: bandwidth: "5" has no unit`)

	e, err = loadFile(t, write(t, base+"utility: bandwidth_function\nmatrix: {bandwidth_function.curve: [[[0, 0], [1, 1Gbps]], [[0, 0], [1, 2Gbps]]]}\n"), "")
	require.NoError(t, err)
	require.Len(t, e.Points, 2)
	assert.Equal(t, catalog.List{{0, 0}, {1, 2e9}}, e.Points[1].Scenario.Components.Param("utility", "curve"))
	assert.Equal(t, `"[0 0] [1 2Gbps]"`, e.Points[1].Labels[0].Value)

	// One number of a curve may be set, or be an axis of its own.
	e, err = loadFile(t, write(t, curves), "", "utility.params.curve.1.1=5Gbps")
	require.NoError(t, err)
	assert.Equal(t, catalog.List{{0, 0}, {1, 5e9}, {2, 10.5e9}}, e.Points[0].Scenario.Components.Param("utility", "curve"))
	e, err = loadFile(t, write(t, strings.Replace(curves, "run:", "matrix: {utility.params.curve.2.1: [11Gbps, 12Gbps]}\nrun:", 1)), "")
	require.NoError(t, err)
	assert.Equal(t, catalog.List{{0, 0}, {1, 10e9}, {2, 12e9}}, e.Points[1].Scenario.Components.Param("utility", "curve"))
}

// What is wrong with a curve is said with the line of its entry.
func TestCurvesAreChecked(t *testing.T) {
	for curve, want := range map[string]string{
		"[0, 0]\n      - [1, 10Gbps]\n      - [2, 9Gbps]": "exp.yaml:17:9: utility.params.curve: entry 3: bandwidth: 9Gbps is not above 10Gbps, the one before",
		"[0, 0]\n      - [1, 10Gbits]":                    `exp.yaml:16:9: utility.params.curve: entry 2: bandwidth: "10Gbits" has the unit "Gbits"`,
		"[0, 0]\n      - [1, {rate: 10Gbps}]":             "exp.yaml:16:9: utility.params.curve: entry 2: write numbers, as in [[0, 0bps], [1, 10Gbps]], not a mapping",
		"[0, 0]\n      - 1":                               "exp.yaml:16:9: utility.params.curve: entry 2: an entry is fair share and bandwidth, and this one has 1 numbers",
		"[0, 0]":                                          "exp.yaml:15:7: utility.params.curve: the list has 1 entries; allowed: from 2 to 1000",
	} {
		text := base + "utility:\n  type: bandwidth_function\n  params:\n    alpha: 5\n    curve:\n      - " + curve + "\n"
		_, err := loadFile(t, write(t, text), "")
		require.ErrorContains(t, err, want)
	}
	_, err := loadFile(t, write(t, base+"utility: {type: bandwidth_function, params: {curve: 10Gbps}}\n"), "")
	require.ErrorContains(t, err, `utility.params.curve: write a list, such as [[0, 0bps], [1, 10Gbps]], not "10Gbps"`)
	_, err = loadFile(t, write(t, base+"params: {hpcc: {eta: [1, 2]}}\n"), "")
	require.ErrorContains(t, err, "params.hpcc.eta is a single value, not a list")
	_, err = loadFile(t, write(t, base+"utility: {type: alpha_fair, params: {alpha: 0}}\n"), "")
	assert.ErrorContains(t, err, "utility.params.alpha: 0 is out of range; allowed: from 0.1 to 16")
}
