package oracle

import (
	"encoding/binary"
	"math"
	"slices"

	"fabriclab/analysis/num"
	"fabriclab/harness/scenario"
	"fabriclab/harness/trace"
)

// Names of the tables.
const (
	RatesTable = "optimal_rates"
	LinksTable = "optimal_links"
	FlowsTable = "optimal_flows"
)

// Names are those of all tables.
var Names = []string{RatesTable, LinksTable, FlowsTable}

// Tables are the tables; the links' names are those of the network.
func Tables() []trace.Table {
	return []trace.Table{ratesTable, linksTable([]num.Link{{Name: "s1->s2"}}), flowsTable}
}

var ratesTable = trace.Table{
	Name: RatesTable, Title: "Optimal rates: one row per flow and time without arrivals and departures", Scope: "flow",
	Columns: []trace.Column{
		{Name: "time_ps", Type: "i64", Unit: "ps", Help: "from then on"},
		{Name: "until_ps", Type: "i64", Unit: "ps", Help: "the next arrival or departure"},
		{Name: "flow", Type: "u32", Unit: "1", Help: "number of the flow"},
		{Name: "rate_bps", Type: "f64", Unit: "bit/s", Help: "optimal rate on the links, of all sub-flows together, headers included"},
		{Name: "goodput_bps", Type: "f64", Unit: "bit/s", Help: "payload in that, as in full packets"},
	},
}

var flowsTable = trace.Table{
	Name: FlowsTable, Title: "Flows with optimal rates at every moment, in the order of the flow list", Scope: "flow",
	Columns: []trace.Column{
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
}

func linksTable(links []num.Link) trace.Table {
	names := make([]string, len(links))
	for i, l := range links {
		names[i] = l.Name
	}
	return trace.Table{
		Name: LinksTable, Title: "Prices of the optimum: one row per link with a price and time without arrivals and departures", Scope: "port",
		Columns: []trace.Column{
			{Name: "time_ps", Type: "i64", Unit: "ps", Help: "from then on"},
			{Name: "link", Type: "u32", Unit: "1", Labels: names, Help: "the port whose link it is"},
			{Name: "price", Type: "f64", Unit: "1/(Mb/s)", Help: "what a little more capacity would be worth, utility per Mb/s"},
		},
	}
}

// sheet gathers rows of a table.
type sheet struct {
	writer  *trace.TableWriter
	columns [][]byte
	rows    int
}

// batchRows is how many rows are gathered before they are written.
const batchRows = 4096

// add appends a row, its values in the order and of the types of the columns.
func (s *sheet) add(values ...any) error {
	le := binary.LittleEndian
	for i, v := range values {
		c := s.columns[i]
		switch v := v.(type) {
		case bool:
			bit := byte(0)
			if v {
				bit = 1
			}
			c = append(c, bit)
		case uint32:
			c = le.AppendUint32(c, v)
		case int64:
			c = le.AppendUint64(c, uint64(v))
		case uint64:
			c = le.AppendUint64(c, v)
		case float64:
			c = le.AppendUint64(c, math.Float64bits(v))
		}
		s.columns[i] = c
	}
	if s.rows++; s.rows < batchRows {
		return nil
	}
	return s.flush()
}

func (s *sheet) flush() error {
	var payload []byte
	for i, c := range s.columns {
		payload = append(payload, c...)
		s.columns[i] = c[:0]
	}
	rows := s.rows
	s.rows = 0
	return s.writer.WriteRows(payload, rows)
}

// tables are those of a computation; nil are those that are not wanted.
type tables struct {
	rates, links, flows *sheet
	goodput             float64
	latency             func(f *scenario.Flow) (int64, error)
}

func newTables(o *Oracle, names []string, create func(trace.Table) (*trace.TableWriter, error)) (*tables, error) {
	t := &tables{goodput: o.point.Framing().Goodput(), latency: o.latency}
	for _, one := range []struct {
		sheet **sheet
		table trace.Table
	}{{&t.rates, ratesTable}, {&t.links, linksTable(o.paths.links)}, {&t.flows, flowsTable}} {
		if !slices.Contains(names, one.table.Name) {
			continue
		}
		w, err := create(one.table)
		if err != nil {
			return nil, err
		}
		*one.sheet = &sheet{writer: w, columns: make([][]byte, len(one.table.Columns))}
	}
	return t, nil
}

func (t *tables) interval(flows []scenario.Flow, i num.Interval) error {
	for k, f := range i.Flows {
		if t.rates == nil {
			break
		}
		rate := i.Solution.Totals[k]
		if err := t.rates.add(i.FromPs, i.ToPs, flows[f].ID, rate, rate*t.goodput); err != nil {
			return err
		}
	}
	for l, price := range i.Solution.Prices {
		if price > 0 && t.links != nil {
			if err := t.links.add(i.FromPs, uint32(l), price); err != nil {
				return err
			}
		}
	}
	return nil
}

// end writes what became of the flows and ends the tables.
func (t *tables) end(flows []scenario.Flow, done []num.Completion) error {
	for i, f := range flows {
		if t.flows == nil {
			break
		}
		fct := int64(-1)
		if done[i].EndPs >= 0 {
			latency, err := t.latency(&f)
			if err != nil {
				return err
			}
			fct = done[i].EndPs - f.StartPs + latency
		}
		if err := t.flows.add(f.ID, f.Src, f.Dst, f.Measured, f.Size, f.StartPs, done[i].EndPs, done[i].Bytes, fct); err != nil {
			return err
		}
	}
	for _, s := range []*sheet{t.rates, t.links, t.flows} {
		if s == nil {
			continue
		}
		if err := s.flush(); err != nil {
			return err
		}
		if _, err := s.writer.Finish(); err != nil {
			return err
		}
	}
	return nil
}
