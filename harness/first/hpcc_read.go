package first

import (
	"bufio"
	"errors"
	"fmt"
	"math/big"
	"os"
	"strconv"
	"strings"

	"fabriclab/base/units"
)

// An hpccFile is a file of HPCC's public simulator or of one of its
// descendants, line by line, without the empty ones.
type hpccFile struct {
	path  string
	lines *bufio.Scanner
	line  int
}

// readHPCC reads a file. The note says what of it is left.
func readHPCC[T any](path string, read func(*hpccFile) (T, error)) (value T, notes []string, err error) {
	in, err := os.Open(path)
	if err != nil {
		return value, nil, fmt.Errorf("%w; name a file of HPCC's simulator", err)
	}
	defer in.Close() // only read
	f := &hpccFile{path: path, lines: bufio.NewScanner(in)}
	f.lines.Buffer(nil, 1<<20) // a line may name all switches
	if value, err = read(f); err != nil {
		return value, nil, fmt.Errorf("%s:%d: %w", path, f.line, err)
	}
	if _, err := f.next(""); err == nil {
		notes = []string{fmt.Sprintf("%s: line %d and those behind it are not read, as by HPCC's simulator: the first line says how many entries there are", path, f.line)}
	}
	return value, notes, nil
}

func (f *hpccFile) next(what string) ([]string, error) {
	for f.lines.Scan() {
		f.line++
		if words := strings.Fields(f.lines.Text()); len(words) > 0 {
			return words, nil
		}
	}
	return nil, errors.Join(f.lines.Err(), fmt.Errorf("the file ends where %s is expected", what))
}

func whole(word, what string, most int64) (int64, error) {
	n, err := strconv.ParseInt(word, 10, 64)
	if err != nil || n < 0 || n > most {
		return 0, fmt.Errorf("%s: %q is not a number from 0 to %d", what, word, most)
	}
	return n, nil
}

// scaled reads a decimal number, such as 1e-05 or 25000000000.0, in units of
// 1/scale, rounded.
func scaled(word string, scale int64) (int64, error) {
	x, ok := new(big.Rat).SetString(word)
	if !ok || strings.ContainsAny(word, "/_xXpP") || x.Sign() < 0 {
		return 0, fmt.Errorf("%q is no number that is 0 or more", word)
	}
	x.Mul(x, new(big.Rat).SetInt64(scale))
	n, _ := new(big.Int).SetString(x.FloatString(0), 10)
	if !n.IsInt64() {
		return 0, fmt.Errorf("%q is too large", word)
	}
	return n.Int64(), nil
}

// nsRate reads a rate as ns-3 does: a bare number is in bit/s.
func nsRate(word string) (int64, error) {
	if strings.Trim(word, "0123456789.eE+") == "" {
		return scaled(word, 1)
	}
	word = strings.Replace(word, "b/s", "bps", 1)
	if unit := strings.TrimLeft(word, "0123456789."); strings.HasPrefix(unit, "k") {
		word = strings.Replace(word, "k", "K", 1)
	}
	return units.ParseRate(word)
}

type hpccLink struct {
	a, b            int64
	rateBps, delays int64 // the delay in ps
	line            int
}

// network is a network with HPCC's node numbers.
type network struct {
	path     string
	nodes    int64
	switches map[int64]bool
	links    []hpccLink
	hosts    []int64
	ofHosts  map[int64][]hpccLink
}

const mostNodes = 1 << 20

// firstLine is what the simulators have in the first line of a topology.
const firstLine = "HPCC and ConWeave have three numbers there: nodes, switches, links; ns3-datacenter four: nodes, switches, ToRs, links, or six: the same and two rates; SimAI six words: nodes, GPUs per server, NVSwitches, switches, links, type of GPU"

// counts are the numbers of nodes, switches and links in a first line.
func counts(words []string) (n [3]int64, err error) {
	var places []int
	switch last := words[len(words)-1]; {
	case len(words) == 3:
		places = []int{0, 1, 2}
	case len(words) == 4:
		places = []int{0, 1, 3}
	case len(words) == 6 && strings.Trim(last, "0123456789.") == "":
		places = []int{0, 1, 3}
	case len(words) == 6:
		if words[2] != "0" {
			return n, fmt.Errorf("the first line says that there are %s NVSwitches (SimAI), which only GPUs of one server use; there are none here: leave them and their links out, and write 0", words[2])
		}
		places = []int{0, 3, 4}
	default:
		return n, fmt.Errorf("the first line has %d words; %s", len(words), firstLine)
	}
	for i, what := range []string{"the number of nodes", "the number of switches", "the number of links"} {
		if n[i], err = whole(words[places[i]], what, mostNodes); err != nil {
			return n, fmt.Errorf("the first line: %w; %s", err, firstLine)
		}
	}
	if n[1] == 0 {
		return n, errors.New("the first line says that there are no switches; hosts forward nothing here, so there has to be one")
	}
	if n[2] == 0 {
		return n, fmt.Errorf("the first line says that there are no links; %s", firstLine)
	}
	return n, nil
}

// hpccNetwork reads: nodes, switches and links, the switches' numbers, then of
// each link its ends, rate, delay and error rate.
func hpccNetwork(f *hpccFile) (*network, error) {
	words, err := f.next("the numbers of nodes, switches and links")
	if err != nil {
		return nil, err
	}
	count, err := counts(words)
	if err != nil {
		return nil, err
	}
	n := &network{path: f.path, nodes: count[0], switches: map[int64]bool{}, ofHosts: map[int64][]hpccLink{}}
	for left := count[1]; left > 0; left -= int64(len(words)) {
		if words, err = f.next("a switch"); err != nil {
			return nil, err
		}
		if int64(len(words)) > left {
			return nil, fmt.Errorf("there are more switches than the first line says, %d", count[1])
		}
		for _, word := range words {
			s, err := whole(word, "a switch", n.nodes-1)
			if err != nil {
				return nil, err
			}
			n.switches[s] = true
		}
	}
	for range count[2] {
		if words, err = f.next("a link"); err != nil {
			return nil, err
		}
		l, err := n.link(words)
		if err != nil {
			return nil, err
		}
		l.line = f.line
		if err := n.add(l); err != nil {
			return nil, err
		}
	}
	for i := range n.nodes {
		if n.isSwitch(i) {
			continue
		}
		if n.ofHosts[i] == nil {
			return nil, fmt.Errorf("node %d has no link", i)
		}
		n.hosts = append(n.hosts, i)
	}
	return n, nil
}

func (n *network) link(words []string) (l hpccLink, err error) {
	if len(words) != 5 {
		return l, fmt.Errorf("the line has %d words; a link has five: its two ends, rate, delay and error rate", len(words))
	}
	if l.a, err = whole(words[0], "an end of a link", n.nodes-1); err != nil {
		return l, err
	}
	if l.b, err = whole(words[1], "the other end of the link", n.nodes-1); err != nil {
		return l, err
	}
	if l.rateBps, err = nsRate(words[2]); err != nil {
		return l, fmt.Errorf("rate: %w", err)
	}
	if l.delays, err = units.ParseTime(words[3]); err != nil {
		return l, fmt.Errorf("delay: %w", err)
	}
	if x, err := strconv.ParseFloat(words[4], 64); err != nil || x != 0 {
		return l, fmt.Errorf("the link has the error rate %s; fabriclab's links lose nothing: make it 0", words[4])
	}
	return l, nil
}

// add refuses links that no network here has.
func (n *network) add(l hpccLink) error {
	switch {
	case l.a == l.b:
		return fmt.Errorf("the link goes from %s to itself", n.name(l.a))
	case !n.isSwitch(l.a) && !n.isSwitch(l.b):
		return fmt.Errorf("the link joins the hosts %s and %s; hosts have links to switches only here, as they forward nothing: put a switch between", n.name(l.a), n.name(l.b))
	case l.rateBps == 0:
		return errors.New("the link has the rate 0; leave it out")
	}
	for _, end := range []int64{l.a, l.b} {
		if n.isSwitch(end) {
			continue
		}
		if others := n.ofHosts[end]; len(others) > 0 && others[0].rateBps != l.rateBps {
			return fmt.Errorf("%s has a link of %s here and one of %s in line %d; the NICs of a host have one rate: make it one, or make it two hosts",
				n.name(end), units.FormatRate(l.rateBps), units.FormatRate(others[0].rateBps), others[0].line)
		}
		n.ofHosts[end] = append(n.ofHosts[end], l)
	}
	n.links = append(n.links, l)
	return nil
}

func (n *network) isSwitch(node int64) bool {
	return n.switches[node]
}

func (n *network) name(node int64) string {
	if n.isSwitch(node) {
		return fmt.Sprintf("s%d", node)
	}
	return fmt.Sprintf("h%d", node)
}

type hpccFlow struct {
	src, dst, size, start int64
	srcPort, dstPort      int64
}

// flows reads: how many, then of each flow its source, destination, priority
// group, port (which ConWeave's lists have not), size in bytes and start in
// seconds.
func (n *network) flows(f *hpccFile) ([]hpccFlow, error) {
	words, err := f.next("the number of flows")
	if err != nil {
		return nil, err
	}
	count, err := whole(words[0], "the number of flows", 1<<31)
	if err != nil {
		return nil, err
	}
	if len(words) > 1 {
		return nil, fmt.Errorf("the first line has %d words; it has one, the number of flows", len(words))
	}
	if count == 0 {
		return nil, errors.New("there are no flows")
	}
	var list []hpccFlow
	columns, group := 0, ""
	for range count {
		if words, err = f.next("a flow's source"); err != nil {
			return nil, err
		}
		if columns == 0 {
			columns = len(words)
		}
		switch {
		case columns != 5 && columns != 6:
			return nil, fmt.Errorf("the line has %d words; a flow has six: source, destination, priority group, port, size and start, or five, without the port", columns)
		case len(words) != columns:
			return nil, fmt.Errorf("the line has %d words, the first flow has %d", len(words), columns)
		case group != "" && words[2] != group:
			return nil, fmt.Errorf("the flow is in the priority group %s, others are in %s: HPCC's switches serve groups in turn, here classes go before each other; give all flows the same group", words[2], group)
		}
		group = words[2]
		flow, err := n.flow(words)
		if err != nil {
			return nil, err
		}
		list = append(list, flow)
	}
	return list, nil
}

func (n *network) flow(words []string) (f hpccFlow, err error) {
	f.dstPort = -1
	if len(words) == 6 {
		if f.dstPort, err = whole(words[3], "a flow's port", 65535); err != nil {
			return f, err
		}
	}
	last := len(words) - 1
	var group int64
	for _, c := range []struct {
		what  string
		word  string
		value *int64
		most  int64
	}{{"source", words[0], &f.src, n.nodes - 1}, {"destination", words[1], &f.dst, n.nodes - 1}, {"priority group", words[2], &group, 7}, {"size", words[last-1], &f.size, 1 << 50}} {
		if *c.value, err = whole(c.word, "a flow's "+c.what, c.most); err != nil {
			return f, err
		}
	}
	f.start, err = scaled(words[last], 1e12)
	switch {
	case err != nil:
		return f, fmt.Errorf("a flow's start, in seconds: %w", err)
	case f.size == 0:
		return f, errors.New("the flow has the size 0; leave it out")
	case group == 0:
		return f, errors.New("the flow is in the priority group 0, which PFC never pauses in HPCC's simulator; here data is in a class that it does: take another group")
	case n.isSwitch(f.src) || n.isSwitch(f.dst):
		return f, fmt.Errorf("the flow goes from %s to %s; flows go from host to host", n.name(f.src), n.name(f.dst))
	case f.src == f.dst:
		return f, fmt.Errorf("the flow goes from %s to itself; leave it out", n.name(f.src))
	}
	return f, nil
}
