package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"fabriclab/harness/engine/ns3"
	"fabriclab/harness/lab"
	"fabriclab/harness/lab/plan"
	"fabriclab/harness/lab/sweeps"
	"fabriclab/harness/run"
)

// NS3TCP is the load that ns-3's own TCP carries, too, when bench is
// called without files. Always at the default scale: ns-3's takes minutes for
// that.
const NS3TCP = "bench/tcp-leaf-spine"

// ns3TCP is a load under the project's TCP and under ns-3's own.
type ns3TCP struct {
	Run  string `json:"run"`
	Ours cost   `json:"fabriclab"`
	// Fabric is ns-3's TCP over the devices and switches of the fabric,
	// PointToPoint over its own devices and routers.
	Fabric       cost `json:"ns3_tcp_over_fabric"`
	PointToPoint cost `json:"ns3_tcp_over_point_to_point"`
}

type cost struct {
	PacketHops       uint64  `json:"packet_hops"`
	Events           uint64  `json:"events"`
	DeliveredBytes   uint64  `json:"delivered_bytes"`
	CPUS             float64 `json:"cpu_s"`
	HopsPerCPUSecond float64 `json:"packet_hops_per_cpu_s"`
	// Ratio is the CPU time per packet-hop over that of the project's TCP.
	Ratio float64 `json:"ratio"`
}

func (c *cost) per(cpuS float64) {
	c.CPUS = cpuS
	if cpuS > 0 {
		c.HopsPerCPUSecond = float64(c.PacketHops) / cpuS
	}
}

// besideNS3 runs every point of an experiment with each of the three, one after
// the other.
func besideNS3(ctx context.Context, lab *lab.Lab, name string) ([]ns3TCP, error) {
	small := *lab
	small.Set.Scale = ""
	small.Set.Engines = []string{ns3.Engine{}.Name()}
	plans, err := plan.Of(ctx, &small, []string{name}, plan.Selection{})
	if err != nil {
		return nil, err
	}
	opt, err := sweeps.Options(&small)
	if err != nil {
		return nil, err
	}
	b, err := lab.Builder()
	if err != nil {
		return nil, err
	}
	program, err := b.Companion(ctx, ns3.Engine{}, ns3.OwnTCP, ns3.OwnTCPSources)
	if err != nil {
		return nil, err
	}
	display := lab.Display()
	defer display.Close()
	opt.Again, opt.Sink = true, display
	var all []ns3TCP
	for _, j := range plans[0].Jobs {
		r := run.One(ctx, j, opt)
		if r.Err != nil {
			return nil, r.Err
		}
		t := ns3TCP{Run: j.Title}
		if t.Ours, err = ownCost(r); err != nil {
			return nil, err
		}
		scenario := filepath.Join(r.Dir, "scenario.json")
		if t.Fabric, err = costOfNS3(ctx, program, scenario, "fabric"); err != nil {
			return nil, err
		}
		if t.PointToPoint, err = costOfNS3(ctx, program, scenario, "point-to-point"); err != nil {
			return nil, err
		}
		for _, c := range []*cost{&t.Ours, &t.Fabric, &t.PointToPoint} {
			if c.HopsPerCPUSecond > 0 {
				c.Ratio = t.Ours.HopsPerCPUSecond / c.HopsPerCPUSecond
			}
		}
		all = append(all, t)
	}
	return all, nil
}

func ownCost(r run.Result) (cost, error) {
	summary, err := run.ParseSummary(r.Manifest)
	if err != nil {
		return cost{}, fmt.Errorf("run %s: %w", r.Dir, err)
	}
	c := cost{PacketHops: summary.PacketHops, Events: summary.Events, DeliveredBytes: uint64(summary.Counters["data_bytes_delivered"])}
	c.per(r.Manifest.Resources.CPUUserS + r.Manifest.Resources.CPUSysS)
	return c, nil
}

// costOfNS3 lets ns-3's TCP carry the load of a scenario.
func costOfNS3(ctx context.Context, program, scenario, network string) (cost, error) {
	cmd := exec.CommandContext(ctx, program, "--scenario", scenario, "--network", network)
	cmd.Env = run.WithHugePages(os.Environ()) // as the project's runner has it
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	text, err := cmd.Output()
	if err != nil {
		return cost{}, fmt.Errorf("%s: %w: %s", cmd, err, strings.TrimSpace(stderr.String()))
	}
	var c cost
	if err := json.Unmarshal(text, &c); err != nil || c.PacketHops == 0 {
		return cost{}, fmt.Errorf("%s printed %q, which is no cost of a load; build it anew with: fabriclab build", cmd, text)
	}
	c.per((cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds())
	return c, nil
}

func (t ns3TCP) show(out io.Writer) error {
	fmt.Fprintf(out, "TCP on ns-3, %s:\n", t.Run)
	var err error
	for _, c := range []struct {
		name string
		cost
	}{{"fabriclab's", t.Ours}, {"ns-3's own, over the fabric", t.Fabric}, {"ns-3's own, over point-to-point devices", t.PointToPoint}} {
		_, err = fmt.Fprintf(out, "  %s: %d packet hops, %.2f M per CPU second, %.1f s, %.0f MB delivered; CPU per packet-hop over fabriclab's: %.1f\n",
			c.name, c.PacketHops, c.HopsPerCPUSecond/1e6, c.CPUS, float64(c.DeliveredBytes)/1e6, c.Ratio)
	}
	return err
}
