package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"

	"fabriclab/harness/build"
	"fabriclab/harness/engine"
	"fabriclab/harness/engine/engines"
	"fabriclab/harness/lab"
)

// kernel is what an event costs in a simulator itself, with nothing in it.
type kernel struct {
	Engine string `json:"engine"`
	// EventNs is one in the fabric's event list, StockNs one in the simulator's
	// own, GatesNs one in its own that is a packet on its way over gates and a
	// channel; 0 where there is no such thing.
	EventNs float64 `json:"event_ns"`
	StockNs float64 `json:"stock_event_ns"`
	GatesNs float64 `json:"stock_event_over_gates_ns,omitempty"`
}

// kernelTries is how often each is measured; the least disturbed counts.
const kernelTries = 3

// kernels measures the engines of the loads.
func kernels(ctx context.Context, lab *lab.Lab, loads []speed) ([]kernel, error) {
	b, err := lab.Builder()
	if err != nil {
		return nil, err
	}
	var all []kernel
	for _, s := range loads {
		e, err := engines.ByName(s.Engine)
		if err != nil {
			return nil, err
		}
		if len(e.Kernels()) == 0 || slices.ContainsFunc(all, func(k kernel) bool { return k.Engine == s.Engine }) {
			continue
		}
		k, err := measureKernel(ctx, b, e)
		if err != nil {
			return nil, err
		}
		all = append(all, k)
	}
	return all, nil
}

func measureKernel(ctx context.Context, b *build.Builder, e engine.Engine) (kernel, error) {
	k := kernel{Engine: e.Name()}
	p, err := b.Program(ctx, e)
	if err != nil {
		return k, err
	}
	for _, kind := range e.Kernels() {
		least := math.Inf(1)
		for range kernelTries {
			ns, err := eventCost(ctx, p, kind)
			if err != nil {
				return k, err
			}
			least = min(least, ns)
		}
		*map[string]*float64{"event": &k.EventNs, "stock": &k.StockNs, "gates": &k.GatesNs}[kind] = least
	}
	return k, nil
}

// kernelCost is what a runner measured.
type kernelCost struct {
	Events  int64   `json:"events"`
	CPUS    float64 `json:"cpu_s"`
	Threads int     `json:"threads"` // of a barrier
}

// ns is that of one event.
func (k kernelCost) ns() float64 { return k.CPUS * 1e9 / float64(k.Events) }

// eventCost is in nanoseconds of CPU time.
func eventCost(ctx context.Context, p *engine.Program, kind string) (float64, error) {
	cost, err := askKernel(ctx, p, kind)
	if err != nil {
		return 0, err
	}
	return cost.ns(), nil
}

func askKernel(ctx context.Context, p *engine.Program, kind string) (kernelCost, error) {
	var cost kernelCost
	cmd := exec.CommandContext(ctx, p.Path, "--kernel", kind)
	cmd.Env = append(os.Environ(), p.Env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	text, err := cmd.Output()
	if err != nil {
		return cost, fmt.Errorf("%s: %w: %s", cmd, err, strings.TrimSpace(stderr.String()))
	}
	if err := json.Unmarshal(text, &cost); err != nil || cost.Events <= 0 {
		return cost, fmt.Errorf("%s printed %q, which is no cost of an event; build it anew with: fabriclab build", cmd, text)
	}
	return cost, nil
}

// engineRatio is a load on two engines.
type engineRatio struct {
	Run    string `json:"run"`
	Engine string `json:"engine"`
	Over   string `json:"over"`
	// Ratio is the CPU time per packet-hop on Engine over that on Over.
	Ratio    float64 `json:"ratio"`
	NsPerHop float64 `json:"cpu_ns_per_packet_hop"`
	// AimNs is what it may take: as much as on Over, and for every event what
	// the simulators as they come differ by.
	AimNs float64 `json:"aim_ns_per_packet_hop"`
}

func compareEngines(loads []speed, kernels []kernel) []engineRatio {
	stock := map[string]float64{}
	for _, k := range kernels {
		stock[k.Engine] = k.StockNs
	}
	var all []engineRatio
	for _, first := range loads {
		for _, other := range loads {
			if stock[first.Engine] == 0 || stock[other.Engine] == 0 {
				continue // there is no simulator to compare with
			}
			if first.Threads != other.Threads || first.Engine >= other.Engine || first.ScenarioHash != other.ScenarioHash || other.HopsPerCPUSecond <= 0 || first.HopsPerCPUSecond <= 0 {
				continue
			}
			ns := 1e9 / other.HopsPerCPUSecond
			all = append(all, engineRatio{
				Run: first.Run, Engine: other.Engine, Over: first.Engine, Ratio: first.HopsPerCPUSecond / other.HopsPerCPUSecond, NsPerHop: ns,
				AimNs: 1e9/first.HopsPerCPUSecond + float64(other.EventsPerHop*(stock[other.Engine]-stock[first.Engine])),
			})
		}
	}
	return all
}

func (b benchmark) showEngines(out io.Writer) error {
	for _, k := range b.Kernels {
		gates := ""
		if k.GatesNs > 0 {
			gates = fmt.Sprintf(", %.0f ns through gates and a channel", k.GatesNs)
		}
		if _, err := fmt.Fprintf(out, "a bare event on %s: %.0f ns in the fabric's event list, %.0f ns in the simulator's own%s\n", k.Engine, k.EventNs, k.StockNs, gates); err != nil {
			return err
		}
	}
	for _, c := range b.Ratios {
		if _, err := fmt.Fprintf(out, "CPU per packet-hop on %s over %s: %.2f; %.0f ns, aim %.0f ns (%s)\n", c.Engine, c.Over, c.Ratio, c.NsPerHop, c.AimNs, c.Run); err != nil {
			return err
		}
	}
	return nil
}
