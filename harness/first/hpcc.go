package first

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fabriclab/base/units"
	"fabriclab/harness/topology"
)

// HPCC are files of HPCC's public simulator, or of one of its descendants, and
// what is made of them.
type HPCC struct {
	Topology, Flows string // "": those that the config names
	Config          string // "": none
	Preset          string // "": by the config's CC_MODE, or hpcc-public
	// PublicPaths: flows take the paths of the simulator's ECMP.
	PublicPaths bool
}

// FromHPCC writes a network and its flows (topology.txt and flow.txt of the
// folder simulation/mix) as an experiment, dir/NAME.yaml, and its flow list,
// dir/NAME.csv. Nothing that is there is changed. Notes say what is not as in
// the files. check says what is wrong with an experiment; what it refuses is not
// written.
func FromHPCC(dir, name string, from HPCC, check func(file string) error) (files, notes []string, err error) {
	if err := experimentName(name); err != nil {
		return nil, nil, err
	}
	c, notes, err := readConfig(from)
	if err != nil {
		return nil, nil, err
	}
	n, more, err := readHPCC(c.topology, hpccNetwork)
	if err != nil {
		return nil, nil, err
	}
	notes = append(notes, more...)
	list, more, err := readHPCC(c.flows, n.flows)
	if err != nil {
		return nil, nil, err
	}
	notes = append(notes, more...)
	slices.SortStableFunc(list, func(a, b hpccFlow) int { return cmp.Compare(a.start, b.start) })
	if behind := slices.IndexFunc(list, func(f hpccFlow) bool { return c.stop > 0 && f.start >= c.stop }); behind >= 0 {
		if behind == 0 {
			return nil, nil, c.wrong("SIMULATOR_STOP_TIME", "no flow starts before it; let the run go on")
		}
		notes = append(notes, fmt.Sprintf("%s:%d: SIMULATOR_STOP_TIME: %d flows that start then or later are left out", c.path, c.lines["SIMULATOR_STOP_TIME"].line, len(list)-behind))
		list = list[:behind]
	}
	numberPorts(list)
	first := list[0].start
	if first > 0 {
		notes = append(notes, fmt.Sprintf("starts count from %s in %s", units.FormatTime(first), c.flows))
	}
	built, err := n.build()
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", c.topology, err)
	}
	set, more, err := n.settings(c, first)
	if err != nil {
		return nil, nil, err
	}
	notes = append(notes, more...)
	if from.PublicPaths {
		if err := n.steer(built, list); err != nil {
			return nil, nil, fmt.Errorf("--paths hpcc: %s: %w", c.topology, err)
		}
		set.param("ecmp", "symmetric", "false")
		notes = append(notes, "ports are such that this project's ECMP leads data and ACKs over the links that HPCC's would; flows are in the order of "+c.flows)
	}
	stop := list[len(list)-1].start - first + 1e12
	if c.stop > 0 {
		stop = c.stop - first
	}
	base := filepath.FromSlash(name)
	var csv strings.Builder
	csv.WriteString("src,dst,size_bytes,start_ps,src_port,dst_port\n")
	for _, f := range list {
		fmt.Fprintf(&csv, "%s,%s,%d,%d,%d,%d\n", n.name(f.src), n.name(f.dst), f.size, f.start-first, f.srcPort, f.dstPort)
	}
	named := filepath.Base(c.topology) + " and " + filepath.Base(c.flows)
	text := fmt.Sprintf(`name: %s
title: %s of HPCC's public simulator
source: %[2]s; starts count from the first flow's, %[3]s in the file

%s
workload: {type: file, path: %s.csv}

preset: %s
%s
run: {stop: %s, stop_when_flows_finish: true}

trace:
  flows: {}
`, name, named, units.FormatTime(first), n.yaml(set.failures, from.PublicPaths), filepath.Base(base), c.preset, set.yaml(), units.FormatTime(stop))
	files, err = write(dir, map[string]string{base + ".yaml": text, base + ".csv": csv.String()}, elsewhere)
	if err != nil {
		return nil, nil, err
	}
	if err := check(filepath.Join(dir, base+".yaml")); err != nil {
		for _, file := range files {
			err = errors.Join(err, os.Remove(file))
		}
		return nil, nil, fmt.Errorf("what %s and %s make is refused, and nothing is written: %w", c.topology, c.flows, err)
	}
	return files, notes, nil
}

// numberPorts gives flows the ports of the simulator: HPCC's numbers the source
// ports of a pair of hosts from 10000 on; ConWeave's, whose lists have no ports,
// those of a source from 10000 and those of a destination from 100.
func numberPorts(list []hpccFlow) {
	sources, destinations := map[[2]int64]int64{}, map[int64]int64{}
	for i := range list {
		f := &list[i]
		key := [2]int64{f.src, f.dst}
		if f.dstPort < 0 {
			key[1] = -1
			f.dstPort = (100 + destinations[f.dst]) & 0xffff
			destinations[f.dst]++
		}
		f.srcPort = (10000 + sources[key]) & 0xffff
		sources[key]++
	}
}

// build makes the network, with a salt of its own for every switch.
func (n *network) build() (*topology.Topology, error) {
	var c topology.Custom
	for _, h := range n.hosts {
		c.Hosts = append(c.Hosts, n.name(h))
	}
	for _, s := range sortedKeys(n.switches) {
		salt := uint32(s)
		c.Switches = append(c.Switches, topology.Switch{Name: n.name(s), Salt: &salt})
	}
	for _, l := range n.links {
		c.Links = append(c.Links, topology.CustomLink{A: n.name(l.a), B: n.name(l.b), Rate: l.rateBps, Delay: l.delays})
	}
	return c.Build()
}

// yaml is the topology; salted gives every switch a salt of its own.
func (n *network) yaml(failures string, salted bool) string {
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
	for _, s := range sortedKeys(n.switches) {
		if salted {
			fmt.Fprintf(&b, "    - {name: s%d, tier: %[1]d}\n", s)
		} else {
			fmt.Fprintf(&b, "    - s%d\n", s)
		}
	}
	b.WriteString("  links:\n")
	for _, l := range n.links {
		fmt.Fprintf(&b, "    - {a: %s, b: %s, rate: %s, delay: %s}\n", n.name(l.a), n.name(l.b), units.FormatRate(l.rateBps), units.FormatTime(l.delays))
	}
	b.WriteString(failures)
	return b.String()
}
