package topology

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"

	"fabriclab/base/catalog"
	"fabriclab/base/reader"
	"fabriclab/base/units"
	"fabriclab/harness/scenario"
)

// A Plan is a network that is described, and not built yet.
type Plan interface {
	Size() Size
	Build() (*Topology, error)
}

// A Kind is a type of topology: what it is, what its own keys mean, and how they
// are read. Each file registers its own.
type Kind struct {
	Name, Title string
	// Keys and Nodes are the docs' words on its keys and the names of its nodes.
	Keys, Nodes string
	Help        map[string]string
	Read        func(*reading) Plan
}

var kinds = map[string]Kind{}

func register(k Kind) { kinds[k.Name] = k }

// Kinds are the types of topologies, by name.
func Kinds() []Kind {
	var all []Kind
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		all = append(all, kinds[name])
	}
	return all
}

// reading is a topology section that is being read.
type reading struct {
	*reader.Section
	fits func(at *yaml.Node, links float64) bool
}

// Read reads a topology section, nil if its type is not known. fits says whether
// so many links are allowed, and reports it if they are not.
func Read(s *reader.Section, fits func(at *yaml.Node, links float64) bool) Plan {
	name, at, ok := s.Required("type", "dumbbell")
	if !ok {
		s.IgnoreRest() // which keys there are depends on the type
		return nil
	}
	kind, known := kinds[name]
	if !known {
		s.F.Problem(at, "topology.type: there is no topology %q%s", name, catalog.Hint(name, slices.Sorted(maps.Keys(kinds))))
		s.IgnoreRest()
		return nil
	}
	return kind.Read(&reading{s, fits})
}

// number is a number of things that has to be there.
func (s *reading) number(key string) int {
	if !s.Need(key, "2") {
		return 0
	}
	return s.optional(key, 0)
}

// optional is a number of things that may be missing.
func (s *reading) optional(key string, def int64) int {
	return int(s.Integer(key, def, 1, math.MaxInt32))
}

// cabling reads the links' rates and delays: rate and delay hold for all
// links, host_… and fabric_… for those at hosts and between switches.
func (s *reading) cabling() Cabling {
	c := s.linkChanges()
	rate, _ := reader.Quantity(s.Section, "rate", linkRate)
	c.HostRate = reader.OrDefault(s.Section, "host_rate", rate, linkRate)
	c.FabricRate = reader.OrDefault(s.Section, "fabric_rate", rate, linkRate)
	if s.Get("host_rate") == nil || s.Get("fabric_rate") == nil {
		s.Need("rate", "100Gbps (or both host_rate and fabric_rate)")
	}
	delay := reader.OrDefault(s.Section, "delay", 0, linkDelay)
	c.HostDelay = reader.OrDefault(s.Section, "host_delay", delay, linkDelay)
	c.FabricDelay = reader.OrDefault(s.Section, "fabric_delay", delay, linkDelay)
	if s.Get("host_delay") == nil || s.Get("fabric_delay") == nil {
		s.Need("delay", "1.5us (or both host_delay and fabric_delay)")
	}
	c.Extra = s.extraHosts("host_", c.HostRate, c.HostDelay)
	return c
}

// extraHosts reads the hosts beside those of the topology's type. Their links
// are as those of the other hosts where nothing else is said.
func (s *reading) extraHosts(prefix string, rate, delay int64) []ExtraHost {
	var extra []ExtraHost
	for i, n := range s.Items("extra_hosts") {
		x := s.F.Section(n, n, s.Name("extra_hosts."+strconv.Itoa(i)))
		x.Need("name", "allocator")
		x.Need("switches", `"spine*"`)
		if s.Get("rate") == nil && s.Get(prefix+"rate") == nil {
			x.Need("rate", "40Gbps (or a rate for all links of the topology)")
		}
		if s.Get("delay") == nil && s.Get(prefix+"delay") == nil {
			x.Need("delay", "2us (or a delay for all links of the topology)")
		}
		host := ExtraHost{
			Name: x.Str("name"), Rate: reader.OrDefault(x, "rate", rate, linkRate), Delay: x.Time("delay", delay),
		}
		for i, at := range x.OneOrMore("switches", reader.KindTextOrTexts) {
			if text, ok := s.F.Scalar(at, x.Name("switches."+strconv.Itoa(i))); ok {
				host.Switches = append(host.Switches, text)
			}
		}
		x.Done()
		extra = append(extra, host)
	}
	return extra
}

// linkRate reads a link's rate, which is above 0.
func linkRate(text string) (int64, error) {
	value, err := units.ParseRate(text)
	switch {
	case err == nil && value == 0:
		err = fmt.Errorf("%q is no rate for a link; write a rate above 0, or list the link under failed", text)
	case err == nil && value > scenario.MaxRateBps:
		err = fmt.Errorf("%q is too large for a link; the engines hold %s", text, units.FormatRate(scenario.MaxRateBps))
	}
	return value, err
}

// linkDelay reads a link's delay.
func linkDelay(text string) (int64, error) {
	value, err := units.ParseTime(text)
	if err == nil && value > scenario.MaxDelayPs {
		err = fmt.Errorf("%q is too long for a link; it is at most %s", text, units.FormatTime(scenario.MaxDelayPs))
	}
	return value, err
}

// linkChanges reads overrides, failed links, and what fails or changes during
// the run.
func (s *reading) linkChanges() Cabling {
	var c Cabling
	for i, n := range s.Items("overrides") {
		o := s.F.Section(n, n, s.Name("overrides."+strconv.Itoa(i)))
		o.Need("link", `"s1->s2"`)
		override := Override{Link: o.Str("link")}
		if rate, ok := reader.Quantity(o, "rate", linkRate); ok {
			override.Rate = &rate
		}
		if delay, ok := reader.Quantity(o, "delay", linkDelay); ok {
			override.Delay = &delay
		}
		o.Done()
		c.Overrides = append(c.Overrides, override)
	}
	c.Failed, _ = s.Texts("failed")
	for i, n := range s.Items("failures") {
		c.Failures = append(c.Failures, readFailure(s.F.Section(n, n, s.Name("failures."+strconv.Itoa(i)))))
	}
	for i, n := range s.Items("capacity_changes") {
		c.CapacityChanges = append(c.CapacityChanges, readCapacityChange(s.F.Section(n, n, s.Name("capacity_changes."+strconv.Itoa(i)))))
	}
	return c
}

// failure reads a link or a host that fails during the run.
func readFailure(s *reader.Section) Failure {
	s.Need("at", "5ms")
	f := Failure{
		Link: s.Str("link"), Host: s.Str("host"),
		AtPs: s.Time("at", 0), UntilPs: s.Time("until", -1), DetectPs: s.Time("detect", 0),
	}
	switch link, host, detect := s.Get("link"), s.Get("host"), s.Get("detect"); {
	case link == nil && host == nil:
		s.Missing("link", `"spine1->leaf1" (or host: host0)`)
	case link != nil && host != nil:
		s.F.Problem(host, "%s and %s exclude each other: a host that dies takes its links with it; keep one", s.Name("link"), s.Name("host"))
	case host != nil && detect != nil:
		s.F.Problem(detect, "%s is for links: no route leads through a host, so none follows its death; take it out", s.Name("detect"))
	}
	s.Done()
	return f
}

// capacityChange reads a link that has another rate from a time on.
func readCapacityChange(s *reader.Section) CapacityChange {
	s.Need("link", `"s1->s2"`)
	s.Need("at", "5ms")
	s.Need("rate", "40Gbps")
	rate, _ := reader.Quantity(s, "rate", linkRate)
	c := CapacityChange{Link: s.Str("link"), AtPs: s.Time("at", 0), RateBps: rate}
	s.Done()
	return c
}
