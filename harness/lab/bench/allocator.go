package bench

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"

	"fabriclab/harness/allocation"
	"fabriclab/harness/lab"
)

// AllocatorFlows is the size up to which Flowtune's allocator is measured
// when bench is called without files: 4608 nodes with 1000 flows each.
const AllocatorFlows = 5000000

// allocator is what iterations of Flowtune's allocator take.
type allocator allocation.Measured

// allocatorSpeed measures Flowtune's allocator for up to so many flows.
func allocatorSpeed(ctx context.Context, lab *lab.Lab, flows uint64) (*allocator, error) {
	program, err := lab.Program(ctx, allocation.Program)
	if err != nil {
		return nil, err
	}
	m, err := allocation.Measure(ctx, program, "--flows", strconv.FormatUint(flows, 10))
	return (*allocator)(m), err
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
