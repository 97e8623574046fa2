package spec_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/analysis/series"
	"fabriclab/analysis/spec"
	"fabriclab/base/reader"
)

func decode(t *testing.T, text string) (*spec.Figure, error) {
	t.Helper()
	s, err := reader.Parse("configs/x.yaml", []byte(text))
	require.NoError(t, err)
	f := spec.Read(s)
	for _, c := range spec.ReadClaims(s) {
		f.Claims = append(f.Claims, c.Claim)
	}
	return f, s.F.Err()
}

const good = `dimensions:
  rate: {path: topology.rate, names: {100Gbps: 100G}}
  mechanism: {path: preset}
windows:
  after: [300us, 700us]
claims:
  - {id: a, text: t, source: s, each: [rate], by: mechanism, measure: peak, order: ["x < y"], tolerance: 5%}
`

func TestDecode(t *testing.T) {
	f, err := decode(t, good)
	require.NoError(t, err)
	assert.Equal(t, []string{"rate", "mechanism"}, f.Dimensions.Names, "order is kept")
	assert.Equal(t, "100G", f.Dimensions.Items["rate"].Name("100Gbps"))
	assert.Equal(t, "200Gbps", f.Dimensions.Items["rate"].Name("200Gbps"))
	w, err := f.Span(spec.Window{Name: "after"}, series.Window{})
	require.NoError(t, err)
	assert.Equal(t, series.Window{From: 300e6, To: 700e6}, w)
	assert.Equal(t, 7, f.Claims[0].Line)
	assert.InDelta(t, 0.05, float64(*f.Claims[0].Tolerance), 1e-15)

	_, err = f.Span(spec.Window{Name: "afer"}, series.Window{})
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
		{"claims:\n  - id: a\n    ordr: []", `configs/x.yaml:3:5: there is no key "ordr" in claim a; did you mean "order"?`},
		{"dimensions:\n  a: {path: x, nam: y}", `configs/x.yaml:2:16: there is no key "nam" in dimensions.a; did you mean "name`},
		{"windows:\n  a: [3us]", `configs/x.yaml:2:6: windows.a: a window is [from, to]`},
		{"windows:\n  a: [3us, 2us]", `configs/x.yaml:2:6: windows.a: the window [3us, 2us] is empty`},
		{"windows: [1us, 2us]", `configs/x.yaml:1:10: windows is a mapping`},
		{"claims:\n  - {id: a, tolerance: 0.25}", `configs/x.yaml:2:24: claim a.tolerance: "0.25" is not a percentage`},
		{"claims:\n  - {id: a, expected: fast}", `configs/x.yaml:2:23: claim a.expected: "fast" is not a number`},
		{"claims: [x]", "configs/x.yaml:1:10: claims.0 is a mapping"},
	} {
		_, err := decode(t, c.text)
		assert.ErrorContains(t, err, c.want, c.text)
	}
}

// All that is wrong with a section is said at once.
func TestAllProblemsAtOnce(t *testing.T) {
	_, err := decode(t, "windows:\n  a: [3us]\nclaims:\n  - {id: a, tolerance: 1, text: t, source: s}\n  - {id: b, each: x, text: t, source: s}\n")
	var problems reader.Problems
	require.ErrorAs(t, err, &problems)
	assert.Len(t, problems, 3)
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
  - {id: first, text: one, source: s, by: mechanism, measure: peak, order: ["x < y"]}
  - id: vs-$other/$own
    for: &own [{own: x, other: "y", peak: "12.4"}, {own: z, other: w, peak: "7"}]
    text: $own costs $5 less
    source: s
    by: mechanism
    where: {rate: $peak}
    notes: [{where: {rate: $own}, text: of $own}]
    value: peak["$own"] / peak["$other"]
    expected: $peak
  - {id: again/$own, for: *own, text: $other $peak, source: s, holds: 'peak["$own"] > 1'}
`
	f, err := decode(t, claims)
	require.NoError(t, err)
	var ids []string
	for _, c := range f.Claims {
		ids = append(ids, c.ID)
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
		`{id: a, for: []}`:                        `configs/x.yaml:2:18: for needs a list of variables`,
		`{id: a, for: x}`:                         `configs/x.yaml:2:18: for needs`,
		`{id: $a, for: [{a: x}, {b: x}]}`:         `entry 2 of for has the variables ["b"], the first one ["a"]`,
		`{id: $owm, for: [{own: x}]}`:             `configs/x.yaml:2:10: for has no variable "owm"; did you mean "own"?`,
		`{id: $a, for: [{a: x}], expected: [$a]}`: `expected: "" is not a number`,
	} {
		_, err := decode(t, "claims:\n  - "+claim+"\n")
		require.ErrorContains(t, err, want, claim)
	}
}
