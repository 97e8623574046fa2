package catalog

import (
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
	assert.Equal(t, KindCongestionControl, hpcc.Kind)
	assert.Equal(t, 0.95, hpcc.Param("eta").Default)
	assert.Equal(t, int64(5), hpcc.Param("max_stage").Default)
	assert.Equal(t, []string{"eta", "max_stage", "w_ai", "min_rate", "u_initial", "header_bytes"}, hpcc.ParamNames())
	assert.Nil(t, hpcc.Param("etta"))
	assert.Nil(t, c.Component("hppc"))
	assert.Equal(t, []string{"fifo", "red"}, c.Names(KindQueue))
	assert.Contains(t, c.TableNames(), "queues")
	assert.True(t, c.Table("queues").Sampled)
	assert.Nil(t, c.Table("queue"))
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
		return `{"version": 1, "components": [{"name": "x", "kind": "queue", "params": [` + params + `]}]}`
	}
	tests := []struct{ json, want string }{
		{`Usage:`, "not the JSON of fabric-describe"},
		{`{"version": 2}`, "version 2, this program reads version 1; rebuild"},
		{`{"version": 1, "components": [{"name": "x"}, {"name": "x"}]}`, `component name "x" is empty or used twice`},
		{component(`{"name": "p", "type": "int", "default": 1}, {"name": "p", "type": "int", "default": 1}`), `parameter name "p" of x is empty or used twice`},
		{component(`{"name": "p", "type": "integer", "default": 1}`), `type "integer" is none of`},
		{component(`{"name": "p", "type": "int", "default": 1.5}`), `the JSON value 1.5 is not of type int`},
		{component(`{"name": "p", "type": "int"}`), `is not of type int`},
		{component(`{"name": "p", "type": "int", "default": 5, "max": 4}`), `5 is out of range; allowed: at most 4`},
		{component(`{"name": "p", "type": "choice", "default": "a"}`), `a choice without choices`},
	}
	for _, tt := range tests {
		_, err := Load([]byte(tt.json))
		assert.ErrorContains(t, err, tt.want)
	}
}
