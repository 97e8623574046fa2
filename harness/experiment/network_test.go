package experiment

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestNetworksOfPresets: a preset in a network that it is not for is refused in one
// line, before anything runs; an experiment says by preset what its network is.
func TestNetworksOfPresets(t *testing.T) {
	mixed := strings.Replace(base, "preset: hpcc", "params: {port: {pfc: true}}\nmatrix: {preset: [hpcc, dcqcn, timely, dctcp]}", 1)
	_, err := loadFile(t, write(t, mixed), "")
	require.Error(t, err)
	assert.Regexp(t, `exp.yaml:7:22: the preset dctcp is for a lossy network, and port.pfc: true makes a lossless one; write network: \{dctcp: lossy\}, or if that is meant \{dctcp: lossless\}$`, strings.TrimSpace(err.Error()))
	assert.Equal(t, 1, strings.Count(err.Error(), "is for a"))

	e, err := loadFile(t, write(t, mixed+"network: {dctcp: lossy}\n"), "")
	require.NoError(t, err)
	for i, want := range []string{"true", "true", "true", "false"} {
		assert.Equal(t, want, setting(t, e.Points[i], "port", "pfc").Value, e.Points[i])
	}
	assert.Equal(t, "file:11", setting(t, e.Points[3], "port", "pfc").Origin)

	e, err = loadFile(t, write(t, strings.Replace(base, "preset: hpcc", "preset: hpcc\nparams: {port: {pfc: false}}", 1)), "")
	require.NoError(t, err)
	require.Len(t, e.Warnings, 1)
	assert.Contains(t, e.Warnings[0], "exp.yaml:8:22: the preset hpcc is for a lossless network")

	e, err = loadFile(t, write(t, base+"network: {hpcc: lossless, dcqcn: lossy}\n"), "")
	require.NoError(t, err)
	require.Len(t, e.Warnings, 1)
	assert.Contains(t, e.Warnings[0], "exp.yaml:10:27: network.dcqcn has no effect: no point has the preset dcqcn")

	for network, want := range map[string]string{
		"lossles":          `"lossles" is no class of networks; did you mean "lossless"?`,
		"{dctp: lossless}": `there is no preset "dctp"; did you mean "dctcp"?`,
		"{dctcp: loss}":    `"loss" is no class of networks`,
	} {
		_, err := loadFile(t, write(t, mixed+"network: "+network+"\n"), "")
		require.Error(t, err)
		assert.Contains(t, err.Error(), want)
	}
}
