package experiment

import (
	"cmp"
	"errors"
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
	b := topology.Read(s, l.fitsLinks)
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

// trace reads the trace section: tables of the simulator, and those that the
// harness derives.
func (l *loader) trace(root *reader.Section, t *topology.Topology, flows workload.Generator, rules workload.Rules) (scenario.Trace, []OracleTable) {
	s := root.Sub("trace")
	trace := scenario.Trace{Tables: map[string]scenario.TableFilter{}}
	var derived []OracleTable
	for i := 0; i < len(s.Node.Content); i += 2 {
		key, value := s.Node.Content[i], s.Node.Content[i+1]
		l.saysNothing(s.Node, key.Value, s.Name(key.Value), "write {} for the whole table, or leave the key out")
		if slices.Contains(derivedNames(), key.Value) {
			derived = append(derived, l.oracleTable(l.Section(value, key, s.Name(key.Value)), key.Value))
			continue
		}
		table := l.catalog.Table(key.Value)
		if table == nil {
			known := slices.Concat(l.catalog.TableNames(), derivedNames())
			l.Problem(key, "trace: there is no table %q%s", key.Value, catalog.Hint(key.Value, known))
			continue
		}
		trace.Tables[table.Name] = l.tableFilter(l.Section(value, key, s.Name(table.Name)), table, t, flows, rules)
	}
	return trace, derived
}

func (l *loader) tableFilter(s *reader.Section, table *catalog.Table, t *topology.Topology, flows workload.Generator, rules workload.Rules) scenario.TableFilter {
	filter := scenario.TableFilter{}
	keys := table.Filters()
	var ok bool
	has := func(key string) bool {
		if slices.Contains(keys, key) {
			return true
		}
		if _, n := reader.Child(s.Node, key); n != nil {
			s.Knows(key)
			l.Problem(n, "%s: the table %s has no such filter; it has %s; take the key out", s.Name(key), table.Name, cmp.Or(strings.Join(keys, ", "), "none"))
		}
		return false
	}
	texts := func(key string) ([]string, []*yaml.Node) {
		if !has(key) {
			return nil, nil
		}
		return s.Texts(key)
	}
	if has("from") {
		filter.FromPs = s.Time("from", 0)
		if rules.StopPs > 0 && filter.FromPs >= rules.StopPs {
			l.Problem(s.Get("from"), "%s begins at %s, but the run stops at %s; let it begin before that, or let the run go on", s.Path, units.FormatTime(filter.FromPs), units.FormatTime(rules.StopPs))
		}
	}
	if has("to") {
		if filter.ToPs, ok = reader.Quantity(s, "to", units.ParseTime); ok && filter.ToPs <= filter.FromPs {
			l.Problem(s.Get("to"), "%s ends at %s, not after its beginning at %s", s.Path, units.FormatTime(filter.ToPs), units.FormatTime(filter.FromPs))
		}
	}
	if table.Sampled {
		s.Need("interval", "1us (the table is sampled)")
		if filter.IntervalPs, ok = reader.Quantity(s, "interval", units.ParseTime); ok && filter.IntervalPs == 0 {
			l.Problem(s.Get("interval"), "%s.interval is 0; a sampled table needs an interval such as 1us", s.Path)
		}
	} else if _, n := reader.Child(s.Node, "interval"); n != nil {
		s.Knows("interval")
		l.Problem(n, "%s has no interval: it records every event; leave the key out", s.Path)
	}
	names, nodes := texts("ports")
	for i, name := range names {
		refs, err := t.Ports(name)
		if err != nil {
			l.Problem(nodes[i], "%s.ports: %v", s.Path, err)
		}
		filter.Ports = append(filter.Ports, refs...)
	}
	names, nodes = texts("flows")
	for i, text := range names {
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
	class := catalog.Param{Type: catalog.TypeInt, Min: int64(0), Max: int64(rules.Classes - 1)}
	names, nodes = texts("classes")
	for i, text := range names {
		if text == "data" {
			filter.Classes = append(filter.Classes, l.dataClasses(nodes[i], t, flows)...)
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

// dataClasses are the classes of a workload's flows.
func (l *loader) dataClasses(at *yaml.Node, t *topology.Topology, flows workload.Generator) []int {
	if flows == nil {
		return nil
	}
	kinds, err := workload.Kinds(flows, make([]int, len(t.HostNames())))
	if err != nil {
		l.Problem(at, "workload: %v", err)
	}
	return workload.Classes(kinds)
}
