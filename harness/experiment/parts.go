package experiment

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"

	"fabriclab/base/catalog"
	"fabriclab/base/reader"
	"fabriclab/base/units"
	"fabriclab/harness/scenario"
	"fabriclab/harness/topology"
	"fabriclab/harness/workload"
)

var topologyTypes = []string{"dumbbell", "chain", "star", "leaf-spine", "fat-tree", "custom"}

// topology reads the topology section and builds the network, nil if there is
// something wrong. Points with the same section share the network.
func (l *loader) topology(root *reader.Section) *topology.Topology {
	s := root.Sub("topology")
	if len(s.Node.Content) == 0 {
		root.Missing("topology", "{type: star, hosts: 2, rate: 100Gbps, delay: 1us}")
		return nil
	}
	key, err := yaml.Marshal(s.Node)
	if err != nil {
		l.Problem(s.Node, "topology: %v", err)
		return nil
	}
	if t, built := l.topologies[string(key)]; built {
		return t
	}
	l.topologies[string(key)] = nil
	before := l.Found
	b := l.topologyType(s)
	s.Done()
	if b == nil || l.Found > before || !l.fits(s, b) {
		return nil
	}
	t, err := b.Build()
	var field *topology.FieldError
	switch {
	case errors.As(err, &field):
		l.Problem(reader.Nearest(s.Node, field.Field), "%v", err)
		return nil
	case err != nil:
		l.Problem(s.Node, "topology: %v", err)
		return nil
	}
	if !l.fitsBuilt(s, t, 1+len(t.Changes())) {
		return nil
	}
	l.topologies[string(key)] = t
	return t
}

func (l *loader) topologyType(s *reader.Section) interface {
	Build() (*topology.Topology, error)
} {
	kind, at, ok := s.Required("type", "dumbbell")
	if !ok {
		s.IgnoreRest() // which keys there are depends on the type
		return nil
	}
	number := func(key string) int {
		if !s.Need(key, "2") {
			return 0
		}
		return int(s.Integer(key, 0, 1, math.MaxInt32))
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
			Parallel: int(s.Integer("parallel_links", 1, 1, math.MaxInt32)), Cabling: c,
		}
	case "fat-tree":
		return topology.FatTree{
			K: number("k"), Pods: int(s.Integer("pods", 0, 1, math.MaxInt32)),
			HostsPerEdge: int(s.Integer("hosts_per_edge", 0, 1, math.MaxInt32)), Cabling: c,
		}
	}
	l.Problem(at, "topology.type: there is no topology %q%s", kind, catalog.Hint(kind, topologyTypes))
	s.IgnoreRest()
	return nil
}

// cabling reads the links' rates and delays: rate and delay hold for all
// links, host_… and fabric_… for those at hosts and between switches.
func (l *loader) cabling(s *reader.Section) topology.Cabling {
	c := l.linkChanges(s)
	rate, _ := reader.Quantity(s, "rate", linkRate)
	c.HostRate = reader.OrDefault(s, "host_rate", rate, linkRate)
	c.FabricRate = reader.OrDefault(s, "fabric_rate", rate, linkRate)
	if s.Get("host_rate") == nil || s.Get("fabric_rate") == nil {
		s.Need("rate", "100Gbps (or both host_rate and fabric_rate)")
	}
	delay := reader.OrDefault(s, "delay", 0, linkDelay)
	c.HostDelay = reader.OrDefault(s, "host_delay", delay, linkDelay)
	c.FabricDelay = reader.OrDefault(s, "fabric_delay", delay, linkDelay)
	if s.Get("host_delay") == nil || s.Get("fabric_delay") == nil {
		s.Need("delay", "1.5us (or both host_delay and fabric_delay)")
	}
	c.Extra = l.extraHosts(s, "host_", c.HostRate, c.HostDelay)
	return c
}

// extraHosts reads the hosts beside those of the topology's type. Their links
// are as those of the other hosts where nothing else is said.
func (l *loader) extraHosts(s *reader.Section, prefix string, rate, delay int64) []topology.ExtraHost {
	var extra []topology.ExtraHost
	for i, n := range s.Items("extra_hosts") {
		x := l.Section(n, n, s.Name("extra_hosts."+strconv.Itoa(i)))
		x.Need("name", "allocator")
		x.Need("switches", `"spine*"`)
		if s.Get("rate") == nil && s.Get(prefix+"rate") == nil {
			x.Need("rate", "40Gbps (or a rate for all links of the topology)")
		}
		if s.Get("delay") == nil && s.Get(prefix+"delay") == nil {
			x.Need("delay", "2us (or a delay for all links of the topology)")
		}
		host := topology.ExtraHost{
			Name: x.Str("name"), Rate: reader.OrDefault(x, "rate", rate, linkRate), Delay: x.Time("delay", delay),
		}
		for i, at := range x.OneOrMore("switches", reader.KindTextOrTexts) {
			if text, ok := l.Scalar(at, x.Name("switches."+strconv.Itoa(i))); ok {
				host.Switches = append(host.Switches, text)
			}
		}
		x.Done()
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
func (l *loader) linkChanges(s *reader.Section) topology.Cabling {
	var c topology.Cabling
	for i, n := range s.Items("overrides") {
		o := l.Section(n, n, s.Name("overrides."+strconv.Itoa(i)))
		o.Need("link", `"s1->s2"`)
		override := topology.Override{Link: o.Str("link")}
		if rate, ok := reader.Quantity(o, "rate", linkRate); ok {
			override.Rate = &rate
		}
		if delay, ok := reader.Quantity(o, "delay", linkDelay); ok {
			override.Delay = &delay
		}
		o.Done()
		c.Overrides = append(c.Overrides, override)
	}
	c.Failed, _ = s.Texts("failed")
	for i, n := range s.Items("failures") {
		c.Failures = append(c.Failures, l.failure(l.Section(n, n, s.Name("failures."+strconv.Itoa(i)))))
	}
	for i, n := range s.Items("capacity_changes") {
		c.CapacityChanges = append(c.CapacityChanges, l.capacityChange(l.Section(n, n, s.Name("capacity_changes."+strconv.Itoa(i)))))
	}
	return c
}

// failure reads a link or a host that fails during the run.
func (l *loader) failure(s *reader.Section) topology.Failure {
	s.Need("at", "5ms")
	f := topology.Failure{
		Link: s.Str("link"), Host: s.Str("host"),
		AtPs: s.Time("at", 0), UntilPs: s.Time("until", -1), DetectPs: s.Time("detect", 0),
	}
	switch link, host, detect := s.Get("link"), s.Get("host"), s.Get("detect"); {
	case link == nil && host == nil:
		s.Missing("link", `"spine1->leaf1" (or host: host0)`)
	case link != nil && host != nil:
		l.Problem(host, "%s and %s exclude each other: a host that dies takes its links with it; keep one", s.Name("link"), s.Name("host"))
	case host != nil && detect != nil:
		l.Problem(detect, "%s is for links: no route leads through a host, so none follows its death; take it out", s.Name("detect"))
	}
	s.Done()
	return f
}

// capacityChange reads a link that has another rate from a time on.
func (l *loader) capacityChange(s *reader.Section) topology.CapacityChange {
	s.Need("link", `"s1->s2"`)
	s.Need("at", "5ms")
	s.Need("rate", "40Gbps")
	rate, _ := reader.Quantity(s, "rate", linkRate)
	c := topology.CapacityChange{Link: s.Str("link"), AtPs: s.Time("at", 0), RateBps: rate}
	s.Done()
	return c
}

// attachments reads a chain's hosts: name -> switch.
func (l *loader) attachments(s *reader.Section) []topology.Attachment {
	s.Asks("hosts", reader.Shape{Kind: reader.KindTextMap})
	hosts := s.Sub("hosts")
	if len(hosts.Node.Content) == 0 {
		s.Missing("hosts", "{sender0: s1, receiver0: s3}")
	}
	var attachments []topology.Attachment
	for i := 0; i < len(hosts.Node.Content); i += 2 {
		host := hosts.Node.Content[i].Value
		if at, ok := l.Scalar(hosts.Node.Content[i+1], hosts.Name(host)); ok {
			attachments = append(attachments, topology.Attachment{Host: host, Switch: at})
		}
	}
	return attachments
}

func (l *loader) customTopology(s *reader.Section) topology.Custom {
	c := topology.Custom{Cabling: l.linkChanges(s)}
	for i, n := range s.OneOrMore("hosts", reader.KindTextOrTexts) {
		name := s.Name("hosts." + strconv.Itoa(i))
		if text, ok := l.Scalar(n, name); ok {
			c.Hosts = append(c.Hosts, l.expand(n, name, text)...)
		}
	}
	for i, n := range s.OneOrMore("switches", reader.KindTextsOrMappings) {
		name := s.Name("switches." + strconv.Itoa(i))
		if n.Kind != yaml.MappingNode {
			if text, ok := l.Scalar(n, name); ok {
				for _, one := range l.expand(n, name, text) {
					c.Switches = append(c.Switches, topology.Switch{Name: one})
				}
			}
			continue
		}
		sw := l.Section(n, n, name)
		var salt *uint32
		if told := uint32(sw.Integer("tier", 0, 0, math.MaxUint32)); sw.Get("tier") != nil {
			salt = &told
		}
		for _, one := range l.expand(sw.Get("name"), sw.Name("name"), sw.Str("name")) {
			c.Switches = append(c.Switches, topology.Switch{Name: one, Salt: salt})
		}
		sw.Done()
	}
	rate, _ := reader.Quantity(s, "rate", linkRate)
	delay := reader.OrDefault(s, "delay", 0, linkDelay)
	c.Extra = l.extraHosts(s, "", rate, delay)
	names := slices.Clone(c.Hosts)
	for _, sw := range c.Switches {
		names = append(names, sw.Name)
	}
	for item, n := range s.Items("links") {
		link := l.Section(n, n, s.Name("links."+strconv.Itoa(item)))
		link.Need("a", "host0")
		link.Need("b", "s1")
		if s.Get("rate") == nil {
			link.Need("rate", "100Gbps (or a rate for all links of the topology)")
		}
		if s.Get("delay") == nil {
			link.Need("delay", "1.5us (or a delay for all links of the topology)")
		}
		as, bs := l.ends(link, "a", names), l.ends(link, "b", names)
		one := topology.CustomLink{Rate: reader.OrDefault(link, "rate", rate, linkRate), Delay: reader.OrDefault(link, "delay", delay, linkDelay)}
		pairs := link.Choice("join", topology.Joins...) == "pairs"
		link.Done()
		if !pairs && l.above(n, float64(len(c.Links))+float64(len(as))*float64(len(bs)), l.limits.Links, "links", "links", "topology: there would be") {
			return c
		}
		joined, err := topology.Join(as, bs, pairs)
		if err != nil {
			l.Problem(link.Get("join"), "%s: %v", link.Name("join"), err)
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
func (l *loader) ends(link *reader.Section, key string, names []string) (nodes []string) {
	at := link.Get(key)
	for _, name := range l.expand(at, link.Name(key), link.Str(key)) {
		some, err := topology.Named(name, names)
		if err != nil {
			l.Problem(at, "%s: %v", link.Name(key), err)
		}
		nodes = append(nodes, some...)
	}
	return nodes
}

// expand writes out the names that a name with ranges stands for.
func (l *loader) expand(at *yaml.Node, key, name string) []string {
	names, err := topology.Expand(name)
	if err != nil {
		l.Problem(at, "%s: %v", key, err)
	}
	return names
}

// trace reads the trace section: tables of the simulator, and those that the
// harness derives.
func (l *loader) trace(root *reader.Section, t *topology.Topology, flows workload.Generator, classes int) (scenario.Trace, []Derived) {
	s := root.Sub("trace")
	trace := scenario.Trace{Tables: map[string]scenario.TableFilter{}}
	var derived []Derived
	for i := 0; i < len(s.Node.Content); i += 2 {
		key, value := s.Node.Content[i], s.Node.Content[i+1]
		if slices.Contains(derivedNames(), key.Value) {
			derived = append(derived, l.derived(l.Section(value, key, s.Name(key.Value)), key.Value))
			continue
		}
		table := l.catalog.Table(key.Value)
		if table == nil {
			known := slices.Concat(l.catalog.TableNames(), derivedNames())
			l.Problem(key, "trace: there is no table %q%s", key.Value, catalog.Hint(key.Value, known))
			continue
		}
		trace.Tables[table.Name] = l.tableFilter(l.Section(value, key, s.Name(table.Name)), table, t, flows, classes)
	}
	return trace, derived
}

func (l *loader) tableFilter(s *reader.Section, table *catalog.Table, t *topology.Topology, flows workload.Generator, classes int) scenario.TableFilter {
	filter := scenario.TableFilter{FromPs: s.Time("from", 0)}
	var ok bool
	if filter.ToPs, ok = reader.Quantity(s, "to", units.ParseTime); ok && filter.ToPs <= filter.FromPs {
		l.Problem(s.Get("to"), "%s ends at %s, not after its beginning at %s", s.Path, units.FormatTime(filter.ToPs), units.FormatTime(filter.FromPs))
	}
	if table.Sampled {
		s.Need("interval", "1us (the table is sampled)")
		if filter.IntervalPs, ok = reader.Quantity(s, "interval", units.ParseTime); ok && filter.IntervalPs == 0 {
			l.Problem(s.Get("interval"), "%s.interval is 0; a sampled table needs an interval such as 1us", s.Path)
		}
	} else if n := s.Get("interval"); n != nil {
		l.Problem(n, "%s has no interval: it records every event; leave the key out", s.Path)
	}
	names, nodes := s.Texts("ports")
	for i, name := range names {
		refs, err := t.Ports(name)
		if err != nil {
			l.Problem(nodes[i], "%s.ports: %v", s.Path, err)
		}
		filter.Ports = append(filter.Ports, refs...)
	}
	texts, nodes := s.Texts("flows")
	for i, text := range texts {
		if flows == nil {
			break
		}
		if id, err := strconv.ParseUint(text, 10, 32); err == nil {
			filter.Flows = append(filter.Flows, uint32(id))
		} else if id := slices.Index(flows.Names(), text); id >= 0 {
			filter.Flows = append(filter.Flows, uint32(id))
		} else {
			l.Problem(nodes[i], "%s.flows: there is no flow %q%s", s.Path, text, catalog.Hint(text, flows.Names()))
		}
	}
	class := catalog.Param{Type: catalog.TypeInt, Min: int64(0), Max: int64(classes - 1)}
	texts, nodes = s.Texts("classes")
	for i, text := range texts {
		if text == "data" { // that of data packets, where flows say nothing else
			filter.Classes = append(filter.Classes, min(1, classes-1))
			continue
		}
		value, err := class.Parse(text)
		if err != nil {
			l.Problem(nodes[i], "%s.classes: %v", s.Path, err)
			continue
		}
		filter.Classes = append(filter.Classes, int(value.(int64)))
	}
	s.Done()
	return filter
}
