package experiment

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What a run would refuse, or would fail a check for, is refused beforehand,
// with its place.
func TestWhatDoesNotStartIsNotValid(t *testing.T) {
	const star = "topology: {type: star, hosts: 3, rate: 100Gbps, delay: 1us}\n"
	const list = "workload: {type: list, flows: [{src: host0, dst: host1, size: 100KB, start: 0us}]}\n"
	const rest = "run: {stop: 1ms}\ntrace: {flows: {}}\n"
	twoHomed := func(rate string) string {
		return "topology: {type: custom, hosts: [a, b], switches: [s, t], delay: 1us, links: [{a: a, b: s, rate: 10Gbps}, {a: a, b: t, rate: " + rate +
			"}, {a: b, b: s, rate: 10Gbps}, {a: s, b: t, rate: 10Gbps}]}\nworkload: {type: list, flows: [{src: a, dst: b, size: 100KB, start: 0us}]}\n"
	}
	for name, c := range map[string]struct{ text, want string }{
		"a window without a byte stream": {star + list + rest + "preset: none\ncongestion_control: dctcp\n",
			`exp.yaml:6:21: dctcp needs the transport tcp or mptcp, and the transport is go_back_n`},
		"another transport below a congestion control": {star + list + rest + "preset: dctcp\ntransport: go_back_n\n",
			`exp.yaml:6:12: dctcp needs the transport tcp or mptcp`},
		"a transport with a window of its own": {star + list + rest + "preset: expresspass\ncongestion_control: timely\n",
			`exp.yaml:6:21: expresspass has credits that say when a packet goes, and the congestion control is timely; leave congestion_control out or say none`},
		"a limit under PFC": {star + list + rest + "preset: none\nparams: {port: {pfc: true}, red: {kmin: 1KB, kmax: 1KB, pmax: 1, limit: 1MB}}\nqueues: [fifo, red]\n",
			`exp.yaml:6:22: red.limit is 1MB, and port.pfc is on, which keeps no queue from it`},
		"NICs of two rates": {twoHomed("40Gbps") + rest + "preset: none\n",
			`exp.yaml:1:1: a host has links of 10Gbps and of 40Gbps; give all links of a host the same rate; at a`},
		"an overlay with two-homed hosts": {twoHomed("10Gbps") + rest + "preset: none\nparams: {ecmp: {overlay_bytes: 50B}}\n",
			`exp.yaml:1:1: ecmp has an outer header of 50B, which ends at one leaf, and a host has links to two switches`},
		"XCP with delayed ACKs": {star + list + rest + "preset: xcp\nparams: {host: {ack_every: 4}}\n",
			`exp.yaml:6:28: xcp needs an ACK for every packet, and host.ack_every is 4; set it to 1`},
		"XCP with connections": {star + "workload: {type: poisson, size: 1KB, load: 0.1, connections: 2}\n" + rest + "preset: xcp\n",
			`exp.yaml:2:62: xcp has no persistent connections`},
		"a persistent collective without": {star + "workload: {type: collective, operation: all-reduce, size: 100KB, persistent: true}\n" + rest + "preset: expresspass\n",
			`exp.yaml:2:78: expresspass has no persistent connections`},
		"queue pairs without": {star + "workload: {type: poisson, size: 1KB, load: 0.1, connections: 2}\n" + rest + "preset: rcp\n",
			`exp.yaml:2:62: rcp has no queue pairs that stay open`},
		"an RTO above its maximum": {star + list + rest + "preset: tcp\nparams: {tcp: {message_max_rto: 1us}}\n",
			`exp.yaml:6:33: tcp.message_max_rto is 1us, below tcp.message_min_rto, 200ms`},
	} {
		_, err := loadFile(t, write(t, c.text), "")
		assert.ErrorContains(t, err, c.want, name)
	}
}

// Messages share connections and queue pairs.
func TestPersistentConnectionsAreValid(t *testing.T) {
	const text = "topology: {type: star, hosts: 3, rate: 100Gbps, delay: 1us}\nrun: {stop: 1ms}\ntrace: {flows: {}}\n" +
		"matrix: {preset: [none, dcqcn, hpcc, fncc, timely, rocc, infiniband, tcp, mptcp, dctcp]}\n"
	for _, workload := range []string{
		"{type: collective, operation: all-reduce, size: 100KB, persistent: true}",
		"{type: poisson, size: 1KB, load: 0.1, connections: 2, closed_loop: true}",
	} {
		_, err := loadFile(t, write(t, text+"workload: "+workload+"\n"), "")
		assert.NoError(t, err, workload)
	}
}

// A matrix is told once what is wrong, with the first point that has it.
func TestAPointThatDoesNotStartIsNamed(t *testing.T) {
	text := strings.Replace(base, "preset: hpcc\n", "preset: hpcc\nmatrix: {preset: [hpcc, dcqcn, timely, xcp], run.stop: [1ms, 2ms]}\nparams: {port: {pfc: true}}\n", 1)
	_, err := loadFile(t, write(t, text), "")
	require.Error(t, err)
	assert.Regexp(t, `^[^\n]*exp.yaml:9:22: fifo.limit is .*, and port.pfc is on.* \(at preset=xcp stop=1ms\)$`, err.Error())
}

// counting counts the questions.
type counting struct {
	Checks
	asked int
}

func (c *counting) Check(question []byte) ([]byte, error) {
	c.asked++
	return c.Checks.Check(question)
}

// TestPointsThatDifferInNothingTheModelLooksAt are asked about once, so that
// large sweeps stay quick.
func TestPointsThatDifferInNothingTheModelLooksAt(t *testing.T) {
	values := make([]string, 200)
	for i := range values {
		values[i] = fmt.Sprintf("%dus", i+1)
	}
	text := strings.Replace(base, "preset: hpcc\n", "preset: hpcc\nmatrix: {run.stop: ["+strings.Join(values, ", ")+"], hpcc.eta: [0.9, 0.95]}\n", 1)
	c := &counting{Checks: model(t)}
	e, err := Load(write(t, text), Options{Catalog: testCatalog(t), ConfigDir: "../../configs", Checks: c})
	require.NoError(t, err)
	assert.Len(t, e.Points, 400)
	assert.Equal(t, 2, c.asked)
}
