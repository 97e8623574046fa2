package topology

// Size is how large a network would be, before it is built. Numbers are floats
// because descriptions are not checked yet.
type Size struct{ Hosts, Switches, Links float64 }

// RouteCount is how many routes there are at the beginning of a run, next hops
// of all switches towards all hosts, and the most that a switch has towards one
// host.
func (t *Topology) RouteCount() (total int64, most int) {
	// Hosts with the same distances and as many links have as many next hops.
	type kind struct {
		distances *uint16
		links     int
	}
	hosts := map[kind]int64{}
	first := map[kind]uint32{}
	for host, distances := range t.dist {
		k := kind{&distances[0], len(t.ports[host])}
		if hosts[k] == 0 {
			first[k] = uint32(host)
		}
		hosts[k]++
	}
	var hops []uint16
	for node := t.hosts; node < len(t.Nodes); node++ {
		for k, host := range first {
			hops = t.nextHops(hops[:0], uint32(node), host)
			total += hosts[k] * int64(len(hops))
			most = max(most, len(hops))
		}
	}
	return total, most
}

// MostPorts is the largest number of ports of a node.
func (t *Topology) MostPorts() int {
	most := 0
	for _, ports := range t.ports {
		most = max(most, len(ports))
	}
	return most
}
