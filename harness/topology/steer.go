package topology

import "fmt"

// turn is a choice of ECMP on a path.
type turn struct {
	salt  uint64
	right []bool // by next hop: whether it leads on
}

// turns are the choices on a path that consists of these switches.
func (t *Topology) turns(dst uint32, switches []uint32) []turn {
	var all []turn
	for i, node := range switches[:len(switches)-1] {
		hops := t.nextHops(nil, node, dst)
		if len(hops) == 1 {
			continue
		}
		at := turn{salt: uint64(*t.Nodes[node].HashSalt)}
		for _, p := range hops {
			at.right = append(at.right, t.ports[node][p].peer == switches[i+1])
		}
		all = append(all, at)
	}
	return all
}

// mostPorts is how many pairs of ports are tried.
const mostPorts = 1 << 26

// PortsAlong finds a source and a destination port with which ecmp, not
// symmetric, leads data along the switches of one path and its ACKs along those
// of another one. Taken are ports that other flows between the two hosts have.
func (t *Topology) PortsAlong(src, dst uint32, there, back []uint32, taken map[[2]uint16]bool) (ports [2]uint16, err error) {
	way, home := t.turns(dst, there), t.turns(src, back)
	follows := func(turns []turn, hash uint64) bool {
		for i := range turns {
			if !turns[i].right[Choose(hash, turns[i].salt, len(turns[i].right))] {
				return false
			}
		}
		return true
	}
	const first, sources = 10000, 50000
	from, to := t.endpoint(src, 0), t.endpoint(dst, 0)
	for try := range mostPorts {
		ports = [2]uint16{uint16(first + try%sources), uint16(4791 + try/sources)}
		a, b := from|uint64(ports[0]), to|uint64(ports[1])
		if follows(way, pairHash(a, b)) && follows(home, pairHash(b, a)) && !taken[ports] {
			return ports, nil
		}
	}
	return ports, fmt.Errorf("no ports lead from %s to %s by the path of HPCC's simulator", t.Nodes[src].Name, t.Nodes[dst].Name)
}
