package experiment

import (
	"context"
	"fmt"
	"math"
	"time"

	"go.yaml.in/yaml/v3"

	"fabriclab/base/reader"
	"fabriclab/harness/scenario"
	"fabriclab/harness/topology"
	"fabriclab/harness/workload"
)

// Limits bound what an experiment may come to. They catch what was mistyped and
// would take hours or all memory only to be checked; the key limits raises them.
type Limits struct{ Points, Runs, Links, Routes, Flows int64 }

var defaultLimits = Limits{Points: 10_000, Runs: 1_000_000, Links: 500_000, Routes: 200_000_000, Flows: 20_000_000}

// mostListed is how many flows may be listed, count counted: they are held in
// memory by name.
const mostListed = 2_000_000

// limits reads the section.
func (l *loader) readLimits(root *reader.Section) {
	s := root.Sub("limits")
	for _, of := range []struct {
		key   string
		limit *int64
	}{
		{"points", &l.limits.Points}, {"runs", &l.limits.Runs}, {"links", &l.limits.Links},
		{"routes", &l.limits.Routes}, {"flows", &l.limits.Flows},
	} {
		*of.limit = s.Integer(of.key, *of.limit, 1, math.MaxUint32)
	}
	s.Done()
}

// above reports what is more than its limit and says whether it is.
func (l *loader) above(at *yaml.Node, value float64, limit int64, what, key, why string) bool {
	if value <= float64(limit) {
		return false
	}
	l.Problem(at, "%s %s%s, more than %d; make it smaller, or raise limits.%s", why, about(value), what, limit, key)
	return true
}

// about writes a number of things: whole, or where it is very large by its
// power of ten.
func about(value float64) string {
	if value < 1e15 {
		return fmt.Sprintf("%.0f ", value)
	}
	return fmt.Sprintf("%.1e ", value)
}

// product combines what there is with the values of another axis.
func (l *loader) product(left, right []combination, axis *yaml.Node) []combination {
	n := float64(len(left)) * float64(len(right))
	if l.above(axis, n, l.limits.Points, "points", "points", fmt.Sprintf("with the %d values of matrix.%s there are", len(right), axis.Value)) {
		return left[:min(1, len(left))] // enough to find what else is wrong
	}
	return product(left, right)
}

// fits says whether a network is within the limits, before it is built.
func (l *loader) fits(s *reader.Section, p topology.Plan) bool {
	size := p.Size()
	routes := size.Hosts * size.Switches // one at least of each switch to each host
	return l.fitsLinks(s.Node, size.Links) &&
		!l.above(s.Node, routes, l.limits.Routes, "routes or more", "routes", "topology: there would be")
}

func (l *loader) fitsLinks(at *yaml.Node, links float64) bool {
	return !l.above(at, links, l.limits.Links, "links", "links", "topology: there would be")
}

// fitsBuilt says whether what has been built is within the limits, and is what
// the engines can hold.
func (l *loader) fitsBuilt(s *reader.Section, t *topology.Topology, tables int) bool {
	routes, hops := t.RouteCount()
	switch ports := t.MostPorts(); {
	case hops > scenario.MaxNextHops:
		l.Problem(s.Node, "topology: a switch has %d equal-cost next hops towards a host; the engines hold %d", hops, scenario.MaxNextHops)
	case ports > scenario.MaxPorts:
		l.Problem(s.Node, "topology: a node has %d ports; the engines hold %d", ports, scenario.MaxPorts)
	case len(t.Nodes) > scenario.MaxNodes:
		l.Problem(s.Node, "topology: there are %d nodes; the engines hold %d", len(t.Nodes), scenario.MaxNodes)
	default:
		return !l.above(s.Node, float64(routes)*float64(tables), l.limits.Routes, "routes", "routes", "topology: there are")
	}
	return false
}

// bounded gives a workload its bounds, nil if it is beyond them.
func (l *loader) bounded(s *reader.Section, g workload.Generator) workload.Generator {
	if g == nil || l.above(s.Node, math.Round(workload.Expected(g)), l.limits.Flows, "flows", "flows", s.Path+": there would be about") {
		return nil
	}
	return workload.Bounded(l.watch.ctx, g, l.limits.Flows, func(flows int64) {
		l.watch.say("%s: %d flows so far", l.name, flows)
	})
}

// watch ends what takes long when it is asked to, and says now and then how
// far it is.
type watch struct {
	ctx  context.Context
	tell func(string)
	last time.Time
}

func newWatch(opt Options) *watch {
	w := &watch{ctx: opt.Context, tell: opt.Tell, last: time.Now()}
	if w.ctx == nil {
		w.ctx = context.Background()
	}
	return w
}

// tellEvery is the time between two messages; tests shorten it.
var tellEvery = 3 * time.Second

func (w *watch) say(format string, args ...any) {
	if now := time.Now(); w.tell != nil && now.Sub(w.last) >= tellEvery {
		w.last = now
		w.tell(fmt.Sprintf(format, args...))
	}
}

// CheckRuns refuses more runs than the limit.
func (e *Experiment) CheckRuns() error {
	if runs := int64(e.Runs()); runs > e.Limits.Runs {
		return fmt.Errorf("%s: %d points and %d seeds make %d runs, more than %d; take fewer seeds, or raise limits.runs", e.File, len(e.Points), len(e.Seeds), runs, e.Limits.Runs)
	}
	return nil
}
