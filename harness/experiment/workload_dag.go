package experiment

import (
	"fabriclab/base/reader"
	"fabriclab/harness/topology"
	"fabriclab/harness/workload"
)

func init() {
	registerWorkload(Workload{
		Name: "dag", Title: "messages that wait for each other, from a CSV or Parquet file",
		Keys:    "`path`",
		Happens: "messages that wait for each other: [below](#messages-that-wait-for-each-other)",
		read:    (*loader).dag,
	})
}

// dag reads messages that wait for each other.
func (l *loader) dag(s *reader.Section, t *topology.Topology, rules workload.Rules) workload.Generator {
	return fromFile(l, s, "messages.csv", t, rules, workload.OpenDAG)
}
