// Package allocation is a kind of computed experiment: what an iteration of
// Flowtune's allocator takes on this machine. fabric-flowtune-bench measures it.
package allocation

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"fabriclab/base/catalog"
	"fabriclab/harness/computed"
	"fabriclab/harness/run"
	"fabriclab/harness/trace"
)

// Program measures iterations.
const Program = "fabric-flowtune-bench"

func init() {
	computed.Register(computed.Kind{
		Key: "allocator",
		Help: map[string]string{
			"":               "instead of all of a simulation: what an iteration of Flowtune's allocator takes on this machine (docs/computed.md)",
			"racks":          "racks of 48 servers at 10 Gb/s, each with 12 links of 40 Gb/s to as many spines",
			"flows_per_node": "flows between random servers of different racks, for each server",
			"threads":        "threads, each number up to this one is measured; default 1",
		},
		Tables: []catalog.Table{Table},
		Alone:  true,
		Read: func(s computed.Section, _ *computed.Network) computed.Model {
			s.Need("racks", "8")
			s.Need("flows_per_node", "10")
			return &Network{
				Racks:        s.Integer("racks", 8, 2, 1000),
				FlowsPerNode: s.Integer("flows_per_node", 10, 1, 10000),
				Threads:      s.Integer("threads", 1, 1, 256),
			}
		},
	})
}

// Table is what the allocator takes, one row for each precision and number of
// threads.
var Table = trace.Table{
	Name: "allocator_iterations", Title: "Iterations of Flowtune's allocator, one row per precision and number of threads", Scope: "allocator",
	Columns: []trace.Column{
		{Name: "nodes", Type: "u32", Unit: "1", Help: "servers"},
		{Name: "flows", Type: "u32", Unit: "1", Help: "flows"},
		{Name: "bits", Type: "u32", Unit: "1", Help: "64: double precision, 32: single with approximations (-RT)"},
		{Name: "threads", Type: "u32", Unit: "1", Help: "threads"},
		{Name: "blocks", Type: "u32", Unit: "1", Help: "blocks of racks; FlowBlocks are this squared"},
		{Name: "ned", Type: "f64", Unit: "ps", Help: "time of an iteration of NED"},
		{Name: "ned_f_norm", Type: "f64", Unit: "ps", Help: "and with F-NORM"},
		{Name: "core_per_flow", Type: "f64", Unit: "ps", Help: "time of a core for one flow, NED"},
		{Name: "core_per_flow_f_norm", Type: "f64", Unit: "ps", Help: "and with F-NORM"},
		{Name: "plain_ned", Type: "f64", Unit: "ps", Help: "NED as a plain loop over the flows, one thread, double precision"},
		{Name: "plain_ned_f_norm", Type: "f64", Unit: "ps", Help: "and with F-NORM"},
		{Name: "share_of_core", Type: "f64", Unit: "1", Help: "additions to links of the nearest cache, four for each flow, as a share of an iteration of NED"},
	},
}

// Iteration is what an iteration takes, as Program prints it.
type Iteration struct {
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

// Measured are iterations, beside a plain loop of the same and what the machine
// can do.
type Measured struct {
	Cores int `json:"cores"`
	// Stream are bytes per second from and to memory, by threads.
	Stream []float64 `json:"stream_bytes_per_s"`
	// AdditionNs is one addition to what a link carries, by precision.
	AdditionNs map[string]float64 `json:"addition_ns"`
	Iterations []Iteration        `json:"iterations"`
}

// Measure runs Program.
func Measure(ctx context.Context, program string, args ...string) (*Measured, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = run.WithHugePages(os.Environ()) // as the simulators, where the allocator works otherwise
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	text, err := cmd.Output()
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, fmt.Errorf("%s: %w: %s", cmd, err, strings.TrimSpace(stderr.String()))
	}
	var m Measured
	if err := json.Unmarshal(text, &m); err != nil || len(m.Stream) == 0 {
		return nil, fmt.Errorf("%s printed %q, which is no measurement of the allocator; build it anew with: fabriclab build", cmd, text)
	}
	return &m, nil
}

// Network is one point of an experiment.
type Network struct {
	Racks, FlowsPerNode, Threads int64
}

// Write implements computed.Model.
func (n *Network) Write(ctx context.Context, place computed.Place) ([]trace.File, error) {
	program, err := place.Tool(ctx, Program)
	if err != nil {
		return nil, err
	}
	number := func(v int64) string { return strconv.FormatInt(v, 10) }
	m, err := Measure(ctx, program, "--racks", number(n.Racks), "--flows-per-node", number(n.FlowsPerNode), "--cores", number(n.Threads),
		"--seed", strconv.FormatUint(place.Seed, 10))
	if err != nil {
		return nil, err
	}
	file, err := write(place.Dir, m.Iterations)
	return []trace.File{file}, err
}

func write(dir string, iterations []Iteration) (file trace.File, err error) {
	writer, err := trace.NewTableWriter(Table, trace.Options{Dir: dir, Names: trace.NodeNames(nil)})
	if err != nil {
		return file, err
	}
	defer func() { err = errors.Join(err, writer.Close()) }()
	const us, ns = 1e6, 1e3 // in ps
	columns := make([][]byte, len(Table.Columns))
	for _, i := range iterations {
		bits := map[string]int{"double": 64, "single": 32}[i.Precision]
		for c, v := range []any{i.Nodes, i.Flows, bits, i.Threads, i.Blocks, i.NED * us, i.Both * us, i.PerFlow * ns, i.PerFlowBoth * ns, i.PlainNED * us, i.PlainBoth * us, i.OfCore} {
			switch v := v.(type) {
			case int:
				columns[c] = binary.LittleEndian.AppendUint32(columns[c], uint32(v))
			case float64:
				columns[c] = binary.LittleEndian.AppendUint64(columns[c], math.Float64bits(v))
			}
		}
	}
	if err := writer.WriteRows(slices.Concat(columns...), len(iterations)); err != nil {
		return file, fmt.Errorf("writing the table of iterations into %s: %w", dir, err)
	}
	return writer.Finish()
}
