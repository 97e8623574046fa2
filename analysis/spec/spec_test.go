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

// A claim with `for` is there once for each entry, whose values stand in its
// texts; with them it is as if it had been written out.
func TestClaimsForVariables(t *testing.T) {
	const claims = `claims:
  - {id: first, text: one, by: mechanism, measure: peak, order: ["x < y"]}
  - id: vs-$other/$own
    for: &own [{own: x, other: "y", peak: "12.4"}, {own: z, other: w, peak: "7"}]
    text: $own costs $5 less
    by: mechanism
    where: {rate: $peak}
    notes: [{where: {rate: $own}, text: of $own}]
    value: peak["$own"] / peak["$other"]
    expected: $peak
  - {id: again/$own, for: *own, text: $other $peak, holds: 'peak["$own"] > 1'}
`
	f, err := decode(t, claims)
	require.NoError(t, err)
	var ids []string
	for _, c := range f.Claims {
		ids = append(ids, c.ID)
		assert.Empty(t, c.For)
	}
	assert.Equal(t, []string{"first", "vs-y/x", "vs-w/z", "again/x", "again/z"}, ids)
	c := f.Claims[2]
	assert.Equal(t, "z costs $5 less", c.Text)
	assert.Equal(t, `peak["z"] / peak["w"]`, c.Value)
	assert.InDelta(t, 7, *c.Expected, 0)
	assert.Equal(t, map[string]string{"rate": "7"}, c.Where)
	assert.Equal(t, spec.Note{Where: map[string]string{"rate": "z"}, Text: "of z"}, c.Notes[0])
	assert.Equal(t, 3, c.Line)
	assert.Equal(t, "w 7", f.Claims[4].Text)

	for claim, want := range map[string]string{
		`{id: a, for: []}`:                        `configs/x.yaml:2: figure: for needs a list of variables`,
		`{id: a, for: x}`:                         `configs/x.yaml:2: figure: `,
		`{id: $a, for: [{a: x}, {b: x}]}`:         `entry 2 of for has the variables ["b"], the first one ["a"]`,
		`{id: $owm, for: [{own: x}]}`:             `configs/x.yaml:2: figure: for has no variable "owm"; did you mean "own"?`,
		`{id: $a, for: [{a: x}], expected: [$a]}`: `configs/x.yaml:2: figure: `,
	} {
		_, err := decode(t, "claims:\n  - "+claim+"\n")
		require.ErrorContains(t, err, want, claim)
	}
}
