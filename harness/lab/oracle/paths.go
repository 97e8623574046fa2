package oracle

import (
	"errors"
	"fmt"

	"fabriclab/analysis/num"
	"fabriclab/harness/experiment"
	"fabriclab/harness/scenario"
	"fabriclab/harness/topology"
)

// paths are the ways of flows through a network whose links have two
// directions each.
type paths struct {
	point     *experiment.Point
	topology  *topology.Topology
	links     []num.Link // 2 id is from a to b, 2 id + 1 from b to a
	changes   []num.Change
	selector  string
	symmetric bool   // of ecmp
	draw      uint64 // ecmp.salt
}

func newPaths(point *experiment.Point) (*paths, error) {
	p := &paths{point: point, topology: point.Topology}
	for _, set := range point.Scenario.Sets {
		if _, own := set.Components["path_selector"]; own {
			return nil, errors.New("some of its nodes have a path selector, or parameters of one, of their own; the oracle needs the same ecmp at all switches")
		}
	}
	for _, l := range p.topology.Links {
		for _, from := range []scenario.PortRef{{Node: l.A, Port: l.APort}, {Node: l.B, Port: l.BPort}} {
			p.links = append(p.links, num.Link{Name: p.topology.PortName(from), CapacityBps: float64(l.RateBps)})
		}
	}
	for _, e := range p.topology.RateEvents {
		for direction := range 2 {
			p.changes = append(p.changes, num.Change{AtPs: e.AtPs, Link: 2*int(e.Link) + direction, CapacityBps: float64(e.RateBps)})
		}
	}
	if selector := point.Scenario.Components["path_selector"].One; selector != nil {
		p.selector = selector.Type
		p.symmetric, _ = selector.Params["symmetric"].(bool)
		salt, _ := selector.Params["salt"].(int64) // a scenario leaves it out where it is 0
		p.draw = uint64(salt)
	}
	return p, nil
}

// subflows is how many a flow of a host has.
func (p *paths) subflows(host uint32) int {
	if t := at(p.point, host, "transport"); t != nil && t.Type == "mptcp" {
		n, _ := t.Params["subflows"].(int64)
		return int(n)
	}
	return 1
}

// check refuses pairs of hosts between which the paths of flows are not known.
func (p *paths) check() error {
	if p.selector == "ecmp" {
		return nil
	}
	for src, dst := range p.topology.Kinds(p.point.Flows.Pairs()) {
		if _, err := p.of(&scenario.Flow{Src: src, Dst: dst}); err != nil {
			return err
		}
	}
	return nil
}

// of are the paths of a flow's sub-flows. With ecmp they are a function of
// hosts, ports and salt, the one that switches compute; sub-flow i of MPTCP has both
// ports i higher (mechanisms/tcp/mptcp.cc). Other selectors choose during
// the run: only where there is no choice does their path follow from the list.
func (p *paths) of(f *scenario.Flow) ([][]int, error) {
	if p.selector != "ecmp" {
		path, only := p.topology.OnlyPath(f.Src, f.Dst)
		if !only {
			return nil, fmt.Errorf("flows from %s to %s have several paths, and %s chooses one by what it meets during the run; the oracle knows the paths of ecmp, which are a function of the flow",
				p.topology.Nodes[f.Src].Name, p.topology.Nodes[f.Dst].Name, p.selector)
		}
		return [][]int{p.egress(path)}, nil
	}
	var all [][]int
	for i := range p.subflows(f.Src) {
		hash := p.topology.FlowHash(f.Src, f.Dst, f.SrcPort+uint16(i), f.DstPort+uint16(i), p.symmetric)
		all = append(all, p.egress(p.topology.Path(f.Src, f.Dst, hash, p.draw)))
	}
	return all, nil
}

// back are the paths of the ACKs of a flow's sub-flows, whose hosts and ports are
// exchanged.
func (p *paths) back(f *scenario.Flow) ([][]int, error) {
	acks := *f
	acks.Src, acks.Dst, acks.SrcPort, acks.DstPort = f.Dst, f.Src, f.DstPort, f.SrcPort
	if p.selector != "ecmp" || p.subflows(f.Src) == p.subflows(f.Dst) {
		return p.of(&acks)
	}
	return nil, fmt.Errorf("flow %d: its hosts have different numbers of sub-flows, so the paths of its ACKs are not known; leave ack_share out", f.ID)
}

// egress are the links behind ports.
func (p *paths) egress(ports []scenario.PortRef) []int {
	var links []int
	for _, port := range ports {
		l := p.topology.Link(port)
		place := 2 * int(l.ID)
		if l.A != port.Node || l.APort != port.Port {
			place++
		}
		links = append(links, place)
	}
	return links
}
