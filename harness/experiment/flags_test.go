package experiment

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const etas = base + "matrix: {hpcc.eta: [0.5, 0.6], hop: {near: {run.stop: 2ms}, far: {}}}\nscales: {quick: {}}\nreadings: {r: {source: s, a: {}, b: {hpcc.w_ai: 40B}}}\n"

// TestFlagsOfTheMatrix: flags for axes are those of the matrix that flags leave,
// in whatever order they come.
func TestFlagsOfTheMatrix(t *testing.T) {
	for _, c := range []struct{ matrix, flag, label, eta string }{
		{"matrix=null", "hpcc.eta=0.3", "", "0.3"},
		{"matrix={preset: [hpcc]}", "hpcc.eta=0.3", "preset=hpcc", "0.3"},
		{"matrix={params.hpcc.eta: [0.7, 0.8]}", "hpcc.eta=0.3", "eta=0.3", "0.3"},
		{"matrix.hop={here: {hpcc.w_ai: 40B}}", "hpcc.eta=0.3", "eta=0.3 hop=here", "0.3"},
		{"matrix.hop.far={run.stop: 3ms}", "hpcc.eta=0.3", "eta=0.3 hop=near", "0.3"},
	} {
		for _, sets := range [][]string{{c.matrix, c.flag}, {c.flag, c.matrix}} {
			e, err := loadFile(t, write(t, etas), "", sets...)
			require.NoError(t, err, "%v", sets)
			assert.Equal(t, c.label, e.Points[0].String(), "%v", sets)
			assert.Equal(t, c.eta, setting(t, e.Points[0], "congestion_control", "eta").Value, "%v", sets)
		}
	}
}

// TestFlagsThatWouldDoNothing are refused.
func TestFlagsThatWouldDoNothing(t *testing.T) {
	for _, c := range []struct {
		sets []string
		want string
	}{
		{[]string{"scales.quick.topology.rate=1Gbps"}, "--set scales.quick.topology.rate=1Gbps: a scale is chosen with --scale NAME"},
		{[]string{"readings.r.a={}"}, "--set readings.r.a={}: a reading is chosen with --reading NAME=VALUE"},
		{[]string{"hpcc.w_ai=40B", "params.hpcc.w_ai=50B"}, "--set hpcc.w_ai=40B: --set params.hpcc.w_ai=50B, behind it, sets this again; keep one"},
		{[]string{"topology.rate=40Gbps", "topology={type: star, hosts: 3, rate: 10Gbps, delay: 1us}"}, "--set topology.rate=40Gbps: --set topology={"},
		{[]string{"hpcc.eta=0.3", "hpcc.eta=0.4"}, "--set hpcc.eta=0.3: --set hpcc.eta=0.4, behind it, sets this again"},
		{[]string{"matrix.topology.rate=[1Gbps]"}, "keys of axes hold dots, at which a path is taken apart; write --set 'matrix={topology.rate: [1Gbps]}', which replaces what is there; to choose values of an axis that is there: --set 'topology.rate=[1Gbps]'"},
		{[]string{"matrix.hop.near.run.stop=3ms"}, "write --set 'matrix.hop.near={run.stop: 3ms}', which replaces what is there"},
	} {
		_, err := loadFile(t, write(t, etas), "", c.sets...)
		require.ErrorContains(t, err, c.want, "%v", c.sets)
	}
}
