// Package bench measures how fast simulations, engines and allocators are.
package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"fabriclab/base/columns"
	"fabriclab/base/file"
	"fabriclab/harness/engine"
	"fabriclab/harness/engine/engines"
	"fabriclab/harness/lab"
	"fabriclab/harness/lab/plan"
	"fabriclab/harness/lab/sweeps"
	"fabriclab/harness/run"
	"fabriclab/harness/scenario"
)

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
	// Optima are the oracle's, cold and from the optimum before.
	Optima []optimumSpeed `json:"optima"`
	// NS3TCP is how far the project's TCP is from ns-3's.
	NS3TCP []ns3TCP `json:"ns3_tcp,omitempty"`
	// Allocator is what an iteration of Flowtune's allocator takes.
	Allocator *allocator `json:"allocator,omitempty"`
}

// speed is what one run cost.
type speed struct {
	Run              string  `json:"run"`
	Engine           string  `json:"engine"`
	Threads          int     `json:"threads"`
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
	HopsPerSecond    float64 `json:"packet_hops_per_s"`
	EventsPerHop     float64 `json:"events_per_packet_hop"`
	NsPerEvent       float64 `json:"cpu_ns_per_event"`
	RowsPerSecond    float64 `json:"trace_rows_per_s"`
	HarnessShare     float64 `json:"harness_share_of_cpu"`
	PeakRSSBytes     int64   `json:"peak_rss_bytes"`
}

// Measure measures the speed of experiments, of the engines' kernels, of a sweep
// and of ns-3's own TCP beside one ("" leaves these two out), and of Flowtune's
// allocator for up to so many flows (0 leaves it out). The loads' speeds are put on
// a page of Markdown ("": on none).
func Measure(ctx context.Context, lab *lab.Lab, names []string, sweep, beside string, allocatorFlows uint64, page string) error {
	var b benchmark
	var err error
	if b.AllocationsPerPacket, err = allocations(ctx, lab); err != nil {
		return err
	}
	if b.Loads, err = loads(ctx, lab, names); err != nil {
		return err
	}
	if b.Kernels, err = kernels(ctx, lab, b.Loads); err != nil {
		return err
	}
	b.Ratios = compareEngines(b.Loads, b.Kernels)
	if b.Optima, err = optimumSpeeds(); err != nil {
		return err
	}
	if sweep != "" {
		if b.Sweeps, err = throughputs(ctx, lab, sweep); err != nil {
			return err
		}
	}
	if beside != "" {
		if b.NS3TCP, err = besideNS3(ctx, lab, beside); err != nil {
			return err
		}
	}
	if allocatorFlows > 0 {
		if b.Allocator, err = allocatorSpeed(ctx, lab, allocatorFlows); err != nil {
			return err
		}
	}
	if page != "" {
		if err := renew(page, lab.Tool.Version, b.Loads); err != nil {
			return err
		}
	}
	return showBench(lab, b)
}

// allocations are those of the model per packet-hop, in steady state.
func allocations(ctx context.Context, lab *lab.Lab) (float64, error) {
	b, err := lab.Builder()
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

// loads runs every job alone, one after the other: on one thread, and on all
// cores where its engine can.
func loads(ctx context.Context, lab *lab.Lab, names []string) ([]speed, error) {
	plans, err := plan.Of(ctx, lab, names, plan.Selection{})
	if err != nil {
		return nil, err
	}
	opt, err := sweeps.Options(lab)
	if err != nil {
		return nil, err
	}
	opt.Again = true
	display := lab.Display()
	defer display.Close()
	opt.Sink = display
	var speeds []speed
	for _, p := range plans {
		for _, j := range p.Jobs {
			threads, err := threadsOf(j.Key.Engine)
			if err != nil {
				return nil, err
			}
			for _, opt.Threads = range threads {
				before := ownCPU()
				result := run.Local{Options: opt}.Run(ctx, []run.Job{j})[0]
				if result.Err != nil {
					return nil, result.Err
				}
				s, err := measured(result, (ownCPU() - before).Seconds())
				if err != nil {
					return nil, err
				}
				s.Threads = opt.Threads
				speeds = append(speeds, s)
			}
		}
	}
	return speeds, nil
}

// threadsOf are the numbers of threads with which an engine is measured.
func threadsOf(name string) ([]int, error) {
	e, err := engines.ByName(name)
	if err != nil {
		return nil, err
	}
	cores := min(runtime.NumCPU(), scenario.MostThreads)
	if _, ok := e.(engine.Threaded); ok && cores > 1 {
		return []int{1, cores}, nil
	}
	return []int{1}, nil
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
		s.HopsPerSecond = float64(s.PacketHops) / s.WallS
		s.NsPerEvent = s.SimulatorCPUS / float64(s.Events) * 1e9
		s.RowsPerSecond = float64(s.TraceRows) / s.WallS
		s.HarnessShare = harness / (harness + s.SimulatorCPUS)
	}
	return s, nil
}

func showBench(lab *lab.Lab, b benchmark) error {
	dir, err := lab.ResultsDir()
	if err != nil {
		return err
	}
	path := filepath.Join(dir, "bench", "bench.json")
	text, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return err
	}
	before := recorded(path)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	if err := file.Write(path, append(text, '\n'), 0o666); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	if lab.Set.JSON {
		return lab.Print(b)
	}
	w := columns.Right(lab.Out)
	fmt.Fprintln(w, "events\tper packet-hop\tCPU ns per event\ttrace rows\tper second\tharness share\tCPU\t")
	for _, s := range b.Loads {
		fmt.Fprintf(w, "%d\t%.2f\t%.0f\t%d\t%.0f\t%.1f %%\t%.1f s\t  %s\n",
			s.Events, s.EventsPerHop, s.NsPerEvent, s.TraceRows, s.RowsPerSecond, 100*s.HarnessShare, s.SimulatorCPUS, s.with())
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := b.showEngines(lab.Out); err != nil {
		return err
	}
	for _, o := range b.Optima {
		o.show(lab.Out)
	}
	for _, t := range b.Sweeps {
		if err := t.show(lab.Out); err != nil {
			return err
		}
	}
	for _, t := range b.NS3TCP {
		if err := t.show(lab.Out); err != nil {
			return err
		}
	}
	if err := b.Allocator.show(lab.Out); err != nil {
		return err
	}
	fmt.Fprintf(lab.Out, "heap allocations per packet-hop in mechanisms/, in steady state: %g\n\n", b.AllocationsPerPacket)
	if err := showSpeeds(lab.Out, b.Loads, before); err != nil {
		return err
	}
	_, err = fmt.Fprintln(lab.Out, path)
	return err
}

// with is the run and its threads.
func (s speed) with() string { return fmt.Sprintf("%s, threads %d", s.Run, s.Threads) }

// recorded are the packet-hops per CPU second that this machine had before, by
// run and threads.
func recorded(path string) map[string]float64 {
	var b benchmark
	text, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(text, &b) != nil {
		return nil // none, or of another version
	}
	all := map[string]float64{}
	for _, s := range b.Loads {
		all[s.with()] = s.HopsPerCPUSecond
	}
	return all
}

// showSpeeds writes a row for each load, with its ratio to what was recorded.
func showSpeeds(out io.Writer, loads []speed, before map[string]float64) error {
	w := columns.Right(out)
	fmt.Fprintln(w, "million packet-hops\tper CPU second\tof last bench\tper second\tpeak memory\tthreads\t")
	for _, s := range loads {
		ratio := ""
		if last := before[s.with()]; last > 0 {
			ratio = fmt.Sprintf("%.2f", s.HopsPerCPUSecond/last)
		}
		fmt.Fprintf(w, "%.2f\t%.2f\t%s\t%.2f\t%.1f MB\t%d\t  %s\n",
			float64(s.PacketHops)/1e6, s.HopsPerCPUSecond/1e6, ratio, s.HopsPerSecond/1e6, float64(s.PeakRSSBytes)/1e6, s.Threads, s.Run)
	}
	return w.Flush()
}
