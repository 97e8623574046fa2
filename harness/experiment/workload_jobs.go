package experiment

import (
	"slices"

	"fabriclab/base/reader"
	"fabriclab/harness/topology"
	"fabriclab/harness/workload"
)

func init() {
	registerWorkload(Workload{
		Name: "jobs", Title: "writers whose blocks are copied from host to host, as in HDFS",
		Keys:    "a size (of a block), `writers` (all sources), `blocks` (1), `copies` (3), `interval` (0), `start` (0), `sources`, `destinations` or `groups`",
		Happens: "the write job of a replicated file system: [below](#write-jobs)",
		Help: map[string]string{
			"writers": "how many of the sources write; default all",
			"blocks":  "blocks that each writer writes; default 1",
			"copies":  "copies of each block, the one at its writer included; default 3",
		},
		read: (*loader).jobs,
	})
}

func (l *loader) jobs(s *reader.Section, t *topology.Topology, rules workload.Rules) workload.Generator {
	before := l.Found
	g := &workload.Jobs{
		Blocks: count(s, "blocks"), Copies: int(s.Integer("copies", 3, 2, 1<<16)),
		IntervalPs: s.Time("interval", 0), Common: l.common(s, rules, false), Connections: connections(s),
	}
	l.needs(s, "interval", "blocks", "blocks: 10")
	if s.Asks("groups", reader.Shape{Kind: reader.KindTextLists}); s.Get("groups") != nil {
		g.Racks = l.groups(s, t)
		g.Hosts = slices.Concat(g.Racks...)
		g.Sources = g.Hosts
	} else {
		g.Hosts = l.hosts(s, t, "destinations")
	}
	if s.Get("sources") != nil || g.Racks == nil {
		g.Sources = l.hosts(s, t, "sources")
	}
	g.Writers = int(s.Integer("writers", int64(len(g.Sources)), 1, 1<<24))
	if g.Racks != nil {
		if n := s.Get("destinations"); n != nil {
			l.Problem(n, "%s and %s exclude each other: with groups, copies are kept by the hosts of the groups", s.Name("destinations"), s.Name("groups"))
		}
		for _, src := range g.Sources {
			if !slices.Contains(g.Hosts, src) {
				l.Problem(s.Get("sources"), "%s: host %s is in no group; name only hosts of %s", s.Name("sources"), t.Nodes[src].Name, s.Name("groups"))
			}
		}
	}
	return l.finish(s, before, g)
}
