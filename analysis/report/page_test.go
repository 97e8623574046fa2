package report_test

import (
	"bytes"
	"fmt"
	"html"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/analysis/chart"
	"fabriclab/analysis/claims"
	"fabriclab/analysis/figure"
	"fabriclab/analysis/heat"
	"fabriclab/analysis/report"
	"fabriclab/base/steady"
)

// hostile is text that must stay text.
const hostile = `</script><script>window.hacked=1</script>"><img src="x" onerror="window.hacked=1">{{.}}'` + "`" + `${window.hacked=1}&lt;`

func line(name, value string, style int, points ...chart.Point) chart.Line {
	return chart.Line{Name: name, Key: value, Style: style, Engine: "ns3", Points: points}
}

func bar(l chart.Line) chart.Line {
	l.Shape, l.Width = chart.Bars, chart.Alone
	return l
}

// curve is a line of n points over 250 to 700.
func curve(n int, f func(x float64) float64) []chart.Point {
	var points []chart.Point
	for i := range n {
		x := 250 + 450*float64(i)/float64(n-1)
		points = append(points, chart.Point{X: x, Y: f(x)})
	}
	return points
}

func number(v float64) *float64 { return &v }

// section has one plot of every kind.
func section() report.Section {
	queue := chart.Figure{
		ID: "queue", Title: "Queue at the congestion point (s1→s2)", Kind: "time", XLabel: "time (µs)", YLabel: "queue (KB)", XUnit: "us", YUnit: "KB",
		Panels: [][]chart.Panel{{}}, Missing: []string{"queue, 400 Gb/s, RoCC: no sample in the window"},
	}
	for i, rate := range []string{"100 Gb/s", "200 Gb/s", "400 Gb/s"} {
		high := 100 * float64(i+1)
		queue.Panels[0] = append(queue.Panels[0], chart.Panel{
			Title: rate, FromX: 250, ToX: 700,
			Lines: []chart.Line{
				line("DCQCN", "dcqcn", 0, curve(451, func(x float64) float64 { return 4 * high * math.Exp(-math.Abs(x-360)/40) })...),
				line("HPCC", "hpcc", 1, curve(451, func(x float64) float64 { return high * math.Exp(-math.Abs(x-330)/20) })...),
			},
			Marks: []chart.Mark{{X: number(300), Text: "flow1 starts"}, {X: number(330), Text: "paper: 330 µs"}, {Y: number(500), Text: "XOFF"}},
		})
	}
	long := chart.Figure{
		ID: "long", Title: "A long line", Kind: "time", XLabel: "time (µs)", YLabel: "rate (Gb/s)", XUnit: "us", YUnit: "Gbps",
		Panels: [][]chart.Panel{{{Lines: []chart.Line{line("flow0", "", 0, curve(20_000, func(x float64) float64 { return 50 + 40*math.Sin(x) })...)}}}},
	}
	pauses := chart.Figure{ID: "pauses", Title: "Pause frames", Kind: "bars", YLabel: "XOFF frames", YUnit: "1", Panels: [][]chart.Panel{{
		{Title: "200 Gb/s", Names: []string{"DCQCN", "HPCC"}, Lines: []chart.Line{bar(line("DCQCN", "dcqcn", 0, chart.Point{Y: 12, Error: 2})), bar(line("HPCC", "hpcc", 1, chart.Point{X: 1, Y: 3}))}},
	}}}
	slowdown := chart.Figure{
		ID: "slowdown", Title: "FCT slowdown", Kind: "fct", XLabel: "flow size up to", YLabel: "FCT slowdown", XUnit: "B", YUnit: "1", LogY: true,
		Panels: [][]chart.Panel{{{
			Title: "p99", Names: []string{"10KB", "1MB", "more"}, At: []float64{1e4, 1e6, math.MaxInt64},
			Lines: []chart.Line{
				line("HPCC", "hpcc", 0, chart.Point{X: 1e4, Y: 1.5, Error: 0.2}, chart.Point{X: 1e6, Y: 4}, chart.Point{X: math.MaxInt64, Y: 12, Error: 3}),
				line("FNCC", "fncc", 1, chart.Point{X: 1e4, Y: 1.4}, chart.Point{X: math.MaxInt64, Y: 9}),
			},
		}}},
	}
	cdf := chart.Figure{
		ID: "cdf", Title: "All flows", Kind: "cdf", XLabel: "FCT slowdown", YLabel: "share of the flows", XUnit: "1", YUnit: "1", LogX: true,
		Panels: [][]chart.Panel{{{Lines: []chart.Line{line("HPCC", "hpcc", 0, chart.Point{X: 1, Y: 0}, chart.Point{X: 3, Y: .9}, chart.Point{X: 40, Y: 1})}}}},
	}
	stored := &figure.Stored{
		Dir: "/results/figures/test/one",
		Record: figure.Record{
			ID: "test/one", Title: "One of every kind", Source: "Paper, Figure 1", Scale: "quick", Command: "make figure FIG=test/one SCALE=quick",
			Dimensions: []figure.Dimension{{Name: "mechanism", Path: "preset", Names: map[string]string{"hpcc": "HPCC"}}},
			Measures:   []figure.Measure{{Name: "slow_at", Text: "time of slowing down", Unit: "us"}},
			Plots:      []chart.Figure{queue, long, pauses, slowdown, cdf},
			Runs:       []figure.Run{{Labels: map[string]string{"preset": "hpcc"}, Engine: "ns3", Seed: 1}, {Labels: map[string]string{"preset": "dcqcn"}, Engine: "ns3", Seed: 1}},
			Loads: []figure.Load{{
				Labels: map[string]string{"preset": "hpcc"}, Engine: "ns3", WindowPs: 60e9, Offered: []float64{0.5, 0.51, 0.52}, Carried: []float64{0.49, 0.5, 0.51},
				Steady: steady.Verdict{Reason: "flows gather", WarmupPs: -1, Asked: 0.5},
			}},
		},
		Values: map[string][]float64{"slow_at": {319.25, math.Inf(1)}},
		Claims: []claims.Result{
			{ID: "order", Text: "HPCC is first", Source: "Figure 1a", Expected: "HPCC < DCQCN", Measured: "HPCC 319, DCQCN never", Tolerance: "strict in every seed", Verdict: claims.Reproduced},
			{ID: "delay", Text: "It takes 30 us", Source: "Figure 1b", Expected: 30.0, Measured: 19.0, Unit: "us", Tolerance: "± 25 %", Within: &[2]float64{22.5, 37.5}, Verdict: claims.Deviates, Note: "Earlier than in the paper."},
			{ID: "size", Text: "It is 5", Source: "Figure 1c", Expected: 5.0, Tolerance: "± 25 %", Within: &[2]float64{3.75, 6.25}, Verdict: claims.NotEvaluated, Note: "Not at this scale."},
		},
	}
	for i := range 14 { // a wide table
		name := fmt.Sprintf("queue_percentile_%d", i)
		stored.Measures = append(stored.Measures, figure.Measure{Name: name, Text: "queue at switch 1", Unit: "KB"})
		stored.Values[name] = []float64{123_456, 0.001234}
	}
	return report.Section{
		ID: stored.ID, Title: stored.Title, Source: stored.Source, Scale: stored.Scale, Commands: []string{stored.Command}, Figure: stored,
		Runs: []report.Run{
			{Name: "HPCC", Engine: "ns3", Seed: 1, ScenarioHash: "0123456789abcdef", Dir: "/results/test/one/0123456789abcdef/ns3-seed1", Made: "2026-01-02",
				Simulated: "700us", Flows: "2 of 2", Tool: "fabriclab abc", Build: "ns3 3.37 (Release, GNU 12.2.0, -O3), build 1fad0e7e77",
				Tables: []report.Table{{File: "flows.parquet", Rows: 2}, {File: "queues.parquet", Rows: 1402}}},
			{Name: "DCQCN", Engine: "ns3", Seed: 1, Error: "the engine crashed"},
		},
		Params: []report.Param{
			{Name: "hpcc.eta", Place: "congestion_control", Value: "0.95", Origin: "preset:hpcc", Runs: "mechanism: HPCC", Help: "target utilisation", Source: "HPCC section 5.1"},
			{Name: "hpcc.eta", Place: "congestion_control", Value: "0.9", Origin: "flag", Runs: "mechanism: FNCC", Help: "target utilisation", Source: "HPCC section 5.1"},
			{Name: "host.mtu", Place: "host", Value: "1518B", Origin: "default", Runs: "all", Help: "largest frame", Default: true},
		},
		Maps: []report.Map{linkMap()}, NoMaps: []string{"how busy the links were in 3 more runs"},
	}
}

// linkMap has two ports, three steps and a third port without samples.
func linkMap() report.Map {
	h := &heat.Map{
		Ports: []string{"a->b", "b->a", "b->c"}, Times: []int64{0, 10e6, 20e6, 30e6},
		Steps: [][]float64{{1, 0.1, math.NaN()}, {0.5, 0.1, math.NaN()}, {0, 0.1, math.NaN()}},
		Mean:  []float64{0.5, 0.1, math.NaN()},
	}
	var svg strings.Builder
	svg.WriteString(`<svg width="400" height="40" viewBox="0 0 400 40">`)
	for i, port := range h.Ports {
		fmt.Fprintf(&svg, `<path data-port="%d" stroke="%s" stroke-width="3" d="M%d 20L%d 20"><title>%s</title></path>`,
			i, report.Colour(h.Mean[i]), 100*i+10, 100*i+90, html.EscapeString(report.Busy(port, h.Mean[i])))
	}
	return report.Map{Run: "HPCC, seed 1", Heat: h, Drawing: []byte(svg.String() + "</svg>")}
}

// hostileSection has hostile text wherever text can be.
func hostileSection() report.Section {
	s := section()
	s.ID, s.Title, s.Source, s.Commands = hostile, hostile, hostile, []string{hostile}
	f := s.Figure
	for i := range f.Claims {
		c := &f.Claims[i]
		c.ID, c.Text, c.Source, c.Note, c.Tolerance = hostile, hostile, hostile, hostile, hostile
	}
	f.Claims[0].Expected, f.Claims[0].Measured, f.Claims[0].Verdict = hostile, hostile, hostile
	f.Loads[0].Labels[hostile], f.Loads[0].Engine, f.Loads[0].Steady.Reason = hostile, hostile, hostile
	f.Measures = []figure.Measure{{Name: hostile, Text: hostile, Unit: hostile}}
	f.Values = map[string][]float64{hostile: {1, 2}}
	for i := range f.Plots {
		p := &f.Plots[i]
		p.Title, p.XLabel, p.YLabel, p.XUnit, p.YUnit, p.Missing = hostile, hostile, hostile, hostile, hostile, []string{hostile}
		panel := &p.Panels[0][0]
		panel.Title = hostile
		panel.Marks = []chart.Mark{{X: number(300), Text: hostile}, {Y: number(1), Text: hostile}}
		for k := range panel.Lines {
			panel.Lines[k].Name = hostile
		}
	}
	s.Runs[0].Name, s.Runs[0].Build, s.Runs[0].Warnings, s.Runs[1].Error = hostile, hostile, []string{hostile}, hostile
	s.Runs[0].Dir = "/results/" + hostile
	s.Maps[0].Run, s.NoMaps = hostile, []string{hostile}
	s.Maps[0].Heat.Ports[0] = hostile
	s.Params[0] = report.Param{Name: hostile, Place: hostile, Value: hostile, Origin: hostile, Runs: hostile, Help: hostile, Source: hostile}
	return s
}

func render(t testing.TB, sections ...report.Section) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, report.Render(&b, report.Input{Dir: "/results", Sections: sections, Notices: []string{"Left out: something"}}))
	return b.String()
}

// large is a report of 300 runs: twelve figures of 25 runs each, whose lines
// have 1.5 million points, and three maps of a fat-tree each.
func large() []report.Section {
	var sections []report.Section
	for n := range 12 {
		s := section()
		f := s.Figure
		s.ID = fmt.Sprintf("test/large%d", n)
		one := s.Runs[0]
		s.Runs, f.Runs = nil, nil
		for k := range 25 {
			r := one
			r.ScenarioHash = fmt.Sprintf("%016x", 0x9e3779b97f4a7c15*uint64(25*n+k+1))
			r.Dir = "/results/" + s.ID + "/" + r.ScenarioHash + "/ns3-seed1"
			for range 6 {
				r.Tables = append(r.Tables, one.Tables[1])
			}
			s.Runs = append(s.Runs, r)
			f.Runs = append(f.Runs, figure.Run{Labels: map[string]string{"preset": "hpcc"}, Engine: "ns3", Seed: uint64(k)})
		}
		for name := range f.Values {
			f.Values[name] = slices.Repeat([]float64{123_456.7 + float64(n)}, len(f.Runs))
		}
		for p := range 2 { // with different places of the points
			lines := f.Plots[1]
			lines.ID = fmt.Sprintf("long%d", p)
			lines.Panels = [][]chart.Panel{{{}}}
			for k := range 25 {
				lines.Panels[0][0].Lines = append(lines.Panels[0][0].Lines, line(fmt.Sprintf("flow%d", k), "", k,
					curve(2000+k, func(x float64) float64 { return 50 + 40*math.Sin(x*float64(k+p+n+1)) })...))
			}
			f.Plots = append(f.Plots, lines)
		}
		s.Maps = []report.Map{largeMap(n), largeMap(n + 1), largeMap(n + 2)}
		sections = append(sections, s)
	}
	return sections
}

// largeMap has the ports of a fat-tree of 16 hosts, 200 steps.
func largeMap(n int) report.Map {
	m := linkMap()
	h := &heat.Map{Times: make([]int64, 201), Mean: make([]float64, 96), Ports: make([]string, 96)}
	for i := range h.Times {
		h.Times[i] = int64(i) * 10_123_456
	}
	for range 200 {
		step := make([]float64, 96)
		for p := range step {
			step[p] = math.Abs(math.Sin(float64(n + p)))
		}
		h.Steps = append(h.Steps, step)
	}
	var svg strings.Builder
	svg.WriteString(`<svg width="400" height="40" viewBox="0 0 400 40">`)
	for p := range h.Ports {
		h.Ports[p], h.Mean[p] = fmt.Sprintf("pod%d-edge1->pod%d-agg0", p/4, p/4), h.Steps[0][p]
		fmt.Fprintf(&svg, `<path data-port="%d" stroke="%s" d="M%d.5 20.5L%d.5 20.5"><title>%s</title></path>`, p, report.Colour(h.Mean[p]), p, p+80, report.Busy(h.Ports[p], h.Mean[p]))
	}
	m.Heat, m.Drawing = h, []byte(svg.String()+"</svg>")
	return m
}

// TestReportOfManyRunsStaysSmall: 300 runs with figures and maps in less than 5 MB;
// no line is thinned out more than it takes.
func TestReportOfManyRunsStaysSmall(t *testing.T) {
	page := render(t, large()...)
	assert.Less(t, len(page), 5_000_000)
	assert.Equal(t, 300, strings.Count(page, "/ns3-seed1/manifest.json"))
	assert.Regexp(t, `Lines of up to 20000 points are thinned out here to 1\d\d:`, page)
	assert.Regexp(t, `Lines of up to 20000 points are thinned out here to 1[89]\d\d:`, render(t, large()[0]))
}

func TestRender(t *testing.T) {
	plain := report.Section{
		ID: "my/first", Title: "runs without a figure", Commands: []string{"bin/fabriclab run my/first"},
		Runs:     []report.Run{{Name: "preset=hpcc", Engine: "ns3", Seed: 7}},
		Measured: []report.Measured{{Name: "queue_max", Text: "longest queue", Unit: "B", Values: []float64{121_400}}},
	}
	got := render(t, section(), plain)
	for _, want := range []string{
		"1 figure at scale quick, 1 experiment without a figure, 3 runs",
		"<b>1</b> reproduced", "<b>1</b> deviates", "<b>1</b> not evaluated", "Left out: something",
		`<span class="verdict deviates">deviates</span>`, "HPCC &lt; DCQCN", "strict in every seed", "30 µs<br><small>± 25 %</small>", "Earlier than in the paper.",
		"make figure FIG=test/one SCALE=quick", "bin/fabriclab run my/first",
		`href="./figures/test/one/queue.parquet"`, `href="./test/one/0123456789abcdef/ns3-seed1/queues.parquet">queues (1402)`,
		"Not drawn: queue, 400 Gb/s, RoCC: no sample in the window",
		"Lines of up to 20000 points are thinned out here to 4000",
		"<code>0123456789abcdef</code>", "build 1fad0e7e77", "no result: the engine crashed", "fabriclab abc", "seed 1", "run 2026-01-02",
		"mean of 0 to 30 µs", "Busiest: <span class=\"busiest\">a-&gt;b 50 %, b-&gt;a 10 %</span>", `stroke="#fc8d59"`, "<title>a-&gt;b: 50 %</title>", "<title>b-&gt;c: not recorded</title>",
		"Not drawn: how busy the links were in 3 more runs",
		"<td>HPCC</td><td>ns3</td><td>3</td><td>0.5</td><td>0.51 ± 0.025</td><td>0.5 ± 0.025</td><td>no: flows gather</td><td>–</td><td>60ms</td>",
		"target utilisation", "[HPCC section 5.1]", "preset:hpcc", "<td>319.2</td>", "<td>never</td>",
	} {
		assert.Contains(t, got, want)
	}
	assert.Equal(t, 1, strings.Count(got, "[HPCC section 5.1]"), "said once for all values")
	assert.Equal(t, 1, strings.Count(got, "Load and steady state"), "not where no load is asked for")
	assert.Contains(t, got, "<tr><td>preset=hpcc</td><td>ns3</td><td>7</td><td>121400</td></tr>")
	assert.Equal(t, got, render(t, section(), plain), "the same bytes")
}

// Nothing in the page has an address outside of it, but for names of formats.
func TestNothingIsFetched(t *testing.T) {
	got := strings.ReplaceAll(render(t, section()), "http://www.w3.org/2000/svg", "")
	assert.NotRegexp(t, `https?:|//[a-z]+\.|@import|url\((?:[^#`+"`"+`])`, got)
	for _, m := range regexp.MustCompile(`(?:src|href)="([^"]*)"`).FindAllStringSubmatch(got, -1) {
		assert.Regexp(t, `^(\./|#)`, m[1])
	}
	assert.Contains(t, got, "default-src &#39;none&#39;")
}

func TestHostileText(t *testing.T) {
	got := render(t, hostileSection())
	assert.NotContains(t, got, "<script>window.hacked")
	assert.NotContains(t, got, "<img")
	assert.Equal(t, 2, strings.Count(got, "</head>")+strings.Count(got, "</main>"))
}

func TestSameIDTwice(t *testing.T) {
	a, b := section(), section()
	b.ID = "test-one"
	got := render(t, a, b)
	assert.Contains(t, got, `id="s-test-one"`)
	assert.Contains(t, got, `id="s-test-one-2"`)
}

func TestTablesThatDoNotFit(t *testing.T) {
	s := section()
	var b bytes.Buffer
	s.Figure.Plots[3].Panels[0][0].Lines[0].Points[0].X = 7
	require.ErrorContains(t, report.Render(&b, report.Input{Sections: []report.Section{s}}), `plot slowdown: figure "FCT slowdown", panel "p99", line "HPCC": there is a point at 7`)
	assert.Zero(t, b.Len(), "nothing half-written")
}

func TestNothingAtAll(t *testing.T) {
	assert.Contains(t, render(t), "0 runs")
	var empty report.Section
	empty.Figure = &figure.Stored{Record: figure.Record{Plots: []chart.Figure{{ID: "none", Panels: [][]chart.Panel{{{}}}}}}}
	assert.Contains(t, render(t, empty), fmt.Sprintf("id=%q", "s-"))
}
