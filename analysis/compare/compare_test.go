package compare_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/analysis/collect"
	"fabriclab/analysis/compare"
	"fabriclab/analysis/measure"
	"fabriclab/base/file"
)

var update = flag.Bool("update", false, "renew the golden files")

var (
	queue = &measure.Measure{Name: "queue_max", Unit: "B", Better: measure.Lower}
	load  = &measure.Measure{Name: "link_utilisation", Unit: "1", Better: measure.Higher}
	hops  = &measure.Measure{Name: "packet_hops", Unit: "1"}
	late  = &measure.Measure{Name: "convergence_time", Unit: "s", Better: measure.Lower}
	wall  = &measure.Measure{Name: "wall_time", Unit: "s", Better: measure.Lower, Volatile: true}
)

var never = math.Inf(1)

// runs has a run for each seed, from 1 on, with its value of one measure; NaN
// is none.
func runs(point string, m *measure.Measure, values ...float64) []collect.Run {
	var list []collect.Run
	for i, v := range values {
		value := measure.Value{Measure: m, Value: v}
		if math.IsNaN(v) {
			value = measure.Value{Measure: m, Err: errors.New("2 of 9 flows did not finish")}
		}
		list = append(list, collect.Run{
			Experiment: "a/b", Scenario: "00" + point, Labels: []collect.Label{{Path: "preset", Value: point}}, Engine: "ns3",
			Seed: uint64(i + 1), Values: []measure.Value{value},
		})
	}
	return list
}

func rules(t *testing.T, text string) *compare.Rules {
	t.Helper()
	file := filepath.Join(t.TempDir(), "rules.yaml")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	r, err := compare.ReadRules(file)
	require.NoError(t, err)
	return r
}

func TestVerdict(t *testing.T) {
	nan := math.NaN()
	base := []float64{100, 110, 90, 105, 95, 100}
	plus := func(by ...float64) []float64 {
		var out []float64
		for i, v := range base {
			out = append(out, v+by[i%len(by)])
		}
		return out
	}
	for _, c := range []struct {
		name       string
		measure    *measure.Measure
		base, head []float64
		rules      string
		want       compare.Verdict
		failed     bool
		note       string
	}{
		{"exactly the same", queue, base, base, "", compare.Same, false, ""},
		{"times are never exactly the same", wall, base, base, "", compare.Unchanged, false, ""},
		{"longer queues", queue, base, plus(10, 12), "", compare.Worse, true, ""},
		{"shorter queues", queue, base, plus(-10, -12), "", compare.Better, false, ""},
		{"more load", load, base, plus(10, 12), "", compare.Better, false, ""},
		{"less load", load, base, plus(-10, -12), "", compare.Worse, true, ""},
		{"neither better nor worse", hops, base, plus(10, 12), "", compare.Changed, false, ""},
		{"up and down", queue, base, plus(10, -12), "", compare.Changed, false, "within what seeds do"},
		{"up and down, and not exact", wall, base, plus(10, -12), "", compare.Unchanged, false, "within what seeds do"},
		{"slower, on whatever machine", wall, base, plus(10, 12), "", compare.Worse, false, ""},
		{"slower, and asked for", wall, base, plus(10, 12), `rules: [{measures: [wall_time], fail: worse}]`, compare.Worse, true, ""},
		{"all measures are not the volatile ones", wall, base, plus(10, 12), `rules: [{measures: ["*"], fail: changed}]`, compare.Worse, false, ""},
		{"five seeds", queue, base[:5], plus(10)[:5], "", compare.Changed, false, "no verdict with 5 of the 6 seeds it takes"},
		{"five seeds do at 90 %", queue, base[:5], plus(10, 11)[:5], "confidence: 90%", compare.Worse, true, ""},
		{"one seed that has to be the same", queue, base[:1], plus(10)[:1], `rules: [{measures: ["*"], fail: changed}]`, compare.Changed, true, "no verdict with 1 of the 6 seeds it takes"},
		{"a change for the better is one, too", queue, base, plus(-10, -12), `rules: [{measures: ["queue_*"], fail: changed}]`, compare.Better, true, ""},
		{"below the share", queue, base, plus(10, 12), `rules: [{measures: ["*"], threshold: 12%}]`, compare.Changed, false, "below the threshold"},
		{"above the share", queue, base, plus(10, 12), `rules: [{measures: ["*"], threshold: 10%}]`, compare.Worse, true, ""},
		{"below the size", queue, base, plus(10, 12), `rules: [{measures: ["*"], threshold_abs: 11.5}]`, compare.Changed, false, "below the threshold"},
		{"the last rule", queue, base, plus(10, 12), `rules: [{measures: ["*"], threshold: 50%}, {measures: [queue_max], experiments: ["a/*"], threshold: 1%}]`, compare.Worse, true, ""},
		{"another direction", hops, base, plus(10, 12), `rules: [{measures: [packet_hops], better: lower}]`, compare.Worse, true, ""},
		{"nothing fails", queue, base, plus(10, 12), `rules: [{measures: ["*"], fail: never}]`, compare.Worse, false, ""},
		{"from nothing", queue, []float64{0, 0, 0, 0, 0, 0}, base, `rules: [{measures: ["*"], threshold: 5%}]`, compare.Worse, true, ""},
		{"a value is lost", queue, base, []float64{100, nan, 90, 105, nan, 100}, "", compare.Lost, true, "no value with 2 of 6 seeds: 2 of 9 flows did not finish"},
		{"a value is new", queue, []float64{nan, 1}, []float64{1, 1}, "", compare.New, false, "the base has no value with 1 of 2 seeds"},
		{"a value is new beside worse ones", queue, append([]float64{nan}, base...), append([]float64{1}, plus(10, 12)...), "", compare.Worse, true, "the base has no value with 1 of 7 seeds"},
		{"a value is new beside another one", queue, []float64{nan, 1}, []float64{1, 2}, "", compare.Changed, false, "the base has no value with 1 of 2 seeds; no verdict with 1 of the 6 seeds it takes"},
		{"never on both sides", late, []float64{never, 1}, []float64{never, 1}, "", compare.Same, false, ""},
		{"never with some seeds", late, base, []float64{never, 100, 80, 100, 90, 95}, "", compare.Changed, false, "never on one side only, with 1 of 6 seeds"},
		{"later or never", late, base, []float64{never, 111, 91, 106, 96, never}, "", compare.Worse, true, "never on one side only, with 2 of 6 seeds"},
		{"no longer never", late, []float64{never, 111, 91, 106, 96, never}, base, "", compare.Better, false, "never on one side only, with 2 of 6 seeds"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := compare.DefaultRules()
			if c.rules != "" {
				r = rules(t, c.rules)
			}
			report, err := compare.Compare(compare.Set{Name: "base", Runs: runs("x", c.measure, c.base...)}, compare.Set{Name: "head", Runs: runs("x", c.measure, c.head...)}, r)
			require.NoError(t, err)
			row := report.Experiments[0].Rows[0]
			assert.Equal(t, c.want, row.Verdict)
			assert.Equal(t, c.note, row.Note)
			assert.Equal(t, c.failed, row.Failed)
			assert.Equal(t, c.failed, report.Failed)
		})
	}
}

// Seeds of one side only are not mixed into the means, and runs that are gone
// fail.
func TestPairs(t *testing.T) {
	report, err := compare.Compare(
		compare.Set{Runs: append(runs("x", queue, 1, 2, 3), runs("gone", queue, 1)...)},
		compare.Set{Runs: append(runs("x", queue, 1, 2), runs("fresh", queue, 1)...)}, compare.DefaultRules())
	require.NoError(t, err)
	e := report.Experiments[0]
	assert.Equal(t, []string{"a/b preset=x ns3 seed 3", "a/b preset=gone ns3 seed 1"}, e.Lost)
	assert.Equal(t, []string{"a/b preset=fresh ns3 seed 1"}, e.New)
	assert.Equal(t, 2, e.Pairs)
	assert.Equal(t, compare.Same, e.Rows[0].Verdict)
	assert.Equal(t, compare.Number(1.5), e.Rows[0].Base)
	assert.True(t, report.Failed)

	// A folder has one run for two points that are the same scenario.
	two := append(runs("x", queue, 1), runs("y", queue, 1)...)
	two[1].Scenario = two[0].Scenario
	report, err = compare.Compare(compare.Set{Runs: two}, compare.Set{Runs: two[:1]}, compare.DefaultRules())
	require.NoError(t, err)
	assert.Empty(t, report.Experiments[0].Lost)
	assert.Equal(t, 2, report.Experiments[0].Pairs)
	report, err = compare.Compare(compare.Set{Runs: two[:1]}, compare.Set{Runs: two}, compare.DefaultRules())
	require.NoError(t, err)
	assert.Empty(t, report.Experiments[0].New, "the base has this run under another label")

	// Labels are values: the scenario of 0.95 may be another one, and written 0.950.
	labelled := func(eta, scenario string) []collect.Run {
		all := runs("x", queue, 1)
		all[0].Scenario, all[0].Labels = scenario, []collect.Label{{Path: "hpcc.eta", Value: eta}, {Path: "run.stop", Value: "1ms"}}
		return all
	}
	for _, head := range []string{"0.95", "0.950"} {
		report, err = compare.Compare(compare.Set{Runs: labelled("0.95", "a")}, compare.Set{Runs: labelled(head, "b")}, compare.DefaultRules())
		require.NoError(t, err)
		e := report.Experiments[0]
		assert.Equal(t, 1, e.Pairs)
		assert.Empty(t, append(e.Lost, e.New...))
		assert.Equal(t, "hpcc.eta=0.95 run.stop=1ms", e.Rows[0].Point)
	}

	_, err = compare.Compare(compare.Set{Name: "twins", Runs: append(runs("x", queue, 1), runs("x", queue, 1)...)}, compare.Set{}, compare.DefaultRules())
	require.ErrorContains(t, err, "twins has two results of a/b preset=x ns3 seed 1")
	_, err = compare.Compare(compare.Set{Name: "this"}, compare.Set{Name: "that"}, compare.DefaultRules())
	assert.ErrorContains(t, err, "this and that have no results")
}

func TestRefusedRules(t *testing.T) {
	for text, want := range map[string]string{
		"rules: [{measure: [a]}]":                         `rules.yaml:1:10: there is no key "measure" in rules.0; did you mean "measures"`,
		"rules: [{threshold: 5%}]":                        "rules.0: it needs measures",
		`rules: [{measures: ["*"], fail: allways}]`:       `unknown fail "allways"`,
		`rules: [{measures: ["*"], better: more}]`:        `unknown better "more"`,
		`rules: [{measures: ["["]}]`:                      `"[" is no pattern`,
		`rules: [{measures: ["*"], threshold: 5}]`:        `"5" is not a percentage`,
		`rules: [{measures: ["*"], threshold_abs: -1}]`:   "threshold_abs is -1",
		"confidence: 100%":                                "confidence is 100 %",
		"confidence: 95%\nrules: [{measures: [a], x: 1}]": `rules.yaml:2:25: there is no key "x"`,
	} {
		file := filepath.Join(t.TempDir(), "rules.yaml")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
		_, err := compare.ReadRules(file)
		assert.ErrorContains(t, err, want, text)
	}
}

// example is a report with something of everything.
func example(t *testing.T) *compare.Report {
	t.Helper()
	var base, head []collect.Run
	base = append(base, runs("dcqcn", queue, 100e3, 110e3, 90e3, 105e3, 95e3, 100e3)...)
	head = append(head, runs("dcqcn", queue, 112e3, 118e3, 101e3, 115e3, 108e3, 111e3)...)
	base = append(base, runs("hpcc", queue, 10e3, 11e3)...)
	head = append(head, runs("hpcc", queue, 10e3, 11.001e3)...)
	base = append(base, runs("fncc", queue, 5e3)...)
	head = append(head, runs("fncc", queue, 5e3)...)
	base = append(base, runs("none", late, 12e-6, 13e-6)...)
	head = append(head, runs("none", late, never)...)
	other := runs("x", hops, 7)
	other[0].Experiment = "a/c"
	report, err := compare.Compare(compare.Set{Name: "main", Runs: append(base, other...)}, compare.Set{Name: "work", Runs: append(head, other...)}, compare.DefaultRules())
	require.NoError(t, err)
	return report
}

func TestFormats(t *testing.T) {
	report := example(t)
	for name, write := range map[string]func(*strings.Builder) error{
		"report.txt":  func(b *strings.Builder) error { return report.Text(b, false) },
		"all.txt":     func(b *strings.Builder) error { return report.Text(b, true) },
		"report.md":   func(b *strings.Builder) error { return report.Markdown(b) },
		"report.xml":  func(b *strings.Builder) error { return report.JUnit(b) },
		"report.json": func(b *strings.Builder) error { return report.JSON(b) },
	} {
		var b strings.Builder
		require.NoError(t, write(&b), name)
		golden := filepath.Join("testdata", name)
		if *update {
			require.NoError(t, os.WriteFile(golden, []byte(b.String()), 0o644))
		}
		want, err := os.ReadFile(golden)
		require.NoError(t, err)
		assert.Equal(t, string(want), b.String(), name)
	}

	// What programs read parses.
	var b strings.Builder
	require.NoError(t, report.JUnit(&b))
	var suites struct {
		Failures int `xml:"failures,attr"`
		Suites   []struct {
			Cases []struct {
				Failure *string `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	require.NoError(t, xml.Unmarshal([]byte(b.String()), &suites))
	failures := 0
	for _, s := range suites.Suites {
		for _, c := range s.Cases {
			if c.Failure != nil {
				failures++
			}
		}
	}
	assert.Equal(t, 2, failures) // the queue and the missing run
	assert.Equal(t, failures, suites.Failures)
	b.Reset()
	require.NoError(t, report.JSON(&b))
	var read compare.Report
	require.NoError(t, json.Unmarshal([]byte(b.String()), &read))
	assert.Len(t, read.Experiments, len(report.Experiments))
}

func TestBaseline(t *testing.T) {
	dir := t.TempDir()
	saved := compare.Baseline{Experiment: "a/b", Scale: "quick", Runs: append(runs("x", late, 0.1, never, math.NaN()), runs("y", wall, 7)...)}
	require.NoError(t, saved.Save(dir))
	text, err := os.ReadFile(filepath.Join(dir, "a", "b.json"))
	require.NoError(t, err)
	body, err := file.Unseal(text)
	require.NoError(t, err)
	//nolint:testifylint // the bytes count: a run is a line
	assert.Equal(t, `{"format": "fabriclab-baseline", "version": 2, "experiment": "a/b", "scale": "quick",
"measures": [
  {"name":"convergence_time","unit":"s","better":"lower"}
],
"runs": [
  {"point":["preset=x"],"engine":"ns3","seed":1,"scenario":"00x","values":[0.1]},
  {"point":["preset=x"],"engine":"ns3","seed":2,"scenario":"00x","values":["never"]},
  {"point":["preset=x"],"engine":"ns3","seed":3,"scenario":"00x","values":[null]},
  {"point":["preset=y"],"engine":"ns3","seed":1,"scenario":"00y","values":[null]}
]
}
`, string(body))
	all, err := compare.LoadBaselines(dir)
	require.NoError(t, err)
	require.Len(t, all, 1)
	report, err := compare.Compare(compare.Set{Runs: all[0].Runs}, compare.Set{Runs: saved.Runs}, compare.DefaultRules())
	require.NoError(t, err)
	assert.False(t, report.Failed)
	assert.Equal(t, 4, report.Experiments[0].Pairs)
	for _, row := range report.Experiments[0].Rows {
		assert.Equal(t, compare.Same, row.Verdict)
	}
	again := t.TempDir()
	require.NoError(t, all[0].Save(again))
	copied, err := os.ReadFile(filepath.Join(again, "a", "b.json"))
	require.NoError(t, err)
	assert.Equal(t, text, copied)

	sealed := func(old, now string) string {
		text, err := file.Seal(bytes.Replace(body, []byte(old), []byte(now), 1))
		require.NoError(t, err)
		return string(text)
	}
	for broken, want := range map[string]string{
		string(text[:50]): "is damaged",
		strings.Replace(string(text), "[0.1]", "[0.2]", 1): "differs from what was written",
		sealed(`"version": 2`, `"version": 3`):             "version 3",
		sealed("[0.1]", "[]"):                              "0 values",
		sealed("lower", "down"):                            `unknown better "down"`,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "a", "b.json"), []byte(broken), 0o644))
		_, err := compare.LoadBaselines(dir)
		require.ErrorContains(t, err, want)
	}
	none, err := compare.LoadBaselines(filepath.Join(dir, "nowhere"))
	require.NoError(t, err)
	assert.Empty(t, none)
}

func ExampleFewestSeeds() {
	fmt.Println(compare.FewestSeeds(0.9), compare.FewestSeeds(0.95), compare.FewestSeeds(0.99))
	// Output: 5 6 8
}

// The report says which parameters are not the same on both sides.
func TestDifferingParameters(t *testing.T) {
	one := func(eta string) collect.Run {
		return collect.Run{Experiment: "a/b", Scenario: eta, Labels: []collect.Label{{Path: "preset", Value: "hpcc"}}, Engine: "ns3", Seed: 1,
			Params: []collect.Label{{Path: "hpcc.eta", Value: eta}, {Path: "host.mtu", Value: "1518B"}},
			Values: []measure.Value{{Measure: &measure.Measure{Name: "m", Unit: "B"}, Value: 1}}}
	}
	report, err := compare.Compare(compare.Set{Name: "x", Runs: []collect.Run{one("0.95")}}, compare.Set{Name: "y", Runs: []collect.Run{one("0.9")}}, compare.DefaultRules())
	require.NoError(t, err)
	var b strings.Builder
	require.NoError(t, report.Text(&b, false))
	assert.Contains(t, b.String(), "parameter hpcc.eta: 0.95 in the base, 0.9 in the head (1 of 1 runs)")
	assert.NotContains(t, b.String(), "host.mtu")
	b.Reset()
	require.NoError(t, report.Markdown(&b))
	assert.Contains(t, b.String(), "parameter hpcc.eta")

	// What --set gave the network or the workload on one side, too.
	base, head := one("0.95"), one("0.95")
	base.Sets = []collect.Label{{Path: "run.stop", Value: "1ms"}, {Path: "params.hpcc.eta", Value: "0.95"}}
	head.Sets = []collect.Label{{Path: "topology.delay", Value: "2us"}, {Path: "run.stop", Value: "1ms"}}
	report, err = compare.Compare(compare.Set{Name: "x", Runs: []collect.Run{base}}, compare.Set{Name: "y", Runs: []collect.Run{head}}, compare.DefaultRules())
	require.NoError(t, err)
	b.Reset()
	require.NoError(t, report.Text(&b, false))
	assert.Contains(t, b.String(), "parameter topology.delay: the experiment's own in the base, 2us in the head (1 of 1 runs)")
	assert.NotContains(t, b.String(), "run.stop")
	assert.NotContains(t, b.String(), "parameter hpcc.eta")
}
