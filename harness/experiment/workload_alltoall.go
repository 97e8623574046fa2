package experiment

import (
	"fabriclab/base/reader"
	"fabriclab/harness/topology"
	"fabriclab/harness/workload"
)

func init() {
	registerWorkload(Workload{
		Name: "all-to-all", Title: "every host sends to every other one at the same time",
		Keys:    "who, size (unlimited), `start`",
		Happens: "every source sends a flow to each of its destinations at once",
		read:    (*loader).allToAll,
	})
}

func (l *loader) allToAll(s *reader.Section, t *topology.Topology, rules workload.Rules) workload.Generator {
	before := l.Found
	return l.finish(s, before, &workload.AllToAll{Pattern: l.pattern(s, t), Common: l.common(s, rules, true)})
}
