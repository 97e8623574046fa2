package experiment

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"path/filepath"
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
	s.Done()
	return r
}

// workloadTypes are the kinds of workloads.
var workloadTypes = map[string]func(*loader, *reader.Section, *topology.Topology, workload.Rules) workload.Generator{
	"list":         (*loader).flowList,
	"file":         (*loader).flowFile,
	"poisson":      (*loader).poisson,
	"incast":       (*loader).incast,
	"permutation":  (*loader).permutation,
	"all-to-all":   (*loader).allToAll,
	"semi-dynamic": (*loader).semiDynamic,
	"jobs":         (*loader).jobs,
	"dag":          (*loader).dag,
	"collective":   (*loader).collective,
}

// A mix reads its parts by the same table.
func init() { workloadTypes["mix"] = (*loader).mix }

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
	read, ok := workloadTypes[kind]
	if !ok {
		names := make([]string, 0, len(workloadTypes))
		for name := range workloadTypes {
			names = append(names, name)
		}
		l.Problem(at, "%s: there is no workload %q%s", s.Name("type"), kind, catalog.Hint(kind, names))
		return nil
	}
	before := l.Found
	g := read(l, s, t, rules)
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

func (l *loader) poisson(s *reader.Section, t *topology.Topology, rules workload.Rules) workload.Generator {
	before := l.Found
	p := &workload.Poisson{
		Pattern: l.pattern(s, t), Sizes: l.sizes(s, false), Rules: rules, Flow: flowTemplate(s, rules),
		HostName: func(host uint32) string { return t.Nodes[host].Name },
		FromPs:   s.Time("from", 0), ToPs: s.Time("to", rules.StopPs), Connections: connections(s),
	}
	s.Need("load", "0.5")
	var sources []uint32
	if p.Pattern != nil {
		sources = slices.Collect(p.Sources())
	}
	p.Load, p.Capacity = l.load(s, t, sources)
	return l.finish(s, before, p)
}

// load reads a load and what it is a share of: by source, the rate of its link
// or its share of the uplinks.
func (l *loader) load(s *reader.Section, t *topology.Topology, sources []uint32) (float64, []int64) {
	load := s.Float("load", 0)
	of := s.Choice("load_of", "hosts", "uplinks")
	const most = 2
	if load > most {
		rate := map[string]string{"hosts": "the hosts' links", "uplinks": "the uplinks"}[of]
		l.Problem(s.Get("load"), "%s: %g is above %d; it is a share of the rate of %s, 0.5 for 50 %%", s.Name("load"), load, most, rate)
	}
	if of == "uplinks" {
		return load, l.uplinkShares(s, t, sources)
	}
	var rates []int64
	for _, src := range sources {
		rates = append(rates, t.HostRate(src))
	}
	return load, rates
}

// uplinkShares divides the uplinks of every switch evenly among its sources.
func (l *loader) uplinkShares(s *reader.Section, t *topology.Topology, all []uint32) []int64 {
	sources := map[uint32]int64{}
	for _, src := range all {
		at := t.Attached(src)
		if len(at) > 1 {
			l.Problem(s.Get("load_of"), "%s: %s hangs on %d switches, so its share of one switch's uplinks is not known; write load_of: hosts, or leave it out of the sources", s.Name("load_of"), t.Nodes[src].Name, len(at))
			return nil
		}
		sources[at[0]]++
	}
	var shares []int64
	for _, src := range all {
		at := t.Attached(src)[0]
		if t.UplinkRate(at) == 0 {
			l.Problem(s.Get("load_of"), "%s: %s is joined with no other switch, so there is no uplink to take a share of; write load_of: hosts", s.Name("load_of"), t.Nodes[at].Name)
			return nil
		}
		shares = append(shares, t.UplinkRate(at)/sources[at])
	}
	return shares
}

func (l *loader) incast(s *reader.Section, t *topology.Topology, rules workload.Rules) workload.Generator {
	before := l.Found
	s.Need("senders", "8")
	total, striped := reader.Quantity(s, "total", positiveBytes)
	if n := s.Get("size"); n != nil && striped {
		l.Problem(n, "%s and %s exclude each other: the senders of an event have equal shares of the total", s.Name("size"), s.Name("total"))
	}
	if n := s.Get("sizes"); n != nil && striped {
		l.Problem(n, "%s and %s exclude each other: the senders of an event have equal shares of the total", s.Name("sizes"), s.Name("total"))
	}
	g := &workload.Incast{
		Sources: l.hosts(s, t, "sources"), Receivers: l.hosts(s, t, "receivers"), Total: uint64(total),
		Senders: count(s, "senders"), Events: count(s, "events"), Common: l.common(s, rules, striped),
		Connections: connections(s),
	}
	if s.Get("load") != nil || l.Interviewed() {
		l.incastLoad(s, t, g)
	}
	if s.Get("load") == nil {
		if g.Events > 1 {
			s.Need("interval", "100us (between two events)")
		}
		g.IntervalPs = s.Time("interval", 0)
	}
	g.JitterPs = s.Time("jitter", 0)
	return l.finish(s, before, g)
}

// incastLoad reads incasts that come at random, as often as a load asks for.
func (l *loader) incastLoad(s *reader.Section, t *topology.Topology, g *workload.Incast) {
	for _, key := range []string{"events", "interval"} {
		if n := s.Get(key); n != nil {
			l.Problem(n, "%s and %s exclude each other: a load says how often there are events", s.Name(key), s.Name("load"))
		}
	}
	var capacity []int64
	g.Load, capacity = l.load(s, t, g.Sources)
	for _, bps := range capacity {
		g.CapacityBps += float64(bps)
	}
	g.ToPs = s.Time("to", g.Rules.StopPs)
	if n := s.Get("load"); n != nil && g.Load == 0 {
		l.Problem(n, "%s is 0; it is above 0, such as 0.2", s.Name("load"))
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

func (l *loader) jobs(s *reader.Section, t *topology.Topology, rules workload.Rules) workload.Generator {
	before := l.Found
	g := &workload.Jobs{
		Blocks: count(s, "blocks"), Copies: int(s.Integer("copies", 3, 2, 1<<16)),
		IntervalPs: s.Time("interval", 0), Common: l.common(s, rules, false), Connections: connections(s),
	}
	if s.Asks("groups", reader.Shape{Kind: reader.KindTextLists}); s.Get("groups") != nil {
		g.Racks = l.groups(s, t)
		g.Hosts = slices.Concat(g.Racks...)
		g.Sources = g.Hosts
	} else {
		g.Hosts = l.hosts(s, t, "destinations")
	}
	if s.Get("sources") != nil || g.Racks == nil {
		g.Sources = l.hosts(s, t, "sources")
	}
	g.Writers = int(s.Integer("writers", int64(len(g.Sources)), 1, 1<<24))
	if g.Racks != nil {
		if n := s.Get("destinations"); n != nil {
			l.Problem(n, "%s and %s exclude each other: with groups, copies are kept by the hosts of the groups", s.Name("destinations"), s.Name("groups"))
		}
		for _, src := range g.Sources {
			if !slices.Contains(g.Hosts, src) {
				l.Problem(s.Get("sources"), "%s: host %s is in no group; name only hosts of %s", s.Name("sources"), t.Nodes[src].Name, s.Name("groups"))
			}
		}
	}
	return l.finish(s, before, g)
}

// mix reads several workloads that go on side by side.
func (l *loader) mix(s *reader.Section, t *topology.Topology, rules workload.Rules) workload.Generator {
	before := l.Found
	s.Asks("parts", reader.Shape{Kind: reader.KindRefs, Ref: "workload"})
	s.Need("parts", "[{type: poisson, sizes: enterprise, load: 0.5}, {type: jobs, size: 64MB}]")
	m := &workload.Mix{}
	for i, n := range s.Items("parts") {
		if l.Interviewed() {
			break // they are workloads again
		}
		part := l.Section(n, n, s.Name("parts."+strconv.Itoa(i)))
		if g := l.workloadOf(part, t, rules); g != nil {
			m.Parts = append(m.Parts, g)
		}
	}
	return l.finish(s, before, m)
}

func (l *loader) permutation(s *reader.Section, t *topology.Topology, rules workload.Rules) workload.Generator {
	before := l.Found
	return l.finish(s, before, &workload.Permutation{
		Sources: l.hosts(s, t, "sources"), Destinations: l.hosts(s, t, "destinations"), Common: l.common(s, rules, true),
	})
}

func (l *loader) allToAll(s *reader.Section, t *topology.Topology, rules workload.Rules) workload.Generator {
	before := l.Found
	return l.finish(s, before, &workload.AllToAll{Pattern: l.pattern(s, t), Common: l.common(s, rules, true)})
}

func (l *loader) semiDynamic(s *reader.Section, t *topology.Topology, rules workload.Rules) workload.Generator {
	before := l.Found
	for _, key := range []string{"paths", "step", "least", "most", "events"} {
		s.Need(key, "100")
	}
	s.Need("interval", "10ms (between two events)")
	return l.finish(s, before, &workload.SemiDynamic{
		Pattern: l.pattern(s, t), Paths: count(s, "paths"), Step: count(s, "step"), Least: count(s, "least"), Most: count(s, "most"),
		Events: count(s, "events"), IntervalPs: s.Time("interval", 0), Common: l.common(s, rules, true),
	})
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
		file = filepath.Join(filepath.Dir(l.file), name)
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

func (l *loader) flowFile(s *reader.Section, t *topology.Topology, rules workload.Rules) workload.Generator {
	return fromFile(l, s, "flows.csv", t, rules, workload.OpenFile)
}

// dag reads messages that wait for each other.
func (l *loader) dag(s *reader.Section, t *topology.Topology, rules workload.Rules) workload.Generator {
	return fromFile(l, s, "messages.csv", t, rules, workload.OpenDAG)
}

// fromFile reads a workload that is in a file.
func fromFile[G workload.Generator](l *loader, s *reader.Section, example string, t *topology.Topology, rules workload.Rules, open func(string, func(string) (uint32, error), workload.Rules) (G, error)) workload.Generator {
	path, at, ok := s.Required("path", example)
	s.Done()
	if !ok {
		return nil
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(l.file), path)
	}
	g, err := open(path, t.HostOrNumber, rules)
	if err != nil {
		l.Problem(at, "%s: %v", s.Name("path"), err)
		return nil
	}
	return g
}

// collective reads a collective operation among ranks.
func (l *loader) collective(s *reader.Section, t *topology.Topology, rules workload.Rules) workload.Generator {
	before := l.Found
	s.Need("operation", "all-reduce")
	s.Need("size", "64MB (of each rank)")
	size, _ := reader.Quantity(s, "size", positiveBytes)
	c := &workload.Collective{
		Operation: s.Choice("operation", workload.Operations...), Size: uint64(size),
		Hosts: l.hosts(s, t, "hosts"), PerHost: count(s, "ranks_per_host"), Random: s.Choice("placement", "listed", "random") == "random",
		Chunks: count(s, "chunks"), Channels: count(s, "channels"), Iterations: count(s, "iterations"),
		GapPs: s.Time("gap", 0), StartPs: s.Time("start", 0), Persistent: s.Boolean("persistent", false),
		Flow: flowTemplate(s, rules), Rules: rules,
	}
	only := func(key string, operations ...string) bool {
		n := s.Get(key)
		if n == nil || slices.Contains(operations, c.Operation) {
			return true
		}
		l.Problem(n, "%s: %s has none; it is for %s", s.Name(key), c.Operation, strings.Join(operations, " and "))
		return false
	}
	if algorithm := s.Choice("algorithm", "ring", "tree"); only("algorithm", "all-reduce") {
		c.Algorithm = algorithm
	}
	if compute := s.Time("compute", 0); only("compute", "moe", "pipeline") {
		c.ComputePs = compute
	}
	return l.finish(s, before, c)
}

func (l *loader) flowList(s *reader.Section, t *topology.Topology, rules workload.Rules) workload.Generator {
	before := l.Found
	var entries []workload.Entry
	s.Need("flows", "[{src: host0, dst: host1, start: 0us, size: 1MB}]")
	items := s.Items("flows")
	listed := 0.0
	for i, n := range items {
		entry := l.flow(n, s.Name("flows."+strconv.Itoa(i)), t, rules)
		entries = append(entries, entry)
		if listed += float64(entry.Flows()); listed > mostListed {
			l.Problem(n, "%s.%d: with these there are more than %d flows in the list, which is held in memory; give them as a file, or by a workload that makes them", s.Name("flows"), i, mostListed)
			break
		}
	}
	s.Done()
	if l.Found > before {
		return nil
	}
	list, err := workload.NewList(entries)
	var entry *workload.EntryError
	if errors.As(err, &entry) {
		l.Problem(items[entry.Index], "%s.%d: %v", s.Name("flows"), entry.Index, entry.Err)
		return nil
	}
	return list
}

func (l *loader) flow(n *yaml.Node, name string, t *topology.Topology, rules workload.Rules) workload.Entry {
	before := l.Found
	s := l.Section(n, n, name)
	hosts := func(key string) []uint32 {
		text, at, ok := s.Required(key, t.HostNames()[0])
		if !ok {
			return nil
		}
		ids, err := workload.Hosts(text, t.Host)
		if err != nil {
			l.Problem(at, "%s: %v", s.Name(key), err)
		}
		return ids
	}
	sources, destinations := hosts("src"), hosts("dst")
	pairs := s.Choice("join", topology.Joins...) == "pairs"
	e := workload.Entry{
		Name:  s.Str("name"),
		Count: int(s.Integer("count", 1, 1, 1<<24)),
		Flow: scenario.Flow{
			Group:   uint32(s.Integer("group", 0, 0, math.MaxUint32)),
			Size:    flowSize(s),
			StartPs: s.Time("start", 0), StopPs: s.Time("stop", -1),
			SrcPort: uint16(s.Integer("src_port", 0, 0, math.MaxUint16)),
			DstPort: uint16(s.Integer("dst_port", 0, 0, math.MaxUint16)),
			Class:   uint8(s.Integer("class", int64(rules.DefaultClass()), 0, math.MaxUint8)),
			Weight:  s.Float("weight", 1),
		},
	}
	e.Flow.Measured = rules.Measured(e.Flow.StartPs)
	s.Done()
	if l.Found > before {
		return e
	}
	joined, err := workload.Join(sources, destinations, pairs)
	if err == nil {
		for src, dst := range joined {
			e.Flow.Src, e.Flow.Dst = src, dst
			if err = rules.Check(e.Flow); err != nil {
				break
			}
			e.Pairs = append(e.Pairs, [2]uint32{src, dst})
		}
	}
	var broken *workload.FlowError
	if errors.As(err, &broken) {
		at := s.Get(broken.Field)
		if at == nil {
			at = n
		}
		l.Problem(at, "%s.%v", name, broken)
	}
	return e
}

// flowSize is a flow's payload in bytes, 0 for unlimited.
func flowSize(s *reader.Section) uint64 {
	s.Need("size", "1MB (or unlimited)")
	size, _ := reader.Quantity(s, "size", func(text string) (int64, error) {
		if text == "unlimited" {
			return 0, nil
		}
		n, err := units.ParseBytes(text)
		if err == nil && n == 0 {
			err = fmt.Errorf("a flow of %q has nothing to send; write a size above 0, or unlimited", text)
		}
		return n, err
	})
	return uint64(size)
}
