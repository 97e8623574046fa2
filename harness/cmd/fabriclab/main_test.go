package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"fabriclab/harness/build"
	"fabriclab/harness/run/runtest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"fabriclab": func() { os.Exit(execute()) },
		"stand-in":  func() { os.Exit(standIn(os.Args[1:])) },
	})
}

// standIn plays a simulator. STAND_IN is its behaviour, seed:behaviour for one
// seed only, or once:FILE to crash once.
func standIn(args []string) int {
	mode := os.Getenv("STAND_IN")
	if file, found := strings.CutPrefix(mode, "once:"); found && len(args) > 1 {
		mode = "ok"
		if _, err := os.Stat(file); err != nil {
			mode = "exit"
			_ = os.WriteFile(file, nil, 0o644)
		}
	}
	if seed, behaviour, found := strings.Cut(mode, ":"); found {
		mode = "ok"
		if len(args) > 1 && scenarioSeed(args[1]) == seed {
			mode = behaviour
		}
	}
	return runtest.Main(mode, args)
}

func scenarioSeed(path string) string {
	var s struct {
		Seed uint64 `json:"seed"`
	}
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "stand-in:", err)
		os.Exit(99)
	}
	return fmt.Sprint(s.Seed)
}

const cmakeLists = `cmake_minimum_required(VERSION 3.20)
project(fake NONE)
set(programs fabric-describe fabric-allocations fabric-ns3)
if(EXISTS ${CMAKE_SOURCE_DIR}/mechanisms/fabric-omnet.in)
  list(APPEND programs fabric-omnet)
endif()
foreach(program ${programs})
  add_custom_target(${program} COMMAND mkdir -p bin
    COMMAND cp ${CMAKE_SOURCE_DIR}/mechanisms/${program}.in bin/${program} COMMAND chmod +x bin/${program})
endforeach()
`

const experimentFile = `name: test/two
title: Two seeds, two presets
topology:
  type: custom
  hosts: [sender0, receiver0]
  switches: [s1, s2]
  rate: 100Gbps
  delay: 1us
  links: [{a: sender0, b: s1}, {a: s1, b: s2}, {a: s1, b: s2}, {a: s2, b: receiver0}]
workload:
  type: list
  flows:
    - {name: short, src: sender0, dst: receiver0, start: 0us, size: 1KB}
    - {name: long, src: sender0, dst: receiver0, start: 0us, size: unlimited}
preset: hpcc
run: {stop: 1us}
trace:
  flows: {}
  queues: {interval: 1us}
  drops: {}
matrix:
  preset: [hpcc, none]
seeds: [1, 2]
figure:
  windows: {whole: [0us, 1us]}
  dimensions:
    mechanism: {path: preset}
  measures:
    peak: {kind: queue_peak, port: "s1->s2", class: 1, window: whole, unit: KB, text: highest queue}
  claims:
    - id: queue-builds
      text: The queue builds up
      source: nowhere
      each: [mechanism]
      value: peak
      expected: 500
      unit: KB
`

// setup makes a small checkout whose simulator is the stand-in.
func setup(env *testscript.Env) error {
	root := filepath.Join(env.WorkDir, "lab")
	repository, err := filepath.Abs("../../..")
	if err != nil {
		return err
	}
	version, err := json.Marshal(runtest.Version)
	if err != nil {
		return err
	}
	files := map[string]string{
		"go.mod":         "module fabriclab\n",
		"CMakeLists.txt": cmakeLists,
		"mechanisms/fabric-describe.in": "#!/bin/sh\n" + `[ "$1" != --check ] || while read -r question; do echo '{"problems": []}'; done` + "\n" +
			`[ "$1" = --check ] || cat ` + root + "/mechanisms/catalog.json\n",
		// Every command asks for the version, and a shell starts in a fraction of the test's time.
		"mechanisms/fabric-ns3.in":         "#!/bin/sh\n[ \"$*\" != --version ] || { echo '" + string(version) + "'; exit; }\nexec stand-in \"$@\"\n",
		"mechanisms/fabric-allocations.in": "#!/bin/sh\necho '{\"packet_hops\": 1000, \"allocations\": 3}'\n",
		"ns3-modules/node.cc":              "",
		"ns3/include/ns3/core-module.h":    "",
		"ns3/lib/libns3.37-core.so":        "",
		"ns3/lib/libns3.37-network.so":     "",
		"ns3/lib/libns3.37-stats.so":       "",
		"configs/test/two.yaml":            experimentFile,
	}
	for name, from := range map[string]string{
		"mechanisms/catalog.json":           "base/catalog/testdata/catalog.json",
		"configs/presets/hpcc.yaml":         "configs/presets/hpcc.yaml",
		"configs/presets/none.yaml":         "configs/presets/none.yaml",
		"configs/workloads/web-search.yaml": "configs/workloads/web-search.yaml",
	} {
		text, err := os.ReadFile(filepath.Join(repository, from))
		if err != nil {
			return err
		}
		files[name] = string(text)
	}
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	if _, err := build.New(root, build.Release, io.Discard).Describe(context.Background()); err != nil {
		return err
	}
	env.Setenv("ns3_DIR", filepath.Join(root, "ns3"))
	env.Setenv("STAND_IN", "ok")
	env.Setenv("GORACE", "atexit_sleep_ms=0")
	cache, err := goCache()
	if err != nil {
		return err
	}
	env.Setenv("GOCACHE", cache)
	env.Cd = root
	return nil
}

// goCache is where Go keeps what it has built: the fabriclab of a revision is
// built, and a script has no home directory.
func goCache() (string, error) {
	if dir := os.Getenv("GOCACHE"); dir != "" {
		return dir, nil
	}
	dir, err := os.UserCacheDir()
	return filepath.Join(dir, "go-build"), err
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata/script", Setup: setup, RequireExplicitExec: true})
}
