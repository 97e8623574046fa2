// Turns compares the CPU time of two programs: go run ./ci/turns [-rounds N] OLD NEW RUN_DIRECTORY...
//
// OLD and NEW are two builds of fabric-ns3 or fabric-omnet; a run directory has the scenario.json of a run. In each
// round both simulate it at the same time on one CPU, in turns of a tenth of a second: while one runs, the other is
// stopped. So what the machine's other tenants do hits both alike, and caches are filled again only ten times a second.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
	"gonum.org/v1/gonum/stat"
)

var (
	rounds = flag.Int("rounds", 12, "rounds for each run directory")
	cpu    = flag.Int("cpu", 0, "the CPU on which both run")
	turn   = flag.Duration("turn", 100*time.Millisecond, "length of a turn")
)

func main() {
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: go run ./ci/turns [flags] OLD NEW RUN_DIRECTORY...")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() < 3 || *rounds < 2 {
		flag.Usage()
		os.Exit(2)
	}
	fmt.Println("CPU time of NEW over OLD: median, quartiles, mean with its standard error")
	for _, dir := range flag.Args()[2:] {
		if err := compare(flag.Arg(0), flag.Arg(1), dir); err != nil {
			fmt.Fprintln(os.Stderr, "turns:", err)
			os.Exit(1)
		}
	}
}

func compare(old, changed, dir string) error {
	var ratios []float64
	for round := range *rounds {
		programs := [2]string{old, changed}
		first := round % 2 // who begins
		spent, err := race(programs, first, dir)
		if err != nil {
			return err
		}
		ratios = append(ratios, spent[1].Seconds()/spent[0].Seconds())
	}
	slices.Sort(ratios)
	quantile := func(p float64) float64 { return stat.Quantile(p, stat.Empirical, ratios, nil) }
	mean, deviation := stat.MeanStdDev(ratios, nil)
	fmt.Printf("%.3f [%.3f %.3f] %.3f±%.3f %s\n", quantile(0.5), quantile(0.25), quantile(0.75), mean,
		deviation/math.Sqrt(float64(len(ratios))), dir)
	return nil
}

// race gives the CPU time of each program.
func race(programs [2]string, first int, dir string) (spent [2]time.Duration, err error) {
	var running [2]*exec.Cmd
	defer func() {
		for _, c := range running {
			if c != nil { // the other one has failed
				_ = c.Process.Kill()
				_ = c.Wait()
			}
		}
	}()
	for i, program := range programs {
		if running[i], err = start(program, dir); err != nil {
			return spent, err
		}
	}
	for i := first; running[0] != nil || running[1] != nil; i = 1 - i {
		if running[i] == nil {
			continue
		}
		done, err := letRun(running[i].Process.Pid)
		if err != nil || !done {
			if err != nil {
				return spent, err
			}
			continue
		}
		c := running[i]
		running[i] = nil
		if err := c.Wait(); err != nil {
			return spent, fmt.Errorf("%s in %s: %w", programs[i], dir, err)
		}
		spent[i] = c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	}
	return spent, nil
}

// start starts a program and stops it at once.
func start(program, dir string) (*exec.Cmd, error) {
	program, err := filepath.Abs(program)
	if err != nil {
		return nil, err
	}
	c := exec.CommandContext(context.Background(), program, "--scenario", "scenario.json", "--trace", os.DevNull, "--summary", os.DevNull)
	c.Dir = dir
	if err := c.Start(); err != nil {
		return nil, err
	}
	set := unix.CPUSet{}
	set.Set(*cpu)
	return c, errors.Join(unix.SchedSetaffinity(c.Process.Pid, &set), c.Process.Signal(syscall.SIGSTOP))
}

// letRun lets a program run for a turn, or until it has ended.
func letRun(pid int) (done bool, err error) {
	if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
		return false, err
	}
	for end := time.Now().Add(*turn); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		// Waits without taking the status away, which os/exec wants.
		var info unix.Siginfo
		err := unix.Waitid(unix.P_PID, pid, &info, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
		if err != nil || info.Signo != 0 {
			return err == nil, err
		}
	}
	return false, syscall.Kill(pid, syscall.SIGSTOP)
}
