package experiment

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"fabriclab/harness/scenario"
	"fabriclab/harness/topology"
)

// neverUsed warns of links on shortest paths that no flow can take, as switches
// on its way have the same hash salt.
func (l *loader) neverUsed(at *yaml.Node, components scenario.Components, t *topology.Topology) {
	selector := components["path_selector"].One
	hashes := selector == nil || slices.Contains([]string{"ecmp", "iofd"}, selector.Type)
	if !hashes || l.hashed[t] {
		return
	}
	l.hashed[t] = true
	ports := t.NeverUsed()
	if len(ports) == 0 {
		return
	}
	var names []string
	const most = 6
	for _, p := range ports[:min(len(ports), most)] {
		names = append(names, t.PortName(p))
	}
	if len(ports) > most {
		names = append(names, fmt.Sprintf("and %d more", len(ports)-most))
	}
	l.warn(fmt.Sprintf("%s: topology: hash polarisation: %d links on shortest paths never carry a packet: %s; "+
		"switches that a flow meets one behind the other have the same tier, so they make the same choice; "+
		"leave tier out, or give the levels of the network different tiers",
		l.Sources[at].Position(), len(ports), strings.Join(names, ", ")))
}
