package experiment

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/base/reader"
)

const withReadings = `topology: {type: star, hosts: 4, rate: 100Gbps, delay: 1us}
workload: {type: list, flows: [{src: host0, dst: host1, size: 1MB}]}
preset: hpcc
run: {stop: 1ms}
trace: {flows: {}}
matrix: {preset: [hpcc, dcqcn], size: {small: {workload.flows.0.size: 1KB}, large: {}}}
readings:
  stages: {source: "appendix", none: {hpcc.max_stage: 0}, five: {hpcc.max_stage: 5}}
  dcqcn: {source: "section 5", own: {}, public: {preset: {dcqcn: dcqcn-hpcc}}}
  measure: {source: "section 5", peak: {figure.measures.q.kind: a}, mean: {figure.measures.q.kind: b}}
  size: {source: "section 7", one: {}, two: {workload.flows.0.size: {1KB: 2KB}}}
  both: {source: "section 8", no: {}, yes: {hpcc.max_stage: 7, hpcc.eta: 0.9}, again: {hpcc.eta: 0.9}}
  eta: {source: "section 9", high: {hpcc.eta: 0.95}, low: {hpcc.eta: 0.9, seeds: 5-7}}
  claim: {source: "section 6", low: {}, high: {figure.claims.b.holds: q > 2}}
figure: {measures: {q: {kind: z}}, claims: [{id: a, holds: q > 0}, {id: b, holds: q > 1}]}
`

// A reading sets what it names; the first value is the default. What the matrix
// chooses is replaced, with its label.
func TestReadingsSetWhatTheyName(t *testing.T) {
	load := func(readings map[string]string) *Experiment {
		e, err := Load(write(t, withReadings), Options{Catalog: testCatalog(t), ConfigDir: "../../configs", Readings: readings})
		require.NoError(t, err)
		return e
	}
	hash := func(e *Experiment, point int) string {
		h, err := e.Points[point].Hash()
		require.NoError(t, err)
		return h
	}
	base := load(nil)
	assert.Equal(t, []Reading{
		{"stages", "appendix", []string{"none", "five"}}, {"dcqcn", "section 5", []string{"own", "public"}}, {"measure", "section 5", []string{"peak", "mean"}},
		{"size", "section 7", []string{"one", "two"}}, {"both", "section 8", []string{"no", "yes", "again"}}, {"eta", "section 9", []string{"high", "low"}}, {"claim", "section 6", []string{"low", "high"}},
	}, base.Readings)
	assert.Equal(t, "reading:stages=none", setting(t, base.Points[0], "congestion_control", "max_stage").Origin)
	_, kind := reader.Child(reader.Nearest(base.Figure.Node, "measures.q"), "kind")
	assert.Equal(t, "a", kind.Value)

	five := load(map[string]string{"stages": "five"})
	assert.Equal(t, "reading:stages=five", setting(t, five.Points[0], "congestion_control", "max_stage").Origin)
	assert.NotEqual(t, hash(base, 0), hash(five, 0), "a scenario of its own")
	assert.Equal(t, hash(base, 2), hash(five, 2), "what it does not change is the same run")

	assert.Equal(t, []uint64{1}, base.Seeds)
	assert.Equal(t, []uint64{5, 6, 7}, load(map[string]string{"eta": "low"}).Seeds)

	public := load(map[string]string{"dcqcn": "public"})
	assert.Equal(t, hash(base, 0), hash(public, 0))
	assert.NotEqual(t, hash(base, 2), hash(public, 2))
	assert.Equal(t, "preset=dcqcn size=small", public.Points[2].String(), "the label stays")

	mean := load(map[string]string{"measure": "mean"})
	_, kind = reader.Child(reader.Nearest(mean.Figure.Node, "measures.q"), "kind")
	assert.Equal(t, "b", kind.Value)
	assert.Equal(t, hash(base, 0), hash(mean, 0), "the same runs")

	two := load(map[string]string{"size": "two"})
	assert.NotEqual(t, hash(base, 0), hash(two, 0), "a value under a name of an axis")
	assert.Equal(t, hash(base, 1), hash(two, 1))

	both := load(map[string]string{"both": "yes", "eta": "low"})
	assert.Equal(t, "reading:both=yes", setting(t, both.Points[0], "congestion_control", "max_stage").Origin, "what is chosen is laid over what is not, before it")
	both = load(map[string]string{"both": "again"})
	assert.Equal(t, "0.9", setting(t, both.Points[0], "congestion_control", "eta").Value, "and behind it")

	high := load(map[string]string{"claim": "high"})
	_, holds := reader.Child(reader.Nearest(high.Figure.Node, "claims.1"), "holds")
	assert.Equal(t, "q > 2", holds.Value, "a claim by its id")
}

func TestReadingsAreRefusedWithAPlace(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{`source: "appendix", `, ``, `:8:3: readings.stages needs source`},
		{`, five: {hpcc.max_stage: 5}`, ``, `:8:3: readings.stages has 1 values; give two or more`},
		{`none: {hpcc.max_stage: 0}`, `none: {hpc.max_stage: 0}`, `"hpc" is none of them; did you mean "hpcc"?`},
		{`none: {hpcc.max_stage: 0}`, `none: {params.hpc.max_stage: 0}`, `there is no component "hpc"; did you mean "hpcc"?`},
		{`none: {hpcc.max_stage: 0}`, `none: {hpcc.max_stag: 0}`, `did you mean "max_stage"?`},
		{`none: {hpcc.max_stage: 0}`, `none: {preset: fncc}`, `reading stages=none sets preset, which the matrix sets itself`},
		{`low: {}`, `low: {figure.claims.c.holds: q > 2}`, `"c" is no item of this list; its 2 items are numbered from 0, or named by their id`},
		{`high: {hpcc.eta: 0.95}`, `high: {hpcc.eta: 0.95, hpcc.max_stage: 1}`, `readings stages=none and eta=high both set hpcc.max_stage, each otherwise; take one of them`},
		{`stages:`, `"st ages":`, `"st ages" is no name`},
		{`five: {`, `"fi=ve": {`, `"fi=ve" is no name`},
	} {
		text := strings.Replace(withReadings, c.from, c.to, 1)
		require.NotEqual(t, withReadings, text)
		_, err := Load(write(t, text), Options{Catalog: testCatalog(t), ConfigDir: "../../configs"})
		require.ErrorContains(t, err, c.want, c.to)
	}
	_, err := Load(write(t, withReadings), Options{Catalog: testCatalog(t), ConfigDir: "../../configs", Readings: map[string]string{"stages": "five", "both": "yes"}})
	require.ErrorContains(t, err, "readings stages=five and both=yes both set hpcc.max_stage, each otherwise")
	for name, want := range map[string]string{"stage": `has no reading "stage"; did you mean "stages"?`, "stages": `stages has no value "x"`} {
		_, err := Load(write(t, withReadings), Options{Catalog: testCatalog(t), ConfigDir: "../../configs", Readings: map[string]string{name: "x"}})
		require.ErrorContains(t, err, "--reading "+name+"=x: ")
		require.ErrorContains(t, err, want)
	}
}
