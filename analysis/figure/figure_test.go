package figure_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"fabriclab/analysis/claims"
	"fabriclab/analysis/figure"
	"fabriclab/analysis/spec"
	"fabriclab/analysis/table/tabletest"
	"fabriclab/base/reader"
	"fabriclab/base/units"
)

// experiment is what these tests need of an experiment file.
type experiment struct {
	Name, Title, Source string
	Matrix              yaml.Node
	Figure              yaml.Node
	section             *reader.Section
}

// matrix keeps the order of the file.
func (e experiment) matrix() (paths []string, values claims.Matrix) {
	values = claims.Matrix{}
	for i := 0; i < len(e.Matrix.Content); i += 2 {
		path := e.Matrix.Content[i].Value
		if path == "exclude" { // no axis
			continue
		}
		paths = append(paths, path)
		for _, v := range e.Matrix.Content[i+1].Content {
			values[path] = append(values[path], v.Value)
		}
	}
	return paths, values
}

func load(t *testing.T, path string) experiment {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	var e experiment
	require.NoError(t, yaml.Unmarshal(data, &e))
	s, err := reader.Parse(path, data)
	require.NoError(t, err)
	e.section = s.Part("figure")
	return e
}

const configs = "../../configs"

func TestShippedExperimentsDecode(t *testing.T) {
	found := 0
	require.NoError(t, filepath.WalkDir(configs, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".yaml" || d.Name() == "statements.yaml" {
			return err
		}
		e := load(t, path)
		if e.Figure.Kind == 0 {
			return nil
		}
		found++
		_, matrix := e.matrix()
		f, err := figure.Decode(e.section, spec.Known{Matrix: matrix})
		if assert.NoError(t, err) {
			assert.NotEmpty(t, f.Plots, path)
		}
		return nil
	}))
	assert.GreaterOrEqual(t, found, 7)
}

// synthetic writes runs that look like fncc/fig10's: two flows and a queue.
// Points that differ in neither mechanism nor rate share a run.
func synthetic(t testing.TB, dir string, e experiment) []spec.Run {
	paths, values := e.matrix()
	points := []map[string]string{{}}
	for _, path := range paths {
		var next []map[string]string
		for _, p := range points {
			for _, v := range values[path] {
				q := map[string]string{path: v}
				for k, x := range p {
					q[k] = x
				}
				next = append(next, q)
			}
		}
		points = next
	}
	var runs []spec.Run
	for _, labels := range points {
		hash := labels["preset"] + labels["topology.rate"]
		run := spec.Run{Dir: filepath.Join(dir, "test", hash, "ns3-seed1"), Labels: labels, Engine: "ns3", Seed: 1}
		if _, err := os.Stat(run.Dir); err != nil {
			writeRun(t, run)
		}
		runs = append(runs, run)
	}
	return runs
}

func writeRun(t testing.TB, run spec.Run) {
	const us = 1_000_000
	link := int64(100e9)
	if text, ok := run.Labels["topology.rate"]; ok {
		var err error
		link, err = units.ParseRate(text)
		require.NoError(t, err)
	}
	ports := []string{"s1->s2", "s2->s3", "s3->receiver0"}
	delay, depth, noise := 4.0, 1.0, 0.01
	switch run.Labels["preset"] {
	case "hpcc", "fncc-nolhcs":
		delay, depth, noise = 14, 1.5, 0.05
	case "dcqcn":
		delay, depth, noise = 46, 2.5, 0.02
	case "rocc":
		delay, depth, noise = 70, 3, 0.3
	}
	tabletest.Scenario(t, run.Dir, 800*us, link, "sender0", "s1", "s2", "s3", "receiver0")
	var rates []tabletest.Rate
	var queues []tabletest.Queue
	var links []tabletest.Link
	var acked [2]float64
	sent := 0.0
	for i := int64(1); i <= 800; i++ {
		now, rate, queue := i*us, 0.95*float64(link), 0.0
		x := float64(i) - 300 - delay
		if x > 0 {
			rate = float64(link) * (0.475 - 0.2*math.Exp(-x/40) + 0.475*noise*math.Sin(x))
		}
		if i > 300 {
			rest := math.Exp(-max(x, 0) / 30)
			queue = float64(link) / 8e6 * min(float64(i-300), delay) * depth * rest
		}
		for flow := range uint32(2) {
			if flow == 1 && i <= 300 {
				continue
			}
			acked[flow] += rate / 8e6 * 0.9
			rates = append(rates, tabletest.Rate{TimePs: now, Flow: flow, RateBps: int64(rate * (1 + 0.05*float64(flow))), AckedBytes: uint64(acked[flow])})
		}
		sent += float64(link) / 8e6 * (0.95 - 0.1*noise)
		for k, port := range ports {
			queues = append(queues, tabletest.Queue{TimePs: now, Node: port[:2], Port: uint32(k), Link: port, Class: 1, Bytes: uint64(queue), MaxBytes: uint64(queue * 1.01)})
			links = append(links, tabletest.Link{TimePs: now, Node: port[:2], Port: uint32(k), Link: port, SentBytes: uint64(sent), DataBytes: uint64(sent * 0.94)})
		}
	}
	tabletest.Write(t, run.Dir, "rates", rates)
	tabletest.Write(t, run.Dir, "queues", queues)
	tabletest.Write(t, run.Dir, "links", links)
	var pauses []tabletest.Pause
	for i := range int(delay) {
		pauses = append(pauses, tabletest.Pause{TimePs: 310 * us, Node: "s1", Link: "s1->sender0", Class: 1, Xoff: i%3 > 0, Sent: true})
	}
	tabletest.Write(t, run.Dir, "pauses", pauses)
}

func evaluate(t *testing.T, id, results string, change func([]spec.Run) []spec.Run) *figure.Outcome {
	t.Helper()
	path := filepath.Join(configs, id+".yaml")
	e := load(t, path)
	_, matrix := e.matrix()
	f, err := figure.Decode(e.section, spec.Known{Matrix: matrix})
	require.NoError(t, err)
	runs := synthetic(t, results, e)
	if change != nil {
		runs = change(runs)
	}
	out, err := figure.Evaluate(figure.Input{ID: id, Title: e.Title, Source: e.Source, Scale: "quick", Command: "make figure FIG=fncc/fig10 SCALE=quick", Figure: f, Runs: runs}, results)
	require.NoError(t, err)
	return out
}

func contents(t *testing.T, dir string) map[string][]byte {
	files := map[string][]byte{}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		require.NoError(t, err)
		files[e.Name()] = data
	}
	return files
}

func TestEvaluate(t *testing.T) {
	figure.AllPictures(t)
	results := filepath.Join(t.TempDir(), "results")
	out := evaluate(t, "fncc/fig10", results, nil)
	assert.Equal(t, filepath.Join(results, "figures", "fncc", "fig10"), out.Dir)
	assert.Empty(t, out.Missing)
	verdicts := map[string]claims.Result{}
	for _, c := range out.Claims {
		verdicts[c.ID] = c
	}
	assert.Equal(t, claims.Reproduced, verdicts["first-to-slow-400"].Verdict)
	assert.Equal(t, claims.Deviates, verdicts["slow-delay-hpcc"].Verdict)
	assert.Equal(t, 15.0, verdicts["slow-delay-hpcc"].Measured, "14 us and a sample")
	assert.Equal(t, claims.Reproduced, verdicts["lowest-queue-peak/200Gbps"].Verdict)

	files := contents(t, out.Dir)
	var names []string
	for name := range files {
		names = append(names, name)
	}
	want := []string{"summary.md", "claims.json", "figure.json", "measures.parquet", "measures.csv"}
	for _, p := range []string{"queue", "rates", "utilisation"} {
		want = append(want, p+".svg", p+".png", p+".pdf", p+".csv", p+".parquet")
	}
	assert.ElementsMatch(t, want, names)

	var list []map[string]any
	require.NoError(t, json.Unmarshal(files["claims.json"], &list))
	assert.Len(t, list, len(out.Claims))
	for _, key := range []string{"id", "text", "source", "expected", "measured", "tolerance", "verdict", "note"} {
		assert.Contains(t, list[0], key)
	}

	text := string(files["summary.md"])
	for _, want := range []string{"# fncc/fig10: ", "make figure FIG=fncc/fig10 SCALE=quick", "**reproduced**", "| FNCC | 100 Gb/s |", "![Queue at the congestion point (s1→s2)](queue.svg)", "`test/dcqcn100Gbps/ns3-seed1`"} {
		assert.Contains(t, text, want)
	}
	assert.NotContains(t, text, results, "no path of this machine")

	csv := strings.Split(string(files["queue.csv"]), "\n")
	assert.Equal(t, "plot,row,column,line,engine,seed,x,x_unit,y,y_unit,error", csv[0])
	assert.Equal(t, "queue,,100Gbps,dcqcn,ns3,1,251,us,0,KB,", csv[1])
	type row struct {
		Line string   `parquet:"line"`
		X    *float64 `parquet:"x,optional"`
		Seed *uint64  `parquet:"seed,optional"`
	}
	rows, err := parquet.ReadFile[row](filepath.Join(out.Dir, "queue.parquet"))
	require.NoError(t, err)
	require.Len(t, rows, len(csv)-2)
	assert.Equal(t, "dcqcn", rows[0].Line)
	assert.Equal(t, 251.0, *rows[0].X)
	assert.Equal(t, uint64(1), *rows[0].Seed)

	terminal := out.String()
	assert.Contains(t, terminal, "first-to-slow-200")
	assert.Contains(t, terminal, "summary.md")

	if dir := os.Getenv("FABRICLAB_SHOW_PLOTS"); dir != "" {
		t.Log("\n" + terminal)
		require.NoError(t, os.CopyFS(filepath.Join(dir, "fig10"), os.DirFS(out.Dir)))
	}
}

func TestSameBytesAnywhere(t *testing.T) {
	figure.AllPictures(t)
	a := evaluate(t, "fncc/fig1", filepath.Join(t.TempDir(), "a"), nil)
	b := evaluate(t, "fncc/fig1", filepath.Join(t.TempDir(), "b", "elsewhere"), nil)
	first, second := contents(t, a.Dir), contents(t, b.Dir)
	require.Len(t, second, len(first))
	for name := range first {
		assert.True(t, bytes.Equal(first[name], second[name]), name)
	}
}

func TestReplacedAsAWhole(t *testing.T) {
	results := t.TempDir()
	old := filepath.Join(results, "figures", "fncc", "fig1")
	require.NoError(t, os.MkdirAll(old, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(old, "stale.svg"), nil, 0o644))
	evaluate(t, "fncc/fig1", results, nil)
	assert.NoFileExists(t, filepath.Join(old, "stale.svg"))
	entries, err := os.ReadDir(filepath.Dir(old))
	require.NoError(t, err)
	assert.Len(t, entries, 1, "nothing is left beside it")
}

func TestFailedAndDamagedRuns(t *testing.T) {
	results := t.TempDir()
	out := evaluate(t, "fncc/fig1", results, func(runs []spec.Run) []spec.Run {
		for i, r := range runs {
			if r.Labels["topology.rate"] != "400Gbps" {
				continue
			}
			switch r.Labels["preset"] {
			case "hpcc":
				runs[i].Err = errors.New("the engine crashed: signal 11; see " + filepath.Join(results, "log.txt"))
				runs[i].Dir = ""
			case "dcqcn":
				path := filepath.Join(r.Dir, "queues.parquet")
				data, err := os.ReadFile(path)
				require.NoError(t, err)
				require.NoError(t, os.WriteFile(path, data[:len(data)/2], 0o644))
			}
		}
		return runs
	})
	notes := map[string]claims.Result{}
	for _, c := range out.Claims {
		notes[c.ID] = c
	}
	failed := notes["deeper-queues/400Gbps"]
	assert.Equal(t, claims.NotEvaluated, failed.Verdict)
	assert.Contains(t, failed.Note, "queue_peak cannot be measured: the run failed.")
	assert.Equal(t, claims.Reproduced, notes["deeper-queues/200Gbps"].Verdict, "the others go on")
	missing := strings.Join(out.Missing, "\n")
	assert.Contains(t, missing, "queue, 400 Gb/s, HPCC: the run failed")
	assert.Contains(t, missing, "queues.parquet is corrupt")
	assert.NotContains(t, missing, results)
	text := string(contents(t, out.Dir)["summary.md"])
	assert.Contains(t, text, "HPCC, 400 Gb/s, ns3, seed 1: failed: the engine crashed")
}

func TestBarsAndSweep(t *testing.T) {
	out := evaluate(t, "fncc/fig3", t.TempDir(), nil)
	assert.Empty(t, out.Missing)
	csv := string(contents(t, out.Dir)["sweep.csv"])
	assert.Contains(t, csv, "sweep,,200Gbps,hpcc,ns3,,50,KB,9,1,\n", "14 frames, every third an XON")
	assert.Contains(t, string(contents(t, out.Dir)["pauses.csv"]), "pauses,,400Gbps,fncc,ns3,,2,,2,1,\n")
	if dir := os.Getenv("FABRICLAB_SHOW_PLOTS"); dir != "" {
		require.NoError(t, os.CopyFS(filepath.Join(dir, "fig3"), os.DirFS(out.Dir)))
	}
}

// A plot of points that --set has left out is not drawn, and the others are.
func TestPlotOfPointsThatAreNotThere(t *testing.T) {
	out := evaluate(t, "fncc/fig3", t.TempDir(), func(runs []spec.Run) []spec.Run {
		return slices.DeleteFunc(runs, func(r spec.Run) bool { return r.Labels["params.port.pfc_xoff"] == "500KB" })
	})
	assert.Contains(t, out.Missing, "pauses: no run is where it looks (its where, of a matrix that --set has narrowed)")
	assert.Contains(t, contents(t, out.Dir), "sweep.csv")
	assert.NotContains(t, contents(t, out.Dir), "pauses.csv")
}

// A sweep of several measures has a line for each, told apart by their texts.
func TestSweepOfMeasures(t *testing.T) {
	path := filepath.Join(configs, "fncc/fig3.yaml")
	e := load(t, path)
	_, matrix := e.matrix()
	f, err := figure.Decode(e.section, spec.Known{Matrix: matrix})
	require.NoError(t, err)
	again := f.Measures.Items["pauses"]
	again.Text = "the same again"
	f.Measures.Items["again"] = again
	f.Measures.Names = append(f.Measures.Names, "again")
	for i := range f.Plots {
		if f.Plots[i].ID == "sweep" {
			f.Plots[i].Measures = []string{"pauses", "again"}
		}
	}
	results := t.TempDir()
	out, err := figure.Evaluate(figure.Input{ID: "fncc/fig3", Scale: "quick", Figure: f, Runs: synthetic(t, results, e)}, results)
	require.NoError(t, err)
	files := contents(t, out.Dir)
	for _, line := range []string{"hpcc, pauses", "hpcc, again"} {
		assert.Contains(t, string(files["sweep.csv"]), `sweep,,200Gbps,"`+line+`",ns3,,50,KB,9,1,`+"\n")
	}
	assert.Contains(t, string(files["sweep.svg"]), "HPCC, the same again")
}

// An axis has its values as they are shown: 8 racks may be 384 servers.
func TestSweepAlongNames(t *testing.T) {
	path := filepath.Join(configs, "fncc/fig3.yaml")
	e := load(t, path)
	_, matrix := e.matrix()
	along := func(names map[string]string) string {
		f, err := figure.Decode(e.section, spec.Known{Matrix: matrix})
		require.NoError(t, err)
		xoff := f.Dimensions.Items["xoff"]
		xoff.Names = names
		f.Dimensions.Items["xoff"] = xoff
		results := t.TempDir()
		out, err := figure.Evaluate(figure.Input{ID: "fncc/fig3", Scale: "quick", Figure: f, Runs: synthetic(t, results, e)}, results)
		require.NoError(t, err)
		assert.Empty(t, out.Missing)
		return string(contents(t, out.Dir)["sweep.csv"])
	}
	names := map[string]string{}
	for i, value := range matrix["params.port.pfc_xoff"] {
		names[value] = strconv.Itoa(300 + i)
	}
	assert.Contains(t, along(names), fmt.Sprintf("sweep,,200Gbps,hpcc,ns3,,%s,1,9,1,\n", names["50KB"]))
	assert.Contains(t, along(map[string]string{"50KB": "small"}), "sweep,,200Gbps,hpcc,ns3,,50,KB,9,1,\n")
}

// titles are those of the panels in the first row of the figure's first plot.
func titles(t *testing.T, id string, change func([]spec.Run) []spec.Run) []string {
	out := evaluate(t, id, t.TempDir(), change)
	var f struct {
		Plots []struct {
			Panels [][]struct{ Title string }
		}
	}
	require.NoError(t, json.Unmarshal(contents(t, out.Dir)["figure.json"], &f))
	var list []string
	for _, panel := range f.Plots[0].Panels[0] {
		list = append(list, panel.Title)
	}
	return list
}

// Panels of numbers are in the order of the numbers, also where a scale adds a
// smaller one at the end of its dimension.
func TestPanelsAreInOrder(t *testing.T) {
	assert.Equal(t, []string{"100 Gb/s", "200 Gb/s", "400 Gb/s"}, titles(t, "fncc/fig1", func(runs []spec.Run) []spec.Run {
		slices.Reverse(runs)
		return runs
	}))
}

// A value that says its dimension, as load-20 does, is not behind its name again.
func TestPanelTitlesSayTheDimensionOnce(t *testing.T) {
	assert.Subset(t, titles(t, "dart/fig14", nil), []string{"load 20", "load 40", "load 60"})
	assert.Subset(t, titles(t, "dart/fig10", nil), []string{"degree 4", "degree 8", "degree 16"})
}

func TestSeedsAndEngines(t *testing.T) {
	out := evaluate(t, "fncc/fig3", t.TempDir(), func(runs []spec.Run) []spec.Run {
		var all []spec.Run
		for _, r := range runs {
			if xoff := r.Labels["params.port.pfc_xoff"]; xoff != "50KB" && xoff != "500KB" {
				continue
			}
			for _, engine := range []string{"ns3", "omnet"} {
				for seed := range uint64(2) {
					r.Engine, r.Seed = engine, seed+1
					all = append(all, r)
				}
			}
		}
		return all
	})
	files := contents(t, out.Dir)
	assert.Contains(t, string(files["sweep.csv"]), "sweep,,200Gbps,hpcc,omnet,,50,KB,9,1,\n")
	assert.Contains(t, string(files["sweep.svg"]), "HPCC, omnet", "lines of their own")
	for _, c := range out.Claims {
		assert.Equal(t, claims.Reproduced, c.Verdict)
	}
}

func TestDecodeErrors(t *testing.T) {
	matrix := claims.Matrix{"preset": {"hpcc", "fncc"}, "topology.rate": {"100Gbps"}}
	base := `dimensions: {mechanism: {path: preset}}
measures: {peak: {kind: queue_peak, port: "a->b", class: 1, window: [0us, 1us], unit: KB}}
`
	for _, c := range []struct{ text, want string }{
		{"dimensions:\n  m: {path: presets}", `x.yaml:2:13: dimensions.m: the matrix has no "presets"; did you mean "preset"?`},
		{"dimensions:\n  m: {path: preset, names: {hpc: H}}", `no value "hpc"; did you mean "hpcc"?`},
		{"dimensions:\n  m: {}", "dimensions.m needs the key path"},
		{"measures:\n  Peak: {kind: drops}", "a measure's name is used in expressions"},
		{"measures:\n  peak: {kind: dropz}", `x.yaml:2:16: measures.peak.kind: unknown kind of measure "dropz"`},
		{base + "claims:\n  - {id: a, text: t, source: s, by: mechanism, holds: peak.fncc > 1}\n  - {id: a, text: t, source: s, by: mechanism, holds: peak.fncc > 1}", "x.yaml:5:10: claim a: another claim has this id"},
		{base + "claims:\n  - {id: a, text: t, source: s, holds: peak > 1}", "x.yaml:4:5: claim a: the matrix has several values of preset"},
		{base + "plots:\n  - {id: p, kind: tim}", `unknown kind of plot "tim"; did you mean "time"?`},
		{base + "plots:\n  - {id: P q, kind: time}", "becomes a file name"},
		{base + "plots:\n  - {id: measures, kind: bars, x: mechanism, measure: peak}", "another plot or file"},
		{base + "plots:\n  - {id: p, kind: time, lines: mechanism, unit: us}", "needs the key series"},
		{base + "plots:\n  - {id: p, kind: time, unit: us, series: [{kind: rate, flow: 1, unit: Gbps}]}", "several values of preset"},
		{base + "plots:\n  - {id: p, kind: time, lines: mechanism, unit: KB, series: [{kind: rate, flow: 1, unit: Gbps}]}", `unknown unit "KB"`},
		{base + "plots:\n  - {id: p, kind: time, lines: mechanism, unit: us, series: [{kind: rate, flow: 1, unit: Gbps, name: a}, {kind: rate, flow: 2, unit: Mbps, name: b}]}", "a plot has one unit"},
		{base + "plots:\n  - {id: p, kind: time, lines: mechanism, unit: us, series: [{kind: rate, flow: 1, unit: Gbps, name: a}, {kind: rate, flow: 2, unit: Gbps}]}", "plot p.series.1: rate needs the key name"},
		{base + "plots:\n  - {id: p, kind: bars, measure: peak, lines: mechanism}", "bars needs the key x"},
		{base + "plots:\n  - {id: p, kind: bars, x: mechanism, measure: peek}", `unknown measure "peek"`},
		{base + "plots:\n  - {id: p, kind: bars, x: mechanism, measure: peak, unit: us}", "bars does not take unit"},
		{base + "plots:\n  - {id: p, kind: bars, x: mechanism, measure: peak, marks: [{x: 1us}]}", "a mark has either y or"},
		{base + "plots:\n  - {id: p, kind: bars, x: mechanism, measure: peak, marks: [{y: 1, where: {mechanism: fncc}}]}", "neither rows nor columns"},
	} {
		s, err := reader.Parse("x.yaml", []byte(c.text))
		require.NoError(t, err)
		_, err = figure.Decode(s, spec.Known{Matrix: matrix})
		assert.ErrorContains(t, err, c.want, c.text)
	}
}
