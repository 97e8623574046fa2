package spec_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"fabriclab/analysis/series"
	"fabriclab/analysis/spec"
)

func decode(t *testing.T, text string) (*spec.Figure, error) {
	t.Helper()
	var node yaml.Node
	require.NoError(t, yaml.Unmarshal([]byte(text), &node))
	return spec.Decode("configs/x.yaml", node.Content[0])
}

const good = `dimensions:
  rate: {path: topology.rate, names: {100Gbps: 100G}}
  mechanism: {path: preset}
windows:
  after: [300us, 700us]
measures:
  peak: {kind: queue_peak, port: "s1->s2", class: 1, window: after, unit: KB}
  slow: {kind: slowdown_time, flow: 0, event: 300us, window: [0, 1ms], unit: us}
claims:
  - {id: a, each: [rate], by: mechanism, measure: peak, order: ["x < y"], tolerance: 5%}
plots:
  - {id: p, kind: time, series: [{kind: rate, flow: 1, interval: 10us}], marks: [{x: 300us}]}
`

func TestDecode(t *testing.T) {
	f, err := decode(t, good)
	require.NoError(t, err)
	assert.Equal(t, []string{"rate", "mechanism"}, f.Dimensions.Names, "order is kept")
	assert.Equal(t, "100G", f.Dimensions.Items["rate"].Name("100Gbps"))
	assert.Equal(t, "200Gbps", f.Dimensions.Items["rate"].Name("200Gbps"))
	peak := f.Measures.Items["peak"]
	assert.Equal(t, 7, peak.Line)
	assert.Equal(t, []string{"port", "class", "window"}, peak.Given())
	w, err := f.Span(*peak.Window)
	require.NoError(t, err)
	assert.Equal(t, series.Window{From: 300e6, To: 700e6}, w)
	slow := f.Measures.Items["slow"]
	assert.Equal(t, spec.Time(300e6), *slow.Event)
	assert.Equal(t, int64(1e9), slow.Window.To)
	assert.Equal(t, 10, f.Claims[0].Line)
	assert.InDelta(t, 0.05, float64(*f.Claims[0].Tolerance), 1e-15)
	assert.Equal(t, spec.Time(10e6), f.Plots[0].Series[0].Interval)
	assert.Equal(t, spec.Time(300e6), *f.Plots[0].Marks[0].X)

	_, err = f.Span(spec.Window{Name: "afer"})
	require.ErrorContains(t, err, `unknown window "afer"; did you mean "after"?`)

	runs := []spec.Run{
		{Labels: map[string]string{"preset": "b", "topology.rate": "1Gbps"}},
		{Labels: map[string]string{"preset": "a"}},
		{Labels: map[string]string{"preset": "b"}},
	}
	assert.Equal(t, []string{"b", "a"}, f.ValuesOf("mechanism", runs))
	values := f.Values(runs[0])
	assert.Equal(t, map[string]string{"mechanism": "b", "rate": "1Gbps"}, values)
	assert.True(t, spec.Matches(values, map[string]string{"mechanism": "b"}))
	assert.False(t, spec.Matches(values, map[string]string{"mechanism": "a"}))
}

func TestDecodeErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"measure:\n  x: {}", `configs/x.yaml:1: figure: unknown key "measure"; did you mean "measures"?`},
		{"claims:\n  - id: a\n    ordr: []", `configs/x.yaml:3: figure: unknown key "ordr"; did you mean "order"?`},
		{"measures:\n  a: {kind: x, prot: y}", `configs/x.yaml:2: figure: unknown key "prot"; did you mean "port"?`},
		{"plots:\n  - series:\n    - {knd: rate}", `configs/x.yaml:3: figure: unknown key "knd"; did you mean "kind"?`},
		{"measures:\n  a: {kind: x, event: 300}", `configs/x.yaml:2: figure: "300" has no unit`},
		{"windows:\n  a: [3us]", `configs/x.yaml:2: figure: a window is [from, to]`},
		{"windows:\n  a: [3us, 2us]", `configs/x.yaml:2: figure: the window [3us, 2us] is empty`},
		{"windows: [1us, 2us]", `configs/x.yaml:1: figure: a mapping of names is due here`},
		{"claims:\n  - {id: a, tolerance: 0.25}", `configs/x.yaml:2: figure: "0.25" is not a percentage`},
		{"claims:\n  - {id: a, expected: fast}", "configs/x.yaml:2: figure: cannot unmarshal"},
		{"measures:\n  a: {kind: x}\n  a: {kind: y}", `configs/x.yaml:3: figure: "a" is there twice`},
		{"claims: [x]", "configs/x.yaml:1: figure: a mapping is due here"},
	} {
		_, err := decode(t, c.text)
		assert.ErrorContains(t, err, c.want, c.text)
	}
}

func TestPortOf(t *testing.T) {
	s := spec.Source{PortBy: map[string]map[string]string{"hop": {"s1": "s1->s2"}}}
	port, err := s.PortOf(map[string]string{"hop": "s1"})
	require.NoError(t, err)
	assert.Equal(t, "s1->s2", port)
	_, err = s.PortOf(map[string]string{"hop": "s9"})
	assert.ErrorContains(t, err, "no port for hop = s9")
}
