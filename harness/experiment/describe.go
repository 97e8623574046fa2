package experiment

import (
	"go.yaml.in/yaml/v3"

	"fabriclab/base/catalog"
	"fabriclab/base/reader"
	"fabriclab/harness/computed"
	"fabriclab/harness/topology"
	"fabriclab/harness/workload"
)

// What an experiment may look like is written down once, in the functions that
// read and check it. The schema asks them: they are called with empty sections,
// and what they ask a section for is recorded (docs/how-to/editors.md).

// Description is what validation asks of the parts of an experiment that are
// not components.
type Description struct {
	Topologies map[string]reader.Keys // by type
	Workloads  map[string]reader.Keys // by type
	Run        reader.Keys
	Computed   map[string]reader.Keys // by key
	Oracle     reader.Keys            // what a table that the harness computes is of
	Tables     map[string]reader.Keys // the filter of a table, by its name
	// Head are the keys that belong to the whole experiment, Point those of a
	// point, which a scale and the matrix may change, Range those of a range
	// of values on an axis.
	Head, Point, Range []string
	// Preset are the keys of a preset beside the slots and params.
	Preset []string
}

// Describe asks validation what it reads.
func Describe(c *catalog.Catalog) Description {
	d := Description{
		Topologies: map[string]reader.Keys{}, Workloads: map[string]reader.Keys{}, Computed: map[string]reader.Keys{}, Tables: map[string]reader.Keys{},
		Head: headKeys, Point: pointKeys(c), Range: rangeKeys, Preset: presetHead,
	}
	network, err := topology.Star{Hosts: 2, Cabling: topology.Cabling{HostRate: 1e9, FabricRate: 1e9}}.Build()
	if err != nil {
		panic(err) // two hosts at a switch are a network
	}
	for _, kind := range topology.Kinds() {
		d.Topologies[kind.Name] = interview(c, "topology", kind.Name, func(_ *loader, s *reader.Section) {
			topology.Read(s, func(*yaml.Node, float64) bool { return true })
		})
	}
	for kind, known := range workloadTypes {
		d.Workloads[kind] = interview(c, "workload", kind, func(l *loader, s *reader.Section) {
			s.Required("type", "list")
			known.read(l, s, network, workload.Rules{Classes: 2, StopPs: 1, ToPs: 1})
		})
	}
	d.Run = interview(c, "run", "", func(l *loader, s *reader.Section) {
		root := &reader.Section{F: l.Forest, Node: l.Mapping(s.Node)}
		root.Node.Content = append(root.Node.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: "run"}, s.Node)
		l.run(root)
	})
	for _, kind := range computed.Kinds() {
		d.Computed[kind.Key] = interview(c, kind.Key, "", func(l *loader, s *reader.Section) { l.model(s, &kind, &computed.Network{Topology: network}) })
	}
	for _, t := range c.Tables {
		d.Tables[t.Name] = interview(c, "trace", "", func(l *loader, s *reader.Section) { l.tableFilter(s, &t, network, nil, workload.Rules{Classes: 2}) })
	}
	d.Oracle = interview(c, "trace", "", func(l *loader, s *reader.Section) { l.oracleTable(s, "") })
	return d
}

// interview asks what is read of a section, of a kind if it has kinds.
func interview(c *catalog.Catalog, path, kind string, read func(*loader, *reader.Section)) reader.Keys {
	fixed := map[string]string{}
	if kind != "" {
		fixed["type"] = kind
	}
	return reader.Interview(path, fixed, func(f *reader.Forest, s *reader.Section) {
		read(&loader{
			Forest: f, catalog: c, presets: map[[2]string]*preset{},
			topologies: map[string]*topology.Topology{}, used: map[string]bool{},
		}, s)
	})
}
