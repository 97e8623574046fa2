package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/go-cmd/cmd"

	"fabriclab/harness/progress"
	"fabriclab/harness/store"
)

// logMark opens the lines in log.txt that are not the child's standard error.
const logMark = "# "

// child is a runner at work.
type child struct {
	path  string
	args  []string
	env   []string
	dir   string
	log   io.Writer // gets standard error, and standard output behind a mark
	trace *os.File  // the writing end of the pipe, file descriptor 3 of the child

	stall    time.Duration // 0: never
	grace    time.Duration
	duration time.Duration // the longest it may run; 0: any
	memory   int64         // the most it may take, in bytes; 0: any
	// uses is called with the most memory it has taken so far.
	uses func(bytes int64)
	// rows is the number of trace rows taken in: a simulator that waits for
	// its reader is not stalled.
	rows *atomic.Uint64
	// update is called for every message of the child.
	update func(message)
}

// message is a line on the child's standard output.
type message struct {
	Event      string  `json:"event"`
	SimPS      int64   `json:"sim_ps"`
	StopPS     int64   `json:"stop_ps"`
	Events     uint64  `json:"events"`
	FlowsDone  int64   `json:"flows_done"`
	FlowsTotal int64   `json:"flows_total"`
	WallS      float64 `json:"wall_s"`
	Text       string  `json:"text"`
}

// ending is how a child ended.
type ending struct {
	exit      int
	signal    syscall.Signal
	err       error // it could not be started or waited for
	ended     error // why it was ended before its time
	resources store.Resources
}

// run starts the child and waits for its end. When ctx is done it is ended,
// with its process group.
func (c *child) run(ctx context.Context) ending {
	if ctx.Err() != nil {
		return ending{err: context.Cause(ctx)}
	}
	var process *exec.Cmd
	var watch watchdog
	var p *cmd.Cmd
	stdout := &lines{take: func(line string) {
		c.line(line, &watch)
		watch.memory(p.Status().PID)
	}}
	p = cmd.NewCmdOptions(cmd.Options{
		BeforeExec: []func(*exec.Cmd){func(e *exec.Cmd) {
			process = e
			e.Stdout, e.Stderr = stdout, c.log
			e.ExtraFiles = []*os.File{c.trace}
			// Something that the child has started may hold its output open.
			e.WaitDelay = max(c.grace, time.Second) // 0 would be for ever
			// The kernel kills the child when the thread ends that started it,
			// which happens only if this process is killed: the thread is kept
			// for this goroutine, which waits for the child.
			runtime.LockOSThread()
			e.SysProcAttr.Pdeathsig = syscall.SIGKILL
		}},
	}, c.path, c.args...)
	p.Dir = c.dir
	p.Env = append(environment(os.Environ()), c.env...)

	begin := time.Now()
	watch.moved(begin)
	done := p.Start()
	var end ending
	status := c.wait(ctx, p, done, &watch, &end)
	if process == nil || process.ProcessState == nil {
		end.err = fmt.Errorf("starting %s: %w", c.path, errors.Join(status.Error, context.Cause(ctx)))
		return end
	}
	stdout.flushRest()
	if pid := process.Process.Pid; syscall.Kill(-pid, syscall.SIGKILL) == nil {
		_, _ = fmt.Fprintf(c.log, "%sprocesses that it had started were still there when it had ended, and were killed\n", logMark)
	}
	end.exit = process.ProcessState.ExitCode()
	if w, ok := process.ProcessState.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		end.signal = w.Signal()
	}
	end.resources = resources(process.ProcessState, status, watch.peak.Load())
	if end.ended == nil && ctx.Err() == nil {
		end.ended = c.tooMuch(end.resources.PeakRSSBytes)
	}
	return end
}

// environment is that of a child: the harness's own, but without what changes
// ns-3 from outside (NS_LOG, NS_GLOBAL_VALUE, NS_ATTRIBUTE_DEFAULT).
func environment(of []string) []string {
	return slices.DeleteFunc(WithHugePages(of), func(v string) bool { return strings.HasPrefix(v, "NS_") })
}

// resources takes what the operating system counted, and the peak memory seen
// if the system's count is no more than this process's own.
func resources(state *os.ProcessState, status cmd.Status, seen int64) store.Resources {
	r := store.Resources{
		WallS:    time.Duration(status.StopTs - status.StartTs).Seconds(),
		CPUUserS: state.UserTime().Seconds(),
		CPUSysS:  state.SystemTime().Seconds(),
	}
	if usage, ok := state.SysUsage().(*syscall.Rusage); ok {
		r.PeakRSSBytes = usage.Maxrss << 10
	}
	if seen > 0 && r.PeakRSSBytes <= peakMemory(os.Getpid()) {
		r.PeakRSSBytes = seen
	}
	return r
}

// wait waits for the child, ends it when ctx is done or it stalls, and kills
// what is left of its process group after the grace time.
func (c *child) wait(ctx context.Context, p *cmd.Cmd, done <-chan cmd.Status, watch *watchdog, end *ending) cmd.Status {
	ticker := time.NewTicker(tick(c.stall))
	defer ticker.Stop()
	look := firstLook
	memory := time.NewTimer(look)
	defer memory.Stop()
	var late <-chan time.Time // never, without a limit
	if c.duration > 0 {
		timer := time.NewTimer(c.duration)
		defer timer.Stop()
		late = timer.C
	}
	for {
		select {
		case status := <-done:
			return status
		case <-ctx.Done():
			return c.stop(p, done)
		case <-late:
			end.ended = &final{fmt.Errorf("it ran longer than its limit of %s (--time-limit) and was ended; the last that it reported is %s of simulated time", c.duration, progress.SimTime(watch.simPS.Load()))}
			return c.stop(p, done)
		case <-memory.C:
			peak := watch.memory(p.Status().PID)
			if c.uses != nil {
				c.uses(peak)
			}
			if end.ended = c.tooMuch(peak); end.ended != nil {
				return c.stop(p, done)
			}
			look = min(2*look, time.Second)
			memory.Reset(look)
		case now := <-ticker.C:
			if c.rows != nil {
				watch.ingested(c.rows.Load(), now)
			}
			if c.stall > 0 && now.Sub(watch.since()) > c.stall {
				end.ended = fmt.Errorf("the simulation stalled: simulated time (%s) and events (%d) have not moved for %s; it was ended (--stall-timeout)",
					progress.SimTime(watch.simPS.Load()), watch.events.Load(), c.stall)
				return c.stop(p, done)
			}
		}
	}
}

// firstLook is when the child's memory is looked at first, for short runs; the
// time between two looks doubles up to a second, because a look is not free.
const firstLook = 50 * time.Millisecond

// tooMuch is an error if the child took more memory than it may.
func (c *child) tooMuch(peak int64) error {
	if c.memory == 0 || peak <= c.memory {
		return nil
	}
	return &final{fmt.Errorf("it took %s of memory, more than its limit of %s (--memory-limit)", memoryText(peak), memoryText(c.memory))}
}

func tick(stall time.Duration) time.Duration {
	if stall <= 0 {
		return time.Second
	}
	return min(time.Second, max(stall/4, time.Millisecond))
}

func (c *child) stop(p *cmd.Cmd, done <-chan cmd.Status) cmd.Status {
	// Stop signals the group; it fails only if the child has ended, or has not
	// been started yet and then never is.
	_ = p.Stop()
	select {
	case status := <-done:
		return status
	case <-time.After(c.grace):
	}
	if pid := p.Status().PID; pid > 0 {
		_ = syscall.Kill(-pid, syscall.SIGKILL) // it may have ended meanwhile
	}
	return <-done
}

// line takes one line of standard output.
func (c *child) line(line string, watch *watchdog) {
	var m message
	if !strings.HasPrefix(line, "{") || json.Unmarshal([]byte(line), &m) != nil || m.Event == "" {
		m = message{Event: "text", Text: line}
	}
	switch m.Event {
	case "start":
		watch.moved(time.Now())
	case "progress":
		watch.progress(m.SimPS, m.Events, time.Now())
	default:
		_, _ = fmt.Fprintln(c.log, logMark+line)
	}
	c.update(m)
}

// watchdog notes when the simulation moved last.
type watchdog struct {
	simPS  atomic.Int64
	events atomic.Uint64
	rows   uint64
	last   atomic.Int64 // Unix nanoseconds
	peak   atomic.Int64 // memory of the child, in bytes
}

// memory looks at the largest memory of the child so far.
func (w *watchdog) memory(pid int) int64 {
	now := peakMemory(pid)
	for {
		old := w.peak.Load()
		if now <= old || w.peak.CompareAndSwap(old, now) {
			return max(old, now)
		}
	}
}

func (w *watchdog) moved(now time.Time) { w.last.Store(now.UnixNano()) }

func (w *watchdog) since() time.Time { return time.Unix(0, w.last.Load()) }

func (w *watchdog) progress(simPS int64, events uint64, now time.Time) {
	oldSim, oldEvents := w.simPS.Swap(simPS), w.events.Swap(events)
	if oldSim != simPS || oldEvents != events {
		w.moved(now)
	}
}

func (w *watchdog) ingested(rows uint64, now time.Time) {
	if rows != w.rows {
		w.rows = rows
		w.moved(now)
	}
}
