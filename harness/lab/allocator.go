package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"text/tabwriter"

	"fabriclab/harness/run"
)

// BenchAllocatorFlows is the size up to which Flowtune's allocator is measured
// when bench is called without files: 4608 nodes with 1000 flows each.
const BenchAllocatorFlows = 5000000

// allocatorBench measures iterations of Flowtune's allocator.
const allocatorBench = "fabric-flowtune-bench"

// allocator is what iterations of Flowtune's allocator take, beside a plain
// loop of the same and what the machine can do.
type allocator struct {
	Cores int `json:"cores"`
	// Stream are bytes per second from and to memory, by threads.
	Stream []float64 `json:"stream_bytes_per_s"`
	// AdditionNs is one addition to what a link carries, by precision.
	AdditionNs map[string]float64 `json:"addition_ns"`
	Iterations []iteration        `json:"iterations"`
}

type iteration struct {
	Nodes        int     `json:"nodes"`
	FlowsPerNode int     `json:"flows_per_node"`
	Flows        int     `json:"flows"`
	Links        int     `json:"links"`
	Precision    string  `json:"precision"`
	Threads      int     `json:"threads"`
	Blocks       int     `json:"blocks"`
	NED          float64 `json:"ned_us"`
	Both         float64 `json:"ned_f_norm_us"`
	PerFlow      float64 `json:"core_ns_per_flow"`
	PerFlowBoth  float64 `json:"core_ns_per_flow_f_norm"`
	PlainNED     float64 `json:"plain_ned_us"`
	PlainBoth    float64 `json:"plain_ned_f_norm_us"`
	FlowBytes    float64 `json:"flow_bytes"`
	// OfMemory is null where a cache holds the flows.
	OfMemory *float64 `json:"share_of_memory"`
	OfCore   float64  `json:"share_of_core"`
}

func (lab *Lab) allocator(ctx context.Context, flows uint64) (*allocator, error) {
	b, err := lab.Builder()
	if err != nil {
		return nil, err
	}
	program, err := b.Tool(ctx, allocatorBench)
	if err != nil {
		return nil, err
	}
	return measureAllocator(ctx, program, flows)
}

func measureAllocator(ctx context.Context, program string, flows uint64) (*allocator, error) {
	cmd := exec.CommandContext(ctx, program, "--flows", strconv.FormatUint(flows, 10))
	cmd.Env = run.WithHugePages(os.Environ()) // as the simulators, where the allocator works otherwise
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %s", cmd, err, strings.TrimSpace(stderr.String()))
	}
	var a allocator
	if err := json.Unmarshal(text, &a); err != nil || len(a.Stream) == 0 {
		return nil, fmt.Errorf("%s printed %q, which is no measurement of the allocator; build it anew with: fabriclab build", cmd, text)
	}
	return &a, nil
}

func (a *allocator) show(out io.Writer) error {
	if a == nil {
		return nil
	}
	fmt.Fprintf(out, "Flowtune's allocator; memory streams %.1f GB/s with one thread, %.1f with %d:\n", a.Stream[0]/1e9, a.Stream[len(a.Stream)-1]/1e9, len(a.Stream))
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "nodes\tflows per node\tprecision\tthreads\tblocks\tNED\tand F-NORM\tplain loop\tcore ns per flow\tof memory\tof a core\t")
	for _, i := range a.Iterations {
		memory := "-"
		if i.OfMemory != nil {
			memory = fmt.Sprintf("%.0f %%", 100**i.OfMemory)
		}
		fmt.Fprintf(w, "%d\t%d\t%s\t%d\t%d\t%.1f us\t%.1f us\t%.1f, %.1f us\t%.2f, %.2f\t%s\t%.0f %%\t\n", i.Nodes, i.FlowsPerNode, i.Precision, i.Threads, i.Blocks,
			i.NED, i.Both, i.PlainNED, i.PlainBoth, i.PerFlow, i.PerFlowBoth, memory, 100*i.OfCore)
	}
	return w.Flush()
}
