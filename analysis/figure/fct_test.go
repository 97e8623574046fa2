package figure_test

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/analysis/claims"
	"fabriclab/analysis/figure"
	"fabriclab/analysis/spec"
	"fabriclab/analysis/table/tabletest"
	"fabriclab/base/reader"
)

// decode reads a figure section with a matrix of three presets.
func decode(t *testing.T, text string) (*spec.Figure, error) {
	t.Helper()
	s, err := reader.Parse("exp.yaml", []byte(text))
	require.NoError(t, err)
	return figure.Decode(s, spec.Known{Matrix: claims.Matrix{"preset": {"dcqcn", "hpcc", "fncc"}}})
}

const fctHead = "dimensions: {mechanism: {path: preset, names: {hpcc: HPCC, fncc: FNCC}}}\n"

// fctRuns are seeds of two mechanisms. Flows of 1000 B have slowdowns
// 1.00, 1.01, …, those of 5000 B twice that; FNCC's are a tenth lower and
// those of each seed higher by 0.2 than of the one before. One flow of 20 KB of FNCC does not finish.
func fctRuns(t *testing.T, seeds uint64) []spec.Run {
	var runs []spec.Run
	for _, preset := range []string{"hpcc", "fncc"} {
		for seed := uint64(1); seed <= seeds; seed++ {
			var rows []tabletest.Flow
			add := func(size uint64, slowdown float64) {
				ideal := int64(1e6)
				f := tabletest.Flow{SizeBytes: size, Measured: true, IdealFctPs: &ideal}
				if slowdown > 0 {
					if preset == "fncc" {
						slowdown *= 0.9
					}
					f.Finished, f.Slowdown = true, &slowdown
				}
				rows = append(rows, f)
			}
			for i := range 100 {
				x := 1 + float64(i)/100 + 0.2*float64(seed-1)
				add(1000, x)
				add(5000, 2*x)
			}
			if preset == "fncc" {
				add(20_000, 0)
			} else {
				add(20_000, 3)
			}
			run := spec.Run{Dir: filepath.Join(t.TempDir(), "run"), Labels: map[string]string{"preset": preset}, Engine: "ns3", Seed: seed}
			tabletest.Write(t, run.Dir, "flows", rows)
			runs = append(runs, run)
		}
	}
	return runs
}

func evaluateFCT(t *testing.T, plots string) *figure.Outcome {
	t.Helper()
	return evaluateSeeds(t, plots, 2)
}

func evaluateSeeds(t *testing.T, plots string, seeds uint64) *figure.Outcome {
	t.Helper()
	f, err := decode(t, fctHead+plots)
	require.NoError(t, err)
	out, err := figure.Evaluate(figure.Input{ID: "test/fct", Title: "FCT", Scale: "quick", Command: "make figure FIG=fncc/fig10 SCALE=quick", Figure: f, Runs: fctRuns(t, seeds)}, t.TempDir())
	require.NoError(t, err)
	if dir := os.Getenv("FABRICLAB_SHOW_PLOTS"); dir != "" {
		require.NoError(t, os.CopyFS(filepath.Join(dir, t.Name()), os.DirFS(out.Dir)))
	}
	return out
}

func TestFCTPlot(t *testing.T) {
	out := evaluateFCT(t, `plots:
  - {id: slowdown, title: S, kind: fct, lines: mechanism, stats: [mean, p95, p99.9], edges: [0, 2KB, 10KB, 30KB], baseline: hpcc, log: true}
`)
	files := contents(t, out.Dir)
	csv := string(files["slowdown.csv"])
	assert.Contains(t, csv, "slowdown,,p95,hpcc,ns3,,2000,B,2.0405,1,1.27", "1.9405 and 2.1405, and 12.7 times their standard error")
	assert.Contains(t, csv, "slowdown,,p99.9,hpcc,ns3,,10000,B,4.17802,1,2.54", "3.97802 and 4.37802")
	assert.NotContains(t, csv, "fncc,ns3,,30000", "an unfinished flow leaves no statistic")
	assert.Equal(t, []string{
		"slowdown, mean, FNCC: the mean is a lower bound: 1 of 1 flows of 10KB to 30KB did not finish; it is ≥ 1",
		"slowdown, p95, FNCC: the p95 falls on a flow that did not finish: 1 of 1 flows of 10KB to 30KB did not finish",
		"slowdown, p99.9, FNCC: the p99.9 falls on a flow that did not finish: 1 of 1 flows of 10KB to 30KB did not finish",
	}, out.Missing)

	summary := string(files["summary.md"])
	assert.Contains(t, summary, "FCT slowdown, p95, and its change against HPCC (mean of 2 seeds)")
	assert.Contains(t, summary, "| flow size | flows per seed | HPCC | FNCC |")
	assert.Contains(t, summary, "| 0B to 2KB | 100 | 2.041 | 1.836 (-10.0 %) |")
	assert.Contains(t, summary, "| 10KB to 30KB | 0 to 1; FNCC: 2 unfinished in all seeds | 3 | – |")
	assert.Contains(t, summary, "| 10KB to 30KB | 0 to 1; FNCC: 2 unfinished in all seeds | 3 | ≥ 1 |", "the mean")
	assert.Contains(t, string(files["slowdown.svg"]), "10KB", "sizes along the axis")
}

// From three seeds on, the numbers of the tables have their confidence intervals.
func TestFCTTablesOfSeveralSeeds(t *testing.T) {
	table := func(seeds uint64) string {
		out := evaluateSeeds(t, `plots:
  - {id: slowdown, title: S, kind: fct, lines: mechanism, stats: [mean, p95], edges: [0, 2KB, 10KB, 30KB], baseline: hpcc}
`, seeds)
		_, text, found := strings.Cut(string(contents(t, out.Dir)["summary.md"]), "\n\nFCT slowdown, p95")
		require.True(t, found)
		text, _, _ = strings.Cut(text, "\n\n## ")
		return text
	}
	assert.Equal(t, `, and its change against HPCC (mean of 3 seeds ± 95 % confidence interval)

| flow size | flows per seed | HPCC | FNCC |
|---|---|---|---|
| 0B to 2KB | 100 | 2.14 ± 0.5 | 1.926 ± 0.45 (-10.0 %) |
| 2KB to 10KB | 100 | 4.281 ± 0.99 | 3.853 ± 0.89 (-10.0 %) |
| 10KB to 30KB | 0 to 1; FNCC: 3 unfinished in all seeds | 3 | – |`, table(3), "4.30 times a standard error of 0.2 / sqrt(3)")
	assert.Equal(t, `, and its change against HPCC

| flow size | flows per seed | HPCC | FNCC |
|---|---|---|---|
| 0B to 2KB | 100 | 1.94 | 1.746 (-10.0 %) |
| 2KB to 10KB | 100 | 3.881 | 3.493 (-10.0 %) |
| 10KB to 30KB | 0 to 1; FNCC: 1 unfinished | 3 | – |`, table(1))
}

// A reason stands in the picture once, with all that it is a reason for.
func TestReasonsAreSaidOnce(t *testing.T) {
	out := evaluateFCT(t, `plots:
  - {id: slowdown, title: S, kind: fct, lines: mechanism, stats: [mean, p95], edges: [0, 2KB, 10KB, 1MB, 30MB]}
`)
	assert.Len(t, out.Missing, 6)
	var notes []string
	for _, m := range regexp.MustCompile(`>(Not drawn: mean, HPCC[^<]*)<`).FindAllStringSubmatch(string(contents(t, out.Dir)["slowdown.svg"]), -1) {
		notes = append(notes, m[1])
	}
	assert.Equal(t, []string{"Not drawn: mean, HPCC; mean, FNCC; p95, HPCC; p95, FNCC: there are no measured flows of 1MB to 30MB"}, notes)
}

func TestFCTEqualCounts(t *testing.T) {
	out := evaluateFCT(t, `plots:
  - {id: slowdown, title: S, kind: fct, lines: mechanism, stats: [median], bins: 4}
`)
	csv := string(contents(t, out.Dir)["slowdown.csv"])
	assert.Contains(t, csv, ",hpcc,ns3,,5000,B,1.595,1,1.27", "flows from 1000 B to below 5000 B: 1.495 and 1.695")
	assert.Contains(t, csv, ",hpcc,ns3,,20001,B,3.19,1,2.41", "the rest: 3.00 and 3.38")
}

func TestCDFPlot(t *testing.T) {
	out := evaluateFCT(t, `plots:
  - {id: cdf, title: S, kind: cdf, lines: mechanism, max_size: 10KB, log: true}
  - {id: whole, title: S, kind: cdf, lines: mechanism}
`)
	csv := string(contents(t, out.Dir)["cdf.csv"])
	for _, want := range []string{"cdf,,,hpcc,ns3,,4.18,1,1,1,\n", "cdf,,,hpcc,ns3,,1.1,1,0,1,\n"} {
		assert.Contains(t, csv, want)
	}
	assert.Equal(t, 2*203+1, strings.Count(csv, "\n"))
	require.Len(t, out.Missing, 1)
	assert.Equal(t, "whole, FNCC: the line ends where values never come: the highest 0.5 %", out.Missing[0])
}

// TestFlowsBehindAValue: runs may differ in how many there are, and of one that
// has no value there are none.
func TestFlowsBehindAValue(t *testing.T) {
	f, err := decode(t, fctHead+"measures:\n  large: {kind: fct, stat: p99, min_size: 10KB, unit: us, text: p99}\n")
	require.NoError(t, err)
	runs := fctRuns(t, 2)
	var rows []tabletest.Flow
	for range 7 {
		ideal, slowdown := int64(1e6), 2.
		rows = append(rows, tabletest.Flow{SizeBytes: 20_000, Measured: true, IdealFctPs: &ideal, Finished: true, Slowdown: &slowdown})
	}
	tabletest.Write(t, runs[0].Dir, "flows", rows)
	tabletest.Write(t, runs[1].Dir, "flows", rows[:0])
	tabletest.Write(t, runs[2].Dir, "flows", rows[:3])
	out, err := figure.Evaluate(figure.Input{ID: "test/fct", Title: "FCT", Scale: "quick", Figure: f, Runs: runs}, t.TempDir())
	require.NoError(t, err)
	assert.Contains(t, string(contents(t, out.Dir)["summary.md"]), "- `large`: p99 (µs); behind each value 3 to 7 flows\n")
}

func TestCDFOfAMeasure(t *testing.T) {
	out := evaluateFCT(t, `measures:
  small: {kind: fct_slowdown, stat: mean, max_size: 10KB, unit: "%", text: slowdown of small flows}
  tiny: {kind: fct_slowdown, stat: mean, max_size: 2KB, unit: "%", text: tiny flows}
plots:
  - {id: cdf, title: S, kind: cdf, lines: mechanism, measure: small}
  - {id: both, title: S, kind: cdf, lines: mechanism, measures: [small, tiny]}
`)
	files := contents(t, out.Dir)
	for _, want := range []string{"cdf,,,hpcc,ns3,,418,%,1,1,\n", "cdf,,,hpcc,ns3,,110,%,0,1,\n"} {
		assert.Contains(t, string(files["cdf.csv"]), want)
	}
	assert.Contains(t, string(files["cdf.svg"]), "slowdown of small flows (%)")
	assert.Contains(t, string(files["cdf.svg"]), "cumulative share")

	assert.Contains(t, string(files["summary.md"]), "- `small`: slowdown of small flows (%); behind each value 200 flows\n- `tiny`: tiny flows (%); behind each value 100 flows\n")
	assert.Contains(t, string(files["both.csv"]), "both,,,\"hpcc, tiny\",ns3,,209,%,1,1,\n", "1.99 and 2.19")
	assert.Contains(t, string(files["both.svg"]), "FNCC, tiny flows")
	assert.Contains(t, string(files["both.svg"]), "fct slowdown (%)")
}

func TestFCTDecodeErrors(t *testing.T) {
	tests := []struct{ plot, want string }{
		{"kind: fct, lines: mechanism, bins: 5", "fct needs the key stats"},
		{"kind: fct, lines: mechanism, stats: [mean]", "either edges"},
		{"kind: fct, lines: mechanism, stats: [mean], bins: 5, edges: [0, 1KB]", "either edges"},
		{"kind: fct, lines: mechanism, stats: [avg], bins: 5", `unknown statistic "avg"`},
		{"kind: fct, lines: mechanism, stats: [mean], edges: [0, 2KB, 1KB]", "edges only grow; 1000 B does not"},
		{"kind: fct, lines: mechanism, stats: [mean], edges: [1KB]", "two edges or more"},
		{"kind: fct, lines: mechanism, stats: [mean], bins: -1", "bins: -1 is out of range; allowed: from 1"},
		{"kind: fct, lines: mechanism, stats: [mean], bins: 5, baseline: hpc", `no mechanism = "hpc"; did you mean "hpcc"?`},
		{"kind: fct, where: {mechanism: hpcc}, stats: [mean], bins: 5, baseline: hpcc", "baseline is one of the lines"},
		{"kind: fct, columns: mechanic, stats: [mean], bins: 5", `unknown dimension "mechanic"`},
		{"kind: fct, lines: mechanism, stats: [mean], bins: 5, max_size: 1KB", "fct does not take max_size"},
		{"kind: cdf, lines: mechanism, bins: 5", "cdf does not take bins"},
		{"kind: cdf, lines: mechanism, min_size: 2KB, max_size: 1KB", "max_size is not above min_size"},
		{"kind: cdf, lines: mechanism, unit: us", "cdf does not take unit"},
		{"kind: cdf, lines: mechanism, measure: smal", `unknown measure "smal"; did you mean "small"?`},
		{"kind: cdf, lines: mechanism, measure: small, max_size: 1KB", "the measure's own"},
		{"kind: cdf, lines: mechanism, measures: [small, lost]", "drops is one value"},
		{"kind: cdf, lines: mechanism, measures: [small, rest]", "small is a fct in us, rest a fct_slowdown in 1; the measures of a cdf are of one kind and unit"},
		{"kind: cdf, lines: mechanism, measures: [small], measure: small", "exclude each other"},
		{"kind: bars, x: mechanism, measures: [small]", "bars does not take measures"},
		{"kind: cdf, lines: mechanism, measure: lost", "drops is one value, without a distribution; a cdf takes measures of the kinds bus_bandwidth, bus_share, collective_time, convergence_time, fct, "},
		{"kind: sweep, x: mechanism, measures: [small, rest]", "small is in us, rest in 1; the measures of a sweep have one unit"},
		{"kind: sweep, x: mechanism, measures: [small], measure: small", "exclude each other"},
		{"kind: sweep, x: mechanism, measures: []", "measures is an empty list"},
		{"kind: sweep, x: mechanism, measures: [smal]", `unknown measure "smal"`},
		{"kind: bars, x: mechanism, log: true", "bars does not take log"},
		{"kind: fct, stats: [mean], bins: 5", "the matrix has several values of preset"},
	}
	for _, tt := range tests {
		_, err := decode(t, fctHead+"measures: {small: {kind: fct, stat: mean, unit: us}, rest: {kind: fct_slowdown, stat: mean, unit: \"1\"}, lost: {kind: drops, window: [0us, 1us], unit: \"1\"}}\nplots:\n  - {id: p, "+tt.plot+"}\n")
		require.ErrorContains(t, err, tt.want)
		require.ErrorContains(t, err, "exp.yaml:4:")
		assert.ErrorContains(t, err, ": plot p")
	}
}

// TestUnfinishedFlowsMakeNoClaim: a claim about the mean of sizes among which a
// flow did not finish is not evaluated; the others are.
func TestUnfinishedFlowsMakeNoClaim(t *testing.T) {
	out := evaluateFCT(t, `measures:
  small: {kind: fct_slowdown, stat: mean, max_size: 10KB, unit: "1", text: small}
  all: {kind: fct_slowdown, stat: mean, unit: "1", text: all}
  median: {kind: fct_slowdown, stat: median, unit: "1", text: median}
claims:
  - {id: small, text: t, source: s, by: mechanism, value: 100 * (1 - small.fncc / small.hpcc), expected: 10, unit: "%"}
  - {id: all, text: t, source: s, by: mechanism, measure: all, order: ["fncc < hpcc"]}
  - {id: median, text: t, source: s, by: mechanism, measure: median, order: ["fncc < hpcc"]}
`)
	require.Len(t, out.Claims, 3)
	assert.Equal(t, claims.Reproduced, out.Claims[0].Verdict)
	measured, ok := out.Claims[0].Measured.(float64)
	require.True(t, ok)
	assert.InDelta(t, 10, measured, 1e-4)
	assert.False(t, math.IsNaN(measured))
	assert.Equal(t, claims.NotEvaluated, out.Claims[1].Verdict)
	assert.Contains(t, out.Claims[1].Note, "all cannot be measured: ")
	assert.Contains(t, out.Claims[1].Note, "the mean is a lower bound: 1 of 201 flows of any size did not finish")
	assert.Equal(t, claims.Reproduced, out.Claims[2].Verdict, "the median stands")
}

// TestWhatIsNotDrawnIsSaid: a line, a bar or a point that is not there has its
// reason in the picture.
func TestWhatIsNotDrawnIsSaid(t *testing.T) {
	out := evaluateFCT(t, `measures:
  least: {kind: fct_slowdown, stat: min, unit: "1", text: least}
  all: {kind: fct_slowdown, stat: mean, unit: "1", text: all}
plots:
  - {id: queue, title: S, kind: time, lines: mechanism, unit: us, series: [{kind: queue, port: "s1->s2", class: data, unit: KB}]}
  - {id: bars, title: S, kind: bars, x: mechanism, measure: all, log_y: true}
  - {id: log, title: S, kind: cdf, lines: mechanism, measure: all, log_x: true, log_y: true}
`)
	files := contents(t, out.Dir)
	queue := string(files["queue.svg"])
	assert.Contains(t, queue, ">HPCC (no data)<")
	assert.Contains(t, queue, ">FNCC (no data)<")
	assert.Contains(t, queue, ">Not drawn: HPCC: ")
	bars := string(files["bars.svg"])
	assert.Contains(t, bars, ">no data<")
	assert.Contains(t, bars, ">Not drawn: FNCC: ")
	assert.Contains(t, bars, "the mean is a lower bound")
	assert.NotContains(t, bars, ": run ", "the bar says which run it is")
	assert.Contains(t, string(files["log.svg"]), ">Not drawn: 2 points are at or below 0, where a logarithmic axis has no place<", "the share 0 of each line")
	assert.NotContains(t, string(files["log.svg"]), "NaN")
	stored := read(t, out.Dir)
	assert.Equal(t, 1, drawn(stored.Plots[1]))
	assert.InDelta(t, 1, *stored.Plots[1].LeastY, 0, "slowdowns are not below 1")
}

// A claim may name what only the matrix of its own scale has.
func TestClaimsNameTheirScalesMatrix(t *testing.T) {
	const text = fctHead + `
measures: {slow: {kind: fct_slowdown, stat: p99, unit: "1", text: slowdown}}
claims:
  - {id: late, text: RoCC is slow, source: section 1, scales: [paper], where: {mechanism: rocc}, holds: slow > 2}
`
	at := func(scale string) error {
		s, err := reader.Parse("exp.yaml", []byte(text))
		require.NoError(t, err)
		_, err = figure.Decode(s, spec.Known{Scale: scale, Matrix: claims.Matrix{"preset": {"hpcc", "fncc"}}})
		return err
	}
	require.NoError(t, at("quick"))
	require.ErrorContains(t, at("paper"), `the matrix has no mechanism = "rocc"`)
}
