// Package runtest is a stand-in for a simulator: a program that keeps to the
// runner's contract (docs/formats.md), or breaks it in one chosen way.
package runtest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"fabriclab/harness/engine"
	"fabriclab/harness/trace"
	"fabriclab/harness/trace/tracetest"
	"fabriclab/harness/workload"
)

// modeVariable chooses the behaviour, and makes a test binary the stand-in.
const modeVariable = "FABRICLAB_STAND_IN"

// Version is what the stand-in says about itself.
var Version = engine.Version{Engine: "ns3", EngineVersion: "3.37", Compiler: "stand-in", BuildType: "Release", Flags: "-O3"}

// Program is the running test binary as a runner with the given behaviour.
func Program(mode string) *engine.Program {
	return &engine.Program{
		// The race detector's sleep at the end of a process is none of a simulator.
		Path: os.Args[0], Env: []string{modeVariable + "=" + mode, "GORACE=atexit_sleep_ms=0"},
		Version: Version, BuildID: "build-of-stand-in",
	}
}

// Run is called first in TestMain: in a process that is to be the stand-in it
// does not return.
func Run() {
	if mode := os.Getenv(modeVariable); mode != "" {
		os.Exit(Main(mode, os.Args[1:]))
	}
}

// Main is the stand-in's main function; STAND_IN_ENGINE is an engine that it
// plays instead of ns3, and differs from it in the mode "differ". The modes are the cases of play and
// those of the stream and the summary.
func Main(mode string, args []string) int {
	if len(args) == 1 && args[0] == "--version" {
		v := Version
		if name := os.Getenv("STAND_IN_ENGINE"); name != "" {
			v.Engine = name
		}
		text, err := json.Marshal(v)
		check(err)
		fmt.Println(string(text))
		return 0
	}
	if len(args) == 2 && args[0] == "--kernel" {
		fmt.Println(`{"events": 1000, "cpu_s": 0.00012}`)
		return 0
	}
	options := map[string]string{}
	for i := 0; i+1 < len(args); i += 2 {
		options[strings.TrimPrefix(args[i], "--")] = args[i+1]
	}
	_, err := strconv.Atoi(options["progress-ms"])
	check(err)
	return play(mode, options)
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "stand-in:", err)
		os.Exit(99)
	}
}

func say(format string, args ...any) { fmt.Printf(format+"\n", args...) }

func play(mode string, options map[string]string) int {
	_, err := os.Stat(options["scenario"])
	check(err)
	say(`{"event":"start","stop_ps":1000000,"flows":2}`)
	switch mode {
	case "refuse":
		fmt.Fprintln(os.Stderr, "parameter hpcc.eta = 7 is above 1")
		return 2
	case "exit":
		fmt.Fprintln(os.Stderr, "terminate called after throwing an instance of 'std::bad_alloc'")
		return 70
	case "escape":
		fmt.Fprintln(os.Stderr, "\x1b[2Jgone")
		return 70
	case "segv":
		// A Go program cannot die of SIGSEGV, a shell can.
		check(syscall.Exec("/bin/sh", []string{"sh", "-c", "echo 'assertion failed: queue.size >= 0' >&2; kill -SEGV $$"}, os.Environ()))
	case "stall", "stubborn":
		if mode == "stubborn" {
			signal.Ignore(syscall.SIGTERM)
			grandchild := exec.CommandContext(context.Background(), "sleep", "600")
			check(grandchild.Start())
			check(os.WriteFile("grandchild.pid", []byte(strconv.Itoa(grandchild.Process.Pid)), 0o666))
		}
		for {
			say(`{"event":"progress","sim_ps":120000,"stop_ps":1000000,"events":77,"flows_done":0,"flows_total":2,"wall_s":1.0}`)
			time.Sleep(5 * time.Millisecond)
		}
	case "memory":
		hoard := bytes.Repeat([]byte{1}, 150<<20)
		for {
			say(`{"event":"progress","sim_ps":%d,"stop_ps":1000000,"events":77,"flows_done":0,"flows_total":2,"wall_s":1.0}`, len(hoard))
			time.Sleep(5 * time.Millisecond)
		}
	case "slow", "forever":
		for i := 1; mode == "forever" || i <= 120; i++ {
			say(`{"event":"progress","sim_ps":1000,"stop_ps":1000000,"events":%d,"flows_done":0,"flows_total":2,"wall_s":%g}`, i, float64(i)/100)
			time.Sleep(10 * time.Millisecond)
		}
	case "noise": // 24 MB in lines, 8 MB without one
		for i := range 24_000 {
			fmt.Fprintf(os.Stderr, "%8d %s\n", i, strings.Repeat("x", 990))
		}
		fmt.Print(strings.Repeat("y", 8<<20))
		for i := range 20_000 {
			say(`{"event":"warning","text":"warning %d %s"}`, i, strings.Repeat("z", 200))
		}
		fmt.Fprintln(os.Stderr, "the last words")
	case "noise-crash":
		for i := range 24_000 {
			fmt.Fprintf(os.Stderr, "%8d %s\n", i, strings.Repeat("x", 990))
		}
		fmt.Fprintln(os.Stderr, "the last words")
		return 70
	case "holder", "holder-crash", "escaped", "escaped-crash":
		// A process of its own that holds standard output, standard error and the trace open.
		grandchild := exec.CommandContext(context.Background(), "sleep", "600")
		grandchild.Stdout, grandchild.Stderr = os.Stdout, os.Stderr
		pipe, err := os.OpenFile(options["trace"], os.O_WRONLY, 0)
		check(err)
		grandchild.ExtraFiles = []*os.File{pipe}
		if strings.HasPrefix(mode, "escaped") {
			grandchild.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		}
		check(grandchild.Start())
		check(os.WriteFile(os.Getenv("GRANDCHILD"), []byte(strconv.Itoa(grandchild.Process.Pid)), 0o666))
		if strings.HasSuffix(mode, "crash") {
			return 70
		}
	case "environment":
		for _, v := range os.Environ() {
			fmt.Fprintln(os.Stderr, v)
		}
	case "chatty":
		fmt.Fprint(os.Stderr, strings.Repeat("x", 200_000), "\n")
		say("%s", strings.Repeat("y", 100_000))
		for i := range 5_000 {
			say(`{"event":"progress","sim_ps":%d,"stop_ps":1000000,"events":%d,"flows_done":%d,"flows_total":20000,"wall_s":%g}`, i, i, i, float64(i)/1000)
			fmt.Fprintln(os.Stderr, "line", i)
		}
	}
	say(`{"event":"warning","text":"no flow finished: stop time is short"}`)
	stream(mode, options["trace"])
	return finish(mode, options["summary"])
}

func stream(mode, path string) {
	samples := 100
	switch {
	case mode == "large":
		samples = 3_000_000
	case mode == "differ" && os.Getenv("STAND_IN_ENGINE") != "":
		samples++
	}
	var b bytes.Buffer
	check(tracetest.Write(&b, samples))
	data := b.Bytes()
	switch mode {
	case "truncated", "cut":
		data = data[:len(data)-37]
	case "corrupt":
		data[len(data)/2] ^= 0xff
	}
	out, err := os.OpenFile(path, os.O_WRONLY, 0)
	check(err)
	_, err = out.Write(data)
	check(err)
	if mode == "cut" {
		check(syscall.Kill(os.Getpid(), syscall.SIGKILL))
		time.Sleep(time.Minute)
	}
	check(out.Close())
}

func finish(mode, path string) int {
	ok, status := true, "ok"
	switch mode {
	case "check", "check-silent":
		ok, status = false, "check-failed"
	case "no-summary":
		return 0
	}
	text := fmt.Sprintf(`{"status":%q,"sim_ps":1000000,"events":4321,"packet_hops":999,"flows":{"total":2,"started":2,"finished":1},`+
		`"counters":{"drops":1},"checks":[{"name":"bytes_conserved","ok":%t,"detail":"sent 6000, delivered 5000"}],`+
		`"warnings":["no flow finished: stop time is short"],"resources":{"wall_s":0.1,"cpu_user_s":0.1,"cpu_sys_s":0,"peak_rss_bytes":1}}`, status, ok)
	if mode == "bad-summary" {
		text = text[:50]
	}
	check(os.WriteFile(path, []byte(text), 0o666))
	if mode == "check" {
		return 3
	}
	say(`{"event":"end","status":%q}`, status)
	return 0
}

// Prepare writes the stand-in's input.
func Prepare(dir string) (*workload.Tally, *trace.Names, error) {
	for name, text := range map[string]string{"scenario.json": tracetest.Scenario, "flows.bin": "FABFLOW1", "routes.bin": "FABROUT1", "effective.json": "[]"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			return nil, nil, err
		}
	}
	return &workload.Tally{Flows: 2, MeasuredFlows: 2, Load: &workload.OfferedLoad{Asked: 0.5, Offered: 0.49}}, tracetest.Names(), nil
}
