package experiment

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"fabriclab/base/catalog"
	"fabriclab/base/reader"
	"fabriclab/base/units"
	"fabriclab/harness/scenario"
	"fabriclab/harness/topology"
	"fabriclab/harness/workload"
)

// run is the run section; what it asks of flows is in the rules.
type run struct {
	rules               workload.Rules
	stopWhenFlowsFinish bool
	stopAtDeadlock      bool
	threads             int
}

// run reads when the run stops: at a fixed time, or when all flows that start
// in the measuring window have finished, at the end of the drain at the latest.
func (l *loader) run(root *reader.Section) run {
	s := root.Sub("run")
	r := run{rules: workload.Rules{ToPs: math.MaxInt64}}
	positive := func(key string) int64 {
		t, ok := reader.Quantity(s, key, units.ParseTime)
		if ok && t == 0 {
			l.Problem(s.Get(key), "run.%s is 0; write a time above 0, such as 700us", key)
		}
		return t
	}
	measure := s.Get("measure")
	if measure == nil {
		s.Need("stop", "700us (or measure and drain)")
		r.rules.StopPs = positive("stop")
		for _, key := range []string{"warmup", "drain"} {
			if n := s.Get(key); n != nil {
				l.Problem(n, "run.%s stands before or behind the measuring window, and there is none; write measure: 10ms, or take it out", key)
			}
		}
	} else {
		if n := s.Get("stop"); n != nil {
			l.Problem(n, "run.stop and run.measure exclude each other: the run stops when the measured flows have finished, at the latest after warmup, measure and drain")
		}
		s.Need("drain", "20ms")
		r.rules.FromPs = s.Time("warmup", 0)
		window, drain := positive("measure"), positive("drain")
		r.rules.ToPs = r.rules.FromPs + min(window, units.MaxTime-r.rules.FromPs)
		r.rules.StopPs = r.rules.ToPs + min(drain, units.MaxTime-r.rules.ToPs)
		if window > units.MaxTime-r.rules.FromPs || drain > units.MaxTime-r.rules.ToPs { // before anything overflows
			l.Problem(measure, "warmup, measure and drain together are longer than 100 days")
		}
	}
	r.stopWhenFlowsFinish = s.Boolean("stop_when_flows_finish", measure != nil)
	r.stopAtDeadlock = s.Choice("on_deadlock", "report", "stop") == "stop"
	r.threads = int(s.Integer("threads", 0, 0, scenario.MostThreads))
	s.Done()
	return r
}

// A Workload is a type of workload: what it is, what its own keys mean, and how
// it is read. Each file registers its own.
type Workload struct {
	Name, Title string
	// Keys and Happens are the docs' words on its keys and on who sends what when.
	Keys, Happens string
	Help          map[string]string
	read          func(*loader, *reader.Section, *topology.Topology, workload.Rules) workload.Generator
}

var workloadTypes = map[string]Workload{}

func registerWorkload(w Workload) { workloadTypes[w.Name] = w }

// Workloads are the types there are, by name.
func Workloads() []Workload {
	var all []Workload
	for _, name := range slices.Sorted(maps.Keys(workloadTypes)) {
		all = append(all, workloadTypes[name])
	}
	return all
}

// workload reads the workload section, nil if there is something wrong.
func (l *loader) workload(root *reader.Section, t *topology.Topology, rules workload.Rules) workload.Generator {
	s := root.Sub("workload")
	if len(s.Node.Content) == 0 {
		root.Missing("workload", "{type: list, flows: [{src: host0, dst: host1, start: 0us, size: 1MB}]}")
		return nil
	}
	return l.bounded(s, l.workloadOf(s, t, rules))
}

// workloadOf reads a workload of any type.
func (l *loader) workloadOf(s *reader.Section, t *topology.Topology, rules workload.Rules) workload.Generator {
	kind, at, ok := s.Required("type", "list")
	if !ok {
		return nil
	}
	known, ok := workloadTypes[kind]
	if !ok {
		l.Problem(at, "%s: there is no workload %q%s", s.Name("type"), kind, catalog.Hint(kind, slices.Sorted(maps.Keys(workloadTypes))))
		return nil
	}
	before := l.Found
	g := known.read(l, s, t, rules)
	if l.Found > before {
		return nil
	}
	return g
}

// checked is a workload that finds out by itself why no flow list can be made
// of it.
type checked interface {
	workload.Generator
	Check() error
}

// finish reports the keys nobody asked for and what the workload finds wrong.
func (l *loader) finish(s *reader.Section, before int, g checked) workload.Generator {
	s.Done()
	if l.Found > before {
		return nil
	}
	if err := g.Check(); err != nil {
		l.Problem(s.Node, "%s: %v", s.Path, err)
		return nil
	}
	return g
}

// sharedLoad is a load and what it is a share of.
type sharedLoad struct {
	load     float64
	capacity []int64          // by source: the rate of its link, or its share of the uplinks
	links    map[uint32]int64 // by the host or switch whose they are
}

// bps is what all links can carry.
func (c sharedLoad) bps() (total float64) {
	for _, bps := range c.capacity {
		total += float64(bps)
	}
	return total
}

// load reads a load and what it is a share of.
func (l *loader) load(s *reader.Section, t *topology.Topology, sources, receivers []uint32, closedLoop bool) sharedLoad {
	c := sharedLoad{load: s.Float("load", 0), links: map[uint32]int64{}}
	of := s.Choice("load_of", "hosts", "uplinks")
	const most = 2
	rate := map[string]string{"hosts": "the hosts' links", "uplinks": "the uplinks"}[of]
	switch {
	case c.load > most:
		l.Problem(s.Get("load"), "%s: %g is above %d; it is a share of the rate of %s, 0.5 for 50 %%", s.Name("load"), c.load, most, rate)
	case c.load > 1 && !closedLoop:
		l.warn(fmt.Sprintf("%s: %s: %g is more than %s carry, so flows gather until arrivals end", l.Sources[s.Get("load")].Position(), s.Name("load"), c.load, rate))
	}
	if of == "uplinks" {
		l.uplinkShares(s, t, sources, &c)
	} else {
		for _, src := range sources {
			c.capacity = append(c.capacity, t.HostRate(src))
			c.links[src] = t.HostRate(src)
		}
	}
	if !closedLoop { // one offers what it gets
		l.checkReceivers(s, t, c, receivers)
	}
	return c
}

// checkReceivers warns of a load that is none too much for its sources, and more than the links
// of its receivers carry.
func (l *loader) checkReceivers(s *reader.Section, t *topology.Topology, c sharedLoad, receivers []uint32) {
	can := 0.0
	for _, host := range receivers {
		can += float64(t.HostRate(host))
	}
	if times := c.load * c.bps() / can; len(receivers) > 0 && c.load <= 1 && times > 1.001 {
		at := s.Get("load")
		l.warn(fmt.Sprintf("%s: %s: %g of the links of %d sources together is %.3g times what the links of the receivers carry (%d); up to %.3g they carry all of it",
			l.Sources[at].Position(), s.Name("load"), c.load, len(c.capacity), times, len(receivers), c.load/times))
	}
}

// uplinkShares divides the uplinks of every switch evenly among its sources.
func (l *loader) uplinkShares(s *reader.Section, t *topology.Topology, all []uint32, c *sharedLoad) {
	sources := map[uint32]int64{}
	for _, src := range all {
		at := t.Attached(src)
		if len(at) > 1 {
			l.Problem(s.Get("load_of"), "%s: %s hangs on %d switches, so its share of one switch's uplinks is not known; write load_of: hosts, or leave it out of the sources", s.Name("load_of"), t.Nodes[src].Name, len(at))
			return
		}
		sources[at[0]]++
	}
	for _, src := range all {
		at := t.Attached(src)[0]
		if t.UplinkRate(at) == 0 {
			l.Problem(s.Get("load_of"), "%s: %s is joined with no other switch, so there is no uplink to take a share of; write load_of: hosts", s.Name("load_of"), t.Nodes[at].Name)
			return
		}
		c.capacity = append(c.capacity, t.UplinkRate(at)/sources[at])
		c.links[at] = t.UplinkRate(at)
	}
}

// needs refuses a key that has no effect while another one is left out.
func (l *loader) needs(s *reader.Section, key, other, example string) {
	if n := s.Get(key); n != nil && s.Get(other) == nil {
		l.Problem(n, "%s has no effect without %s; add %s, or take it out", s.Name(key), s.Name(other), example)
	}
}

// positiveBytes reads a size above 0.
func positiveBytes(text string) (int64, error) {
	n, err := units.ParseBytes(text)
	if err == nil && n == 0 {
		err = fmt.Errorf("%q is nothing to send; write a size above 0", text)
	}
	return n, err
}

// count is a number of things, 1 where the key is missing.
func count(s *reader.Section, key string) int { return int(s.Integer(key, 1, 1, 1<<24)) }

// connections reads how many persistent ones a pair of hosts has.
func connections(s *reader.Section) workload.Connections {
	return workload.Connections{PerPair: int(s.Integer("connections", 0, 0, workload.MostConnections)), ClosedLoop: s.Boolean("closed_loop", false)}
}

// common reads what the workloads with set times have in common.
func (l *loader) common(s *reader.Section, rules workload.Rules, unlimited bool) workload.Common {
	return workload.Common{Sizes: l.sizes(s, unlimited), StartPs: s.Time("start", 0), Flow: flowTemplate(s, rules), Rules: rules}
}

// flowTemplate reads what all flows of a workload have in common.
func flowTemplate(s *reader.Section, rules workload.Rules) scenario.Flow {
	f := scenario.Flow{Class: uint8(s.Integer("class", int64(rules.DefaultClass()), 0, math.MaxUint8)), Weight: s.Float("weight", 1)}
	if int(f.Class) >= rules.Classes {
		s.F.Problem(s.Get("class"), "%s: %d is out of range; allowed: from 0 to %d", s.Name("class"), f.Class, rules.Classes-1)
	}
	return f
}

// pattern reads who sends to whom.
func (l *loader) pattern(s *reader.Section, t *topology.Topology) *workload.Pattern {
	before := l.Found
	var p *workload.Pattern
	var err error
	s.Asks("groups", reader.Shape{Kind: reader.KindTextLists})
	if s.Get("groups") != nil {
		for _, key := range []string{"sources", "destinations"} {
			if n := s.Get(key); n != nil {
				l.Problem(n, "%s and %s exclude each other: with groups, every host sends to all other groups", s.Name(key), s.Name("groups"))
			}
		}
		p, err = workload.BetweenGroups(l.groups(s, t))
	} else {
		p, err = workload.AnyToAny(l.hosts(s, t, "sources"), l.hosts(s, t, "destinations"))
	}
	if l.Found > before {
		return nil
	}
	if err != nil {
		l.Problem(s.Node, "%s: %v", s.Path, err)
		return nil
	}
	return p
}

// groups reads lists of hosts, none of which may be there twice.
func (l *loader) groups(s *reader.Section, t *topology.Topology) [][]uint32 {
	var ids [][]uint32
	seen := map[uint32]bool{}
	for i, n := range s.Items("groups") {
		ids = append(ids, l.hostList(n, s.Name("groups."+strconv.Itoa(i)), t, seen))
	}
	return ids
}

// hosts reads a list of hosts, all but the extra ones if the key is missing.
func (l *loader) hosts(s *reader.Section, t *topology.Topology, key string) []uint32 {
	s.Asks(key, reader.Shape{Kind: reader.KindTexts})
	if n := s.Get(key); n != nil {
		return l.hostList(n, s.Name(key), t, map[uint32]bool{})
	}
	return t.UsualHosts()
}

var bracketed = regexp.MustCompile(`^(.*)\[(\d+)(?:-|:|,|\.\.)(\d+)\]$`)

// hostList reads host names and ranges of them (host0..host15), none of which
// may be there twice.
func (l *loader) hostList(n *yaml.Node, name string, t *topology.Topology, seen map[uint32]bool) []uint32 {
	if n.Kind != yaml.SequenceNode {
		l.Problem(n, "%s is a list of hosts, such as [host0, host4..host7], not %s", name, reader.What(n))
		return nil
	}
	if len(n.Content) == 0 {
		l.Problem(n, "%s has no hosts; name one or more, such as [host0, host4..host7], or leave it out", name)
		return nil
	}
	var ids []uint32
	for i, item := range n.Content {
		text, ok := l.Scalar(item, name+"."+strconv.Itoa(i))
		if !ok {
			continue
		}
		if parts := bracketed.FindStringSubmatch(text); parts != nil {
			l.Problem(item, "%s.%d: in a list of hosts a range names its first and last host; write %s%s..%[3]s%[5]s", name, i, parts[1], parts[2], parts[3])
			continue
		}
		first, last, isRange := strings.Cut(text, "..")
		from, err := t.Host(first)
		to := from
		if err == nil && isRange {
			to, err = t.Host(last)
		}
		switch {
		case err != nil:
			l.Problem(item, "%s.%d: %v", name, i, err)
			continue
		case to < from:
			l.Problem(item, "%s.%d: %s stands behind %s; write the range the other way round", name, i, first, last)
			continue
		}
		for id := from; id <= to; id++ {
			if seen[id] {
				l.Problem(item, "%s.%d: host %s is here twice; keep one", name, i, t.Nodes[id].Name)
				break
			}
			seen[id] = true
			ids = append(ids, id)
		}
	}
	return ids
}

// sizes reads the sizes of flows: size for a fixed one, or sizes for a table;
// nil is unlimited, which is the default where it is allowed.
func (l *loader) sizes(s *reader.Section, unlimited bool) *workload.Sizes {
	s.Asks("size", reader.Shape{Kind: reader.KindSize})
	name, at, isTable := s.Text("sizes")
	n := s.Get("size")
	switch {
	case isTable && n != nil:
		l.Problem(n, "%s and %s exclude each other; keep one", s.Name("size"), s.Name("sizes"))
	case isTable:
		return l.sizeTable(s, name, at)
	case n == nil && unlimited:
	case n == nil:
		s.Missing("sizes", "web-search (or size: 1MB)")
	default:
		if size := flowSize(s); size > 0 {
			return workload.FixedSize(int64(size))
		}
		if !unlimited && n.Value == "unlimited" {
			l.Problem(n, "%s: the flows of this workload come to an end; write a size above 0", s.Name("size"))
		}
	}
	return nil
}

// sizeTable reads a table of flow sizes: one of the shipped ones by name, or
// a file beside the experiment.
func (l *loader) sizeTable(s *reader.Section, name string, at *yaml.Node) *workload.Sizes {
	tables := l.shipped("workloads", nil)
	file := tables[name]
	if file == "" {
		file = filepath.Join(l.configDir, "workloads", name+".yaml")
	}
	if strings.ContainsAny(name, `/\`) || strings.HasSuffix(name, ".yaml") {
		file = l.beside(at, name)
	}
	if sizes := l.sizesOf[file]; sizes != nil {
		return sizes
	}
	sizes, err := workload.ReadSizes(file)
	if errors.Is(err, fs.ErrNotExist) {
		l.Problem(at, "%s: there is no table %q (%s)%s", s.Name("sizes"), name, file, catalog.Hint(name, slices.Sorted(maps.Keys(tables))))
		return nil
	}
	if err != nil {
		l.Problem(at, "%s: %v", s.Name("sizes"), err)
		return nil
	}
	l.sizesOf[file] = sizes
	return sizes
}
