package experiment

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	// poisson is drawn over all hosts but extra ones.
	poisson = "workload: {type: poisson, size: 10KB, load: 0.2}\npreset: none\nrun: {measure: 100us, drain: 1ms}\n"
	fromCSV = "topology: {type: star, hosts: 4, rate: 100Gbps, delay: 1us}\npreset: none\nrun: {stop: 1ms}\n"
	pod     = "topology: {type: leaf-spine, leaves: 2, spines: 2, hosts_per_leaf: 2, rate: 10Gbps, delay: 1us}\n"
)

// tricky are experiments with points that a cache may take for one another, each
// with the axis whose values these are.
var tricky = map[string]struct {
	axis  string
	files map[string]string
}{
	"presets of the same relative path": {"which", map[string]string{
		"exp.yaml":         "include: shared/net.yaml\n" + strings.Replace(base, "preset: hpcc", "", 1) + "matrix: {which: {inc: {}, own: {preset: ./mine.yaml}}}\n",
		"shared/net.yaml":  "preset: ./mine.yaml\n",
		"shared/mine.yaml": "preset: mine\nextends: hpcc\nparams: {hpcc: {eta: 0.77}}\n",
		"mine.yaml":        "preset: mine\nextends: hpcc\nparams: {hpcc: {eta: 0.66}}\n",
	}},
	"flow files of the same relative path": {"which", map[string]string{
		"exp.yaml":        "include: shared/net.yaml\n" + fromCSV + "matrix: {which: {inc: {}, own: {workload.path: f.csv}}}\n",
		"shared/net.yaml": "workload: {type: file, path: f.csv}\n",
		"shared/f.csv":    "src,dst,size,start\nhost0,host2,1MB,0us\n",
		"f.csv":           "src,dst,size,start\nhost1,host3,2MB,1us\n",
	}},
	"size tables of the same relative path": {"which", map[string]string{
		"exp.yaml":          "include: shared/net.yaml\n" + fromCSV + "matrix: {which: {inc: {}, own: {workload.sizes: ./sizes.yaml}}}\n",
		"shared/net.yaml":   "workload: {type: permutation, sizes: ./sizes.yaml}\n",
		"shared/sizes.yaml": "workload: sizes\ntitle: Sizes\nsource: made up\nknots: [[1000, 0], [1000, 1]]\n",
		"sizes.yaml":        "workload: sizes\ntitle: Sizes\nsource: made up\nknots: [[2000, 0], [2000, 1]]\n",
	}},
	"the same network with and without an extra host": {"net", map[string]string{
		"exp.yaml": poisson + `matrix:
  net:
    four: {topology: {type: star, hosts: 4, rate: 10Gbps, delay: 1us}}
    extra: {topology: {type: star, hosts: 3, rate: 10Gbps, delay: 1us, extra_hosts: [{name: host3, switches: s1}]}}
`,
	}},
	"failed uplinks of different rates": {"link", map[string]string{
		"exp.yaml": pod + strings.Replace(poisson, "load: 0.2", "load: 0.2, load_of: uplinks", 1) + `matrix:
  link:
    fast: {topology.failed: ["leaf0->spine0"]}
    slow: {topology.failed: ["leaf0->spine0"], topology.overrides: [{link: "leaf0->spine0", rate: 1Gbps}]}
`,
	}},
}

// TestAPointIsWhatItIsAlone: the hash of a point does not depend on which others
// there are, before it or in a load that shares its flow lists.
func TestAPointIsWhatItIsAlone(t *testing.T) {
	for name, c := range tricky {
		t.Run(name, func(t *testing.T) {
			file := writeAll(t, c.files)
			lists := FlowLists{}
			load := func(lists FlowLists, sets ...string) *Experiment {
				e, err := Load(file, Options{Catalog: testCatalog(t), ConfigDir: "../../configs", Sets: sets, FlowLists: lists})
				require.NoError(t, err)
				return e
			}
			seen := map[string]bool{}
			for _, p := range load(lists).Points {
				together, err := p.Hash()
				require.NoError(t, err)
				for _, lists := range []FlowLists{nil, lists} {
					e := load(lists, c.axis+"="+p.Labels[0].Value)
					require.Len(t, e.Points, 1)
					alone, err := e.Points[0].Hash()
					require.NoError(t, err)
					assert.Equal(t, alone, together, "%s", p)
				}
				assert.False(t, seen[together], "%s is what another point is", p)
				seen[together] = true
			}
			assert.Len(t, seen, 2)
		})
	}
}

// TestTwoFilesOfOneNameAreNoCircle: a preset may extend one of the same path
// relative to its own folder.
func TestTwoFilesOfOneNameAreNoCircle(t *testing.T) {
	file := writeAll(t, map[string]string{
		"exp.yaml":       strings.Replace(base, "preset: hpcc", "preset: sub/m.yaml", 1),
		"sub/m.yaml":     "preset: m\nextends: sub/m.yaml\n",
		"sub/sub/m.yaml": "preset: m\nextends: hpcc\nparams: {hpcc: {eta: 0.7}}\n",
	})
	e, err := loadFile(t, file, "")
	require.NoError(t, err)
	assert.Equal(t, "0.7", setting(t, e.Points[0], "congestion_control", "eta").Value)
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(file), "sub/sub/m.yaml"), []byte("preset: m\nextends: ../m.yaml\n"), 0o644))
	_, err = loadFile(t, file, "")
	require.ErrorContains(t, err, `the preset "../m.yaml" extends itself, by way of `)
}
