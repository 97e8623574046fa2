package workload

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/base/random"
)

const tables = "../../configs/workloads"

// TestTables checks the shipped tables against what was published of them:
// their mean, and for some the mean under step sampling (every flow has the
// size of the knot above), which stands in the published files.
func TestTables(t *testing.T) {
	tests := []struct {
		name       string
		mean, step float64
		median     uint64
		most       uint64
	}{
		{"web-search", 1711250, 0, 73077, 30e6},
		{"fb-hadoop", 120420.75, 0, 700, 10e6},
		{"enterprise", 157357.422924, 0, 1052, 1773379248},
		{"data-mining", 12658198.6, 0, 1100, 1e9},
		{"data-mining-100mb", 3658198.6, 0, 1100, 100e6},
		{"facebook-web", 62228.780275, 62874.27, 0, 1e6},
		{"facebook-cache", 686866.1163, 692975.6, 0, 3837698},
		{"facebook-hadoop", 121848.960505, 127796.6, 0, 10e6},
		{"short-messages", 14336.0 / 3, 0, 4096, 8192},
	}
	files, err := filepath.Glob(filepath.Join(tables, "*.yaml"))
	require.NoError(t, err)
	assert.Len(t, files, len(tests), "every table has its test")
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := ReadSizes(filepath.Join(tables, tt.name+".yaml"))
			require.NoError(t, err)
			assert.NotEmpty(t, s.Title)
			assert.NotEmpty(t, s.Source)
			assert.InEpsilon(t, tt.mean, s.Mean(), 1e-9)
			if tt.step > 0 {
				assert.InDelta(t, tt.step, s.integrate(func(_, high float64) float64 { return high }), 0.05)
			}
			if tt.median > 0 {
				assert.Equal(t, tt.median, s.At(0.5))
			}
			assert.LessOrEqual(t, s.At(1-0x1p-53), tt.most)

			const n = 400_000
			r := random.New(1, "test of "+tt.name, 0)
			sum := 0.0
			for range n {
				sum += float64(s.At(r.Uniform()))
			}
			standardError := math.Sqrt((s.meanSquare() - s.Mean()*s.Mean()) / n)
			assert.InDelta(t, s.Mean(), sum/n, 4*standardError, "sampled mean")
			assert.Less(t, standardError/s.Mean(), 0.06, "the sampled mean says something")
		})
	}
}

func TestSizesAt(t *testing.T) {
	s := &Sizes{size: []float64{10, 10, 20, 20, 40}, probability: []float64{0, 0.25, 0.5, 0.75, 1}}
	require.NoError(t, s.check())
	for u, want := range map[float64]uint64{0: 10, 0.2: 10, 0.25: 10, 0.375: 15, 0.5: 20, 0.7: 20, 0.875: 30, 1 - 0x1p-53: 40} {
		assert.Equal(t, want, s.At(u), "%v", u)
	}
	assert.InDelta(t, 0.25*10+0.25*15+0.25*20+0.25*30, s.Mean(), 0)
	assert.InDelta(t, 0.25*(100+(100+200+400)/3.+400+(400+800+1600)/3.), s.meanSquare(), 1e-12)
	assert.Equal(t, uint64(1), (&Sizes{size: []float64{0, 100}, probability: []float64{0, 1}}).At(0), "no flow is empty")
	fixed := FixedSize(1500)
	assert.Equal(t, []uint64{1500, 1500}, []uint64{fixed.At(0), fixed.At(0.99)})
	assert.Equal(t, 1500.0, fixed.Mean())
}

func TestReadSizesRefuses(t *testing.T) {
	const head = "workload: w\ntitle: t\nsource: s\n"
	tests := []struct{ text, want string }{
		{"", `calls itself ""`},
		{"workload: v\nknots: [[0, 0], [1, 1]]\n", `the workload calls itself "v", but its file is w.yaml`},
		{head + "knot: []\n", "line 4: field knot not found"},
		{head + "knots: [[0, 0], [1, 1, 1]]\n", "invalid array: want 2 elements but got 3"},
		{head + "knots: [[0, 1]]\n", "two knots or more"},
		{head + "knots: [[0, 0], [10, 0.5]]\n", "from probability 0 to 0.5"},
		{head + "knots: [[5, 0.1], [10, 1]]\n", "from probability 0.1 to 1"},
		{head + "knots: [[0, 0], [0, 1]]\n", "up to 1 B or more"},
		{head + "knots: [[0, 0], [20, 0.5], [10, 1]]\n", "knot 3 (10, 1) is below knot 2 (20, 0.5)"},
		{head + "knots: [[0, 0], [20, 0.5], [30, 0.4], [40, 1]]\n", "knot 3 (30, 0.4) is below knot 2"},
		{head + "knots: [[-1, 0], [10, 1]]\n", "the size of knot 1 is -1"},
		{head + "knots: [[0, 0], [1.5, 1]]\n", "the size of knot 2 is 1.5"},
		{head + "knots: [[0, 0], [10, 100]]\n", "the probability of knot 2 is 100; it is between 0 and 1"},
		{head + "knots: [[0, 0], [.nan, 1]]\n", "the size of knot 2 is NaN"},
	}
	for _, tt := range tests {
		path := filepath.Join(t.TempDir(), "w.yaml")
		require.NoError(t, os.WriteFile(path, []byte(tt.text), 0o644))
		_, err := ReadSizes(path)
		require.ErrorContains(t, err, tt.want)
		assert.ErrorContains(t, err, path)
	}
}

// TestColumns: tables as HPCC, ConWeave and ns3-datacenter have them.
func TestColumns(t *testing.T) {
	read := func(text string) (*Sizes, error) {
		path := filepath.Join(t.TempDir(), "web.txt")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		return ReadSizes(path)
	}
	percent, err := read("0 0\n10000 15\n20000 20 # a note\n\n1000000 70\n30000000 100\n")
	require.NoError(t, err)
	share, err := read("# size share\n0 0.0\n10000\t0.15\n2e4 0.2\n1000000 0.7\n30000000 1\n")
	require.NoError(t, err)
	assert.Equal(t, percent, share)
	assert.Equal(t, "web", percent.Name)
	assert.Equal(t, uint64(10000), percent.At(0.15))
	for text, want := range map[string]string{
		"0 0\n10 1 1\n":     "web.txt:2: the line has 3 words; a table has two columns",
		"2927354.35\n1 0\n": "web.txt:1: the line has 1 words",
		"0 0\nx 1\n":        `web.txt:2: "x" is no number`,
		"0 0\n10 50\n":      "the last cumulative probability is 50; it is 1, or 100 in per cent",
		"1 10\n10 100\n":    "they go from probability 0.1 to 1",
	} {
		_, err := read(text)
		require.ErrorContains(t, err, want)
	}
}
