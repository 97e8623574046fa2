package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"text/tabwriter"
	"time"

	"fabriclab/harness/file"
	"github.com/spf13/cobra"

	"fabriclab/harness/engine/engines"
	"fabriclab/harness/run"
)

// benchExperiments are run when none are given.
var benchExperiments = []string{"bench/hpcc-dumbbell", "bench/fat-tree", "bench/fncc-star", "bench/tcp-leaf-spine"}

// benchmark is what a call of bench found out.
type benchmark struct {
	AllocationsPerPacket float64 `json:"allocations_per_packet"` // packet-hop, in mechanisms/, in steady state
	Loads                []speed `json:"loads"`
	// Kernels and Ratios say how far the engines are apart, and how much of
	// it is the simulators'.
	Kernels []kernel      `json:"kernels"`
	Ratios  []engineRatio `json:"ratios,omitempty"`
	// Sweeps is what running several at a time gains.
	Sweeps []throughput `json:"sweeps,omitempty"`
	// NS3TCP is how far the project's TCP is from ns-3's.
	NS3TCP []ns3TCP `json:"ns3_tcp,omitempty"`
}

// speed is what one run cost.
type speed struct {
	Run              string  `json:"run"`
	Engine           string  `json:"engine"`
	ScenarioHash     string  `json:"scenario_hash"`
	BuildType        string  `json:"build_type"`
	BuildID          string  `json:"build_id"`
	PacketHops       uint64  `json:"packet_hops"`
	Events           uint64  `json:"events"`
	TraceRows        uint64  `json:"trace_rows"`
	WallS            float64 `json:"wall_s"`
	SimulatorCPUS    float64 `json:"simulator_cpu_s"`
	HarnessCPUS      float64 `json:"harness_cpu_s"`
	HopsPerCPUSecond float64 `json:"packet_hops_per_cpu_s"`
	EventsPerHop     float64 `json:"events_per_packet_hop"`
	NsPerEvent       float64 `json:"cpu_ns_per_event"`
	RowsPerSecond    float64 `json:"trace_rows_per_s"`
	HarnessShare     float64 `json:"harness_share_of_cpu"`
	PeakRSSBytes     int64   `json:"peak_rss_bytes"`
}

func (a *app) benchCommand() *cobra.Command {
	var sweep, beside string
	cmd := &cobra.Command{
		Use:   "bench [FILE…]",
		Short: "measure the speed of simulation and harness; table on the terminal and bench/bench.json in the results folder",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = benchExperiments
				a.benchEngines()
				if !cmd.Flags().Changed("sweep") {
					sweep = benchSweep
				}
				if !cmd.Flags().Changed("ns3-tcp") {
					beside = benchNS3TCP
				}
			}
			var b benchmark
			var err error
			if b.AllocationsPerPacket, err = a.allocations(cmd.Context()); err != nil {
				return err
			}
			if b.Loads, err = a.bench(cmd.Context(), args); err != nil {
				return err
			}
			if b.Kernels, err = a.kernels(cmd.Context(), b.Loads); err != nil {
				return err
			}
			b.Ratios = compareEngines(b.Loads, b.Kernels)
			if sweep != "" {
				if b.Sweeps, err = a.throughput(cmd.Context(), sweep); err != nil {
					return err
				}
			}
			if beside != "" {
				if b.NS3TCP, err = a.ns3TCP(cmd.Context(), beside); err != nil {
					return err
				}
			}
			return a.showBench(b)
		},
	}
	cmd.Flags().StringVar(&sweep, "sweep", "", "experiment of which all runs are made, one at a time and --jobs at a time (default without FILE: "+benchSweep+")")
	cmd.Flags().StringVar(&beside, "ns3-tcp", "", "experiment whose load ns-3's own TCP carries, too (default without FILE: "+benchNS3TCP+")")
	return cmd
}

// benchEngines chooses all engines that are here, if none was asked for.
func (a *app) benchEngines() {
	if len(a.set.engines) > 0 {
		return
	}
	for _, e := range engines.All() {
		if _, err := e.Find(); err != nil {
			fmt.Fprintf(a.err, "%s is not here and not measured\n", e.Title())
			continue
		}
		a.set.engines = append(a.set.engines, e.Name())
	}
}

// allocations are those of the model per packet-hop, in steady state.
func (a *app) allocations(ctx context.Context) (float64, error) {
	b, err := a.builder()
	if err != nil {
		return 0, err
	}
	text, err := b.Allocations(ctx)
	if err != nil {
		return 0, err
	}
	var counted struct {
		PacketHops  uint64 `json:"packet_hops"`
		Allocations uint64 `json:"allocations"`
	}
	if err := json.Unmarshal(text, &counted); err != nil {
		return 0, fmt.Errorf("fabric-allocations printed %q: %w", text, err)
	}
	if counted.PacketHops == 0 {
		return 0, errors.New("fabric-allocations sent no packet; build it anew with: fabriclab build")
	}
	return float64(counted.Allocations) / float64(counted.PacketHops), nil
}

// bench runs every job alone, one after the other.
func (a *app) bench(ctx context.Context, names []string) ([]speed, error) {
	b, err := a.builder()
	if err != nil {
		return nil, err
	}
	c, err := a.catalog(ctx)
	if err != nil {
		return nil, err
	}
	all, err := a.loadAll(c, names, selection{})
	if err != nil {
		return nil, err
	}
	plans, err := a.plans(ctx, b, all)
	if err != nil {
		return nil, err
	}
	opt, err := a.runOptions()
	if err != nil {
		return nil, err
	}
	opt.Again = true
	display := a.display()
	defer display.Close()
	opt.Sink = display
	var speeds []speed
	for _, p := range plans {
		for _, j := range p.jobs {
			before := ownCPU()
			result := run.Local{Options: opt}.Run(ctx, []run.Job{j})[0]
			if result.Err != nil {
				return nil, result.Err
			}
			s, err := measured(result, (ownCPU() - before).Seconds())
			if err != nil {
				return nil, err
			}
			speeds = append(speeds, s)
		}
	}
	return speeds, nil
}

// ownCPU is the CPU time of this process without its children.
func ownCPU() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func measured(r run.Result, harness float64) (speed, error) {
	summary, err := run.ParseSummary(r.Manifest)
	if err != nil {
		return speed{}, fmt.Errorf("run %s: %w", r.Dir, err)
	}
	m := r.Manifest
	s := speed{
		Run: r.Job.Title, Engine: r.Job.Key.Engine, ScenarioHash: r.Job.Key.ScenarioHash, BuildType: m.Engine.BuildType, BuildID: m.Engine.BuildID,
		PacketHops: summary.PacketHops, Events: summary.Events, WallS: m.Resources.WallS,
		SimulatorCPUS: m.Resources.CPUUserS + m.Resources.CPUSysS, HarnessCPUS: harness, PeakRSSBytes: m.Resources.PeakRSSBytes,
	}
	for _, f := range m.Outputs {
		if f.Rows != nil {
			s.TraceRows += *f.Rows
		}
	}
	if s.SimulatorCPUS > 0 && s.Events > 0 && s.WallS > 0 {
		s.EventsPerHop = float64(s.Events) / float64(max(1, s.PacketHops))
		s.HopsPerCPUSecond = float64(s.PacketHops) / s.SimulatorCPUS
		s.NsPerEvent = s.SimulatorCPUS / float64(s.Events) * 1e9
		s.RowsPerSecond = float64(s.TraceRows) / s.WallS
		s.HarnessShare = harness / (harness + s.SimulatorCPUS)
	}
	return s, nil
}

func (a *app) showBench(b benchmark) error {
	dir, err := a.resultsDir()
	if err != nil {
		return err
	}
	path := filepath.Join(dir, "bench", "bench.json")
	text, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := file.Write(path, append(text, '\n'), 0o644); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	if a.set.json {
		return a.print(b)
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "packet hops\tper CPU second\tevents\tper hop\tCPU ns per event\tpeak memory\ttrace rows\tper second\tharness share\tCPU\t")
	for _, s := range b.Loads {
		fmt.Fprintf(w, "%d\t%.2f M\t%d\t%.2f\t%.0f\t%.1f MB\t%d\t%.0f\t%.1f %%\t%.1f s\t  %s\n", s.PacketHops, s.HopsPerCPUSecond/1e6,
			s.Events, s.EventsPerHop, s.NsPerEvent, float64(s.PeakRSSBytes)/1e6, s.TraceRows, s.RowsPerSecond, 100*s.HarnessShare, s.SimulatorCPUS, s.Run)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := b.showEngines(a.out); err != nil {
		return err
	}
	for _, t := range b.Sweeps {
		if err := t.show(a.out); err != nil {
			return err
		}
	}
	for _, t := range b.NS3TCP {
		if err := t.show(a.out); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(a.out, "heap allocations per packet-hop in mechanisms/, in steady state: %g\n%s\n", b.AllocationsPerPacket, path)
	return err
}
