package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestNS3TCPCarriesTheSameLoad has the load of a scenario carried by ns-3's own
// TCP, over both networks.
func TestNS3TCPCarriesTheSameLoad(t *testing.T) {
	const file = "testdata/ns3-tcp.yaml"
	out := t.TempDir()
	_, stderr, err := fabriclab(t, nil, "bench", file, "--ns3-tcp", file, "--out", out)
	require.NoError(t, err, stderr)
	text, err := os.ReadFile(filepath.Join(out, "bench", "bench.json"))
	require.NoError(t, err)
	type cost struct {
		PacketHops     int     `json:"packet_hops"`
		Events         int     `json:"events"`
		DeliveredBytes int     `json:"delivered_bytes"`
		CPUS           float64 `json:"cpu_s"`
		Ratio          float64 `json:"ratio"`
	}
	var b struct {
		NS3TCP []struct {
			Ours         cost `json:"fabriclab"`
			Fabric       cost `json:"ns3_tcp_over_fabric"`
			PointToPoint cost `json:"ns3_tcp_over_point_to_point"`
		} `json:"ns3_tcp"`
	}
	require.NoError(t, json.Unmarshal(text, &b))
	require.Len(t, b.NS3TCP, 1)
	got := b.NS3TCP[0]
	assert.Equal(t, 800, got.Ours.PacketHops, "100 data packets and 100 ACKs over four links")
	assert.InDelta(t, 1, got.Ours.Ratio, 1e-9)
	for name, c := range map[string]cost{"fabric": got.Fabric, "point-to-point": got.PointToPoint} {
		// A connection has SYN, SYN-ACK and ACK before, and at most two FINs and
		// their ACKs behind.
		assert.GreaterOrEqual(t, c.PacketHops, 800+3*4, name)
		assert.LessOrEqual(t, c.PacketHops, 800+7*4, name)
		assert.Greater(t, c.Events, c.PacketHops, name)
		assert.Positive(t, c.CPUS, name)
		assert.Positive(t, c.Ratio, name)
	}
	for _, c := range []cost{got.Ours, got.Fabric, got.PointToPoint} {
		assert.Equal(t, 144800, c.DeliveredBytes)
	}
}

func TestNS3TCPRefusesWhatItHasNot(t *testing.T) {
	const file = "testdata/alone.yaml"
	_, stderr, err := fabriclab(t, nil, "bench", file, "--ns3-tcp", file, "--out", t.TempDir())
	require.Error(t, err)
	assert.Contains(t, stderr, "transport go_back_n: ns-3 has only tcp")
}
