package catalog

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func fixture(t *testing.T) *Catalog {
	t.Helper()
	data, err := os.ReadFile("testdata/catalog.json")
	require.NoError(t, err)
	c, err := Load(data)
	require.NoError(t, err)
	return c
}

func TestLookup(t *testing.T) {
	c := fixture(t)
	hpcc := c.Component("hpcc")
	require.NotNil(t, hpcc)
	assert.Equal(t, "congestion_control", hpcc.Kind)
	assert.Equal(t, 0.95, hpcc.Param("eta").Default)
	assert.Equal(t, int64(5), hpcc.Param("max_stage").Default)
	assert.Equal(t, []string{"eta", "max_stage", "w_ai", "min_rate", "u_initial", "window", "header_bytes"}, hpcc.ParamNames())
	assert.Nil(t, hpcc.Param("etta"))
	assert.Nil(t, c.Component("hppc"))
	assert.Subset(t, c.Names("queue"), []string{"fifo", "red"})
	assert.IsIncreasing(t, c.Names("queue"))
	assert.NotContains(t, c.Names("queue"), "hpcc")
	assert.Contains(t, c.TableNames(), "queues")
	assert.True(t, c.Table("queues").Sampled)
	assert.Nil(t, c.Table("queue"))
}

// TestFilters: as what records the tables asks (wantsTime, wantsFlow, wantsPort, wantsClass and
// Port::traced in mechanisms/).
func TestFilters(t *testing.T) {
	want := map[string]string{
		"flows": "flows", "queues": "from to ports classes", "links": "from to ports", "rates": "from to flows",
		"pauses": "from to ports", "drops": "from to ports flows", "packets": "from to ports flows classes",
		"arrivals": "from to flows", "conga": "from to ports flows", "dasr": "from to", "deflections": "from to flows",
		"flowlets": "from to ports flows", "flowtune_allocator": "from to", "flowtune_traffic": "from to ports",
		"fncc": "from to flows", "hpcc": "from to flows", "marked_flows": "from to flows", "marks": "from to ports classes",
		"message_paths": "from to flows", "num_flows": "from to flows", "prices": "from to ports", "rocc_pi": "from to ports",
	}
	c := fixture(t)
	for _, table := range c.Tables {
		assert.Equal(t, want[table.Name], strings.Join(table.Filters(), " "), table.Name)
	}
	assert.Len(t, c.Tables, len(want))
}

func TestSlots(t *testing.T) {
	c := fixture(t)
	assert.Equal(t, []string{"nic_queues", "queues"}, c.SlotsOf("queue"))
	assert.Contains(t, c.SlotKeys(), "utility")
	assert.Nil(t, c.Slot("queue"))
	for key, want := range map[string]string{
		"transport": "one at each host", "nic_agents": "any number at each NIC port",
		"path_selector": "one at each switch", "queues": "one for each class of each switch port",
	} {
		assert.Equal(t, want, c.Slot(key).Place(), key)
	}
	assert.True(t, c.Slot("nic_queues").Host())
	assert.False(t, c.Slot("port_agents").Host())
	assert.False(t, c.Slot("utility").List())
}

func TestLoadRefusesSlots(t *testing.T) {
	catalog := func(slots string) string {
		return `{"version": 2, "slots": [` + slots + `], "components": [{"name": "fifo", "kind": "queue"}, {"name": "ecmp", "kind": "path_selector"}]}`
	}
	const (
		queues = `{"key": "queues", "kind": "queue", "where": "switch_port", "count": "per_class", "default": "fifo"}`
		paths  = `{"key": "paths", "kind": "path_selector", "where": "switch", "count": "one", "default": ""}`
	)
	_, err := Load([]byte(catalog(queues + "," + paths)))
	require.NoError(t, err)
	for _, tt := range []struct{ slots, want string }{
		{queues, `ecmp is of the kind "path_selector", for which there is no slot`},
		{queues + "," + queues + "," + paths, "used twice"},
		{strings.Replace(queues, `"queues"`, `"Queues"`, 1), "not in lower-case letters"},
		{strings.Replace(queues, `"queues"`, `"fifo"`, 1), "a component has the same name"},
		{strings.Replace(queues, `"queue"`, `"node"`, 1), `"node" is no kind of mechanisms`},
		{strings.Replace(queues, "switch_port", "port", 1), `where is "port", not one of host, nic, switch, switch_port`},
		{strings.Replace(queues, "per_class", "two", 1), `count is "two", not one of one, many, per_class`},
		{strings.Replace(queues, "per_class", "many", 1), "a slot for any number has no default"},
		{strings.Replace(queues, `"default": "fifo"`, `"default": ""`, 1), "a slot for each class needs a default"},
		{strings.Replace(queues, `"default": "fifo"`, `"default": "ecmp"`, 1), `the default "ecmp" is no queue`},
	} {
		_, err := Load([]byte(catalog(tt.slots)))
		assert.ErrorContains(t, err, tt.want)
	}
}

func TestParse(t *testing.T) {
	c := fixture(t)
	tests := []struct {
		address, text string
		want          any
		formatted     string
	}{
		{"ecmp.symmetric", "true", true, "true"},
		{"host.ack_every", "2", int64(2), "2"},
		{"hpcc.eta", "0.9", 0.9, "0.9"},
		{"hpcc.eta", "1", 1.0, "1"},
		{"rocc_pi.period", "40us", int64(40e6), "40us"},
		{"dcqcn.rate_ai", "40Mbps", int64(40e6), "40Mbps"},
		{"port.pfc_xoff", "500KB", int64(500e3), "500KB"},
		{"switch.pfc_accounting", "egress", "egress", "egress"},
	}
	for _, tt := range tests {
		t.Run(tt.address+"="+tt.text, func(t *testing.T) {
			p := param(c, tt.address)
			got, err := p.Parse(tt.text)
			require.NoError(t, err)
			assert.Equal(t, tt.want, got)
			assert.Equal(t, tt.formatted, p.Format(got))
		})
	}
}

func TestParseRefuses(t *testing.T) {
	c := fixture(t)
	tests := []struct{ address, text, want string }{
		{"ecmp.symmetric", "yes", `"yes" is not a truth value; write true or false`},
		{"host.ack_every", "0", "0 is out of range; allowed: from 1 to 1048576"},
		{"host.ack_every", "1.5", `"1.5" is not a whole number`},
		{"hpcc.eta", "1.2", "1.2 is out of range; allowed: from 0.01 to 1"},
		{"hpcc.eta", "NaN", `"NaN" is not a number`},
		{"host.mtu", "32B", "32B is out of range; allowed: from 64B to 64KiB"},
		{"rocc_pi.period", "40", `"40" has no unit; a time needs one of`},
		{"dcqcn.rate_ai", "-40Mbps", `"-40Mbps" is negative`},
		{"switch.pfc_accounting", "egres", `"egres" is not among the choices; did you mean "egress"? (known: egress, ingress)`},
	}
	for _, tt := range tests {
		t.Run(tt.address+"="+tt.text, func(t *testing.T) {
			_, err := param(c, tt.address).Parse(tt.text)
			assert.ErrorContains(t, err, tt.want)
		})
	}
}

// A list's entries have one number for each axis, each with the unit of its
// axis.
func TestParseList(t *testing.T) {
	p := param(fixture(t), "bandwidth_function.curve")
	require.True(t, p.IsList())
	assert.Equal(t, List{{0, 0}, {1, 10e9}}, p.Default)
	assert.Equal(t, "[[0, 0bps], [1, 10Gbps]]", p.Format(p.Default))
	assert.Equal(t, []any{[]any{0.0, "0bps"}, []any{1.0, "10Gbps"}}, p.Written(p.Default))
	list, err := p.ParseList([][]string{{"0", "0"}, {"2", "0.5Gbps"}, {"2.5", "10Gbps"}})
	require.NoError(t, err)
	assert.Equal(t, List{{0, 0}, {2, 5e8}, {2.5, 10e9}}, list)
	assert.Equal(t, "[[0, 0bps], [2, 500Mbps], [2.5, 10Gbps]]", p.Format(list))
	data, err := json.Marshal(list)
	require.NoError(t, err)
	assert.Equal(t, "[[0,0],[2,500000000],[2.5,10000000000]]", string(data))

	for want, entries := range map[string][][]string{
		`entry 2: bandwidth: "10" has no unit; a rate needs one of bps`:                                 {{"0", "0"}, {"1", "10"}},
		`entry 2: bandwidth: "10Gbit" has the unit "Gbit"; a rate has one of`:                           {{"0", "0"}, {"1", "10Gbit"}},
		`entry 2: fair share: "one" is not a number`:                                                    {{"0", "0"}, {"one", "1Gbps"}},
		"entry 2: fair share: 2e+06 is out of range; allowed: from 0 to 1e+06":                          {{"0", "0"}, {"2e6", "1Gbps"}},
		"entry 3: fair share: 1 is not above 1, the one before; the fair share has to increase":         {{"0", "0"}, {"1", "1Gbps"}, {"1", "2Gbps"}},
		"entry 3: bandwidth: 500Mbps is not above 1Gbps, the one before; the bandwidth has to increase": {{"0", "0"}, {"1", "1Gbps"}, {"2", "0.5Gbps"}},
		"entry 2: an entry is fair share and bandwidth, and this one has 1 numbers":                     {{"0", "0"}, {"1"}},
		"the list has 1 entries; allowed: from 2 to 1000":                                               {{"0", "0"}},
	} {
		_, err := p.ParseList(entries)
		assert.ErrorContains(t, err, want)
	}
}

// A list with one axis is a plain list of numbers.
func TestListOfNumbers(t *testing.T) {
	data := `{"version": 2, "slots": [], "components": [{"name": "host", "kind": "node", "params": [{"name": "times", "type": "list",
		"default": [1000000, 2000000], "axes": [{"name": "time", "type": "time", "unit": "ps", "min": 1, "max": 1000000000, "increasing": false}],
		"min_entries": 1, "max_entries": 3, "help": "h", "source": "s"}]}]}`
	c, err := Load([]byte(data))
	require.NoError(t, err)
	p := param(c, "host.times")
	assert.Equal(t, "[1us, 2us]", p.Format(p.Default))
	assert.Equal(t, []any{"1us", "2us"}, p.Written(p.Default))
	list, err := p.ParseList([][]string{{"3us"}})
	require.NoError(t, err)
	encoded, err := json.Marshal(list)
	require.NoError(t, err)
	assert.Equal(t, "[3000000]", string(encoded))
	assert.Equal(t, "1 to 3 entries, each time: 1ps to 1ms", p.Allowed())

	for old, changed := range map[string]string{
		`"axes": [{"name": "time", "type": "time"`: `"axes": [{"name": "time", "type": "list"`,
		`"min": 1,`:          `"min": 0.5,`,
		`[1000000, 2000000]`: `[1000000, "x"]`,
		`1000000, 2000000`:   `0`,
		`"type": "list",`:    `"type": "lists",`,
		`"max_entries": 3`:   `"max_entries": 1`,
	} {
		_, err := Load([]byte(strings.Replace(data, old, changed, 1)))
		assert.Error(t, err, changed)
	}
}

func param(c *Catalog, address string) *Param {
	component, name, _ := strings.Cut(address, ".")
	return c.Component(component).Param(name)
}

func TestHint(t *testing.T) {
	assert.Equal(t, `; did you mean "fncc"? (known: dcqcn, fncc, hpcc)`, Hint("fnc", []string{"hpcc", "fncc", "dcqcn"}))
	assert.Equal(t, ` (known: dcqcn, fncc)`, Hint("something_else", []string{"fncc", "dcqcn"}))
	assert.Equal(t, `; none is allowed here`, Hint("x", nil))
}

func TestLoadRefuses(t *testing.T) {
	component := func(params string) string {
		return `{"version": 2, "slots": [{"key": "queues", "kind": "queue", "where": "nic", "count": "per_class", "default": "x"}], "components": [{"name": "x", "kind": "queue", "params": [` + params + `]}]}`
	}
	tests := []struct{ json, want string }{
		{`Usage:`, "not the JSON of fabric-describe"},
		{`{"version": 1}`, "version 1, this program reads version 2; rebuild"},
		{`{"version": 2, "components": [{"name": "x"}, {"name": "x"}]}`, `component name "x" is empty or used twice`},
		{component(`{"name": "p", "type": "int", "default": 1}, {"name": "p", "type": "int", "default": 1}`), `parameter name "p" of x is empty or used twice`},
		{component(`{"name": "p", "type": "integer", "default": 1}`), `type "integer" is none of`},
		{component(`{"name": "p", "type": "int", "default": 1.5}`), `the JSON value 1.5 is not of type int`},
		{component(`{"name": "p", "type": "int"}`), `is not of type int`},
		{component(`{"name": "p", "type": "int", "default": 5, "max": 4}`), `5 is out of range; allowed: at most 4`},
		{component(`{"name": "p", "type": "choice", "default": "a"}`), `a choice without choices`},
		{component(`{"name": "p", "type": "int", "default": 1, "max": 4, "relations": [{"other": "q"}]}`), `x.p: it is at most "q", which is no number of the same type`},
		{strings.Replace(component(""), `"kind": "queue", "params"`, `"kind": "queue", "needs": ["sun"], "params"`, 1), `x needs "sun", which is neither a component nor a kind`},
		{strings.Replace(component(""), `"kind": "queue", "params"`, `"kind": "queue", "needs_while": [{"param": "p", "value": "1", "what": "queue"}], "params"`, 1), `x needs queue while "p" is 1, and it has no such parameter`},
	}
	for _, tt := range tests {
		_, err := Load([]byte(tt.json))
		assert.ErrorContains(t, err, tt.want)
	}
}
