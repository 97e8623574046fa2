package experiment

import (
	"path/filepath"

	"fabriclab/base/reader"
	"fabriclab/harness/topology"
	"fabriclab/harness/workload"
)

func init() {
	registerWorkload(Workload{
		Name: "file", Title: "flows from a CSV or Parquet file",
		read: (*loader).flowFile,
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
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(l.file), path)
	}
	g, err := open(path, t.HostOrNumber, rules)
	if err != nil {
		l.Problem(at, "%s: %v", s.Name("path"), err)
		return nil
	}
	return g
}
