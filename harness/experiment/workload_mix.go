package experiment

import (
	"strconv"

	"fabriclab/base/reader"
	"fabriclab/harness/topology"
	"fabriclab/harness/workload"
)

func init() {
	registerWorkload(Workload{
		Name: "mix", Title: "several workloads side by side",
		Keys:    "`parts`, a list of workloads",
		Happens: "all of them at once: [below](#several-workloads-at-once)",
		Help: map[string]string{
			"parts": "workloads that go on side by side, lists of flows first",
		},
		read: (*loader).mix,
	})
}

// mix reads several workloads that go on side by side.
func (l *loader) mix(s *reader.Section, t *topology.Topology, rules workload.Rules) workload.Generator {
	before := l.Found
	s.Asks("parts", reader.Shape{Kind: reader.KindRefs, Ref: "workload"})
	s.Need("parts", "[{type: poisson, sizes: enterprise, load: 0.5}, {type: jobs, size: 64MB}]")
	var parts []workload.Generator
	for i, n := range s.Items("parts") {
		if l.Interviewed() {
			break // they are workloads again
		}
		part := l.Section(n, n, s.Name("parts."+strconv.Itoa(i)))
		if g := l.workloadOf(part, t, rules); g != nil {
			parts = append(parts, g)
		}
	}
	return l.finish(s, before, workload.NewMix(parts))
}
