package svg_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/harness/topology"
	"fabriclab/harness/topology/svg"
)

func TestDraw(t *testing.T) {
	c := topology.Cabling{HostRate: 10e9, FabricRate: 40e9, HostDelay: 1e6, FabricDelay: 2e6}
	extra := c
	extra.Extra = []topology.ExtraHost{{Name: "allocator", Switches: []string{"spine*"}, Rate: 40e9, Delay: 5e6}}
	custom := topology.Custom{
		Hosts: []string{"a", "b"}, Switches: []topology.Switch{{Name: "s"}, {Name: "t"}},
		Links: []topology.CustomLink{{A: "a", B: "s", Rate: 1e9}, {A: "a", B: "t", Rate: 1e9}, {A: "b", B: "t", Rate: 1e9}, {A: "s", B: "t", Rate: 1e9}},
	}
	tests := map[string]struct {
		build interface {
			Build() (*topology.Topology, error)
		}
		hosts, switches, links int
		want                   []string
	}{
		"fat-tree":   {topology.FatTree{K: 4, Cabling: c}, 16, 20, 48, []string{">pod0-edge0<", ">core3<", ">host15<", "16 links of 10Gbps, 1us", "32 links of 40Gbps, 2us", "host0 - pod0-edge0: 10Gbps, 1us"}},
		"leaf-spine": {topology.LeafSpine{Leaves: 2, Spines: 2, HostsPerLeaf: 4, Parallel: 2, Cabling: c}, 8, 4, 16, []string{">spine1<"}},
		"allocator":  {topology.LeafSpine{Leaves: 2, Spines: 3, HostsPerLeaf: 2, Parallel: 1, Cabling: extra}, 5, 5, 4 + 6 + 3, []string{`text-anchor="middle">allocator<`, "3 links of 40Gbps, 5us", `cx="240.0" cy="`}},
		"two links":  {custom, 2, 2, 4, []string{">a<"}},
		"dumbbell":   {topology.Dumbbell{Switches: 3, Senders: 2, Receivers: 1, Cabling: c}, 3, 3, 5, []string{`text-anchor="end">sender1<`, ">s2<", `text-anchor="start">receiver0<`}},
		"chain":      {topology.Chain{Switches: 3, Hosts: []topology.Attachment{{Host: "a", Switch: "s1"}, {Host: "b", Switch: "s2"}, {Host: "c", Switch: "s3"}, {Host: "d", Switch: "s2"}}, Cabling: c}, 4, 3, 6, []string{`text-anchor="end">a<`, `)">b<`, `text-anchor="start">c<`}},
		"star":       {topology.Star{Hosts: 3, Cabling: c}, 3, 1, 3, []string{">s1<"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			network, err := tt.build.Build()
			require.NoError(t, err)
			drawn := svg.Draw(network, "a <title>")
			if dir := os.Getenv("FABRICLAB_SHOW_PLOTS"); dir != "" {
				require.NoError(t, os.WriteFile(filepath.Join(dir, name+".svg"), drawn, 0o644))
			}
			assert.Equal(t, drawn, svg.Draw(network, "a <title>"), "the same bytes")
			elements := map[string]int{}
			for decoder := xml.NewDecoder(bytes.NewReader(drawn)); ; {
				token, err := decoder.Token()
				if errors.Is(err, io.EOF) {
					break
				}
				require.NoError(t, err)
				if start, ok := token.(xml.StartElement); ok {
					elements[start.Name.Local]++
				}
			}
			kinds := strings.Count(string(drawn), " links of ")
			assert.Equal(t, []int{tt.hosts, tt.switches + 1, tt.links + kinds}, []int{elements["circle"], elements["rect"], elements["line"]})
			for _, want := range append(tt.want, "a &lt;title&gt;") {
				assert.Contains(t, string(drawn), want)
			}
			assert.NotContains(t, string(drawn), "NaN")
			assert.NotContains(t, string(drawn), "%!")
			assert.Contains(t, string(drawn), `x2="44" y2="44" stroke="#0072b2" stroke-width="2"/>`, "the legend")
		})
	}
}
