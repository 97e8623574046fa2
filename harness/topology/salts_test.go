package topology

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/harness/scenario"
)

// tree is a fat-tree with k = 4, written out; with a host each for its edge switches.
func tree(salts func(tier int) *uint32) Custom {
	var c Custom
	add := func(tier, n int, name string) {
		for i := range n {
			c.Switches = append(c.Switches, Switch{fmt.Sprintf("%s%d", name, i), salts(tier)})
		}
	}
	link := func(a, b string, i, j int) {
		c.Links = append(c.Links, CustomLink{fmt.Sprintf("%s%d", a, i), fmt.Sprintf("%s%d", b, j), 100e9, us})
	}
	add(0, 8, "e")
	add(1, 8, "a")
	add(2, 4, "c")
	for i := range 8 {
		c.Hosts = append(c.Hosts, fmt.Sprintf("h%d", i))
		link("h", "e", i, i)
		link("e", "a", i, i/2*2)
		link("e", "a", i, i/2*2+1)
		link("a", "c", i, i%2*2)
		link("a", "c", i, i%2*2+1)
	}
	return c
}

// mesh has every switch joined with its neighbours in a square, and a host each.
func mesh(side int, salt *uint32) Custom {
	var c Custom
	for i := range side * side {
		host, here := fmt.Sprintf("h%d", i), fmt.Sprintf("s%d", i)
		c.Hosts = append(c.Hosts, host)
		c.Switches = append(c.Switches, Switch{here, salt})
		c.Links = append(c.Links, CustomLink{host, here, 100e9, us})
		if i%side > 0 {
			c.Links = append(c.Links, CustomLink{fmt.Sprintf("s%d", i-1), here, 100e9, us})
		}
		if i >= side {
			c.Links = append(c.Links, CustomLink{fmt.Sprintf("s%d", i-side), here, 100e9, us})
		}
	}
	return c
}

// parallel is a leaf-spine with two links between each pair; bySpine lists them spine by spine.
func parallel(bySpine bool) Custom {
	c := Custom{Hosts: []string{"h0", "h1"}, Links: []CustomLink{{"h0", "l0", 100e9, us}, {"h1", "l1", 100e9, us}}}
	for _, name := range []string{"l0", "l1", "s0", "s1"} {
		c.Switches = append(c.Switches, Switch{Name: name})
	}
	add := func(leaf, spine int) {
		c.Links = append(c.Links, CustomLink{fmt.Sprintf("l%d", leaf), fmt.Sprintf("s%d", spine), 100e9, us})
	}
	for first := range 2 {
		for second := range 2 {
			for leaf := range 2 {
				spine := second
				if bySpine {
					spine = first
				}
				add(leaf, spine)
			}
		}
	}
	return c
}

// taken are the ports that 400 flows between each pair of hosts take.
func taken(topo *Topology) map[string]bool {
	taken := map[string]bool{}
	for src := range topo.HostNames() {
		for dst := range topo.HostNames() {
			for port := range uint16(400) {
				if src != dst {
					hash := topo.FlowHash(uint32(src), uint32(dst), port, 1, true)
					for _, ref := range topo.Path(uint32(src), uint32(dst), hash, 0) {
						taken[topo.PortName(ref)] = true
					}
				}
			}
		}
	}
	return taken
}

func same(int) *uint32     { return new(uint32) }
func untold(int) *uint32   { return nil }
func byTier(n int) *uint32 { tier := uint32(n); return &tier }

// TestNeverUsed: what is said to be never used is what flows do not use, and
// without salts that are told, there is none.
func TestNeverUsed(t *testing.T) {
	zero := uint32(0)
	for name, c := range map[string]struct {
		b     builder
		never int
	}{
		"tree, untold":             {tree(untold), 0},
		"tree, by tier":            {tree(byTier), 0},
		"tree, all the same":       {tree(same), 16}, // half of the core's links, both ways
		"mesh, untold":             {mesh(4, nil), 0},
		"mesh, all the same":       {mesh(4, &zero), 0}, // though a pair takes few of its paths,
		"parallel links, by spine": {parallel(true), 0},
		"parallel links, by pair":  {parallel(false), 0},
		"leaf-spine":               {LeafSpine{Leaves: 3, Spines: 2, HostsPerLeaf: 2, Parallel: 3, Cabling: cabling()}, 0},
		"fat-tree":                 {FatTree{K: 4, Cabling: cabling()}, 0},
		"two NICs at each of two hosts": {Custom{Hosts: []string{"a", "b"}, Switches: []Switch{{"s", &zero}, {"t", &zero}}, Links: []CustomLink{
			{"a", "s", 1e9, 0}, {"a", "s", 1e9, 0}, {"b", "t", 1e9, 0}, {"b", "t", 1e9, 0}, {"s", "t", 1e9, 0}, {"s", "t", 1e9, 0},
		}}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			topo := build(t, c.b)
			var never []string
			for _, ref := range topo.NeverUsed() {
				never = append(never, topo.PortName(ref))
			}
			assert.Len(t, never, c.never)
			used := taken(topo)
			var idle []string // on shortest paths, but not used
			var onPaths int
			for src := range topo.HostNames() {
				for node := range topo.Nodes {
					if topo.isHost(uint32(node)) {
						continue
					}
					for _, p := range topo.nextHops(nil, uint32(node), uint32(src)) {
						ref := topo.PortName(scenario.PortRef{Node: uint32(node), Port: p})
						onPaths++
						if !used[ref] && !slices.Contains(idle, ref) {
							idle = append(idle, ref)
						}
					}
				}
			}
			require.Positive(t, onPaths)
			assert.ElementsMatch(t, never, idle)
		})
	}
}

// A tree without salts that are told has those of its levels, so that symmetric
// ECMP holds; a network that is no tree has one for each switch, by name.
func TestUntoldSalts(t *testing.T) {
	salts := func(topo *Topology) (list []uint32) {
		for _, node := range topo.Nodes[topo.hosts:] {
			list = append(list, *node.HashSalt)
		}
		return list
	}
	assert.Equal(t, salts(build(t, tree(byTier))), salts(build(t, tree(untold))))
	list := salts(build(t, mesh(3, nil)))
	slices.Sort(list)
	assert.Len(t, slices.Compact(list), 9)
	told := mesh(3, nil)
	told.Switches[4].Salt = new(uint32)
	assert.Zero(t, salts(build(t, told))[4])
	reversed := mesh(3, nil)
	slices.Reverse(reversed.Switches)
	a, b := build(t, mesh(3, nil)), build(t, reversed)
	for i := range 9 {
		assert.Equal(t, a.Nodes[9+i].HashSalt, b.Nodes[17-i].HashSalt, "by name, not by number")
	}
}

// From corner to corner of a square of 16 switches there are 20 shortest paths.
func TestUntoldSaltsUseAllPaths(t *testing.T) {
	topo, paths := build(t, mesh(4, nil)), map[string]bool{}
	for port := range uint16(1000) {
		paths[fmt.Sprint(topo.Path(0, 15, topo.FlowHash(0, 15, port, 1, true), 0))] = true
	}
	assert.Len(t, paths, 20)
}

// Paths do not depend on which other hosts there are.
func TestIdleHostLeavesPaths(t *testing.T) {
	with := tree(untold)
	with.Hosts = append([]string{"idle"}, with.Hosts...)
	with.Links = append(with.Links, CustomLink{"idle", "e3", 1e9, 0})
	a, b := build(t, tree(untold)), build(t, with)
	for src := range uint32(8) {
		for dst := range uint32(8) {
			for port := range uint16(5) {
				if src == dst {
					continue
				}
				there := a.Path(src, dst, a.FlowHash(src, dst, port, 1, true), 0)
				again := b.Path(src+1, dst+1, b.FlowHash(src+1, dst+1, port, 1, true), 0)
				require.Equal(t, portNames(a, there), portNames(b, again))
			}
		}
	}
}
