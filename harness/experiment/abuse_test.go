package experiment

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/base/reader"
)

// nested is a list in a list, so many levels deep.
func nested(levels int) string { return strings.Repeat("[", levels) + strings.Repeat("]", levels) }

// bomb is a mapping of anchors each of which stands twice in the next.
func bomb(levels int) string {
	var b strings.Builder
	b.WriteString("{x0: &x0 {a: 1, b: 2}")
	for i := 1; i <= levels; i++ {
		fmt.Fprintf(&b, ", x%d: &x%[1]d {a: *x%d, b: *x%[2]d}", i, i-1)
	}
	return b.String() + "}"
}

// TestDeepAndRepeatedValues: what takes exponential time or memory when it is
// written out is refused, or is not written out. Without bounds it takes hours,
// and the time that go test allows ends it.
func TestDeepAndRepeatedValues(t *testing.T) {
	anchors := func(use string) string { return "figure: " + bomb(40) + "\n" + use }
	for name, text := range map[string]string{
		"matrix of lists":      "matrix: {topology.rate: " + nested(38) + "}",
		"matrix of mappings":   "matrix: {topology.rate: [" + strings.Repeat("{a: ", 38) + "1" + strings.Repeat("}", 38) + "]}",
		"exclude":              "matrix: {topology.rate: [1Gbps], exclude: [{topology.rate: " + nested(38) + "}]}",
		"include":              "matrix: {topology.rate: [1Gbps], include: [{topology.rate: " + nested(38) + "}]}",
		"engine":               "matrix: {engine: " + nested(38) + "}",
		"very deep":            "matrix: {topology.rate: " + nested(5000) + "}",
		"aliases in matrix":    anchors("matrix: {topology.rate: [*x40]}"),
		"aliases in exclude":   anchors("matrix: {topology.rate: [1Gbps], exclude: [*x40]}"),
		"aliases in scales":    anchors("scales: {quick: *x40}"),
		"aliases of their own": anchors(""),
		"aliases in a mix":     anchors("params: *x40"),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := loadFile(t, write(t, base+text+"\n"), "")
			var problems reader.Problems
			require.ErrorAs(t, err, &problems)
			for _, p := range problems {
				assert.Regexp(t, `^/.*exp\.yaml:\d+:\d+$`, p.Position)
				assert.Less(t, len(p.Text), 10_000)
			}
		})
	}
	_, err := loadFile(t, write(t, base), "", "topology="+bomb(40))
	require.ErrorContains(t, err, "aliases expanded")
	_, err = loadFile(t, write(t, strings.Replace(base, "topology: {", "topology: {x: "+bomb(40)+", ", 1)), "")
	require.ErrorContains(t, err, "aliases expanded")
}

// TestValuesOfSeveralLevelsHaveLabels: as they always had where somebody uses
// them.
func TestValuesOfSeveralLevelsHaveLabels(t *testing.T) {
	text := strings.Replace(base, "preset: hpcc", "preset: hpcc\nmatrix: {trace: [{flows: {}}, {drops: {from: 1us}}]}", 1)
	e, err := loadFile(t, write(t, text), "")
	require.NoError(t, err)
	assert.Equal(t, []string{`trace="flows: \"\""`, `trace="drops: \"from: 1us\""`}, labels(e))
}

// TestTooLargeIsRefusedBeforeItIsBuilt: with the number, and what makes it.
func TestTooLargeIsRefusedBeforeItIsBuilt(t *testing.T) {
	const ranges = "matrix: {topology.rate: {from: 1Gbps, to: 10000Gbps, step: 1Gbps}, topology.delay: {from: 1us, to: 10000us, step: 1us}, run.stop: {from: 1ms, to: 10000ms, step: 1ms}}\n"
	big := func(network string) string {
		return strings.Replace(base, "{type: star, hosts: 3,", "{"+network+",", 1)
	}
	flows := func(workload string) string {
		return strings.Replace(base, base[strings.Index(base, "workload:"):strings.Index(base, "preset:")], "workload: "+workload+"\n", 1)
	}
	for text, want := range map[string]string{
		base + ranges: `with the 10000 values of matrix.topology.delay there are 100000000 points, more than 10000; make it smaller, or raise limits.points`,
		base + "matrix: {zip: [{topology.rate: {from: 1Gbps, to: 10000Gbps, step: 1Gbps}}, {topology.delay: {from: 1us, to: 10000us, step: 1us}}]}\n": `100000000 points`,
		big("type: leaf-spine, leaves: 1000, spines: 1000, hosts_per_leaf: 1000"):                                                                     `topology: there would be 2000000 links, more than 500000; make it smaller, or raise limits.links`,
		big("type: leaf-spine, leaves: 2147483647, spines: 2147483647, hosts_per_leaf: 2147483647"):                                                   `9.2e+18 links`,
		big("type: fat-tree, k: 64"):                                                                              `335544320 routes or more`,
		big("type: leaf-spine, leaves: 400, spines: 400, hosts_per_leaf: 10"):                                     `routes, more than 200000000`,
		flows("{type: list, flows: [{src: host0, dst: host1, size: 1KB, count: 16000000}]}"):                      `workload.flows.0: with these there are more than 2000000 flows in the list`,
		strings.Replace(flows("{type: poisson, sizes: web-search, load: 0.5}"), "stop: 1ms", "stop: 8000000s", 1): `workload: there would be about`,
		flows("{type: incast, senders: 2, events: 16000000, size: 1KB, interval: 1ps}"):                           `about 32000000 flows`,
		flows("{type: jobs, blocks: 16000000, copies: 2, size: 1KB}"):                                             `flows, more than 20000000`,
		flows("{type: mix, parts: [{type: jobs, blocks: 16000000, copies: 2, size: 1KB}]}"):                       `flows, more than 20000000`,
		flows("{type: semi-dynamic, paths: 4, step: 2, least: 1, most: 4, events: 16000000, interval: 1ps}"):      `flows, more than 20000000`,
		flows("{type: file, path: /dev/zero}"):                                                                    `/dev/zero`,
	} {
		// Memory tells what was built; time tells how busy the machine is.
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := loadFile(t, write(t, text), "")
		runtime.ReadMemStats(&after)
		assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(2<<30), want)
		var problems reader.Problems
		require.ErrorAs(t, err, &problems, want)
		require.ErrorContains(t, err, want)
		assert.Regexp(t, `^/.*exp\.yaml:\d+:\d+$`, problems[0].Position)
	}
}

func TestLimitsAreRaisedAndLowered(t *testing.T) {
	text := base + "matrix: {topology.rate: {from: 1Gbps, to: 12Gbps, step: 1Gbps}}\n"
	_, err := loadFile(t, write(t, text), "", "limits.points=11")
	require.ErrorContains(t, err, "12 points, more than 11")
	e, err := loadFile(t, write(t, text+"limits: {points: 12, runs: 12}\nseeds: 1-1\n"), "")
	require.NoError(t, err)
	require.NoError(t, e.CheckRuns())
	e.Seeds = []uint64{1, 2}
	require.ErrorContains(t, e.CheckRuns(), "12 points and 2 seeds make 24 runs, more than 12; take fewer seeds, or raise limits.runs")

	_, err = loadFile(t, write(t, base+"limits: {pionts: 3}\n"), "")
	require.ErrorContains(t, err, `there is no key "pionts" in limits; did you mean "points"?`)

	// What only making them tells is bounded when they are made.
	rows := "flow,src,dst,start_ps,size_bytes\n"
	for i := range 5 {
		rows += fmt.Sprintf("%d,host0,host1,%d,1000\n", i, i)
	}
	file := write(t, strings.NewReplacer("type: list", "type: file\n  path: flows.csv", "  flows:\n    - {src: host0, dst: host2, start: 0us, size: 1MB}\n", "").Replace(base)+"limits: {flows: 4}\n")
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(file), "flows.csv"), []byte(rows), 0o644))
	e, err = loadFile(t, file, "")
	if err == nil {
		_, err = e.Points[0].Hash()
	}
	require.ErrorContains(t, err, "more than 4 flows; make fewer, or raise limits.flows")
}

// TestLongChecksEndWhenAsked: validation and hashing hear of Ctrl-C and say how
// far they are.
func TestLongChecksEndWhenAsked(t *testing.T) {
	interrupted := errors.New("interrupted")
	ctx, cancel := context.WithCancelCause(context.Background())
	file := write(t, base+"matrix: {topology.rate: {from: 1Gbps, to: 9000Gbps, step: 1Gbps}}\n")
	time.AfterFunc(30*time.Millisecond, func() { cancel(interrupted) })
	_, err := Load(file, Options{Catalog: testCatalog(t), ConfigDir: "../../configs", Context: ctx})
	require.ErrorIs(t, err, interrupted)

	text := strings.Replace(base, base[strings.Index(base, "workload:"):strings.Index(base, "preset:")], "workload: {type: poisson, size: 1KB, load: 0.5}\n", 1)
	ctx, cancel = context.WithCancelCause(context.Background())
	var told []string
	e, err := Load(write(t, strings.Replace(text, "stop: 1ms", "stop: 800ms", 1)), Options{Catalog: testCatalog(t), ConfigDir: "../../configs", Context: ctx, Tell: func(text string) {
		told = append(told, text)
		cancel(interrupted)
	}})
	// Only now, or a slow machine speaks while it loads and is cancelled there.
	defer func(before time.Duration) { tellEvery = before }(tellEvery)
	tellEvery = 0
	require.NoError(t, err)
	_, err = e.Points[0].Hash()
	require.ErrorIs(t, err, interrupted)
	assert.Regexp(t, `^exp: \d+ flows so far$`, told[0])
}

// TestWhatTheEnginesHoldIsCheckedFirst: none of this gets as far as a runner.
func TestWhatTheEnginesHoldIsCheckedFirst(t *testing.T) {
	for _, test := range []struct{ old, new, want string }{
		{"rate: 100Gbps", "rate: 101Tbps", `topology.rate: "101Tbps" is too large for a link; the engines hold 100Tbps`},
		{"rate: 100Gbps", "rate: 100Gbps, overrides: [{link: host0->s1, rate: 200Tbps}]", `"200Tbps" is too large for a link`},
		{"delay: 1us", "delay: 8640000s", `topology.delay: "8640000s" is too long for a link; it is at most 10s`},
		{"delay: 1us", "delay: 1us, host_delay: 11s", `"11s" is too long for a link`},
		{"type: star, hosts: 3", "type: leaf-spine, leaves: 2, spines: 20000, hosts_per_leaf: 2", `topology: a switch has 20000 equal-cost next hops towards a host; the engines hold 4095`},
		{"type: star, hosts: 3", "type: leaf-spine, leaves: 2, spines: 1, parallel_links: 4096, hosts_per_leaf: 2", `4096 equal-cost next hops`},
		{"run: {stop: 1ms}", "run: {warmup: 8640000s, measure: 8640000s, drain: 8640000s}", `warmup, measure and drain together are longer than 100 days`},
		{"run: {stop: 1ms}", "run: {measure: 8640000s, drain: 1ps}", `warmup, measure and drain together are longer than 100 days`},
		{"run: {stop: 1ms}", "run: {stop: 8640001s}", `at most 100 days`},
	} {
		require.Contains(t, base, test.old)
		_, err := loadFile(t, write(t, strings.Replace(base, test.old, test.new, 1)), "")
		require.ErrorContains(t, err, test.want)
	}
	many := write(t, strings.Replace(base, "type: star, hosts: 3", "type: leaf-spine, leaves: 2, spines: 4095, hosts_per_leaf: 2", 1))
	_, err := loadFile(t, many, "")
	require.ErrorContains(t, err, "the 4097 ports of a switch take ")
	require.ErrorContains(t, err, "of headroom and reserve, and switch.buffer is 32MB; raise switch.buffer, or set port.headroom")
	_, err = loadFile(t, many, "", "switch.buffer=1GB")
	require.NoError(t, err)
	_, err = loadFile(t, many, "", "port.headroom=1KB")
	require.NoError(t, err)
	_, err = loadFile(t, many, "", "port.pfc=false")
	require.NoError(t, err)
	_, err = loadFile(t, write(t, strings.Replace(base, "run: {stop: 1ms}", "run: {warmup: 8630000s, measure: 1000s, drain: 9000s}", 1)), "")
	require.NoError(t, err)
}
