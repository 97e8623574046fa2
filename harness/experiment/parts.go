package experiment

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"

	"fabriclab/base/catalog"
	"fabriclab/base/units"
	"fabriclab/harness/scenario"
	"fabriclab/harness/topology"
	"fabriclab/harness/workload"
)

var topologyTypes = []string{"dumbbell", "chain", "star", "leaf-spine", "fat-tree", "custom"}

// topology reads the topology section and builds the network, nil if there is
// something wrong. Points with the same section share the network.
func (l *loader) topology(root *section) *topology.Topology {
	s := root.sub("topology")
	if len(s.node.Content) == 0 {
		root.missing("topology", "{type: star, hosts: 2, rate: 100Gbps, delay: 1us}")
		return nil
	}
	key, err := yaml.Marshal(s.node)
	if err != nil {
		l.problem(s.node, "topology: %v", err)
		return nil
	}
	if t, built := l.topologies[string(key)]; built {
		return t
	}
	l.topologies[string(key)] = nil
	before := l.found
	b := l.topologyType(s)
	s.done()
	if b == nil || l.found > before || !l.fits(s, b) {
		return nil
	}
	t, err := b.Build()
	var field *topology.FieldError
	switch {
	case errors.As(err, &field):
		l.problem(nearest(s.node, field.Field), "%v", err)
		return nil
	case err != nil:
		l.problem(s.node, "topology: %v", err)
		return nil
	}
	if !l.fitsBuilt(s, t, 1+len(t.Changes())) {
		return nil
	}
	l.topologies[string(key)] = t
	return t
}

func (l *loader) topologyType(s *section) interface {
	Build() (*topology.Topology, error)
} {
	kind, at, ok := s.required("type", "dumbbell")
	if !ok {
		s.ignoreRest() // which keys there are depends on the type
		return nil
	}
	number := func(key string) int {
		if !s.need(key, "2") {
			return 0
		}
		return int(s.integer(key, 0, 1, math.MaxInt32))
	}
	if kind == "custom" {
		return l.customTopology(s)
	}
	c := l.cabling(s)
	switch kind {
	case "dumbbell":
		return topology.Dumbbell{Switches: number("switches"), Senders: number("senders"), Receivers: number("receivers"), Cabling: c}
	case "chain":
		return topology.Chain{Switches: number("switches"), Hosts: l.attachments(s), Cabling: c}
	case "star":
		return topology.Star{Hosts: number("hosts"), Cabling: c}
	case "leaf-spine":
		return topology.LeafSpine{
			Leaves: number("leaves"), Spines: number("spines"), HostsPerLeaf: number("hosts_per_leaf"),
			Parallel: int(s.integer("parallel_links", 1, 1, math.MaxInt32)), Cabling: c,
		}
	case "fat-tree":
		return topology.FatTree{
			K: number("k"), Pods: int(s.integer("pods", 0, 1, math.MaxInt32)),
			HostsPerEdge: int(s.integer("hosts_per_edge", 0, 1, math.MaxInt32)), Cabling: c,
		}
	}
	l.problem(at, "topology.type: there is no topology %q%s", kind, catalog.Hint(kind, topologyTypes))
	s.ignoreRest()
	return nil
}

// cabling reads the links' rates and delays: rate and delay hold for all
// links, host_… and fabric_… for those at hosts and between switches.
func (l *loader) cabling(s *section) topology.Cabling {
	c := l.linkChanges(s)
	rate, _ := quantity(s, "rate", linkRate)
	c.HostRate = orDefault(s, "host_rate", rate, linkRate)
	c.FabricRate = orDefault(s, "fabric_rate", rate, linkRate)
	if s.get("host_rate") == nil || s.get("fabric_rate") == nil {
		s.need("rate", "100Gbps (or both host_rate and fabric_rate)")
	}
	delay := orDefault(s, "delay", 0, linkDelay)
	c.HostDelay = orDefault(s, "host_delay", delay, linkDelay)
	c.FabricDelay = orDefault(s, "fabric_delay", delay, linkDelay)
	if s.get("host_delay") == nil || s.get("fabric_delay") == nil {
		s.need("delay", "1.5us (or both host_delay and fabric_delay)")
	}
	c.Extra = l.extraHosts(s, "host_", c.HostRate, c.HostDelay)
	return c
}

// extraHosts reads the hosts beside those of the topology's type. Their links
// are as those of the other hosts where nothing else is said.
func (l *loader) extraHosts(s *section, prefix string, rate, delay int64) []topology.ExtraHost {
	var extra []topology.ExtraHost
	for i, n := range s.items("extra_hosts") {
		x := l.section(n, n, s.name("extra_hosts."+strconv.Itoa(i)))
		x.need("name", "allocator")
		x.need("switches", `"spine*"`)
		if s.get("rate") == nil && s.get(prefix+"rate") == nil {
			x.need("rate", "40Gbps (or a rate for all links of the topology)")
		}
		if s.get("delay") == nil && s.get(prefix+"delay") == nil {
			x.need("delay", "2us (or a delay for all links of the topology)")
		}
		host := topology.ExtraHost{
			Name: x.str("name"), Rate: orDefault(x, "rate", rate, linkRate), Delay: x.time("delay", delay),
		}
		for i, at := range x.oneOrMore("switches", KindTextOrTexts) {
			if text, ok := l.scalar(at, x.name("switches."+strconv.Itoa(i))); ok {
				host.Switches = append(host.Switches, text)
			}
		}
		x.done()
		extra = append(extra, host)
	}
	return extra
}

// linkRate reads a link's rate, which is above 0.
func linkRate(text string) (int64, error) {
	value, err := units.ParseRate(text)
	switch {
	case err == nil && value == 0:
		err = fmt.Errorf("%q is no rate for a link; write a rate above 0, or list the link under failed", text)
	case err == nil && value > scenario.MaxRateBps:
		err = fmt.Errorf("%q is too large for a link; the engines hold %s", text, units.FormatRate(scenario.MaxRateBps))
	}
	return value, err
}

// linkDelay reads a link's delay.
func linkDelay(text string) (int64, error) {
	value, err := units.ParseTime(text)
	if err == nil && value > scenario.MaxDelayPs {
		err = fmt.Errorf("%q is too long for a link; it is at most %s", text, units.FormatTime(scenario.MaxDelayPs))
	}
	return value, err
}

// linkChanges reads overrides, failed links, and what fails or changes during
// the run.
func (l *loader) linkChanges(s *section) topology.Cabling {
	var c topology.Cabling
	for i, n := range s.items("overrides") {
		o := l.section(n, n, s.name("overrides."+strconv.Itoa(i)))
		o.need("link", `"s1->s2"`)
		override := topology.Override{Link: o.str("link")}
		if rate, ok := quantity(o, "rate", linkRate); ok {
			override.Rate = &rate
		}
		if delay, ok := quantity(o, "delay", linkDelay); ok {
			override.Delay = &delay
		}
		o.done()
		c.Overrides = append(c.Overrides, override)
	}
	c.Failed, _ = s.texts("failed")
	for i, n := range s.items("failures") {
		c.Failures = append(c.Failures, l.failure(l.section(n, n, s.name("failures."+strconv.Itoa(i)))))
	}
	for i, n := range s.items("capacity_changes") {
		c.CapacityChanges = append(c.CapacityChanges, l.capacityChange(l.section(n, n, s.name("capacity_changes."+strconv.Itoa(i)))))
	}
	return c
}

// failure reads a link or a host that fails during the run.
func (l *loader) failure(s *section) topology.Failure {
	s.need("at", "5ms")
	f := topology.Failure{
		Link: s.str("link"), Host: s.str("host"),
		AtPs: s.time("at", 0), UntilPs: s.time("until", -1), DetectPs: s.time("detect", 0),
	}
	switch link, host, detect := s.get("link"), s.get("host"), s.get("detect"); {
	case link == nil && host == nil:
		s.missing("link", `"spine1->leaf1" (or host: host0)`)
	case link != nil && host != nil:
		l.problem(host, "%s and %s exclude each other: a host that dies takes its links with it; keep one", s.name("link"), s.name("host"))
	case host != nil && detect != nil:
		l.problem(detect, "%s is for links: no route leads through a host, so none follows its death; take it out", s.name("detect"))
	}
	s.done()
	return f
}

// capacityChange reads a link that has another rate from a time on.
func (l *loader) capacityChange(s *section) topology.CapacityChange {
	s.need("link", `"s1->s2"`)
	s.need("at", "5ms")
	s.need("rate", "40Gbps")
	rate, _ := quantity(s, "rate", linkRate)
	c := topology.CapacityChange{Link: s.str("link"), AtPs: s.time("at", 0), RateBps: rate}
	s.done()
	return c
}

// attachments reads a chain's hosts: name -> switch.
func (l *loader) attachments(s *section) []topology.Attachment {
	s.asks("hosts", Shape{Kind: KindTextMap})
	hosts := s.sub("hosts")
	if len(hosts.node.Content) == 0 {
		s.missing("hosts", "{sender0: s1, receiver0: s3}")
	}
	var attachments []topology.Attachment
	for i := 0; i < len(hosts.node.Content); i += 2 {
		host := hosts.node.Content[i].Value
		if at, ok := l.scalar(hosts.node.Content[i+1], hosts.name(host)); ok {
			attachments = append(attachments, topology.Attachment{Host: host, Switch: at})
		}
	}
	return attachments
}

func (l *loader) customTopology(s *section) topology.Custom {
	c := topology.Custom{Cabling: l.linkChanges(s)}
	for i, n := range s.oneOrMore("hosts", KindTextOrTexts) {
		name := s.name("hosts." + strconv.Itoa(i))
		if text, ok := l.scalar(n, name); ok {
			c.Hosts = append(c.Hosts, l.expand(n, name, text)...)
		}
	}
	for i, n := range s.oneOrMore("switches", KindTextsOrMappings) {
		name := s.name("switches." + strconv.Itoa(i))
		if n.Kind != yaml.MappingNode {
			if text, ok := l.scalar(n, name); ok {
				for _, one := range l.expand(n, name, text) {
					c.Switches = append(c.Switches, topology.Switch{Name: one})
				}
			}
			continue
		}
		sw := l.section(n, n, name)
		var salt *uint32
		if told := uint32(sw.integer("tier", 0, 0, math.MaxUint32)); sw.get("tier") != nil {
			salt = &told
		}
		for _, one := range l.expand(sw.get("name"), sw.name("name"), sw.str("name")) {
			c.Switches = append(c.Switches, topology.Switch{Name: one, Salt: salt})
		}
		sw.done()
	}
	rate, _ := quantity(s, "rate", linkRate)
	delay := orDefault(s, "delay", 0, linkDelay)
	c.Extra = l.extraHosts(s, "", rate, delay)
	names := slices.Clone(c.Hosts)
	for _, sw := range c.Switches {
		names = append(names, sw.Name)
	}
	for item, n := range s.items("links") {
		link := l.section(n, n, s.name("links."+strconv.Itoa(item)))
		link.need("a", "host0")
		link.need("b", "s1")
		if s.get("rate") == nil {
			link.need("rate", "100Gbps (or a rate for all links of the topology)")
		}
		if s.get("delay") == nil {
			link.need("delay", "1.5us (or a delay for all links of the topology)")
		}
		as, bs := l.ends(link, "a", names), l.ends(link, "b", names)
		one := topology.CustomLink{Rate: orDefault(link, "rate", rate, linkRate), Delay: orDefault(link, "delay", delay, linkDelay)}
		pairs := link.choice("join", topology.Joins...) == "pairs"
		link.done()
		if !pairs && l.above(n, float64(len(c.Links))+float64(float64(len(as))*float64(len(bs))), l.limits.Links, "links", "links", "topology: there would be") {
			return c
		}
		joined, err := topology.Join(as, bs, pairs)
		if err != nil {
			l.problem(link.get("join"), "%s: %v", link.name("join"), err)
			continue
		}
		for one.A, one.B = range joined {
			c.Links, c.Items = append(c.Links, one), append(c.Items, item)
		}
	}
	return c
}

// ends are the nodes at one end of links: by name, ranges of names, or
// patterns.
func (l *loader) ends(link *section, key string, names []string) (nodes []string) {
	at := link.get(key)
	for _, name := range l.expand(at, link.name(key), link.str(key)) {
		some, err := topology.Named(name, names)
		if err != nil {
			l.problem(at, "%s: %v", link.name(key), err)
		}
		nodes = append(nodes, some...)
	}
	return nodes
}

// expand writes out the names that a name with ranges stands for.
func (l *loader) expand(at *yaml.Node, key, name string) []string {
	names, err := topology.Expand(name)
	if err != nil {
		l.problem(at, "%s: %v", key, err)
	}
	return names
}

// trace reads the trace section: tables of the simulator, and those that the
// harness derives.
func (l *loader) trace(root *section, t *topology.Topology, flows workload.Generator, classes int) (scenario.Trace, []Derived) {
	s := root.sub("trace")
	trace := scenario.Trace{Tables: map[string]scenario.TableFilter{}}
	var derived []Derived
	for i := 0; i < len(s.node.Content); i += 2 {
		key, value := s.node.Content[i], s.node.Content[i+1]
		if slices.Contains(derivedNames(), key.Value) {
			derived = append(derived, l.derived(l.section(value, key, s.name(key.Value)), key.Value))
			continue
		}
		table := l.catalog.Table(key.Value)
		if table == nil {
			known := slices.Concat(l.catalog.TableNames(), derivedNames())
			l.problem(key, "trace: there is no table %q%s", key.Value, catalog.Hint(key.Value, known))
			continue
		}
		trace.Tables[table.Name] = l.tableFilter(l.section(value, key, s.name(table.Name)), table, t, flows, classes)
	}
	return trace, derived
}

func (l *loader) tableFilter(s *section, table *catalog.Table, t *topology.Topology, flows workload.Generator, classes int) scenario.TableFilter {
	filter := scenario.TableFilter{FromPs: s.time("from", 0)}
	var ok bool
	if filter.ToPs, ok = quantity(s, "to", units.ParseTime); ok && filter.ToPs <= filter.FromPs {
		l.problem(s.get("to"), "%s ends at %s, not after its beginning at %s", s.path, units.FormatTime(filter.ToPs), units.FormatTime(filter.FromPs))
	}
	if table.Sampled {
		s.need("interval", "1us (the table is sampled)")
		if filter.IntervalPs, ok = quantity(s, "interval", units.ParseTime); ok && filter.IntervalPs == 0 {
			l.problem(s.get("interval"), "%s.interval is 0; a sampled table needs an interval such as 1us", s.path)
		}
	} else if n := s.get("interval"); n != nil {
		l.problem(n, "%s has no interval: it records every event; leave the key out", s.path)
	}
	names, nodes := s.texts("ports")
	for i, name := range names {
		refs, err := t.Ports(name)
		if err != nil {
			l.problem(nodes[i], "%s.ports: %v", s.path, err)
		}
		filter.Ports = append(filter.Ports, refs...)
	}
	texts, nodes := s.texts("flows")
	for i, text := range texts {
		if flows == nil {
			break
		}
		if id, err := strconv.ParseUint(text, 10, 32); err == nil {
			filter.Flows = append(filter.Flows, uint32(id))
		} else if id := slices.Index(flows.Names(), text); id >= 0 {
			filter.Flows = append(filter.Flows, uint32(id))
		} else {
			l.problem(nodes[i], "%s.flows: there is no flow %q%s", s.path, text, catalog.Hint(text, flows.Names()))
		}
	}
	class := catalog.Param{Type: catalog.TypeInt, Min: int64(0), Max: int64(classes - 1)}
	texts, nodes = s.texts("classes")
	for i, text := range texts {
		if text == "data" { // that of data packets, where flows say nothing else
			filter.Classes = append(filter.Classes, min(1, classes-1))
			continue
		}
		value, err := class.Parse(text)
		if err != nil {
			l.problem(nodes[i], "%s.classes: %v", s.path, err)
			continue
		}
		filter.Classes = append(filter.Classes, int(value.(int64)))
	}
	s.done()
	return filter
}
