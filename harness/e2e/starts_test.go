package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fabriclab/base/catalog"
	"fabriclab/harness/build"
	"fabriclab/harness/engine"
	list "fabriclab/harness/engine/engines"
	"fabriclab/harness/engine/omnet"
	yaml "fabriclab/harness/experiment"
)

// notStarted is what a runner ends with that refuses its input.
const notStarted = 2

// startsFor is how long a run may take to show that it has started.
const startsFor = 20 * time.Second

// FuzzStarts: an experiment that is valid starts, on every engine that is
// built, and its trace is the same on all of them, and on three threads. A run
// that goes on for long has started.
func FuzzStarts(f *testing.F) {
	b := build.New(lab.root, build.Release, io.Discard)
	ctx := context.Background()
	described, err := b.Describe(ctx)
	require.NoError(f, err)
	c, err := catalog.Load(described)
	require.NoError(f, err)
	checks := b.Checks(ctx)
	defer checks.Close()
	var programs []*engine.Program
	for _, e := range list.All() {
		if p, err := b.Present(ctx, e); err == nil {
			programs = append(programs, p)
		}
	}
	require.NotEmpty(f, programs)
	for seed := range uint64(150) {
		f.Add(seed)
	}
	valid := 0
	f.Fuzz(func(t *testing.T, seed uint64) {
		file := filepath.Join(t.TempDir(), "exp.yaml")
		text := anyExperiment(c, rand.New(rand.NewPCG(seed, 0)))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
		e, err := yaml.Load(file, yaml.Options{Catalog: c, Checks: checks, ConfigDir: filepath.Join(lab.root, "configs")})
		if err != nil {
			require.NotContains(t, err.Error(), "--check", "it ends the program:\n%s", text)
			return
		}
		valid++
		dir := t.TempDir()
		_, err = e.Points[0].WriteInputs(dir, 1)
		require.NoError(t, err, text)
		var want []byte
		compare := func(p *engine.Program, threads int) {
			trace, err := start(p, dir, threads)
			require.NoError(t, err, "%s refuses it:\n%s", p.Version.Engine, text)
			if want == nil {
				want = trace
			}
			require.True(t, trace == nil || bytes.Equal(want, trace), "%s on %d threads gives another trace:\n%s", p.Version.Engine, threads, text)
		}
		for _, p := range programs {
			compare(p, 1)
			if p.Version.Engine != (omnet.Engine{}).Name() {
				compare(p, 3)
			}
		}
	})
	f.Logf("%d of the experiments are valid", valid)
}

// start runs a program for a while; the error says that it did not start. The
// trace is that of a run that came to its end.
func start(p *engine.Program, dir string, threads int) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), startsFor)
	defer cancel()
	trace := filepath.Join(dir, "trace")
	cmd := exec.CommandContext(ctx, p.Path, p.Args(filepath.Join(dir, "scenario.json"), trace, filepath.Join(dir, "summary"), time.Hour, threads)...)
	cmd.Env = append(append(os.Environ(), p.Env...), alwaysShared)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if ctx.Err() != nil || errors.As(err, &exit) && exit.ExitCode() > notStarted {
		return nil, nil // it has come to its checks
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, stderr.String())
	}
	return os.ReadFile(trace)
}

// anyExperiment is a small experiment of components that are drawn.
func anyExperiment(c *catalog.Catalog, r *rand.Rand) string {
	one := func(of []string) string { return of[r.IntN(len(of))] }
	some := func(of []string, least, most int) string {
		list := make([]string, least+r.IntN(most-least+1))
		for i := range list {
			list[i] = one(of)
		}
		return "[" + strings.Join(list, ", ") + "]"
	}
	lines := []string{
		"topology: " + one([]string{
			"{type: star, hosts: 3, rate: 10Gbps, delay: 1us}",
			"{type: dumbbell, switches: 2, senders: 2, receivers: 1, rate: 10Gbps, delay: 1us}",
			"{type: leaf-spine, leaves: 2, spines: 2, hosts_per_leaf: 2, host_rate: 10Gbps, fabric_rate: 40Gbps, delay: 1us}",
			"{type: custom, hosts: [a, b], switches: [s, t], delay: 1us, links: [{a: a, b: s, rate: 10Gbps}, {a: a, b: t, rate: 10Gbps}, {a: b, b: s, rate: 10Gbps}, {a: s, b: t, rate: 10Gbps}]}",
			"{type: custom, hosts: [a, b], switches: [s, t], delay: 1us, links: [{a: a, b: s, rate: 10Gbps}, {a: a, b: t, rate: 40Gbps}, {a: b, b: s, rate: 10Gbps}, {a: s, b: t, rate: 10Gbps}]}",
		}),
		"workload: " + one([]string{
			"{type: permutation, size: 20KB}",
			"{type: permutation, size: 1KB, class: 0}",
			"{type: all-to-all, size: 1KB}",
			"{type: incast, senders: 1, size: 2KB}",
			"{type: poisson, size: 20KB, load: 0.5, connections: 1}",
			"{type: poisson, size: 20KB, load: 0.5, connections: 1, closed_loop: true}",
			"{type: collective, operation: all-reduce, size: 10KB}",
			"{type: collective, operation: all-reduce, size: 10KB, persistent: true}",
		}),
		"run: {stop: 100us}",
		"trace: {flows: {}}",
	}
	presets := []string{"none", "hpcc", "fncc", "dcqcn", "rocc", "timely", "tcp", "dctcp", "mptcp", "dart", "expresspass", "pfabric", "numfabric", "rcp", "rcp-star", "xcp", "conga", "infiniband", "sfqcodel"}
	lines = append(lines, "preset: "+one(presets))
	for _, slot := range c.Slots {
		if r.IntN(6) > 0 || slot.Kind == "application" {
			continue
		}
		names := c.Names(slot.Kind)
		switch {
		case !slot.List():
			lines = append(lines, slot.Key+": "+one(names))
		case slot.Count == catalog.PerClass:
			lines = append(lines, slot.Key+": "+some(names, 2, 2))
		default:
			lines = append(lines, slot.Key+": "+some(names, 0, 2))
		}
	}
	params := []string{fmt.Sprintf("port: {pfc: %t}", r.IntN(2) == 0), "tcp: {min_rto: 1ms, initial_rto: 1ms}"}
	for range r.IntN(3) {
		component := c.Components[r.IntN(len(c.Components))]
		if len(component.Params) == 0 || slices.ContainsFunc(params, func(p string) bool { return strings.HasPrefix(p, component.Name+":") }) {
			continue
		}
		p := component.Params[r.IntN(len(component.Params))]
		if value := anyValue(p, r); value != "" {
			params = append(params, fmt.Sprintf("%s: {%s: %s}", component.Name, p.Name, value))
		}
	}
	return strings.Join(append(lines, "params: {"+strings.Join(params, ", ")+"}"), "\n") + "\n"
}

// anyValue is one that the parameter takes, "" for a list.
func anyValue(p catalog.Param, r *rand.Rand) string {
	var values []any
	switch p.Type {
	case catalog.TypeBool:
		values = []any{true, false}
	case "choice":
		for _, choice := range p.Choices {
			values = append(values, choice)
		}
	case "list":
		return ""
	default:
		values = []any{p.Min, p.Max}
		if n, is := p.Default.(int64); is {
			values = append(values, min(2*n, p.Max.(int64)), max(n/2, p.Min.(int64)))
		}
	}
	return p.Format(values[r.IntN(len(values))])
}
