package experiment

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/base/reader"
	"fabriclab/harness/scenario"
)

// central is an experiment with an extra host on both spines.
const central = `
topology:
  type: leaf-spine
  leaves: 2
  spines: 2
  hosts_per_leaf: 2
  rate: 10Gbps
  delay: 1us
  extra_hosts: [{name: allocator, switches: "spine*", rate: 40Gbps, delay: 2us}]
workload:
  type: list
  flows: [{src: host0, dst: host2, size: 1MB}, {src: host1, dst: allocator, size: 1KB}]
preset: tcp
run: {stop: 1ms}
`

func encoded(t *testing.T, p *Point) string {
	t.Helper()
	text, err := p.Scenario.Encode()
	require.NoError(t, err)
	return string(text)
}

// A preset may leave every slot to its default.
func TestSlotsHaveDefaults(t *testing.T) {
	file := write(t, strings.Replace(base, "preset: hpcc", "preset: ./empty.yaml", 1))
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(file), "empty.yaml"), []byte("preset: empty\n"), 0o644))
	e, err := loadFile(t, file, "", "host.classes=3", "ecmp.symmetric=true")
	require.NoError(t, err)
	p := e.Points[0]
	c := p.Scenario.Components
	assert.Equal(t, "ecmp", c["path_selector"].One.Type)
	assert.Equal(t, true, c.Param("path_selector", "symmetric"), "parameters hold for defaults")
	assert.Equal(t, "none", c["congestion_control"].One.Type)
	assert.Len(t, c["queues"].List, 3, "one for each class")
	for _, key := range []string{"transport", "utility", "applications", "flow_scheduler", "nic_queues", "nic_agents"} {
		assert.NotContains(t, c, key, "nothing but the default: left to the engine")
	}
	assert.Contains(t, encoded(t, p), `"version": 1`)
	assert.Equal(t, "flag", setting(t, p, "host", "classes").Origin)
	assert.Equal(t, "default", setting(t, p, "nic_queues[2]", "limit").Origin, "the effective configuration has defaults, too")
	assert.Empty(t, e.Warnings)
}

// A flow's hosts have one transport, which is known before anything runs.
func TestTransportsAtTheTwoEndsOfAFlow(t *testing.T) {
	_, err := loadFile(t, write(t, central+"nodes:\n  host2: {transport: mptcp, congestion_control: lia}\n"), "")
	require.Error(t, err)
	assert.Regexp(t, `\.yaml:\d+:\d+: there are flows from hosts that use the transport tcp to hosts that use mptcp; give both the same; at host0`, err.Error())
	_, err = loadFile(t, write(t, central+"nodes:\n  host3: {transport: mptcp, congestion_control: lia}\n"), "")
	require.NoError(t, err, "nobody sends to or from it")
	_, err = loadFile(t, write(t, central+"nodes:\n  host0: {transport: mptcp, congestion_control: lia}\n  host2: {transport: mptcp, congestion_control: lia}\n"), "")
	require.NoError(t, err)
}

// Parameters of a component do not reach a default beside a slot of the same
// kind that is named: what limits switches' queues leaves NICs alone.
func TestParamsOfNamedQueuesOnly(t *testing.T) {
	e, err := loadFile(t, write(t, base+"queues: [fifo, fifo]\nparams: {fifo: {limit: 60KB}, port: {pfc: false}}\n"), "")
	require.NoError(t, err)
	p := e.Points[0]
	assert.Equal(t, "60KB", setting(t, p, "queues[1]", "limit").Value)
	assert.Equal(t, "0B", setting(t, p, "nic_queues[1]", "limit").Value)
	assert.NotContains(t, p.Scenario.Components, "nic_queues")

	e, err = loadFile(t, write(t, base+"queues: [red, red]\nparams: {fifo: {limit: 60KB}}\n"), "")
	require.NoError(t, err)
	require.Len(t, e.Warnings, 1)
	assert.Contains(t, e.Warnings[0], "params.fifo has no effect")

	e, err = loadFile(t, write(t, base+"nic_queues: [fifo, red]\nparams: {fifo: {limit: 60KB}, port: {pfc: false}}\n"), "")
	require.NoError(t, err)
	p = e.Points[0]
	assert.Equal(t, int64(60e3), p.Scenario.Components["nic_queues"].List[0].Params["limit"])
	assert.Equal(t, "red", p.Scenario.Components["nic_queues"].List[1].Type)
	assert.Contains(t, encoded(t, p), `"version": 3`)
}

// What is named but is the default, with all its parameters, is the same
// scenario as if it were not named.
func TestNamedDefaultIsTheSameScenario(t *testing.T) {
	hash := func(sets ...string) string {
		e, err := loadFile(t, write(t, base), "", sets...)
		require.NoError(t, err)
		h, err := e.Points[0].Hash()
		require.NoError(t, err)
		return h
	}
	plain := hash()
	assert.Equal(t, plain, hash("transport=go_back_n", "flow_scheduler=round_robin", "nic_queues=[fifo, fifo]", "nic_agents=[]", "applications=[]"))
	assert.NotEqual(t, plain, hash("nic_queues=[fifo, red]"))
	assert.NotEqual(t, plain, hash("nic_agents=[hpcc_int]"))
}

// Slots are paths of the matrix.
func TestSlotsInTheMatrix(t *testing.T) {
	e, err := loadFile(t, write(t, base+"queues: [fifo, fifo]\nmatrix: {path_selector: [ecmp, spray], queues.1: [fifo, red], where: {both: {nic_queues: [red, red]}, none: {nic_queues: [fifo, fifo]}}}\n"), "")
	require.NoError(t, err)
	require.Len(t, e.Points, 8)
	assert.Equal(t, "path_selector=spray 1=red where=both", e.Points[6].String())
	c := e.Points[6].Scenario.Components
	assert.Equal(t, []string{"spray", "red", "red"}, []string{c["path_selector"].One.Type, c["queues"].List[1].Type, c["nic_queues"].List[0].Type})
	assert.Equal(t, "fifo", e.Points[4].Scenario.Components["queues"].List[1].Type)
}

func TestNodeSets(t *testing.T) {
	text := central + `
params: {tcp: {max_rto: 1s}}
nodes:
  "host[0-1]": {params: {tcp: {max_rto: 2s, initial_rto: 1s}}}
  host1:
    congestion_control: dctcp
    params: {tcp: {max_rto: 3s}, host: {ack_every: 2}}
  allocator: {transport: {type: tcp, params: {min_rto: 20us}}, nic_queues: [red]}
  "spine*": {port_agents: [dre], params: {port: {pfc: true}}}
  host3: {transport: tcp, params: {tcp: {max_rto: 1s}}}
`
	e, err := loadFile(t, write(t, text), "", "nodes.host1.params.tcp.max_rto=4s", "queues=[fifo]")
	require.NoError(t, err)
	p := e.Points[0]
	sets := p.Scenario.Sets
	require.Len(t, sets, 4, "host0, host1, allocator, spines; host3 is as all others")
	keys := func(s scenario.Set) []string {
		var all []string
		for key := range s.Components {
			all = append(all, key)
		}
		slices.Sort(all)
		return all
	}
	assert.Equal(t, []uint32{0}, sets[0].Nodes)
	assert.Equal(t, []string{"transport"}, keys(sets[0]))
	assert.Equal(t, []any{int64(2e12), int64(1e12)}, []any{sets[0].Components.Param("transport", "max_rto"), sets[0].Components.Param("transport", "initial_rto")})

	assert.Equal(t, []uint32{1}, sets[1].Nodes)
	assert.Equal(t, []string{"congestion_control", "host", "transport"}, keys(sets[1]))
	assert.Equal(t, []any{int64(4e12), int64(1e12)}, []any{sets[1].Components.Param("transport", "max_rto"), sets[1].Components.Param("transport", "initial_rto")}, "parameters of both sets, the later one over the other")
	assert.Equal(t, "dctcp", sets[1].Components["congestion_control"].One.Type)
	assert.Equal(t, int64(2), sets[1].Components.Param("host", "ack_every"))
	assert.Equal(t, p.Scenario.Components.Param("host", "base_rtt"), sets[1].Components.Param("host", "base_rtt"), "what is derived holds there, too")
	assert.Equal(t, int64(1), sets[1].Components.Param("host", "classes"))

	assert.Equal(t, []uint32{4}, sets[2].Nodes)
	assert.Equal(t, []string{"nic_queues", "transport"}, keys(sets[2]))
	assert.Equal(t, []any{int64(20e6), int64(1e12)}, []any{sets[2].Components.Param("transport", "min_rto"), sets[2].Components.Param("transport", "max_rto")}, "given whole, the general parameters included")

	assert.Equal(t, []uint32{7, 8}, sets[3].Nodes)
	assert.Equal(t, []string{"port", "port_agents"}, keys(sets[3]))
	assert.Equal(t, int64(1e12), p.Scenario.Components.Param("transport", "max_rto"), "the general ones stay")
	assert.Contains(t, encoded(t, p), `"version": 3`)

	at := func(nodes, param string) Setting {
		i := slices.IndexFunc(p.Effective, func(s Setting) bool { return s.Nodes == nodes && s.Param == param })
		require.GreaterOrEqual(t, i, 0, "%s %s", nodes, param)
		return p.Effective[i]
	}
	assert.Equal(t, "flag", at("host1", "max_rto").Origin)
	assert.Equal(t, "file:18", at("host0", "max_rto").Origin)
	assert.Equal(t, "file:22", at("allocator", "min_rto").Origin)
	assert.Equal(t, "file:16", at("allocator", "max_rto").Origin)
	assert.Equal(t, "derived", at("host1", "base_rtt").Origin)
	assert.Equal(t, "true", at("spine0, spine1", "pfc").Value)
	assert.Contains(t, p.Effective.Table(), "transport at allocator")

	same, err := loadFile(t, write(t, central+"nodes: {\"host*\": {transport: tcp}, \"leaf*\": {params: {ecmp: {}}}}\n"), "")
	require.NoError(t, err)
	plain, err := loadFile(t, write(t, central), "")
	require.NoError(t, err)
	assert.Equal(t, encoded(t, plain.Points[0]), encoded(t, same.Points[0]), "sets that change nothing are no sets")

	many, err := loadFile(t, write(t, central+"matrix: {nodes.allocator.params.tcp.min_rto: [20us, 40us]}\n"), "")
	require.NoError(t, err)
	assert.Equal(t, int64(40e6), many.Points[1].Scenario.Sets[0].Components.Param("transport", "min_rto"))
}

// Parameters of a set that no point has a use for are warned about, as those
// of the whole network are.
func TestUnusedParamsOfNodesWarn(t *testing.T) {
	text := central + "nodes: {host0: {params: {tcp: {min_rto: 1ms}, mptcp: {subflows: 2}, switch: {reserve: 1KB}}}, spine0: {params: {ecmp: {symmetric: true}, fifo: {limit: 1KB}, port: {pfc: false}}}}\n"
	e, err := loadFile(t, write(t, text), "", "matrix={preset: [tcp, hpcc]}")
	require.NoError(t, err)
	require.Len(t, e.Warnings, 2, e.Warnings)
	assert.Contains(t, e.Warnings[0], "exp.yaml:15:47: nodes.host0.params.mptcp has no effect: at no point one of these nodes has it")
	assert.Contains(t, e.Warnings[1], "nodes.host0.params.switch has no effect")
	assert.Len(t, e.Points[0].Scenario.Sets, 2)
	assert.Len(t, e.Points[1].Scenario.Sets, 1, "hpcc's hosts have no TCP")

	_, err = loadFile(t, write(t, text), "", "nodes.host1.params.mptcp.subflows=2")
	require.ErrorContains(t, err, "--set nodes.host1.params.mptcp.subflows=2: nodes.host1.params.mptcp has no effect")
}

// An extra host takes part in workloads only where it is named.
func TestExtraHosts(t *testing.T) {
	random := strings.Replace(central, `  type: list
  flows: [{src: host0, dst: host2, size: 1MB}, {src: host1, dst: allocator, size: 1KB}]`, "  type: poisson\n  size: 20KB\n  load: 0.5", 1)
	e, err := loadFile(t, write(t, random), "")
	require.NoError(t, err)
	p := e.Points[0]
	assert.Len(t, p.Topology.HostNames(), 5)
	for src, dst := range p.Flows.Pairs() {
		assert.NotEqual(t, uint32(4), src)
		assert.NotEqual(t, uint32(4), dst)
	}
	e, err = loadFile(t, write(t, random), "", "workload.destinations=[allocator]")
	require.NoError(t, err)
	for _, dst := range e.Points[0].Flows.Pairs() {
		assert.Equal(t, uint32(4), dst)
	}
	_, err = loadFile(t, write(t, random), "", "workload.sources=[allocator]", "workload.load_of=uplinks")
	require.ErrorContains(t, err, "allocator hangs on 2 switches")

	link := p.Topology.Links[len(p.Topology.Links)-1]
	assert.Equal(t, []int64{40e9, 2e6}, []int64{link.RateBps, link.DelayPs})
	e, err = loadFile(t, write(t, central), "", `topology.extra_hosts=[{name: allocator, switches: [spine0, leaf1]}]`)
	require.NoError(t, err)
	p = e.Points[0]
	link = p.Topology.Links[len(p.Topology.Links)-1]
	assert.Equal(t, []int64{10e9, 1e6}, []int64{link.RateBps, link.DelayPs}, "as the other hosts' links")
	assert.Equal(t, "leaf1", p.Topology.Nodes[link.B].Name)
	assert.Contains(t, encoded(t, p), `"version": 3`, "a host with two links")
}

// A dead host is legal, and links of hosts with several may fail.
func TestHostFailures(t *testing.T) {
	e, err := loadFile(t, write(t, central), "", `topology.failures=[{host: allocator, at: 5us, until: 20us}, {host: host2, at: 1us}, {link: "spine0->allocator", at: 50us, detect: 1us}]`)
	require.NoError(t, err)
	s := e.Points[0].Scenario
	assert.Equal(t, []scenario.HostEvent{{AtPs: 1e6, Node: 2}, {AtPs: 5e6, Node: 4}, {AtPs: 20e6, Node: 4, Up: true}}, s.HostEvents)
	assert.Equal(t, []scenario.LinkEvent{{AtPs: 50e6, Link: 8}}, s.LinkEvents)
	assert.Equal(t, []scenario.RouteChange{{AtPs: 51e6, File: "routes-1.bin"}}, s.RouteChanges)
	assert.Contains(t, encoded(t, e.Points[0]), `"version": 3`)
	dir := t.TempDir()
	_, err = e.Points[0].WriteInputs(dir, 1)
	require.NoError(t, err)
	assert.FileExists(t, filepath.Join(dir, "routes-1.bin"))
}

// Links between switches may change their rate.
func TestCapacityChanges(t *testing.T) {
	e, err := loadFile(t, write(t, central), "", `topology.capacity_changes=[{link: "spine0->leaf1", at: 5us, rate: 40Gbps}, {link: "leaf0->spine1", at: 1us, rate: 2.5Gbps}]`)
	require.NoError(t, err)
	s := e.Points[0].Scenario
	assert.Equal(t, []scenario.RateEvent{{AtPs: 1e6, Link: 5, RateBps: 25e8}, {AtPs: 5e6, Link: 6, RateBps: 40e9}}, s.RateEvents)
	assert.Contains(t, encoded(t, e.Points[0]), `"version": 4`)

	text := strings.Replace(central, "extra_hosts:", "capacity_changes: [{link: \"leaf0->spine0\", at: 5us, rate: 1Gbps}]\n  extra_hosts:", 1)
	text = strings.Replace(text, "preset: tcp", "preset: flowtune", 1)
	_, err = loadFile(t, write(t, text+"nodes: {allocator: {applications: [flowtune_allocator]}}\n"), "")
	require.ErrorContains(t, err, "exp.yaml:2:1: flowtune_allocator knows the rates of all links from the start on, and some change during the run; take topology.capacity_changes out")
}

// TestSameThroughout: what all nodes have of their own is compared, not what
// stands for none of them any more.
func TestSameThroughout(t *testing.T) {
	text := strings.Replace(central, "preset: tcp", "preset: rcp-star", 1) + `nodes:
  "host*": {params: {rcp_star: {alpha: 2}, rcp_star_rate: {alpha: 2}, alpha_fair: {alpha: 2}}}
  allocator: {params: {rcp_star: {alpha: 2}, rcp_star_rate: {alpha: 2}, alpha_fair: {alpha: 2}}}
  "leaf*": {params: {rcp_star_rate: {alpha: 2}}}
  "spine*": {params: {rcp_star_rate: {alpha: 2}}}
`
	_, err := loadFile(t, write(t, text), "")
	require.NoError(t, err)
	_, err = loadFile(t, write(t, strings.Replace(text, `"spine*": {params: {rcp_star_rate: {alpha: 2}}}`, `"spine*": {params: {rcp_star_rate: {alpha: 4}}}`, 1)), "")
	require.ErrorContains(t, err, "exp.yaml:19:46: rcp_star_rate.alpha is 4, and rcp_star.alpha is 2: the sender undoes the power of its path's links; give both the same value; at spine0, spine1")
}

func TestNodesRefused(t *testing.T) {
	tests := []struct{ name, old, new, want string }{
		{"no node", "", "nodes: {alocator: {transport: tcp}}", `exp.yaml:15:9: nodes: there is no node "alocator" in this topology; did you mean "allocator"?`},
		{"no match", "", "nodes: {\"rack*\": {transport: tcp}}", `exp.yaml:15:9: nodes: there is no node "rack*" in this topology`},
		{"no pattern", "", "nodes: {\"host[\": {transport: tcp}}", `"host[": this is not a pattern; write one such as host* or host[0-3]`},
		{"host's slot at a switch", "", "nodes: {\"*\": {transport: tcp}}", `exp.yaml:15:15: nodes.*.transport: leaf0 is a switch, and only hosts have the slot transport; name hosts alone`},
		{"switch's slot at a host", "", "nodes: {host0: {queues: [fifo]}}", `exp.yaml:15:17: nodes.host0.queues: host0 is a host, and only switches have the slot queues; name switches alone`},
		{"unknown slot", "", "nodes: {host0: {queue: [fifo]}}", `exp.yaml:15:17: there is no key "queue" in nodes.host0; did you mean "queues"?`},
		{"unknown mechanism", "", "nodes: {host0: {transport: tpc}}", `exp.yaml:15:28: nodes.host0.transport: there is no transport "tpc"; did you mean "tcp"?`},
		{"unknown parameter", "", "nodes: {host0: {params: {tcp: {min_rtt: 1us}}}}", `exp.yaml:15:32: nodes.host0.params.tcp: tcp has no parameter "min_rtt"; did you mean "min_rto"?`},
		{"value", "", "nodes: {host0: {params: {tcp: {min_rto: 20}}}}", `exp.yaml:15:41: nodes.host0.params.tcp.min_rto: "20" has no unit`},
		{"nothing", "", "nodes: {host0: {}}", `exp.yaml:15:9: nodes.host0 says nothing of these nodes`},
		{"classes", "", "nodes: {host0: {nic_queues: [fifo, fifo]}}", `exp.yaml:15:30: nodes.host0.nic_queues has 2 items, and the network has 1 classes; name one for each`},
		{"framing", "", "nodes: {host0: {params: {host: {mtu: 9000B}}}}", `exp.yaml:15:38: host.mtu is the same at all hosts`},
		{"ack class", "", "nodes: {host0: {params: {host: {ack_class: 1}}}}", `exp.yaml:15:44: host.ack_class is 1, and there are 1 classes, numbered from 0`},
		{"two lists", "", "queues: [fifo, fifo]\nnic_queues: [fifo]", `queues has 2 items and nic_queues has 1, one for each class`},
		{"extra host's name", "name: allocator, ", "", `exp.yaml:9:17: topology.extra_hosts.0 needs the key name, such as name: allocator`},
		{"extra host's switches", `"spine*"`, `"core*"`, `exp.yaml:9:45: topology extra_hosts.0.switches.0: there is no switch "core*" in this topology`},
		{"extra host's key", "rate: 40Gbps", "rat: 40Gbps", `there is no key "rat" in topology.extra_hosts.0; did you mean "rate"?`},
		{"both fail", "extra_hosts:", `failures: [{host: host0, link: "leaf0->spine0", at: 5us}]
  extra_hosts:`, `topology.failures.0.link and topology.failures.0.host exclude each other`},
		{"neither fails", "extra_hosts:", `failures: [{at: 5us}]
  extra_hosts:`, `topology.failures.0 needs the key link, such as link: "spine1->leaf1" (or host: host0)`},
		{"detected death", "extra_hosts:", `failures: [{host: host0, at: 5us, detect: 1us}]
  extra_hosts:`, `topology.failures.0.detect is for links`},
		{"no new rate", "extra_hosts:", `capacity_changes: [{link: "leaf0->spine0", at: 5us}]
  extra_hosts:`, `exp.yaml:9:22: topology.capacity_changes.0 needs the key rate, such as rate: 40Gbps`},
		{"rate 0", "extra_hosts:", `capacity_changes: [{link: "leaf0->spine0", at: 5us, rate: 0Gbps}]
  extra_hosts:`, `exp.yaml:9:61: topology.capacity_changes.0.rate: "0Gbps" is no rate for a link`},
		{"host's rate", "extra_hosts:", `capacity_changes: [{link: "leaf0->host0", at: 5us, rate: 1Gbps}]
  extra_hosts:`, `exp.yaml:9:29: topology capacity_changes.0.link: "leaf0->host0" is a link of host host0, whose flows are paced by its rate`},
		{"only link", "extra_hosts:", `failures: [{link: "host0->leaf0", at: 5us}]
  extra_hosts:`, `"host0->leaf0" is the only link of host host0`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := central + tt.new + "\n"
			if tt.old != "" {
				text = strings.Replace(central, tt.old, tt.new, 1)
			}
			_, err := loadFile(t, write(t, text), "")
			var problems reader.Problems
			require.ErrorAs(t, err, &problems)
			require.ErrorContains(t, err, tt.want)
			assert.Len(t, problems, 1, "one mistake, one message: %v", err)
		})
	}
}

// TestAPartnerAtSomeNodes: what a path selector needs has to be at all of its
// ports, not anywhere in the network.
func TestAPartnerAtSomeNodes(t *testing.T) {
	text := strings.Replace(base, "type: star, hosts: 3", "type: leaf-spine, leaves: 2, spines: 2, hosts_per_leaf: 2", 1)
	text = strings.Replace(text, "preset: hpcc", "preset: tcp\npath_selector: conga\nport_agents: [dre]", 1)
	_, err := loadFile(t, write(t, text), "")
	require.NoError(t, err)
	_, err = loadFile(t, write(t, text+"nodes: {leaf0: {port_agents: []}}\n"), "")
	var problems reader.Problems
	require.ErrorAs(t, err, &problems)
	require.ErrorContains(t, err, "conga needs dre at every port between switches, and one has none; add the port agent dre; at leaf0")
	assert.Len(t, problems, 1)
}
