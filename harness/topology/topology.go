// Package topology builds networks (dumbbell, chain, star, leaf-spine,
// fat-tree, custom), their shortest-path routes, and what follows from them
// for a single flow on an empty network: its path, base RTT and ideal flow
// completion time.
//
// Times are in ps, rates in bit/s, sizes in bytes.
//
// Equal-cost next hops are ordered by port number, and ports are numbered so
// that, together with the switches' hash salts, symmetric ECMP holds: a flow
// hash that is the same in both directions leads the data and its ACKs over
// the same links. This needs the same number of choices at both ends, so it
// is lost where failed links leave the two ends of a path with different
// numbers of uplinks.
package topology

import (
	"fmt"
	"iter"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"fabriclab/base/catalog"
	"fabriclab/base/portname"
	"fabriclab/harness/scenario"
)

// Topology is a finished network. It does not change and may be used from
// several goroutines.
type Topology struct {
	Nodes []scenario.Node // hosts first, then switches; the index is the id
	Links []scenario.Link // the index is the id

	hosts  int      // how many of the nodes
	extra  int      // how many of the hosts, the last ones, are extra
	ports  [][]port // by node
	byName map[string]uint32
	uplink []int64    // by node: what its links to switches carry together, failed ones too, bit/s
	dist   [][]uint16 // by host, then by switch: hops to the nearest switch on which the host hangs

	RateEvents []scenario.RateEvent // links that change their rate during the run, by time, then link
	spans      map[uint32]span      // of these links

	outages []outage // links that fail during the run
	moments []moment // when something happens during it
	down    []bool   // links that no route takes, by id; nil = none

	mu     sync.Mutex
	paths  map[pathKey][][]Hop
	bounds map[boundKey]*bound
	views  []*Topology // see everyView
}

// port is one end of a link.
type port struct {
	link, peer uint32
}

// Unreachable is the number of hops to a node to which there is no way.
const Unreachable = ^uint16(0)

// A FieldError says which field of a topology's description is wrong; Field
// is its path in the topology section, such as "hosts.sender1" or "failed.0".
type FieldError struct {
	Field string
	Err   error
}

func (e *FieldError) Error() string { return "topology " + e.Field + ": " + e.Err.Error() }
func (e *FieldError) Unwrap() error { return e.Err }

func fieldErrorf(field, format string, args ...any) error {
	return &FieldError{Field: field, Err: fmt.Errorf(format, args...)}
}

// plan is a network by names, before links are overridden or fail.
type plan struct {
	hosts    []string
	extra    int // how many of the hosts, the last ones, are extra
	switches []Switch
	links    []plannedLink
	failed   []plannedLink
	failures []plannedFailure
	changes  []plannedChange
	order    []plannedLink // all links as planned
	gone     []bool        // of these, those that have failed from the start
}

// plannedFailure is a failure and its link among all that were planned.
type plannedFailure struct {
	Failure
	index int
}

// Switch is a switch and the salt of its hash; nil: see setSalts.
type Switch struct {
	Name string
	Salt *uint32
}

type plannedLink struct {
	a, b        string
	rate, delay int64
	field       string // where it was described, if it was
}

var nodeName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]*$`)

// build makes the network: adds the extra hosts, applies overrides, takes out the failed links,
// numbers the ports and computes the distances.
func (p *plan) build(c Cabling) (*Topology, error) {
	if err := c.hang(p); err != nil {
		return nil, err
	}
	if err := c.apply(p); err != nil {
		return nil, err
	}
	t := &Topology{hosts: len(p.hosts), extra: p.extra, byName: map[string]uint32{}, paths: map[pathKey][][]Hop{}}
	for _, name := range p.hosts {
		t.Nodes = append(t.Nodes, scenario.Node{Name: name, Kind: scenario.Host})
	}
	for _, s := range p.switches {
		t.Nodes = append(t.Nodes, scenario.Node{Name: s.Name, Kind: scenario.Switch})
	}
	for i := range t.Nodes {
		node := &t.Nodes[i]
		node.ID = uint32(i)
		field := "switches"
		if node.Kind == scenario.Host {
			field = "hosts"
		}
		if !nodeName.MatchString(node.Name) {
			return nil, fieldErrorf(field, "%q is no name of a node; use letters, digits, _ . - and begin with a letter", node.Name)
		}
		if _, twice := t.byName[node.Name]; twice {
			return nil, fieldErrorf(field, "the name %q is used twice; every node has a name of its own", node.Name)
		}
		t.byName[node.Name] = node.ID
	}
	t.ports = make([][]port, len(t.Nodes))
	for _, l := range p.links {
		if err := t.addLink(l); err != nil {
			return nil, err
		}
	}
	t.countUplinks(p)
	if err := t.connect(); err != nil {
		return nil, err
	}
	t.setSalts(p.switches)
	if err := t.changeCapacities(p); err != nil {
		return nil, err
	}
	return t, t.fail(p)
}

// linkIDs are the ids of the links in the order of the plan, without those that
// have failed from the start.
func (p *plan) linkIDs() map[int]uint32 {
	ids := map[int]uint32{}
	for i := range p.order {
		if !p.gone[i] {
			ids[i] = uint32(len(ids))
		}
	}
	return ids
}

// countUplinks adds up the rates of the links between switches, those that
// have failed included.
func (t *Topology) countUplinks(p *plan) {
	t.uplink = make([]int64, len(t.Nodes))
	for _, l := range slices.Concat(p.links, p.failed) {
		a, b := t.byName[l.a], t.byName[l.b]
		if !t.isHost(a) && !t.isHost(b) {
			t.uplink[a] += l.rate
			t.uplink[b] += l.rate
		}
	}
}

func (t *Topology) addLink(l plannedLink) error {
	ends := [2]uint32{}
	for i, name := range []string{l.a, l.b} {
		id, ok := t.byName[name]
		if !ok {
			return fieldErrorf(l.field, "there is no node %q%s", name, catalog.Hint(name, t.NodeNames()))
		}
		ends[i] = id
	}
	a, b := ends[0], ends[1]
	if a == b || t.isHost(a) && t.isHost(b) {
		return fieldErrorf(l.field, "a link joins a switch with a host or with another switch, not %s with %s", l.a, l.b)
	}
	if l.rate <= 0 {
		return fieldErrorf(l.field, "the link %s-%s has the rate 0; give it a rate, or list it under failed", l.a, l.b)
	}
	for _, end := range ends {
		if len(t.ports[end]) > 1<<16-1 {
			return fieldErrorf(l.field, "node %s has more than 65536 ports", t.Nodes[end].Name)
		}
	}
	id := uint32(len(t.Links))
	t.Links = append(t.Links, scenario.Link{
		ID: id, A: a, APort: uint16(len(t.ports[a])), B: b, BPort: uint16(len(t.ports[b])), RateBps: l.rate, DelayPs: l.delay,
	})
	t.ports[a] = append(t.ports[a], port{link: id, peer: b})
	t.ports[b] = append(t.ports[b], port{link: id, peer: a})
	return nil
}

// connect finds all distances, and refuses a network in which some hosts
// cannot reach each other.
func (t *Topology) connect() error {
	t.dist = make([][]uint16, t.hosts)
	single := map[uint32][]uint16{} // hosts with one switch share its distances
	var different []int             // hosts of which no two hang on the same one switch
	for host := range t.dist {
		at := t.Attached(uint32(host))
		switch {
		case len(at) == 0:
			return fieldErrorf("hosts", "host %s has no link that works; a host needs one", t.Nodes[host].Name)
		case len(at) == 1 && single[at[0]] != nil:
			t.dist[host] = single[at[0]]
			continue
		}
		t.dist[host] = t.distances(at)
		different = append(different, host)
		if len(at) == 1 {
			single[at[0]] = t.dist[host]
		}
	}
	for _, host := range different {
		for _, pair := range [][2]int{{0, host}, {host, 0}} {
			if why := t.noWay(pair[0], pair[1]); why != "" {
				return fieldErrorf("links", "there is no way from host %s to host %s%s", t.Nodes[pair[0]].Name, t.Nodes[pair[1]].Name, why)
			}
		}
	}
	return nil
}

// noWay says which rule is broken where a host cannot send to another one, ""
// where it can: a host may send over any of its links, and forwards nothing.
func (t *Topology) noWay(from, to int) string {
	var dead uint32
	at := t.Attached(uint32(from))
	cut := 0
	for _, node := range at {
		if t.dist[to][int(node)-t.hosts] == Unreachable {
			dead = node
			cut++
		}
	}
	switch {
	case cut == 0:
		return ""
	case cut < len(at):
		return fmt.Sprintf(" over the link to %s: a host with several links sends over any of them, so each has to lead to all hosts; add a link from %[1]s, or take away that of %s to it", t.Nodes[dead].Name, t.Nodes[from].Name)
	}
	hops := Hops(len(t.Nodes), []uint32{uint32(from)}, func(node uint32, visit func(uint32)) {
		for _, p := range t.ports[node] {
			if !t.isDown(p.link) {
				visit(p.peer)
			}
		}
	})
	if hops[to] != Unreachable {
		return " but through other hosts, which forward nothing; add a link between switches, or list fewer as failed"
	}
	return "; add a link, or list fewer as failed"
}

// distances are the hops from the nearest of some switches to all switches.
func (t *Topology) distances(from []uint32) []uint16 {
	return Hops(len(t.Nodes), from, func(node uint32, visit func(uint32)) {
		for _, p := range t.ports[node] {
			if !t.isHost(p.peer) && !t.isDown(p.link) {
				visit(p.peer)
			}
		}
	})[t.hosts:]
}

// Hops is a breadth-first search: the number of hops to each node from the
// nearest of some, Unreachable where there is no way. neighbours has visit
// called with each neighbour of a node.
func Hops(nodes int, from []uint32, neighbours func(node uint32, visit func(uint32))) []uint16 {
	hops := make([]uint16, nodes)
	for i := range hops {
		hops[i] = Unreachable
	}
	queue := slices.Clone(from)
	for _, node := range queue {
		hops[node] = 0
	}
	for ; len(queue) > 0; queue = queue[1:] {
		next := hops[queue[0]] + 1
		neighbours(queue[0], func(node uint32) {
			if hops[node] == Unreachable {
				hops[node] = next
				queue = append(queue, node)
			}
		})
	}
	return hops
}

// Attached are the switches on which a host hangs.
func (t *Topology) Attached(host uint32) []uint32 {
	var at []uint32
	for _, p := range t.ports[host] {
		if !t.isDown(p.link) && !slices.Contains(at, p.peer) {
			at = append(at, p.peer)
		}
	}
	return at
}

// HostRate is what the links of a host carry together in one direction, in
// bit/s.
func (t *Topology) HostRate(host uint32) int64 {
	var rate int64
	for _, p := range t.ports[host] {
		rate += t.Links[p.link].RateBps
	}
	return rate
}

// UplinkRate is what the links between a switch and other switches carry
// together in one direction, in bit/s, as if none of them had failed.
func (t *Topology) UplinkRate(node uint32) int64 { return t.uplink[node] }

func (t *Topology) isDown(link uint32) bool { return t.down != nil && t.down[link] }

func (t *Topology) isHost(node uint32) bool { return t.Nodes[node].Kind == scenario.Host }

// NodeNames lists all nodes by name, in id order.
func (t *Topology) NodeNames() []string {
	names := make([]string, len(t.Nodes))
	for i, node := range t.Nodes {
		names[i] = node.Name
	}
	return names
}

// HostNames lists the hosts by name, in id order.
func (t *Topology) HostNames() []string { return t.NodeNames()[:t.hosts] }

// UsualHosts are the hosts that "all hosts" of a workload means: all but the
// extra ones.
func (t *Topology) UsualHosts() []uint32 {
	ids := make([]uint32, t.hosts-t.extra)
	for i := range ids {
		ids[i] = uint32(i)
	}
	return ids
}

// Match are the nodes whose names match a pattern, in id order: "host*" are
// all hosts, "host[0-3]" four of them. Without * ? [ it is the one node of
// that name.
func (t *Topology) Match(pattern string) ([]uint32, error) {
	indices, err := matching(pattern, t.NodeNames())
	if err != nil {
		return nil, fmt.Errorf("there is no node %w", err)
	}
	ids := make([]uint32, len(indices))
	for i, index := range indices {
		ids[i] = uint32(index)
	}
	return ids, nil
}

// Named are the names that a pattern stands for, in their order. What is no
// pattern stands for itself.
func Named(pattern string, names []string) ([]string, error) {
	if !isPattern(pattern) {
		return []string{pattern}, nil
	}
	indices, err := matching(pattern, names)
	if err != nil {
		return nil, fmt.Errorf("there is no node %w", err)
	}
	found := make([]string, len(indices))
	for i, index := range indices {
		found[i] = names[index]
	}
	return found, nil
}

// isPattern says whether a name is a pattern; names of nodes and ports have
// none of these characters.
func isPattern(name string) bool { return strings.ContainsAny(name, "*?[") }

// matching are the indices of the names that match a pattern, at least one.
// The error goes behind "there is no switch".
func matching(pattern string, names []string) ([]int, error) {
	var found []int
	for i, name := range names {
		match := name == pattern
		if isPattern(pattern) {
			var err error
			if match, err = path.Match(pattern, name); err != nil {
				return nil, fmt.Errorf("%q: this is not a pattern; write one such as host* or host[0-3]", pattern)
			}
		}
		if match {
			found = append(found, i)
		}
	}
	if found == nil {
		return nil, fmt.Errorf("%q in this topology%s", pattern, catalog.Hint(pattern, names))
	}
	return found, nil
}

// Host finds a host by name.
func (t *Topology) Host(name string) (uint32, error) {
	id, ok := t.byName[name]
	if !ok {
		hint := rangeHint(name)
		if hint == "" {
			hint = catalog.Hint(name, t.HostNames())
		}
		return 0, fmt.Errorf("there is no host %q in this topology%s", name, hint)
	}
	if !t.isHost(id) {
		return 0, fmt.Errorf("%q is a switch, not a host%s", name, catalog.Hint(name, t.HostNames()))
	}
	return id, nil
}

// HostOrNumber finds a host by its name, or by its number among the hosts,
// from 0, where no node has this name.
func (t *Topology) HostOrNumber(name string) (uint32, error) {
	id, err := t.Host(name)
	if err == nil {
		return id, nil
	}
	n, notNumber := strconv.ParseUint(name, 10, 32)
	if _, node := t.byName[name]; node || notNumber != nil {
		return 0, err
	}
	if usual := t.hosts - t.extra; n >= uint64(usual) {
		return 0, fmt.Errorf("there is no host %d; the %d hosts have the numbers 0 to %d", n, usual, usual-1)
	}
	return uint32(n), nil
}

// Port finds a port by name: "s1->s2", or "s1->s2#1" for the second of
// several parallel links.
func (t *Topology) Port(name string) (scenario.PortRef, error) {
	from, to, n, err := portname.Parse(name)
	if err != nil {
		return scenario.PortRef{}, err
	}
	node, ok := t.byName[from]
	if !ok {
		return scenario.PortRef{}, fmt.Errorf("port %q: there is no node %q in this topology%s", name, from, catalog.Hint(from, t.NodeNames()))
	}
	var names []string
	for i, p := range t.ports[node] {
		if t.Nodes[p.peer].Name == to {
			if n == 0 {
				return scenario.PortRef{Node: node, Port: uint16(i)}, nil
			}
			n--
		}
		names = append(names, t.PortName(scenario.PortRef{Node: node, Port: uint16(i)}))
	}
	return scenario.PortRef{}, fmt.Errorf("there is no port %q in this topology%s", name, catalog.Hint(name, names))
}

// Ports are the ports whose names match the pattern, in the order of their
// nodes: "spine*->leaf*" are all downlinks, those of parallel links included.
// Without * ? [ it is the one port of that name.
func (t *Topology) Ports(pattern string) ([]scenario.PortRef, error) {
	if !isPattern(pattern) {
		ref, err := t.Port(pattern)
		return []scenario.PortRef{ref}, err
	}
	var found []scenario.PortRef
	for node, ports := range t.ports {
		for i := range ports {
			ref := scenario.PortRef{Node: uint32(node), Port: uint16(i)}
			if match, err := path.Match(pattern, t.PortName(ref)); err != nil {
				return nil, fmt.Errorf("%q is not a pattern of ports; write one such as spine*->leaf*", pattern)
			} else if match {
				found = append(found, ref)
			}
		}
	}
	if found == nil {
		return nil, fmt.Errorf("no port of this topology matches %q; write a pattern such as spine*->leaf*", pattern)
	}
	return found, nil
}

// PortName is the name under which Port finds a port.
func (t *Topology) PortName(ref scenario.PortRef) string {
	ports := t.ports[ref.Node]
	peer := ports[ref.Port].peer
	n := 0
	for _, p := range ports[:ref.Port] {
		if p.peer == peer {
			n++
		}
	}
	return portname.Of(t.Nodes[ref.Node].Name, t.Nodes[peer].Name, n)
}

// Routes yields every switch's equal-cost next hops towards every host, in
// the order of routes.bin.
func (t *Topology) Routes() iter.Seq[scenario.Route] {
	return func(yield func(scenario.Route) bool) {
		var hops []uint16
		for node := t.hosts; node < len(t.Nodes); node++ {
			for dst := range t.dist {
				hops = t.nextHops(hops[:0], uint32(node), uint32(dst))
				for order, p := range hops {
					if !yield(scenario.Route{Node: uint32(node), Dst: uint32(dst), Port: p, Order: uint16(order)}) {
						return
					}
				}
			}
		}
	}
}

// nextHops appends the ports of a switch that lie on a shortest path to a
// host, or all ports of a host that sends there. A switch from which the host
// cannot be reached has none.
func (t *Topology) nextHops(hops []uint16, node, dst uint32) []uint16 {
	var here uint16
	if !t.isHost(node) {
		here = t.dist[dst][int(node)-t.hosts]
	}
	for i, p := range t.ports[node] {
		takes := false
		switch {
		case t.isDown(p.link):
		case t.isHost(node):
			takes = true
		case here == 0:
			takes = p.peer == dst
		case here != Unreachable && !t.isHost(p.peer):
			takes = t.dist[dst][int(p.peer)-t.hosts]+1 == here
		}
		if takes {
			hops = append(hops, uint16(i))
		}
	}
	return hops
}
