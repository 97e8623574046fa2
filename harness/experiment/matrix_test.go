package experiment

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTwoValuesForOnePath: where two values of a point set the same, the label of
// one would be wrong.
func TestTwoValuesForOnePath(t *testing.T) {
	const where = " sets as well in the same point"
	for matrix, want := range map[string]string{
		"{hpcc.eta: [0.5], params.hpcc.eta: [0.6]}":                                              "exp.yaml:10:27: matrix: params.hpcc.eta sets what hpcc.eta (",
		"{a: {x: {hpcc.eta: 0.5}, y: {}}, b: {p: {hpcc.eta: 0.6}, q: {}}}":                       "hpcc.eta sets what hpcc.eta (",
		"{hpcc.eta: [0.5], zip: {run.stop: [1ms, 2ms], hpcc.eta: [0.6, 0.7]}}":                   "hpcc.eta sets what hpcc.eta (",
		"{topology.rate: [1Gbps], topology: [{type: star, hosts: 3, rate: 10Gbps, delay: 1us}]}": "topology sets what topology.rate (",
		"{topology: [{type: star, hosts: 3, rate: 10Gbps, delay: 1us}], topology.rate: [1Gbps]}": "topology.rate sets what topology (",
		"{preset: [hpcc], include: [{hpcc.eta: 0.5, params.hpcc.eta: 0.6}]}":                     "params.hpcc.eta sets what hpcc.eta (",
	} {
		_, err := loadFile(t, write(t, base+"matrix: "+matrix+"\n"), "")
		require.ErrorContains(t, err, want, matrix)
		require.ErrorContains(t, err, where, matrix)
	}
	e, err := loadFile(t, write(t, base+"matrix: {a: {x: {hpcc.eta: 0.5}, y: {}}, b: {p: {hpcc.eta: 0.6}, q: {}}, exclude: [{a: x, b: p}]}\n"), "")
	require.NoError(t, err)
	assert.Len(t, e.Points, 3)

	_, err = loadFile(t, write(t, base+"network: lossless\nmatrix: {port.pfc: [true, false]}\n"), "")
	require.ErrorContains(t, err, "exp.yaml:10:10: network: lossless is port.pfc: true, which ")
	_, err = loadFile(t, write(t, base+"network: lossless\n"), "", "port.pfc=false")
	require.ErrorContains(t, err, "which --set port.pfc=false sets otherwise and would have no effect")
}

// TestAxesWithoutEffect are likely mistakes: all their points are one run.
func TestAxesWithoutEffect(t *testing.T) {
	const idle = " has no effect: its values change no scenario"
	for _, c := range []struct {
		more string
		want []string
	}{
		{"matrix: {hpcc.eta: [0.5, 0.9]}\n", nil},
		{"nodes: {host0: {params: {hpcc: {eta: 0.8}}}}\nmatrix: {hpcc.eta: [0.5, 0.9]}\n", nil},
		{"nodes: {\"host*\": {params: {hpcc: {eta: 0.8}}}}\nmatrix: {hpcc.eta: [0.5, 0.8, 0.9], topology.rate: [1Gbps, 2Gbps]}\n", []string{":11:10: matrix.hpcc.eta" + idle}},
		{"nodes: {\"host[0-1]\": {params: {hpcc: {eta: 0.8}}}, \"host[1-2]\": {params: {hpcc: {eta: 0.7}}}}\nmatrix: {hpcc.eta: [0.5, 0.9]}\n", []string{":11:10: matrix.hpcc.eta" + idle}},
		{"matrix: {preset: [none, hpcc], hpcc.eta: [0.5, 0.9]}\n", nil},
		{"preset: none\nmatrix: {hpcc.eta: [0.5, 0.9]}\n", []string{"matrix.hpcc.eta" + idle}},
		{"matrix: {topology.host_rate: [100Gbps, 100Gb/s], how: {a: {}, b: {}}}\n", []string{"matrix.how" + idle, "matrix.topology.host_rate" + idle}},
		{"matrix: {workload.flows.0.size: [1MB, 2MB]}\n", nil},
		{"matrix: {topology.failed: [null]}\n", nil},
	} {
		text := base + c.more
		if c.more[0] == 'p' {
			text = base[:len(base)-len("preset: hpcc\nrun: {stop: 1ms}\ntrace: {flows: {}}\n")] + "run: {stop: 1ms}\n" + c.more
		}
		e, err := loadFile(t, write(t, text), "")
		require.NoError(t, err)
		require.Len(t, e.Warnings, len(c.want), "%s: %v", c.more, e.Warnings)
		for i, want := range c.want {
			assert.Contains(t, e.Warnings[i], want)
		}
	}
}

// TestAPointInAnotherOrder is the same point.
func TestAPointInAnotherOrder(t *testing.T) {
	for _, matrix := range []string{
		"{preset: [hpcc], topology.rate: [1Gbps], include: [{topology.rate: 1Gbps, preset: hpcc}]}",
		"{preset: [hpcc], hpcc.eta: [0.5], include: [{params.hpcc.eta: 0.5, preset: hpcc}]}",
		"{preset: [none], include: [{topology.rate: 1Gbps, preset: hpcc}, {preset: hpcc, topology.rate: 1Gbps}]}",
	} {
		_, err := loadFile(t, write(t, base+"matrix: "+matrix+"\n"), "")
		require.ErrorContains(t, err, "matrix.include: this point is there already; take it out", matrix)
	}
	e, err := loadFile(t, write(t, base+"matrix: {preset: [hpcc], topology.rate: [1Gbps], engine: [ns3], include: [{topology.rate: 1Gbps, engine: omnetpp, preset: hpcc}]}\n"), "")
	require.NoError(t, err)
	require.Len(t, e.Points, 1)
	assert.Equal(t, []string{"ns3", "omnetpp"}, e.Points[0].Engines)
	e, err = loadFile(t, write(t, base+"matrix: {preset: [hpcc], hpcc.eta: [0.5, 0.6], include: [{params.hpcc.eta: 0.7, preset: hpcc}]}\n"), "", "hpcc.eta=0.6")
	require.NoError(t, err)
	assert.Len(t, e.Points, 1, "a flag narrows included points in any spelling")
}
