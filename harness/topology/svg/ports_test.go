package svg_test

import (
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/harness/scenario"
	"fabriclab/harness/topology"
	"fabriclab/harness/topology/svg"
)

func drawPorts(t *testing.T, nodes []scenario.Node, links []scenario.Link) (drawn string, ports []string) {
	t.Helper()
	drawn = string(svg.DrawPorts(nodes, links, func(port string) svg.Stroke {
		ports = append(ports, port)
		return svg.Stroke{ID: len(ports) - 1, Colour: fmt.Sprintf("#%06d", len(ports)-1), Title: port + ": busy"}
	}))
	require.NoError(t, xml.Unmarshal([]byte(drawn), new(struct{})))
	return drawn, ports
}

func TestDrawPorts(t *testing.T) {
	c := topology.Cabling{HostRate: 10e9, FabricRate: 40e9, HostDelay: 1e6, FabricDelay: 2e6}
	network, err := topology.LeafSpine{Leaves: 2, Spines: 1, HostsPerLeaf: 1, Parallel: 2, Cabling: c}.Build()
	require.NoError(t, err)
	drawn, ports := drawPorts(t, network.Nodes, network.Links)
	assert.Len(t, ports, 2*len(network.Links))
	assert.Contains(t, ports, "leaf0->spine0#1")
	assert.Equal(t, len(ports), strings.Count(drawn, "<path data-port="))
	assert.Contains(t, drawn, `stroke="#000000" d="M`)
	assert.NotContains(t, drawn, "NaN")

	// The halves of a link begin at its nodes and do not meet.
	starts, ends := map[string]string{}, map[string]string{}
	for _, m := range regexp.MustCompile(`d="M(\S+) (\S+)L(\S+) (\S+)"><title>(\S+): busy<`).FindAllStringSubmatch(strings.ReplaceAll(drawn, "&gt;", ">"), -1) {
		starts[m[5]] = m[1] + " " + m[2]
		ends[m[5]] = m[3] + " " + m[4]
	}
	require.Len(t, starts, len(ports))
	assert.NotEqual(t, ends["leaf0->spine0"], ends["spine0->leaf0"])
	assert.Equal(t, starts["leaf0->host0"], starts["leaf0->spine0"])
	assert.NotEqual(t, starts["leaf0->spine0"], starts["spine0->leaf0"])
	assert.NotEqual(t, starts["leaf0->spine0"], starts["leaf0->spine0#1"], "parallel links lie side by side")

	unknown := svg.DrawPorts(network.Nodes, network.Links, func(string) svg.Stroke { return svg.Stroke{ID: -1, Colour: "#123456", Dashes: "2 3", Title: "<x>"} })
	assert.NotContains(t, string(unknown), "data-port")
	assert.Contains(t, string(unknown), `stroke-dasharray="2 3" stroke="#123456"`)
	assert.Contains(t, string(unknown), "<title>&lt;x&gt;</title>")
}

// A scenario does not say which hosts are extra ones: they stand above the
// switches as in the drawing of the experiment.
func TestDrawPortsOfExtraHosts(t *testing.T) {
	c := topology.Cabling{HostRate: 10e9, FabricRate: 40e9, HostDelay: 1e6, FabricDelay: 2e6, Extra: []topology.ExtraHost{{Name: "allocator", Switches: []string{"spine*"}, Rate: 40e9, Delay: 5e6}}}
	network, err := topology.LeafSpine{Leaves: 2, Spines: 3, HostsPerLeaf: 2, Parallel: 1, Cabling: c}.Build()
	require.NoError(t, err)
	drawn, _ := drawPorts(t, network.Nodes, network.Links)
	assert.Contains(t, drawn, `text-anchor="middle">allocator<`)

	twoLinks := topology.Custom{
		Hosts: []string{"a", "b"}, Switches: []topology.Switch{{Name: "s"}, {Name: "t"}},
		Links: []topology.CustomLink{{A: "a", B: "s", Rate: 1e9}, {A: "a", B: "t", Rate: 1e9}, {A: "b", B: "s", Rate: 1e9}, {A: "b", B: "t", Rate: 1e9}},
	}
	network, err = twoLinks.Build()
	require.NoError(t, err)
	drawn, _ = drawPorts(t, network.Nodes, network.Links)
	assert.NotContains(t, drawn, `text-anchor="middle">b<`, "a host with two links among others is none")
}

// A large network still fits a page.
func TestDrawPortsOfManyHosts(t *testing.T) {
	c := topology.Cabling{HostRate: 10e9, FabricRate: 40e9, HostDelay: 1e6, FabricDelay: 2e6}
	network, err := topology.LeafSpine{Leaves: 8, Spines: 8, HostsPerLeaf: 16, Parallel: 1, Cabling: c}.Build()
	require.NoError(t, err)
	drawn, ports := drawPorts(t, network.Nodes, network.Links)
	if dir := os.Getenv("FABRICLAB_SHOW_PLOTS"); dir != "" {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "ports.svg"), []byte(drawn), 0o644))
	}
	assert.Regexp(t, `<svg [^>]*width="1200"`, drawn)
	assert.NotContains(t, drawn, ">host0<", "their names would lie on each other")
	assert.Contains(t, drawn, ">leaf7<")
	assert.Less(t, len(drawn), 160*len(ports), "bytes of a port")
}
