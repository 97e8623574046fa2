package experiment

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fabriclab/base/reader"
)

var place = regexp.MustCompile(`^(.*exp\.yaml:\d+:\d+|.*\.yaml:\d+:\d+|--set .*)$`)

// FuzzLoad: whatever an experiment says, it is loaded or refused, each problem
// with its place.
func FuzzLoad(f *testing.F) {
	dir := f.TempDir()
	file := filepath.Join(dir, "exp.yaml")
	c := testCatalog(f)
	for _, text := range []string{
		base, base + "matrix: {preset: [hpcc, none], topology.rate: {from: 1Gbps, to: 3Gbps, step: 1Gbps}}\n",
		base + "matrix: {zip: {preset: [hpcc], topology.rate: [1Gbps]}, exclude: [{preset: hpcc}], include: [{preset: fncc}]}\nseeds: [1-3, 7]\n",
		base + "scales: {quick: {run: {stop: 2ms}}}\nparams: {hpcc: {eta: 0.9}}\nlimits: {points: 1}\n",
		"topology: {type: custom, hosts: [a, b], switches: [s], links: [{a: a, b: s, rate: 1Gbps, delay: 1us}, {a: b, b: s, rate: 1Gbps, delay: 1us}]}\nworkload: {type: poisson, sizes: web-search, load: 0.5}\npreset: none\nrun: {measure: 1ms, drain: 1ms}\n",
		"topology: {type: fat-tree, k: 4, rate: 1Gbps, delay: 1us, failed: [\"pod0-edge0->pod0-agg0\"]}\nworkload: {type: mix, parts: [{type: jobs, size: 1MB}, {type: incast, senders: 2, size: 1KB}]}\npreset: none\nrun: {stop: 1ms}\n",
		"a: &a [*a]\n", "topology: !!binary x\n", "matrix: {topology: [&x {a: *x}]}\n",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		e, err := Load(file, Options{Catalog: c, ConfigDir: "../../configs", Context: ctx})
		var problems reader.Problems
		switch {
		case err == nil:
			require.NotEmpty(t, e.Points)
		case errors.Is(err, context.DeadlineExceeded):
		case errors.As(err, &problems):
			for _, p := range problems {
				require.Regexp(t, place, p.Position, p.Text)
			}
		default:
			require.NoError(t, err, "not a problem with a place")
		}
	})
}
