package experiment

import (
	"slices"
	"strings"

	"fabriclab/base/reader"
	"fabriclab/harness/topology"
	"fabriclab/harness/workload"
)

func init() {
	registerWorkload(Workload{
		Name: "collective", Title: "all-reduce and other collective operations among ranks",
		Keys:    "`operation`, `size`, and more",
		Happens: "all-reduce and other collective operations: [below](#collectives)",
		Help: map[string]string{
			"operation":      "what the ranks do: all-reduce, reduce-scatter, all-gather, all-to-all, moe (dispatch, compute, combine), or pipeline",
			"algorithm":      "of an all-reduce: ring or tree; default ring",
			"hosts":          "hosts of the ranks, in their order; default all but extra hosts",
			"ranks_per_host": "ranks of each host, which send each other what takes no time; default 1",
			"placement":      "listed: ranks are on the hosts in their order; random: the hosts are shuffled by the seed",
			"chunks":         "parts of a channel's data that go one behind the other; of a pipeline, microbatches; default 1",
			"channels":       "parts of the data that go side by side, each between two ranks with ports of its own; default 1",
			"gap":            "between two iterations: from the time a rank has got all until it begins again; default 0",
			"compute":        "moe: time of the experts between dispatch and combine; pipeline: time of a stage for each microbatch; default 0",
			"iterations":     "how often the operation is done; default 1",
			"persistent":     "messages of a channel between two ranks share a connection, or with go_back_n a queue pair, that stays open; default false: each has its own",
		},
		read: (*loader).collective,
	})
}

// collective reads a collective operation among ranks.
func (l *loader) collective(s *reader.Section, t *topology.Topology, rules workload.Rules) workload.Generator {
	before := l.Found
	s.Need("operation", "all-reduce")
	s.Need("size", "64MB (of each rank)")
	size, _ := reader.Quantity(s, "size", positiveBytes)
	c := &workload.Collective{
		Operation: s.Choice("operation", workload.Operations...), Size: uint64(size),
		Hosts: l.hosts(s, t, "hosts"), PerHost: count(s, "ranks_per_host"), Random: s.Choice("placement", "listed", "random") == "random",
		Chunks: count(s, "chunks"), Channels: count(s, "channels"), Iterations: count(s, "iterations"),
		GapPs: s.Time("gap", 0), StartPs: s.Time("start", 0), Persistent: s.Boolean("persistent", false),
		Flow: flowTemplate(s, rules), Rules: rules,
	}
	l.needs(s, "gap", "iterations", "iterations: 10")
	only := func(key string, operations ...string) bool {
		n := s.Get(key)
		if n == nil || slices.Contains(operations, c.Operation) {
			return true
		}
		l.Problem(n, "%s: %s has none; it is for %s", s.Name(key), c.Operation, strings.Join(operations, " and "))
		return false
	}
	if algorithm := s.Choice("algorithm", "ring", "tree"); only("algorithm", "all-reduce") {
		c.Algorithm = algorithm
	}
	if compute := s.Time("compute", 0); only("compute", "moe", "pipeline") {
		c.ComputePs = compute
	}
	return l.finish(s, before, c)
}
