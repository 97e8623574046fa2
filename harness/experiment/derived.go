package experiment

import (
	"go.yaml.in/yaml/v3"

	"fabriclab/base/catalog"
	"fabriclab/base/reader"
	"fabriclab/harness/workload"
)

// OracleTable is a table that the harness computes for a run (harness/lab/oracle),
// and what of.
type OracleTable struct {
	Table string `json:"table"`
	// Utility, where it is named, stands instead of the flows' own.
	Utility string  `json:"utility,omitempty"`
	Alpha   float64 `json:"alpha,omitempty"`
	Epsilon float64 `json:"epsilon,omitempty"`
	// AckShare is what a flow's ACKs take of the links back, as a part of its rate.
	AckShare float64 `json:"ack_share,omitempty"`
}

// OracleCheck says why a table cannot be computed for a point whose flows are of these
// kinds.
type OracleCheck func(p *Point, t OracleTable, kinds []workload.Kind) error

// checkOracle reports tables that cannot be computed.
func (l *loader) checkOracle(root *yaml.Node, p *Point, kinds []workload.Kind) {
	if l.oracle == nil {
		return
	}
	_, trace := reader.Child(root, "trace")
	for _, t := range p.Oracle {
		if err := l.oracle(p, t, kinds); err != nil {
			l.Problem(keyOr(trace, t.Table), "trace.%s: %v", t.Table, err)
		}
	}
}

// The utilities that can be named, and their parameters where none are given.
const (
	own            = "own" // the experiment's
	alphaFair      = "alpha_fair"
	minFCT         = "fct_min"
	maxMin         = "max_min"
	defaultAlpha   = 1
	defaultEpsilon = 0.125
)

// What alpha, epsilon and the share of ACKs may be; analysis/num refuses what is
// outside.
const (
	LeastAlpha   = 0.05
	MostAlpha    = 16
	LeastEpsilon = 0.05
	MostEpsilon  = 0.95
	MostAckShare = 0.5
)

// Names of the tables that the harness can compute for a run.
const (
	OptimalRates = "optimal_rates"
	OptimalLinks = "optimal_links"
	OptimalFlows = "optimal_flows"
)

// OracleTables are the tables that the harness can compute for a run. The
// labels of links are those of its network.
func OracleTables() []catalog.Table {
	return []catalog.Table{
		{
			Name: OptimalRates, Title: "Optimal rates: one row per flow and time without arrivals and departures", Scope: "flow",
			Columns: []catalog.Column{
				{Name: "time_ps", Type: "i64", Unit: "ps", Help: "from then on"},
				{Name: "until_ps", Type: "i64", Unit: "ps", Help: "the next arrival or departure"},
				{Name: "flow", Type: "u32", Unit: "1", Help: "number of the flow"},
				{Name: "rate_bps", Type: "f64", Unit: "bit/s", Help: "optimal rate on the links, of all sub-flows together, headers included"},
				{Name: "goodput_bps", Type: "f64", Unit: "bit/s", Help: "payload in that, as in full packets"},
			},
		},
		{
			Name: OptimalLinks, Title: "Prices of the optimum: one row per link with a price and time without arrivals and departures", Scope: "port",
			Columns: []catalog.Column{
				{Name: "time_ps", Type: "i64", Unit: "ps", Help: "from then on"},
				{Name: "link", Type: "u32", Unit: "1", Labels: []string{"s1->s2"}, Help: "the port whose link it is"},
				{Name: "price", Type: "f64", Unit: "1/(Mb/s)", Help: "what a little more capacity would be worth, utility per Mb/s"},
			},
		},
		{
			Name: OptimalFlows, Title: "Flows with optimal rates at every moment, in the order of the flow list", Scope: "flow",
			Columns: []catalog.Column{
				{Name: "flow", Type: "u32", Unit: "1", Help: "number of the flow"},
				{Name: "src", Type: "u32", Unit: "1", Ref: "node", Help: "sending host"},
				{Name: "dst", Type: "u32", Unit: "1", Ref: "node", Help: "receiving host"},
				{Name: "measured", Type: "bool", Unit: "1", Help: "its start is inside the measuring window"},
				{Name: "size_bytes", Type: "u64", Unit: "B", Help: "payload; 0 = unlimited"},
				{Name: "start_ps", Type: "i64", Unit: "ps", Help: "when the flow starts"},
				{Name: "end_ps", Type: "i64", Unit: "ps", Help: "when its last byte is sent; -1 = unfinished or stopped"},
				{Name: "sent_bytes", Type: "f64", Unit: "B", Help: "sent, headers included"},
				{Name: "optimal_fct_ps", Type: "i64", Unit: "ps", Help: "end_ps - start_ps, and what a flow of its size takes in the empty network beyond its bytes at line rate (propagation, store and forward); -1 = unfinished or stopped"},
			},
		},
	}
}

func derivedNames() []string {
	var names []string
	for _, t := range OracleTables() {
		names = append(names, t.Name)
	}
	return names
}

// derived reads what a derived table is of.
func (l *loader) oracleTable(s *reader.Section, table string) OracleTable {
	d := OracleTable{Table: table}
	if utility := s.Choice("utility", own, alphaFair, minFCT, maxMin); utility != own {
		d.Utility = utility
	}
	alpha := s.FloatBetween("alpha", defaultAlpha, LeastAlpha, MostAlpha)
	epsilon := s.FloatBetween("epsilon", defaultEpsilon, LeastEpsilon, MostEpsilon)
	d.AckShare = s.FloatBetween("ack_share", 0, 0, MostAckShare)
	for _, p := range []struct {
		key, of string
		value   float64
		into    *float64
	}{{"alpha", alphaFair, alpha, &d.Alpha}, {"epsilon", minFCT, epsilon, &d.Epsilon}} {
		if d.Utility == p.of {
			*p.into = p.value
		} else if n := s.Get(p.key); n != nil {
			l.Problem(n, "%s.%s is of utility: %s; give that, too, or leave %s out", s.Path, p.key, p.of, p.key)
		}
	}
	s.Done()
	return d
}
