package schema_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/analysis/figure"
	"fabriclab/base/catalog"
	"fabriclab/harness/experiment"
	"fabriclab/harness/scenario"
	"fabriclab/harness/schema"
)

// invented is the catalog of the tests with two more slots, of a kind that
// nobody has ever heard of, and mechanisms of this kind.
func invented(t *testing.T) *catalog.Catalog {
	t.Helper()
	data, err := os.ReadFile("../../base/catalog/testdata/catalog.json")
	require.NoError(t, err)
	var c map[string]any
	require.NoError(t, json.Unmarshal(data, &c))
	c["slots"] = append(c["slots"].([]any),
		map[string]any{"key": "weather", "kind": "weather", "where": "switch_port", "count": "per_class", "default": "sun", "help": "what falls on packets"},
		map[string]any{"key": "host_weather", "kind": "weather", "where": "host", "count": "one", "default": "", "help": "what falls on hosts"},
	)
	c["components"] = append(c["components"].([]any),
		map[string]any{"name": "sun", "kind": "weather", "title": "Nothing falls", "help": "", "source": "chosen", "params": []any{}},
		map[string]any{"name": "rain", "kind": "weather", "title": "Something falls", "help": "", "source": "chosen", "needs": []any{"sun"}, "params": []any{
			map[string]any{"name": "rate", "type": "rate", "default": 1000, "min": 0, "live": true, "help": "how much", "source": "chosen"},
		}},
	)
	data, err = json.Marshal(c)
	require.NoError(t, err)
	loaded, err := catalog.Load(data)
	require.NoError(t, err)
	return loaded
}

// A kind that only the catalog knows goes all the way from an experiment to
// scenario.json, the effective configuration, the schema and the docs.
func TestInventedKind(t *testing.T) {
	c := invented(t)
	file := filepath.Join(t.TempDir(), "x.yaml")
	text := good + `weather: [sun, {type: rain, params: {rate: 5Mbps}}]
host_weather: rain
nodes: {host1: {params: {rain: {rate: 7Mbps}}}}
matrix: {rain.rate: [1Gbps, 2Gbps], host_weather: [rain, {type: sun}]}
`
	load := func(text string, sets ...string) (*experiment.Experiment, error) {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
		return experiment.Load(file, experiment.Options{Catalog: c, ConfigDir: configs, Sets: sets})
	}
	e, err := load(text, "rain.rate=2Gbps")
	require.NoError(t, err)
	require.Len(t, e.Points, 2)
	assert.Empty(t, e.Warnings)
	assert.Empty(t, e.Points[1].Scenario.Sets, "no rain on hosts")
	s := e.Points[0].Scenario
	assert.Equal(t, []string{"sun", "rain"}, []string{s.Components["weather"].List[0].Type, s.Components["weather"].List[1].Type})
	assert.Equal(t, int64(2e9), s.Components["weather"].List[1].Params["rate"], "the experiment's params go over those of the one place")
	assert.Equal(t, int64(7e6), s.Sets[0].Components.Param("host_weather", "rate"))
	encoded, err := s.Encode()
	require.NoError(t, err)
	back, err := scenario.Decode(encoded)
	require.NoError(t, err)
	again, err := back.Encode()
	require.NoError(t, err)
	assert.Equal(t, string(encoded), string(again))
	assert.Contains(t, e.Points[0].Effective.Table(), "host_weather at host1")
	assert.Contains(t, e.Points[0].Effective.Table(), "weather[1]")

	plain, err := load(good)
	require.NoError(t, err)
	for _, key := range []string{"weather", "host_weather"} {
		assert.NotContains(t, plain.Points[0].Scenario.Components, key, "the default is left to the engine")
	}
	for text, want := range map[string]string{
		good + "weather: [sun]\n":                           "weather has 1 items and queues has 2",
		good + "weather: [sun, snow]\n":                     `weather.1: there is no weather "snow" (known: rain, sun)`,
		good + "weathr: [sun, sun]\n":                       `there is no key "weathr" here; did you mean "weather"?`,
		good + "host_weather: ecmp\n":                       "ecmp is a path selector, not a weather",
		good + "nodes: {s1: {host_weather: rain}}\n":        "s1 is a switch, and only hosts have the slot host_weather",
		with("params", "params: {rain: {rate: 1us}}"):       `params.rain.rate: "1us" has the unit "us"`,
		good + "host_weather: {type: rain, params: {r: 1}}": `host_weather.params: rain has no parameter "r"`,
	} {
		_, err := load(text)
		require.ErrorContains(t, err, want)
	}

	for _, name := range []string{"experiment", "preset"} {
		made, err := schema.Make(name, c, figure.Schema())
		require.NoError(t, err)
		data, err := json.Marshal(made)
		require.NoError(t, err)
		document, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		require.NoError(t, err)
		compiler := jsonschema.NewCompiler()
		require.NoError(t, compiler.AddResource("x.json", document))
		compiled, err := compiler.Compile("x.json")
		require.NoError(t, err)
		if name == "preset" {
			require.NoError(t, compiled.Validate(asJSON(t, []byte("preset: x\nweather: [sun, rain]\n"))))
			require.Error(t, compiled.Validate(asJSON(t, []byte("preset: x\nweather: [sun, snow]\n"))))
			continue
		}
		require.NoError(t, compiled.Validate(asJSON(t, []byte(text))))
		require.Error(t, compiled.Validate(asJSON(t, []byte(good+"weather: [sun, snow]\n"))))
		require.Error(t, compiled.Validate(asJSON(t, []byte(good+"host_weather: {type: rain, params: {rate: 1us}}\n"))))
		require.Error(t, compiled.Validate(asJSON(t, []byte(good+"nodes: {host0: {weathr: rain}}\n"))))
	}

	page, err := c.FillMarkdown("<!-- slots -->\n<!-- /slots -->\n<!-- params:rain -->\n<!-- /params -->\n")
	require.NoError(t, err)
	assert.Contains(t, page, "| `weather` | weather | one for each class of each switch port | `sun` | what falls on packets | `sun`, `rain` |\n")
	assert.Contains(t, page, "| `rain.rate` | 1Kbps |")
}

// A slot whose key means something else in an experiment is refused.
func TestSlotKeysAreFree(t *testing.T) {
	for _, key := range []string{"nodes", "matrix", "extends"} {
		c := invented(t)
		c.Slots[0].Key = key
		_, err := experiment.Load("x.yaml", experiment.Options{Catalog: c, ConfigDir: configs})
		assert.ErrorContains(t, err, `the slot "`+key+`" has the name of another key of experiments`)
	}
}
