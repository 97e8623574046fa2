package bench

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/harness/engine"
)

func TestRatiosOfEnginesCountWhatTheSimulatorsDifferBy(t *testing.T) {
	loads := []speed{
		{Run: "a", Engine: "ns3", ScenarioHash: "1", HopsPerCPUSecond: 4e6, EventsPerHop: 1.5},
		{Run: "b", Engine: "ns3", ScenarioHash: "2", HopsPerCPUSecond: 1e6, EventsPerHop: 2},
		{Run: "a", Engine: "omnetpp", ScenarioHash: "1", HopsPerCPUSecond: 2e6, EventsPerHop: 1.5},
	}
	kernels := []kernel{{Engine: "ns3", EventNs: 45, StockNs: 100}, {Engine: "omnetpp", EventNs: 70, StockNs: 160}}
	got := compareEngines(loads, kernels)
	require.Len(t, got, 1)
	assert.Equal(t, engineRatio{Run: "a", Engine: "omnetpp", Over: "ns3", Ratio: 2, NsPerHop: 500, AimNs: 250 + 1.5*60}, got[0])
}

func TestCostOfAnEvent(t *testing.T) {
	printed := func(text string) (float64, error) {
		program := filepath.Join(t.TempDir(), "kernel")
		require.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\necho '"+text+"'\n"), 0o755))
		return eventCost(context.Background(), &engine.Program{Path: program}, "event")
	}
	ns, err := printed(`{"events": 2000000, "cpu_s": 0.19}`)
	require.NoError(t, err)
	assert.InDelta(t, 95, ns, 1e-9)
	for _, text := range []string{"", "{}", `{"events": 0, "cpu_s": 1}`, "help"} {
		_, err := printed(text)
		require.ErrorContains(t, err, "fabriclab build", text)
	}
}
