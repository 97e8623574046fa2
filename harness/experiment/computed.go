package experiment

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"fabriclab/base/reader"
	"fabriclab/harness/computed"
	"fabriclab/harness/scenario"
)

// ComputedEngine is the engine of points that are computed, not simulated.
const ComputedEngine = "computed"

// Computed says whether the experiment's points are computed; they then have a
// Model and nothing that is simulated.
func (e *Experiment) Computed() bool { return len(e.Points) > 0 && e.Points[0].Model != nil }

// computedKeys are the sections of computed experiments.
func computedKeys() []string {
	var keys []string
	for _, k := range computed.Kinds() {
		keys = append(keys, k.Key)
	}
	return keys
}

// computedKind is the kind of a point that is computed, nil for a simulation.
func computedKind(s *reader.Section) *computed.Kind {
	for _, k := range computed.Kinds() {
		if s.Get(k.Key) != nil {
			return &k
		}
	}
	return nil
}

// computedPoint reads a point that is computed.
func (l *loader) computedPoint(s *reader.Section, c combination, kind *computed.Kind) *Point {
	before := l.Found
	takes := []string{kind.Key}
	if kind.Network {
		takes = append(takes, "topology", "workload", "run")
	}
	for _, key := range pointKeys(l.catalog) {
		if n := s.Get(key); n != nil && !slices.Contains(takes, key) {
			l.Problem(n, "%s is about a simulation, and %s is computed; take one of the two out", key, kind.Key)
		}
	}
	point := &Point{Labels: c.labels, Alone: kind.Alone, Writes: kind.Tables}
	var network *computed.Network
	if kind.Network {
		r := l.run(s)
		r.rules.Classes = 1
		if point.Topology = l.topology(s); point.Topology != nil {
			point.Flows, point.rules = l.workload(s, point.Topology, r.rules), r.rules
		}
		if point.Topology == nil || point.Flows == nil {
			return nil
		}
		network = &computed.Network{Topology: point.Topology, Flows: point.Flows, Rules: point.rules}
	}
	point.Model = l.model(s.Sub(kind.Key), kind, network)
	if l.Found > before {
		return nil
	}
	point.hash = sync.OnceValues(func() (hashes, error) {
		h, err := l.modelHash(point, kind)
		return hashes{h, h}, err
	})
	return point
}

func (l *loader) model(s *reader.Section, kind *computed.Kind, network *computed.Network) computed.Model {
	m := kind.Read(computedSection{s}, network)
	s.Done()
	return m
}

// modelHash covers all that the point's tables depend on but the seed.
func (l *loader) modelHash(p *Point, kind *computed.Kind) (string, error) {
	text, err := json.Marshal(p.Model)
	if err != nil {
		return "", fmt.Errorf("%s: %w", l.name, err)
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "fabriclab-%s 1\n%s", kind.Key, text)
	if kind.Network {
		flows, err := scenario.FlowsDigest(p.Flows.Flows(0))
		if err != nil {
			return "", fmt.Errorf("%s: flow list: %w", l.name, err)
		}
		network, err := json.Marshal(struct {
			Nodes, Links any
			StopPs       int64
		}{p.Topology.Nodes, p.Topology.Links, p.rules.StopPs})
		if err != nil {
			return "", fmt.Errorf("%s: %w", l.name, err)
		}
		fmt.Fprintf(sum, "\n%s\n%x", network, flows)
	}
	return hex.EncodeToString(sum.Sum(nil)[:8]), nil
}

// computedSection is what a kind reads its section with.
type computedSection struct{ s *reader.Section }

var _ computed.Section = computedSection{}

// Need implements computed.Section, as do the others.
func (c computedSection) Need(key, example string) { c.s.Need(key, example) }

// Integer is a whole number.
func (c computedSection) Integer(key string, def, least, most int64) int64 {
	return c.s.Integer(key, def, least, most)
}

// Share is a number from 0 to 1.
func (c computedSection) Share(key string, def float64) float64 {
	x := c.s.Float(key, def)
	if x > 1 {
		c.Problem(key, "%s: %g is above 1; it is a share, from 0 to 1", c.s.Name(key), x)
	}
	return x
}

// Number is a number from 0 on.
func (c computedSection) Number(key string, def float64) float64 { return c.s.Float(key, def) }

// Time is a time in picoseconds.
func (c computedSection) Time(key string, def int64) int64 { return c.s.Time(key, def) }

// Choice is one of some words.
func (c computedSection) Choice(key string, words ...string) string { return c.s.Choice(key, words...) }

// Problem reports what is wrong.
func (c computedSection) Problem(key, format string, args ...any) {
	at := c.s.Node
	if key != "" {
		if n := c.s.Get(key); n != nil {
			at = n
		}
	} else {
		format = c.s.Path + ": " + format
	}
	c.s.F.Problem(at, format, args...)
}
