package experiment

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/base/reader"
	"fabriclab/harness/scenario"
	"fabriclab/harness/workload"
)

// withWorkload is a small experiment with a workload and a run section.
func withWorkload(workload, run string) string {
	return "topology: {type: leaf-spine, leaves: 2, spines: 2, hosts_per_leaf: 4, rate: 100Gbps, delay: 1us}\n" +
		"workload: " + workload + "\npreset: hpcc\nrun: " + run + "\n"
}

func TestWorkloads(t *testing.T) {
	tests := []struct {
		name, workload string
		check          func(t *testing.T, flows []scenario.Flow)
	}{
		{"poisson", "{type: poisson, sizes: web-search, load: 0.5}", func(t *testing.T, flows []scenario.Flow) {
			// 8 hosts, 50 Gb/s, 1.711 MB: 29.2 flows a millisecond, for 12 ms.
			assert.InDelta(t, 350.6, len(flows), 4*18.7)
			measured := 0
			for _, f := range flows {
				if f.Measured {
					measured++
					assert.GreaterOrEqual(t, f.StartPs, int64(1e9))
					assert.Less(t, f.StartPs, int64(6e9))
				}
			}
			assert.InDelta(t, 146.1, measured, 4*12.1)
		}},
		{"between groups", "{type: poisson, size: 10KB, load: 0.1, groups: [[host0..host3], [host4..host7]], from: 2ms, to: 3ms, class: 0, weight: 3}", func(t *testing.T, flows []scenario.Flow) {
			assert.InDelta(t, 1000, len(flows), 4*32)
			for _, f := range flows {
				assert.NotEqual(t, f.Src < 4, f.Dst < 4)
				assert.Equal(t, []any{uint64(10_000), uint8(0), 3.0}, []any{f.Size, f.Class, f.Weight})
				assert.True(t, f.StartPs >= 2e9 && f.StartPs < 3e9)
			}
		}},
		{"persistent connections", "{type: poisson, size: 10KB, load: 0.1, connections: 3}", func(t *testing.T, flows []scenario.Flow) {
			ports := map[uint16]bool{}
			for _, f := range flows {
				assert.True(t, f.Persistent)
				assert.False(t, f.ClosedLoop)
				ports[f.SrcPort] = true
			}
			assert.Len(t, ports, 3)
		}},
		{"a closed loop", "{type: poisson, size: 10KB, load: 0.1, connections: 1, closed_loop: true}", func(t *testing.T, flows []scenario.Flow) {
			for _, f := range flows {
				assert.True(t, f.ClosedLoop)
			}
		}},
		{"from some to some", "{type: poisson, size: 10KB, load: 0.1, sources: [host0, host2..host3], destinations: [host7, host0]}", func(t *testing.T, flows []scenario.Flow) {
			seen := map[[2]uint32]bool{}
			for _, f := range flows {
				seen[[2]uint32{f.Src, f.Dst}] = true
			}
			assert.Equal(t, map[[2]uint32]bool{{0, 7}: true, {2, 7}: true, {2, 0}: true, {3, 7}: true, {3, 0}: true}, seen)
		}},
		{"incast", "{type: incast, senders: 3, receivers: [host7], size: 20KB, events: 4, interval: 1ms, start: 1ms}", func(t *testing.T, flows []scenario.Flow) {
			assert.Len(t, flows, 12)
			assert.Equal(t, int64(4e9), flows[11].StartPs)
			assert.Equal(t, uint32(7), flows[11].Dst)
		}},
		{"permutation", "{type: permutation, sources: [host0..host3], destinations: [host4..host7]}", func(t *testing.T, flows []scenario.Flow) {
			assert.Len(t, flows, 4)
			assert.Zero(t, flows[0].Size, "unlimited by default")
		}},
		{"all to all", "{type: all-to-all, sizes: enterprise}", func(t *testing.T, flows []scenario.Flow) {
			assert.Len(t, flows, 56)
		}},
		{"semi-dynamic", "{type: semi-dynamic, paths: 20, step: 2, least: 6, most: 10, events: 10, interval: 1ms}", func(t *testing.T, flows []scenario.Flow) {
			assert.GreaterOrEqual(t, len(flows), 6+2)
			assert.Equal(t, uint32(1), flows[0].Group)
		}},
		{"load of the uplinks", "{type: poisson, size: 10KB, load: 0.1, load_of: uplinks, groups: [[host0..host3], [host4..host5]]}", func(t *testing.T, flows []scenario.Flow) {
			// Two uplinks of 100 Gb/s for four sources and for two: 20 Gb/s of
			// 80 kbit for 12 ms from each leaf.
			sent := map[bool]int{}
			for _, f := range flows {
				sent[f.Src < 4]++
			}
			assert.InDelta(t, 3000, sent[true], 4*55)
			assert.InDelta(t, 3000, sent[false], 4*55)
		}},
		{"striped incast", "{type: incast, senders: 3, total: 10MB, events: 2, interval: 1ms}", func(t *testing.T, flows []scenario.Flow) {
			assert.Len(t, flows, 6)
			assert.Equal(t, []uint64{3_333_334, 3_333_333, 3_333_333}, []uint64{flows[3].Size, flows[4].Size, flows[5].Size})
		}},
		{"jobs", "{type: jobs, size: 64KB, blocks: 2, groups: [[host0..host3], [host4..host7]], sources: [host1, host2]}", func(t *testing.T, flows []scenario.Flow) {
			assert.Len(t, flows, 8)
			assert.Contains(t, []uint32{1, 2}, flows[0].Src)
		}},
		{"mix", "{type: mix, parts: [{type: list, flows: [{name: x, src: host0, dst: host1, size: unlimited}]}, {type: poisson, size: 10KB, load: 0.1}, {type: jobs, size: 64KB, writers: 3, copies: 2}]}", func(t *testing.T, flows []scenario.Flow) {
			parts := map[int]int{}
			for _, f := range flows {
				parts[f.Part]++
			}
			assert.Equal(t, []int{1, 3}, []int{parts[0], parts[2]})
			assert.InDelta(t, 12000, parts[1], 4*110)
		}},
		{"jobs of collectives, each with its hosts", "{type: mix, parts: [{type: collective, operation: all-reduce, algorithm: tree, size: 8KB, hosts: [host0..host3], placement: random, channels: 2, chunks: 4, iterations: 3, gap: 5us}, {type: collective, operation: moe, size: 8KB, hosts: [host4..host7], ranks_per_host: 2, compute: 7us, start: 10us, persistent: false}]}", func(t *testing.T, flows []scenario.Flow) {
			sent, gaps, computed := map[uint32]uint64{}, 0, 0
			for _, f := range flows {
				assert.Equal(t, f.Src < 4, f.Dst < 4, "jobs have hosts of their own")
				assert.Equal(t, f.Src >= 4, f.StartPs == 10e6)
				for _, d := range f.After {
					switch d.DelayPs {
					case 5e6:
						gaps++
					case 7e6:
						computed++
					default:
						assert.Zero(t, d.DelayPs)
					}
				}
				sent[f.Group] += f.Size
			}
			assert.Positive(t, gaps)
			assert.Positive(t, computed)
			// A tree of 4: 3 edges, up and down. Of 8 ranks, the six on other hosts: 6/8 of 8 KB from each, there and back.
			assert.Equal(t, map[uint32]uint64{0: 0, 1: 48_000, 2: 48_000, 3: 48_000, 4: 96_000}, sent)
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := withWorkload(tt.workload, "{warmup: 1ms, measure: 5ms, drain: 6ms}")
			if strings.Contains(tt.workload, "connections") {
				text = strings.Replace(text, "preset: hpcc", "preset: tcp", 1)
			}
			e, err := loadFile(t, write(t, text), "")
			require.NoError(t, err)
			p := e.Points[0]
			assert.Equal(t, int64(12e9), p.Scenario.StopPs)
			assert.True(t, p.Scenario.StopWhenFlowsFinish)
			var flows []scenario.Flow
			for f, err := range p.Flows.Flows(1) {
				require.NoError(t, err)
				flows = append(flows, f)
			}
			tt.check(t, flows)
		})
	}
}

// TestOfferedLoad: the numbers for the manifest come from the flow list that
// is written.
func TestOfferedLoad(t *testing.T) {
	e, err := loadFile(t, write(t, withWorkload("{type: poisson, size: 10KB, load: 0.4}", "{warmup: 1ms, measure: 5ms, drain: 6ms}")), "")
	require.NoError(t, err)
	dir := t.TempDir()
	tally, err := e.Points[0].WriteInputs(dir, 3)
	require.NoError(t, err)
	file, err := os.Open(filepath.Join(dir, scenario.FlowsFile))
	require.NoError(t, err)
	defer file.Close()
	var n, bytes uint64
	for f, err := range scenario.ReadFlows(file) {
		require.NoError(t, err)
		if f.Measured {
			n++
			bytes += f.Size
		}
	}
	assert.Equal(t, []uint64{n, bytes}, []uint64{tally.MeasuredFlows, tally.MeasuredBytes})
	assert.InDelta(t, float64(bytes)*8/(8*100e9*5e-3), tally.Load.Offered, 1e-12)
	assert.Equal(t, 0.4, tally.Load.Asked)
	assert.InDelta(t, 0.4, tally.Load.Offered, 4*tally.Load.StandardError)
}

func TestWorkloadsRefused(t *testing.T) {
	const poisson = "{type: poisson, sizes: web-search, load: 0.5}"
	tests := []struct{ workload, want string }{
		{"{type: poisson, sizes: websearch, load: 0.5}", `exp.yaml:2:34: workload.sizes: there is no table "websearch" (../../configs/workloads/websearch.yaml); did you mean "web-search"?`},
		{"{type: poisson, sizes: ./none.yaml, load: 0.5}", `none.yaml)`},
		{"{type: poisson, load: 0.5}", "exp.yaml:2:11: workload needs the key sizes, such as sizes: web-search (or size: 1MB)"},
		{"{type: poisson, size: 1MB, sizes: web-search, load: 0.5}", "workload.size and workload.sizes exclude each other"},
		{"{type: poisson, size: unlimited, load: 0.5}", "the flows of this workload come to an end"},
		{"{type: poisson, sizes: web-search}", "workload needs the key load, such as load: 0.5"},
		{"{type: poisson, sizes: web-search, load: 0}", "workload: the load is 0; it is above 0"},
		{"{type: poisson, sizes: web-search, load: 50}", "workload.load: 50 is above 2; it is a share of the rate of the hosts' links"},
		{"{type: poisson, sizes: web-search, load: 0.5, to: 0us}", "they end after they begin"},
		{"{type: poisson, sizes: web-search, lod: 0.5}", `there is no key "lod" in workload; did you mean "load"?`},
		{"{type: poisson, sizes: web-search, load: 0.5, class: 2}", "workload.class: 2 is out of range; allowed: from 0 to 1"},
		{"{type: poisson, sizes: web-search, load: 0.5, sources: [host8]}", `exp.yaml:2:67: workload.sources.0: there is no host "host8" in this topology; did you mean "host0"?`},
		{"{type: poisson, sizes: web-search, load: 0.5, sources: [host3..host1]}", "workload.sources.0: host3 stands behind host1; write the range the other way round"},
		{"{type: poisson, sizes: web-search, load: 0.5, sources: ['host[1-2]']}", "workload.sources.0: in a list of hosts a range names its first and last host; write host1..host2"},
		{"{type: poisson, sizes: web-search, load: 0.5, sources: [host0..host3, host3]}", "workload.sources.1: host host3 is here twice; keep one"},
		{"{type: poisson, sizes: web-search, load: 0.5, sources: host0}", `workload.sources is a list of hosts, such as [host0, host4..host7], not "host0"`},
		{"{type: poisson, sizes: web-search, load: 0.5, sources: []}", "exp.yaml:2:66: workload.sources has no hosts; name one or more"},
		{"{type: poisson, sizes: web-search, load: 0.5, groups: [[host0], []]}", "exp.yaml:2:75: workload.groups.1 has no hosts; name one or more"},
		{"{type: incast, senders: 0, size: 1KB}", "exp.yaml:2:35: workload.senders: 0 is out of range; allowed: from 1 to"},
		{"{type: poisson, sizes: web-search, load: 0.5, groups: [[host0], [host0]]}", "workload.groups.1.0: host host0 is here twice"},
		{"{type: poisson, sizes: web-search, load: 0.5, groups: [[host0], [host1]], sources: [host0]}", "workload.sources and workload.groups exclude each other"},
		{"{type: poisson, sizes: web-search, load: 0.5, sources: [host0], destinations: [host0]}", "nobody to send to"},
		{"{type: incast, senders: 8, size: 1KB}", "8 senders are asked for, but a receiver has only 7 hosts that can send to it"},
		{"{type: incast, senders: 2, size: 1KB, events: 3}", "workload needs the key interval"},
		{"{type: incast, senders: 2, size: 1KB, interval: 1ms}", "exp.yaml:2:59: workload.interval has no effect without workload.events; add events: 10, or take it out"},
		{"{type: jobs, size: 1KB, interval: 1ms}", "workload.interval has no effect without workload.blocks"},
		{"{type: collective, operation: all-reduce, size: 1MB, gap: 1us}", "workload.gap has no effect without workload.iterations"},
		{"{type: poisson, size: 1KB, load: 0.1, to: 60ms}", "workload: arrivals go on to 60ms, but the run stops at 12ms; let them end before that"},
		{"{type: incast, senders: 2, size: 1KB, load: 0.1, to: 60ms}", "workload: arrivals go on to 60ms, but the run stops at 12ms"},
		{"{type: incast, size: 1KB}", "workload needs the key senders"},
		{"{type: permutation, start: 12ms}", "it starts at 12ms, but the run stops at 12ms"},
		{"{type: permutation, sources: [host0]}", "there are 1 sources and 8 destinations"},
		{"{type: semi-dynamic, paths: 20, step: 2, least: 6, most: 10, events: 10, interval: 2ms}", "the last event starts at 20ms, but the run stops at 12ms"},
		{"{type: semi-dynamic}", "workload needs the key paths"},
		{"{type: poisson, sizes: web-search, load: 0.5, load_of: bisection}", "exp.yaml:2:66: workload.load_of"},
		{"{type: poisson, sizes: web-search, load: 3, load_of: uplinks}", "it is a share of the rate of the uplinks"},
		{"{type: incast, senders: 2, size: 1KB, total: 2KB}", "workload.size and workload.total exclude each other"},
		{"{type: incast, senders: 2, sizes: enterprise, total: 2KB}", "workload.sizes and workload.total exclude each other"},
		{"{type: incast, senders: 2, total: 0}", "write a size above 0"},
		{"{type: incast, senders: 2}", "workload needs the key sizes"},
		{"{type: jobs}", "workload needs the key sizes"},
		{"{type: jobs, size: 1KB, writers: 9}", "9 writers are asked for among 8 hosts"},
		{"{type: jobs, size: 1KB, groups: [[host0, host1], [host2, host3]], sources: [host5]}", "workload.sources: host host5 is in no group"},
		{"{type: jobs, size: 1KB, groups: [[host0, host1], [host2, host3]], destinations: [host5]}", "workload.destinations and workload.groups exclude each other"},
		{"{type: mix}", "workload needs the key parts"},
		{"{type: dag}", "workload needs the key path, such as path: messages.csv"},
		{"{type: dag, path: nowhere.csv}", "exp.yaml:2:29: workload.path: messages: "},
		{"{type: collective, size: 1MB}", "workload needs the key operation, such as operation: all-reduce"},
		{"{type: collective, operation: all-reduce}", "workload needs the key size, such as size: 64MB"},
		{"{type: collective, operation: allreduce, size: 1MB}", "exp.yaml:2:41: workload.operation: "},
		{"{type: collective, operation: all-reduce, size: 0B}", "workload.size: "},
		{"{type: collective, operation: moe, size: 1MB, algorithm: tree}", "workload.algorithm: moe has none; it is for all-reduce"},
		{"{type: collective, operation: all-reduce, size: 1MB, compute: 1us}", "workload.compute: all-reduce has none; it is for moe and pipeline"},
		{"{type: collective, operation: all-reduce, size: 1MB, hosts: [host8]}", `workload.hosts.0: there is no host "host8"`},
		{"{type: collective, operation: all-reduce, size: 1MB, hosts: [host1]}", "workload: there is one rank"},
		{"{type: collective, operation: all-reduce, size: 1MB, iterations: 1000000}", "workload: there would be about "},
		{"{type: collective, operation: all-reduce, size: 10B, channels: 8}", "workload: size: 10B are divided over "},
		{"{type: mix, parts: [{type: poison}]}", `workload.parts.0.type: there is no workload "poison"; did you mean "poisson"?`},
		{"{type: mix, parts: [{type: poisson, size: 1KB, load: 0.5, sources: [host8]}]}", `workload.parts.0.sources.0: there is no host "host8"`},
		{"{type: mix, parts: [{type: mix, parts: [{type: list, flows: [{src: host0, dst: host1, size: 1KB}]}, {type: permutation}]}, {type: list, flows: [{src: host0, dst: host1, size: 1KB}]}]}", "workload: part 2 is a list of flows behind part 1"},
		{"{type: mix, parts: [{type: permutation}, {type: list, flows: [{src: host0, dst: host1, size: 1KB}]}]}", "workload: part 1 is a list of flows behind part 0"},
	}
	_, err := loadFile(t, write(t, withWorkload(poisson, "{measure: 5ms, drain: 7ms}")), "")
	require.NoError(t, err)
	for _, tt := range tests {
		_, err := loadFile(t, write(t, withWorkload(tt.workload, "{measure: 5ms, drain: 7ms}")), "")
		assert.ErrorContains(t, err, tt.want)
	}
}

// TestListByRanges: a flow with ranges of hosts is the flows written out.
func TestListByRanges(t *testing.T) {
	load := func(flows string) (*Experiment, error) {
		return loadFile(t, write(t, "topology: {type: star, hosts: 6, rate: 10Gbps, delay: 1us}\nworkload:\n  type: list\n  flows:\n    - "+flows+"\npreset: hpcc\nrun: {stop: 1ms}\n"), "")
	}
	names := func(flows string) (list []string) {
		e, err := load(flows)
		require.NoError(t, err)
		g := e.Points[0].Flows
		for f, err := range g.Flows(1) {
			require.NoError(t, err)
			list = append(list, fmt.Sprintf("%s:%d>%d", g.Names()[f.ID], f.Src, f.Dst))
		}
		return list
	}
	assert.Equal(t, []string{"a-0:0>1", "a-1:0>2", "a-2:1>2", "flow3:4>5"}, names(`{name: a, src: "host[0..1]", dst: "host[1..2]", size: 1KB}
    - {src: host4, dst: host5, size: 1KB}`))
	assert.Equal(t, []string{"a-0:0>2", "a-1:0>2", "a-2:1>3", "a-3:1>3"}, names(`{name: a, src: "host[0..1]", dst: "host[2..3]", join: pairs, count: 2, size: 1KB}`))
	for flows, want := range map[string]string{
		`{src: "host[0..6]", dst: host1, size: 1KB}`:                       `exp.yaml:5:13: workload.flows.0.src: there is no host "host6"`,
		`{src: "host[0-2]", dst: host5, size: 1KB}`:                        `exp.yaml:5:13: workload.flows.0.src: there is no host "host[0-2]" in this topology; a range has two dots, write "host[0..2]"`,
		`{src: "host[0..2]", dst: "host[4..5]", join: pairs, size: 1KB}`:   `exp.yaml:5:52: workload.flows.0.join: 3 nodes and 2 make no pairs`,
		`{src: "host[0..2]", dst: "host[2..0]", size: 1KB}`:                `exp.yaml:5:32: workload.flows.0.dst: "host[2..0]": 2 stands behind 0`,
		`{src: "host[0..2]", dst: "host[0..2]", join: pairs, size: 1KB}`:   `exp.yaml:5:32: workload.flows.0.dst: source and destination are the same host`,
		`{src: "host[0..5]", dst: "host[0..5]", count: 100000, size: 1KB}`: `there are more than 2000000 flows in the list`,
	} {
		_, err := load(flows)
		assert.ErrorContains(t, err, want)
	}
}

// TestCustomTopologyByRanges: names and links by ranges are those written out.
func TestCustomTopologyByRanges(t *testing.T) {
	load := func(topology string) (*Experiment, error) {
		return loadFile(t, write(t, "topology: "+topology+"\nworkload: {type: permutation}\npreset: hpcc\nrun: {stop: 1ms}\n"), "")
	}
	short, err := load(`{type: custom, hosts: ["h[0..3]", x], switches: ["leaf[0..1]", {name: "spine[0..1]", tier: 1}], rate: 10Gbps, delay: 1us,
  links: [{a: "h[0..1]", b: leaf0}, {a: "h[2..3]", b: "leaf[1..1]"}, {a: x, b: spine0}, {a: "leaf[0..1]", b: "spine[0..1]", rate: 5Gbps}, {a: "leaf[0..1]", b: "spine[0..1]", join: pairs}]}`)
	require.NoError(t, err)
	long, err := load(`{type: custom, hosts: [h0, h1, h2, h3, x], switches: [leaf0, leaf1, {name: spine0, tier: 1}, {name: spine1, tier: 1}], rate: 10Gbps, delay: 1us,
  links: [{a: h0, b: leaf0}, {a: h1, b: leaf0}, {a: h2, b: leaf1}, {a: h3, b: leaf1}, {a: x, b: spine0},
    {a: leaf0, b: spine0, rate: 5Gbps}, {a: leaf0, b: spine1, rate: 5Gbps}, {a: leaf1, b: spine0, rate: 5Gbps}, {a: leaf1, b: spine1, rate: 5Gbps},
    {a: leaf0, b: spine0}, {a: leaf1, b: spine1}]}`)
	require.NoError(t, err)
	assert.Equal(t, long.Points[0].Topology.Nodes, short.Points[0].Topology.Nodes)
	assert.Equal(t, long.Points[0].Topology.Links, short.Points[0].Topology.Links)

	pattern, err := load(`{type: custom, hosts: "h[0..3]", switches: s, rate: 10Gbps, delay: 1us, links: [{a: "h*", b: s}]}`)
	require.NoError(t, err)
	require.Len(t, pattern.Points[0].Topology.Links, 4)
	some, err := load(`{type: custom, hosts: ["p[0..1]-h[0..3]"], switches: ["p[0..1]-s"], rate: 10Gbps, delay: 1us, links: [{a: "p0-s", b: "p0-h?"}, {a: "p[1..1]-*[0-3]", b: p1-s}, {a: p0-s, b: p1-s}]}`)
	require.NoError(t, err)
	require.Len(t, some.Points[0].Topology.Links, 9)

	for topology, want := range map[string]string{
		`{type: custom, hosts: "h[0..3]", switches: s, rate: 1Gbps, delay: 1us, links: [{a: "g*", b: s}]}`:                                `exp.yaml:1:94: topology.links.0.a: there is no node "g*" in this topology`,
		`{type: custom, hosts: "h[0..3]", switches: s, rate: 1Gbps, delay: 1us, links: [{a: "h*", b: "h*"}]}`:                             "h0",
		`{type: custom, hosts: ["h[3..0]"], switches: [s], rate: 1Gbps, delay: 1us, links: [{a: h0, b: s}]}`:                              `exp.yaml:1:34: topology.hosts.0: "h[3..0]": 3 stands behind 0`,
		`{type: custom, hosts: ["h[0..3]"], switches: [s, t], rate: 1Gbps, delay: 1us, links: [{a: "h[0..3]", b: s, join: pairs}]}`:       "topology.links.0.join: 4 nodes and 1 make no pairs",
		`{type: custom, hosts: ["h[0..3]"], switches: [s], rate: 1Gbps, delay: 1us, links: [{a: "h[0..3]", b: s}, {a: "h[3..4]", b: s}]}`: "h4",
		`{type: custom, hosts: ["h[0..3]"], switches: [s], rate: 1Gbps, delay: 1us, links: [{a: "h[0..9999]", b: "s[0..9999]"}]}`:         "topology: there would be 100000000 links, more than 500000",
	} {
		_, err := load(topology)
		assert.ErrorContains(t, err, want)
	}
}

// TestGroupsOfALookAhead: what a mechanism says of the largest group it takes
// is held against the flow list.
func TestGroupsOfALookAhead(t *testing.T) {
	const why = "a group has more than 256 flows to one receiver, and dasr takes no more: a look-ahead names each of them on one packet; make the groups smaller, or set dasr.look_ahead to false"
	tests := []struct{ name, workload, more, want string }{
		{"incast of 256", "{type: incast, senders: 256, size: 1KB, start: 0us}", "", ""},
		{"incast of 257", "{type: incast, senders: 257, size: 1KB, start: 0us}", "", "exp.yaml:3:1: " + why},
		{"part of a mix", "{type: mix, parts: [{type: incast, senders: 8, size: 1KB}, {type: incast, senders: 257, size: 1KB}]}", "", "exp.yaml:3:70: " + why},
		{"part of a part", "{type: mix, parts: [{type: mix, parts: [{type: incast, senders: 8, size: 1KB}]}, {type: incast, senders: 257, size: 1KB}]}", "", "exp.yaml:3:92: " + why},
		{"two groups", "{type: list, flows: [{src: host0, dst: host1, size: 1KB, group: 1, count: 256}, {src: host0, dst: host1, size: 1KB, group: 2, count: 256}]}", "", ""},
		{"two receivers", "{type: list, flows: [{src: host0, dst: host1, size: 1KB, group: 1, count: 256}, {src: host0, dst: host2, size: 1KB, group: 1, count: 256}]}", "", ""},
		{"messages of a host", "{type: list, flows: [{src: host0, dst: host1, size: 1KB, group: 1, count: 257}]}", "", "exp.yaml:3:31: " + why},
		{"no group", "{type: list, flows: [{src: host0, dst: host1, size: 1KB, count: 257}]}", "", ""},
		{"no look-ahead", "{type: incast, senders: 257, size: 1KB}", "params: {dasr: {look_ahead: false}}", ""},
		{"look-ahead at one host", "{type: incast, senders: 257, size: 1KB}", "params: {dasr: {look_ahead: false}}\nnodes:\n  host3: {params: {dasr: {look_ahead: true}}}", "exp.yaml:3:1: " + why},
		{"another mechanism", "{type: incast, senders: 257, size: 1KB}", "congestion_control: dcqcn", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := loadFile(t, write(t, "\ntopology: {type: star, hosts: 300, rate: 100Gbps, delay: 1us}\nworkload: "+tt.workload+"\npreset: dasr\nrun: {stop: 1ms}\n"+tt.more+"\n"), "")
			if tt.want == "" {
				require.NoError(t, err)
				return
			}
			var problems reader.Problems
			require.ErrorAs(t, err, &problems)
			require.ErrorContains(t, err, tt.want)
			assert.Len(t, problems, 1)
		})
	}
}

// TestLoadsOfAMix: shares of the same links add up, others are a share of all links together.
func TestLoadsOfAMix(t *testing.T) {
	for parts, want := range map[string]float64{
		"{type: poisson, size: 1KB, load: 0.3}, {type: poisson, size: 1KB, load: 0.2}":                                                                     0.5,
		"{type: poisson, size: 1KB, load: 0.3}, {type: poisson, size: 1KB, load: 0.3, sources: [host0], destinations: [host1]}":                            0.3 + 0.3/8,
		"{type: poisson, size: 1KB, load: 0.3, sources: [host0], destinations: [host1]}, {type: poisson, size: 1KB, load: 0.3}":                            0.3 + 0.3/8,
		"{type: poisson, size: 1KB, load: 0.3, sources: [host0..host3]}, {type: incast, senders: 2, size: 1KB, load: 0.3, sources: [host4..host7]}":        0.3,
		"{type: poisson, size: 1KB, load: 0.3, load_of: uplinks}, {type: poisson, size: 1KB, load: 0.1, load_of: uplinks, sources: [host0, host4..host7]}": 0.4,
	} {
		e, err := loadFile(t, write(t, withWorkload("{type: mix, parts: ["+parts+"]}", "{measure: 5ms, drain: 7ms}")), "")
		require.NoError(t, err)
		asked, ok := e.Points[0].Flows.(workload.Loaded).AskedLoad()
		require.True(t, ok)
		assert.InDelta(t, want, asked.Load, 1e-12, parts)
		assert.Empty(t, e.Warnings)
		tally, err := e.Points[0].FlowList().Count(1)
		require.NoError(t, err)
		assert.InDelta(t, want, tally.Load.Offered, 4*tally.Load.StandardError, parts)
	}
}

// TestReceiversOfALoad: a share of the sources' links may be more than those of few receivers carry.
func TestReceiversOfALoad(t *testing.T) {
	for text, want := range map[string]string{
		"{type: incast, senders: 2, size: 1KB, load: 0.5}":                                                                                "",
		"{type: incast, senders: 2, size: 1KB, load: 0.1, receivers: [host0]}":                                                            "",
		"{type: incast, senders: 2, size: 1KB, load: 0.5, receivers: [host0]}":                                                            "exp.yaml:2:55: workload.load: 0.5 of the links of 8 sources together is 4 times what the links of the receivers carry (1); up to 0.125 they carry all of it",
		"{type: poisson, size: 1KB, load: 0.5, sources: [host0..host3], destinations: [host7]}":                                           "workload.load: 0.5 of the links of 4 sources together is 2 times",
		"{type: poisson, size: 1KB, load: 0.5, destinations: [host7], sources: [host0, host1, host2], connections: 1, closed_loop: true}": "",
		"{type: poisson, size: 1KB, load: 1.5}":                                                                                           "workload.load: 1.5 is more than the hosts' links carry, so flows gather until arrivals end",
	} {
		e, err := loadFile(t, write(t, withWorkload(text, "{measure: 5ms, drain: 7ms}")), "")
		require.NoError(t, err)
		if want == "" {
			assert.Empty(t, e.Warnings)
			continue
		}
		require.Len(t, e.Warnings, 1)
		assert.Contains(t, e.Warnings[0], want)
	}
}

// TestClassesOfFlows: data are the classes that the flows are of.
func TestClassesOfFlows(t *testing.T) {
	for workload, want := range map[string][]int{
		"{type: permutation, size: 1MB}":           {1},
		"{type: permutation, size: 1MB, class: 2}": {2},
		"{type: mix, parts: [{type: permutation, size: 1MB, class: 2}, {type: poisson, size: 1MB, load: 0.1}]}": {1, 2},
	} {
		e, err := loadFile(t, write(t, withWorkload(workload, "{stop: 1ms}")+"params: {host: {classes: 3}}\nqueues: [fifo, fifo, fifo]\ntrace: {packets: {classes: [data]}}\n"), "")
		require.NoError(t, err)
		assert.Equal(t, want, e.Points[0].FlowClasses)
		assert.Equal(t, want, e.Points[0].Scenario.Trace.Tables["packets"].Classes)
	}
}

func TestADeadlockMayEndTheRun(t *testing.T) {
	for run, want := range map[string]bool{
		"{stop: 1ms}": false, "{stop: 1ms, on_deadlock: report}": false, "{stop: 1ms, on_deadlock: stop}": true,
	} {
		e, err := loadFile(t, write(t, withWorkload("{type: permutation, size: 1MB}", run)), "")
		require.NoError(t, err)
		assert.Equal(t, want, e.Points[0].Scenario.StopAtDeadlock, run)
		text, err := e.Points[0].Scenario.Encode()
		require.NoError(t, err)
		assert.Equal(t, want, strings.Contains(string(text), "stop_at_deadlock"), "scenarios without it keep their hash")
	}
}
