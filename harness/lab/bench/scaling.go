package bench

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"fabriclab/base/columns"
	"fabriclab/harness/engine"
	"fabriclab/harness/engine/engines"
	"fabriclab/harness/lab"
	"fabriclab/harness/lab/plan"
	"fabriclab/harness/lab/sweeps"
	"fabriclab/harness/run"
)

// scaling is what threads could gain a run at most.
type scaling struct {
	Run     string `json:"run"`
	Engine  string `json:"engine"`
	Windows int    `json:"windows"`
	Events  uint64 `json:"events"`
	// EventNs is CPU time on one thread, BarrierNs the time of a window in which
	// BarrierThreads threads have nothing to do.
	EventNs        float64 `json:"cpu_ns_per_event"`
	BarrierNs      float64 `json:"barrier_ns"`
	BarrierThreads int     `json:"barrier_threads"`
	Bounds         []bound `json:"bounds"`
}

// bound is for a number of threads: one thread's time over theirs, and what
// their time goes into beside an equal share of the events.
type bound struct {
	Threads  int     `json:"threads"`
	Speedup  float64 `json:"speedup"`
	Uneven   float64 `json:"uneven_share"`  // the busiest thread has more than its share
	Barriers float64 `json:"barrier_share"` // they wait for each other
	Alone    float64 `json:"alone_share"`   // windows too small to be shared
}

// window has its events, and those of the busiest of so many threads.
type window struct {
	events  uint64
	busiest []uint64
}

// Scaling prints for each run of the experiments how much threads could gain.
// What an event costs is measured on one thread; how events are dealt to
// threads is what a run with them would do. A barrier's time grows with the
// number of threads, as all count on one counter.
func Scaling(ctx context.Context, lab *lab.Lab, names []string) error {
	plans, err := plan.Of(ctx, lab, names, plan.Selection{})
	if err != nil {
		return err
	}
	opt, err := sweeps.Options(lab)
	if err != nil {
		return err
	}
	display := lab.Display()
	defer display.Close()
	opt.Again, opt.Threads, opt.Sink = true, 1, display
	var all []scaling
	for _, p := range plans {
		for _, j := range p.Jobs {
			e, err := engines.ByName(j.Key.Engine)
			if err != nil {
				return err
			}
			if _, ok := e.(engine.Threaded); !ok {
				continue
			}
			result := run.Local{Options: opt}.Run(ctx, []run.Job{j})[0]
			if result.Err != nil {
				return result.Err
			}
			s, err := scalingOf(ctx, result)
			if err != nil {
				return err
			}
			all = append(all, s)
		}
	}
	display.Close()
	if len(all) == 0 {
		return fmt.Errorf("no run is on an engine with threads; add --engine ns3")
	}
	if lab.Set.JSON {
		return lab.Print(all)
	}
	return showScaling(lab.Out, all)
}

func scalingOf(ctx context.Context, r run.Result) (scaling, error) {
	s := scaling{Run: r.Job.Title, Engine: r.Job.Key.Engine}
	threads, windows, err := windowsOf(ctx, r)
	if err != nil {
		return s, err
	}
	if len(windows) == 0 {
		return s, fmt.Errorf("%s: runs in the order of time, which no threads can share", r.Job.Title)
	}
	kernel, err := askKernel(ctx, r.Job.Program, "barrier")
	if err != nil {
		return s, err
	}
	for _, w := range windows {
		s.Events += w.events
	}
	used := r.Manifest.Resources
	s.Windows, s.EventNs = len(windows), (used.CPUUserS+used.CPUSysS)*1e9/float64(max(1, s.Events))
	s.BarrierNs, s.BarrierThreads = kernel.ns(), kernel.Threads
	for i, n := range threads {
		s.Bounds = append(s.Bounds, boundOf(windows, i, n, s.EventNs, s.BarrierNs*float64(n)/float64(s.BarrierThreads)))
	}
	return s, nil
}

// windowsOf runs the simulation again, which writes its windows.
func windowsOf(ctx context.Context, r run.Result) ([]int, []window, error) {
	dir, err := os.MkdirTemp("", "fabriclab-windows-")
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	file := filepath.Join(dir, "windows.csv")
	args := append(r.Job.Program.Args("scenario.json", "/dev/null", filepath.Join(dir, "summary.json"), 0, 1), "--windows", file)
	cmd := exec.CommandContext(ctx, r.Job.Program.Path, args...)
	cmd.Dir = r.Dir
	cmd.Env = append(cmd.Environ(), r.Job.Program.Env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		return nil, nil, fmt.Errorf("%s: %w: %s", cmd, err, strings.TrimSpace(stderr.String()))
	}
	text, err := os.Open(file)
	if err != nil {
		return nil, nil, err
	}
	defer text.Close()
	return readWindows(text)
}

func readWindows(in io.Reader) (threads []int, windows []window, err error) {
	rows := csv.NewReader(in)
	head, err := rows.Read()
	if err == io.EOF {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("windows: %w", err)
	}
	for _, cell := range head[1:] {
		n, err := strconv.Atoi(cell)
		if err != nil {
			return nil, nil, fmt.Errorf("windows: %w", err)
		}
		threads = append(threads, n)
	}
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return threads, windows, nil
		}
		if err != nil {
			return nil, nil, fmt.Errorf("windows: %w", err)
		}
		numbers := make([]uint64, len(row))
		for i, cell := range row {
			if numbers[i], err = strconv.ParseUint(cell, 10, 64); err != nil {
				return nil, nil, fmt.Errorf("windows: %w", err)
			}
		}
		windows = append(windows, window{numbers[0], numbers[1:]})
	}
}

// boundOf is that of n threads, the i-th number of a window's line. Threads
// share a window only where that is quicker.
func boundOf(windows []window, i, n int, eventNs, barrierNs float64) bound {
	var all, took, uneven, barriers, alone float64
	for _, w := range windows {
		one := float64(float64(w.events) * eventNs)
		busiest := float64(float64(w.busiest[i]) * eventNs)
		shared := busiest + barrierNs
		all += one
		if one <= shared {
			alone += one - one/float64(n)
			took += one
			continue
		}
		uneven += busiest - one/float64(n)
		barriers += barrierNs
		took += shared
	}
	return bound{Threads: n, Speedup: all / took, Uneven: uneven / took, Barriers: barriers / took, Alone: alone / took}
}

func showScaling(out io.Writer, all []scaling) error {
	for _, s := range all {
		fmt.Fprintf(out, "%s: %d windows of %.0f events, %.0f ns each; a barrier of %d threads takes %.0f ns\n",
			s.Run, s.Windows, float64(s.Events)/float64(s.Windows), s.EventNs, s.BarrierThreads, s.BarrierNs)
		w := columns.Right(out)
		fmt.Fprintln(w, "threads\ttimes as fast, at most\tof their time: uneven work\tbarriers\twindows that one runs alone\t")
		for _, b := range s.Bounds {
			fmt.Fprintf(w, "%d\t%.2f\t%.0f %%\t%.0f %%\t%.0f %%\t\n", b.Threads, b.Speedup, 100*b.Uneven, 100*b.Barriers, 100*b.Alone)
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	return nil
}
