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
	ports  [][]port // by node
	byName map[string]uint32
	tor    []uint32   // by host: the switch it hangs on
	uplink []int64    // by node: what its links to switches carry together, failed ones too, bit/s
	dist   [][]uint16 // by switch with hosts (others nil): hops to it, by switch; both counted behind the hosts

	outages []outage // links that fail during the run
	down    []bool   // links that no route takes, by id; nil = none

	mu    sync.Mutex
	paths map[pathKey][][]Hop
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
	switches []Switch
	links    []plannedLink
	failed   []plannedLink
	failures []plannedFailure
	order    []plannedLink // all links as planned
	gone     []bool        // of these, those that have failed from the start
}

// plannedFailure is a failure and its link among all that were planned.
type plannedFailure struct {
	Failure
	index int
}

// Switch is a switch of a custom topology. The tier is its hash salt:
// switches that a path meets at the same level on its way up and down have
// the same one, switches at other levels another.
type Switch struct {
	Name string
	Tier uint32
}

type plannedLink struct {
	a, b        string
	rate, delay int64
	field       string // where it was described, if it was
}

var nodeName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]*$`)

// build makes the network: applies overrides, takes out the failed links,
// numbers the ports and computes the distances.
func (p *plan) build(c Cabling) (*Topology, error) {
	if err := c.apply(p); err != nil {
		return nil, err
	}
	t := &Topology{hosts: len(p.hosts), byName: map[string]uint32{}, paths: map[pathKey][][]Hop{}}
	for _, name := range p.hosts {
		t.Nodes = append(t.Nodes, scenario.Node{Name: name, Kind: scenario.Host})
	}
	for _, s := range p.switches {
		t.Nodes = append(t.Nodes, scenario.Node{Name: s.Name, Kind: scenario.Switch, HashSalt: &s.Tier})
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
	return t, t.fail(p)
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
		if n := len(t.ports[end]); n > 0 && t.isHost(end) {
			return fieldErrorf(l.field, "host %s has a second link; a host has exactly one", t.Nodes[end].Name)
		} else if n > 1<<16-1 {
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

// connect finds each host's switch and all distances, and refuses a network
// in which some hosts cannot reach each other.
func (t *Topology) connect() error {
	t.tor = make([]uint32, t.hosts)
	t.dist = make([][]uint16, len(t.Nodes)-t.hosts)
	for host := range t.tor {
		if len(t.ports[host]) == 0 {
			return fieldErrorf("hosts", "host %s has no link that works; a host has exactly one", t.Nodes[host].Name)
		}
		t.tor[host] = t.ports[host][0].peer
	}
	for host, tor := range t.tor {
		row := &t.dist[int(tor)-t.hosts]
		if *row == nil {
			*row = t.distances(tor)
		}
		if (*row)[int(t.tor[0])-t.hosts] == Unreachable {
			return fieldErrorf("links", "there is no way from host %s to host %s; add a link, or list fewer as failed", t.Nodes[0].Name, t.Nodes[host].Name)
		}
	}
	return nil
}

// distances are the hops from a switch to all switches.
func (t *Topology) distances(from uint32) []uint16 {
	return Hops(len(t.Nodes), []uint32{from}, func(node uint32, visit func(uint32)) {
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

// Attached is the switch that a host hangs on.
func (t *Topology) Attached(host uint32) uint32 { return t.tor[host] }

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

// Host finds a host by name.
func (t *Topology) Host(name string) (uint32, error) {
	id, ok := t.byName[name]
	if !ok {
		return 0, fmt.Errorf("there is no host %q in this topology%s", name, catalog.Hint(name, t.HostNames()))
	}
	if !t.isHost(id) {
		return 0, fmt.Errorf("%q is a switch, not a host%s", name, catalog.Hint(name, t.HostNames()))
	}
	return id, nil
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
// Without an asterisk it is the one port of that name.
func (t *Topology) Ports(pattern string) ([]scenario.PortRef, error) {
	if !strings.Contains(pattern, "*") {
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
			for dst := range t.tor {
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
// host. A switch from which the host cannot be reached has none.
func (t *Topology) nextHops(hops []uint16, node, dst uint32) []uint16 {
	tor := t.tor[dst]
	dist := t.dist[int(tor)-t.hosts]
	here := dist[int(node)-t.hosts]
	for i, p := range t.ports[node] {
		switch {
		case node == tor:
			if p.peer == dst {
				hops = append(hops, uint16(i))
			}
		case !t.isHost(p.peer) && !t.isDown(p.link) && here != Unreachable && dist[int(p.peer)-t.hosts]+1 == here:
			hops = append(hops, uint16(i))
		}
	}
	return hops
}
