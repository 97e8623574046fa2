package first

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"fabriclab/base/units"
)

// FromHPCC writes the network and the flows of HPCC's public simulator
// (topology.txt and flow.txt of its folder simulation/mix) as an experiment,
// dir/NAME.yaml, and its flow list, dir/NAME.csv. Nothing that is there is
// changed. Notes say what is not as in the files.
func FromHPCC(dir, name, topology, flows, preset string) (files, notes []string, err error) {
	if err := experimentName(name); err != nil {
		return nil, nil, err
	}
	n, notes, err := readHPCC(topology, hpccNetwork)
	if err != nil {
		return nil, nil, err
	}
	list, more, err := readHPCC(flows, n.flows)
	if err != nil {
		return nil, nil, err
	}
	notes = append(notes, more...)
	first := list[0].start
	if first > 0 {
		notes = append(notes, fmt.Sprintf("starts count from %s in %s", units.FormatTime(first), flows))
	}
	var csv strings.Builder
	csv.WriteString("src,dst,size_bytes,start_ps,dst_port\n")
	for _, f := range list {
		fmt.Fprintf(&csv, "%s,%s,%d,%d,%d\n", n.name(f.src), n.name(f.dst), f.size, f.start-first, f.port)
	}
	base := filepath.FromSlash(name)
	text := fmt.Sprintf(`name: %s
title: %s and %s of HPCC's public simulator
source: %s and %s; starts count from the first flow's, %s in the file

%s
workload: {type: file, path: %s.csv}

preset: %s

run: {stop: %s, stop_when_flows_finish: true}

trace:
  flows: {}
`, name, filepath.Base(topology), filepath.Base(flows), filepath.Base(topology), filepath.Base(flows), units.FormatTime(first),
		n.yaml(), filepath.Base(base), preset, units.FormatTime(list[len(list)-1].start-first+1e12))
	files, err = write(dir, map[string]string{base + ".yaml": text, base + ".csv": csv.String()})
	return files, notes, err
}

func readHPCC[T any](path string, read func(*words) (T, error)) (value T, notes []string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return value, nil, fmt.Errorf("%w; name a file of HPCC's simulator", err)
	}
	defer f.Close() // only read
	w := &words{lines: bufio.NewScanner(f)}
	if value, err = read(w); err != nil {
		return value, nil, fmt.Errorf("%s:%d: %w", path, w.line, err)
	}
	if _, err := w.next(""); err == nil {
		notes = []string{fmt.Sprintf("%s: line %d and those behind it are not read, as by HPCC's simulator: the first line says how many entries there are", path, w.line)}
	}
	return value, notes, nil
}

// words are the words of a file; HPCC's simulator reads them without regard to
// lines.
type words struct {
	lines *bufio.Scanner
	line  int
	left  []string
}

func (w *words) next(what string) (string, error) {
	for len(w.left) == 0 {
		if !w.lines.Scan() {
			return "", errors.Join(w.lines.Err(), fmt.Errorf("the file ends where %s is expected", what))
		}
		w.line++
		w.left = strings.Fields(w.lines.Text())
	}
	word := w.left[0]
	w.left = w.left[1:]
	return word, nil
}

func (w *words) number(what string, most int64) (int64, error) {
	word, err := w.next(what)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(word, 10, 64)
	if err != nil || n < 0 || n > most {
		return 0, fmt.Errorf("%s: %q is not a number from 0 to %d", what, word, most)
	}
	return n, nil
}

type hpccLink struct {
	a, b        int64
	rate, delay string
}

type network struct {
	nodes   int64
	tier    map[int64]int // of switches: links to the nearest host, less one
	links   []hpccLink
	hosts   []int64
	hasLink map[int64]bool
}

const mostNodes = 1 << 20

// hpccNetwork reads: nodes, switches and links, the switches' numbers, then of
// each link its ends, rate, delay and error rate.
func hpccNetwork(w *words) (*network, error) {
	n := &network{tier: map[int64]int{}, hasLink: map[int64]bool{}}
	var counts [3]int64
	for i, what := range []string{"the number of nodes", "the number of switches", "the number of links"} {
		var err error
		if counts[i], err = w.number(what, mostNodes); err != nil {
			return nil, err
		}
	}
	n.nodes = counts[0]
	for range counts[1] {
		s, err := w.number("a switch", n.nodes-1)
		if err != nil {
			return nil, err
		}
		n.tier[s] = 0
	}
	for range counts[2] {
		l, err := n.link(w)
		if err != nil {
			return nil, err
		}
		n.links = append(n.links, l)
	}
	for i := range n.nodes {
		if _, is := n.tier[i]; is {
			continue
		}
		if !n.hasLink[i] {
			return nil, fmt.Errorf("node %d has no link", i)
		}
		n.hosts = append(n.hosts, i)
	}
	n.setTiers()
	return n, nil
}

func (n *network) link(w *words) (l hpccLink, err error) {
	if l.a, err = w.number("an end of a link", n.nodes-1); err != nil {
		return l, err
	}
	if l.b, err = w.number("the other end of the link", n.nodes-1); err != nil {
		return l, err
	}
	for _, q := range []struct {
		what   string
		value  *string
		parse  func(string) (int64, error)
		format func(int64) string
	}{{"rate", &l.rate, units.ParseRate, units.FormatRate}, {"delay", &l.delay, units.ParseTime, units.FormatTime}} {
		word, err := w.next("a link's " + q.what)
		if err != nil {
			return l, err
		}
		v, err := q.parse(word)
		if err != nil {
			return l, fmt.Errorf("%s: %w", q.what, err)
		}
		*q.value = q.format(v)
	}
	word, err := w.next("a link's error rate")
	if err != nil {
		return l, err
	}
	if x, err := strconv.ParseFloat(word, 64); err != nil || x != 0 {
		return l, fmt.Errorf("the link has the error rate %s; fabriclab's links lose nothing: make it 0", word)
	}
	n.hasLink[l.a], n.hasLink[l.b] = true, true
	return l, nil
}

// setTiers counts how far switches are from hosts.
func (n *network) setTiers() {
	far := map[int64]bool{}
	for s := range n.tier {
		far[s] = true
	}
	near := func(node int64) bool { return !far[node] }
	for tier := 0; len(far) > 0; tier++ {
		var reached []int64
		for _, l := range n.links {
			if near(l.a) != near(l.b) {
				s := l.a
				if near(s) {
					s = l.b
				}
				reached = append(reached, s)
			}
		}
		if len(reached) == 0 {
			return // the others have no way to a host; the experiment's checks say so
		}
		for _, s := range reached {
			n.tier[s] = tier
			delete(far, s)
		}
	}
}

func (n *network) name(node int64) string {
	if _, is := n.tier[node]; is {
		return fmt.Sprintf("s%d", node)
	}
	return fmt.Sprintf("h%d", node)
}

func (n *network) yaml() string {
	var b strings.Builder
	b.WriteString("topology:\n  type: custom\n  hosts:\n")
	for i := 0; i < len(n.hosts); {
		last := i
		for last+1 < len(n.hosts) && n.hosts[last+1] == n.hosts[last]+1 {
			last++
		}
		if last == i {
			fmt.Fprintf(&b, "    - h%d\n", n.hosts[i])
		} else {
			fmt.Fprintf(&b, "    - h[%d..%d]\n", n.hosts[i], n.hosts[last])
		}
		i = last + 1
	}
	b.WriteString("  switches:\n")
	for i := range n.nodes {
		if tier, is := n.tier[i]; is {
			fmt.Fprintf(&b, "    - {name: s%d, tier: %d}\n", i, tier)
		}
	}
	b.WriteString("  links:\n")
	for _, l := range n.links {
		fmt.Fprintf(&b, "    - {a: %s, b: %s, rate: %s, delay: %s}\n", n.name(l.a), n.name(l.b), l.rate, l.delay)
	}
	return b.String()
}

type hpccFlow struct {
	src, dst, size, start, port int64
}

// flows reads: how many, then of each flow its source, destination, priority
// group, port, size in bytes and start in seconds.
func (n *network) flows(w *words) ([]hpccFlow, error) {
	count, err := w.number("the number of flows", 1<<31)
	if err != nil {
		return nil, err
	}
	if count == 0 {
		return nil, errors.New("there are no flows")
	}
	var list []hpccFlow
	group := int64(-1)
	for range count {
		var f hpccFlow
		var pg int64
		for _, c := range []struct {
			what  string
			value *int64
			most  int64
		}{{"source", &f.src, n.nodes - 1}, {"destination", &f.dst, n.nodes - 1}, {"priority group", &pg, 7}, {"port", &f.port, 65535}, {"size", &f.size, 1 << 50}} {
			if *c.value, err = w.number("a flow's "+c.what, c.most); err != nil {
				return nil, err
			}
		}
		word, err := w.next("a flow's start")
		if err == nil {
			f.start, err = units.ParseTime(word + "s")
		}
		switch {
		case err != nil:
			return nil, fmt.Errorf("start: %w", err)
		case f.size == 0:
			return nil, errors.New("the flow has the size 0")
		case n.isSwitch(f.src) || n.isSwitch(f.dst):
			return nil, fmt.Errorf("the flow goes from %s to %s; flows go from host to host", n.name(f.src), n.name(f.dst))
		case group >= 0 && pg != group:
			return nil, fmt.Errorf("the flow is in the priority group %d, others are in %d; data is of one class: give all flows the same group", pg, group)
		}
		group = pg
		list = append(list, f)
	}
	slices.SortStableFunc(list, func(a, b hpccFlow) int { return cmp.Compare(a.start, b.start) })
	return list, nil
}

func (n *network) isSwitch(node int64) bool {
	_, is := n.tier[node]
	return is
}
