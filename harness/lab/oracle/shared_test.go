package oracle_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/harness/experiment"
	"fabriclab/harness/lab/oracle"
	"fabriclab/harness/progress"
	"fabriclab/harness/scenario"
	"fabriclab/harness/trace"
	"fabriclab/harness/trace/tracetest"
)

// deriveAll writes what a point's run asks for into a folder.
func deriveAll(ctx context.Context, dir string, p *experiment.Point, shared *oracle.Shared) error {
	derive, err := oracle.Derive(ctx, p, 1, shared)
	if err != nil {
		return err
	}
	for _, d := range derive(func(progress.Event) {}) {
		err = d.Finish(func(table trace.Table) (*trace.TableWriter, error) {
			return trace.NewTableWriter(table, trace.Options{Dir: dir, Names: trace.NodeNames(p.Topology.HostNames())})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func bytesOf(t *testing.T, dir string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, oracle.FlowsTable+".parquet"))
	require.NoError(t, err)
	return string(data)
}

// TestShared: a run whose optimum another one has computed writes the same
// bytes, and computes nothing: it succeeds although its sweep has been given
// up. All else that the optimum depends on makes another one.
func TestShared(t *testing.T) {
	base := func() *experiment.Point {
		p := point(t, 1, scenario.Flow{Src: 0, Dst: 1, Size: 9600}, scenario.Flow{Src: 2, Dst: 1, StartPs: 1e6, Size: 960})
		p.Oracle = []experiment.OracleTable{{Table: oracle.FlowsTable, Utility: oracle.AlphaFair, Alpha: 1}}
		return p
	}
	over, stop := context.WithCancel(context.Background())
	stop()
	shared, first := oracle.NewShared(), t.TempDir()
	require.NoError(t, deriveAll(context.Background(), first, base(), shared))

	other := base()
	other.Scenario.Components["congestion_control"] = one("dgd", nil)
	dir := t.TempDir()
	require.NoError(t, deriveAll(over, dir, other, shared))
	assert.Equal(t, bytesOf(t, first), bytesOf(t, dir))
	require.ErrorIs(t, deriveAll(over, t.TempDir(), other, oracle.NewShared()), context.Canceled, "nothing is shared with other calls")

	for name, change := range map[string]func(p *experiment.Point){
		"alpha": func(p *experiment.Point) { p.Oracle[0].Alpha = 2 },
		"utility": func(p *experiment.Point) {
			p.Oracle[0] = experiment.OracleTable{Table: oracle.FlowsTable, Utility: oracle.MaxMin}
		},
		"headers":     func(p *experiment.Point) { p.Scenario.Components["host"].One.Params["header_bytes"] = int64(60) },
		"end":         func(p *experiment.Point) { p.Scenario.StopPs = 2e9 },
		"capacity":    func(p *experiment.Point) { p.Topology.Links[0].RateBps *= 2 },
		"rate change": func(p *experiment.Point) { p.Topology.RateEvents = []scenario.RateEvent{{AtPs: 1, RateBps: 1e9}} },
		"all tables": func(p *experiment.Point) {
			p.Oracle = append(p.Oracle, experiment.OracleTable{Table: oracle.RatesTable, Utility: oracle.AlphaFair, Alpha: 1})
		},
		"end with flows": func(p *experiment.Point) { p.Scenario.StopWhenFlowsFinish = true },
		"measured": func(p *experiment.Point) {
			p.Flows = point(t, 1, scenario.Flow{Src: 0, Dst: 1, Size: 9600, Measured: true}, scenario.Flow{Src: 2, Dst: 1, StartPs: 1e6, Size: 960}).Flows
		},
		"flows": func(p *experiment.Point) {
			p.Flows = point(t, 1, scenario.Flow{Src: 0, Dst: 1, Size: 9600}, scenario.Flow{Src: 2, Dst: 1, StartPs: 1e6, Size: 961}).Flows
		},
		"weights": func(p *experiment.Point) {
			p.Flows = point(t, 1, scenario.Flow{Src: 0, Dst: 1, Size: 9600, Weight: 2}, scenario.Flow{Src: 2, Dst: 1, StartPs: 1e6, Size: 960}).Flows
		},
		"paths": func(p *experiment.Point) {
			p.Flows = point(t, 1, scenario.Flow{Src: 0, Dst: 1, Size: 9600}, scenario.Flow{Src: 3, Dst: 1, StartPs: 1e6, Size: 960}).Flows
		},
	} {
		p := base()
		change(p)
		require.ErrorIs(t, deriveAll(over, t.TempDir(), p, shared), context.Canceled, "%s: its optimum is another one", name)
	}
}

// TestEndsWithFlows: 10 kB on the link take 8 us. What comes after the last
// measured flow has ended is not computed.
func TestEndsWithFlows(t *testing.T) {
	for _, tt := range []struct {
		ends     bool // with measured flows
		measured int  // which flow, -1 for none
		ended    []string
	}{
		{true, 0, []string{"8000000", "-1", "-1"}},
		{true, 1, []string{"8000000", "20000000", "-1"}},
		{true, 2, []string{"8000000", "20000000", "38000000"}},
		{true, -1, []string{"8000000", "-1", "-1"}},
		{false, 0, []string{"8000000", "20000000", "38000000"}},
	} {
		flows := []scenario.Flow{{Src: 0, Dst: 1, Size: 9600}, {Src: 2, Dst: 3, StartPs: 12e6, Size: 9600}, {Src: 0, Dst: 1, StartPs: 30e6, Size: 9600}}
		if tt.measured >= 0 {
			flows[tt.measured].Measured = true
		}
		p := point(t, 1, flows...)
		p.Scenario.StopWhenFlowsFinish = tt.ends
		p.Oracle = []experiment.OracleTable{{Table: oracle.FlowsTable, Utility: oracle.AlphaFair, Alpha: 1}}
		dir := t.TempDir()
		require.NoError(t, deriveAll(context.Background(), dir, p, oracle.NewShared()))
		var ended []string
		for _, row := range tracetest.Table(t, dir, oracle.FlowsTable) {
			ended = append(ended, row["end_ps"])
		}
		assert.Equal(t, tt.ended, ended, "%+v", tt)
	}
}
