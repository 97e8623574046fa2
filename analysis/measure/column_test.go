package measure_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/analysis/measure"
	"fabriclab/analysis/series"
	"fabriclab/analysis/spec"
	"fabriclab/analysis/table/tabletest"
	"fabriclab/base/catalog"
)

// price is a row of a table that no Go code knows of.
type price struct {
	TimePs      int64    `parquet:"time_ps"`
	Node        string   `parquet:"node,dict"`
	Link        string   `parquet:"link,dict"`
	FairRateBps int64    `parquet:"fair_rate_bps"`
	SentBytes   uint64   `parquet:"sent_bytes"`
	Price       float64  `parquet:"price"`
	Kept        bool     `parquet:"kept"`
	Late        *float64 `parquet:"late,optional"`
}

// priced is a run of 4 us with a row for each of two links and each us.
func priced(t *testing.T) spec.Run {
	t.Helper()
	dir := t.TempDir()
	tabletest.Scenario(t, dir, 4e6, 100e9, "a", "s1", "s2")
	var rows []price
	for i := int64(1); i <= 4; i++ {
		late := float64(i)
		rows = append(rows,
			price{TimePs: i * 1e6, Node: "s1", Link: "s1->s2", FairRateBps: i * 10e9, SentBytes: uint64(i) * 1000, Price: float64(i) / 2, Kept: i%2 == 0, Late: &late},
			price{TimePs: i * 1e6, Node: "s2", Link: "s2->s1", FairRateBps: 100e9, SentBytes: uint64(i) * 3000, Price: 7})
	}
	tabletest.Write(t, dir, "prices", rows)
	return spec.Run{Dir: dir, Labels: map[string]string{"hop": "first"}}
}

// pricesTable is what the table above says of itself.
var pricesTable = catalog.Table{Name: "prices", Columns: []catalog.Column{
	{Name: "time_ps", Type: "i64", Unit: "ps"}, {Name: "node", Type: "string"}, {Name: "link", Type: "string"},
	{Name: "fair_rate_bps", Type: "i64", Unit: "bit/s"}, {Name: "sent_bytes", Type: "u64", Unit: "B"}, {Name: "price", Type: "f64", Unit: "1/s"},
	{Name: "kept", Type: "bool"}, {Name: "event", Type: "string", Labels: []string{"rise", "fall"}},
}}

func TestAnyColumn(t *testing.T) {
	r := priced(t)
	for _, c := range []struct {
		text string
		want float64
	}{
		{`column: fair_rate_bps, where: {link: "s1->s2"}, stat: mean, unit: Gbps`, 25},
		{`column: fair_rate_bps, port: "s1->s2", stat: max, unit: Gbps`, 40},
		{`column: fair_rate_bps, port_by: {hop: {first: "s1->s2"}}, stat: min, unit: Mbps`, 10_000},
		{`column: fair_rate_bps, where: {link: "s1->s2"}, window: [1us, 3us], stat: mean, unit: Gbps`, 25},     // 20 and 30
		{`column: fair_rate_bps, where: {link: "s1->s2"}, stat: percentile, percentile: 75, unit: Gbps`, 32.5}, // between 30 and 40
		{`column: fair_rate_bps, where: {fair_rate_bps: "< 30Gbps"}, stat: sum, unit: Gbps`, 30},
		{`column: fair_rate_bps, where: {link: ["s1->s2", "s2->s1"], time_ps: ">= 4us"}, stat: mean, unit: Gbps`, 70},
		{`column: fair_rate_bps, where: {link: "s*->s2"}, stat: last, unit: Gbps`, 40},
		{`column: fair_rate_bps, where: {link: "!=s2->s1"}, stat: first, unit: Gbps`, 10},
		{`column: sent_bytes, where: {node: s1}, window: [1us, 3us], stat: growth, unit: KB`, 2}, // from the row at 1 us on
		{`column: sent_bytes, where: {node: s1}, stat: growth, unit: KB`, 4},                     // counters start at 0
		{`column: sent_bytes, window: [0us, 4us], stat: growth, by: [link], across: max, unit: KB`, 12},
		{`column: sent_bytes, window: [0us, 4us], stat: growth, by: [link], across: sum, unit: KB`, 16},
		{`column: fair_rate_bps, stat: mean, by: [node, kept], across: median, unit: Gbps`, 30}, // 20, 30 and 100
		{`column: kept, where: {node: s1}, stat: mean, unit: "%"`, 50},
		{`column: fair_rate_bps, over: fair_rate_bps, where: {link: "s1->s2"}, stat: sum, unit: "1"`, 4}, // row by row
		{`column: fair_rate_bps, over: fair_rate_bps, stat: max, unit: "%"`, 100},
		{`column: price, where: {kept: true, price: "> 1"}, stat: max, unit: "1"`, 2},
		{`column: late, where: {node: s1}, stat: max, unit: "1"`, 4},
		{`where: {node: s2, price: 7, time_ps: [1us, 2us]}, stat: count, unit: "1"`, 2},
		{`where: {node: s1, kept: false}, stat: count, by: [time_ps], across: max, unit: "1"`, 1},
		{`where: {sent_bytes: "<= 3000B"}, window: [1us, 4us], stat: count, by: [link], across: mean, unit: "1"`, 2}, // of the other link there is none
		{`where: {link: "s1->s2", time_ps: "> 4us"}, stat: count, unit: "1"`, 0},
	} {
		f := figure(t, "dimensions: {hop: {path: hop}}\nmeasures:\n  x: {kind: table, table: prices, "+c.text+"}")
		m := f.Measures.Items["x"]
		got, err := measure.NewTaker(f).Take(m, r)
		require.NoError(t, err, c.text)
		assert.InDelta(t, c.want, got, 1e-9, c.text)
	}

	f := figure(t, `measures: {x: {kind: table, table: prices, column: price, where: {node: s1}, stat: mean, unit: "1"}, y: {kind: table, table: prices, column: price, stat: mean, by: [node], across: max, unit: "1"}}`)
	values, err := measure.NewTaker(f).Spread(f.Measures.Items["x"], r)
	require.NoError(t, err)
	assert.Equal(t, []float64{0.5, 1, 1.5, 2}, values, "of a cdf: the rows")
	values, err = measure.NewTaker(f).Spread(f.Measures.Items["y"], r)
	require.NoError(t, err)
	assert.Equal(t, []float64{1.25, 7}, values, "or the groups")

	f = figure(t, "plots: [{id: p, series: [{kind: table, table: prices, column: fair_rate_bps, port: \"s1->s2\", unit: Gbps}]}]")
	over, err := measure.Series(f, f.Plots[0].Own.([]spec.Series)[0], series.Window{From: 1e6, To: 3e6}, r)
	require.NoError(t, err)
	assert.Equal(t, series.Series{{Time: 2e6, Value: 20}, {Time: 3e6, Value: 30}}, over)
}

func TestAnyColumnHasNoValue(t *testing.T) {
	r := priced(t)
	for _, c := range []struct{ text, want string }{
		{`{kind: table, table: costs, column: x, stat: mean, unit: "1"}`, "no costs.parquet"},
		{`{kind: table, table: prices, column: prize, stat: mean, unit: "1"}`, `no column "prize"; did you mean "price"?`},
		{`{kind: table, table: prices, column: price, where: {linc: x}, stat: mean, unit: "1"}`, `where: the table prices has no column "linc"`},
		{`{kind: table, table: prices, column: price, stat: mean, by: [nod], across: max, unit: "1"}`, `by: the table prices has no column "nod"`},
		{`{kind: table, table: prices, column: price, where: {node: s3}, stat: mean, unit: "1"}`, "no row of prices is meant"},
		{`{kind: table, table: prices, where: {link: "s1->s3"}, stat: count, unit: "1"}`, `no port "s1->s3"`},
		{`{kind: table, table: prices, column: late, stat: mean, unit: "1"}`, "4 rows of prices have no late; leave them out with where"},
	} {
		f := figure(t, "measures:\n  x: "+c.text)
		_, err := measure.NewTaker(f).Take(f.Measures.Items["x"], r)
		require.ErrorContains(t, err, c.want, c.text)
		assert.ErrorContains(t, err, r.Dir, "names the run")
	}
}

// What a measure or a series says of a table is checked before any run.
func TestAnyColumnIsChecked(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{kind: table, table: prizes, column: price, stat: mean, unit: "1"}`, `unknown table "prizes"; did you mean "prices"?`},
		{`{kind: table, table: prices, stat: mean, unit: "1"}`, "the statistic mean needs column"},
		{`{kind: table, table: prices, column: price, stat: count, unit: "1"}`, "count counts rows; take column out"},
		{`{kind: table, table: prices, stat: count, unit: KB}`, "a count is in 1, not in KB"},
		{`{kind: table, table: prices, column: price, stat: middle, unit: "1/s"}`, `unknown stat "middle"`},
		{`{kind: table, table: prices, column: price, stat: percentile, unit: "1/s"}`, "the key percentile go together"},
		{`{kind: table, table: prices, column: price, stat: mean, by: [node], unit: "1/s"}`, "by and across go together"},
		{`{kind: table, table: prices, column: price, stat: mean, by: [nodes], across: max, unit: "1/s"}`, `did you mean "node"?`},
		{`{kind: table, table: prices, column: price, stat: mean, unit: "1"}`, "the column price is in 1/s; write that"},
		{`{kind: table, table: prices, column: fair_rate_bps, stat: mean, unit: KB}`, "not a unit of a rate"},
		{`{kind: table, table: prices, column: fair_rate_bps, over: sent_bytes, stat: mean, unit: "1"}`, "divide by one of the same unit"},
		{`{kind: table, table: prices, column: fair_rate_bps, over: fair, stat: mean, unit: "1"}`, `over: the table prices has no column "fair"`},
		{`{kind: table, table: prices, column: sent_bytes, over: sent_bytes, stat: growth, unit: "1"}`, "growth is of a counter"},
		{`{kind: table, table: prices, column: node, stat: mean, unit: "1"}`, "the column node has texts"},
		{`{kind: table, table: prices, column: price, where: {kept: yes}, stat: mean, unit: "1/s"}`, "neither true nor false"},
		{`{kind: table, table: prices, column: price, where: {event: rice}, stat: mean, unit: "1/s"}`, `there is no "rice"; did you mean "rise"?`},
		{`{kind: table, table: prices, column: price, where: {event: "< rise"}, stat: mean, unit: "1/s"}`, "texts have no order"},
		{`{kind: table, table: prices, column: price, where: {time_ps: 3}, stat: mean, unit: "1/s"}`, `"3" has no unit`},
		{`{kind: table, table: games, column: users, window: [0us, 1us], stat: mean, unit: "1"}`, "no column time_ps"},
		{`{kind: queue_peak, port: "a->b", class: 1, window: [0us, 1us], unit: KB, table: prices}`, "queue_peak does not take table"},
	} {
		_, err := decode(t, "measures:\n  x: "+c.text, spec.Tables{"prices": pricesTable, "games": {Name: "games", Columns: []catalog.Column{{Name: "users", Type: "u32", Unit: "1"}}}})
		require.ErrorContains(t, err, c.want, c.text)
	}
	for _, c := range []struct{ text, want string }{
		{`{kind: table, table: prices, unit: "1/s"}`, "table needs the key column"},
		{`{kind: table, table: prices, column: prise, unit: "1/s"}`, `no column "prise"`},
		{`{kind: table, table: prices, column: price, class: 1, unit: "1/s"}`, "table does not take class"},
		{`{kind: rate, flow: 1, where: {x: 1}, unit: Gbps}`, "rate does not take where"},
	} {
		_, err := decode(t, "plots:\n  - series: ["+c.text+"]", spec.Tables{"prices": pricesTable})
		assert.ErrorContains(t, err, c.want, c.text)
	}
}
