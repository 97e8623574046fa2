package experiment

import (
	"fabriclab/base/reader"
	"fabriclab/harness/topology"
	"fabriclab/harness/workload"
)

func init() {
	registerWorkload(Workload{
		Name: "permutation", Title: "every host sends to one other, each to another one",
		read: (*loader).permutation,
	})
}

func (l *loader) permutation(s *reader.Section, t *topology.Topology, rules workload.Rules) workload.Generator {
	before := l.Found
	return l.finish(s, before, &workload.Permutation{
		Sources: l.hosts(s, t, "sources"), Destinations: l.hosts(s, t, "destinations"), Common: l.common(s, rules, true),
	})
}
