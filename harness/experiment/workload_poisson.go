package experiment

import (
	"slices"

	"fabriclab/base/reader"
	"fabriclab/harness/topology"
	"fabriclab/harness/workload"
)

func init() {
	registerWorkload(Workload{
		Name: "poisson", Title: "flows arrive at random with a load and a table of sizes",
		Keys:    "`load`, sizes, who; `from` (0), `to` (end of the run)",
		Happens: "Poisson arrivals at every source, each to a random destination. `load` is the share of the source's link rate that payload takes. With `load_of: uplinks` it is a share of the links between the source's switch and other switches (failed ones included), divided evenly among its sources. Rates are those at the start of the run",
		read:    (*loader).poisson,
	})
}

func (l *loader) poisson(s *reader.Section, t *topology.Topology, rules workload.Rules) workload.Generator {
	before := l.Found
	p := &workload.Poisson{
		Pattern: l.pattern(s, t), Sizes: l.sizes(s, false), Rules: rules, Flow: flowTemplate(s, rules),
		HostName: func(host uint32) string { return t.Nodes[host].Name },
		FromPs:   s.Time("from", 0), ToPs: s.Time("to", rules.StopPs), Connections: connections(s),
	}
	s.Need("load", "0.5")
	var sources, destinations []uint32
	if p.Pattern != nil {
		sources, destinations = slices.Collect(p.Sources()), slices.Collect(p.Destinations())
	}
	c := l.load(s, t, sources, destinations, p.ClosedLoop)
	p.Load, p.Capacity, p.Links = c.load, c.capacity, c.links
	return l.finish(s, before, p)
}
