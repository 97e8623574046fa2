package experiment

import (
	"fabriclab/base/reader"
	"fabriclab/harness/topology"
	"fabriclab/harness/workload"
)

func init() {
	registerWorkload(Workload{
		Name: "permutation", Title: "every host sends to one other, each to another one",
		Keys:    "`sources`, `destinations` (as many), size (unlimited), `start`",
		Happens: "every source sends one flow, each to another destination",
		read:    (*loader).permutation,
	})
}

func (l *loader) permutation(s *reader.Section, t *topology.Topology, rules workload.Rules) workload.Generator {
	before := l.Found
	return l.finish(s, before, &workload.Permutation{
		Sources: l.hosts(s, t, "sources"), Destinations: l.hosts(s, t, "destinations"), Common: l.common(s, rules, true),
	})
}
