package bench

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCostOfNS3TCP(t *testing.T) {
	does := func(script string) (cost, error) {
		program := filepath.Join(t.TempDir(), "tcp")
		require.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\n"+script+"\n"), 0o755))
		return costOfNS3(context.Background(), program, "scenario.json", "fabric")
	}
	c, err := does(`[ "$*" = "--scenario scenario.json --network fabric" ] && case $GLIBC_TUNABLES in *hugetlb*)
echo '{"packet_hops": 828, "events": 1062, "delivered_bytes": 144800}';; esac`)
	require.NoError(t, err)
	assert.Equal(t, uint64(828), c.PacketHops)
	assert.Equal(t, uint64(144800), c.DeliveredBytes)
	assert.InDelta(t, 828, c.HopsPerCPUSecond*c.CPUS, 1e-6)
	for _, text := range []string{"", "{}", "help"} {
		_, err := does("echo '" + text + "'")
		require.ErrorContains(t, err, "fabriclab build", text)
	}
	_, err = does("echo transport udp: none >&2; exit 2")
	require.ErrorContains(t, err, "transport udp: none")
}
