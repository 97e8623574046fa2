package experiment

import (
	"fmt"

	"fabriclab/base/reader"
	"fabriclab/harness/topology"
	"fabriclab/harness/workload"
)

func init() {
	registerWorkload(Workload{
		Name: "file", Title: "flows from a CSV or Parquet file",
		Keys:    "[experiments.md](experiments.md#workload)",
		Happens: "flows from a CSV or Parquet file",
		read:    (*loader).flowFile,
	})
}

func (l *loader) flowFile(s *reader.Section, t *topology.Topology, rules workload.Rules) workload.Generator {
	return fromFile(l, s, "flows.csv", t, rules, workload.OpenFile)
}

// fromFile reads a workload that is in a file.
func fromFile[G workload.Generator](l *loader, s *reader.Section, example string, t *topology.Topology, rules workload.Rules, open func(string, func(string) (uint32, error), workload.Rules) (G, error)) workload.Generator {
	path, at, ok := s.Required("path", example)
	s.Done()
	if !ok {
		return nil
	}
	path = l.beside(at, path)
	key := fmt.Sprintf("%T %s %p %v", *new(G), path, t, rules)
	if known := l.lists[key]; known != nil {
		return known
	}
	g, err := open(path, t.HostOrNumber, rules)
	if err != nil {
		l.Problem(at, "%s: %v", s.Name("path"), err)
		return nil
	}
	l.lists[key] = g
	return g
}
