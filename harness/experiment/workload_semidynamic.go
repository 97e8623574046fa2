package experiment

import (
	"fabriclab/base/reader"
	"fabriclab/harness/topology"
	"fabriclab/harness/workload"
)

func init() {
	registerWorkload(Workload{
		Name: "semi-dynamic", Title: "events start or stop the flows of some of many paths",
		Keys:    "`paths`, `step`, `least`, `most`, `events`, `interval`, who, size (unlimited), `start`",
		Happens: "of `paths` random paths, `least` are busy at the start. Every event starts or stops `step` of them at random, so that between `least` and `most` are busy",
		Help: map[string]string{
			"paths": "how many paths are drawn",
			"step":  "how many flows each event starts or stops",
			"least": "paths that are busy at least, and at the start",
			"most":  "paths that are busy at most",
		},
		read: (*loader).semiDynamic,
	})
}

func (l *loader) semiDynamic(s *reader.Section, t *topology.Topology, rules workload.Rules) workload.Generator {
	before := l.Found
	for _, key := range []string{"paths", "step", "least", "most", "events"} {
		s.Need(key, "100")
	}
	s.Need("interval", "10ms (between two events)")
	return l.finish(s, before, &workload.SemiDynamic{
		Pattern: l.pattern(s, t), Paths: count(s, "paths"), Step: count(s, "step"), Least: count(s, "least"), Most: count(s, "most"),
		Events: count(s, "events"), IntervalPs: s.Time("interval", 0), Common: l.common(s, rules, true),
	})
}
