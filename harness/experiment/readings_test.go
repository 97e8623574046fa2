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

// A reading replaces values of the matrix wherever they are written: in a list, in
// step, as further points, at another scale.
func TestReadingsReplaceValuesOfAnyAxis(t *testing.T) {
	const rest = "readings: {r: {source: s, own: {}, other: {hpcc.eta: {0.9: 0.8}}}}\n"
	for name, matrix := range map[string]string{
		"list":            "matrix: {hpcc.eta: [0.5, 0.9]}\n",
		"range":           "matrix: {hpcc.eta: {from: 0.5, to: 0.9, step: 0.4}}\n",
		"zip":             "matrix: {zip: {hpcc.eta: [0.5, 0.9], run.stop: [1ms, 2ms]}}\n",
		"zips":            "matrix: {zip: [{hpcc.eta: [0.5, 0.9], run.stop: [1ms, 2ms]}]}\n",
		"further points":  "matrix: {hpcc.eta: [0.5], include: [{params.hpcc.eta: 0.9}]}\n",
		"names":           "matrix: {a: {x: {}, y: {params.hpcc.eta: 0.9}}}\n",
		"at this scale":   "matrix: {hpcc.eta: [0.5]}\nscales: {quick: {matrix: {hpcc.eta: [0.5, 0.9]}}}\n",
		"at other scales": "matrix: {hpcc.eta: [0.5, 0.9]}\nscales: {quick: {matrix: {hpcc.eta: [0.5, 0.7]}}}\n",
		"at one of these": "matrix: {hpcc.eta: [0.5, 0.7]}\nscales: {paper: {matrix: {hpcc.eta: [0.5, 0.9]}}}\n",
	} {
		e, err := Load(write(t, base+matrix+rest), Options{Catalog: testCatalog(t), ConfigDir: "../../configs", Readings: map[string]string{"r": "other"}})
		require.NoError(t, err, name)
		require.Len(t, e.Points, 2, name)
		want := "0.8"
		if strings.HasPrefix(name, "at o") {
			want = "0.7"
		}
		assert.Equal(t, want, setting(t, e.Points[1], "congestion_control", "eta").Value, name)
	}
	for _, c := range []struct{ readings, want string }{
		{"hpcc.eta: {0.90: 0.8}", `exp.yaml:11:55: readings.r.other: there is no value "0.90" of hpcc.eta; did you mean "0.9"? (known: 0.5, 0.9); values are compared as they are written`},
		{"preset: {hpc: hpcc-public}", `readings.r.other: there is no value "hpc" of preset; did you mean "hpcc"?`},
		{"hpcc.eta: 0.8", `; write what stands in the place of its values, {hpcc.eta: {0.5: …}}`},
	} {
		text := base + "matrix: {hpcc.eta: [0.5, 0.9]}\n" + strings.Replace(rest, "hpcc.eta: {0.9: 0.8}", c.readings, 1)
		e := Options{Catalog: testCatalog(t), ConfigDir: "../../configs", Readings: map[string]string{"r": "other"}}
		_, err := Load(write(t, text), e)
		require.ErrorContains(t, err, c.want)
		if c.readings[0] == 'p' {
			e.Readings = nil
			_, err = Load(write(t, text), e)
			require.ErrorContains(t, err, c.want, "whether it is chosen or not")
		}
	}
	shared := map[string]string{"exp.yaml": "include: a.yaml\n" + base, "a.yaml": rest}
	shared["exp.yaml"] += "matrix: {hpcc.eta: [0.5]}\n"
	_, err := loadFile(t, writeAll(t, shared), "")
	require.ErrorContains(t, err, "an experiment without it takes the reading away: readings: {r: null}")
	shared["exp.yaml"] += "readings: {r: null}\n"
	_, err = loadFile(t, writeAll(t, shared), "")
	require.NoError(t, err)
	_, err = loadFile(t, write(t, base+"matrix: {hpcc.eta: [0.5, 0.9]}\n"+rest), "", "hpcc.eta=0.5")
	require.NoError(t, err, "a flag that narrows an axis does not narrow readings")
}

// Two readings agree in both orders or in none.
func TestReadingsThatSetTheSameOtherwise(t *testing.T) {
	for _, c := range []struct{ x, y, want string }{
		{"{params: {hpcc: {eta: 0.6}}}", "{hpcc.eta: 0.7}", "each otherwise"},
		{"{params: {hpcc: {eta: 0.6}}}", "{hpcc.w_ai: 40B}", "each otherwise"},
		{"{params.hpcc: {eta: 0.6}}", "{hpcc: {w_ai: 40B}}", "each otherwise"},
		{"{params: {hpcc: {eta: 0.6}}}", "{hpcc.eta: 0.6}", ""},
		{"{params.hpcc.eta: 0.6}", "{hpcc.eta: 0.6}", ""},
		{"{preset: {hpcc: fncc}}", "{preset: {hpcc: dcqcn}}", "each otherwise"},
		{"{preset: {hpcc: fncc}}", "{preset: {none: dcqcn}}", ""},
		{"{hpcc.eta: 0.6, params.hpcc.eta: 0.7}", "{}", "reading x=a sets params.hpcc.eta, and by hpcc.eta something else of it; set it once"},
	} {
		for _, order := range [][2]string{{c.x, c.y}, {c.y, c.x}} {
			text := base + "matrix: {preset: [hpcc, none]}\nreadings: {x: {source: s, a: " + order[0] + ", b: {}}, y: {source: s, a: " + order[1] + ", b: {}}}\n"
			_, err := Load(write(t, text), Options{Catalog: testCatalog(t), ConfigDir: "../../configs"})
			if c.want == "" {
				require.NoError(t, err, "%v", order)
			} else {
				require.ErrorContains(t, err, strings.Replace(c.want, "x=a", map[bool]string{true: "x=a", false: "y=a"}[order[0] == c.x], 1), "%v", order)
			}
		}
	}
}
